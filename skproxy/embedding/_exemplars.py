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

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ..factor._spectrum import FLOAT64_EPS
from ._leading_axes import LeadingAxes

__all__ = [
    "Candidates",
    "Similarities",
    "choose_exemplars",
    "smallest_feasible_epsilon",
]

#: Precision of the epsilon that is offered where the user's allows too few exemplars.
_EPSILON_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class Similarities:
    """Similarities among candidates: a diagonal, columns on demand, and blocks.

    Attributes
    ----------
    rows : ndarray or sparse matrix of shape (n, d) or (n, n)
        What a scan looks for independent rows in: vectors, or the matrix of
        similarities (the paper: its columns).
    of_vectors : bool
        Whether similarities are inner products of rows, never formed as a whole.
    """

    rows: np.ndarray
    of_vectors: bool = False

    @cached_property
    def diagonal(self):
        """Self-similarities, shape (n,)."""
        if self.of_vectors:
            return row_norms(self.rows, squared=True)
        return np.diagonal(self.rows)

    def columns(self, indices):
        """Return the similarities of all objects with some, shape (n, e)."""
        if self.of_vectors:
            return safe_sparse_dot(self.rows, self.rows[indices].T, dense_output=True)
        return self.rows[:, indices]

    def among(self, indices):
        """Return the similarities among some objects, shape (e, e)."""
        some = Similarities(self.rows[indices], self.of_vectors)
        return some.columns(slice(None) if self.of_vectors else indices)

    def readings(self, indices):
        """Return what objects are multiplied with to give similarities, (e, w).

        The vectors, or the identity: similarities are read as they are.
        """
        return self.rows[indices] if self.of_vectors else np.eye(len(indices))

    def normalized(self, j):
        """Return the normalised similarities of all objects with object j, (n,).

        Zero for an object without self-similarity, which has none to be measured by.
        """
        column = self.columns([j])[:, 0]
        return _normalized(column, self.diagonal, self.diagonal[j])

    def normalized_among(self, indices):
        """Return the normalised similarities among some objects, shape (e, e)."""
        own = self.diagonal[indices]
        return _normalized(self.among(indices), own[:, None], own)


