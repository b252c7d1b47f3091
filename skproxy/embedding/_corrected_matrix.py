"""Corrected matrices: what `EigenCorrector` learns, exact or from landmarks.

======  =====================================================================  =======
symbol  meaning                                                                shape
======  =====================================================================  =======
S       similarities, or ``-1/2 J D J`` of powered dissimilarities, scaled     (n, n)
a, U    non-zero eigenvalues, largest modulus first, and eigenvectors of S     (r,)
a*      corrected eigenvalues                                                  (r,)
t       row of similarities of a new object, centred as S is                   (n,)
e       its eigenvector coordinates, ``t U / a``                               (r,)
======  =====================================================================  =======

The row t becomes ``e diag(a*) U'``, its features are ``e diag(a*)^(1/2)``: a copy of a
training object gets what that object got, for every correction (the formula of
Gisbrecht & Schleif 2015 does so for "flip" only).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..comparisons import Scale
from ..factor import SignedFactor, correct_eigenvalues, double_center, negligible
from ._additive_constants import AddedConstant, lingoes_constant

__all__ = ["CorrectedFactor", "CorrectedSpectrum"]


def eigenpairs(similarity):
    """Return the non-zero eigenpairs, largest modulus first, largest entry positive."""
    a, U = linalg.eigh(similarity)
    order = np.argsort(-np.abs(a), kind="stable")
    order = order[~negligible(a[order], len(a))]
    a, U = a[order], U[:, order]
    if U.size:
        moduli = np.abs(U)
        first = (moduli >= moduli.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
        U = U * np.sign(U[first, np.arange(U.shape[1])])
    return a, U


def powered_dissimilarities(self_rows, self_columns, similarity):
    """Return ``s_ii + s_jj - 2 s_ij`` for a block of similarities."""
    return self_rows[:, None] + self_columns - 2.0 * similarity


@dataclass(frozen=True, eq=False)
class CorrectedSpectrum:
    """A full matrix and the correction found for it.

    Attributes
    ----------
    scale : Scale
        Units of the comparisons.
    power : float
        Exponent that takes output dissimilarities to powered ones.
    added : AddedConstant or None
        Constant added to dissimilarities before anything else.
    means : ndarray of shape (n,) or None
        Column means of the powered dissimilarities; None for similarities.
    found : ndarray
        Eigenvalues before correction, scaled.
    a, corrected : ndarray of shape (r,)
        Eigenvalues of what is decomposed, before and after correction, scaled.
    U : ndarray of shape (n, r)
    diagonal_shift : float
        Added to self-similarities only, scaled.
    squares : bool
        Whether corrected eigenvalues are in squared units.
    """

    scale: Scale
    power: float
    added: AddedConstant | None
    means: np.ndarray | None
    found: np.ndarray
    a: np.ndarray
    corrected: np.ndarray
    U: np.ndarray
    diagonal_shift: float
    squares: bool

    @classmethod
    def of(cls, powered, scale, correction, *, dissimilarity, power):
        """Correct a full matrix of powered, scaled comparisons.

        Parameters
        ----------
        powered : ndarray of shape (n, n)
        scale : Scale
        correction : str or None
            As in `EigenCorrector`.
        dissimilarity : bool
        power : float
            Exponent of output dissimilarities.

        Returns
        -------
        corrected : CorrectedSpectrum
            Cost O(n^3).
        """
        similarity = -0.5 * double_center(powered) if dissimilarity else powered
        a, U = eigenpairs(similarity)
        found, added, shift = a, None, 0.0
        if dissimilarity and correction in ("lingoes", "cailliez", "shift"):
            rule = "cailliez" if correction == "cailliez" else "lingoes"
            added = AddedConstant.of(powered, a, rule)
            powered = added.apply_among(powered)
            a, U = eigenpairs(-0.5 * double_center(powered))
            # The constant is the least one, so the smallest eigenvalue is zero; what
            # rounding leaves of it on either side is none.
            keep = a > 8 * np.finfo(np.float64).eps * len(powered) * a.max(initial=0.0)
            a, U, correction = a[keep], U[:, keep], None
        elif correction == "shift":
            shift = lingoes_constant(a)
        return cls(
            scale=scale,
            power=power,
            added=added,
            means=powered.mean(axis=0) if dissimilarity else None,
            found=found,
            a=a,
            corrected=correct_eigenvalues(a, correction),
            U=U,
            diagonal_shift=shift,
            squares=correction == "square",
        )

    @property
    def n_samples(self):
        """Number of objects fitted."""
        return self.U.shape[0]

    @property
    def eigenvalues(self):
        """Before correction, in powered units, largest modulus first."""
        return self.found * self.scale.squared

    @property
    def corrected_eigenvalues(self):
        """After correction, in powered units."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self.corrected * self._unit

    @property
    def constant(self):
        """The constant that had to be added, in its own units."""
        if self.added is not None:
            return self.added.constant * (
                self.scale.unit if self.added.rule == "cailliez" else self._unit
            )
        return self.diagonal_shift * self._unit if self.diagonal_shift else 0.0

    @property
    def _unit(self):
        scale = np.float64(self.scale.squared)
        with np.errstate(over="ignore", under="ignore"):
            return np.square(scale) if self.squares else scale

    def signs(self, n_components):
        """Return +1, -1 or 0 for each column of features."""
        order = self._leading(n_components)
        return np.pad(np.sign(self.a[order]), (0, n_components - len(order)))

    def training(self, output, n_components):
        """Return the corrected training matrix, or the features of its objects."""
        if output == "features":
            return self._features(self.U, n_components)
        similarity = (self.U * self._between) @ self.U.T
        similarity = (similarity + similarity.T) / 2
        similarity[np.diag_indices_from(similarity)] += self.diagonal_shift
        if output == "similarity":
            return similarity * self._unit
        own = np.diagonal(similarity)
        powered = powered_dissimilarities(own, own, similarity)
        np.fill_diagonal(powered, 0.0)
        return self._unpower(powered)

    def rows(self, scaled, output, n_components):
        """Return the same for rows of new objects.

        Parameters
        ----------
        scaled : ndarray of shape (a, n)
            Their powered, scaled comparisons with the training objects.
        output : {"similarity", "dissimilarity", "features"}
        n_components : int
        """
        if self.added is not None:
            scaled = self.added.apply(scaled)
        t = scaled
        if self.means is not None:
            t = scaled - self.means
            t = -0.5 * (t - t.mean(axis=1, keepdims=True))
        coordinates = (t @ self.U) / self.a
        if output == "features":
            return self._features(coordinates, n_components)
        similarity = (
            t if self.diagonal_shift else (coordinates * self._between) @ self.U.T
        )
        if output == "similarity":
            return similarity * self._unit
        if self.added is not None:
            return self._unpower(scaled)
        own = np.square(coordinates) @ self._between + self.diagonal_shift
        training = np.square(self.U) @ self._between + self.diagonal_shift
        return self._unpower(powered_dissimilarities(own, training, similarity))

    @property
    def _between(self):
        """Eigenvalues of the similarities between different objects.

        A shift of the diagonal does not touch them.
        """
        return self.a if self.diagonal_shift else self.corrected

    def _leading(self, n_components):
        return np.argsort(-np.abs(self.corrected), kind="stable")[:n_components]

    def _features(self, coordinates, n_components):
        order = self._leading(n_components)
        # Rooted apart: the square of a large unit is beyond float64, its root is not.
        scale = self.scale.squared
        root_unit = scale if self.squares else np.sqrt(scale)
        sizes = np.sqrt(np.abs(self.corrected[order])) * root_unit
        Z = coordinates[:, order] * sizes
        return np.pad(Z, ((0, 0), (0, n_components - len(order))))

    def _unpower(self, powered):
        return unpowered(powered * self._unit, self.power)


