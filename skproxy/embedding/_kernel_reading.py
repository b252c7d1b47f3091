"""What is read of a kernel before exemplars are chosen, in the three ways there are.

1. *Vectors* under the linear kernel: their features; no matrix of similarities.
2. A *matrix* of all similarities, for any other kernel.
3. *Landmarks*: their own similarities and the signed factor of all objects.

Each gives the leading axes, the candidates for exemplars with their similarities, and
coordinates of the objects fitted. All that follows is the same for the three.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._exemplars import (
    SimilarityMatrix,
    VectorSimilarities,
    choose_exemplars,
    smallest_feasible_epsilon,
)
from ._leading_axes import LeadingAxes

__all__ = ["KernelReading", "read_factor", "read_square", "read_vectors"]


@dataclass(frozen=True, eq=False)
class KernelReading:
    """The leading axes of a kernel and the candidates for exemplars.

    Attributes
    ----------
    axes : LeadingAxes
        Its coordinates are those of the candidates.
    similarities : SimilarityMatrix or VectorSimilarities
        Among the candidates.
    eps : float
        Relative rounding of the similarities.
    coordinates : ndarray of shape (n_samples, r) or None
        Of the objects fitted; None where they were not kept.
    whole : bool
        Whether the candidates are all objects fitted.
    """

    axes: LeadingAxes
    similarities: Any
    eps: float
    coordinates: np.ndarray | None
    whole: bool

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
        precision = {} if pivoted else {"eps": self.eps}

        def choose(limit, order=order):
            found = choose_exemplars(
                rows,
                n_wanted,
                order=order,
                epsilon=limit,
                similarities=self.similarities,
                **precision,
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


def read_vectors(X, n_axes, solver):
    """Read vectors under the linear kernel.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        In float64.
    n_axes : int
    solver : Solver

    Returns
    -------
    reading : KernelReading
    """
    axes = LeadingAxes.of_vectors(X, n_axes, solver)
    eps = float(np.finfo(np.float64).eps)
    return KernelReading(axes, VectorSimilarities.of(X), eps, axes.coordinates, True)


def read_square(square, n_axes, solver):
    """Read a kernel matrix.

    Parameters
    ----------
    square : ndarray of shape (n_samples, n_samples)
    n_axes : int
    solver : Solver

    Returns
    -------
    reading : KernelReading
    """
    eps = float(np.finfo(square.dtype).eps)
    square = square.astype(np.float64, copy=False)
    axes = LeadingAxes.of_square(square, n_axes, solver, eps)
    return KernelReading(axes, SimilarityMatrix(square), eps, axes.coordinates, True)


def read_factor(factor, features, square, n_axes):
    """Read a signed factor, with the landmarks as candidates.

    Parameters
    ----------
    factor : SignedFactor
    features : ndarray of shape (n_samples, r') or None
        Whitened rows of the objects fitted.
    square : ndarray of shape (m, m)
        Similarities among the landmarks.
    n_axes : int

    Returns
    -------
    reading : KernelReading
    """
    axes, to_axes = LeadingAxes.of_factor(factor, n_axes)
    eps = float(np.finfo(square.dtype).eps)
    similarities = SimilarityMatrix(square.astype(np.float64, copy=False))
    coordinates = None if features is None else features @ to_axes
    return KernelReading(axes, similarities, eps, coordinates, False)
