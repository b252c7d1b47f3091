"""Selectors used alone: objects in, positions of landmarks out."""

from numbers import Integral, Real

from sklearn.base import BaseEstimator

from .._sklearn import HasMethods, Interval, StrOptions
from ..comparisons import Comparer, Geometry
from ._compares import ComparesWithLandmarks
from ._resolve import SELECTORS

__all__ = ["select_landmarks"]


def select_landmarks(
    X,
    y=None,
    *,
    n_landmarks=100,
    selector="kmeans",
    metric=None,
    metric_params=None,
    power=2,
    kernel=None,
    kernel_params=None,
    symmetrize=None,
    memory=None,
    random_state=None,
    n_jobs=None,
):
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
    choice = _Choice(
        metric=metric,
        metric_params=metric_params,
        power=power,
        kernel=kernel,
        kernel_params=kernel_params,
        n_landmarks=n_landmarks,
        landmarks=selector,
        symmetrize=symmetrize,
        memory=memory,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return choice.choose(X, y)


class _Choice(ComparesWithLandmarks, BaseEstimator):
    """The part of an estimator that chooses landmarks."""

    _parameter_constraints: dict = {
        "metric": [str, callable, None],
        "metric_params": [dict, None],
        "power": [Interval(Real, 0, None, closed="neither")],
        "kernel": [str, callable, None],
        "kernel_params": [dict, None],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "landmarks": [str, HasMethods("select")],
        "symmetrize": [StrOptions({"average", "min", "max"}), None],
        "memory": [str, HasMethods("cache"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        metric=None,
        metric_params=None,
        power=2,
        kernel=None,
        kernel_params=None,
        n_landmarks=100,
        landmarks="kmeans",
        symmetrize=None,
        memory=None,
        random_state=None,
        n_jobs=None,
    ):
        self.metric = metric
        self.metric_params = metric_params
        self.power = power
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    def choose(self, X, y):
        if self.metric is not None and self.kernel is not None:
            msg = (
                "metric and kernel of select_landmarks exclude each other; got "
                f"metric={self.metric!r} and kernel={self.kernel!r}. Pass the one that "
                "compares your objects."
            )
            raise ValueError(msg)
        self._validate_params()
        self._choose_landmarks(X, y)
        return self.component_indices_

    @property
    def _is_similarity(self):
        return self.kernel is not None

    def _measure(self):
        if self.kernel is not None:
            return self.kernel
        return "euclidean" if self.metric is None else self.metric

    def _comparer(self):
        similarity = self._is_similarity
        params = self.kernel_params if similarity else self.metric_params
        return Comparer(
            parameter="kernel" if similarity else "metric",
            compare=self._measure(),
            geometry=Geometry(
                is_similarity=similarity,
                power=1 if similarity else self.power,
                centred=not similarity,
            ),
            params=dict(params or {}),
            symmetrize=self.symmetrize,
            memory=self.memory,
            n_jobs=self.n_jobs,
        )

    def _wanted_landmarks(self):
        return self.n_landmarks, "n_landmarks"


# Messages name what the user called.
_Choice.__name__ = "select_landmarks"
