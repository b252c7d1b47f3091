"""A measure of two sequences of objects at once: what libraries compute in blocks."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._objects import count_objects

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

    def __call__(self, rows: Any, others: Any, **params: Any) -> np.ndarray:
        """Return the comparisons of rows with others, (len(rows), len(others))."""
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
