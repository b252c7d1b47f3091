"""Lists of the nearest objects found so far, one for each of n objects.

What a search knows is kept in two arrays; comparisons come in as pairs, ragged, and are
merged into the lists they belong to without a loop over objects.
"""

import numpy as np
from scipy import sparse

__all__ = ["NeighborLists", "nearest_in_rows"]


def nearest_in_rows(rows, values, columns, most):
    """Return which entries are among the `most` smallest of their row, in order.

    Parameters
    ----------
    rows, columns : ndarray of shape (e,), dtype=int
    values : ndarray of shape (e,)
        What is small for near pairs; ties are broken by the column.
    most : int

    Returns
    -------
    entries : ndarray of int
        Positions among the e entries, row by row, nearest first.
    ranks : ndarray of int, of the same length
        0 for the nearest of a row.
    """
    order = np.lexsort((columns, values, rows))
    ordered = rows[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[begins, len(ordered)])
    ranks = np.arange(len(ordered)) - np.repeat(begins, lengths)
    kept = ranks < most
    return order[kept], ranks[kept]


class NeighborLists:
    """The nearest objects found so far, for each of n objects.

    Parameters
    ----------
    n_rows, length : int
        Number of lists and how many each can hold.
    among_themselves : bool, default=False
        Whether row i and object i are the same, which is not its own neighbour.

    Attributes
    ----------
    indices : ndarray of shape (n_rows, length)
        Nearest first, ties by position; -1 where nothing was found yet.
    distances : ndarray of shape (n_rows, length)
        Infinite where nothing was found yet.
    """

    def __init__(self, n_rows, length, *, among_themselves=False):
        self._among_themselves = among_themselves
        self.indices = np.full((n_rows, length), -1, dtype=np.intp)
        self.distances = np.full((n_rows, length), np.inf)

    def update(self, rows, columns, distances):
        """Take in pairs that no list holds yet.

        Parameters
        ----------
        rows, columns : ndarray of shape (e,), dtype=int
            Pairs (list, object), each once.
        distances : ndarray of shape (e,)

        Returns
        -------
        n_changed : int
            How many of the pairs came into the lists.
        """
        length = self.indices.shape[1]
        better = distances < self.distances[rows, -1]
        # Ties with the last one are decided by position, like all ties.
        tied = distances == self.distances[rows, -1]
        better |= tied & (columns < self.indices[rows, -1])
        rows, columns, distances = rows[better], columns[better], distances[better]
        if len(rows) == 0:
            return 0
        touched = np.unique(rows)
        all_rows = np.r_[np.repeat(touched, length), rows]
        all_columns = np.r_[self.indices[touched].ravel(), columns]
        all_distances = np.r_[self.distances[touched].ravel(), distances]
        kept, ranks = nearest_in_rows(all_rows, all_distances, all_columns, length)
        self.indices[all_rows[kept], ranks] = all_columns[kept]
        self.distances[all_rows[kept], ranks] = all_distances[kept]
        return int((kept >= len(touched) * length).sum())

    def update_rectangle(self, rows, columns, block):
        """Take in the comparisons of some objects with some others.

        Parameters
        ----------
        rows, columns : ndarray of shape (a,) and (b,), dtype=int
        block : ndarray of shape (a, b)
        """
        if self._among_themselves:
            block = np.where(rows[:, None] == columns, np.inf, block)
        most = min(self.indices.shape[1], block.shape[1])
        # Stable, so that ties go to the first column: columns come in order.
        order = np.argsort(columns, kind="stable")
        nearest = order[np.argsort(block[:, order], axis=1, kind="stable")[:, :most]]
        values = np.take_along_axis(block, nearest, axis=1)
        finite = np.isfinite(values)
        flat_rows = np.repeat(rows, most).reshape(values.shape)[finite]
        self.update(flat_rows, columns[nearest][finite], values[finite])

    def links(self, n_columns, length=None):
        """Return which objects the lists hold, as a sparse matrix of ones.

        Parameters
        ----------
        n_columns : int
            Number of objects.
        length : int, default=None
            How much of each list is taken; None takes all.

        Returns
        -------
        links : csr_array of shape (n_rows, n_columns)
        """
        rows, places = np.nonzero(self.indices[:, :length] >= 0)
        ones = np.ones(len(rows), dtype=np.float32)
        pairs = rows, self.indices[rows, places]
        return sparse.csr_array((ones, pairs), shape=(len(self.indices), n_columns))

    def graph(self, most):
        """Return who is near whom, symmetric, as a sparse matrix of ones.

        Parameters
        ----------
        most : int
            So many are kept of those that hold an object in their list or are in its
            own, nearest first: a hub in everybody's list would join everybody.

        Returns
        -------
        graph : csr_array of shape (n_rows, n_rows)
        """
        n_rows = len(self.indices)
        rows, places = np.nonzero(self.indices >= 0)
        columns = self.indices[rows, places]
        values = self.distances[rows, places]
        keys = np.r_[rows * n_rows + columns, columns * n_rows + rows]
        keys, first = np.unique(keys, return_index=True)
        rows, columns = np.divmod(keys, n_rows)
        kept, _ = nearest_in_rows(rows, np.r_[values, values][first], columns, most)
        ones = np.ones(len(kept), dtype=np.float32)
        return sparse.csr_array(
            (ones, (rows[kept], columns[kept])), shape=(n_rows, n_rows)
        )
