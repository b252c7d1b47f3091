"""Search: with perfect vectors nothing is missed; rounds find what they can."""

import numpy as np
from scipy.spatial.distance import cdist

from skproxy.neighbors._lists import NeighborLists
from skproxy.neighbors._pairs import KnownPairs
from skproxy.neighbors._search import Effort, Search, nearest_vectors

RNG = np.random.RandomState(0)
X = RNG.normal(size=(400, 3))
NEW = RNG.normal(size=(50, 3))
D = cdist(X, X)
np.fill_diagonal(D, np.inf)
TRUE = np.argsort(D, axis=1)[:, :5]


def search(vectors, length=10):
    lists = NeighborLists(400, length, among_themselves=True)
    known = KnownPairs(400, np.empty(0, int), symmetric=True)
    return Search(vectors, vectors, lambda i, j: D[i, j], known, lists)


def test_nearest_vectors_are_the_nearest():
    """As all distances say; no more than there are."""
    found = nearest_vectors(NEW, X, 4)
    np.testing.assert_array_equal(found, np.argsort(cdist(NEW, X), axis=1)[:, :4])
    assert nearest_vectors(NEW, X, 1000).shape == (50, 400)


def test_vectors_that_are_right_need_no_round():
    """Candidates by true distances: all found, and the first round is the last."""
    one = search(X, length=5)
    assert one.run(Effort(5, 4, 0.01)) == 1
    np.testing.assert_array_equal(one.lists.indices, TRUE)


def test_rounds_mend_vectors_that_are_wrong():
    """From noisy vectors rounds find what their candidates missed."""
    noisy = X + 0.5 * RNG.normal(size=X.shape)
    shares = []
    for n_rounds in (0, 4):
        one = search(noisy)
        one.run(Effort(15, n_rounds, 0.0))
        shares.append((one.lists.indices[:, :5] == TRUE).mean())
    assert shares[0] < 0.6
    assert shares[1] > 0.75


def test_new_objects_follow_the_graph_of_the_old():
    """With a graph of the old ones new objects find theirs, and no old list changes."""
    old = search(X)
    old.run(Effort(30, 4, 0.0))
    noisy = NEW + 0.5 * RNG.normal(size=NEW.shape)
    between = cdist(NEW, X)
    lists = NeighborLists(50, 10)
    known = KnownPairs(400, np.empty(0, int), symmetric=False)
    new = Search(noisy, X, lambda i, j: between[i, j], known, lists)
    new.run(Effort(15, 6, 0.0), old.lists.graph(20))
    found = lists.indices[:, :5] == np.argsort(between, axis=1)[:, :5]
    assert found.mean() > 0.9
