"""Probes: the few objects whose mutual comparisons fix the core.

Landmarks always belong to them. Of the others at most m are the rows that best
condition the least-squares fit, found by a column-pivoted QR of the transposed
orthonormal basis of the rows of a pilot sample *and* of the objects of highest leverage
outside it: they bound how far the fit can be off for any object. The rest are uniform:
they keep the fit honest on average.
"""

import numpy as np
from scipy import linalg

from ._spectrum import negligible

__all__ = ["count_extra_probes", "pick_probes", "pilot_size", "pivot"]

# With so many the error is 1.05 to 1.3 times the optimal core's; with three for each
# landmark it is up to 2. Few landmarks need more of them each than many.
_FEWEST, _PER_LANDMARK = 160, 6


def count_extra_probes(n_probes, n_objects, n_landmarks, n_outside):
    """Return how many probes are taken besides the landmarks.

    Parameters
    ----------
    n_probes : int or "auto"
    n_objects : int
        N.
    n_landmarks : int
        m.
    n_outside : int
        Landmarks that are not among the N objects: m or 0.

    Returns
    -------
    count : int or None
        None for 0 probes, which asks for the papers' core W^+. For "auto" 6 m + 160,
        but never so many that the comparisons among them exceed half of the N m
        comparisons of the data with the landmarks; all objects where N is that small.
    """
    if n_probes == 0:
        return None
    available = n_objects + n_outside - n_landmarks
    if n_probes == "auto":
        # e (e + 1) / 2 <= N m / 2
        affordable = int(np.sqrt(n_objects * n_landmarks + 0.25) - 0.5)
        n_probes = min(_FEWEST + _PER_LANDMARK * n_landmarks, affordable)
    return int(np.clip(n_probes, 0, available))


def pilot_size(n_landmarks, n_extra):
    """Return how many rows the pilot sample holds: enough to pivot well, bounded."""
    return max(10 * n_landmarks, 1000, n_landmarks + n_extra)


def pick_probes(rows, n_landmarks, n_pilot, n_extra, *, centred, eps):
    """Choose probes among the rows of a pilot sample and of a reservoir.

    Parameters
    ----------
    rows : ndarray of shape (p, m)
        Basis rows. The leading `n_landmarks` belong to landmarks, those up to `n_pilot`
        to the pilot sample, in random order; the rest to the reservoir.
    n_landmarks, n_pilot : int
    n_extra : int
    centred : bool
        As in the fit.
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    pivots, uniform : ndarray of int
        Rows that are probes besides the landmarks, `n_extra` at most: those found by
        pivoting, and uniform ones. Cost O(p m^2).
    """
    if n_extra >= len(rows) - n_landmarks:
        return np.arange(0), np.arange(n_landmarks, len(rows))
    chosen = pivot(rows, centred=centred, eps=eps)
    chosen = chosen[chosen >= n_landmarks][:n_extra]
    free = np.ones(n_pilot, dtype=bool)
    free[:n_landmarks] = False
    free[chosen[chosen < n_pilot]] = False
    uniform = np.flatnonzero(free)[: n_extra - len(chosen)]
    return chosen, uniform


def pivot(rows, *, centred, eps):
    """Return the rows that condition a least-squares fit best, as many as the rank.

    Parameters
    ----------
    rows : ndarray of shape (p, q)
    centred : bool
    eps : float

    Returns
    -------
    positions : ndarray of int
        In the order of a column-pivoted QR of the transposed orthonormal basis.
    """
    if centred:
        rows = rows - rows.mean(axis=0)
    basis, root = linalg.qr(rows, mode="economic", check_finite=False)
    rotation, sizes, _ = linalg.svd(root, full_matrices=False, check_finite=False)
    basis = basis @ rotation[:, ~negligible(sizes, len(rows), eps)]
    _, pivots = linalg.qr(basis.T, mode="r", pivoting=True, check_finite=False)
    return pivots[: basis.shape[1]]
