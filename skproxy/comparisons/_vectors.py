"""Gaussians and Euclidean distances of dense vectors, block by block.

scikit-learn's functions for these validate both arguments on every call, which costs
more than a block of a thousand rows does. Its formula is kept,
``|x|^2 - 2 x'y + |y|^2`` in double precision whatever the input, but for one thing: the
mean of the landmarks is subtracted first, so that a common offset takes no digits.
"""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import distance_metrics

from .._sklearn import PAIRWISE_KERNEL_FUNCTIONS
from ._objects import consecutive_blocks

__all__ = [
    "evaluate_dense",
    "fast_block",
    "needs_dense",
]

# Names that take sparse matrices as they are; SciPy's do not.
_TAKE_SPARSE = {*distance_metrics(), *PAIRWISE_KERNEL_FUNCTIONS} | {
    "aitchison",
    "elm",
    "ruzicka",
    "tanimoto",
    "tl1",
}
_DENSE_ROWS = 256
_ROUNDING = 64 * float(np.finfo(np.float64).eps)
# An exponential does not show smaller errors of its argument.
_HARMLESS = 1e-9


def fast_block(compare, is_similarity, params, rows, others):
    """Return the function that evaluates a named measure of these rows here.

    Parameters
    ----------
    compare : str
    is_similarity : bool
    params : dict
    rows, others : ndarray or sparse matrix

    Returns
    -------
    evaluate : callable or None
        ``evaluate(rows, others, **params)``; None leaves it to scikit-learn.
    """
    evaluate, allowed = _FAST[is_similarity].get(compare, (None, ()))
    dense = all(
        isinstance(array, np.ndarray) and array.dtype in (np.float32, np.float64)
        for array in (rows, others)
    )
    return evaluate if dense and params.keys() <= set(allowed) else None


def scaled_squared_distances(rows, others, factor, *, exact_zeros=False):
    """Return ``factor * |x - y|^2``, shape (a, b), in the precision of the rows.

    With `exact_zeros` equal rows are at zero, not at rounding: roots would show it.

    One matrix product of ``[x, 1, |x|^2]`` and ``factor * [-2 y, |y|^2, 1]`` spares the
    passes over the block that would add the norms.
    """
    centre = others.mean(axis=0, dtype=np.float64)
    centre[~np.isfinite(centre)] = 0.0  # one that misses a value spoils itself alone
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
    # What the formula may be off by, of ``factor |x - y|^2``.
    off = _ROUNDING * (abs(factor) * left[:, -1].max(initial=0.0) + abs(right).max())
    if exact_zeros or off > _HARMLESS:
        _repeat_small(block, left, right, factor)
    # Rounding on the wrong side of zero goes in the same pass as the cast.
    bound = np.minimum if factor < 0 else np.maximum
    if rows.dtype == np.float64:
        return bound(block, 0.0, out=block)
    result = np.empty(block.shape, dtype=rows.dtype)
    return bound(block, 0.0, out=result, casting="same_kind")


def _repeat_small(block, left, right, factor):
    """Compute anew, from differences, what the formula leaves no digits of, in place.

    Equal rows are at a distance of zero then, whichever block they meet in.
    """
    if block.size == 0 or factor == 0:
        return
    size = abs(factor)
    rounding = _ROUNDING
    rows, others = size * left[:, -1], np.abs(right[:, -2])
    closest = -block.max() if factor < 0 else block.min()
    if not closest <= rounding * (rows.max() + others.max()):
        return
    # A few rows at a time: where all are alike these are many.
    for part in consecutive_blocks(len(block), 64):
        small = np.abs(block[part]) <= rounding * (rows[part, None] + others)
        for i in np.flatnonzero(small.any(axis=1)):
            j = small[i]
            gaps = left[part.start + i, :-2] + right[j, :-2] / (2.0 * factor)
            block[part.start + i, j] = factor * np.einsum("ij,ij->i", gaps, gaps)


def euclidean_block(rows, others):
    """Return Euclidean distances, shape (a, b), in the precision of the rows."""
    block = scaled_squared_distances(rows, others, 1.0, exact_zeros=True)
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


def linear_block(rows, others):
    """Return inner products, shape (a, b)."""
    return rows @ others.T


def polynomial_block(rows, others, gamma=None, coef0=1, degree=3):
    """Return ``(gamma x'y + coef0)^degree``, shape (a, b).

    Parameters
    ----------
    rows, others : ndarray of shape (a, n_features) and (b, n_features)
    gamma : float, default=None
        None takes 1 / n_features, as scikit-learn does.
    coef0, degree : float
        None takes scikit-learn's 1 and 3.
    """
    block = _affine(rows, others, gamma, coef0)
    degree = 3 if degree is None else degree
    if degree == 3:  # a general power costs ten products
        return block * np.square(block)
    return np.power(block, degree, out=block)


def sigmoid_block(rows, others, gamma=None, coef0=1):
    """Return ``tanh(gamma x'y + coef0)``, shape (a, b); see `polynomial_block`."""
    block = _affine(rows, others, gamma, coef0)
    return np.tanh(block, out=block)


def _affine(rows, others, gamma, coef0):
    block = rows @ others.T
    block *= 1.0 / rows.shape[1] if gamma is None else gamma
    block += 1 if coef0 is None else coef0
    return block


def cosine_block(rows, others):
    """Return cosines, shape (a, b); those of a zero row are zero."""
    return _unit_rows(rows) @ _unit_rows(others).T


def _unit_rows(rows):
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1.0
    return rows / lengths[:, None]


#: By whether it is a similarity: name -> function and the parameters that it takes.
_FAST = {
    True: {
        "rbf": (rbf_block, ("gamma",)),
        "linear": (linear_block, ()),
        "poly": (polynomial_block, ("gamma", "coef0", "degree")),
        "polynomial": (polynomial_block, ("gamma", "coef0", "degree")),
        "sigmoid": (sigmoid_block, ("gamma", "coef0")),
        "cosine": (cosine_block, ()),
    },
    False: {"euclidean": (euclidean_block, ()), "l2": (euclidean_block, ())},
}


def needs_dense(compare, rows):
    """Tell whether a measure by name takes no sparse matrix, and rows are one."""
    return sparse.issparse(rows) and compare not in _TAKE_SPARSE


def evaluate_dense(evaluate, rows, others):
    """Compare sparse rows by a function of dense ones, a few hundred of them at a time.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(rows, others)`` of two dense arrays.
    rows, others : sparse matrix of shape (a, n_features) and (b, n_features)

    Returns
    -------
    block : ndarray of shape (a, b)
        At most 512 rows are dense at any time.
    """
    block = np.empty((rows.shape[0], others.shape[0]))
    for top in range(0, rows.shape[0], _DENSE_ROWS):
        mine = rows[top : top + _DENSE_ROWS].toarray()
        for left in range(0, others.shape[0], _DENSE_ROWS):
            same = others is rows and top == left
            theirs = mine if same else others[left : left + _DENSE_ROWS].toarray()
            part = evaluate(mine, theirs)
            block[top : top + len(mine), left : left + len(theirs)] = part
    return block
