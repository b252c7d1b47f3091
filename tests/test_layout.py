"""The house: which room may import which, where its tests are."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "skproxy"
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: Rooms in order; a file imports from its own room and from earlier ones only.
ORDER = [
    "_show_versions",
    "_sklearn",
    "comparisons",
    "factor",
    "landmarks",
    "embedding",
    "classification",
    "regression",
    "neighbors",
    "inspection",
]
#: These stand beside the others and import nothing of ours but comparisons and factor.
BESIDE = {"metrics", "datasets"}


def room_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported_rooms(path):
    """Yield the rooms of skproxy that a file imports from."""
    package = ("skproxy", *path.relative_to(PACKAGE).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            names = [(*module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "skproxy" and len(name) > 1:
                yield name[1]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_rooms_import_earlier_rooms_only(path):
    """A room knows the rooms before it in ORDER, never those after it."""
    room = room_of(path)
    if room == "__init__":
        return
    allowed = (
        {room, "comparisons", "factor"}
        if room in BESIDE
        else set(ORDER[: ORDER.index(room) + 1])
    )
    if room == "inspection":
        allowed |= BESIDE
    elif room in ("embedding", "classification"):
        allowed.add("metrics")
    assert set(imported_rooms(path)) <= allowed


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_are_named_after_what_they_hold(path):
    """No junk drawers."""
    words = set(re.split(r"[_/.]", str(path.relative_to(PACKAGE))))
    assert not words & {"util", "utils", "helper", "helpers", "common", "misc"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_private_names_of_scikit_learn_come_through_one_door(path):
    """No `from sklearn... import _x` nor `sklearn._x` outside _sklearn.py."""
    if path.name == "_sklearn.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "sklearn"
        ):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not [name for name in names if name.startswith("_")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_source_file_has_its_tests(path):
    """tests/room/test_file.py mirrors skproxy/room/_file.py, or one does for all."""
    if path.name in ("__init__.py", "_sklearn.py"):
        return
    room, name = room_of(path), path.stem.removeprefix("_")
    mirrored = ROOT / "tests" / room / f"test_{name}.py"
    one_file = ROOT / "tests" / f"test_{room.removeprefix('_')}.py"
    assert mirrored.exists() or one_file.exists()


def test_optional_packages_are_imported_where_they_are_used():
    """No file needs them to be read; scikit-learn itself loads pandas where it is."""
    optional = {"matplotlib", "pandas", "rapidfuzz", "dask", "aeon", "skbio"}
    optional.add("dtaidistance")
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            assert not {name.split(".")[0] for name in names} & optional, path


def test_optional_packages_are_not_imported_at_start_up():
    """Everything but drawing and measures by name needs the dependencies alone."""
    optional = {"matplotlib", "rapidfuzz", "dask", "aeon", "skbio", "dtaidistance"}
    optional.add("distributed")
    rooms = [path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()]
    code = "\n".join([f"import skproxy.{room}" for room in sorted(rooms)])
    code += "\nimport sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "skproxy.inspection" in loaded
    assert not loaded & optional
