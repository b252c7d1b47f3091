"""The landmark map: comparisons with landmarks in, whitened features out.

Built once from comparisons among a few probes and never changed. The matrix that it
stands for is ``S^ = A J A'`` with one row ``A_i = (c_i - c0) B`` per object, where
``c_i`` are the object's comparisons with the landmarks.

======  =============================================================  =========
symbol  meaning                                                        shape
======  =============================================================  =========
C_s     comparisons of the probes with the landmarks, powered, scaled  (s, m)
K_s     similarities among the probes                                  (s, s)
c0      reference row, mean of C_s (zero where nothing is centred)     (m,)
F       C_s - c0                                                       (s, m)
B       whitener                                                       (m, r)
J       diagonal of +1 and -1                                          (r,)
b       eigenvalues of the core in the probes' orthonormal basis       (r,)
======  =============================================================  =========

The papers take the core ``W^+``, the pseudo-inverse of the landmark block, whose error
is unbounded for indefinite matrices. Here the core is the least-squares fit to the
probes, ``U = F^+ K_s (F^+)'`` (Wang & Zhang's fast model, which needs no definiteness),
computed in the orthonormal basis of F: formed explicitly, U would lose all digits.

All comparisons are divided by `unit`, a power of two near the largest of them, before
they are powered. That is exact, and makes every result independent of the units of the
metric from 1e-100 to 1e100.

References
----------
S. Wang, Z. Zhang, T. Zhang (2016). Towards more efficient SPSD matrix approximation and
CUR matrix decomposition. JMLR 17(209), eq. 4 (the fast model).
A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations at
linear costs. Neurocomputing 167, section 3 (the core W^+).
doi:10.1016/j.neucom.2015.04.017
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..comparisons._geometry import Scale
from ._centering import double_center
from ._spectrum import negligible

__all__ = ["LandmarkMap", "fit_core", "plain_core"]


@dataclass(frozen=True, eq=False)
class LandmarkMap:
    """From comparisons with landmarks to whitened features.

    Attributes
    ----------
    scale : Scale
        Units of the comparisons.
    reference : ndarray of shape (m,)
        c0, in scaled units.
    whitener : ndarray of shape (m, r)
        B.
    signs : ndarray of shape (r,)
        J, entries +1 and -1.
    landmark_features : ndarray of shape (m, r)
        Rows A of the landmarks themselves; they fix the signs of the axes.
    """

    scale: Scale
    reference: np.ndarray
    whitener: np.ndarray
    signs: np.ndarray
    landmark_features: np.ndarray

    def features(self, scaled):
        """Return ``A = (C - c0) B`` of scaled comparisons, shape (n, r)."""
        return (scaled - self.reference) @ self.whitener


def fit_core(to_landmarks, among, *, centred, eps):
    """Fit whitener and signs to probes by least squares.

    Parameters
    ----------
    to_landmarks : ndarray of shape (s, m)
        C_s, scaled.
    among : ndarray of shape (s, s)
        Similarities among the probes, scaled; for dissimilarities ``-D/2``.
    centred : bool
        Whether the fit is done about the mean of the probes.
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    reference : ndarray of shape (m,)
    whitener : ndarray of shape (m, r)
    signs : ndarray of shape (r,)
        Cost O(s m^2 + s^2 m).
    """
    entries = _largest(to_landmarks), _largest(among)
    if centred:
        reference = to_landmarks.mean(axis=0)
        among = double_center(among)
    else:
        reference = np.zeros(to_landmarks.shape[1])
    basis, sizes, directions = linalg.svd(
        to_landmarks - reference, full_matrices=False, check_finite=False
    )
    keep = ~negligible(sizes, max(to_landmarks.shape), eps, entries[0])
    basis, sizes, directions = basis[:, keep], sizes[keep], directions[keep].T
    core = basis.T @ among @ basis
    b, vectors = linalg.eigh((core + core.T) / 2, check_finite=False)
    keep = ~negligible(b, len(among), eps, entries[1])
    b, vectors = b[keep], vectors[:, keep]
    whitener = (directions / sizes) @ (vectors * np.sqrt(np.abs(b)))
    return reference, whitener, np.sign(b)


def plain_core(square, *, centred=False, eps):
    """Return whitener and signs of the papers' core, ``W^+``.

    Parameters
    ----------
    square : ndarray of shape (m, m)
        W, scaled similarities among the landmarks; for dissimilarities ``-D/2``.
    centred : bool, default=False
        Whether to take W about the mean of the landmarks first.
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    whitener : ndarray of shape (m, r)
        For rows of *similarities*.
    signs : ndarray of shape (r,)
        Cost O(m^3).
    """
    entries = _largest(square)
    if centred:
        square = double_center(square)
    w, vectors = linalg.eigh(square, check_finite=False)
    keep = ~negligible(w, len(square), eps, entries)
    w, vectors = w[keep], vectors[:, keep]
    if centred:
        # Eigenvectors of tiny eigenvalues mix with the null vector of ones, along which
        # rows that are centred on one side only are as large as the matrix.
        vectors -= vectors.mean(axis=0)
    return vectors / np.sqrt(np.abs(w)), np.sign(w)


def _largest(matrix):
    return float(np.abs(matrix).max(initial=0.0))
