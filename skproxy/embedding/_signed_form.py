"""Dissimilarities of coordinates whose axes have signs: the bilinear form."""

import numpy as np
from sklearn.utils import check_array

__all__ = ["check_coordinates", "signed_dissimilarities"]


def check_coordinates(estimator, X, name):
    """Return coordinates as a float64 array with as many columns as were fitted."""
    X = check_array(X, dtype=np.float64, input_name=name, estimator=estimator)
    wanted = len(estimator.axis_signs_)
    if X.shape[1] != wanted:
        msg = (
            f"{name} of {type(estimator).__name__} must be coordinates from transform, "
            f"with n_components = {wanted} columns; got {X.shape[1]}. Objects are "
            "transformed first."
        )
        raise ValueError(msg)
    return X


def signed_dissimilarities(rows, others, signs):
    """Return ``sum_l s_l (x_il - y_jl)^2``.

    Parameters
    ----------
    rows, others : ndarray of shape (a, k) and (b, k)
    signs : ndarray of shape (k,)

    Returns
    -------
    D : ndarray of shape (a, b)
        Zero, not rounding, on the diagonal where `others` is `rows`. Cost O(a b k).
    """
    same = others is rows
    # About the mean, or a common offset would cost digits.
    mean = others.mean(axis=0)
    rows, others = rows - mean, others - mean
    D = (rows * (-2.0 * signs)) @ others.T
    D += (np.square(rows) @ signs)[:, None]
    D += np.square(others) @ signs
    if same:
        np.fill_diagonal(D, 0.0)
    return D
