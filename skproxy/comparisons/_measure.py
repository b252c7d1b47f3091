"""Measures: how two objects are compared, and the evaluation of blocks of comparisons.

A measure is one of

- a name known to scikit-learn (kernels) or to scikit-learn and SciPy (dissimilarities),
  or one of ours, see `_kernels` and `_named_measures`,
- a callable of two objects that returns a number (scikit-learn's convention),
- a `BlockMetric`, a function of two sequences of objects that returns a matrix.

Precomputed matrices are no measure: nothing is left to evaluate. See `_comparisons`.
"""

import inspect
from dataclasses import dataclass, field, replace
from functools import partial
from pickle import PicklingError
from typing import Any

import numpy as np
from joblib import hash as digest
from sklearn import config_context
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import pairwise_kernels

from ._block_metric import BlockMetric
from ._facts import check_real
from ._kernels import NAMED_KERNELS
from ._named_measures import NamedMeasure, measure_by_name
from ._objects import count_objects, iterate_objects
from ._vector_measures import NAMED_DISSIMILARITIES
from ._vectors import evaluate_dense, fast_block, needs_dense

__all__ = [
    "Measure",
    "block_kernel",
    "evaluate_rectangle",
    "evaluate_wedge",
    "symmetrized",
]


@dataclass(frozen=True, eq=False)
class Measure:
    """How two objects are compared.

    Attributes
    ----------
    compare : str, callable or BlockMetric
        The measure proper.
    is_similarity : bool
        Whether large means alike. Names are looked up accordingly.
    params : dict
        Keyword arguments of `compare`.
    symmetrize : {None, "average", "min", "max"}
        How the two directions of a function are joined, both of which are evaluated
        then. Names are symmetric.
    """

    compare: Any
    is_similarity: bool
    params: dict = field(default_factory=dict)
    symmetrize: str | None = None

    def __post_init__(self):
        # Names of strings and series are block measures from here on.
        compare = measure_by_name(self.compare)
        object.__setattr__(self, "compare", compare)
        if isinstance(compare, (str, NamedMeasure)):
            object.__setattr__(self, "symmetrize", None)

    def digest(self, name):
        """Return what tells the measure from others, to keep its comparisons under.

        Callables are pickled by name, which stays when their code is changed: the
        digest is one of the code too. What they call in turn is not seen.

        Parameters
        ----------
        name : str
            What the comparisons come from, for messages.
        """
        compare, source = self.compare, None
        if not isinstance(compare, str):
            is_block = isinstance(compare, BlockMetric)
            source = _source_code(compare.func if is_block else compare)
        try:
            facts = compare, self.is_similarity, self.params, source
            return digest((*facts, self.symmetrize) if self.symmetrize else facts)
        except (PicklingError, TypeError, AttributeError) as error:
            msg = (
                f"{name} and its parameters must pickle for comparisons to be kept in "
                f"memory=; got {self.compare!r} with {self.params}. Use a function "
                "defined at the top of a module, or leave memory out."
            )
            raise ValueError(msg) from error

    @property
    def is_scalar(self):
        """Whether `compare` takes one pair at a time."""
        return not isinstance(self.compare, (str, BlockMetric))

    @property
    def n_ways(self):
        """Evaluations that one comparison takes."""
        return 1 if self.symmetrize is None else 2

    @property
    def prefers(self):
        """Where to evaluate in parallel: scalar Python code holds the interpreter."""
        if isinstance(self.compare, BlockMetric):
            return self.compare._prefers
        return "processes" if self.is_scalar else "threads"


def _source_code(compare):
    """Return the code of a function, or of the class of a callable object."""
    compare = inspect.unwrap(getattr(compare, "func", compare))  # partial functions
    if not (inspect.isroutine(compare) or inspect.isclass(compare)):
        compare = type(compare)
    try:
        return inspect.getsource(compare)
    except (OSError, TypeError):  # typed in, or compiled
        code = getattr(compare, "__code__", None)
        return None if code is None else f"{code.co_code!r} {code.co_consts!r}"


def block_kernel(kernel):
    """Wrap scikit-learn's Gaussian-process kernels, which take whole matrices."""
    if isinstance(kernel, (str, BlockMetric)) or not hasattr(kernel, "is_stationary"):
        return kernel
    from sklearn.gaussian_process.kernels import Kernel

    return BlockMetric(kernel) if isinstance(kernel, Kernel) else kernel


def symmetrized(forth, back, how):
    """Join the two directions of a comparison: their average, minimum or maximum."""
    if how == "min":
        return np.minimum(forth, back)
    if how == "max":
        return np.maximum(forth, back)
    return (forth + back) / 2


def as_floats(block):
    """Return comparisons as float32 or float64; integers are cast, never squared."""
    if isinstance(block, np.ma.MaskedArray):
        block = block.astype(np.float64).filled(np.nan)  # reported as missing
    block = np.asarray(block)
    check_real(block, "A measure")
    if block.dtype in (np.float32, np.float64):
        return block
    return block.astype(np.float64)


