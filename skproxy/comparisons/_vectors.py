"""Gaussians and Euclidean distances of dense vectors, block by block.

scikit-learn's functions for these validate both arguments on every call, which costs
more than a block of a thousand rows does. Its formula is kept,
``|x|^2 - 2 x'y + |y|^2`` in double precision whatever the input, but for one thing: the
mean of the landmarks is subtracted first, so that a common offset takes no digits.
"""

import numpy as np

__all__ = ["euclidean_block", "has_fast_block", "rbf_block"]


def has_fast_block(compare, params, rows, others):
    """Tell whether a named measure of these rows is evaluated here.

    Parameters
    ----------
    compare : str
    params : dict
    rows, others : ndarray or sparse matrix
    """
    allowed = {"rbf": {"gamma"}, "euclidean": set(), "l2": set()}.get(compare)
    return (
        allowed is not None
        and params.keys() <= allowed
        and all(
            isinstance(array, np.ndarray) and array.dtype in (np.float32, np.float64)
            for array in (rows, others)
        )
    )


def scaled_squared_distances(rows, others, factor):
    """Return ``factor * |x - y|^2``, shape (a, b), in the precision of the rows.

    One matrix product of ``[x, 1, |x|^2]`` and ``factor * [-2 y, |y|^2, 1]`` spares the
    passes over the block that would add the norms.
    """
    centre = others.mean(axis=0, dtype=np.float64)
    left = np.empty((rows.shape[0], rows.shape[1] + 2))
    right = np.empty((others.shape[0], rows.shape[1] + 2))
    np.subtract(rows, centre, out=left[:, :-2])
    np.subtract(others, centre, out=right[:, :-2])
    left[:, -2] = 1.0
    left[:, -1] = np.einsum("ij,ij->i", left[:, :-2], left[:, :-2])
    right[:, -2] = np.einsum("ij,ij->i", right[:, :-2], right[:, :-2])
    right[:, -1] = 1.0
    right[:, :-2] *= -2.0
    right *= factor
    block = left @ right.T
    # Rounding on the wrong side of zero goes in the same pass as the cast.
    bound = np.minimum if factor < 0 else np.maximum
    if rows.dtype == np.float64:
        return bound(block, 0.0, out=block)
    result = np.empty(block.shape, dtype=rows.dtype)
    return bound(block, 0.0, out=result, casting="same_kind")


def euclidean_block(rows, others):
    """Return Euclidean distances, shape (a, b), in the precision of the rows."""
    block = scaled_squared_distances(rows, others, 1.0)
    return np.sqrt(block, out=block)


def rbf_block(rows, others, gamma=None):
    """Return ``exp(-gamma |x - y|^2)``, shape (a, b), in the precision of the rows.

    Parameters
    ----------
    rows, others : ndarray of shape (a, n_features) and (b, n_features)
    gamma : float, default=None
        None takes 1 / n_features, as scikit-learn does.
    """
    gamma = 1.0 / rows.shape[1] if gamma is None else gamma
    block = scaled_squared_distances(rows, others, -gamma)
    return np.exp(block, out=block)
