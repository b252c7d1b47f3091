import pickle

import numpy as np
import pytest
from scipy import sparse

from skproxy import BlockMetric

WORDS = ["a", "bb", "ccc", "dddd", "", "f"]


def length_gaps(rows, others):
    lengths = [len(r) for r in rows], [len(o) for o in others]
    return np.abs(np.subtract.outer(*lengths))


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (lambda r, o: 1.0, r"\(\)"),
        (lambda r, o: np.ones(len(r)), r"\(6,\)"),
        (lambda r, o: np.ones((len(o), len(r))), r"\(4, 6\)"),
        (lambda r, o: np.ones((len(r), len(o), 1)), r"\(6, 4, 1\)"),
        (lambda r, o: sparse.csr_matrix((len(r), len(o))), r"\(\)"),
    ],
)
def test_a_block_of_another_shape_is_refused(result, shown):
    """The message says what was expected, what came, and what to pass instead."""
    with pytest.raises(ValueError, match=rf"BlockMetric .*\(6, 4\).*got shape {shown}"):
        BlockMetric(result)(WORDS, WORDS[:4])


@pytest.mark.parametrize("func", [3, "levenshtein", None])
def test_only_functions_make_a_block_metric(func):
    """Not a name: names need no wrapper."""
    with pytest.raises(TypeError, match="func of BlockMetric must be callable"):
        BlockMetric(func)


def test_block_metrics_are_values():
    """They pickle, compare by what they hold and say what that is."""
    metric = BlockMetric(length_gaps)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert metric != BlockMetric(np.subtract.outer)
    assert "length_gaps" in repr(metric)


@pytest.mark.parametrize("most", [1, 3, 4, 5, 7, 24, 100])
def test_no_call_gets_more_pairs_than_allowed(most):
    """The same matrix, in pieces; masks are kept."""
    sizes = []

    def gaps(rows, others):
        sizes.append(len(rows) * len(others))
        return np.ma.masked_equal(length_gaps(rows, others), 2)

    found = BlockMetric(gaps, max_pairs=most)(WORDS, WORDS[:4])
    expected = length_gaps(WORDS, WORDS[:4])
    np.testing.assert_array_equal(found.data, expected)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), expected == 2)
    assert max(sizes) <= most
    assert sum(sizes) == 24


@pytest.mark.parametrize("most", [0, -2, 1.5, "many"])
def test_a_bound_is_a_positive_number(most):
    """What came is said."""
    with pytest.raises(ValueError, match=r"max_pairs of BlockMetric .* got .*"):
        BlockMetric(length_gaps, max_pairs=most)