def evaluate_rectangle(measure, rows, others):
    """Compare every object of `rows` with every object of `others`.

    Parameters
    ----------
    measure : Measure
    rows, others : collections of a and b objects

    Returns
    -------
    block : ndarray of shape (a, b)
        float32 or float64, in the units of the metric.
    """
    if measure.symmetrize is not None:
        one_way = replace(measure, symmetrize=None)
        forth = evaluate_rectangle(one_way, rows, others)
        back = evaluate_rectangle(one_way, others, rows).T
        return symmetrized(forth, back, measure.symmetrize)
    compare = measure.compare
    if isinstance(compare, BlockMetric):
        return as_floats(compare(rows, others, **measure.params))
    if isinstance(compare, str):
        evaluate = fast_block(
            compare, measure.is_similarity, measure.params, rows, others
        )
        if evaluate is not None:
            return evaluate(rows, others, **measure.params)
        if needs_dense(compare, rows):
            return evaluate_dense(partial(_evaluate_by_name, measure), rows, others)
        return _evaluate_by_name(measure, rows, others)
    block = np.empty((count_objects(rows), count_objects(others)))
    others = list(iterate_objects(others))
    for i, row in enumerate(iterate_objects(rows)):
        for j, other in enumerate(others):
            _put(block, i, j, _compared(measure, row, other, i, j), compare)
    return block


def _compared(measure, one, other, i, j):
    """Compare two objects; whatever the function raises says at which ones."""
    try:
        return measure.compare(one, other, **measure.params)
    except Exception as error:
        error.pair_in_block = i, j  # the table knows where the block lies
        if i == j == 0 and _takes_sequences(measure, one, other):
            msg = (
                f"{measure.compare!r} must compare two objects; it fails on two, and "
                "returns a matrix for two sequences of them. Wrap it as "
                "BlockMetric(function)."
            )
            raise TypeError(msg) from error
        raise


def _takes_sequences(measure, one, other):
    """Tell whether a function returns a matrix for two sequences of objects."""
    stack = np.stack if isinstance(one, np.ndarray) else list
    try:
        block = measure.compare(
            stack([one, other]), stack([one, other, one]), **measure.params
        )
        return np.shape(block) == (2, 3)
    except Exception:  # whatever it is a function of
        return False


def _evaluate_by_name(measure, rows, others):
    # Finiteness was checked once for the whole of X; again in each block costs time and
    # shows in small blocks.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        return as_floats(_evaluate_name(measure, rows, others))


def _put(block, i, j, value, compare):
    try:
        if type(value) is not float:
            value = _as_number(value)
        block[i, j] = value
    except (TypeError, ValueError, OverflowError) as error:
        got, advice = (
            type(value).__name__,
            (
                "Wrap a function of two sequences that returns a matrix as "
                "BlockMetric(function)."
            ),
        )
        if isinstance(value, tuple):
            got += f" of {len(value)}"
            advice = "Take its first value, if that is the comparison: f(a, b)[0]."
        elif np.iscomplexobj(value):
            advice = "Take np.abs or np.real of it, whichever is meant."
        elif isinstance(error, OverflowError):
            advice = "It is beyond 1e308: compare in another unit, or logarithms."
        elif getattr(value, "ndim", 0):
            got += f" of shape {value.shape}"
        msg = f"{compare!r} must return one number for two objects; got {got}. {advice}"
        raise TypeError(msg) from error


def _as_number(value):
    """Return the number in an array of one; masked is missing."""
    if value is np.ma.masked:
        return np.nan
    if isinstance(value, (tuple, str, bytes)) or np.iscomplexobj(value):
        raise TypeError
    return value.item() if getattr(value, "size", 0) == 1 else value


def _evaluate_name(measure, rows, others):
    if others is rows:
        others = None  # scikit-learn's sign that the diagonal compares like with like
    if measure.is_similarity:
        if measure.compare in NAMED_KERNELS:
            kernel, gamma = NAMED_KERNELS[measure.compare], measure.params.get("gamma")
            return kernel(rows, others, gamma=gamma)
        return pairwise_kernels(
            rows, others, metric=measure.compare, filter_params=True, **measure.params
        )
    if measure.compare in NAMED_DISSIMILARITIES:
        return NAMED_DISSIMILARITIES[measure.compare](rows, others, **measure.params)
    extra = {}
    if measure.compare == "nan_euclidean":
        extra["ensure_all_finite"] = False
    try:
        return pairwise_distances(
            rows, others, metric=measure.compare, **extra, **measure.params
        )
    except ValueError as error:
        if "Unknown Distance Metric" not in str(error):
            raise
        msg = (
            f"metric={measure.compare!r} is no dissimilarity that scikit-learn or "
            "SciPy knows by name. Pass a name of sklearn.metrics.pairwise_distances "
            "or scipy.spatial.distance, or a function; kernels belong into Nystroem."
        )
        raise ValueError(msg) from error


def evaluate_wedge(measure, rows, others):
    """Compare rows with themselves and with what follows them, each pair once.

    Parameters
    ----------
    measure : Measure
    rows : collection of a objects
    others : collection of b objects
        The a objects of `rows` first.

    Returns
    -------
    block : ndarray of shape (a, b)
        Left of the diagonal of the leading a x a corner mirrored (scalar callables) or
        evaluated (blocks).
    """
    if not measure.is_scalar or measure.symmetrize is not None:
        return evaluate_rectangle(measure, rows, others)
    items = list(iterate_objects(others))
    block = np.empty((count_objects(rows), len(items)))
    for i in range(block.shape[0]):
        for j in range(i, len(items)):
            value = _compared(measure, items[i], items[j], i, j)
            _put(block, i, j, value, measure.compare)
        block[i:, i] = block[i, i : block.shape[0]]
    return block
