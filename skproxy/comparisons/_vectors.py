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
    "euclidean_block",
    "evaluate_dense",
    "has_fast_block",
    "needs_dense",
    "rbf_block",
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
    rounding = 64 * np.finfo(np.float64).eps
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
