"""Calls written as text are Python that runs."""

import functools

import numpy as np
import pytest

from skproxy import BlockMetric, NystromDissimilarity
from skproxy.inspection._pasted_call import PastedCall, name_measure, write_params


def gap(a, b, scale=1.0):
    return scale * abs(a - b) + (a < b)


def block_gap(rows, others):
    return np.subtract.outer(np.asarray(rows), np.asarray(others))


class Gap:
    def __call__(self, a, b):
        return abs(a - b)


@pytest.mark.parametrize(
    ("compare", "text"),
    [
        ("cosine", '"cosine"'),
        (gap, "gap"),
        (lambda a, b: 0.0, "metric"),
        (functools.partial(gap, scale=2.0), "metric"),
        (Gap(), "metric"),
        (BlockMetric(block_gap), "BlockMetric(block_gap)"),
        (BlockMetric(Gap()), "metric"),
    ],
)
def test_measures_have_names(compare, text):
    """Their own where that is one, else that of the argument; and names evaluate."""
    found, names = name_measure(compare, "metric")
    assert found == text
    value = eval(found, {"BlockMetric": BlockMetric, **names})
    assert value == compare


@pytest.mark.parametrize("compare", [gap, Gap(), BlockMetric(block_gap)])
def test_both_ways_is_symmetric(compare):
    """The average of the two directions, in the form that was given."""
    text, names = name_measure(compare, "metric", both_ways=True)
    measure = eval(text, {"BlockMetric": BlockMetric, **names})
    if isinstance(compare, BlockMetric):
        square = measure([1.0, 5.0], [1.0, 5.0])
        np.testing.assert_array_equal(square, square.T)
    else:
        assert measure(1.0, 5.0) == measure(5.0, 1.0)


def test_long_calls_are_wrapped_and_run():
    """Lines stay short; imports and preparation are there."""
    arguments = [f"{name}={value}" for name, value in _SETTINGS.items()]
    pasted = PastedCall.of(
        "NystromDissimilarity", arguments, {}, ["X = np.zeros((2, 2))"]
    )
    assert max(map(len, pasted.code.splitlines())) <= 79
    namespace = {}
    exec(pasted.code, namespace)
    assert isinstance(namespace["model"], NystromDissimilarity)
    assert namespace["X"].shape == (2, 2)
    assert namespace["model"].n_landmarks == 123


_SETTINGS = {
    "metric": '"minkowski"',
    "metric_params": '{"p": 3}',
    "correction": '"flip"',
    "n_landmarks": 123,
    "landmarks": '"kmeans"',
    "random_state": 0,
}


def test_parameters_are_typed_or_named():
    """Numbers of numpy become Python's; arrays cannot be typed."""
    assert write_params({"p": np.float64(3.0)}, "minkowski", "metric") == (
        ['metric_params={"p": 3.0}'],
        {},
    )
    assert write_params({"gamma": 0.5}, "rbf", "kernel") == (["gamma=0.5"], {})
    V = np.ones(3)
    arguments, names = write_params({"V": V}, "seuclidean", "metric")
    assert arguments == ["metric_params=metric_params"]
    assert names["metric_params"]["V"] is V
    assert write_params({}, "rbf", "kernel") == ([], {})
