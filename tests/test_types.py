"""Hints: every public callable has them, and a type checker agrees."""

import inspect
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from test_public_api import public_objects

ROOT = Path(__file__).resolve().parent.parent


def callables():
    """Yield functions, and the constructors and methods of classes that are ours."""
    for entry in public_objects():
        (item,), name = entry.values, entry.id
        if inspect.isfunction(item):
            yield pytest.param(item, id=name)
            continue
        for method, function in inspect.getmembers(item):
            ours = getattr(function, "__module__", None) or ""
            public = method in ("__init__", "__call__") or not method.startswith("_")
            if callable(function) and ours.startswith("skproxy") and public:
                function = inspect.unwrap(getattr(function, "__func__", function))
                yield pytest.param(function, id=f"{name}.{method}")


@pytest.mark.parametrize("function", callables())
def test_public_callables_have_hints(function):
    """Each parameter and what is returned; `Any` where anything may come."""
    signature = inspect.signature(function)
    hinted = dict(function.__annotations__)
    wanted = {name for name in signature.parameters if name not in ("self", "cls")}
    assert wanted | {"return"} <= set(hinted)


def test_a_type_checker_agrees():
    """mypy finds nothing, with the settings of setup.cfg, where it is installed."""
    if find_spec("mypy") is None or not (ROOT / "setup.cfg").exists():
        pytest.skip("needs mypy and a source tree")
    done = subprocess.run(
        [sys.executable, "-m", "mypy"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
