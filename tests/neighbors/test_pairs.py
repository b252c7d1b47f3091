"""KnownPairs and PairComparer: each pair once, the values of the measure."""

import numpy as np
import pytest
from factories import sum_of_gaps
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_memory

from skproxy import BlockMetric
from skproxy.comparisons import Geometry, Measure, MeasuredComparisons
from skproxy.neighbors._pairs import KnownPairs, PairComparer

RNG = np.random.RandomState(0)
X = RNG.normal(size=(60, 3))


def block(rows, others):
    return cdist(rows, others, "cityblock")


def comparer(compare, objects=X, n_jobs=None):
    table = MeasuredComparisons(
        objects,
        Measure(compare, is_similarity=False),
        n_jobs=n_jobs,
        memory=check_memory(None),
        name="metric of Test",
    )
    return PairComparer(table, X, Geometry(False, 2, True), 1.0)


def test_a_pair_is_new_once_from_either_end():
    """add returns unknown pairs i < j, each once; then they are known."""
    known = KnownPairs(60, np.array([7]), symmetric=True)
    asked = np.array([[3, 5], [5, 3], [4, 4], [4, 9], [7, 1], [1, 7]])
    rows, columns = known.add(*asked.T)
    assert list(zip(rows, columns, strict=True)) == [(3, 5), (4, 9)]
    assert known.contains(np.array([5, 9, 2]), np.array([3, 4, 2])).all()
    assert not known.contains(np.array([5]), np.array([9]))[0]


def test_rows_and_columns_that_differ_are_ordered_pairs():
    """Without symmetry (3, 5) is not (5, 3), and (4, 4) is a pair."""
    known = KnownPairs(60, np.array([7]), symmetric=False)
    rows, columns = known.add(np.array([3, 5, 4, 7, 1]), np.array([5, 3, 4, 1, 7]))
    assert list(zip(rows, columns, strict=True)) == [(3, 5), (4, 4), (5, 3), (7, 1)]


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("compare", ["cityblock", BlockMetric(block), sum_of_gaps])
def test_pairs_have_the_values_of_the_measure(compare, n_jobs):
    """Ragged pairs, of any kind of measure, whatever n_jobs is; all are counted."""
    compare_pairs = comparer(compare, n_jobs=n_jobs)
    rows = np.sort(RNG.randint(0, 60, 9000))
    columns = RNG.randint(0, 60, 9000)
    values = compare_pairs(rows, columns)
    np.testing.assert_allclose(values, cdist(X, X, "cityblock")[rows, columns])
    assert compare_pairs.table.n_evaluated == 9000
    assert compare_pairs(rows[:0], columns[:0]).shape == (0,)


def test_a_block_measure_is_called_once_for_an_object():
    """One call of all candidates of an object, and nothing that was not asked for."""
    shapes = []

    def counted(rows, others):
        shapes.append((len(rows), len(others)))
        return cdist(rows, others)

    rows, columns = np.repeat([2, 8, 9], [4, 1, 3]), np.arange(8)
    comparer(BlockMetric(counted), list(X))(rows, columns)
    assert shapes == [(1, 4), (1, 1), (1, 3)]


@pytest.mark.parametrize(("value", "match"), [(np.nan, "finite"), (-1.0, "negative")])
def test_what_must_not_be_names_its_pair(value, match):
    """NaN and negative dissimilarities: ValueError with the pair."""
    compare_pairs = comparer(lambda a, b: value if a[0] == X[4, 0] else 1.0)
    with pytest.raises(ValueError, match=r"\(4, 9\)") as error:
        compare_pairs(np.array([2, 4]), np.array([5, 9]))
    assert match in str(error.value)
