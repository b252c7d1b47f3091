"""Measures: how two objects are compared, and the evaluation of blocks of comparisons.

A measure is one of

- a name known to scikit-learn (kernels) or to scikit-learn and SciPy (dissimilarities),
  or one of ours, see `_kernels` and `_named_measures`,
- a callable of two objects that returns a number (scikit-learn's convention),
- a `BlockMetric`, a function of two sequences of objects that returns a matrix.

Precomputed matrices are no measure: nothing is left to evaluate. See `_comparisons`.
"""

import inspect
from dataclasses import dataclass, field
from pickle import PicklingError
from typing import Any

import numpy as np
from joblib import hash as digest
from sklearn import config_context
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import pairwise_kernels

from ._block_metric import BlockMetric
from ._kernels import NAMED_KERNELS
from ._named_measures import measure_by_name
from ._objects import count_objects, iterate_objects
from ._vector_measures import NAMED_DISSIMILARITIES
from ._vectors import euclidean_block, has_fast_block, rbf_block

__all__ = [
    "Measure",
    "block_kernel",
    "evaluate_rectangle",
    "evaluate_wedge",
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
    """

    compare: Any
    is_similarity: bool
    params: dict = field(default_factory=dict)

    def __post_init__(self):
        # Names of strings and series are block measures from here on.
        object.__setattr__(self, "compare", measure_by_name(self.compare))

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
            return digest((compare, self.is_similarity, self.params, source))
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


def as_floats(block):
    """Return comparisons as float32 or float64; integers are cast, never squared."""
    block = np.asarray(block)
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
    compare = measure.compare
    if isinstance(compare, BlockMetric):
        return as_floats(compare(rows, others, **measure.params))
    if isinstance(compare, str):
        if others is not rows and has_fast_block(compare, measure.params, rows, others):
            evaluate = rbf_block if compare == "rbf" else euclidean_block
            return evaluate(rows, others, **measure.params)
        # Finiteness was checked once for the whole of X; again in each block costs time
        # and shows in small blocks.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            return as_floats(_evaluate_name(measure, rows, others))
    block = np.empty((count_objects(rows), count_objects(others)))
    others = list(iterate_objects(others))
    for i, row in enumerate(iterate_objects(rows)):
        for j, other in enumerate(others):
            _put(block, i, j, compare(row, other, **measure.params), compare)
    return block


def _put(block, i, j, value, compare):
    try:
        block[i, j] = value
    except (TypeError, ValueError) as error:
        msg = (
            f"{compare!r} must return one number for two objects; got "
            f"{type(value).__name__}. Wrap a function of two sequences that returns a "
            "matrix as BlockMetric(function)."
        )
        raise TypeError(msg) from error


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
    if not measure.is_scalar:
        return evaluate_rectangle(measure, rows, others)
    items = list(iterate_objects(others))
    block = np.empty((count_objects(rows), len(items)))
    for i in range(block.shape[0]):
        for j in range(i, len(items)):
            value = measure.compare(items[i], items[j], **measure.params)
            _put(block, i, j, value, measure.compare)
        block[i:, i] = block[i, i : block.shape[0]]
    return block
