"""Labels as class codes, for the selectors that look at y."""

import numpy as np
from sklearn.utils.multiclass import type_of_target

__all__ = ["class_codes"]


def class_codes(y, n_samples, owner):
    """Return the class of every object as an integer from zero on.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs) or None
        Labels. Each combination of several outputs is a class; None and continuous
        targets make a single one.
    n_samples : int
    owner : str
        Class name of the selector, for messages.

    Returns
    -------
    codes : ndarray of shape (n_samples,)
    """
    if y is None:
        return np.zeros(n_samples, dtype=np.intp)
    y = np.asarray(y)
    if y.ndim == 0 or len(y) != n_samples:
        msg = (
            f"y of {owner} must hold one label per object; got shape {y.shape} for "
            f"{n_samples} objects. Leave y out to treat all objects as one class."
        )
        raise ValueError(msg)
    if y.dtype.kind == "f" and type_of_target(y).startswith("continuous"):
        return np.zeros(n_samples, dtype=np.intp)
    axis = 0 if y.ndim == 2 else None
    return np.unique(y, axis=axis, return_inverse=True)[1].reshape(n_samples)
