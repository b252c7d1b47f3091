"""What every estimator that compares with landmarks shares.

A fit begins with one value, `Compared`: the objects checked, the landmarks chosen. What
becomes of it is each estimator's own business.
"""

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from functools import wraps
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from .._sklearn import (
    CallbackSupportMixin,
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
)
from ..comparisons import (
    SILENT,
    Landmarks,
    Partitions,
    check_kernel,
    is_partitioned,
    measure_by_name,
    progress_of_fit,
)
from ..comparisons._caller_warning import warn_caller
from ..comparisons._objects import keep_objects
from ..factor import Compared
from ._resolve import given_indices, is_selector, resolve_landmarks
from ._tolerance import (
    ErrorTolerance,
    check_tolerance,
    enough_landmarks,
    tolerance_of,
)

__all__ = [
    "LANDMARK_CONSTRAINTS",
    "LANDMARK_COUNT",
    "ComparesWithLandmarks",
    "choose_landmarks",
    "reported_fit",
    "take_all",
]

#: What `n_landmarks` may be.
LANDMARK_COUNT = [
    Interval(Integral, 1, None, closed="left"),
    StrOptions({"auto"}),
    ErrorTolerance,
]
#: Constraints of the parameters that mean the same in every estimator.
LANDMARK_CONSTRAINTS = {
    "landmarks": [str, HasMethods("select"), "array-like", "sparse matrix"],
    "n_probes": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
    "symmetrize": [StrOptions({"average", "min", "max"}), None],
    "memory": [str, HasMethods("cache"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


def reported_fit(method):
    """Decorate a fit: check its parameters, tell how far it is, and do all or nothing.

    As long as the fit lasts, ``self._progress`` is to be told. A fit that is broken off
    leaves the estimator as it was: new landmarks beside the axes of old ones would give
    numbers that mean nothing, and no error.

    Parameters
    ----------
    method : callable
        ``method(self, X, ...)``: fit, fit_transform or partial_fit.

    Returns
    -------
    fit : callable
        With the same signature.
    """

    @fit_context(prefer_skip_nested_validation=True)
    @wraps(method)
    def checked(self, X, *args, **kwargs):
        y = args[0] if args else kwargs.get("y")
        progress = progress_of_fit(self, X, y)
        before = dict(vars(self))
        if progress is not SILENT:
            self._progress = progress
        try:
            result = method(self, X, *args, **kwargs)
        except BaseException:  # KeyboardInterrupt above all
            vars(self).clear()
            vars(self).update(before)
            raise
        if progress is not SILENT:
            del self._progress
            progress.end()
        return result

    @wraps(method)
    def fit(self, X, *args, **kwargs):
        # Before scikit-learn says what kernels there are: a dissimilarity is no typing
        # error, it belongs elsewhere.
        owner = f"kernel of {type(self).__name__}"
        check_kernel(getattr(self, "kernel", None), owner)
        if not is_partitioned(X):
            return checked(self, X, *args, **kwargs)
        if not self._takes_partitions:
            msg = (
                f"X of {type(self).__name__} must lie in memory, or in a memory map; "
                "got a collection of Dask. Fit it to a sample, or turn the collection "
                "into vectors first, by NystromDissimilarity."
            )
            raise TypeError(msg)
        if method.__name__ == "fit_transform":
            return self.fit(X, *args, **kwargs).transform(X)
        args = [Partitions(x) if is_partitioned(x) else x for x in args]
        for name, x in kwargs.items():
            kwargs[name] = Partitions(x) if is_partitioned(x) else x
        return checked(self, Partitions(X), *args, **kwargs)

    return fit


def choose_landmarks(estimator, X, y=None):
    """Check the objects given to fit and choose landmarks.

    Parameters
    ----------
    estimator : ComparesWithLandmarks
        Takes ``n_features_in_`` and ``feature_names_in_``.
    X : what the user passed
    y : labels, or None

    Returns
    -------
    compared : Compared
        Nothing compared yet, but what the selector asked for.
    """
    rng = check_random_state(estimator.random_state)
    comparer = estimator._comparer()
    table, X = comparer.table(estimator, X, given_indices(estimator.landmarks))
    table.progress = estimator._progress
    _warn_of_columns(estimator, table.n_objects)
    table.progress.begin("choose landmarks")
    landmarks = resolve_landmarks(estimator, table, X, y, rng)
    columns_only = getattr(table, "positions", 0) is None
    n_probes = getattr(estimator, "n_probes", "auto")
    if columns_only and n_probes not in ("auto", 0):
        msg = (
            f"n_probes of {type(estimator).__name__} must be 0 or 'auto' for a "
            "precomputed matrix of landmark columns, which holds no comparisons among "
            f"other objects; got {n_probes}. Pass the square matrix to use probes."
        )
        raise ValueError(msg)
    error_seed = None
    if getattr(estimator, "estimate_error", False):
        _check_can_estimate(estimator, columns_only)
        error_seed = int(rng.get_state()[1][0])  # the generator goes on as it is
    compared = Compared(
        comparer.geometry,
        landmarks,
        table,
        rng,
        comparer,
        columns_only=columns_only,
        error_seed=error_seed,
    )
    selected = isinstance(estimator.landmarks, str) or is_selector(estimator.landmarks)
    tolerance = tolerance_of(getattr(estimator, "n_landmarks", None))
    if tolerance is None or not selected:
        return compared
    return _as_few_as_suffice(tolerance, estimator, compared)


def _as_few_as_suffice(tolerance, estimator, compared):
    """Return the objects with the landmarks that a tolerated error asks for."""
    count, known = enough_landmarks(tolerance, type(estimator).__name__, compared)
    indices = compared.landmarks.indices[:count]
    landmarks = Landmarks(compared.table.take(indices), indices)
    if compared.is_partitioned:  # compared where they lie, and not known there
        known = compared.table
    return replace(compared, landmarks=landmarks, table=known)


def _check_can_estimate(estimator, columns_only):
    if columns_only:
        msg = (
            f"estimate_error of {type(estimator).__name__} must be False for a "
            "precomputed matrix of landmark columns, which holds no comparisons among "
            "other objects. Pass the square matrix to estimate the error."
        )
        raise ValueError(msg)


def _warn_of_columns(estimator, n_objects):
    """Warn where more columns are asked for than objects can fill."""
    asked = getattr(estimator, "n_components", None)
    if asked is None or asked <= n_objects:
        return
    n_landmarks, parameter = estimator._wanted_landmarks()
    if parameter == "n_components" or (n_landmarks or 0) > n_objects:
        return  # there are too few for the landmarks as well, which is said
    warn_caller(
        f"n_components={asked} of {type(estimator).__name__} is more than the "
        f"{n_objects} objects given; columns past their rank are zero."
    )


def take_all(estimator, X):
    """Check the objects given to fit and take all as landmarks, in their order.

    Parameters
    ----------
    estimator, X
        As in `choose_landmarks`.

    Returns
    -------
    compared : Compared
        A copy of the objects: what the caller does to X afterwards must not move new
        objects. A matrix holds none.
    """
    if isinstance(X, Partitions):
        msg = (
            f"n_landmarks of {type(estimator).__name__} must be a number for a "
            "collection of Dask, whose objects are not compared with each other; got "
            "None."
        )
        raise ValueError(msg)
    rng = check_random_state(estimator.random_state)
    comparer = estimator._comparer()
    table, X = comparer.table(estimator, X)
    table.progress = estimator._progress
    _warn_of_columns(estimator, table.n_objects)
    objects = None if comparer.is_precomputed else keep_objects(X)
    landmarks = Landmarks(objects, np.arange(table.n_objects))
    return Compared(comparer.geometry, landmarks, table, rng, comparer)


class ComparesWithLandmarks(CallbackSupportMixin, metaclass=ABCMeta):
    """Base of estimators whose objects are compared with landmarks.

    A subclass says how it compares, and has the parameters of `LANDMARK_CONSTRAINTS`.
    """

    _is_similarity = False
    _takes_partitions = False
    _progress = SILENT

    @abstractmethod
    def _comparer(self):
        """Return the `Comparer` that the parameters describe."""

    def _measure(self):
        """Return the parameter that holds the measure."""
        return self.metric

    def _wanted_landmarks(self):
        """Return the number of landmarks and the name of its parameter."""
        tolerance = tolerance_of(self.n_landmarks)
        if tolerance is None:
            return self.n_landmarks, "n_landmarks"
        check_tolerance(tolerance, type(self).__name__)
        return tolerance.max_landmarks, "max_landmarks"

    def _wants_landmarks(self):
        """Tell whether there are to be landmarks, for estimators that can do without.

        Positions and objects bring their own number; a selector needs one.
        """
        given = not isinstance(self.landmarks, str) and not is_selector(self.landmarks)
        return given or self.n_landmarks is not None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Names of strings and series take neither tables nor sparse matrices.
        named = isinstance(measure_by_name(self._measure()), str)
        precomputed = named and self._measure() == "precomputed"
        similarities = self._is_similarity
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = named and (similarities or not precomputed)
        tags.input_tags.positive_only = precomputed and not similarities
        return tags
