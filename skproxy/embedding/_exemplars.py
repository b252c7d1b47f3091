"""Which objects become exemplars: independent ones, and none too similar to another.

Objects are rows whose inner products say what one object holds that others do not. One
exemplar is chosen after the other; each takes its part out of all rows, and what is
left of a row is its *residual*. ``"pivot"`` takes the object with the largest residual,
as a pivoted QR factorisation does, and does not depend on the order of the objects.
``"scan"`` takes the first that has any, as the paper does. ``"spread"`` takes the one
least similar to those chosen: a narrow epsilon allows more of these, because the object
with the largest residual is often alike to all others and leaves few of them.

Similar means normalised: ``k(i, j) / sqrt(|k(i, i) k(j, j)|)``, the cosine where the
kernel is positive semi-definite, with its sign: opposite objects are not alike.

References
----------
A. Elbagoury, R. Ibrahim, M. S. Kamel, F. Karray (2016). EBEK: exemplar-based kernel
preserving embedding. IJCAI 2016, 1441-1447: algorithm 2, whose loop ends at min(m, n)
by a slip; here it ends when all objects were seen.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ..factor._spectrum import FLOAT64_EPS

__all__ = [
    "SimilarityMatrix",
    "VectorSimilarities",
    "choose_exemplars",
    "smallest_feasible_epsilon",
]

#: Precision of the epsilon that is offered where the user's allows too few exemplars.
_EPSILON_STEPS = 10_000


class _Similarities:
    """Similarities among candidates: a diagonal, columns on demand, and blocks."""

    def normalized(self, j):
        """Return the normalised similarities of all objects with object j, (n,).

        Zero for an object without self-similarity, which has none to be measured by.
        """
        sizes = np.sqrt(np.abs(self.diagonal))
        scale = sizes * sizes[j]
        return np.divide(
            self.column(j), scale, out=np.zeros_like(scale), where=scale > 0
        )

    def normalized_among(self, indices):
        """Return the normalised similarities among some objects, shape (e, e)."""
        sizes = np.sqrt(np.abs(self.diagonal[indices]))
        scale = np.outer(sizes, sizes)
        among = self.among(indices)
        return np.divide(among, scale, out=np.zeros_like(scale), where=scale > 0)


@dataclass(frozen=True, eq=False)
class VectorSimilarities(_Similarities):
    """Inner products of vectors, never formed as a whole.

    Attributes
    ----------
    rows : ndarray or sparse matrix of shape (n, d)
        What a scan looks for independent rows in.
    diagonal : ndarray of shape (n,)
    """

    rows: np.ndarray
    diagonal: np.ndarray

    @classmethod
    def of(cls, X):
        """Return the inner products of the rows of X."""
        return cls(X, row_norms(X, squared=True))

    def column(self, j):
        """Return the similarities of all objects with object j, shape (n,)."""
        return self.rows @ _dense_row(self.rows, j)

    def columns(self, indices):
        """Return the similarities of all objects with some, shape (n, e)."""
        return safe_sparse_dot(self.rows, self.rows[indices].T, dense_output=True)

    def among(self, indices):
        """Return the similarities among some objects, shape (e, e)."""
        some = self.rows[indices]
        return safe_sparse_dot(some, some.T, dense_output=True)

    def readings(self, indices):
        """Return what features are multiplied with to give similarities, (e, d)."""
        return self.rows[indices]


@dataclass(frozen=True, eq=False)
class SimilarityMatrix(_Similarities):
    """Similarities of any kernel, as a matrix.

    Attributes
    ----------
    rows : ndarray of shape (n, n)
        The matrix; a scan looks for independent rows (the paper: columns) in it.
    """

    rows: np.ndarray

    @property
    def diagonal(self):
        """Self-similarities, shape (n,)."""
        return np.diagonal(self.rows)

    def column(self, j):
        """Return the similarities of all objects with object j, shape (n,)."""
        return self.rows[:, j]

    def columns(self, indices):
        """Return the similarities of all objects with some, shape (n, e)."""
        return self.rows[:, indices]

    def among(self, indices):
        """Return the similarities among some objects, shape (e, e)."""
        return self.rows[np.ix_(indices, indices)]

    def readings(self, indices):
        """Return the identity: similarities with the objects are read as they are."""
        return np.eye(len(indices))


def choose_exemplars(
    rows, n_wanted, *, order="pivot", epsilon=None, similarities=None, eps=FLOAT64_EPS
):
    """Choose linearly independent objects, none too similar to another.

    Parameters
    ----------
    rows : ndarray or sparse matrix of shape (n, w)
        Independence and residuals are those of these rows.
    n_wanted : int
    order : {"pivot", "scan", "spread"}, default="pivot"
        ``"spread"`` needs `epsilon`.
    epsilon : float, default=None
        Largest normalised similarity of two exemplars; None allows any.
    similarities : SimilarityMatrix or VectorSimilarities, default=None
        Of the n objects; needed with `epsilon` only.
    eps : float, default=2.2e-16
        Relative rounding of the rows.

    Returns
    -------
    indices : ndarray of shape (at most n_wanted,)
        In order of choice. Fewer where the rest depends on them or is too similar.

    Notes
    -----
    O(n w) an exemplar, and one column of similarities with `epsilon`. A row counts as
    independent if more than the rounding of its squared norm is left of it, about 1e-6
    of its length.
    """
    own = row_norms(rows, squared=True)
    residual = own.copy()
    floor = eps * (max(rows.shape) + 64) * own
    closest = np.full(len(own), -np.inf)  # normalised similarity to the nearest chosen
    basis = np.empty((rows.shape[1], min(n_wanted, *rows.shape)))
    chosen = []
    while len(chosen) < basis.shape[1]:
        candidates = residual > floor
        if epsilon is not None:
            candidates &= closest <= epsilon
        if not candidates.any():
            break
        pick = _PICK[order](candidates, residual, closest, similarities)
        left = _dense_row(rows, pick)
        known = basis[:, : len(chosen)]
        for _ in range(2):  # twice is enough for orthogonality to rounding
            left = left - known @ (known.T @ left)
        size = left @ left
        if size <= floor[pick]:  # the running residual was rounding
            residual[pick] = 0.0
            continue
        direction = left / np.sqrt(size)
        basis[:, len(chosen)] = direction
        chosen.append(pick)
        residual -= np.square(rows @ direction)
        residual[pick] = 0.0
        if epsilon is not None:
            np.maximum(closest, similarities.normalized(pick), out=closest)
    return np.array(chosen, dtype=np.intp)


def _pick_largest(candidates, residual, closest, similarities):  # noqa: ARG001
    return int(np.where(candidates, residual, -1.0).argmax())


def _pick_first(candidates, residual, closest, similarities):  # noqa: ARG001
    return int(candidates.argmax())


def _pick_farthest(candidates, residual, closest, similarities):
    if np.isneginf(closest).all():  # the first: far from what is like everything
        largest = _pick_largest(candidates, residual, closest, similarities)
        closest = similarities.normalized(largest)
    return int(np.where(candidates, -closest, -np.inf).argmax())


_PICK = {"pivot": _pick_largest, "scan": _pick_first, "spread": _pick_farthest}


def smallest_feasible_epsilon(choose, n_wanted):
    """Return the smallest epsilon found under which enough exemplars exist.

    Parameters
    ----------
    choose : callable
        ``choose(epsilon)`` returns the exemplars found under it.
    n_wanted : int
        As many as are found without a limit.

    Returns
    -------
    epsilon : float or None
        A multiple of 1e-4 that was tried and allows `n_wanted`; None if 1 does not. The
        true optimum is a maximum independent set, which no one can afford; this is the
        choice's own.
    """
    low, high = -_EPSILON_STEPS, _EPSILON_STEPS
    if len(choose(1.0)) < n_wanted:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if len(choose(middle / _EPSILON_STEPS)) >= n_wanted:
            high = middle
        else:
            low = middle
    return high / _EPSILON_STEPS


def _dense_row(rows, j):
    if sparse.issparse(rows):
        return rows[[j]].toarray().ravel()
    return rows[j]
