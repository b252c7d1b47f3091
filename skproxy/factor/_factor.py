"""The signed factor: a landmark map and moments, read as a spectrum and as coordinates.

What is stored is the map (fixed) and the moments of the data seen (mergeable). What is
asked for - eigenvalues, signature, corrected coordinates - is *read* from the two at a
cost that does not depend on how many objects were seen. Truncation happens on reading,
never on storing.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
Y       basis rows of the objects                                             (n, m)
L       loadings: ``A = (Y - mean) L``                                        (m, r)
A       whitened rows of the objects                                          (n, r)
J       signs                                                                 (r,)
T       scatter of A, about the mean (centred) or about zero                  (r, r)
R       symmetric square root of T                                            (r, r)
a, V    eigenvalues and eigenvectors of R J R'                                (r,)
E       eigenvectors of the n x n matrix A J A', E = A J R' V / a             (n, r)
======  ====================================================================  ======

``a`` are the non-zero eigenvalues of the n x n matrix exactly, since ``A = Q R`` with
orthonormal Q gives ``A J A' = Q (R J R') Q'``. The papers go through the square of the
matrix instead, which halves the digits and mixes +a with -a.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from ..comparisons._geometry import Scale
from ..comparisons._objects import block_rows, consecutive_blocks
from ._approximation_error import ApproximationError
from ._basis import Basis
from ._moments import Moments
from ._spectrum import correct_eigenvalues, negligible

__all__ = ["Axes", "LandmarkMap", "SignedFactor", "orientation"]


@dataclass(frozen=True, eq=False)
class LandmarkMap:
    """From comparisons with landmarks to the matrix they stand for.

    Attributes
    ----------
    scale : Scale
        Units of the comparisons.
    basis : Basis
        From scaled comparisons to basis rows.
    loadings : ndarray of shape (m, r)
        L.
    signs : ndarray of shape (r,)
        J, entries +1 and -1.
    landmark_features : ndarray of shape (m, m)
        Basis rows of the landmarks themselves; they fix the signs of the axes.
    residual : float, default=0
        Relative error on the columns of a core that was fitted to these alone.
    """

    scale: Scale
    basis: Basis
    loadings: np.ndarray
    signs: np.ndarray
    landmark_features: np.ndarray
    residual: float = 0.0
    error: ApproximationError | None = None

    def features(self, scaled):
        """Return the basis rows of scaled comparisons, shape (n, m)."""
        return self.basis.rows(scaled)


@dataclass(frozen=True, eq=False)
class Axes:
    """Coordinates read from a factor: k linear functions of an object's comparisons.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Before correction, in (powered) units of the metric; zero past the rank.
    signs : ndarray of shape (k,)
        +1, -1, or 0 past the rank.
    directions : ndarray of shape (m, k)
        Coordinates are ``(Y - offset) @ directions``.
    weights : ndarray of shape (m, k)
        Coordinates are ``(C - mean) @ weights``, C scaled.
    offset : ndarray of shape (m,)
        Mean of Y, or zero.
    mean : ndarray of shape (m,)
        Mean of C, scaled, or zero.
    """

    eigenvalues: np.ndarray
    signs: np.ndarray
    directions: np.ndarray
    weights: np.ndarray
    offset: np.ndarray
    mean: np.ndarray

    def of_features(self, features):
        """Return the coordinates of objects from their basis rows Y."""
        return (features - self.offset) @ self.directions

    def of_kept(self, features):
        """Return the coordinates of objects, in the place of their basis rows.

        Parameters
        ----------
        features : ndarray of shape (n, m)
            Overwritten where there are as many coordinates, so that no second array of
            n rows is needed.

        Returns
        -------
        Z : ndarray of shape (n, k)
            In the dtype of `features`.
        """
        n_rows, width = features.shape
        k = self.directions.shape[1]
        Z = features if k == width else np.empty((n_rows, k), dtype=features.dtype)
        for rows in consecutive_blocks(n_rows, block_rows(width)):
            Z[rows] = self.of_features(features[rows])
        return Z

    def of_scaled(self, scaled):
        """Return the coordinates of objects from their scaled comparisons C."""
        return (scaled - self.mean) @ self.weights


@dataclass(frozen=True, eq=False)
class SignedFactor:
    """A symmetric, possibly indefinite low-rank matrix A J A'.

    Attributes
    ----------
    landmark_map : LandmarkMap
    moments : Moments
        Of the basis rows Y of all objects seen.
    centred : bool
        Whether the matrix is about the mean of the objects. For dissimilarities this is
        double centring, exactly.
    """

    landmark_map: LandmarkMap
    moments: Moments
    centred: bool

    def merge(self, other):
        """Return the factor of both sets of objects; they must share the map."""
        if self.landmark_map is not other.landmark_map:
            msg = (
                "SignedFactor.merge needs two factors with the same landmark map; got "
                f"maps with {len(self.landmark_map.loadings)} and "
                f"{len(other.landmark_map.loadings)} landmarks fitted apart. Fit the "
                "second with the landmark map of the first."
            )
            raise ValueError(msg)
        moments = self.moments.merge(other.moments)
        return SignedFactor(self.landmark_map, moments, self.centred)

    def on(self, landmark_map):
        """Return the factor of the same objects on another map of the same landmarks.

        Moments of basis rows lose nothing, so those on another basis follow exactly.
        """
        mine = self.landmark_map
        moments = self.moments
        if not (
            mine.basis.equals(landmark_map.basis) and mine.scale == landmark_map.scale
        ):
            ratio = mine.scale.squared / landmark_map.scale.squared
            moments = moments.mapped(*mine.basis.change_to(landmark_map.basis, ratio))
        return SignedFactor(landmark_map, moments, self.centred)

    def without_objects(self):
        """Return the factor of no objects, on the same map."""
        nothing = Moments.empty(len(self.moments.mean))
        return SignedFactor(self.landmark_map, nothing, self.centred)

    @property
    def offset(self):
        """Basis row that is taken off: their mean, or zero. Shape (m,)."""
        if self.centred:
            return self.moments.mean
        return np.zeros_like(self.moments.mean)

    @property
    def landmark_mean(self):
        """Mean of the scaled comparisons C of all objects seen, shape (m,)."""
        return self.landmark_map.basis.comparisons(self.moments.mean)

    @property
    def scatter(self):
        """T, scatter of the whitened rows A, shape (r, r)."""
        loadings = self.landmark_map.loadings
        return loadings.T @ self._scatter_of_rows @ loadings

    @property
    def _scatter_of_rows(self):
        return self.moments.scatter if self.centred else self.moments.about_origin()

    def whitened(self, features):
        """Return the whitened rows A of objects from their basis rows, shape (n, r)."""
        return (features - self.offset) @ self.landmark_map.loadings

    @cached_property
    def _spectrum(self):
        """Eigenvalues in scaled units, largest modulus first, and J R' V / a."""
        signs = self.landmark_map.signs
        t, vectors = linalg.eigh(self.scatter, check_finite=False)
        root = (vectors * np.sqrt(np.maximum(t, 0.0))) @ vectors.T
        signed = (root * signs) @ root
        a, directions = linalg.eigh((signed + signed.T) / 2, check_finite=False)
        order = np.argsort(-np.abs(a), kind="stable")
        order = order[~negligible(a[order], max(len(a), 1))]
        a = a[order]
        directions = (signs[:, None] * (root @ directions[:, order])) / a
        return a, directions

    @property
    def eigenvalues(self):
        """Non-zero eigenvalues of the n x n matrix, largest modulus first.

        In (powered) units of the metric, shape (at most r,).
        """
        return self._spectrum[0] * self.landmark_map.scale.squared

    def axes(self, n_components, correction):
        """Read corrected coordinates.

        Parameters
        ----------
        n_components : int
            How many; columns past the rank are zero. The axes with the largest
            corrected eigenvalues are taken.
        correction : {"flip", "clip", "square", "shift", None}

        Returns
        -------
        axes : Axes
        """
        a, directions = self._spectrum
        corrected = correct_eigenvalues(a, correction)
        order = np.argsort(-np.abs(corrected), kind="stable")[:n_components]
        scale = self.landmark_map.scale.squared
        # sqrt of the scale for sqrt of an eigenvalue; "square" has squared eigenvalues.
        root_scale = scale if correction == "square" else np.sqrt(scale)
        sizes = np.sqrt(np.abs(corrected[order])) * root_scale
        directions = self.landmark_map.loadings @ directions[:, order]
        offset = self.offset
        at_landmarks = (self.landmark_map.landmark_features - offset) @ directions
        directions = directions * (sizes * orientation(at_landmarks))

        rank = len(order)
        eigenvalues = np.zeros(n_components)
        eigenvalues[:rank] = a[order] * scale
        padded = np.zeros((directions.shape[0], n_components))
        padded[:, :rank] = directions
        return Axes(
            eigenvalues=eigenvalues,
            signs=np.sign(eigenvalues),
            directions=padded,
            weights=self.landmark_map.basis.whitener @ padded,
            offset=offset,
            mean=self.landmark_mean if self.centred else np.zeros_like(offset),
        )

    def unit_axes(self, axes, mean_square):
        """Bring coordinates to a mean squared length over the objects seen.

        Parameters
        ----------
        axes : Axes
            Of this factor.
        mean_square : float

        Returns
        -------
        axes : Axes
            All columns times one factor.
        factor : float
            1 where all coordinates are zero.
        """
        largest = np.abs(axes.directions).max(initial=0.0) or 1.0
        directions = axes.directions / largest  # their squares could overflow
        scatter = np.vdot(directions, self._scatter_of_rows @ directions)
        if not scatter > 0:
            return axes, 1.0
        unit = np.sqrt(mean_square * self.moments.count / scatter)
        weights = self.landmark_map.basis.whitener @ (directions * unit)
        scaled = replace(axes, directions=directions * unit, weights=weights)
        with np.errstate(over="ignore", under="ignore"):
            return scaled, float(unit / largest)

    def solve(self, features, others, targets):
        """Apply the pseudo-inverse of the n x n matrix, which is never formed.

        Parameters
        ----------
        features, others : ndarray of shape (a, m) and (n, m)
            Basis rows of the objects that the result is for, and of all objects seen.
        targets : ndarray of shape (n, t)

        Returns
        -------
        result : ndarray of shape (a, t)
            Rows of ``E diag(1 / a) E' targets``, over the powered units of the metric.
            Cost O((a + n) m r).
        """
        directions = self._spectrum[1]
        mixing = self.landmark_map.loadings @ directions
        left = (others - self.offset) @ mixing
        right = (features - self.offset) @ (mixing / self.eigenvalues)
        return right @ (left.T @ targets)

    def similarity(self, features, others):
        """Return the similarities of some objects with others, shape (a, b).

        Parameters
        ----------
        features, others : ndarray of shape (a, m) and (b, m)
            Basis rows Y, from `LandmarkMap.features`.

        Returns
        -------
        block : ndarray of shape (a, b)
            Entries of ``A J A'`` about the mean: the centred similarity of
            dissimilarities, at linear cost (Gisbrecht & Schleif 2015, eq. 6).
        """
        rows = self.whitened(features) * self.landmark_map.signs
        return rows @ self.whitened(others).T * self.landmark_map.scale.squared

    def dissimilarity(self, features, others):
        """Return powered dissimilarities ``q_i + q_j - 2 s_ij``, shape (a, b).

        Gisbrecht & Schleif (2015), eq. 7 in factor form: self-similarities ``q =
        diag(A J A')`` come from the rows, at O(a r) cost.
        """
        signs = self.landmark_map.signs
        rows, columns = self.whitened(features), self.whitened(others)
        q_rows, q_columns = np.square(rows) @ signs, np.square(columns) @ signs
        block = q_rows[:, None] + q_columns - 2.0 * (rows * signs) @ columns.T
        return block * self.landmark_map.scale.squared


def orientation(at_landmarks):
    """Return signs that make each axis' largest entry among the landmarks positive.

    Landmarks, not all objects: their coordinates do not depend on the order in which
    objects come, and do not jump while data stream in. Entries that tie up to rounding
    count as equal and the first landmark decides.
    """
    if at_landmarks.size == 0:
        return np.ones(at_landmarks.shape[1])
    moduli = np.abs(at_landmarks)
    first = (moduli >= moduli.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
    signs = np.sign(at_landmarks[first, np.arange(at_landmarks.shape[1])])
    return np.where(signs == 0, 1.0, signs)
