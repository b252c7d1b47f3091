"""Search for neighbours: candidates by vectors, true comparisons, rounds.

The vectors say who might be near; comparisons decide. A first round compares each
object with the nearest in the vectors. Then neighbours of neighbours are candidates,
ranked by the vectors again, until few of them come into the lists. (NN-descent takes
neighbours of neighbours from a random start and unranked.)
"""

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

from ._lists import nearest_in_rows

__all__ = ["Effort", "Search", "nearest_vectors"]

# Pairs of vectors that are subtracted at once.
_PAIRS_AT_ONCE = 2**15
# Rows whose neighbours of neighbours are gathered at once.
_ROWS_AT_ONCE = 2**10


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Attributes
    ----------
    n_candidates : int
        Objects that each is compared with in the first round; half as many at most in
        each later one.
    max_rounds : int
        Rounds of neighbours of neighbours.
    tol : float
        A round that changed a smaller share of the entries of all lists is the last.
    """

    n_candidates: int
    max_rounds: int
    tol: float


def nearest_vectors(queries, vectors, n_nearest):
    """Return the positions of the nearest vectors, shape (n_queries, n_nearest)."""
    finder = NearestNeighbors(algorithm="brute").fit(vectors)
    n_nearest = min(n_nearest, len(vectors))
    return finder.kneighbors(queries, n_nearest, return_distance=False)


@dataclass(frozen=True)
class Search:
    """What a search for the neighbours of some objects among others needs.

    Attributes
    ----------
    queries, vectors : ndarray of shape (n_queries, r) and (n_objects, r)
        One and the same array where objects look for each other.
    compare : callable
        ``compare(rows, columns)`` returns true comparisons of pairs sorted by row.
    known : KnownPairs
    lists : NeighborLists
        Filled in place.
    """

    queries: np.ndarray
    vectors: np.ndarray
    compare: object
    known: object
    lists: object

    @property
    def is_symmetric(self):
        """Whether objects look for each other: a comparison serves both ends."""
        return self.queries is self.vectors

    def run(self, effort, graph=None):
        """Search.

        Parameters
        ----------
        effort : Effort
        graph : csr_array of shape (n_objects, n_objects), default=None
            Who is near whom among the objects. None where it is what is looked for.

        Returns
        -------
        n_rounds : int
        """
        wanted = effort.n_candidates + self.is_symmetric  # itself is no candidate
        nearest = nearest_vectors(self.queries, self.vectors, wanted)
        rows = np.repeat(np.arange(len(nearest)), nearest.shape[1])
        self._try(rows, nearest.ravel())
        least = effort.tol * self.lists.indices.size
        width = max(effort.n_candidates // 2, 1)
        for n_rounds in range(1, effort.max_rounds + 1):
            if self._try(*self._candidates(graph, width)) <= least:
                return n_rounds
        return effort.max_rounds

    def _try(self, rows, columns):
        """Compare what is not known among some pairs; return how many were near."""
        rows, columns = self.known.add(rows, columns)
        distances = self.compare(rows, columns)
        if self.is_symmetric:
            rows, columns = np.r_[rows, columns], np.r_[columns, rows]
            distances = np.r_[distances, distances]
        return self.lists.update(rows, columns, distances)

    def _candidates(self, graph, width):
        """Return pairs of objects with the best of their neighbours' neighbours."""
        length = self.lists.indices.shape[1]
        if graph is None:
            graph = first = self.lists.graph(2 * length)
        else:
            first = self.lists.links(len(self.vectors))
        found = []
        for begin in range(0, len(self.queries), _ROWS_AT_ONCE):
            near = (first[begin : begin + _ROWS_AT_ONCE] @ graph).tocoo()
            rows, columns = near.row.astype(np.intp) + begin, near.col.astype(np.intp)
            unknown = ~self.known.contains(rows, columns)
            rows, columns = rows[unknown], columns[unknown]
            if len(rows):
                gaps = self._squared_gaps(rows, columns)
                best, _ = nearest_in_rows(rows, gaps, columns, width)
                found.append((rows[best], columns[best]))
        if not found:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))

    def _squared_gaps(self, rows, columns):
        """Return the squared distances of pairs of vectors."""
        gaps = np.empty(len(rows))
        for begin in range(0, len(rows), _PAIRS_AT_ONCE):
            run = slice(begin, begin + _PAIRS_AT_ONCE)
            gap = self.queries[rows[run]] - self.vectors[columns[run]]
            gaps[run] = np.einsum("ij,ij->i", gap, gap)
        return gaps
