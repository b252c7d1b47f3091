"""Sylvester's law of inertia made a computation: ``P' S P = D``.

Every symmetric S is congruent to a diagonal matrix of ones, minus ones and zeros, and
how many there are of each does not depend on P. For the similarities S among exemplars
the columns of P say which combinations of exemplars make an orthonormal frame.

======  ===========================================================  =========
symbol  meaning                                                      shape
======  ===========================================================  =========
S       similarities among the exemplars                             (e, e)
P       the congruence, invertible                                   (e, e)
D       diagonal of P' S P: +1, -1, or 0 past the rank               (e,)
L, B    factors of the pivoted ``S = L B L'``, B of blocks 1 and 2   (e, e)
======  ===========================================================  =========

The paper eliminates without pivoting and divides by the square root of whatever stands
on the diagonal, which may be zero. The pivoted factorisation of Bunch and Kaufman takes
a block of two there.

References
----------
A. Elbagoury, R. Ibrahim, M. S. Kamel, F. Karray (2016). EBEK: exemplar-based kernel
preserving embedding. IJCAI 2016, 1441-1447: lemma 3.2, eq. 6 and algorithm 3.
J. R. Bunch, L. Kaufman (1977). Some stable methods for calculating inertia and solving
symmetric linear systems. Mathematics of Computation 31, 163-179.
doi:10.1090/S0025-5718-1977-0428694-0
"""

import numpy as np
from scipy import linalg

from ..factor._spectrum import FLOAT64_EPS

__all__ = ["congruence"]


def congruence(square, eps=FLOAT64_EPS):
    """Return P and D of Sylvester's law, ``P' S P = diag(D)``.

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
    >>> from skproxy.embedding._congruence import congruence
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
    pivots, turns = _diagonalise(blocks)
    # What was subtracted on the way to a pivot bounds the rounding in it. For a
    # definite S this is the diagonal of S, so that small objects keep their pivots.
    spread = lower @ turns
    magnitudes = np.square(spread) @ np.abs(pivots)
    turned_magnitudes = np.square(turns).T @ magnitudes
    rounding = np.abs(pivots) <= eps * (size + 64) * turned_magnitudes
    signs = np.where(rounding, 0.0, np.sign(pivots))
    sizes = np.where(rounding, 1.0, np.sqrt(np.abs(pivots)))
    columns = linalg.solve_triangular(
        lower, turns / sizes, lower=True, unit_diagonal=True, trans="T"
    )
    frame = np.empty((size, size))
    frame[np.ix_(order, order)] = columns
    ordered = np.empty(size)
    ordered[order] = signs
    return frame, ordered


def _diagonalise(blocks):
    """Return eigenvalues and eigenvectors of blocks of one and two on a diagonal."""
    size = len(blocks)
    pivots, turns = np.diagonal(blocks).copy(), np.eye(size)
    at = 0
    while at < size:
        if at + 1 < size and blocks[at + 1, at] != 0.0:
            pair = slice(at, at + 2)
            pivots[pair], turns[pair, pair] = linalg.eigh(blocks[pair, pair])
            at += 1
        at += 1
    return pivots, turns
