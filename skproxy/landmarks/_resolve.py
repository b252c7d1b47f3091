"""From what the user passed as ``landmarks=`` to the landmarks themselves."""

import warnings
from numbers import Integral

import numpy as np

from ..comparisons import Landmarks, PartitionedComparisons, check_landmark_objects
from ..comparisons._objects import count_objects, draw_positions, keep_objects
from ._entropy import EntropySelector
from ._farthest_point import FarthestPointSelector
from ._kmeans import KMeansSelector
from ._leverage import LeverageSelector
from ._meb import MEBSelector
from ._pivoted_cholesky import PivotedCholeskySelector
from ._stratified import StratifiedSelector
from ._uniform import UniformSelector

# Of objects in partitions so many are looked at by a selector.
_SAMPLED, _SAMPLED_PER_LANDMARK = 1000, 10

__all__ = ["SELECTORS", "given_indices", "resolve_landmarks"]

#: name -> selector class, used with its defaults.
SELECTORS = {
    "uniform": UniformSelector,
    "stratified": StratifiedSelector,
    "kmeans": KMeansSelector,
    "cholesky": PivotedCholeskySelector,
    "leverage": LeverageSelector,
    "farthest": FarthestPointSelector,
    "entropy": EntropySelector,
    "meb": MEBSelector,
}


def is_selector(landmarks):
    """Tell whether landmarks are to be selected; polars frames offer `select` too."""
    return hasattr(landmarks, "select") and not hasattr(landmarks, "shape")


def given_indices(landmarks):
    """Return landmarks as an index array if they are integers, or a boolean mask.

    Returns
    -------
    indices : ndarray of shape (m,) or None
    """
    if isinstance(landmarks, str) or is_selector(landmarks):
        return None
    if isinstance(landmarks, (list, tuple)) and not all(
        isinstance(item, (Integral, np.bool_)) for item in landmarks
    ):
        # Objects. numpy would look into them: graphs raise anything, and an array of
        # strings takes as much memory for each as for the longest.
        return None
    indices = np.asarray(landmarks)
    if indices.ndim != 1 or indices.dtype.kind not in "iub" or len(indices) == 0:
        return None
    if indices.dtype.kind == "b":
        return np.flatnonzero(indices)
    return indices.astype(np.intp)


def resolve_landmarks(estimator, table, X, y, rng):
    """Choose the landmarks, or take those the user chose.

    Parameters
    ----------
    estimator : estimator
        Its parameter `landmarks` is a name, a selector, an array of int or bool, or a
        collection of objects.
    table : comparisons of N objects
    X : collection of N objects
    y : array-like or None
    rng : RandomState

    Returns
    -------
    landmarks : Landmarks
    """
    owner, landmarks = type(estimator).__name__, estimator.landmarks
    if isinstance(landmarks, str):
        landmarks = _selector_by_name(landmarks, owner)
    if is_selector(landmarks):
        n_landmarks = _at_most(*estimator._wanted_landmarks(), table.n_objects, owner)
        if isinstance(table, PartitionedComparisons):
            indices = _select_in_partitions(landmarks, y, n_landmarks, table, rng)
        else:
            indices = np.asarray(landmarks.select(X, y, n_landmarks, table, rng))
        return _taken(table, _check_indices(indices, table.n_objects, owner))
    indices = given_indices(landmarks)
    if indices is not None:
        _check_mask(landmarks, table.n_objects, owner)
        return _taken(table, _check_indices(indices, table.n_objects, owner))
    _check_collection(landmarks, table, owner)
    objects = check_landmark_objects(estimator, landmarks, table.measure.compare)
    return Landmarks(keep_objects(objects), None)


def _select_in_partitions(selector, y, n_landmarks, table, rng):
    """Select among a uniform sample of the objects, which comes here."""
    if type(selector) is UniformSelector:
        return draw_positions(table.n_objects, n_landmarks, rng)
    size = max(_SAMPLED, _SAMPLED_PER_LANDMARK * n_landmarks)
    sample = np.sort(draw_positions(table.n_objects, size, rng))
    here = table.here(sample)
    if y is not None:
        y = table.partitions.beside(y, "y").take(sample)
    chosen = selector.select(here.objects, y, n_landmarks, here, rng)
    table.n_evaluated += here.n_evaluated
    return sample[np.asarray(chosen)]


def _selector_by_name(name, owner):
    if name not in SELECTORS:
        msg = (
            f"landmarks of {owner} must be one of {sorted(SELECTORS)}, a selector, "
            f"indices or objects; got {name!r}."
        )
        raise ValueError(msg)
    return SELECTORS[name]()


def _at_most(n_landmarks, parameter, n_samples, owner):
    """Return the number of landmarks to select, with a warning if it is lowered."""
    if n_landmarks <= n_samples or parameter == "max_landmarks":
        return min(n_landmarks, n_samples)
    warnings.warn(
        # scikit-learn's own words where its own parameter is meant
        f"{parameter} > n_samples. This is not possible.\n"
        f"{parameter} was set to n_samples, which results"
        " in inefficient evaluation of the full kernel."
        if parameter == "n_components"
        else f"{parameter}={n_landmarks} of {owner} is more than the "
        f"{n_samples} objects given; at most {n_samples} can become landmarks.",
        UserWarning,
        stacklevel=5,
    )
    return n_samples


def _check_collection(landmarks, table, owner):
    """Raise where landmarks can be no objects to compare with."""
    if table.is_precomputed:
        msg = (
            f"landmarks of {owner} must be indices, a selector or its name when the "
            f"comparisons are precomputed; got {type(landmarks).__name__}. Objects "
            "cannot be compared without a measure."
        )
        raise ValueError(msg)
    if not hasattr(landmarks, "__len__"):
        msg = (
            f"landmarks of {owner} must offer `select`, or be indices or a collection "
            f"of objects; got {landmarks!r}, which is none of these. Selectors by name "
            f"are {sorted(SELECTORS)}."
        )
        raise TypeError(msg)
    if count_objects(landmarks) == 0:  # sparse matrices have no length
        msg = f"landmarks of {owner} must hold at least one object; got none."
        raise ValueError(msg)


def _taken(table, indices):
    objects = table.take(indices)
    # Taking from an array copies; the items of a list are still the caller's.
    return Landmarks(
        keep_objects(objects) if isinstance(objects, list) else objects, indices
    )


def _check_mask(landmarks, n_samples, owner):
    mask = np.asarray(landmarks)
    if mask.dtype.kind == "b" and len(mask) != n_samples:
        msg = (
            f"landmarks of {owner}, as a boolean mask, must have one entry for each "
            f"of the {n_samples} objects given; got {len(mask)}."
        )
        raise ValueError(msg)


def _check_indices(indices, n_samples, owner):
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or len(indices) == 0:
        msg = (
            f"landmarks of {owner} must give a non-empty array of integer positions; "
            f"got an array of shape {indices.shape} and dtype {indices.dtype}."
        )
        raise ValueError(msg)
    outside = indices[(indices < 0) | (indices >= n_samples)]
    if len(outside):
        msg = (
            f"landmarks of {owner} must be positions from 0 to {n_samples - 1}, one of "
            f"the {n_samples} objects given; got {outside[:5].tolist()}."
        )
        raise ValueError(msg)
    values, counts = np.unique(indices, return_counts=True)
    if (counts > 1).any():
        msg = (
            f"landmarks of {owner} must be distinct positions; got "
            f"{values[counts > 1][:5].tolist()} more than once."
        )
        raise ValueError(msg)
    return indices.astype(np.intp)
