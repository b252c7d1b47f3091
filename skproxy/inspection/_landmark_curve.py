"""What more landmarks, or others, are worth: errors and scores against their number.

An estimator that can be scored is scored by cross-validation. One that only represents
comparisons is asked how well: it is fitted to some objects, and its signed similarities
among *other* objects, before any correction, are held against those that the
comparisons give. Corrections are left out, for they are no error of the landmarks and
do not vanish with more of them.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline

from ..comparisons._objects import count_objects, take_objects
from ..embedding import EigenCorrector, Nystroem
from ..factor import double_center
from ..landmarks._compares import ComparesWithLandmarks
from ._estimator_reading import (
    ObjectComparisons,
    check_square_of,
    coordinate_signs,
    take_both,
)

__all__ = [
    "LandmarkParameters",
    "check_counts",
    "check_positive",
    "check_selectors",
    "count_fitted",
    "cross_validated_scores",
    "held_out_errors",
    "label_of",
    "name_of_score",
]


_USUAL = (10, 20, 50, 100)


@dataclass(frozen=True)
class LandmarkParameters:
    """Where an estimator, or a pipeline around it, keeps what is varied.

    Attributes
    ----------
    estimator : estimator or Pipeline
    prefix : str
        Of the parameters of the step that has landmarks.
    step : estimator
        That step.
    """

    estimator: object
    prefix: str
    step: object

    @classmethod
    def of(cls, estimator, owner):
        """Find the one step that compares with landmarks."""
        if isinstance(estimator, ComparesWithLandmarks):
            return cls(estimator, "", estimator)
        parameters = getattr(estimator, "get_params", dict)()
        found = [
            (f"{name}__", step)
            for name, step in parameters.items()
            if isinstance(step, ComparesWithLandmarks)
        ]
        if len(found) != 1:
            names = ", ".join(type(step).__name__ for _, step in found) or "none"
            msg = (
                f"estimator of {owner} must be, or have as one of its steps, exactly "
                "one estimator that compares with landmarks, such as "
                f"NystromDissimilarity; got {type(estimator).__name__} with {names}."
            )
            raise TypeError(msg)
        return cls(estimator, *found[0])

    def default_selector(self, owner):
        """Return the selector that the estimator itself has."""
        landmarks = self.step.landmarks
        if isinstance(landmarks, str) or hasattr(landmarks, "select"):
            return landmarks
        msg = (
            f"landmarks of {owner} must name selectors, because those of the estimator "
            "are positions or objects, whose number is given; got None. Pass for "
            "instance landmarks=['uniform', 'kmeans']."
        )
        raise ValueError(msg)

    def varied(self, n_landmarks, selector, seed):
        """Return a clone with so many landmarks of a selector."""
        changed = {"landmarks": clone(selector, safe=False), "n_landmarks": n_landmarks}
        if isinstance(self.step, Nystroem) and self.step.n_landmarks is None:
            # Its features are as many as its landmarks, unless told otherwise.
            changed["n_components"] = changed.pop("n_landmarks")
        if seed is not None:
            changed["random_state"] = seed
        return clone(self.estimator).set_params(
            **{self.prefix + name: value for name, value in changed.items()}
        )

    def uncorrected(self, n_landmarks, selector, seed):
        """Return the same with signed coordinates."""
        estimator = self.varied(n_landmarks, selector, seed)
        if "correction" in estimator.get_params(deep=False):
            estimator.set_params(correction=None)
        if isinstance(estimator, EigenCorrector):
            estimator.set_params(output="features")
        return estimator

    def count_used(self, fitted):
        """Return how many landmarks a fitted estimator got."""
        for name in filter(None, self.prefix.split("__")):
            fitted = fitted[name] if isinstance(fitted, Pipeline) else None
        return getattr(fitted, "n_landmarks_", None)


def held_out_errors(
    parameters, X, y, counts, selectors, *, n_repeats, n_held_out, rng, owner
):
    """Return how far approximated similarities of held-out objects are from the true.

    Parameters
    ----------
    parameters : LandmarkParameters
        Of an estimator without steps.
    X : collection of n objects, or of shape (n, n) where precomputed
    y : array-like of shape (n,) or None
        For selectors.
    counts : list of int
        Numbers of landmarks.
    selectors : list of str or selector
    n_repeats : int
        Draws of the landmarks.
    n_held_out : int
        Most objects that are held out; never more than a fifth.
    rng : RandomState
    owner : str
        For messages.

    Returns
    -------
    errors : ndarray of shape (n_selectors, n_counts, n_repeats)
        ``||S^ - S|| / ||S||`` (Frobenius), dimensionless, of the signed similarities,
        centred where the estimator centres.
    used : ndarray of shape (n_selectors, n_counts, n_repeats)
        Landmarks that there were.
    """
    estimator = parameters.estimator
    check_square_of(estimator, X, owner, "Compute the errors and use from_results.")
    n_objects = count_objects(X)
    n_fitted = count_fitted(n_objects, n_held_out, None)
    n_held_out = n_objects - n_fitted
    if n_fitted < max(counts):
        msg = (
            f"n_landmarks of {owner} must be at most the {n_fitted} "
            f"objects that are left when {n_held_out} are held out; got {max(counts)}. "
            "Ask for fewer landmarks."
        )
        raise ValueError(msg)
    order = rng.permutation(n_objects)
    test, train = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    X_train, X_test = (
        take_both(estimator, X, train),
        take_both(estimator, X, test, train),
    )
    y_train = None if y is None else take_objects(y, train)
    sample = ObjectComparisons.of(estimator, take_both(estimator, X, test))
    seeds = rng.randint(2**31 - 1, size=n_repeats)
    shape = (len(selectors), len(counts), n_repeats)
    errors, used = np.empty(shape), np.empty(shape)
    for place in np.ndindex(shape):
        selector, count, seed = (
            values[i]
            for values, i in zip(
                (selectors, counts, seeds.tolist()), place, strict=True
            )
        )
        fitted = parameters.uncorrected(count, selector, seed).fit(X_train, y_train)
        errors[place] = _relative_error(fitted, X_test, sample)
        used[place] = parameters.count_used(fitted) or count
    return errors, used


def _relative_error(fitted, X_test, sample):
    Z = np.asarray(fitted.transform(X_test), dtype=np.float64)
    approximated = (Z * coordinate_signs(fitted)) @ Z.T
    if sample.geometry.centred:
        approximated = double_center(approximated)
    true = sample.similarities()
    error, size = np.linalg.norm(approximated - true), np.linalg.norm(true)
    if size == 0:
        return 0.0 if error == 0 else float("inf")
    return float(error / size)


def cross_validated_scores(parameters, X, y, counts, selectors, *, scoring, cv, seed):
    """Return cross-validated scores.

    Parameters
    ----------
    parameters : LandmarkParameters
    X, y, scoring, cv
        As for :func:`sklearn.model_selection.cross_validate`.
    counts : list of int
    selectors : list of str or selector
    seed : int or None
        Sets random_state; None leaves it.

    Returns
    -------
    scores : ndarray of shape (n_selectors, n_counts, n_splits)
    used : ndarray of shape (n_selectors, n_counts, n_splits)
        Landmarks that there were.
    """
    scores, used = [], []
    for selector in selectors:
        for count in counts:
            result = cross_validate(
                parameters.varied(count, selector, seed),
                X,
                y,
                scoring=scoring,
                cv=cv,
                return_estimator=True,
                error_score="raise",
            )
            scores.append(result["test_score"])
            used.append(
                [parameters.count_used(e) or count for e in result["estimator"]]
            )
    shape = (len(selectors), len(counts), -1)
    return np.reshape(scores, shape), np.reshape(used, shape).astype(np.float64)


def count_fitted(n_objects, n_held_out, cv):
    """Return how many objects are left to fit: at least, where folds are unknown.

    Parameters
    ----------
    n_objects : int
    n_held_out : int or None
        Most that are held out for errors; None for a cross-validation.
    cv : int, splitter, iterable or None
    """
    if n_held_out is not None:
        return n_objects - min(n_held_out, max(n_objects // 5, 2))
    n_folds = 5 if cv is None else getattr(cv, "n_splits", cv)
    n_folds = n_folds if isinstance(n_folds, Integral) and n_folds > 1 else 2
    return n_objects - -(-n_objects // n_folds)


def label_of(selector):
    """Return a short name of a selector: its parameters matter, its ending does not."""
    if isinstance(selector, str):
        return selector
    name = " ".join(repr(selector).split())
    return name.replace("Selector(", "(").removesuffix("()")


def check_counts(counts, owner, n_fitted=None):
    """Return numbers of landmarks as a list of int, smallest first.

    Parameters
    ----------
    counts : array-like of int or None
        None stands for those usual ones that there are objects for.
    owner : str
        For messages.
    n_fitted : int, default=None
        Objects that each estimator is fitted to; needed for None.
    """
    if counts is None:
        return [m for m in _USUAL if m <= n_fitted] or [max(1, n_fitted // 2)]
    values = np.atleast_1d(np.asarray(counts))
    integers = values.ndim == 1 and len(values) and values.dtype.kind in "iu"
    if not integers or values.min() < 1:
        msg = f"n_landmarks of {owner} must be positive integers; got {counts!r}."
        raise ValueError(msg)
    return np.unique(values).tolist()


def check_positive(value, name, owner):
    """Raise unless a value is a positive integer."""
    if not isinstance(value, Integral) or value < 1:
        msg = f"{name} of {owner} must be a positive integer; got {value!r}."
        raise ValueError(msg)


def check_selectors(landmarks, parameters, owner):
    """Return a list of selectors or names; the estimator's own for None."""
    if landmarks is None:
        return [parameters.default_selector(owner)]
    single = isinstance(landmarks, str) or hasattr(landmarks, "select")
    selectors = [landmarks] if single else list(landmarks)
    for selector in selectors:
        if not isinstance(selector, str) and not hasattr(selector, "select"):
            msg = (
                f"landmarks of {owner} must be selectors or their names; got "
                f"{selector!r}. Positions cannot vary in number."
            )
            raise TypeError(msg)
    if not selectors:
        msg = f"landmarks of {owner} must hold at least one selector; got none."
        raise ValueError(msg)
    return selectors


def name_of_score(estimator):
    """Return what an estimator's own score is."""
    if is_classifier(estimator):
        return "accuracy"
    return "R2" if is_regressor(estimator) else "score"
