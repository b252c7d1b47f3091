"""Signed axes read from a signed factor: select, weigh, refine, at linear cost.

No landmark triangulation as in the papers, which centres with landmark means and
divides by tiny eigenvalues, but the eigenpairs of the whole approximated matrix; what
that matrix misses enters through the trace, estimated from pairs drawn at random.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..factor import orientation
from ._block_refinement import LandmarkBlock, refine_axes
from ._eigenpair_selection import select_eigenpairs, weigh_eigenpairs
from ._full_axes import FittedAxes, padded
from ._placement import LinearPlacement
from ._stress_refinement import principal_axes

__all__ = ["FactorAxes", "fit_landmark_axes"]


class FactorAxes:
    """Eigenvectors of the approximated matrix ``S^``, in scaled units.

    Parameters
    ----------
    factor : SignedFactor
    features : ndarray of shape (N, r)
        Whitened rows of all objects.

    Attributes
    ----------
    eigenvalues : ndarray of shape (r,)
    landmark_vectors : ndarray of shape (m, r)
        Rows of the landmarks.
    """

    def __init__(self, factor, features):
        self._features = features
        self._axes = factor.axes(len(factor.eigenvalues), None)
        self._lengths = np.sqrt(np.abs(self._axes.eigenvalues))
        self.eigenvalues = self._axes.eigenvalues / factor.landmark_map.scale.squared
        at_landmarks = self._axes.of_features(factor.landmark_map.landmark_features)
        self.landmark_vectors = at_landmarks / self._lengths

    def vectors(self, rows):
        """Return rows of the orthonormal eigenvectors, shape (len(rows), r)."""
        return self._axes.of_features(self._features[rows]) / self._lengths

    def all_vectors(self):
        """Return all rows, in the place of the features, which are gone then."""
        self._vectors = self._axes.of_kept(self._features)
        self._vectors /= self._lengths
        self._features = None
        return self._vectors

    def coordinates(self, mixing):
        """Return ``E mixing`` of all objects, shape (N, k)."""
        if self._features is None:
            return self._vectors @ mixing
        directions = self._axes.directions @ (mixing / self._lengths[:, None])
        return self._features @ directions - self._axes.offset @ directions

    def placement(self, mixing):
        """Return the linear map from comparisons to ``E mixing``."""
        to_columns = self._axes.weights @ (mixing / self._lengths[:, None])
        return LinearPlacement(self._axes.mean, to_columns)


@dataclass(frozen=True, eq=False)
class _ChosenAxes:
    """Axes as mixtures of the eigenvectors.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Of the pairs kept.
    weights : ndarray of shape (l,)
        Signed squared lengths of the axes.
    mixing : ndarray of shape (r, l)
    n_iter : int
    converged : bool
    """

    eigenvalues: np.ndarray
    weights: np.ndarray
    mixing: np.ndarray
    n_iter: int = 1
    converged: bool = True


def fit_landmark_axes(
    axes, pairs, n_components, method, refinement, powered_columns=None
):
    """Fit signed axes to comparisons with landmarks.

    Parameters
    ----------
    axes : FactorAxes
    pairs : SampledPairs
    n_components : int
    method : {"cmds", "lower", "neuc", "neuc+", "stress"}
    refinement : Refinement
    powered_columns : ndarray of shape (N, m), default=None
        Powered, scaled comparisons with the landmarks, for ``method="stress"``.

    Returns
    -------
    fitted : FittedAxes
        STRESS is an estimate from the pairs; the lower bound knows the eigenvalues of
        the factor and the estimated trace.
    """
    a = axes.eigenvalues
    trace = pairs.trace(a)
    if method == "stress":
        block = LandmarkBlock(
            powered_columns, axes.all_vectors(), axes.landmark_vectors
        )
        chosen = _refine(block, pairs, a, trace, n_components, refinement)
    else:
        chosen = _select(pairs, a, trace, n_components, method)
    order = np.argsort(-np.abs(chosen.weights), kind="stable")
    weights, mixing = chosen.weights[order], chosen.mixing[:, order]
    mixing = mixing * orientation(axes.landmark_vectors @ mixing)
    return FittedAxes(
        eigenvalues=padded(chosen.eigenvalues, n_components),
        weights=padded(weights, n_components),
        coordinates=padded(axes.coordinates(mixing), n_components),
        placement=axes.placement(padded(mixing, n_components)),
        stress=pairs.stress(mixing, np.sign(weights)),
        lower_bound=_lower_bound(a, mixing, weights, trace),
        trace=trace,
        moduli=float(np.abs(a).sum()) + abs(trace - float(a.sum())),
        n_iter=chosen.n_iter,
        converged=chosen.converged,
    )


def _select(pairs, eigenvalues, trace, n_components, method):
    """Keep eigenvectors at the lengths that a method gives them."""
    kept = select_eigenpairs(eigenvalues, n_components, trace, method)
    if method.startswith("neuc"):
        kept = _no_more_than_help(pairs, eigenvalues, trace, kept, method)
    weights = weigh_eigenpairs(eigenvalues[kept], trace, method)
    order = np.argsort(-np.abs(weights), kind="stable")
    mixing = _selecting(len(eigenvalues), kept, weights)
    return _ChosenAxes(eigenvalues[kept][order], weights, mixing)


def _no_more_than_help(pairs, eigenvalues, trace, kept, method):
    """Return the first of the pairs kept, without those that raise STRESS.

    The small eigenvalues of ``S^`` are those of an approximation, so that beyond some
    number further axes are further from the objects. A few numbers are tried on the
    sampled pairs, the same ones whatever number was asked for.
    """
    fewer = np.unique(np.round(1.15 ** np.arange(60)).astype(int))
    best, lowest = kept, np.inf
    for count in [*fewer[fewer < len(kept)], len(kept)]:
        first = kept[:count]
        weights = weigh_eigenpairs(eigenvalues[first], trace, method)
        mixing = _selecting(len(eigenvalues), first, weights)
        found = pairs.stress(mixing, np.sign(weights))
        if found < lowest:
            best, lowest = first, found
    return best


def _refine(block, pairs, eigenvalues, trace, n_components, refinement):
    """Fit the axes themselves, from the best start."""
    start = _best_start(block, pairs, eigenvalues, trace, n_components)
    mixing, signs = start.mixing, np.sign(start.weights)
    if not len(signs) or pairs.stress(mixing, signs) == 0:
        return start
    descent = refine_axes(block, pairs, mixing, signs, refinement)
    turn, weights = principal_axes(descent.point, signs)
    return replace(
        start,
        weights=weights,
        mixing=turn * np.sqrt(np.abs(weights)),
        n_iter=max(descent.n_iter, 1),
        converged=descent.converged,
    )


def _selecting(n_vectors, kept, weights):
    """Return the mixing that takes some eigenvectors at given lengths."""
    mixing = np.zeros((n_vectors, len(kept)))
    mixing[kept, np.arange(len(kept))] = np.sqrt(np.abs(weights))
    return mixing


def _best_start(block, pairs, eigenvalues, trace, n_components):
    """Return the selection and weights with the lowest STRESS on the sampled pairs."""
    found, lowest = None, np.inf
    for method in ("neuc+", "neuc"):
        kept = select_eigenpairs(eigenvalues, n_components, trace, method)
        own = weigh_eigenpairs(eigenvalues[kept], trace, method)
        for weights in (own, block.exact_weights(kept)):
            used = weights != 0
            mixing = _selecting(len(eigenvalues), kept[used], weights[used])
            stress = pairs.stress(mixing, np.sign(weights[used]))
            if stress < lowest or found is None:
                order = np.argsort(-np.abs(eigenvalues[kept]), kind="stable")
                kept_values = eigenvalues[kept][order]
                found = _ChosenAxes(kept_values, weights[used], mixing)
                lowest = stress
    return found


def _lower_bound(eigenvalues, mixing, weights, trace):
    """Return ``4 |S^ - Z A Z'|^2 + 4 (trace - tr Z A Z')^2``, in O(r k)."""
    lengths = np.square(mixing).sum(axis=0)
    shares = np.square(mixing) / np.where(lengths == 0, 1.0, lengths)
    distance = float(eigenvalues @ eigenvalues) + float(weights @ weights)
    distance -= 2.0 * float((eigenvalues @ shares) @ weights)
    return 4.0 * max(distance, 0.0) + 4.0 * (trace - float(weights.sum())) ** 2
