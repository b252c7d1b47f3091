"""Numeric facts that comparisons must satisfy, each checked in one place.

The tolerances are relative to the largest comparison: what rounding can produce passes,
anything else is an error that names the objects and the values.
"""

import numpy as np

from ._objects import consecutive_blocks

__all__ = [
    "check_dissimilarities",
    "check_finite",
    "check_real",
    "check_square",
    "check_zero_diagonal",
    "rounding_tolerance",
    "worst_asymmetry",
]

ASYMMETRY_TOLERANCE = 1e-6
# sqrt(2 (1 - r)) of two equal rows, and its like, relative to the largest.
_ROOT_OF_ROUNDING = 1e-6
_SHOWN = 5


def rounding_tolerance(dtype):
    """Return the relative size below which a negative or diagonal value is rounding."""
    if dtype == np.float32:
        return 16 * float(np.finfo(np.float32).eps)
    return 1e-8


def _pair(i, j, rows, columns):
    # numpy integers print as np.int64(3); people want (3, 4).
    return (
        int(i if rows is None else rows[i]),
        int(j if columns is None else columns[j]),
    )


def _ordered_pair(i, j, rows, columns):
    first, second = _pair(i, j, rows, columns)
    return (first, second) if first <= second else (second, first)


def check_finite(block, name, rows=None, columns=None):
    """Raise ValueError naming the first pair whose comparison is NaN or infinite.

    Parameters
    ----------
    block : ndarray of shape (a, b)
    name : str
        What the comparisons come from, for the message.
    rows, columns : ndarray of int, default=None
        Positions of the objects in the user's data; None counts from zero.
    """
    # The sum is finite unless an entry is not (or the sum overflows): one pass without
    # a mask the size of the block in the usual case.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return
    bad = ~np.isfinite(block)
    if not bad.any():
        return
    i, j = np.unravel_index(int(bad.argmax()), bad.shape)
    msg = (
        f"{name} must give finite comparisons; got {block[i, j]} for the pair "
        f"{_pair(i, j, rows, columns)} ({int(bad.sum())} such values in this block). "
        "Objects with nothing in common to compare (empty samples, say) need a value "
        "of your choice: fill it in before fitting, or drop the objects. "
        "Input contains NaN or infinity."
    )
    raise ValueError(msg)


def check_real(block, name):
    """Raise ValueError for complex numbers and for dates, which are no sizes."""
    kind = getattr(getattr(block, "dtype", None), "kind", None)
    if kind in ("M", "m"):
        msg = (
            f"{name} must be numbers; got {block.dtype}. Turn them into numbers of "
            "one unit first, days for instance."
        )
        raise ValueError(msg)
    if kind == "c":
        msg = (
            f"{name} must be real; got complex numbers. Complex data not supported: "
            "take np.abs or np.real of them, whichever is meant."
        )
        raise ValueError(msg)


def check_zero_diagonal(diagonal, scale, tolerance, name, rows=None):
    """Raise ValueError listing objects that are dissimilar to themselves.

    A dissimilarity that is a root carries the root of rounding there.
    """
    tolerance = max(_ROOT_OF_ROUNDING, 0.0 if tolerance < 1e-7 else tolerance**0.5)
    bad = np.flatnonzero(np.abs(diagonal) > tolerance * scale)
    if len(bad) == 0:
        return
    shown = [int(i if rows is None else rows[i]) for i in bad[:_SHOWN]]
    values = [float(diagonal[i]) for i in bad[:_SHOWN]]
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    msg = (
        f"{name} must give zero for an object and itself (a zero diagonal); got "
        f"{values} for the objects {shown}{more}. If large values mean alike, these "
        "are similarities: use Nystroem(kernel=...) or EigenCorrector("
        "input='similarity'). Otherwise set the diagonal to zero; "
        "skproxy.inspection.diagnose says more about the comparisons."
    )
    raise ValueError(msg)


def check_dissimilarities(block, scale, tolerance, name, rows=None, columns=None):
    """Raise ValueError naming a pair that is negative beyond rounding."""
    if block.size == 0 or block.min() >= -tolerance * scale:
        return
    # Equal landmarks have no scale of their own; then that of the block counts.
    if block.min() >= -tolerance * float(np.abs(block).max()):
        return
    i, j = np.unravel_index(int(block.argmin()), block.shape)
    msg = (
        f"Negative values in data: {name} must give dissimilarities that are not "
        "negative; got "
        f"{float(block[i, j])!r} for the pair {_ordered_pair(i, j, rows, columns)}. "
        "Negative values are allowed only with power=1 (values that are already "
        "squared); a similarity belongs into Nystroem."
    )
    raise ValueError(msg)


