"""The full centred similarity matrix, in the place of the comparisons it came from.

Exact scaling needs one n x n matrix and no second one: comparisons are gathered into an
array, powered and double centred there, block of rows by block of rows.
"""

from dataclasses import dataclass

import numpy as np

from ..comparisons import Scale, check_direction, count_both_ways
from ..comparisons._facts import check_zero_diagonal, rounding_tolerance
from ..comparisons._objects import block_rows, consecutive_blocks

__all__ = ["FullSimilarity", "full_similarity"]


@dataclass(frozen=True, eq=False)
class FullSimilarity:
    """``B = -1/2 J D J`` of all n objects.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        B in scaled units, float32 for float32 comparisons.
    scale : Scale
        Units of the comparisons.
    means : ndarray of shape (n,)
        Column means of the powered, scaled comparisons.
    largest : float
        Largest modulus of a comparison, in the units of the metric.
    squared_norm : float
        Sum of the squares of the entries of B.
    """

    matrix: np.ndarray
    scale: Scale
    means: np.ndarray
    largest: float
    squared_norm: float

    @property
    def self_similarities(self):
        """Diagonal of B, shape (n,)."""
        return self.matrix.diagonal().astype(np.float64)

    def times(self, vectors):
        """Return ``B vectors`` in float64, shape (n, k), at O(n^2 k) cost.

        A float32 matrix is cast block by block, for products in float32 would leave a
        least-squares fit without digits.
        """
        if self.matrix.dtype == np.float64:
            return self.matrix @ vectors
        product = np.empty(vectors.shape)
        for rows in _blocks(len(self.matrix)):
            product[rows] = self.matrix[rows].astype(np.float64) @ vectors
        return product


def full_similarity(table, geometry):
    """Compare all objects with all others and double centre the result.

    Parameters
    ----------
    table : comparisons of n objects
        Measured, or looked up in a square matrix, which is only read.
    geometry : Geometry
        Of dissimilarities.

    Returns
    -------
    similarity : FullSimilarity
        n (n + 1) / 2 comparisons, one n x n array.
    """
    n = table.n_objects
    # A matrix is looked up in both directions.
    n_comparisons = n * (n + 1) // 2 + count_both_ways(table, n)
    if table.is_precomputed:
        n_comparisons = n * n
    table.progress.begin("compare objects", n_comparisons)
    matrix = _gather(table)
    if not table.is_precomputed:
        check_direction(table, table.objects, matrix)
    largest = float(max(matrix.max(), -matrix.min()))
    tolerance = rounding_tolerance(matrix.dtype)
    check_zero_diagonal(matrix.diagonal(), largest, tolerance, table.name)
    geometry.check(matrix, largest, table.name)
    scale = Scale.of(np.array([largest]), geometry.power)
    means = _power_in_place(matrix, scale)
    halves = means / 2.0
    squared_norm = 0.0
    for rows in _blocks(len(matrix)):
        block = matrix[rows] * -0.5
        block += halves
        block += (halves[rows] - halves.mean())[:, None]
        squared_norm += float(np.vdot(block, block))
        matrix[rows] = block
    return FullSimilarity(matrix, scale, means, largest, squared_norm)


def _gather(table):
    everything = np.arange(table.n_objects)
    if not table.is_precomputed:
        return table.square(everything)
    if table.exactly_symmetric:
        table.n_evaluated += len(everything) ** 2
        table.progress.advance(len(everything) ** 2)
        # A copy whatever the dtype and the order: it is written to.
        dtype = np.float32 if table.matrix.dtype == np.float32 else np.float64
        return np.array(table.matrix, dtype=dtype, order="C")
    matrix = None
    for rows, block in table.blocks(everything, None, everything):
        if matrix is None:
            matrix = np.empty((len(everything), len(everything)), dtype=block.dtype)
        matrix[rows] = block
    return matrix


def _power_in_place(matrix, scale):
    """Power and scale the comparisons; return the means of the columns."""
    means = np.empty(len(matrix))
    for rows in _blocks(len(matrix)):
        block = scale.apply(matrix[rows])
        # Rounding on the diagonal is known to be rounding, so it goes.
        np.fill_diagonal(block[:, rows.start :], 0.0)
        means[rows] = block.mean(axis=1)
        matrix[rows] = block
    return means


def _blocks(n_objects):
    return consecutive_blocks(n_objects, block_rows(n_objects))
