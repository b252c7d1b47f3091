"""A sample of the objects, compared all with all, as the comparisons came.

Estimators refuse comparisons that are missing, negative or different in the two
directions. Here nothing is refused, so that everything can be reported: each ordered
pair is evaluated, the diagonal included, and kept as it is.
"""

from dataclasses import dataclass
from math import isqrt
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from ..comparisons import NamedMeasure, measure_by_name
from ..comparisons._inputs import vectors_of_strings
from ..comparisons._measure import evaluate_rectangle
from ..comparisons._objects import consecutive_blocks, count_objects, take_objects
from ..comparisons._schedule import evaluate_in_order

__all__ = ["ComparedSample", "read_matrix", "read_objects"]

_OWNER = "X of diagnose"


def read_objects(X, compare):
    """Return the objects to compare; only their kind is checked, not their values.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of N objects
    compare : str, callable or BlockMetric
    """
    compare = measure_by_name(compare)
    X = vectors_of_strings(X, compare, _OWNER)
    if isinstance(compare, str):
        _check_table(X, compare)
        return check_array(X, accept_sparse="csr", ensure_all_finite=False)
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, (str, bytes, dict, set, frozenset)) or not (
        hasattr(X, "__len__") and hasattr(X, "__getitem__")
    ):
        msg = (
            f"{_OWNER} must be a sequence of objects to compare; got "
            f"{type(X).__name__}. Put the objects into a list."
        )
        raise TypeError(msg)
    if len(X) == 0:
        msg = f"{_OWNER} must hold at least one object; got none."
        raise ValueError(msg)
    if not isinstance(compare, NamedMeasure):
        return X
    if compare.is_of_tables:
        return compare.check(X, _OWNER)
    if len(getattr(X, "shape", ())) == 2 and hasattr(X, "to_numpy"):
        X = X.to_numpy()
    return compare.check(X, _OWNER)


def _check_table(X, measure):
    """Raise unless X looks like rows of numbers: strings and graphs come here too."""
    shape = _shape_of(X)
    if len(shape) == 2:
        return
    got = type(X).__name__
    if len(shape) == 1 and shape[0]:
        got += f" of {type(take_objects(X, slice(0, 1))[0]).__name__}"
    msg = (
        f"{_OWNER} must be a table of numbers, a row for each object, to be compared "
        f"by {measure!r}; got {got}. Strings need a measure of strings "
        "(metric='levenshtein'), other objects a function of two of them."
    )
    raise ValueError(msg)


def _shape_of(X):
    """Return the shape as an array; (n,) for objects of different lengths."""
    if hasattr(X, "shape"):
        return tuple(X.shape)
    try:
        return np.shape(X)
    except ValueError:
        return (len(X),)


def read_matrix(X, *, is_similarity):
    """Return a precomputed square matrix, of which only shape and type are checked."""
    if sparse.issparse(X) and not is_similarity:
        msg = (
            f"{_OWNER} must be dense for metric='precomputed'; got a sparse matrix of "
            f"shape {X.shape}. A missing entry would mean zero, that is 'equal'."
        )
        raise TypeError(msg)
    shape = _shape_of(X)
    if len(shape) != 2:
        pairs = len(shape) == 1 and (isqrt(8 * shape[0] + 1)) ** 2 == 8 * shape[0] + 1
        vector = "scipy.spatial.distance.squareform makes it from a vector of pairs"
        msg = (
            f"{_OWNER} must be a square matrix of all pairs when it is precomputed; "
            f"got shape {shape}." + (f" {vector}." if pairs else "")
        )
        raise ValueError(msg)
    X = check_array(X, accept_sparse="csr", ensure_all_finite=False)
    if X.shape[0] != X.shape[1]:
        msg = (
            f"{_OWNER} must be a square matrix of all pairs when it is precomputed; "
            f"got shape {X.shape}. Pass the rows and columns of one set of objects, or "
            "the objects themselves with a measure."
        )
        raise ValueError(msg)
    return X


@dataclass(frozen=True, eq=False)
class ComparedSample:
    """Comparisons among some of the objects.

    Attributes
    ----------
    square : ndarray of shape (n, n)
        As they came, float64, in the units of the measure.
    indices : ndarray of shape (n,)
        Positions of the objects, increasing.
    dtype : dtype
        float32 or float64: what their rounding is that of.
    n_objects : int
        Number of objects that they were drawn from.
    n_comparisons : int
        Evaluations of the measure; 0 for a matrix that was given.
    seconds : float
        Wall time of all of them but the first; 0.0 for a matrix that was given.
    """

    square: np.ndarray
    indices: np.ndarray
    dtype: type
    n_objects: int
    n_comparisons: int
    seconds: float

    @classmethod
    def of_matrix(cls, matrix, n_samples, rng):
        """Take the comparisons of a sample out of a precomputed matrix."""
        indices = _draw(matrix.shape[0], n_samples, rng)
        if sparse.issparse(matrix):
            square = matrix[indices][:, indices].toarray()
        else:
            square = matrix[np.ix_(indices, indices)]
        dtype, square = _rounding_of(square), square.astype(np.float64)
        return cls(square, indices, dtype, matrix.shape[0], 0, 0.0)

    @classmethod
    def of_objects(cls, X, measure, n_samples, max_comparisons, rng, n_jobs):
        """Compare a sample of objects, each ordered pair once.

        Parameters
        ----------
        X : collection of N objects
        measure : Measure
        n_samples, max_comparisons : int
            The sample has the largest size that both allow.
        rng : RandomState
        n_jobs : int or None
        """
        n_objects = count_objects(X)
        indices = _draw(n_objects, min(n_samples, isqrt(max_comparisons - 1)), rng)
        objects = take_objects(X, indices)
        n = len(indices)
        # The first call may compile or import; it is made, and counted, but not timed.
        one = take_objects(objects, slice(0, 1))
        evaluate_rectangle(measure, one, one)
        # One block, so that scikit-learn knows that like is compared with like and
        # leaves no rounding on the diagonal; several only where pairs come one by one.
        step = max(1, -(-n // 16)) if measure.is_scalar else n
        runs = [objects]
        if step < n:
            runs = [take_objects(objects, run) for run in consecutive_blocks(n, step)]
        start = perf_counter()
        blocks = evaluate_in_order(
            evaluate_rectangle,
            ((measure, run, objects) for run in runs),
            n_jobs=n_jobs,
            prefer=measure.prefers,
        )
        square = np.concatenate(list(blocks))
        seconds = perf_counter() - start
        dtype, square = _rounding_of(square), square.astype(np.float64)
        return cls(square, indices, dtype, n_objects, n * n + 1, seconds)

    @property
    def n_samples(self):
        """Number of objects in the sample."""
        return len(self.indices)


def _rounding_of(square):
    return np.float32 if square.dtype == np.float32 else np.float64


def _draw(n_objects, n_samples, rng):
    if n_samples >= n_objects:
        return np.arange(n_objects)
    return np.sort(rng.permutation(n_objects)[:n_samples])
