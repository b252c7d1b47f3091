"""NeighborLists: merged pairs are what sorting all pairs gives."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from skproxy.neighbors._lists import NeighborLists, nearest_in_rows

RNG = np.random.RandomState(0)


def test_the_smallest_of_each_row_come_in_order():
    """nearest_in_rows: values ascend in each row, ties by column, at most so many."""
    rows = RNG.randint(0, 7, 200)
    values, columns = RNG.randint(0, 5, 200).astype(float), np.arange(200)[::-1]
    entries, ranks = nearest_in_rows(rows, values, columns, 6)
    for row in range(7):
        mine = np.flatnonzero(rows == row)
        expected = mine[np.lexsort((columns[mine], values[mine]))][:6]
        np.testing.assert_array_equal(entries[rows[entries] == row], expected)
        np.testing.assert_array_equal(
            ranks[rows[entries] == row], np.arange(len(expected))
        )


@pytest.mark.parametrize("n_batches", [1, 7])
def test_lists_do_not_depend_on_the_order_of_pairs(n_batches):
    """However pairs come in, lists hold the nearest of all, ties by position."""
    D = np.round(cdist(RNG.normal(size=(30, 2)), RNG.normal(size=(40, 2))), 1)
    rows, columns = (axis.ravel() for axis in np.indices(D.shape))
    lists, n_changed = NeighborLists(30, 6), 0
    for batch in np.array_split(RNG.permutation(D.size), n_batches):
        pairs = rows[batch], columns[batch]
        n_changed += lists.update(*pairs, D[pairs])
    expected = np.argsort(D, axis=1, kind="stable")[:, :6]
    np.testing.assert_array_equal(lists.indices, expected)
    np.testing.assert_array_equal(
        lists.distances, np.take_along_axis(D, expected, axis=1)
    )
    assert n_changed >= 180
    assert (n_changed == 180) == (n_batches == 1)


def test_rectangles_are_pairs():
    """update_rectangle of all columns gives the nearest; an object not itself."""
    X = RNG.normal(size=(25, 2))
    D = cdist(X, X)
    lists = NeighborLists(25, 4, among_themselves=True)
    for rows in np.array_split(RNG.permutation(25), 3):
        lists.update_rectangle(rows, np.arange(25), D[rows])
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(lists.indices, np.argsort(D, axis=1)[:, :4])
    other = NeighborLists(25, 25)
    other.update_rectangle(np.arange(25), np.arange(25), cdist(X, X))
    np.testing.assert_array_equal(other.indices[:, 0], np.arange(25))


def test_the_graph_is_of_both_ends_and_spares_hubs():
    """i and j are joined if one is in the other's list; a hub keeps its nearest."""
    lists = NeighborLists(50, 1)
    lists.update(np.arange(1, 50), np.zeros(49, int), np.arange(49.0))
    graph = lists.graph(5).toarray()
    np.testing.assert_array_equal(np.flatnonzero(graph[0]), np.arange(1, 6))
    assert (graph[1:, 0] == 1).all()
    links = lists.links(50).toarray()
    assert links.sum() == 49
    assert (links[1:, 0] == 1).all()
