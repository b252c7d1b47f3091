"""RecordedComparisons: what passes through is passed on, and kept."""

import numpy as np
from scipy.spatial.distance import cdist

from skproxy.comparisons import SquareComparisons
from skproxy.neighbors._lists import NeighborLists
from skproxy.neighbors._pairs import KnownPairs
from skproxy.neighbors._recorded import RecordedComparisons

X = np.random.RandomState(0).normal(size=(40, 2))
D = cdist(X, X)


def recorded(everywhere=()):
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    known = KnownPairs(40, np.array(everywhere, int), symmetric=True)
    lists = NeighborLists(40, 3, among_themselves=True)
    return RecordedComparisons(table, known, lists), table, known, lists


def test_blocks_are_passed_on_and_come_into_lists_from_both_ends():
    """Rows learn of landmarks and landmarks of rows, what a landmark column holds."""
    landmarks = np.array([3, 8])
    record, table, _, lists = recorded(landmarks)
    blocks = [block for _, block in record.blocks(np.arange(40), None, landmarks)]
    np.testing.assert_array_equal(np.concatenate(blocks), D[:, landmarks])
    nearest = [row for row in np.argsort(D[3]) if row not in landmarks][:2]
    assert set(nearest) <= {*lists.indices[3]}
    assert set(lists.indices[5][lists.indices[5] >= 0]) == {3, 8}
    assert record.n_evaluated == table.n_evaluated == 80


def test_squares_are_known_pairs():
    """Objects compared among themselves are known and in each other's lists."""
    record, table, known, lists = recorded()
    chosen = np.array([9, 2, 30])
    np.testing.assert_array_equal(record.square(chosen), D[np.ix_(chosen, chosen)])
    assert known.contains(np.array([2, 30]), np.array([9, 9])).all()
    assert set(lists.indices[9]) == {2, 30, -1}
    record.n_evaluated += 5
    assert table.n_evaluated == 11
