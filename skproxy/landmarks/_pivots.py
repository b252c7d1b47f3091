"""Pivots of partial Cholesky factorisations of F F', found from F.

======  =====================================================  ======
symbol  meaning                                                shape
======  =====================================================  ======
F       rows, one per object; their inner products are K       (c, k)
R       rows with the span of the chosen ones taken out        (c, k)
T       targets: rows that the span of the chosen shall hold   (c, l)
a       lengths of the columns of T, which are orthogonal      (l,)
======  =====================================================  ======

The residual of K is ``R R'``. Where K is given by comparisons a Cholesky factorisation
spares its entries; here rows are given, and projecting them costs the same.

Of the targets only the lengths of their columns are needed: taking the direction of r
out of them takes ``|T r|^2 / |r|^2 = |a r|^2 / |r|^2`` from their sum of squares, since
what was taken out before is orthogonal to r. Trailing columns that F has and T lacks
count as zero.
"""

import numpy as np
from scipy import linalg

__all__ = ["greedy_pivots", "random_pivots", "swap_pivots", "trace_pivots"]


def greedy_pivots(F, n_pivots, negligible):
    """Choose the row with the largest residual, again and again.

    Parameters
    ----------
    F : ndarray of shape (c, k)
    n_pivots : int
    negligible : float
        Squared length up to which a residual is rounding.

    Returns
    -------
    pivots : ndarray of shape (at most n_pivots,)
        Never none: the first row where all are zero. Cost O(c k m).
    """
    return _pivots(F, n_pivots, negligible, _squares)


def trace_pivots(F, lengths, n_pivots, negligible):
    """Choose the row that lowers the residual of the targets most, again and again.

    Parameters
    ----------
    F : ndarray of shape (c, k)
    lengths : ndarray of shape (at most k,)
        a.
    n_pivots : int
    negligible : float

    Returns
    -------
    pivots : ndarray of shape (at most n_pivots,)
        Never none. Cost O(c k m).
    """
    lengths = _padded(lengths, F)

    def gains(R):
        squares = _squares(R)
        return _squares(R * lengths) / np.where(squares > 0, squares, np.inf)

    return _pivots(F, n_pivots, negligible, gains)


def _pivots(F, n_pivots, negligible, score):
    R, chosen = F.copy(), []
    while len(chosen) < n_pivots:
        squares = _squares(R)
        open_rows = squares > negligible
        open_rows[chosen] = False
        if not open_rows.any():
            break
        pivot = int(np.where(open_rows, score(R), -np.inf).argmax())
        chosen.append(pivot)
        direction = R[pivot] / np.sqrt(squares[pivot])
        R -= np.outer(R @ direction, direction)
    return np.asarray(chosen or [0], dtype=np.intp)


def _squares(R):
    return np.einsum("ij,ij->i", R, R)


def _padded(lengths, F):
    return np.pad(lengths, (0, F.shape[1] - len(lengths)))


def swap_pivots(F, lengths, chosen, negligible):
    """Put up every pivot for a swap that lowers the residual of the targets, once.

    Parameters
    ----------
    F : ndarray of shape (c, k)
    lengths : ndarray of shape (at most k,)
        a.
    chosen : ndarray of shape (m,)
    negligible : float

    Returns
    -------
    pivots : ndarray of shape (m,)
        The residual is never larger than before. Cost O(c k m) and O(k m^2) a swap.
    """
    chosen = chosen.copy()
    lengths = _padded(lengths, F)
    basis, alone = _directions(F[chosen])
    R = F - (F @ basis) @ basis.T
    squares, gains = _squares(R), _squares(R * lengths)
    for i in range(len(alone)):
        # Give what only pivot i adds back to all rows: R + along alone_i'.
        along = F @ alone[i]
        weighed = np.square(lengths) * alone[i]
        back = squares + np.square(along)
        scores = gains + 2.0 * along * (R @ weighed)
        scores += np.square(along) * (alone[i] @ weighed)
        scores /= np.where(back > 0, back, np.inf)
        scores[back <= negligible] = -np.inf
        scores[np.delete(chosen, i)] = -np.inf
        best = int(scores.argmax())
        if scores[best] <= scores[chosen[i]] * (1 + 1e-9):
            continue
        chosen[i] = best
        R += np.outer(along, alone[i])
        direction = R[best] / linalg.norm(R[best])
        R -= np.outer(R @ direction, direction)
        squares, gains = _squares(R), _squares(R * lengths)
        _, alone = _directions(F[chosen])
    return chosen


def _directions(rows):
    """Return a basis of the span of rows, and what each adds to that of the others.

    Returns
    -------
    basis : ndarray of shape (k, m)
    alone : ndarray of shape (m, k)
        Unit vectors, each orthogonal to all rows but one; none where rows are
        dependent.
    """
    basis, triangle = linalg.qr(rows.T, mode="economic", check_finite=False)
    if len(triangle) < len(rows) or (np.diagonal(triangle) == 0.0).any():
        return basis, np.empty((0, rows.shape[1]))
    alone = linalg.solve_triangular(triangle, basis.T, check_finite=False)
    return basis, alone / linalg.norm(alone, axis=1, keepdims=True)


def random_pivots(F, n_pivots, negligible, rng):
    """Draw rows in proportion to the squares of their residuals.

    Parameters
    ----------
    F : ndarray of shape (c, k)
    n_pivots : int
    negligible : float
    rng : RandomState

    Returns
    -------
    pivots : ndarray of shape (at most n_pivots,)
        Never none. Cost O(c k m). A block of proposals is drawn from the residuals
        known when it starts; each is accepted with the share of its residual that the
        acceptances before it have left.
    """
    R, chosen = F.copy(), []
    size = max(n_pivots // 10, 1)
    while len(chosen) < n_pivots:
        squares = _squares(R)
        squares[(squares <= negligible) | np.isin(np.arange(len(R)), chosen)] = 0.0
        total = squares.sum()
        if total == 0.0:
            break
        proposals = rng.choice(len(R), size=size, p=squares / total)
        among = R[proposals] @ R[proposals].T
        block = []
        for i, pivot in enumerate(proposals):
            left = among[i, i]
            # The first proposal is always accepted, so every block brings one.
            accepted = rng.uniform() * squares[pivot] < left and left > negligible
            if i == 0 or (accepted and len(chosen) + len(block) < n_pivots):
                block.append(int(pivot))
                among = among - np.outer(among[:, i], among[i]) / left
        basis, _ = linalg.qr(R[block].T, mode="economic", check_finite=False)
        R -= (R @ basis) @ basis.T
        chosen += block
    return np.asarray(chosen or [0], dtype=np.intp)