@dataclass(frozen=True, eq=False)
class CorrectedFactor:
    """The same read from landmarks: everything is an inner product of features.

    Attributes
    ----------
    factor : SignedFactor
    correction : str or None
    features : ndarray of shape (n, m)
        Corrected coordinates of the training objects, on all axes.
    power : float
        Exponent that takes output dissimilarities to powered ones.
    """

    factor: SignedFactor
    correction: str | None
    features: np.ndarray
    power: float

    constant = 0.0

    @classmethod
    def of(cls, factor, whitened, correction, *, power):
        """Correct a signed factor, given the whitened rows of its objects."""
        axes = factor.axes(len(factor.landmark_map.reference), correction)
        return cls(factor, correction, axes.of_features(whitened), power)

    @property
    def scale(self):
        """Units of the comparisons."""
        return self.factor.landmark_map.scale

    @property
    def n_samples(self):
        """Number of objects fitted."""
        return self.factor.moments.count

    @property
    def eigenvalues(self):
        """Before correction, in powered units, largest modulus first."""
        return self.factor.eigenvalues

    @property
    def corrected_eigenvalues(self):
        """After correction, in the same order."""
        with np.errstate(over="ignore", under="ignore"):
            return correct_eigenvalues(self.eigenvalues, self.correction)

    def signs(self, n_components):
        """Return +1, -1 or 0 for each column of features."""
        return self.factor.axes(n_components, self.correction).signs

    def training(self, output, n_components):
        """Return the corrected training matrix, or the features of its objects."""
        result = self._output(self.features, output, n_components)
        if output == "dissimilarity":
            np.fill_diagonal(result, 0.0)
        return result

    def rows(self, scaled, output, n_components):
        """Return the same for rows of new objects; see `CorrectedSpectrum.rows`."""
        axes = self.factor.axes(self.features.shape[1], self.correction)
        return self._output(axes.of_scaled(scaled), output, n_components)

    def _output(self, Z, output, n_components):
        if output == "features":
            missing = max(0, n_components - Z.shape[1])
            return np.pad(Z[:, :n_components], ((0, 0), (0, missing)))
        signs = np.ones(Z.shape[1])
        if self.correction is None:
            signs = self.signs(Z.shape[1])
        similarity = (Z * signs) @ self.features.T
        if output == "similarity":
            return similarity
        own, training = np.square(Z) @ signs, np.square(self.features) @ signs
        return unpowered(powered_dissimilarities(own, training, similarity), self.power)


def unpowered(powered, power):
    """Return d of ``d**power``; what is negative has no root and becomes zero.

    Only ``power=1`` leaves negative values, of an uncorrected indefinite matrix.
    """
    if power == 1:
        return powered
    return np.maximum(powered, 0.0) ** (1.0 / power)
