"""Public names, and the same words for the same things."""

import importlib
import inspect
import pickle
import re
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator, clone

import skproxy

MODULES = [
    "skproxy",
    "skproxy.landmarks",
    "skproxy.metrics",
    "skproxy.datasets",
    "skproxy.inspection",
    "skproxy.neighbors",
]
ESTIMATORS = [
    getattr(skproxy, name)
    for name in skproxy.__all__
    if inspect.isclass(getattr(skproxy, name))
    and issubclass(getattr(skproxy, name), BaseEstimator)
]
#: Parameters that mean the same and default to the same wherever they occur.
SHARED = {
    "landmarks": "uniform",
    "n_probes": "auto",
    "symmetrize": None,
    "memory": None,
    "random_state": None,
    "n_jobs": None,
    "verbose": 0,
    "metric_params": None,
    "kernel_params": None,
    "gamma": None,
    "coef0": None,
    "degree": None,
    "power": 2,
}


def public_objects():
    for name in MODULES:
        module = importlib.import_module(name)
        for public in module.__all__:
            item = getattr(module, public)
            if inspect.isclass(item) or inspect.isfunction(item):
                yield pytest.param(item, id=f"{name}.{public}")


@pytest.mark.parametrize("module", MODULES)
def test_all_is_sorted_out_and_importable(module):
    """Every name of __all__ exists, once, and importing * gives just these."""
    module = importlib.import_module(module)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)
    assert module.__doc__


@pytest.mark.parametrize("item", list(public_objects()))
def test_docstrings_document_every_parameter(item):
    """A one-line summary, and an entry for each parameter."""
    doc = inspect.getdoc(item)
    summary = doc.splitlines()[0]
    assert summary.endswith(".")
    assert len(summary) <= 88
    signature = inspect.signature(item)
    for name in signature.parameters:
        if name in ("self", "args", "kwargs"):
            continue
        assert re.search(rf"^(\w+, )*\*{{0,2}}{name}(, \w+)* :", doc, re.MULTILINE), (
            name
        )


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_shared_parameters_have_the_same_default_everywhere(cls):
    """Same name, same default; everything after the first is keyword-only."""
    parameters = inspect.signature(cls).parameters
    for name, parameter in parameters.items():
        if name in SHARED:
            assert parameter.default == SHARED[name], name
    kinds = [parameter.kind for parameter in parameters.values()]
    assert kinds[0] == inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_docstrings_have_their_sections_in_order(cls):
    """Parameters, Attributes, See Also, Notes, References, Examples."""
    doc = inspect.getdoc(cls)
    order = ["Parameters", "Attributes", "See Also", "Notes", "References", "Examples"]
    places = [doc.find(f"\n{section}\n---") for section in order]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_estimators_clone_pickle_and_print(cls):
    """clone, pickle and repr of a new estimator work and agree."""
    estimator = cls()
    assert repr(clone(estimator)) == repr(estimator)
    assert repr(pickle.loads(pickle.dumps(estimator))) == repr(estimator)
    assert set(estimator._parameter_constraints) == set(
        estimator.get_params(deep=False)
    )


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_tells_its_progress_in_the_same_words(cls):
    """verbose is in all of them, with one sentence."""
    entry = re.compile(r"^verbose :.*(\n    .*)+", re.MULTILINE)
    found = entry.search(inspect.getdoc(cls))
    assert found[0] == entry.search(inspect.getdoc(skproxy.Nystroem))[0]


def test_version_is_a_literal_of_three_numbers():
    """The one place that says the version."""
    assert re.fullmatch(r"\d+\.\d+\.\d+", skproxy.__version__)


def test_rooms_are_there_without_a_second_import():
    """And are not imported before they are asked for."""
    code = (
        "import sys, skproxy; before = 'skproxy.inspection' in sys.modules; "
        "print(before, skproxy.inspection.diagnose.__name__, "
        "skproxy.neighbors.__name__, 'metrics' in dir(skproxy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "diagnose", "skproxy.neighbors", "True"]
    with pytest.raises(AttributeError, match="'skproxy' has no attribute 'cellar'"):
        skproxy.cellar  # noqa: B018
