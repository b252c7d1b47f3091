"""Probes: the few objects whose mutual comparisons fix the core.

Landmarks always belong to them. Of the others about a third are the rows that best
condition the least-squares fit, found by a column-pivoted QR of the transposed
orthonormal basis of a pilot sample (they bound how far the fit can be off anywhere in
the sample), the rest are uniform (they keep the fit honest on average).
"""

import numpy as np
from scipy import linalg

from ._spectrum import negligible

__all__ = ["count_extra_probes", "pick_probes", "pilot_size"]


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
        None for 0 probes, which asks for the papers' core W^+. For "auto" 3 m, but
        never so many that the comparisons among all s probes, s^2 / 2, exceed the N m
        comparisons of the data with the landmarks; all objects where N is that small.
    """
    if n_probes == 0:
        return None
    available = n_objects + n_outside - n_landmarks
    if n_probes == "auto":
        affordable = int(np.sqrt(2.0 * n_objects * n_landmarks))
        n_probes = min(4 * n_landmarks, affordable) - n_landmarks
    return int(np.clip(n_probes, 0, available))


def pilot_size(n_landmarks, n_extra):
    """Return how many rows the pilot sample holds: enough to pivot well, bounded."""
    return max(10 * n_landmarks, 1000, n_landmarks + n_extra)


def pick_probes(rows, n_landmarks, n_extra, *, centred, eps):
    """Choose probes among the rows of a pilot sample.

    Parameters
    ----------
    rows : ndarray of shape (p, m)
        Scaled comparisons of the pilot objects with the landmarks. The leading
        `n_landmarks` rows belong to landmarks, the rest are in random order.
    n_landmarks : int
    n_extra : int
    centred : bool
        As in the fit.
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    positions : ndarray of shape (n_extra,)
        Rows that are probes besides the landmarks, increasing. Cost O(p m^2).
    """
    n_rows, n_columns = rows.shape
    candidates = n_rows - n_landmarks
    if n_extra >= candidates:
        return np.arange(n_landmarks, n_rows)
    if centred:
        rows = rows - rows.mean(axis=0)
    basis, sizes, _ = linalg.svd(rows, full_matrices=False, check_finite=False)
    basis = basis[:, ~negligible(sizes, n_rows, eps)]
    _, pivots = linalg.qr(basis.T, mode="r", pivoting=True, check_finite=False)
    chosen = pivots[: min(n_columns, basis.shape[1])]
    chosen = chosen[chosen >= n_landmarks][:n_extra]
    taken = np.zeros(n_rows, dtype=bool)
    taken[chosen] = True
    taken[:n_landmarks] = True
    uniform = np.flatnonzero(~taken)[: n_extra - len(chosen)]
    return np.sort(np.concatenate([chosen, uniform]))
