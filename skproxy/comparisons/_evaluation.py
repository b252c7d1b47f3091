"""Blocks of comparisons, evaluated or found in a cache under keys that cost little.

``joblib.Memory`` digests every argument of every call, and for objects made of Python's
lists and dictionaries a digest costs more than comparisons do: 0.4 ms for a small graph
each time. Blocks share what they are compared with, so each collection of objects is
digested once and the objects themselves are no part of what joblib looks at.

The key of a block is what was compared with what and how: the measure with its code and
parameters, the contents of the rows and of the others. Neither positions nor the
estimator nor the process count, so all grid points, folds and sessions that ask for the
same comparisons find them.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

from joblib import hash as digest
from scipy import sparse

from ._measure import Measure, evaluate_rectangle, evaluate_wedge
from ._objects import count_objects, short_repr, take_objects

__all__ = ["Evaluation"]


class Evaluation:
    """How the blocks of one table come about.

    Parameters
    ----------
    measure : Measure
    memory : joblib.Memory
        Evaluated blocks are kept there.
    name : str
        What the comparisons come from, for messages.

    Attributes
    ----------
    is_kept : bool
        Whether blocks are kept at all.
    """

    def __init__(self, measure, memory, name):
        self.measure, self.memory = measure, memory
        self.is_kept = getattr(memory, "location", memory) is not None
        self._name = name
        self._last = None, None
        if self.is_kept:
            self._key = measure.digest(name)
            ignored = ["measure", "rows", "others"]
            self._rectangle = memory.cache(_rectangle, ignore=ignored)
            self._wedge = memory.cache(_wedge, ignore=ignored)

    def rectangles(self, others):
        """Return a function of rows and `others` that compares them.

        Parameters
        ----------
        others : collection of b objects

        Returns
        -------
        evaluate : callable
            ``evaluate(rows, others)``, see `evaluate_rectangle`. It pickles.
        """
        if not self.is_kept:
            return _Evaluate(evaluate_rectangle, self.measure)
        key = self._key, self._digest(others)
        return _LookUp(self._rectangle, self.measure, key, self._name)

    def square(self, objects):
        """Return the comparisons of objects with themselves, shape (a, a)."""
        if not self.is_kept:
            return evaluate_rectangle(self.measure, objects, objects)
        key = self._key, self._digest(objects), "square"
        return self._rectangle(key, self.measure, objects, objects)

    def wedges(self, objects):
        """Return a function that compares some objects with those from them on.

        Parameters
        ----------
        objects : collection of a objects

        Returns
        -------
        evaluate : callable
            ``evaluate(rows, others)``, see `evaluate_wedge`, where `others` are the
            last of the objects. It pickles.
        """
        if not self.is_kept:
            return _Evaluate(evaluate_wedge, self.measure)
        key = self._key, self._digest(objects)
        return _LookUp(self._wedge, self.measure, key, None)

    def _digest(self, objects):
        # Landmarks are handed out for the pilot sample, the rest and one selector's
        # rounds: the same collection, time and again.
        if self._last[0] is not objects:
            self._last = objects, _digest(objects, self._name)
        return self._last[1]


@dataclass(frozen=True)
class _Evaluate:
    """Compare rows with others, always anew."""

    # Not called `function`: scikit-learn's `delayed` would take it for its own.
    evaluate: Any
    measure: Measure

    def __call__(self, rows, others, positions=None):
        with _noting_objects(rows, others, positions):
            return self.evaluate(self.measure, rows, others)


@dataclass(frozen=True)
class _LookUp:
    """Compare rows with others unless that was done before.

    Attributes
    ----------
    evaluate : joblib's cached function
    measure : Measure
    key : tuple of str
        Of the measure and the collection of others.
    name : str or None
        For messages. None where rows and others are parts of one collection, which
        their numbers tell apart.
    """

    evaluate: Any
    measure: Measure
    key: tuple
    name: str | None

    def __call__(self, rows, others, positions=None):
        if self.name is None:
            which = f"{count_objects(rows)} of the last {count_objects(others)}"
        else:
            which = _digest(rows, self.name)
        with _noting_objects(rows, others, positions):
            return self.evaluate((*self.key, which), self.measure, rows, others)


@contextmanager
def _noting_objects(rows, others, positions):
    """Add to an exception of the user's function which two objects it was for."""
    try:
        yield
    except Exception as error:
        pair = getattr(error, "pair_in_block", None)
        if pair is None:
            raise
        named = [
            f"{short_repr(take_objects(objects, slice(k, k + 1))[0])} at position "
            f"{k if where is None else where[k]}"
            for objects, k, where in zip(
                (rows, others), pair, positions or (None, None), strict=True
            )
            if not sparse.issparse(objects)
        ]
        note = f"The measure raised this for the objects {' and '.join(named)}."
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(note)
        raise


def _digest(objects, name):
    try:
        # Processes get large arrays as memory maps; the content is the same.
        return digest(objects, coerce_mmap=True)
    except (PicklingError, TypeError, AttributeError) as error:
        msg = (
            f"Objects compared by {name} must pickle for comparisons to be kept in "
            f"memory=; got some that do not ({error}). Leave memory out, or leave out "
            "of the objects what the measure does not need."
        )
        raise ValueError(msg) from error


# The functions that joblib knows: their names are folders of the cache.


def _rectangle(key, measure, rows, others):  # noqa: ARG001
    return evaluate_rectangle(measure, rows, others)


def _wedge(key, measure, rows, others):  # noqa: ARG001
    return evaluate_wedge(measure, rows, others)
