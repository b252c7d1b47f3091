"""connecting_pairs: one piece, by as many pairs as pieces less one."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from skproxy.neighbors._connect import connecting_pairs


def test_pieces_are_joined_by_the_edges_of_a_minimum_spanning_tree():
    """No edges at all: pieces are objects, pairs those of the minimum spanning tree."""
    X = np.random.RandomState(0).normal(size=(60, 3))
    rows, columns = connecting_pairs(sparse.csr_array((60, 60)), X)
    tree = minimum_spanning_tree(cdist(X, X)).tocoo()
    expected = {tuple(sorted(pair)) for pair in zip(tree.row, tree.col, strict=True)}
    assert set(zip(rows, columns, strict=True)) == expected


def test_a_graph_in_one_piece_needs_nothing():
    """No pairs; and with two pieces one."""
    X = np.arange(6.0)[:, None]
    line = sparse.csr_array(np.eye(6, k=1))
    assert len(connecting_pairs(line, X)[0]) == 0
    parted = line.tolil()
    parted[2, 3] = 0
    rows, columns = connecting_pairs(parted.tocsr(), X)
    assert (rows.tolist(), columns.tolist()) == ([2], [3])
    joined = parted.tocsr() + sparse.csr_array(([1.0], (rows, columns)), shape=(6, 6))
    assert connected_components(joined, directed=False)[0] == 1
