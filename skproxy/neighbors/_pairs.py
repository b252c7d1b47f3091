"""Comparisons of pairs: which were made, and making those that are missing.

Candidates are ragged: each object has others of its own. Measures that take two
sequences at once are called for one object and all its candidates, scalar ones pair by
pair, so nothing is evaluated that was not asked for. A call costs some 30
microseconds beside the comparisons in it: nothing where one takes as long, though
scikit-learn's own measures of vectors take tens of times what they do in large blocks.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..comparisons._comparisons import symmetrized
from ..comparisons._facts import check_finite
from ..comparisons._measure import evaluate_rectangle
from ..comparisons._objects import take_objects
from ..comparisons._progress import count_evaluated
from ..comparisons._schedule import evaluate_in_order

__all__ = ["KnownPairs", "PairComparer"]

# Pairs that one task evaluates, where they are evaluated in parallel.
_PAIRS_PER_TASK = 2**12


class KnownPairs:
    """The pairs that were compared, so that none is paid for twice.

    Parameters
    ----------
    n_columns : int
    everywhere : ndarray of int
        Columns that every row was compared with: the landmarks.
    symmetric : bool
        Whether rows and columns are the same objects. Then (i, j) is (j, i), and what
        was compared with every row was, as a row, compared with every column.
    """

    def __init__(self, n_columns, everywhere, *, symmetric):
        self._n_columns = n_columns
        self._everywhere = np.zeros(n_columns, dtype=bool)
        self._everywhere[everywhere] = True
        self._symmetric = symmetric
        self._keys = np.empty(0, dtype=np.int64)

    def _key(self, rows, columns):
        if self._symmetric:
            rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
        return rows.astype(np.int64) * self._n_columns + columns

    def contains(self, rows, columns):
        """Tell which pairs are known; an object and itself always."""
        known = self._everywhere[columns]
        if self._symmetric:
            known = known | self._everywhere[rows] | (rows == columns)
        if len(self._keys):
            keys = self._key(rows, columns)
            places = np.searchsorted(self._keys, keys)
            places[places == len(self._keys)] = 0
            known = known | (self._keys[places] == keys)
        return known

    def add(self, rows, columns):
        """Return those pairs that are not known, each once, and know them from now on.

        Returns
        -------
        rows, columns : ndarray of int
            Sorted by row.
        """
        unknown = ~self.contains(rows, columns)
        keys = np.unique(self._key(rows[unknown], columns[unknown]))
        self._keys = np.union1d(self._keys, keys)
        return np.divmod(keys, self._n_columns)


@dataclass(frozen=True)
class PairComparer:
    """Compares pairs of objects, one of a table and one of a collection.

    Attributes
    ----------
    table : comparisons of n objects
        `MeasuredComparisons`, or one with the `matrix` of all its comparisons.
    others : collection of objects
        What columns count; the objects of the table themselves in fit.
    geometry : Geometry
    unit : float
        The largest comparison among the landmarks: what rounding is judged by.
    """

    table: Any
    others: Any
    geometry: Any
    unit: float

    def __call__(self, rows, columns):
        """Compare pairs.

        Parameters
        ----------
        rows, columns : ndarray of shape (e,), dtype=int
            Sorted by row.

        Returns
        -------
        distances : ndarray of shape (e,)
            In the units of the metric.
        """
        self.table.n_evaluated += len(rows)
        if len(rows) == 0:
            return np.empty(0)
        if self.table.is_precomputed:
            values = _look_up(self.table, rows, columns)
            self.table.progress.advance(len(rows))
        else:
            values = _evaluate(self.table, self.others, rows, columns)
        self._check(values, rows, columns)
        return values

    def _check(self, values, rows, columns):
        """Raise as for blocks, naming a pair that must not be."""
        worst = int(np.argmin(values)) if np.isfinite(values).all() else None
        if worst is None:
            worst = int(np.flatnonzero(~np.isfinite(values))[0])
        if np.isfinite(values[worst]) and values[worst] >= 0:
            return
        block = values[worst].reshape(1, 1)
        pair = rows[worst].reshape(1), columns[worst].reshape(1)
        check_finite(block, self.table.name, *pair)
        self.geometry.check(block, self.unit, self.table.name, *pair)


def _look_up(table, rows, columns):
    values = np.asarray(table.matrix[rows, columns], dtype=np.float64)
    if getattr(table, "exactly_symmetric", True):
        return values
    back = np.asarray(table.matrix[columns, rows], dtype=np.float64)
    return symmetrized(values, back, table.symmetrize)


def _evaluate(table, others, rows, columns):
    begins = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    # Whole rows up to about as many pairs as a task should have.
    tasks = begins // _PAIRS_PER_TASK
    cuts = np.r_[begins[np.r_[True, tasks[1:] != tasks[:-1]]], len(rows)]
    runs = [slice(a, b) for a, b in pairwise(cuts)]
    results = evaluate_in_order(
        _EvaluatePairs(table.measure),
        (_task(table.objects, others, rows[run], columns[run]) for run in runs),
        n_jobs=table.n_jobs,
        prefer=table.measure.prefers,
        evaluated=count_evaluated(
            table.progress, (run.stop - run.start for run in runs)
        ),
    )
    return np.concatenate(list(results))


def _task(objects, others, rows, columns):
    """Return the objects of some pairs, and the pairs among these."""
    rows, places = np.unique(rows, return_inverse=True)
    columns, other_places = np.unique(columns, return_inverse=True)
    mine, theirs = take_objects(objects, rows), take_objects(others, columns)
    return mine, theirs, places, other_places


@dataclass(frozen=True)
class _EvaluatePairs:
    """Compare pairs of two collections, given by position and sorted by row."""

    measure: Any

    def __call__(self, objects, others, rows, columns):
        begins = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        values = np.empty(len(rows))
        for begin, end in zip(begins, np.r_[begins[1:], len(rows)], strict=True):
            row = slice(int(rows[begin]), int(rows[begin]) + 1)
            values[begin:end] = evaluate_rectangle(
                self.measure,
                take_objects(objects, row),
                take_objects(others, columns[begin:end]),
            )[0]
        return values
