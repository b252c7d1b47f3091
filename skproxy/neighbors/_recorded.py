"""A table that remembers what it was asked: nothing paid for is thrown away."""

import numpy as np

__all__ = ["RecordedComparisons"]


class RecordedComparisons:
    """Comparisons of n objects, remembered as neighbours while a map is fitted.

    Passes everything on to the table of comparisons.

    Parameters
    ----------
    table : comparisons of n objects
    known : KnownPairs
        Knows of the landmarks already; other pairs compared are added.
    lists : NeighborLists
        Takes in what is compared.
    """

    def __init__(self, table, known, lists):
        self._table, self._known, self._lists = table, known, lists

    def __getattr__(self, name):
        return getattr(self._table, name)

    @property
    def n_evaluated(self):
        """Number of comparisons made."""
        return self._table.n_evaluated

    @n_evaluated.setter
    def n_evaluated(self, value):
        self._table.n_evaluated = value

    def blocks(self, rows, others, columns=None):
        """Yield the table's blocks of comparisons with the landmarks."""
        everything = np.arange(self.n_objects)
        for run, block in self._table.blocks(rows, others, columns):
            if columns is not None:
                self._take_in(everything[run], np.asarray(columns), block)
            yield run, block

    def square(self, indices):
        """Return the comparisons of some objects among themselves."""
        square = self._table.square(indices)
        indices = np.asarray(indices, dtype=np.intp)
        rows, columns = np.triu_indices(len(indices), 1)
        self._known.add(indices[rows], indices[columns])
        self._lists.update_rectangle(indices, indices, square)
        return square

    def _take_in(self, rows, columns, block):
        self._lists.update_rectangle(rows, columns, block)
        # A landmark's own neighbours; landmarks among themselves came as a square.
        others = ~np.isin(rows, columns)
        self._lists.update_rectangle(columns, rows[others], block[others].T)