def _normalized(block, own_rows, own_columns):
    scale = np.sqrt(np.abs(own_rows)) * np.sqrt(np.abs(own_columns))
    return np.divide(block, scale, out=np.zeros_like(scale), where=scale > 0)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Objects that may become exemplars, and the leading axes of their kernel.

    There are three kinds: vectors under the linear kernel, of which no matrix of
    similarities is formed; the n objects of a kernel matrix; and landmarks.

    Attributes
    ----------
    axes : LeadingAxes
        Its coordinates are those of the candidates.
    similarities : Similarities
        Among the candidates.
    coordinates : ndarray of shape (n_samples, r) or None
        Of the objects fitted; None where they were not kept.
    whole : bool
        Whether the candidates are all objects fitted.
    eps : float
        Relative rounding of the similarities.
    """

    axes: LeadingAxes
    similarities: Similarities
    coordinates: np.ndarray | None
    whole: bool = True
    eps: float = FLOAT64_EPS

    @classmethod
    def of_vectors(cls, X, n_axes, solver, rng):
        """Take vectors X, dense or sparse, of shape (n_samples, n_features)."""
        axes = LeadingAxes.of_vectors(X, n_axes, solver, rng)
        return cls(axes, Similarities(X, of_vectors=True), axes.coordinates)

    @classmethod
    def of_square(cls, square, n_axes, solver, rng):
        """Take the objects of a kernel matrix of shape (n_samples, n_samples)."""
        eps = float(np.finfo(square.dtype).eps)
        square = square.astype(np.float64, copy=False)
        axes = LeadingAxes.of_square(square, n_axes, solver, rng, eps)
        return cls(axes, Similarities(square), axes.coordinates, eps=eps)

    @classmethod
    def of_factor(cls, factor, features, square, n_axes):
        """Take the landmarks of a signed factor.

        Parameters
        ----------
        factor : SignedFactor
        features : ndarray of shape (n_samples, r') or None
            Whitened rows of the objects fitted.
        square : ndarray of shape (m, m)
            Similarities among the landmarks.
        n_axes : int
        """
        axes, to_axes = LeadingAxes.of_factor(factor, n_axes)
        return cls(
            axes,
            Similarities(square.astype(np.float64, copy=False)),
            None if features is None else features @ to_axes,
            whole=False,
            eps=float(np.finfo(square.dtype).eps),
        )

    def choose(self, owner, n_wanted, order, epsilon):
        """Choose exemplars among the candidates.

        Parameters
        ----------
        owner : str
            Class name, for messages.
        n_wanted : int
        order : {"pivot", "scan"}
        epsilon : float or None

        Returns
        -------
        chosen : ndarray of shape (e,)
            Positions among the candidates; fewer than `n_wanted` only if no more of
            them are independent.
        """
        # Pivoting on the leading axes instead of on whole rows rebuilds the objects
        # better (digits: relative error .63 for .68, of .55 at best), since what only
        # one odd object holds does not count. It serves indefinite kernels too.
        pivoted = order == "pivot"
        rows = self.axes.coordinates if pivoted else self.similarities.rows
        eps = FLOAT64_EPS if pivoted else self.eps

        def choose(limit, order=order):
            found = choose_exemplars(
                rows, n_wanted, order, limit, self.similarities, eps
            )
            if order != "pivot" or limit is None or len(found) == n_wanted:
                return found
            return max(found, choose(limit, order="spread"), key=len)

        if epsilon is None:
            return choose(None)
        self._check_self_similarities(owner)
        chosen = choose(epsilon)
        if len(chosen) == n_wanted:
            return chosen
        possible = len(choose(None))
        if len(chosen) < possible:
            raise ValueError(
                self._too_few(owner, n_wanted, epsilon, len(chosen), possible, choose)
            )
        return chosen

    def _check_self_similarities(self, owner):
        without = self.similarities.diagonal == 0
        without &= np.any(self.axes.coordinates != 0, axis=1)
        if without.any():
            msg = (
                f"epsilon of {owner} needs objects that are similar to themselves, "
                "since similarities are divided by k(i, i); got k(i, i) = 0 for "
                f"{int(without.sum())} objects, the first at position "
                f"{int(without.argmax())}. Pass epsilon=None for this kernel."
            )
            raise ValueError(msg)

    def _too_few(self, owner, n_wanted, epsilon, found, possible, choose):
        enough = smallest_feasible_epsilon(choose, possible)
        msg = (
            f"epsilon of {owner} must leave n_components={n_wanted} exemplars that are "
            f"pairwise no more similar than it; got epsilon={epsilon:g}, under which "
            f"{found} were found"
        )
        if possible < n_wanted:
            msg += f" ({possible} are linearly independent without a limit)"
        advice = (
            f"epsilon={enough:g}, the smallest under which {possible} were found"
            if enough is not None
            else "epsilon=None"
        )
        if not self.whole:
            advice += ", a larger n_landmarks, from which exemplars are chosen"
        return f"{msg}. Pass {advice}, or n_components={found}."


def choose_exemplars(
    rows, n_wanted, order="pivot", epsilon=None, similarities=None, eps=FLOAT64_EPS
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
    similarities : Similarities, default=None
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
        preference = _preference(order, residual, closest, similarities)
        pick = int(np.where(candidates, preference, -np.inf).argmax())
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


def _preference(order, residual, closest, similarities):
    """Return a value for each candidate; the first of the largest is chosen."""
    if order == "pivot":
        return residual
    if order == "scan":
        return np.zeros(len(residual))
    if np.isneginf(closest).all():  # the first: far from what is like everything
        closest = similarities.normalized(int(residual.argmax()))
    return -closest


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
    if len(choose(1.0)) < n_wanted:
        return None
    steps = range(1 - _EPSILON_STEPS, _EPSILON_STEPS)
    at = bisect_left(
        steps, True, key=lambda step: len(choose(step / _EPSILON_STEPS)) >= n_wanted
    )
    return (steps.start + at) / _EPSILON_STEPS


def _dense_row(rows, j):
    if sparse.issparse(rows):
        return rows[[j]].toarray().ravel()
    return rows[j]
