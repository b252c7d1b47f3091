"""Signed spectra: what counts as zero, and what the corrections do.

A symmetric proximity matrix that no Euclidean space can hold has negative eigenvalues.
Everything skproxy says or does about them is a pure function of the eigenvalues, kept
here: the one cut-off below which an eigenvalue is rounding, the signature, the negative
fraction, the share of an axis and the corrections that make a spectrum non-negative.

======  ==========================================================  =========
symbol  meaning                                                     shape
======  ==========================================================  =========
a       eigenvalues before correction, squared units of the metric  (r,)
a*      eigenvalues after correction, none of them negative         (r,)
======  ==========================================================  =========
"""

import numpy as np

__all__ = [
    "CORRECTIONS",
    "axis_shares",
    "correct_eigenvalues",
    "is_psd",
    "negative_fraction",
    "negligible",
    "negligible_below",
    "signature",
]


FLOAT64_EPS = float(np.finfo(np.float64).eps)


def negligible(values, size, eps=FLOAT64_EPS, entries=0.0):
    """Tell which values are rounding: ``eps * (size + 64)`` of the largest modulus.

    The only cut-off of the library. It is relative, hence free of units. Rounding of a
    matrix grows with its size; the 64 allows for the few operations that any entry has
    behind it, which decide for small matrices.

    Parameters
    ----------
    values : ndarray of shape (r,)
        Eigenvalues or singular values.
    size : int
        Larger side of the matrix that they belong to.
    eps : float, default=2.2e-16
        Relative rounding of the entries of that matrix.
    entries : float, default=0
        Largest modulus of the entries before centring took a common offset off them:
        their rounding stays. Without an offset no entry passes the largest value.

    Returns
    -------
    mask : ndarray of shape (r,), dtype=bool
    """
    return np.abs(values) <= negligible_below(values, size, eps, entries)


def negligible_below(values, size, eps=FLOAT64_EPS, entries=0.0):
    """Return the modulus up to which `negligible` calls a value rounding."""
    return eps * (size + 64) * np.abs(values).max(initial=entries)


def is_psd(eigenvalues, dtype):
    """Tell whether no eigenvalue is below zero by more than rounding.

    Above -1e-8 of the largest, -1e-5 in single precision: what the comparisons
    themselves are exact to.
    """
    tolerance = max(1e-8, 100 * float(np.finfo(dtype).eps))
    return eigenvalues.min() >= -tolerance * np.abs(eigenvalues).max()


def _flip(a):
    return np.abs(a)


def _clip(a):
    return np.maximum(a, 0.0)


def _square(a):
    return np.square(a)


def _shift(a):
    # Only the kept eigenvalues move, so the rank stays what it was; a true S + nu I
    # would need all N columns.
    return a - min(a.min(initial=0.0), 0.0)


def _keep(a):
    return a.copy()


#: name -> pure function of the kept eigenvalues. To add a correction, add a line.
CORRECTIONS = {
    "flip": _flip,
    "clip": _clip,
    "square": _square,
    "shift": _shift,
    None: _keep,
}


def correct_eigenvalues(eigenvalues, correction):
    """Correct a spectrum: flip, clip, square, shift or leave it.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        The kept (non-zero) eigenvalues.
    correction : {"flip", "clip", "square", "shift", None}
        ``"flip"`` takes moduli, ``"clip"`` drops negative ones, ``"square"`` squares,
        ``"shift"`` adds the modulus of the most negative one to each, None copies.

    Returns
    -------
    corrected : ndarray of shape (r,)
        In the units of `eigenvalues` (squared for ``"square"``).
    """
    return CORRECTIONS[correction](np.asarray(eigenvalues, dtype=np.float64))


def signature(eigenvalues, n_samples):
    """Count positive, negative and zero eigenvalues of an n x n matrix.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        Its eigenvalues; those that are rounding set to exactly zero.
    n_samples : int
        Order n of the matrix.

    Returns
    -------
    signature : tuple of three int
        ``(p, q, z)`` with ``p + q + z == n_samples``.
    """
    positive = int(np.count_nonzero(eigenvalues > 0))
    negative = int(np.count_nonzero(eigenvalues < 0))
    return positive, negative, int(n_samples) - positive - negative


def negative_fraction(eigenvalues):
    """Sum of the moduli of the negative eigenvalues over the sum of all moduli.

    Dimensionless; 0 for a positive semi-definite matrix and for a zero matrix.
    """
    moduli = np.abs(eigenvalues)
    largest = moduli.max(initial=0.0)
    if largest == 0.0:
        return 0.0
    moduli = moduli / largest
    return float(moduli[eigenvalues < 0].sum() / moduli.sum())


def axis_shares(eigenvalues, axes, total):
    """Share of some axes in a spectrum, over a stated denominator.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        The whole spectrum, before correction.
    axes : ndarray of shape (k,)
        The eigenvalues whose shares are asked for.
    total : {"absolute", "positive", "signed"}
        ``"absolute"``: ``|a|`` over the sum of moduli. ``"positive"``: max(a, 0) over
        the sum of positive eigenvalues. ``"signed"``: a over the trace; shares of
        positive axes can pass 1 and those of negative axes are negative, but they sum
        to 1.

    Returns
    -------
    shares : ndarray of shape (k,)
        Dimensionless; all zero where the denominator is zero.
    """
    parts = {
        "absolute": np.abs,
        "positive": _clip,
        "signed": np.asarray,
    }
    if total not in parts:
        msg = (
            "total of axis_shares must be 'absolute', 'positive' or 'signed'; "
            f"got {total!r}."
        )
        raise ValueError(msg)
    part = parts[total]
    denominator = part(np.asarray(eigenvalues, dtype=np.float64)).sum()
    numerator = part(np.asarray(axes, dtype=np.float64))
    if denominator == 0.0:
        return np.zeros_like(numerator)
    return numerator / denominator
