"""estimate_recall: exact where everything is sampled, covered where not."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from skproxy.neighbors._lists import NeighborLists
from skproxy.neighbors._pairs import KnownPairs
from skproxy.neighbors._recall import estimate_recall


def incomplete(n, share=0.4, digits=8):
    """Return distances, lists that miss pairs, and the pairs that were compared."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(n, 4))
    D = np.round(cdist(X, X), digits)
    np.fill_diagonal(D, np.inf)
    reliability = 1 - share * rng.rand(n)
    rows, columns = np.triu_indices(n, 1)
    compared = rng.rand(len(rows)) < reliability[rows] * reliability[columns]
    known = KnownPairs(n, np.empty(0, int), symmetric=True)
    rows, columns = known.add(rows[compared], columns[compared])
    lists = NeighborLists(n, 8)
    distances = np.tile(D[rows, columns], 2)
    lists.update(np.r_[rows, columns], np.r_[columns, rows], distances)
    return D, lists, known


def estimate(D, lists, known, seed=0):
    rng = np.random.RandomState(seed)
    return estimate_recall(lists, 5, known, lambda i, j: D[i, j], rng)


def share_within(D, lists):
    """Return the share of five neighbours that are no farther than the true last."""
    return (lists.distances[:, :5] <= np.sort(D, axis=1)[:, 4:5]).mean()


@pytest.mark.parametrize("digits", [8, 0])
def test_the_estimate_is_the_share_when_all_objects_are_sampled(digits):
    """n <= 100: value is the share within the true last distance, ties found."""
    D, lists, known = incomplete(90, digits=digits)
    value, low, high = estimate(D, lists, known)
    np.testing.assert_allclose(value, share_within(D, lists))
    assert low < value <= high
    assert value < 1


def test_only_what_is_unknown_is_compared():
    """Each pair of a sampled object that was not compared, once."""
    D, lists, known = incomplete(90)
    pairs = []

    def compare(rows, columns):
        pairs.extend(zip(rows, columns, strict=True))
        return D[rows, columns]

    estimate_recall(lists, 5, known, compare, np.random.RandomState(0))
    rows, columns = np.triu_indices(90, 1)
    unknown = ~known.contains(rows, columns)
    assert sorted(pairs) == list(zip(rows[unknown], columns[unknown], strict=True))


def test_nothing_missed_leaves_a_one_sided_interval():
    """All found: 1, and a lower limit below it."""
    value, low, high = estimate(*incomplete(300, share=0.0))
    assert value == high == 1.0
    assert 0.98 < low < 1.0


def test_intervals_cover():
    """40 draws of objects: the 90 % interval covers the truth in 33 at least."""
    D, lists, known = incomplete(500)
    truth, covered = share_within(D, lists), 0
    for seed in range(40):
        _, low, high = estimate(D, lists, known, seed)
        covered += low <= truth <= high
    assert truth < 0.9
    assert covered >= 33
