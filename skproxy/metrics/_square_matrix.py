"""A square matrix of proximities, read safely and one block of rows at a time.

A matrix is kept as it was given; only the block in hand is cast to float64 and
divided by `2**exponent`, which is exact and makes the largest entry about one. Every
square, sum or product of a block is then far from overflow and underflow, and a
result is put back into its unit by the one exponent it needs.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

# Entries in one block (2 MB of float64): small against any matrix worth blocking,
# large enough that the time goes into numpy.
BLOCK_ENTRIES = 2**18
# What counts as rounding in a diagonal or in a dissimilarity below zero, and in the
# two halves of a symmetric matrix; relative to the largest entry.
ROUNDING = 1e-8
ASYMMETRY = 1e-6
# Beyond this exponent 2.0**exponent itself leaves the range of float64.
LARGEST_EXPONENT = 1000


def row_blocks(n_rows, row_length):
    """Yield slices over `n_rows`, each covering about `BLOCK_ENTRIES` entries."""
    return gen_batches(n_rows, max(1, BLOCK_ENTRIES // max(1, row_length)))


def binary_exponent(largest):
    """Return e with `largest / 2**e` about one, kept within the range of float64."""
    exponent = int(np.frexp(largest)[1])
    return max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, exponent))


@dataclass(frozen=True)
class SquareMatrix:
    """A finite square matrix, in the caller's memory and type.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_samples)
        The matrix as given; never written to.
    largest : float
        Largest modulus of an entry, in the units of the matrix.
    exponent : int
        The blocks are divided by `2**exponent`.
    """

    values: np.ndarray
    largest: float
    exponent: int

    def __len__(self):
        return len(self.values)

    def blocks(self):
        """Yield slices over the rows."""
        return row_blocks(len(self), len(self))

    def rows(self, block):
        """Return a scaled float64 copy of some rows, shape (n_block, n_samples)."""
        return self._scaled(self.values[block])

    def columns(self, block):
        """Return a scaled float64 copy of some columns, as rows."""
        return self._scaled(self.values[:, block].T)

    def submatrix(self, indices):
        """Return a scaled float64 copy of the rows and columns `indices`."""
        return self._scaled(self.values[np.ix_(indices, indices)])

    def _scaled(self, values):
        return np.array(values, dtype=np.float64) * 2.0**-self.exponent


def read_square_matrix(matrix, *, name, indices=None):
    """Return `matrix` as a `SquareMatrix` after checking shape, type and finiteness.

    `name` says "which parameter of which function" in errors. With `indices` only the
    submatrix of these objects is looked at, and pairs are reported by its numbers.
    """
    values = as_numbers(matrix, name=name)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not len(values):
        msg = (
            f"{name} must be a square matrix of all pairs of at least one object; got "
            f"shape {values.shape}. Pass the full n x n matrix "
            "(scipy.spatial.distance.squareform makes one from a condensed vector)."
        )
        raise ValueError(msg)
    if indices is None:
        indices = np.arange(len(values))
        part = values
    else:
        part = values[np.ix_(indices, indices)]
    largest = 0.0
    for block in row_blocks(len(part), len(part)):
        rows = np.abs(np.asarray(part[block], dtype=np.float64))
        finite = np.isfinite(rows)
        if not finite.all():
            i, j = np.argwhere(~finite)[0]
            pair = int(indices[block.start + i]), int(indices[j])
            msg = (
                f"{name} must be finite; got {values[pair]} for the pair {pair}. "
                "Compute or impute this comparison, or leave the object out."
            )
            raise ValueError(msg)
        largest = max(largest, float(rows.max()))
    return SquareMatrix(values, largest, binary_exponent(largest))


def as_numbers(array, *, name):
    """Return a real dense numpy array sharing memory with `array` where it can."""
    if issparse(array) or np.ma.isMaskedArray(array):
        msg = (
            f"{name} must be dense, because a missing entry is not a zero; got "
            f"{type(array).__name__}. Fill in the missing comparisons first."
        )
        raise TypeError(msg)
    values = np.asarray(array)
    if values.dtype.kind == "O":
        # data frames with columns of several types; numpy says what is no number
        values = values.astype(np.float64)
    if values.dtype.kind not in "biuf":
        msg = (
            f"{name} must hold real numbers; got dtype {values.dtype}. Convert it "
            "first."
        )
        raise TypeError(msg)
    return values


def check_power(power, *, name):
    """Raise unless `power` is a positive finite number."""
    if not isinstance(power, Real) or not 0 < power < np.inf:
        msg = (
            f"{name} must be a positive number; got {power!r}. Use 2 for "
            "dissimilarities and 1 for values that are squared already."
        )
        raise ValueError(msg)


def check_dissimilarities(matrix, power, *, name):
    """Raise unless the diagonal is zero and, but for `power=1`, nothing is negative.

    Parameters
    ----------
    matrix : SquareMatrix
        The dissimilarities.
    power : float
        With 1 the values are taken as they are, and may be negative.
    name : str
        "Which parameter of which function", for the error.
    """
    diagonal = np.abs(np.diagonal(matrix.values).astype(np.float64))
    nonzero = np.flatnonzero(diagonal > ROUNDING * matrix.largest)
    if len(nonzero):
        shown = ", ".join(map(str, nonzero[:5])) + (", ..." if len(nonzero) > 5 else "")
        msg = (
            f"{name} must be zero on the diagonal; got {len(nonzero)} other values, "
            f"at {shown}. If these are similarities, turn them into dissimilarities "
            "first, for instance S_ii + S_jj - 2 S_ij with power=1."
        )
        raise ValueError(msg)
    if power == 1:
        return
    for block in matrix.blocks():
        negative = matrix.values[block] < -ROUNDING * matrix.largest
        if negative.any():
            i, j = np.argwhere(negative)[0]
            pair = int(block.start + i), int(j)
            msg = (
                f"{name} must not be negative; got {matrix.values[pair]} for the pair "
                f"{pair}. Pass power=1 if these values are squared already, or shift "
                "them."
            )
            raise ValueError(msg)


def powered_rows(matrix, block, power):
    """Return `(rows / 2**exponent)**power` with an exact zero diagonal."""
    rows = matrix.rows(block)
    if power != 1:
        np.maximum(rows, 0.0, out=rows)
    if power == 2:
        rows *= rows
    elif power != 1:
        rows **= power
    clear_diagonal(rows, block)
    return rows


def clear_diagonal(rows, block):
    """Set the entries (i, i) of a block of rows to zero, in place."""
    rows[np.arange(len(rows)), np.arange(block.start, block.start + len(rows))] = 0.0


def symmetric_copy(matrix, *, name):
    """Return the scaled matrix as a new float64 array, its two halves averaged."""
    values = matrix.rows(slice(None))
    gap = np.abs(values - values.T)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    if gap[i, j] > ASYMMETRY * np.abs(values).max():
        msg = (
            f"{name} must be symmetric; got {matrix.values[i, j]} for the pair "
            f"{(int(i), int(j))} and {matrix.values[j, i]} for {(int(j), int(i))}. "
            "Average the two directions, (A + A.T) / 2, or take their minimum or "
            "maximum; `asymmetry` tells how much is lost."
        )
        raise ValueError(msg)
    return 0.5 * (values + values.T)
