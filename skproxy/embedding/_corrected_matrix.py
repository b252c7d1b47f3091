"""Corrected matrices: what `EigenCorrector` learns, exact or from landmarks.

======  =====================================================================  =======
symbol  meaning                                                                shape
======  =====================================================================  =======
S       similarities, or ``-1/2 J D J`` of powered dissimilarities, scaled     (n, n)
a, U    eigenvalues, largest modulus first, and eigenvectors of S              (r,)
a*      corrected eigenvalues                                                  (r,)
t       row of similarities of a new object, centred as S is                   (n,)
c       its components ``t U``; those of a training object are ``a U_i``       (r,)
======  =====================================================================  =======

A full matrix and a signed factor differ in nothing but the linear map that takes an
object's comparisons to its components. The row t becomes ``c diag(a* / a) U'``, its
features are ``c a*^(1/2) / a``: a copy of a training object gets what that object got
(the formula of Gisbrecht & Schleif 2015 does so for "flip" only).

Adding nu to the diagonal changes nothing between different objects, so that t stays,
and ``F U (a + nu)^(1/2)' = t`` for features F makes these ``c / (a + nu)^(1/2)``. With
``(a + nu)^(1/2) c / a`` instead an axis of small modulus would be enlarged without
bound. nu is added on all n axes of a full matrix, zero eigenvalues included; a factor
knows of its own r axes only.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from ..comparisons import Scale
from ..factor import (
    SignedFactor,
    correct_eigenvalues,
    double_center,
    negligible,
    orientation,
)
from ._additive_constants import AddedConstant, lingoes_constant

__all__ = ["CorrectedMatrix"]


def eigenpairs(similarity, *, complete=False):
    """Return the eigenpairs, largest modulus first, largest entry positive.

    Parameters
    ----------
    similarity : ndarray of shape (n, n)
    complete : bool, default=False
        Keep the axes whose eigenvalue is rounding; it is set to zero.
    """
    a, U = linalg.eigh(similarity)
    order = np.argsort(-np.abs(a), kind="stable")
    a = np.where(negligible(a, len(a)), 0.0, a)[order]
    if not complete:
        order, a = order[a != 0], a[a != 0]
    U = U[:, order]
    return a, U * orientation(U)


def powered_dissimilarities(self_rows, self_columns, similarity):
    """Return ``s_ii + s_jj - 2 s_ij`` for a block of similarities."""
    return self_rows[:, None] + self_columns - 2.0 * similarity


def _over(numerator, a):
    """Divide by eigenvalues; an axis without one holds nothing."""
    return np.divide(numerator, a, out=np.zeros_like(a), where=a != 0)


@dataclass(frozen=True, eq=False)
class CorrectedMatrix:
    """A matrix of n objects and the correction found for it.

    Attributes
    ----------
    scale : Scale
        Units of the comparisons.
    power : float
        Exponent that takes output dissimilarities to powered ones.
    correction : str or None
        What was done to `a`; None too where a constant was added before.
    mean, weights : ndarray of shape (w,) and (w, r)
        Components are ``(comparisons - mean) @ weights``.
    a : ndarray of shape (r,)
        Eigenvalues of what is decomposed, scaled.
    U : ndarray of shape (n, r)
    nu : float
        What ``"shift"`` adds to self-similarities only, scaled.
    added : AddedConstant or None
        Constant added to dissimilarities before anything else.
    before : ndarray or None
        Eigenvalues before it was added.
    mean_self : float or None
        Mean self-similarity of the objects, where rows of a full matrix of
        dissimilarities tell that of a new object.
    factor : SignedFactor or None
        Of matrices read from landmarks.
    """

    scale: Scale
    power: float
    correction: str | None
    mean: np.ndarray
    weights: np.ndarray
    a: np.ndarray
    U: np.ndarray
    nu: float = 0.0
    added: AddedConstant | None = None
    before: np.ndarray | None = None
    mean_self: float | None = None
    factor: SignedFactor | None = None

    @classmethod
    def of_similarities(cls, S, scale, correction, power):
        """Correct a full matrix of scaled similarities, at O(n^3) cost."""
        a, U = eigenpairs(S)
        nu = lingoes_constant(a) if correction == "shift" else 0.0
        if nu:
            a, U = eigenpairs(S, complete=True)
        return cls(scale, power, correction, np.zeros(len(S)), U, a, U, nu)

    @classmethod
    def of_dissimilarities(cls, powered, scale, correction, power):
        """Correct a full matrix of powered, scaled dissimilarities, at O(n^3) cost."""
        a, U = eigenpairs(-0.5 * double_center(powered))
        before = added = None
        if correction in ("lingoes", "cailliez", "shift"):
            rule = "cailliez" if correction == "cailliez" else "lingoes"
            before, added = a, AddedConstant.of(powered, a, rule)
            correction, powered = None, added.apply_among(powered)
            a, U = eigenpairs(-0.5 * double_center(powered))
        mean = powered.mean(axis=0)
        corrected = cls(scale, power, correction, mean, -0.5 * U, a, U)
        return replace(
            corrected, added=added, before=before, mean_self=float(mean.mean()) / 2.0
        )

    @classmethod
    def of_factor(cls, factor, whitened, correction, power):
        """Correct a signed factor, given the whitened rows A of its objects."""
        scale = factor.landmark_map.scale
        axes = factor.axes(len(factor.landmark_map.loadings), None)
        rank = int(np.count_nonzero(axes.signs))
        a = axes.eigenvalues[:rank] / scale.squared
        # From pseudo-Euclidean coordinates |a|^(1/2) U in units of the metric.
        to_unit = 1.0 / (np.sqrt(np.abs(a)) * np.sqrt(scale.squared))
        nu = lingoes_constant(a) if correction == "shift" else 0.0
        weights = axes.weights[:, :rank] * (to_unit * a)
        U = axes.of_features(whitened)[:, :rank] * to_unit
        return cls(
            scale, power, correction, axes.mean, weights, a, U, nu, factor=factor
        )

    @cached_property
    def corrected(self):
        """a*, scaled, shape (r,)."""
        if not self.nu:
            return correct_eigenvalues(self.a, self.correction)
        shifted = self.a + self.nu
        return np.where(negligible(shifted, len(shifted)), 0.0, shifted)

    @property
    def n_samples(self):
        """Number of objects fitted."""
        return self.U.shape[0]

    @property
    def eigenvalues(self):
        """Before correction, in powered units, largest modulus first."""
        found = self.a if self.before is None else self.before
        return found * self.scale.squared

    @property
    def corrected_eigenvalues(self):
        """After correction, in powered units."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self.corrected * self._unit

    @property
    def constant(self):
        """The constant that had to be added, in its own units."""
        if self.added is None:
            return self.nu * self.scale.squared
        plain = self.added.rule == "cailliez"
        return self.added.constant * (self.scale.unit if plain else self.scale.squared)

    @property
    def _unit(self):
        scale = np.float64(self.scale.squared)
        with np.errstate(over="ignore", under="ignore"):
            return np.square(scale) if self.correction == "square" else scale

    def signs(self, n_components):
        """Return +1, -1 or 0 for each column of features."""
        order = self._leading(n_components)
        # A corrected axis keeps its sign; one that was zero is positive after a shift.
        signs = np.where(self.a == 0, 1.0, np.sign(self.a))[order]
        return np.pad(signs, (0, n_components - len(order)))

    def training(self, output, n_components):
        """Return the corrected training matrix, or the features of its objects."""
        if output == "features":
            sizes = np.sqrt(np.abs(self.corrected))
            return self._features(self.U, sizes, n_components)
        similarity = (self.U * self.corrected) @ self.U.T
        similarity = (similarity + similarity.T) / 2
        if output == "similarity":
            return similarity * self._unit
        own = np.diagonal(similarity)
        # Zero on the diagonal, exactly: s + s - 2 s.
        return self._unpower(powered_dissimilarities(own, own, similarity))

    def rows(self, scaled, positions, output, n_components):
        """Return the same for rows of new objects.

        Parameters
        ----------
        scaled : ndarray of shape (b, w)
            Their powered, scaled comparisons with the training objects, or landmarks.
        positions : ndarray of shape (b,)
            Of the rows among those to be transformed; see `AddedConstant.apply`.
        output : {"similarity", "dissimilarity", "features"}
        n_components : int
        """
        if self.added is not None:
            scaled = self.added.apply(scaled, positions, self._among)
            if output == "dissimilarity":
                return self._unpower(scaled)
        components = (scaled - self.mean) @ self.weights
        a, between = self.a, self.a if self.nu else self.corrected
        if output == "features":
            sizes = np.sqrt(np.abs(self.corrected))
            divisor = self.corrected if self.nu else a
            return self._features(components, _over(sizes, divisor), n_components)
        similarity = (components * _over(between, a)) @ self.U.T
        if self.nu and self.factor is None:
            similarity = scaled  # exactly, where all axes together turn and turn back
        if output == "similarity":
            return similarity * self._unit
        own = self._self_similarities(scaled, components, between)
        training = np.square(self.U) @ self.corrected
        return self._unpower(powered_dissimilarities(own, training, similarity))

    def _self_similarities(self, scaled, components, between):
        """Return the corrected self-similarities of new objects, shape (b,).

        A row of dissimilarities tells how far its object is from the span of the
        training objects: the mean of the row is its own self-similarity and the mean
        one of the others. What the axes do not hold of it is an axis of its own. Axes
        may well hold more than that, components of noise over small eigenvalues; since
        no correction lowers a self-similarity, there is no part outside then.
        """
        squared = np.square(components * _over(np.ones_like(self.a), self.a))
        own = squared @ between
        if self.nu:
            within = 1.0 if self.factor is None else squared.sum(axis=1)
            return own + self.nu * np.minimum(within, 1.0)
        if self.mean_self is None:
            return own
        told = scaled.mean(axis=1) - self.mean_self
        if self.correction is None:
            return told
        held = correct_eigenvalues(
            self.a, "clip" if self.correction == "clip" else "flip"
        )
        outside = np.maximum(told - squared @ held, 0.0)
        return own + correct_eigenvalues(outside, self.correction)

    def _among(self, positions):
        """Return rows of the training objects, powered, with the constant added."""
        own = np.square(self.U) @ self.corrected
        similarity = (self.U[positions] * self.corrected) @ self.U.T
        return powered_dissimilarities(own[positions], own, similarity)

    def _leading(self, n_components):
        return np.argsort(-np.abs(self.corrected), kind="stable")[:n_components]

    def _features(self, coordinates, sizes, n_components):
        order = self._leading(n_components)
        # Rooted apart: the square of a large unit is beyond float64, its root is not.
        scale = self.scale.squared
        root_unit = scale if self.correction == "square" else np.sqrt(scale)
        Z = coordinates[:, order] * (sizes[order] * root_unit)
        return np.pad(Z, ((0, 0), (0, n_components - len(order))))

    def _unpower(self, powered):
        return unpowered(powered * self._unit, self.power)


def unpowered(powered, power):
    """Return d of ``d**power``; what is negative has no root and becomes zero.

    Only ``power=1`` leaves negative values, of an uncorrected indefinite matrix.
    """
    if power == 1:
        return powered
    return np.maximum(powered, 0.0) ** (1.0 / power)
