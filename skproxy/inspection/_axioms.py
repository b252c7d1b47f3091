"""What is wrong, or only unusual, about the comparisons themselves.

Estimators stop at the first of these facts; here all of them are counted.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..comparisons._facts import ASYMMETRY_TOLERANCE, rounding_tolerance
from ..comparisons._objects import consecutive_blocks
from ..metrics import asymmetry, triangle_violations

__all__ = ["Axioms"]

# Triples that triangles are counted in: more of them change the second digit only.
_MOST_OBJECTS_OF_TRIANGLES = 250


@dataclass(frozen=True, eq=False)
class Axioms:
    """How far comparisons are from what a metric or a kernel must satisfy.

    Pairs are counted once, whatever their direction, and without the diagonal. For a
    precomputed matrix everything but asymmetry and triangles is counted in the whole of
    it, for a measure in the sample.

    Attributes
    ----------
    n_objects : int
        Objects looked at.
    n_missing : int
        Pairs, diagonal included, with a comparison that is NaN or infinite.
    objects_with_missing : ndarray of int
        Positions of the objects in such pairs.
    is_symmetric : bool
        Whether both directions agree up to 1e-6 of the largest comparison.
    n_asymmetric : int
        Pairs of which the two directions do not.
    asymmetry : float
        :func:`skproxy.metrics.asymmetry` of the sample, dimensionless; NaN where no
        object of the sample has all its comparisons.
    worst_pair : tuple of two int or None
        Positions of the pair whose directions differ most; None if none does.
    worst_values : tuple of two float or None
        Its comparisons, forth and back.
    n_nonzero_diagonal : int
        Objects that are dissimilar to themselves; 0 for similarities.
    not_positive : ndarray of int
        Positions of objects whose similarity to themselves is zero or negative; none
        for dissimilarities.
    n_negative : int
        Pairs with a negative comparison, beyond rounding.
    negative_pair : tuple of two int or None
        Positions of one such pair.
    smallest : float
        The smallest comparison of two different objects; NaN without any.
    n_duplicates : int
        Pairs of objects that the measure cannot tell apart: dissimilarity zero, or a
        similarity equal to both self-similarities.
    duplicate_pair : tuple of two int or None
        Positions of one such pair.
    triangle_violations : float or None
        :func:`skproxy.metrics.triangle_violations` of the sample; None for
        similarities and where it is not defined.
    looks_inverted : bool
        Whether dissimilarities look like similarities (an object is nearest to itself
        by the *largest* value), or similarities like dissimilarities.
    """

    n_objects: int
    n_missing: int
    objects_with_missing: np.ndarray
    is_symmetric: bool
    n_asymmetric: int
    asymmetry: float
    worst_pair: tuple | None
    worst_values: tuple | None
    n_nonzero_diagonal: int
    not_positive: np.ndarray
    n_negative: int
    negative_pair: tuple | None
    smallest: float
    n_duplicates: int
    duplicate_pair: tuple | None
    triangle_violations: float | None
    looks_inverted: bool

    @classmethod
    def of(cls, sample, matrix, *, is_similarity, rng):
        """Count in a matrix, and measure asymmetry and triangles in the sample.

        Parameters
        ----------
        sample : ComparedSample
        matrix : ndarray of shape (N, N) or None
            Precomputed; None, or a sparse matrix, counts in the sample.
        is_similarity : bool
        rng : RandomState
        """
        if matrix is None or sparse.issparse(matrix):
            matrix, positions = sample.square, sample.indices
        else:
            positions = np.arange(sample.n_objects)
        counts = _count(matrix, is_similarity)

        def pair_of(pair):
            return None if pair is None else tuple(int(positions[i]) for i in pair)

        own, worst = np.diagonal(matrix), counts.worst
        worst_values = None
        if worst is not None:
            worst_values = float(matrix[worst]), float(matrix[worst[::-1]])
        finite = complete_objects(sample.square)
        square = sample.square[np.ix_(finite, finite)].astype(sample.dtype, copy=False)
        return cls(
            n_objects=len(matrix),
            n_missing=counts.n_missing,
            objects_with_missing=positions[counts.missing],
            is_symmetric=counts.n_asymmetric == 0,
            n_asymmetric=counts.n_asymmetric,
            asymmetry=asymmetry(square) if len(square) else np.nan,
            worst_pair=pair_of(worst),
            worst_values=worst_values,
            n_nonzero_diagonal=0 if is_similarity else counts.n_nonzero_diagonal,
            not_positive=positions[own <= 0] if is_similarity else positions[:0],
            n_negative=counts.n_negative,
            negative_pair=pair_of(counts.negative),
            smallest=counts.smallest,
            n_duplicates=counts.n_duplicates,
            duplicate_pair=pair_of(counts.duplicate),
            triangle_violations=_triangles(square, is_similarity, rng),
            looks_inverted=_looks_inverted(square, is_similarity),
        )


def complete_objects(square):
    """Return the objects left when those with missing comparisons are dropped.

    The object with the most missing ones goes first, until none is missing: one bad
    object costs one object, not all that it was compared with.
    """
    missing = ~np.isfinite(square)
    missing |= missing.T
    kept = np.ones(len(square), dtype=bool)
    counts = missing.sum(axis=1)
    while counts.any():
        worst = int(counts.argmax())
        kept[worst] = False
        counts = np.where(kept, counts - missing[worst], 0)
    return np.flatnonzero(kept)


def _triangles(square, is_similarity, rng):
    if is_similarity or len(square) < 3:
        return None
    return triangle_violations(
        square, max_objects=_MOST_OBJECTS_OF_TRIANGLES, random_state=rng
    )


def _looks_inverted(square, is_similarity):
    """Tell whether the diagonal says that large values mean the other thing."""
    if len(square) < 2:
        return False
    own = np.diagonal(square)
    others = square[~np.eye(len(square), dtype=bool)].reshape(len(square), -1)
    if is_similarity:
        # Everything is at least as similar to anything else as to itself.
        return bool((own == 0).all() and (others >= 0).all() and others.any())
    largest = others.max(axis=1)
    return bool((own > 0).mean() > 0.5 and (own >= largest).mean() > 0.5)


class _Counts:
    """What is found in a pass over the upper halves of rows of a matrix."""

    def __init__(self, n_objects):
        self.missing = np.zeros(n_objects, dtype=bool)
        self.n_missing = self.n_asymmetric = self.n_nonzero_diagonal = 0
        self.n_negative = self.n_duplicates = 0
        self.smallest, self.gap = np.nan, 0.0
        self.worst = self.negative = self.duplicate = None


def _count(matrix, is_similarity):
    """Count facts in a square matrix, block by block, without copying it."""
    counts = _Counts(len(matrix))
    scale = _largest_finite(matrix)
    tolerance = rounding_tolerance(matrix.dtype) * scale
    diagonal = np.diagonal(matrix).astype(np.float64)
    with np.errstate(invalid="ignore"):
        counts.n_nonzero_diagonal = int((np.abs(diagonal) > tolerance).sum())
    for rows in _row_blocks(matrix):
        upper = matrix[rows, rows.start :].astype(np.float64)
        lower = matrix[rows.start :, rows].T.astype(np.float64)
        columns = np.arange(rows.start, len(matrix))
        above = columns > np.arange(rows.start, rows.stop)[:, None]
        finite = np.isfinite(upper) & np.isfinite(lower)
        _count_missing(counts, ~finite, above, rows)
        upper[~finite] = np.nan  # comparisons with NaN are false
        lower[~finite] = np.nan
        least = np.fmin(upper, lower)
        _count_asymmetric(counts, upper, lower, above, rows, scale)
        with np.errstate(invalid="ignore"):
            negative = above & (least < -tolerance)
            if is_similarity:
                own_rows, own_columns = diagonal[rows, None], diagonal[columns]
                same = (np.abs(least - own_rows) <= tolerance) & (
                    np.abs(least - own_columns) <= tolerance
                )
            else:
                same = np.abs(least) <= tolerance
        counts.n_negative += int(negative.sum())
        if counts.negative is None and negative.any():
            counts.negative = _first(negative, rows)
        same &= above
        if counts.duplicate is None and same.any():
            counts.duplicate = _first(same, rows)
        counts.n_duplicates += int(same.sum())
        if (above & finite).any():
            counts.smallest = np.fmin(counts.smallest, least[above & finite].min())
    counts.smallest = float(counts.smallest)
    return counts


def _count_missing(counts, missing, above, rows):
    diagonal = np.arange(len(missing))
    counts.n_missing += int((missing & above).sum())
    counts.n_missing += int(missing[diagonal, diagonal].sum())
    counts.missing[rows] |= missing.any(axis=1)
    counts.missing[rows.start :] |= missing.any(axis=0)


def _count_asymmetric(counts, upper, lower, above, rows, scale):
    gaps = np.where(above, np.abs(upper - lower), 0.0)
    gaps = np.nan_to_num(gaps, nan=0.0)
    different = gaps > ASYMMETRY_TOLERANCE * scale
    if not different.any():
        return
    counts.n_asymmetric += int(different.sum())
    i, j = np.unravel_index(int(gaps.argmax()), gaps.shape)
    if gaps[i, j] > counts.gap:
        counts.gap = float(gaps[i, j])
        counts.worst = rows.start + int(i), rows.start + int(j)


def _first(mask, rows):
    i, j = np.unravel_index(int(mask.argmax()), mask.shape)
    return rows.start + int(i), rows.start + int(j)


def _largest_finite(matrix):
    largest = 0.0
    for rows in _row_blocks(matrix):
        moduli = np.abs(matrix[rows].astype(np.float64))
        largest = max(largest, float(moduli[np.isfinite(moduli)].max(initial=0.0)))
    return largest


def _row_blocks(matrix):
    return consecutive_blocks(len(matrix), max(1, 2**18 // max(1, len(matrix))))
