"""Columns that belong to exemplars: of the best kernel, or of what exemplars rebuild.

======  =================================================================  ============
symbol  meaning                                                            shape
======  =================================================================  ============
F       readings of objects: features, or comparisons                      (n, w)
G       directions of the leading axes                                     (w, r)
Y       coordinates of objects on them, ``F G``; Y_E of the exemplars      (n, r)
J       signs of the leading axes                                          (r,)
S       similarities among the exemplars                                   (e, e)
P, D    Sylvester's ``P' S P = D``, D of +1, -1, or 0 past the rank        (e, e), (e,)
C       similarities of objects with the exemplars                         (n, e)
O       rotation of the axes towards the exemplars                         (r, m)
======  =================================================================  ============

- *Kernel* (the paper's embedding): ``W = F G O``. In the paper's letters, transposed,
  ``R P Sigma V'``: the frame ``A_E P`` of the exemplars is orthonormal, so that its R
  is the inverse of P up to the rotation.
- *Projection*: ``W = C P``, the coordinates in that frame. Then ``W D W'`` is
  ``C S^-1 C'``, the kernel between projections onto the exemplars.

The inverse of S is never formed; where S is singular the columns of P that D gives zero
are left out. The paper eliminates without pivoting and divides by the square root of
whatever stands on the diagonal, which may be zero. The pivoted factorisation of Bunch
and Kaufman, ``S = L B L'``, takes a block of two there.

Coordinates ``Y J Y'`` may be rotated among axes of the same sign without changing any
similarity, and P is free up to the same rotations. The paper takes whichever its
elimination ends with; its axes are then the singular vectors, and the exemplars only
lend their names. Here the rotation is the one that brings the exemplars' coordinates as
near as possible to those in their own frame, ``S P`` (orthogonal Procrustes), so that
column j speaks of exemplar j as far as a column can. Combinations of exemplars then
come near the objects, too: on digits with 10 columns their relative error is 0.39 after
the rotation and 0.79 before, where projection onto the exemplars has 0.37.

References
----------
A. Elbagoury, R. Ibrahim, M. S. Kamel, F. Karray (2016). EBEK: exemplar-based kernel
preserving embedding. IJCAI 2016, 1441-1447: lemma 3.2, eq. 6 and algorithm 3.
J. R. Bunch, L. Kaufman (1977). Some stable methods for calculating inertia and solving
symmetric linear systems. Mathematics of Computation 31, 163-179.
doi:10.1090/S0025-5718-1977-0428694-0
P. H. Schonemann (1966). A generalized solution of the orthogonal Procrustes problem.
Psychometrika 31(1), 1-10. doi:10.1007/BF02289451
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils.extmath import safe_sparse_dot

from ..factor import orientation
from ..factor._spectrum import FLOAT64_EPS

__all__ = ["ExemplarAxes", "congruence", "fit_exemplar_axes", "rotation_towards"]


@dataclass(frozen=True, eq=False)
class ExemplarAxes:
    """Columns, one per exemplar.

    Attributes
    ----------
    frame : ndarray of shape (e, e)
        P; columns that D gives zero are zero.
    frame_signs : ndarray of shape (e,)
        D.
    signs : ndarray of shape (m,)
        Of the columns.
    weights : ndarray of shape (m, w)
        Columns are ``F @ weights.T``.
    coordinates : ndarray of shape (n_samples, m) or None
        Of the objects fitted, where comparisons at hand give them.
    """

    frame: np.ndarray
    frame_signs: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    coordinates: np.ndarray | None


def fit_exemplar_axes(candidates, chosen, n_columns, method):
    """Give each exemplar its column.

    Parameters
    ----------
    candidates : Candidates
    chosen : ndarray of shape (e,)
        Exemplars, positions among the candidates.
    n_columns : int
        m.
    method : {"kernel", "projection"}

    Returns
    -------
    axes : ExemplarAxes
        For ``"projection"`` the readings F are features, or comparisons with the
        exemplars.
    """
    similarities, leading = candidates.similarities, candidates.axes
    square = similarities.among(chosen)
    frame, frame_signs = congruence(square, candidates.eps)
    frame = frame * (frame_signs != 0)
    if method == "projection":
        missing = n_columns - len(chosen)
        signs = np.pad(frame_signs, (0, missing))
        onto = np.pad(frame, ((0, 0), (0, missing)))
        weights = np.asarray((similarities.readings(chosen).T @ onto).T)
        coordinates = None
        if candidates.whole:
            columns = similarities.columns(chosen)
            coordinates = safe_sparse_dot(columns, onto, dense_output=True)
        return ExemplarAxes(frame, frame_signs, signs, weights, coordinates)
    rotation, signs = rotation_towards(
        leading.coordinates[chosen],
        leading.signs,
        square @ frame,
        frame_signs,
        n_columns,
    )
    weights, known = (leading.directions @ rotation).T, candidates.coordinates
    coordinates = None if known is None else known @ rotation
    return ExemplarAxes(frame, frame_signs, signs, weights, coordinates)


def congruence(square, eps=FLOAT64_EPS):
    """Return P and D of Sylvester's law of inertia, ``P' S P = diag(D)``.

    Every symmetric S is congruent to a diagonal matrix of ones, minus ones and zeros,
    and how many there are of each does not depend on P. The columns of P say which
    combinations of exemplars make an orthonormal frame.

    Parameters
    ----------
    square : ndarray of shape (e, e)
        S, symmetric, definite or not, singular or not.
    eps : float, default=2.2e-16
        Relative rounding of its entries.

    Returns
    -------
    frame : ndarray of shape (e, e)
        P. Column j belongs to object j: without pivoting, which is what exemplars in
        their order of choice need, it combines objects 0 ... j.
    signs : ndarray of shape (e,)
        D. Zero where a pivot is rounding; that column of P is left unscaled.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.embedding._exemplar_axes import congruence
    >>> S = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> P, signs = congruence(S)
    >>> signs.tolist()
    [-1.0, 1.0]
    >>> (np.round(P.T @ S @ P, 12) + 0.0).tolist()
    [[-1.0, 0.0], [0.0, 1.0]]
    """
    size = len(square)
    if size == 0:
        return np.empty((0, 0)), np.empty(0)
    permuted, blocks, order = linalg.ldl(square, lower=True, check_finite=False)
    lower = permuted[order]
    pivots, vectors = _diagonalise(blocks)
    # What was subtracted on the way to a pivot bounds the rounding in it. For a
    # definite S this is the diagonal of S, so that small objects keep their pivots.
    magnitudes = np.square(lower @ vectors) @ np.abs(pivots)
    magnitudes = np.square(vectors).T @ magnitudes
    rounding = np.abs(pivots) <= eps * (size + 64) * magnitudes
    sizes = np.where(rounding, 1.0, np.sqrt(np.abs(pivots)))
    frame, signs = np.empty((size, size)), np.empty(size)
    frame[np.ix_(order, order)] = linalg.solve_triangular(
        lower, vectors / sizes, lower=True, unit_diagonal=True, trans="T"
    )
    signs[order] = np.where(rounding, 0.0, np.sign(pivots))
    return frame, signs


def _diagonalise(blocks):
    """Return eigenvalues and eigenvectors of blocks of one and two on a diagonal."""
    pivots, vectors = np.diagonal(blocks).copy(), np.eye(len(blocks))
    for at in np.flatnonzero(np.diagonal(blocks, -1)):
        pair = slice(at, at + 2)
        pivots[pair], vectors[pair, pair] = linalg.eigh(blocks[pair, pair])
    return pivots, vectors


def rotation_towards(images, signs, frame_images, frame_signs, n_columns):
    """Return the rotation of axes that brings exemplars to their own coordinates.

    Parameters
    ----------
    images : ndarray of shape (e, r)
        Y_E.
    signs : ndarray of shape (r,)
        J, entries +1 and -1.
    frame_images : ndarray of shape (e, e)
        S P; column j belongs to exemplar j.
    frame_signs : ndarray of shape (e,)
        D.
    n_columns : int
        m, at least r and e.

    Returns
    -------
    rotation : ndarray of shape (r, n_columns)
        O. Its rows are orthonormal, so ``Y O diag(column_signs) O' Y'`` is ``Y J Y'``.
    column_signs : ndarray of shape (n_columns,)
        +1, -1, or 0 for a column without an axis.

    Notes
    -----
    Column j stands for exemplar j wherever the axes have as many of a sign as the
    exemplars. If not, as can happen to indefinite kernels, the axes left over take the
    columns left over.
    """
    rotation, column_signs = np.zeros((len(signs), n_columns)), np.zeros(n_columns)
    groups = []
    for sign in (1.0, -1.0):
        axes = np.flatnonzero(signs == sign)
        groups.append((sign, axes, np.flatnonzero(frame_signs == sign)[: len(axes)]))
    free = np.setdiff1d(np.arange(n_columns), np.concatenate([g[2] for g in groups]))
    for sign, axes, own in groups:
        more, free = np.split(free, [len(axes) - len(own)])
        towards = np.zeros((len(axes), len(axes)))
        towards[:, : len(own)] = images[:, axes].T @ frame_images[:, own]
        left, _, right = linalg.svd(towards, check_finite=False)
        turned = left @ right
        # Nothing fixes the direction of an axis without an exemplar but its image.
        turned[:, len(own) :] *= orientation(images[:, axes] @ turned[:, len(own) :])
        columns = np.concatenate([own, more])
        rotation[np.ix_(axes, columns)] = turned
        column_signs[columns] = sign
    return rotation, column_signs
