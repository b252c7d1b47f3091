"""What predictors share: a kernel or a metric, labels, landmarks."""

from abc import abstractmethod
from numbers import Real
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._sklearn import Interval, StrOptions
from ..comparisons import KERNEL_NAMES, Comparer, Partitions, by_partition
from ..comparisons._objects import take_objects
from ..factor import is_psd
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
)
from ..landmarks._resolve import is_selector

__all__ = [
    "PROXIMITY_CONSTRAINTS",
    "LandmarkClassifier",
    "LandmarkPredictor",
    "check_weights",
    "decisions_of",
    "encode_labels",
]

#: Constraints of the parameters that say how objects are compared.
PROXIMITY_CONSTRAINTS = {
    "kernel": [StrOptions(KERNEL_NAMES | {"precomputed"}), callable],
    "gamma": [Interval(Real, 0, None, closed="left"), None],
    "coef0": [Interval(Real, None, None, closed="neither"), None],
    "degree": [Interval(Real, 1, None, closed="left"), None],
    "kernel_params": [dict, None],
    "metric": [str, callable, None],
    "metric_params": [dict, None],
    "power": [Interval(Real, 0, None, closed="neither")],
    "n_landmarks": LANDMARK_COUNT,
    **LANDMARK_CONSTRAINTS,
}


def encode_labels(owner, X, y, classes=None):
    """Return the classes and the number of the class of each object.

    Parameters
    ----------
    owner : str
        Class name, for messages.
    X : collection of N objects
    y : array-like of shape (N,)
    classes : ndarray of shape (K,), default=None
        Sorted; None reads them off `y`, which then must hold two at least.

    Returns
    -------
    classes : ndarray of shape (K,)
    codes : ndarray of shape (N,)
    """
    if y is None:
        msg = f"{owner} requires y to be passed, but the target y is None."
        raise ValueError(msg)
    if isinstance(y, Partitions):
        found = np.concatenate(y.each(np.unique))
        classes, _ = encode_labels(owner, found, found, classes)
        return classes, X.beside(y, f"y of {owner}").map(_codes_of, classes)
    if isinstance(X, Partitions):
        classes, codes = encode_labels(owner, y, y, classes)
        check_consistent_length(X, y)
        codes = codes.astype(np.min_scalar_type(len(classes)))
        return classes, X.beside(codes, f"y of {owner}")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    check_classification_targets(y)
    found, codes = np.unique(y, return_inverse=True)
    if classes is None:
        if len(found) < 2:
            got = f"1 class, {found.tolist()}" if len(found) else "no labels"
            msg = (
                f"y of {owner} must hold objects of at least 2 classes; got {got}. "
                "There is nothing to tell apart."
            )
            raise ValueError(msg)
        return found, codes
    unknown = found[~np.isin(found, classes)]
    if len(unknown):
        msg = (
            f"y of {owner}.partial_fit must hold the classes named in the first call, "
            f"{np.asarray(classes).tolist()}; got {unknown.tolist()}. Pass all classes "
            "there."
        )
        raise ValueError(msg)
    return classes, np.searchsorted(classes, found)[codes]


def _codes_of(y, classes):
    """Return the numbers of the classes of one partition."""
    return np.searchsorted(classes, np.asarray(y))


def check_weights(owner, sample_weight, n_objects):
    """Return weights of objects as floats, or None where there are none.

    Parameters
    ----------
    owner : str
        Class name, for messages.
    sample_weight : array-like of shape (n_objects,) or None
    n_objects : int
    """
    if sample_weight is None:
        return None
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.shape != (n_objects,):
        msg = (
            f"sample_weight of {owner} must be one number for each of the {n_objects} "
            f"objects; got an array of shape {weights.shape}."
        )
        raise ValueError(msg)
    assert_all_finite(weights, input_name="sample_weight")
    if weights.min() < 0 or weights.max() == 0:
        msg = (
            f"sample_weight of {owner} must be non-negative and not all zero; got "
            f"numbers from {weights.min():g} to {weights.max():g}."
        )
        raise ValueError(msg)
    return weights


def decisions_of(log_probabilities):
    """Return log odds of the second of two classes, or all log probabilities."""
    if log_probabilities.shape[1] == 2:
        return log_probabilities[:, 1] - log_probabilities[:, 0]
    return log_probabilities


class LandmarkPredictor(ComparesWithLandmarks, BaseEstimator):
    """Predictor that knows objects by a kernel or a metric with landmarks.

    A subclass has the parameters of `PROXIMITY_CONSTRAINTS`.
    """

    @property
    def _is_similarity(self):
        return self.metric is None

    def _measure(self):
        return self.kernel if self.metric is None else self.metric

    def _comparer(self):
        if self.metric is None:
            return Comparer.of_kernel(self)
        return Comparer.of_metric(self)

    def _keep(self, compared):
        """Keep the landmarks and how new objects are compared with them."""
        self._compared, landmarks = compared.without_objects(), compared.landmarks
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = landmarks.count
        self.n_comparisons_ = compared.table.n_evaluated

    def _wanted_probes(self, square):
        """Return `n_probes`, none for a kernel that is psd among the landmarks."""
        if self.metric is not None:
            return self.n_probes
        eigenvalues = linalg.eigvalsh(square.astype(np.float64))
        return 0 if is_psd(eigenvalues, square.dtype) else self.n_probes


class LandmarkClassifier(ClassifierMixin, LandmarkPredictor):
    """Classifier that knows objects by a kernel or a metric with landmarks.

    A subclass gives log probabilities.
    """

    @abstractmethod
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log probabilities, of shape (n_new, n_classes)."""

    @by_partition
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects

        Returns
        -------
        probabilities : ndarray of shape (n_new, n_classes)
            Columns as in `classes_`; rows sum to one.
        """
        return np.exp(self.predict_log_proba(X))

    @by_partition
    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of objects.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            landmark columns are read, or (n_new, n_landmarks_).

        Returns
        -------
        labels : ndarray of shape (n_new,)
            In the type of the labels fitted.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return self.classes_[(decisions > 0).astype(np.intp)]
        return self.classes_[decisions.argmax(axis=1)]

    def _weighted(self, X, y, sample_weight):
        """Return objects, labels, weights, and positions where some are left out.

        An object of weight zero is none, and no landmark is to be selected from such.
        Where landmarks are given, or all comparisons are, it weighs nothing but stays.
        """
        if isinstance(X, Partitions) and sample_weight is None:
            return X, y, None, None
        y = column_or_1d(y, warn=True) if y is not None else y
        if y is None or sample_weight is None:
            return X, y, None, None
        if isinstance(X, Partitions):
            msg = (
                f"sample_weight of {type(self).__name__} must be None for a collection "
                "of Dask. Fit parts with their weights and merge them: see new_part."
            )
            raise ValueError(msg)
        check_consistent_length(X, y)
        weights = check_weights(type(self).__name__, sample_weight, len(y))
        selected = isinstance(self.landmarks, str) or is_selector(self.landmarks)
        precomputed = isinstance(self._measure(), str) and self._measure() == (
            "precomputed"
        )
        if weights.all() or not selected or precomputed:
            return X, y, weights, None
        kept = np.flatnonzero(weights)
        X = X if hasattr(X, "iloc") or hasattr(X, "shape") else list(X)
        return take_objects(X, kept), y[kept], weights[kept], kept

    def _restore_positions(self, kept):
        """Make positions those of the objects given, where some were left out."""
        if kept is not None and self.component_indices_ is not None:
            self.component_indices_ = kept[self.component_indices_]
