"""Signed axes of a full similarity matrix: select, weigh, refine."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..factor import orientation
from ._eigenpair_selection import select_eigenpairs, weigh_eigenpairs
from ._partial_spectrum import extreme_eigenpairs
from ._placement import LeastSquaresPlacement, LinearPlacement
from ._stress_refinement import (
    AxisStress,
    exact_weights,
    principal_axes,
    refine_coordinates,
)

__all__ = ["FittedAxes", "fit_full_axes", "padded", "warn_unconverged"]


@dataclass(frozen=True, eq=False)
class FittedAxes:
    """What was fitted, in scaled units.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Of the pairs kept, zero past the rank.
    weights : ndarray of shape (k,)
        Signed squared lengths of the columns; largest modulus first.
    coordinates : ndarray of shape (n, k)
    placement : LinearPlacement or LeastSquaresPlacement
    stress, lower_bound : float
    trace : float
        Sum of all eigenvalues, kept or not.
    moduli : float
        Sum of their moduli; NaN if unknown.
    n_iter : int
    converged : bool
    """

    eigenvalues: np.ndarray
    weights: np.ndarray
    coordinates: np.ndarray
    placement: LinearPlacement | LeastSquaresPlacement
    stress: float
    lower_bound: float
    trace: float = np.nan
    moduli: float = np.nan
    n_iter: int = 1
    converged: bool = True

    def in_units(self, powered):
        """Return the same in the units of the metric.

        Parameters
        ----------
        powered : float
            The unit of powered dissimilarities. The unit of STRESS is its square, which
            may leave the range of floats: infinite, then.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            squared = np.float64(powered) * np.float64(powered)
            stress, lower_bound = (
                float(value * squared) if value else 0.0
                for value in (self.stress, self.lower_bound)
            )
        return replace(
            self,
            eigenvalues=self.eigenvalues * powered,
            weights=self.weights * powered,
            trace=self.trace * powered,
            moduli=self.moduli * powered,
            coordinates=self.coordinates * np.sqrt(powered),
            stress=stress,
            lower_bound=lower_bound,
        )


def warn_unconverged(owner, max_iter, tol):
    """Warn that the steps ended before the descent did."""
    warnings.warn(
        f"{owner} did not converge: after max_iter={max_iter} steps STRESS still falls "
        f"by more than tol={tol:g} of itself a step. Raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=4,
    )


def fit_full_axes(similarity, n_components, method, refinement):
    """Fit signed axes to all comparisons.

    Parameters
    ----------
    similarity : FullSimilarity
    n_components : int
        Columns; those past the rank are zero.
    method : {"cmds", "lower", "neuc", "neuc+", "stress"}
    refinement : Refinement

    Returns
    -------
    fitted : FittedAxes
    """
    n_each = min(n_components, len(similarity.matrix))
    eigenvalues, vectors, moduli = extreme_eigenpairs(similarity.matrix, n_each)
    known = AxisStress(similarity.squared_norm, similarity.self_similarities)
    trace = float(known.self_similarities.sum())
    if method == "stress":
        fitted = _refined(
            similarity, known, eigenvalues, vectors, n_components, refinement
        )
        return replace(fitted, trace=trace, moduli=moduli)
    kept = select_eigenpairs(eigenvalues, n_components, trace, method)
    weights = weigh_eigenpairs(eigenvalues[kept], trace, method)
    order = np.argsort(-np.abs(weights), kind="stable")
    kept, weights = kept[order], weights[order]
    eigenvalues, vectors = eigenvalues[kept], vectors[:, kept].astype(np.float64)
    stress, bound = known.parts(eigenvalues, np.square(vectors), weights)
    vectors *= orientation(vectors) * np.sqrt(np.abs(weights))
    to_columns = -0.5 * vectors / eigenvalues
    return FittedAxes(
        eigenvalues=padded(eigenvalues, n_components),
        weights=padded(weights, n_components),
        coordinates=padded(vectors, n_components),
        placement=LinearPlacement(similarity.means, padded(to_columns, n_components)),
        stress=stress,
        lower_bound=bound,
        trace=trace,
        moduli=moduli,
    )


def padded(array, n_columns):
    """Return the array with zeros for the missing columns of its last dimension."""
    missing = n_columns - array.shape[-1]
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)])


def _refined(similarity, known, eigenvalues, vectors, n_components, refinement):
    """Fit all coordinates, from the better selection weighed exactly."""
    kept, weights, stress, bound = _best_exact_weights(
        known, eigenvalues, vectors, n_components
    )
    eigenvalues, vectors = eigenvalues[kept], vectors[:, kept].astype(np.float64)
    n_iter, converged = 1, True
    eps = len(vectors) * float(np.finfo(similarity.matrix.dtype).eps)
    # Below, STRESS is a difference of numbers that agree in all their digits.
    if stress > eps * known.total:
        used = weights != 0
        start = vectors[:, used] * np.sqrt(np.abs(weights[used]))
        signs = np.sign(weights[used])
        descent = refine_coordinates(similarity, known, start, signs, refinement)
        n_iter, converged = max(descent.n_iter, 1), descent.converged
        if descent.value < stress:
            centred = descent.point - descent.point.mean(axis=0)
            vectors, weights = principal_axes(centred, signs)
            stress = descent.value
            bound = known.bound_of(stress, np.square(vectors) @ weights)
    order = np.argsort(-np.abs(weights), kind="stable")
    weights, vectors = weights[order], vectors[:, order]
    coordinates = vectors * (orientation(vectors) * np.sqrt(np.abs(weights)))
    coordinates = padded(coordinates, n_components)
    weights = padded(weights, n_components)
    largest_first = np.argsort(-np.abs(eigenvalues), kind="stable")
    return FittedAxes(
        eigenvalues=padded(eigenvalues[largest_first], n_components),
        weights=weights,
        coordinates=coordinates,
        placement=LeastSquaresPlacement(coordinates, weights),
        stress=stress,
        lower_bound=bound,
        n_iter=n_iter,
        converged=converged,
    )


def _best_exact_weights(known, eigenvalues, vectors, n_components):
    """Weigh both selections exactly and return the better one.

    Both grow by one pair with each further column, so that STRESS of either, and hence
    of the better one, never increases with the number of columns.
    """
    trace = float(known.self_similarities.sum())
    found = None
    for method in ("neuc+", "neuc"):
        kept = select_eigenpairs(eigenvalues, n_components, trace, method)
        squares = np.square(vectors[:, kept].astype(np.float64))
        weights = exact_weights(eigenvalues[kept], squares, known.self_similarities)
        stress, bound = known.parts(eigenvalues[kept], squares, weights)
        if found is None or stress < found[2]:
            found = kept, weights, stress, bound
    return found
