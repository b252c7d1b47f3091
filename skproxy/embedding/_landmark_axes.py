"""Signed axes read from a signed factor: select, weigh, refine, at linear cost.

No landmark triangulation as in the papers, which centres with landmark means and
divides by tiny eigenvalues, but the eigenpairs of the whole approximated matrix; what
that matrix misses enters through the trace, estimated from pairs drawn at random.
"""

import numpy as np

from ..factor import orientation
from ._block_refinement import LandmarkBlock, refine_axes
from ._eigenpair_selection import select_eigenpairs, weigh_eigenpairs
from ._full_axes import FittedAxes, padded
from ._placement import LinearPlacement
from ._sampled_pairs import sample_pairs
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
        vectors = self._axes.of_kept(self._features)
        vectors /= self._lengths
        self._features = None
        return vectors

    def coordinates(self, mixing):
        """Return ``E mixing`` of all objects, shape (N, k)."""
        directions = self._axes.directions @ (mixing / self._lengths[:, None])
        return self._features @ directions - self._axes.offset @ directions

    def placement(self, mixing):
        """Return the linear map from comparisons to ``E mixing``."""
        to_columns = self._axes.weights @ (mixing / self._lengths[:, None])
        return LinearPlacement(self._axes.mean, to_columns)


def fit_landmark_axes(
    factor,
    features,
    pairs_table,
    landmarks,
    rng,
    *,
    n_components,
    method,
    refinement,
    kept_rows=None,
):
    """Fit signed axes to comparisons with landmarks.

    Parameters
    ----------
    factor : SignedFactor
    features : ndarray of shape (N, r)
        Whitened rows of all objects; overwritten.
    pairs_table : comparisons of N objects
        Where pairs are compared.
    landmarks : Landmarks
    rng : RandomState
        Draws the pairs.
    n_components : int
    method : {"cmds", "lower", "neuc", "neuc+", "stress"}
    refinement : Refinement
    kept_rows : ndarray of shape (N, m), default=None
        Comparisons with the landmarks, for ``method="stress"``.

    Returns
    -------
    fitted : FittedAxes
        STRESS is an estimate from the pairs; the lower bound knows the eigenvalues of
        the factor and the estimated trace.
    """
    axes = FactorAxes(factor, features)
    a = axes.eigenvalues
    scale = factor.landmark_map.scale
    pairs = sample_pairs(
        pairs_table,
        landmarks,
        scale,
        axes.vectors,
        axes.landmark_vectors,
        rng,
    )
    trace = pairs.trace(a)
    n_iter, converged = 1, True
    if method == "stress":
        block = LandmarkBlock(
            scale.apply(kept_rows), axes.all_vectors(), axes.landmark_vectors
        )
        kept, start, signs, stress = _best_start(block, pairs, a, trace, n_components)
        mixing, weights = start, np.square(start).sum(axis=0) * signs
        if stress > 0 and len(kept):
            descent = refine_axes(
                block,
                pairs,
                start,
                signs,
                max_iter=refinement.max_iter,
                tol=refinement.tol,
                report=refinement.report,
            )
            n_iter, converged = max(descent.n_iter, 1), descent.converged
            turn, weights = principal_axes(descent.point, signs)
            mixing = turn * np.sqrt(np.abs(weights))
    else:
        kept = select_eigenpairs(a, n_components, trace, method)
        weights = weigh_eigenpairs(a[kept], trace, method)
        mixing = _selecting(len(a), kept, weights)
    order = np.argsort(-np.abs(weights), kind="stable")
    weights, mixing = weights[order], mixing[:, order]
    mixing = mixing * orientation(axes.landmark_vectors @ mixing)
    if method == "stress":
        eigenvalues = a[kept][np.argsort(-np.abs(a[kept]), kind="stable")]
        coordinates = block.vectors @ mixing
    else:
        eigenvalues = a[kept][order]
        coordinates = axes.coordinates(mixing)
    return FittedAxes(
        eigenvalues=padded(eigenvalues, n_components),
        weights=padded(weights, n_components),
        coordinates=padded(coordinates, n_components),
        placement=axes.placement(padded(mixing, n_components)),
        stress=pairs.stress(mixing, np.sign(weights)),
        lower_bound=_lower_bound(a, mixing, weights, trace),
        n_iter=n_iter,
        converged=converged,
    )


def _selecting(n_vectors, kept, weights):
    """Return the mixing that takes some eigenvectors at given lengths."""
    mixing = np.zeros((n_vectors, len(kept)))
    mixing[kept, np.arange(len(kept))] = np.sqrt(np.abs(weights))
    return mixing


def _best_start(block, pairs, eigenvalues, trace, n_components):
    """Return the selection and weights with the lowest STRESS on the sampled pairs."""
    found = None
    for method in ("neuc+", "neuc"):
        kept = select_eigenpairs(eigenvalues, n_components, trace, method)
        fitted = block.exact_weights(kept)
        for weights in (weigh_eigenpairs(eigenvalues[kept], trace, method), fitted):
            used = weights != 0
            mixing = _selecting(len(eigenvalues), kept[used], weights[used])
            signs = np.sign(weights[used])
            stress = pairs.stress(mixing, signs)
            if found is None or stress < found[3]:
                found = kept, mixing, signs, stress
    return found


def _lower_bound(eigenvalues, mixing, weights, trace):
    """Return ``4 |S^ - Z A Z'|^2 + 4 (trace - tr Z A Z')^2``, in O(r k)."""
    lengths = np.square(mixing).sum(axis=0)
    shares = np.square(mixing) / np.where(lengths == 0, 1.0, lengths)
    distance = float(eigenvalues @ eigenvalues) + float(weights @ weights)
    distance -= 2.0 * float((eigenvalues @ shares) @ weights)
    return 4.0 * max(distance, 0.0) + 4.0 * (trace - float(weights.sum())) ** 2
