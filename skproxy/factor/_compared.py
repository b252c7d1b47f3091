"""Objects, the landmarks that they are compared with, and how: one value.

A fit makes it once; what it keeps of it, without the objects, says how new objects are
compared. No comparison is made twice: rows known from a pilot sample are handed out,
not evaluated again.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..comparisons import (
    SILENT,
    Comparer,
    Geometry,
    Landmarks,
    PartitionedComparisons,
    check_direction,
    count_both_ways,
    for_each_block,
    progress_of_use,
)
from ..comparisons._facts import check_zero_diagonal, rounding_tolerance
from ..comparisons._objects import draw_positions
from ._probes import count_extra_probes, pilot_size

__all__ = ["Compared", "Pilot"]


@dataclass(frozen=True, eq=False)
class Pilot:
    """Comparisons of the landmarks, and of a uniform sample, with the landmarks.

    Attributes
    ----------
    landmark_rows : ndarray of shape (m, m)
        Comparisons among the landmarks, in the units of the metric.
    indices : ndarray of shape (p,)
        Positions of the other pilot objects, in random order.
    rows : ndarray of shape (p, m)
        Their comparisons with the landmarks.
    """

    landmark_rows: np.ndarray
    indices: np.ndarray
    rows: np.ndarray

    @property
    def eps(self):
        """Relative rounding of the comparisons."""
        return float(np.finfo(self.landmark_rows.dtype).eps)

    @property
    def all_rows(self):
        """Comparisons of landmarks and sample with the landmarks, shape (m + p, m)."""
        return np.concatenate([self.landmark_rows, self.rows])


@dataclass(frozen=True, eq=False)
class Compared:
    """N objects and the m landmarks that they are compared with.

    Attributes
    ----------
    geometry : Geometry
        How comparisons are read.
    landmarks : Landmarks
    table : comparisons of the N objects
        None where a fit is over and no objects are at hand.
    rng : RandomState
        Decides pilot sample and probes; None after fit.
    comparer : Comparer
        How new objects are compared.
    square : ndarray of shape (m, m)
        Comparisons among the landmarks, in the units of the metric; None before they
        are made.
    unit : float
        The largest modulus of these: comparisons are judged against it.
    columns_only : bool
        Whether fit saw a precomputed matrix of landmark columns.
    error_seed : int
        Decides the objects that the error is estimated from; None where it is not.
    """

    geometry: Geometry
    landmarks: Landmarks
    table: Any = None
    rng: Any = None
    comparer: Comparer | None = None
    square: np.ndarray | None = None
    unit: float = 1.0
    columns_only: bool = False
    error_seed: int | None = None

    def with_square(self):
        """Compare the landmarks among themselves and check what must hold.

        m (m + 1) / 2 comparisons, and for a function of two objects up to ten more.
        """
        table, landmarks, m = self.table, self.landmarks, self.landmarks.count
        n_pairs = m * (m + 1) // 2 + count_both_ways(table, m)
        table.progress.begin("compare landmarks", n_pairs)
        if landmarks.indices is not None:
            square = table.square(landmarks.indices)
        else:
            square = table.among(landmarks.objects, None)
        check_direction(table, landmarks.objects, square, landmarks.indices)
        unit = float(np.abs(square).max(initial=0.0))
        if not self.geometry.is_similarity:
            self.check_diagonal(square, unit, landmarks.indices)
            # Rounding on the diagonal is known to be rounding, so it goes.
            square = square.copy()
            np.fill_diagonal(square, 0.0)
            self._check(square, unit, landmarks.indices)
        return replace(self, square=square, unit=unit)

    def without_objects(self):
        """Return what is kept of a fit: how new objects are compared."""
        return replace(self, table=None, rng=None, square=None)

    def of_new(self, estimator, X):
        """Return new objects and the same landmarks.

        Parameters
        ----------
        estimator : estimator
            Fitted. What does not change the result - processes, cache - is read from
            it now.
        X : what the user passed
        """
        comparer = self.comparer
        if not comparer.is_precomputed:
            comparer = replace(
                comparer, n_jobs=estimator.n_jobs, memory=estimator.memory
            )
        table = comparer.table_of_new(estimator, X, self.landmarks, self.columns_only)
        in_fit = estimator._progress is not SILENT
        table.progress = estimator._progress if in_fit else progress_of_use(estimator)
        compared = replace(self, table=table)
        compared.begin()
        return compared

    def begin(self, besides=0, *, known=False):
        """Begin to compare the objects with the landmarks, as far as progress goes.

        Parameters
        ----------
        besides : int, default=0
            Other comparisons.
        known : bool, default=False
            Whether landmarks among the objects have been compared.
        """
        m, n_new = self.landmarks.count, self.table.n_objects
        if known and self.landmarks.indices is not None:
            n_new -= m
        self.table.progress.begin("compare objects", n_new * m + besides)

    def count_probes(self, n_probes):
        """Return how many probes besides the landmarks to use; None for W^+.

        Parameters
        ----------
        n_probes : int or "auto"
            What the user wants.
        """
        if self.columns_only:  # which hold no comparisons among other objects
            return None
        m = self.landmarks.count
        outside = m if self.landmarks.indices is None else 0
        return count_extra_probes(n_probes, self.table.n_objects, m, outside)

    def begin_probing(self, n_probes):
        """Tell the progress what is to be compared; return the number of probes."""
        n_extra = self.count_probes(n_probes)
        self.begin((n_extra or 0) * ((n_extra or 0) + 1) // 2, known=True)
        return n_extra

    def draw_pilot(self, n_extra):
        """Compare a uniform sample of the other objects with the landmarks.

        Parameters
        ----------
        n_extra : int or None
            Number of probes besides the landmarks; without any the sample is empty.

        Returns
        -------
        pilot : Pilot
        """
        landmarks, wanted = self.landmarks, 0
        if n_extra:
            wanted = pilot_size(landmarks.count, n_extra) - landmarks.count
        inside = np.arange(0) if landmarks.indices is None else landmarks.indices
        others = draw_positions(self.table.n_objects - len(inside), wanted, self.rng)
        # Landmarks are no others: positions go on after each.
        inside = np.sort(inside) - np.arange(len(inside))
        others = others + np.searchsorted(inside, others, side="right")
        if len(others) == 0:
            rows = np.empty((0, landmarks.count), dtype=self.square.dtype)
            return Pilot(self.square, others, rows)
        rows, order = None, np.argsort(others)
        for run, block in self.table.blocks(
            others, landmarks.objects, landmarks.indices
        ):
            if rows is None:
                rows = np.empty((len(others), block.shape[1]), dtype=block.dtype)
            if isinstance(run, slice):
                run = np.arange(run.start, run.stop)
            rows[order[np.searchsorted(others, run, sorter=order)]] = block
        self._check(rows, float(np.abs(rows).max(initial=0.0)), others)
        return Pilot(self.square, others, rows)

    def blocks(self, unit=None, pilot=None):
        """Yield the comparisons of all objects with the landmarks, each row once.

        Of objects in partitions only those known from the pilot sample.

        Parameters
        ----------
        unit : float, default=None
            Comparisons are judged against it; None takes that of the landmarks.
        pilot : Pilot, default=None
            Rows known already; they are not evaluated again.

        Yields
        ------
        where : slice or ndarray of int
            Positions of the objects.
        comparisons : ndarray of shape (len(where), m)
            In the units of the metric.
        """
        landmarks, table = self.landmarks, self.table
        if pilot is not None:
            if landmarks.indices is not None:
                yield landmarks.indices, pilot.landmark_rows
            if len(pilot.rows):
                yield pilot.indices, pilot.rows
        if self.is_partitioned:
            return
        remaining = np.delete(np.arange(table.n_objects), self.known(pilot))
        unit = self.unit if unit is None else unit
        for run, block in table.blocks(remaining, landmarks.objects, landmarks.indices):
            self._check(block, unit, table.everything[run])
            yield run, block

    @property
    def is_partitioned(self):
        """Whether the objects lie in partitions elsewhere, and are compared there."""
        return isinstance(self.table, PartitionedComparisons)

    def known(self, pilot):
        """Return the positions of objects that a pilot sample holds the rows of."""
        if pilot is None:
            return np.arange(0)
        if self.landmarks.indices is None:
            return pilot.indices
        return np.concatenate([self.landmarks.indices, pilot.indices])

    def use_blocks(self, consume):
        """Call ``consume(positions, block)`` for what `blocks` yields.

        Perhaps in several threads at once: blocks of measures by name are evaluated
        where they are used.
        """
        landmarks = self.landmarks
        rows = np.arange(self.table.n_objects)

        def check_and_consume(run, block):
            self._check(block, self.unit, self.table.everything[run])
            consume(run, block)

        for_each_block(
            self.table, rows, landmarks.objects, landmarks.indices, check_and_consume
        )

    def among(self, positions, unit):
        """Return checked comparisons among some objects, shape (e, e).

        e (e + 1) / 2 comparisons, in the units of the metric.
        """
        square = self.table.square(positions)
        if not self.geometry.is_similarity:
            self.check_diagonal(square, unit, positions)
        self.geometry.check(square, unit, self.table.name, positions, positions)
        return square

    def check_diagonal(self, square, unit, positions):
        """Raise ValueError where an object differs from itself."""
        tolerance = rounding_tolerance(square.dtype)
        diagonal = np.diagonal(square)
        check_zero_diagonal(diagonal, unit, tolerance, self.table.name, positions)

    def _check(self, block, unit, rows):
        name, columns = self.table.name, self.landmarks.indices
        self.geometry.check(block, unit, name, rows, columns)
