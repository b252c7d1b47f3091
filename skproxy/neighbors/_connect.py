"""Join the pieces of a graph of neighbours by true comparisons."""

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

__all__ = ["connecting_pairs"]


def connecting_pairs(graph, vectors):
    """Return pairs of objects that join the pieces of a graph into one.

    Each piece is joined to that of the vector nearest to one of its own, round by
    round, as in Boruvka's minimum spanning tree: as many pairs as pieces, less one.

    Parameters
    ----------
    graph : sparse matrix of shape (n, n)
    vectors : ndarray of shape (n, r)

    Returns
    -------
    rows, columns : ndarray of int
        Pairs (i, j), i < j, sorted.
    """
    n_pieces, pieces = connected_components(graph, directed=False)
    rows, columns = [], []
    while n_pieces > 1:
        joined = np.arange(n_pieces)
        for piece in range(n_pieces):
            inside = np.flatnonzero(pieces == piece)
            outside = np.flatnonzero(pieces != piece)
            # The fewer ask the more: the pair is the same.
            few, many = sorted((inside, outside), key=len)
            finder = NearestNeighbors(n_neighbors=1, algorithm="brute")
            gaps, found = finder.fit(vectors[many]).kneighbors(vectors[few])
            first = int(gaps[:, 0].argmin())
            pair = few[first], many[found[first, 0]]
            ends = joined[pieces[list(pair)]]
            if ends[0] != ends[1]:
                joined[joined == ends.max()] = ends.min()
                rows.append(min(pair))
                columns.append(max(pair))
        _, pieces = np.unique(joined[pieces], return_inverse=True)
        n_pieces = len(np.unique(joined))
    order = np.lexsort((columns, rows)) if rows else np.empty(0, dtype=np.intp)
    return np.array(rows, dtype=np.intp)[order], np.array(columns, dtype=np.intp)[order]
