"""Selectors used alone: objects in, positions of landmarks out."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._sklearn import HasMethods, Interval, StrOptions, validate_parameter_constraints
from ..comparisons import Comparer, Geometry, Partitions, is_partitioned
from ._compares import ComparesWithLandmarks, choose_landmarks
from ._resolve import SELECTORS

__all__ = ["select_landmarks"]

_CONSTRAINTS = {
    "metric": [str, callable, None],
    "metric_params": [dict, None],
    "power": [Interval(Real, 0, None, closed="neither")],
    "kernel": [str, callable, None],
    "kernel_params": [dict, None],
    "n_landmarks": [Interval(Integral, 1, None, closed="left")],
    "symmetrize": [StrOptions({"average", "min", "max"}), None],
    "memory": [str, HasMethods("cache"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def select_landmarks(
    X: Any,
    y: ArrayLike | None = None,
    *,
    n_landmarks: int = 100,
    selector: Any = "kmeans",
    metric: str | Callable[..., Any] | None = None,
    metric_params: dict[str, Any] | None = None,
    power: float = 2,
    kernel: str | Callable[..., Any] | None = None,
    kernel_params: dict[str, Any] | None = None,
    symmetrize: str | None = None,
    memory: Any = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Choose landmarks without fitting anything to them.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of n_samples objects
        Or, for "precomputed", the n_samples x n_samples matrix.
    y : array-like of shape (n_samples,), default=None
        Labels, for selectors that use them.
    n_landmarks : int, default=100
        How many, at most.
    selector : str or selector, default="kmeans"
        An object of :mod:`skproxy.landmarks` or the name of one.
    metric : str, callable, BlockMetric or "precomputed", default=None
        How two objects are compared, where large means different. None with no
        `kernel` either stands for "euclidean".
    metric_params : dict, default=None
        Keyword arguments of the metric.
    power : float, default=2
        Exponent of the dissimilarities.
    kernel : str, callable, BlockMetric or "precomputed", default=None
        How two objects are compared, where large means alike; instead of `metric`.
    kernel_params : dict, default=None
        Keyword arguments of the kernel.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed matrix are joined. None
        refuses asymmetry beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons.
    random_state : int, RandomState instance or None, default=None
        Decides the choice.
    n_jobs : int, default=None
        Number of parallel evaluations; the choice does not depend on it.

    Returns
    -------
    indices : ndarray of shape (at most n_landmarks,)
        Distinct positions, in order of choice.

    Examples
    --------
    >>> from skproxy.landmarks import select_landmarks
    >>> words = ["a", "b", "c", "landmark", "landmass"]
    >>> def gap(a, b):
    ...     return float(abs(len(a) - len(b)))
    >>> len(select_landmarks(words, metric=gap, n_landmarks=4, random_state=0))
    2
    """
    named = isinstance(selector, str) and selector in SELECTORS
    if not named and not hasattr(selector, "select"):
        msg = (
            f"selector of select_landmarks must be one of {sorted(SELECTORS)} or offer "
            f"`select`; got {selector!r}."
        )
        raise ValueError(msg)
    if metric is not None and kernel is not None:
        msg = (
            "metric and kernel of select_landmarks exclude each other; got "
            f"metric={metric!r} and kernel={kernel!r}. Pass the one that compares your "
            "objects."
        )
        raise ValueError(msg)
    params = {
        "metric": "euclidean" if metric is None and kernel is None else metric,
        "metric_params": metric_params,
        "power": power,
        "kernel": kernel,
        "kernel_params": kernel_params,
        "n_landmarks": n_landmarks,
        "symmetrize": symmetrize,
        "memory": memory,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    validate_parameter_constraints(_CONSTRAINTS, params, "select_landmarks")
    choice = _Choice(landmarks=selector, **params)
    X, y = (Partitions(some) if is_partitioned(some) else some for some in (X, y))
    return choose_landmarks(choice, X, y).landmarks.indices


class _Choice(ComparesWithLandmarks, BaseEstimator):
    """The part of an estimator that chooses landmarks."""

    def __init__(self, **params):
        vars(self).update(params)

    @property
    def _is_similarity(self):
        return self.kernel is not None

    def _measure(self):
        return self.metric if self.kernel is None else self.kernel

    def _comparer(self):
        if self.kernel is None:
            return Comparer.of_metric(self)
        return Comparer(
            parameter="kernel",
            compare=self.kernel,
            geometry=Geometry(is_similarity=True, power=1, centred=False),
            params=dict(self.kernel_params or {}),
            symmetrize=self.symmetrize,
            memory=self.memory,
            n_jobs=self.n_jobs,
        )


# Messages name what the user called.
_Choice.__name__ = "select_landmarks"
