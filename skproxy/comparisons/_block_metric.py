"""A measure of two sequences of objects at once: what libraries compute in blocks."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ._objects import consecutive_blocks, count_objects, take_objects

__all__ = ["BlockMetric"]


@dataclass(frozen=True)
class BlockMetric:
    """Compare two sequences of objects at once instead of pair by pair.

    Wrap a function that takes two sequences of objects and returns the matrix of their
    comparisons - rapidfuzz's ``cdist``, pairwise distances of a time-series library, a
    batch on a GPU - and pass the wrapper as ``metric=`` or ``kernel=``. It is called on
    blocks of rows whose results fit into bounded memory, and never pair by pair. Like
    any measure it must be symmetric; asymmetry is noticed only where both directions
    of a pair happen to lie in one block of landmarks or probes.

    Parameters
    ----------
    func : callable
        ``func(rows, others, **params)`` returns an array-like of shape
        (len(rows), len(others)). `rows` and `others` are slices of what the user
        passed as X: lists stay lists, arrays stay arrays, a pandas Series stays one.
        `params` are the estimator's ``metric_params`` or ``kernel_params``. A function
        defined in a module pickles, a lambda does not.
    max_pairs : int, default=None
        Most pairs that `func` is given in one call, for functions whose own memory is
        what hurts. None leaves it to the size of the result: one or two megabytes.

    Raises
    ------
    TypeError
        If `func` is not callable.
    ValueError
        If `max_pairs` is no positive integer; when called, if `func` returns no matrix
        of as many rows and columns as there are objects.

    See Also
    --------
    NystromDissimilarity : Takes it as ``metric=``.
    Nystroem : Takes it as ``kernel=``.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import BlockMetric, NystromDissimilarity
    >>> def length_gaps(rows, others):
    ...     return np.abs(np.subtract.outer([len(r) for r in rows],
    ...                                     [len(o) for o in others]))
    >>> words = ["a", "bb", "ccc", "dddd"]
    >>> nystrom = NystromDissimilarity(BlockMetric(length_gaps), n_landmarks=2)
    >>> nystrom.fit_transform(words).shape
    (4, 2)
    """

    func: Any
    max_pairs: int | None = None

    # Where blocks are evaluated in parallel: functions of libraries and of numpy mostly
    # release the interpreter.
    _prefers = "threads"

    def __post_init__(self):
        if not callable(self.func):
            msg = (
                "func of BlockMetric must be callable as func(rows, others); got "
                f"{self.func!r}."
            )
            raise TypeError(msg)
        most = self.max_pairs
        if most is not None and not (isinstance(most, Integral) and most > 0):
            msg = f"max_pairs of BlockMetric must be a positive integer; got {most!r}."
            raise ValueError(msg)

    def __call__(self, rows: Any, others: Any, **params: Any) -> np.ndarray:
        """Return the comparisons of rows with others, (len(rows), len(others))."""
        n_rows, n_others = count_objects(rows), count_objects(others)
        if self.max_pairs is None or n_rows * n_others <= self.max_pairs:
            return self._called(rows, others, params)
        width = min(n_others, self.max_pairs)
        strips = list(consecutive_blocks(n_others, width))
        blocks = []
        for run in consecutive_blocks(n_rows, self.max_pairs // width):
            some = take_objects(rows, run)
            parts = [
                self._called(some, take_objects(others, s), params) for s in strips
            ]
            blocks.append(np.ma.hstack(parts) if _masked(parts) else np.hstack(parts))
        return np.ma.vstack(blocks) if _masked(blocks) else np.vstack(blocks)

    def _called(self, rows, others, params):
        block = np.asanyarray(self.func(rows, others, **params))  # masks are kept
        expected = (count_objects(rows), count_objects(others))
        if block.shape != expected:
            msg = (
                f"func of BlockMetric must return a matrix of shape {expected}, one "
                f"row per object of its first argument; got shape {block.shape}. "
                "Pass a function of one pair as a plain callable instead."
            )
            raise ValueError(msg)
        return block


def _masked(blocks):
    return any(isinstance(block, np.ma.MaskedArray) for block in blocks)