def worst_asymmetry(upper, lower):
    """Return the position and size of the largest difference of two blocks."""
    if upper.size == 0:
        return 0, 0, 0.0
    gap = np.abs(upper - lower)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    return int(i), int(j), float(gap[i, j])


def raise_asymmetric(pair, forth, back, name):
    """Raise ValueError for the worst asymmetric pair."""
    msg = (
        f"{name} must be symmetric; got {forth!r} for the pair {pair} and {back!r} for "
        f"({pair[1]}, {pair[0]}). If the direction carries no meaning, pass "
        "symmetrize='average', 'min' or 'max' (both ways of a function are evaluated "
        "then), or symmetrise the values yourself."
    )
    raise ValueError(msg)


def _check_triangles(matrix, name, dissimilarity, symmetrize):
    """Raise ValueError where one triangle of a matrix is empty, and the other is not.

    Averaging would halve every comparison. The maximum is the direction that is there,
    as long as what is not there is zero and nothing that is there is negative.
    """
    n_objects = matrix.shape[0]
    side = _empty_triangle(matrix) if n_objects > 2 else None
    if side is None:
        return
    corner = (n_objects - 1, 0) if side == "below" else (0, n_objects - 1)
    is_blank = bool(np.isnan(np.float64(matrix[corner])))
    if symmetrize == "max" and dissimilarity and not is_blank:
        return
    half = "np.triu(X, 1)" if side == "below" else "np.tril(X, -1)"
    msg = (
        f"{name} must hold both directions of each pair; got one triangle: all "
        f"{n_objects * (n_objects - 1) // 2} entries {side} the diagonal are "
        f"{'NaN' if is_blank else 'zero'}. Mirror the other one, half = {half}; X = "
        "half + half.T + np.diag(np.diag(X)); for dissimilarities with zeros there "
        "symmetrize='max' does the same."
    )
    raise ValueError(msg)


def _empty_triangle(matrix):
    """Return the side of the diagonal where nothing is, if the other has something."""
    triangles = {
        "below": lambda i: matrix[i, :i],
        "above": lambda i: matrix[i, i + 1 :],
    }
    # Each search ends at the first row that holds something.
    empty = [
        side
        for side, entries in triangles.items()
        if all(_is_empty(entries(i)) for i in range(len(matrix)))
    ]
    return empty[0] if len(empty) == 1 else None


def _is_empty(values):
    values = np.asarray(values, dtype=np.float64)
    return bool((np.isnan(values) | (values == 0)).all())


def check_square(matrix, name, *, dissimilarity, negative_allowed, symmetrize):
    """Check a full n x n matrix of comparisons block by block, without copying it.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Any numeric dtype and layout; read only.
    name : str
        What it is, for the messages.
    dissimilarity : bool
        Whether the diagonal must be zero.
    negative_allowed : bool
        Whether negative entries may occur.
    symmetrize : {None, "average", "min", "max"}
        With None asymmetry beyond 1e-6 of the largest modulus is an error.

    Returns
    -------
    scale : float
        Largest modulus, in the units of the matrix.
    exactly_symmetric : bool
        Whether no entry differs from its mirror image.
    """
    n_objects = matrix.shape[0]
    block_size = max(1, 2**17 // max(n_objects, 1))
    _check_triangles(matrix, name, dissimilarity, symmetrize)
    scale, smallest = 0.0, (0.0, 0, 0)
    gap, worst = 0.0, None
    for rows in consecutive_blocks(n_objects, block_size):
        block = matrix[rows].astype(np.float64)
        check_finite(block, name, rows=np.arange(rows.start, rows.stop))
        scale = max(scale, float(np.abs(block).max(initial=0.0)))
        i, j = np.unravel_index(int(block.argmin()), block.shape)
        if block[i, j] < smallest[0]:
            smallest = (float(block[i, j]), rows.start + int(i), int(j))
        # Columns right of the block's first row only: the rest was seen mirrored.
        upper = block[:, rows.start :]
        lower = matrix[rows.start :, rows].T
        i, j, size = worst_asymmetry(upper, lower)
        if size > gap:
            gap = size
            pair = (rows.start + i, rows.start + j)
            worst = (min(pair), max(pair))
    if gap > ASYMMETRY_TOLERANCE * scale and symmetrize is None:
        raise_asymmetric(worst, float(matrix[worst]), float(matrix[worst[::-1]]), name)
    tolerance = rounding_tolerance(matrix.dtype)
    if not negative_allowed and smallest[0] < -tolerance * scale:
        value, i, j = smallest
        check_dissimilarities(np.array([[value]]), scale, tolerance, name, [i], [j])
    if dissimilarity:
        diagonal = np.diagonal(matrix).astype(np.float64)
        check_zero_diagonal(diagonal, scale, tolerance, name)
    return scale, gap == 0.0
