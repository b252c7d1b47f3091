"""The signed factor: a landmark map and moments, read as a spectrum and as coordinates.

What is stored is the map (fixed) and the moments of the data seen (mergeable). What is
asked for - eigenvalues, signature, corrected coordinates - is *read* from the two at a
cost that does not depend on how many objects were seen. Truncation happens on reading,
never on storing.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from ..comparisons._objects import block_rows, consecutive_blocks
from ._landmark_map import LandmarkMap
from ._moments import Moments
from ._spectrum import correct_eigenvalues, negligible

__all__ = ["Axes", "SignedFactor", "orientation"]


@dataclass(frozen=True, eq=False)
class Axes:
    """Coordinates read from a factor: k linear functions of an object's comparisons.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Before correction, in (powered) units of the metric; zero past the rank.
    signs : ndarray of shape (k,)
        +1, -1, or 0 past the rank.
    directions : ndarray of shape (r, k)
        Coordinates are ``(A - offset) @ directions``.
    weights : ndarray of shape (m, k)
        Coordinates are ``(C - mean) @ weights``, C scaled.
    offset : ndarray of shape (r,)
        Mean of A, or zero.
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
        """Return the coordinates of objects from their whitened rows A."""
        return (features - self.offset) @ self.directions

    def of_kept(self, features):
        """Return the coordinates of objects, in the place of their whitened rows.

        Parameters
        ----------
        features : ndarray of shape (n, r)
            Overwritten where the coordinates fit into it, or into the array that it
            is the left part of, so that no second array of n rows is needed.

        Returns
        -------
        Z : ndarray of shape (n, k)
            In the dtype of `features`.
        """
        n_rows, width = features.shape
        k = self.directions.shape[1]
        whole = features if features.base is None else features.base
        if whole.shape == (n_rows, k):
            Z = whole
        else:
            Z = np.empty((n_rows, k), dtype=features.dtype)
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
        Of the rows A of all objects seen.
    landmark_mean : ndarray of shape (m,)
        Mean of their scaled comparisons C.
    centred : bool
        Whether the matrix is about the mean of the objects. For dissimilarities this is
        double centring, exactly.
    """

    landmark_map: LandmarkMap
    moments: Moments
    landmark_mean: np.ndarray
    centred: bool

    def merge(self, other):
        """Return the factor of both sets of objects; they must share the map."""
        if self.landmark_map is not other.landmark_map:
            msg = (
                "SignedFactor.merge needs two factors with the same landmark map; got "
                f"maps with {len(self.landmark_map.reference)} and "
                f"{len(other.landmark_map.reference)} landmarks fitted apart. Fit the "
                "second with the landmark map of the first."
            )
            raise ValueError(msg)
        moments = self.moments.merge(other.moments)
        share = other.moments.count / max(moments.count, 1)
        mean = self.landmark_mean + share * (other.landmark_mean - self.landmark_mean)
        return SignedFactor(self.landmark_map, moments, mean, self.centred)

    @cached_property
    def _spectrum(self):
        """Eigenvalues in scaled units, largest modulus first, and J R' V / a."""
        scatter = self.moments.scatter if self.centred else self.moments.about_origin()
        signs = self.landmark_map.signs
        t, vectors = linalg.eigh(scatter, check_finite=False)
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
        directions = directions[:, order]
        offset, mean = self._centre()
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
            weights=self.landmark_map.whitener @ padded,
            offset=offset,
            mean=mean,
        )

    def _centre(self):
        if self.centred:
            return self.moments.mean, self.landmark_mean
        return np.zeros_like(self.moments.mean), np.zeros_like(self.landmark_mean)

    def similarity(self, features, others):
        """Return the similarities of some objects with others, shape (a, b).

        Parameters
        ----------
        features, others : ndarray of shape (a, r) and (b, r)
            Whitened rows A, from `LandmarkMap.features`.

        Returns
        -------
        block : ndarray of shape (a, b)
            Entries of ``A J A'`` about the mean: the centred similarity of
            dissimilarities, at linear cost (Gisbrecht & Schleif 2015, eq. 6).
        """
        offset, _ = self._centre()
        signs = self.landmark_map.signs
        block = ((features - offset) * signs) @ (others - offset).T
        return block * self.landmark_map.scale.squared

    def dissimilarity(self, features, others):
        """Return powered dissimilarities ``q_i + q_j - 2 s_ij``, shape (a, b).

        Paper 000, eq. 7 in factor form: self-similarities ``q = diag(A J A')`` come
        from the rows, at O(a r) cost.
        """
        signs = self.landmark_map.signs
        offset = self.moments.mean
        rows, columns = features - offset, others - offset
        q_rows = np.square(rows) @ signs
        q_columns = np.square(columns) @ signs
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
