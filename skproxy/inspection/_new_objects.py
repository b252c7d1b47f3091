"""New objects as the landmarks of a fitted estimator see them."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..comparisons._measure import evaluate_rectangle
from ..factor import SignedFactor
from ..landmarks import (
    FarthestPointSelector,
    KMeansSelector,
    StratifiedSelector,
    UniformSelector,
)
from ..landmarks._compares import ComparesWithLandmarks

__all__ = [
    "NewObjects",
    "Yardstick",
    "explained_shares",
    "landmark_step",
]


def landmark_step(estimator, X):
    """Return the first step that compares with landmarks, and X as it reaches it."""
    owner = "estimator of diagnose"
    step = estimator
    while not isinstance(step, ComparesWithLandmarks):
        if hasattr(step, "best_estimator_"):
            step = step.best_estimator_
            continue
        if not isinstance(step, Pipeline):
            msg = (
                f"{owner} must compare with landmarks, as the estimators of skproxy "
                f"do, or be a fitted pipeline or search with one in it; got "
                f"{type(step).__name__}. To look at data, pass them as X."
            )
            raise TypeError(msg)
        comparing = [
            i
            for i, (_, part) in enumerate(step.steps)
            if isinstance(part, (ComparesWithLandmarks, Pipeline))
            or hasattr(part, "best_estimator_")
        ]
        if not comparing:
            msg = (
                f"{owner} must compare with landmarks; got a pipeline without such a "
                "step. Put NystromDissimilarity or Nystroem into it."
            )
            raise TypeError(msg)
        first = comparing[0]
        if first and X is not None:
            X = step[:first].transform(X)
        step = step[first]
    check_is_fitted(step)
    if X is None:
        msg = (
            f"y of diagnose must be the new objects when X is a fitted estimator; got "
            f"None. Call diagnose({type(step).__name__.lower()}, X_new)."
        )
        raise ValueError(msg)
    if hasattr(step, "_as_sklearn_reads"):
        X = step._as_sklearn_reads(X)
    return step, X


@dataclass(frozen=True, eq=False)
class Yardstick:
    """How far landmarks are from each other.

    Attributes
    ----------
    distances : ndarray of shape (t,)
        How far t of the m landmarks are from the nearest other one where `is_spread`;
        else from half of the others or, if that is more and known, from the objects
        fitted (root of the mean powered dissimilarity).
    is_spread : bool
        Whether landmarks are spread over the objects fitted like, or more evenly than,
        objects drawn at random.
    among : ndarray of shape (t, m)
        Comparisons of these t with all m, in the units of the measure.
    own : ndarray of shape (m,) or None
        Self-similarities of all landmarks; None for dissimilarities.
    n_comparisons : int
        Comparisons that had to be made.
    """

    distances: np.ndarray
    is_spread: bool
    among: np.ndarray
    own: np.ndarray | None
    n_comparisons: int

    @classmethod
    def of(cls, step, max_comparisons, rng):
        """Compare landmarks, all or as many as half the comparisons allow."""
        landmarks, comparer = step._compared.landmarks, step._compared.comparer
        _check_landmarks(step)
        m = landmarks.count
        rows, own, n_comparisons = np.arange(m), None, 0
        is_similarity = comparer.geometry.is_similarity
        if comparer.is_precomputed:
            among = landmarks.objects
            if not step._compared.columns_only:
                among = among[:, landmarks.indices]
            if sparse.issparse(among):
                among = among.toarray()
        else:
            table = comparer.table_of(step, landmarks.objects)
            budget = max_comparisons // 2
            if m * (m + 1) // 2 <= budget:
                among = table.square(rows)
            else:
                n_rows = budget // m - int(is_similarity)
                _check_budget(step, n_rows, max_comparisons)
                rows = np.sort(rng.permutation(m)[: min(m, n_rows)])
                among = table.rectangle(rows, np.arange(m))
                if is_similarity:
                    own = _self_similarities(table)
                    table.n_evaluated += m
            n_comparisons = table.n_evaluated
        among = np.asarray(among, dtype=np.float64)
        if is_similarity and own is None:
            own = np.diagonal(among)
        distances = among.copy()
        if is_similarity:
            distances = _distances(among, own[rows], own)
        distances[np.arange(len(rows)), rows] = np.nan
        is_spread = _is_spread(step)
        if is_spread:
            distances = np.nanmin(distances, axis=1)
        else:
            distances = np.nanmedian(distances, axis=1)
            distances = np.fmax(distances, _from_objects_fitted(step, own)[rows])
        return cls(distances, is_spread, among, own, n_comparisons)


def _from_objects_fitted(step, own):
    """Return how far each landmark is from the objects fitted; NaN if not known."""
    factor, m = _factor_of(step), step._compared.landmarks.count
    if factor is None:
        return np.full(m, np.nan)
    scale = factor.landmark_map.scale
    means = factor.landmark_mean * scale.squared
    if own is None:
        return np.maximum(means, 0.0) ** (1.0 / scale.power)
    if not _are_equal(own):
        return np.full(m, np.nan)
    return np.sqrt(np.maximum(2.0 * (own - means), 0.0))


def _is_spread(step):
    """Tell whether landmarks are spread like the objects fitted.

    Not so where a selector prefers some kinds of objects, pruning has left few, or the
    user has chosen.
    """
    if (
        getattr(step, "basis", None) == "landmarks"
        or step._compared.landmarks.indices is None
    ):
        return False
    if getattr(step, "method", None) == "projection":  # exemplars
        return False
    if step._compared.landmarks.count == getattr(step, "n_samples_seen_", None):
        return True  # all objects
    selector = step.landmarks
    if isinstance(selector, str):
        return selector in _SPREAD
    return type(selector) in tuple(_SPREAD.values())


_SPREAD = {
    "uniform": UniformSelector,
    "stratified": StratifiedSelector,
    "kmeans": KMeansSelector,
    "farthest": FarthestPointSelector,
}


def _check_landmarks(step):
    name, landmarks = type(step).__name__, step._compared.landmarks
    if landmarks.objects is None:
        msg = (
            f"estimator of diagnose must have landmarks; got {name} without any: it "
            "does not keep the comparisons of the objects fitted. Set n_landmarks."
        )
        raise ValueError(msg)
    if landmarks.count < 2:
        msg = (
            "estimator of diagnose must have two landmarks at least, whose distance is "
            f"the yardstick; got {landmarks.count} in {name}. Set n_landmarks."
        )
        raise ValueError(msg)


def _check_budget(step, n_rows, max_comparisons):
    if n_rows < 2:
        m = step._compared.landmarks.count
        msg = (
            f"max_comparisons of diagnose must be at least {6 * m} for the {m} "
            f"landmarks of {type(step).__name__}; got {max_comparisons}."
        )
        raise ValueError(msg)


def _distances(similarities, own_rows, own_columns):
    """Return the dissimilarities that similarities induce."""
    squares = own_rows[:, None] + own_columns - 2.0 * similarities
    return np.sqrt(np.maximum(squares, 0.0))


@dataclass(frozen=True, eq=False)
class NewObjects:
    """New objects against the landmarks.

    Attributes
    ----------
    comparisons : ndarray of shape (n, m)
        In the units of the measure.
    own : ndarray of shape (n,) or None
        Self-similarities; None for dissimilarities and where they are not known.
    nearest : ndarray of shape (n,)
        Dissimilarity to the nearest landmark.
    n_comparisons : int
    """

    comparisons: np.ndarray
    own: np.ndarray | None
    nearest: np.ndarray
    n_comparisons: int

    @classmethod
    def of(cls, step, X, yardstick):
        """Compare new objects with all landmarks, and with themselves if need be."""
        compared = step._compared.of_new(step, X)
        table = compared.table
        comparisons = np.empty((table.n_objects, yardstick.among.shape[1]))
        for run, block in compared.blocks():
            comparisons[run] = block
        count = table.n_evaluated
        if yardstick.own is None:
            return cls(comparisons, None, comparisons.min(axis=1), count)
        own = None
        if not table.is_precomputed:
            own = _self_similarities(table)
            count += len(own)
        used = _likely_own(comparisons, yardstick) if own is None else own
        distances = _distances(comparisons, used, yardstick.own)
        return cls(comparisons, own, distances.min(axis=1), count)


def _self_similarities(table):
    """Return the similarity of each object of a table with itself."""
    own = np.empty(table.n_objects)
    for i in range(table.n_objects):
        one = table.take(slice(i, i + 1))
        own[i] = evaluate_rectangle(table.measure, one, one)[0, 0]
    return own


def _likely_own(comparisons, yardstick):
    """Return self-similarities that are not in a precomputed matrix of new objects.

    Those of the landmarks where they are all the same; else what the comparisons with
    the landmarks explain.
    """
    if _are_equal(yardstick.own):
        return np.full(len(comparisons), yardstick.own[0])
    core = np.linalg.pinv(yardstick.among, hermitian=True)
    return np.einsum("ij,jk,ik->i", comparisons, core, comparisons)


def explained_shares(step, new, yardstick):
    """Return the share of self-similarity that the landmarks explain, new and fitted.

    For dissimilarities the self-similarity about the mean follows from the comparisons
    with landmarks, ``s_xx = D_xl - s_ll + 2 s_xl``, whatever the landmark l.

    Parameters
    ----------
    step : fitted estimator
    new : NewObjects
    yardstick : Yardstick

    Returns
    -------
    explained, explained_in_fit : float or None
        None where self-similarities are not known.
    """
    factor = _factor_of(step)
    if step._compared.geometry.is_similarity:
        return _explained_similarities(step, factor, new, yardstick)
    return (None, None) if factor is None else _explained_dissimilarities(factor, new)


def _explained_similarities(step, factor, new, yardstick):
    if new.own is None or step._compared.geometry.centred:
        return None, None
    if factor is None:
        # The features of a psd kernel, one per landmark: their inner products are it.
        root = getattr(step, "normalization_", None)
        if root is None:
            return None, None
        return _share(np.square(new.comparisons @ root.T).sum(), new.own.sum()), None
    landmark_map, moments = factor.landmark_map, factor.moments
    scale, signs = landmark_map.scale, landmark_map.signs
    rows = factor.whitened(landmark_map.features(scale.apply(new.comparisons)))
    own = new.own.sum() / scale.squared
    in_fit = None
    if _are_equal(yardstick.own):
        q = float(signs @ np.diagonal(factor.scatter)) / moments.count
        in_fit = _share(q, yardstick.own[0] / scale.squared)
    return _share(np.square(rows).sum(axis=0) @ signs, own), in_fit


def _explained_dissimilarities(factor, new):
    landmark_map, moments = factor.landmark_map, factor.moments
    scaled, signs = landmark_map.scale.apply(new.comparisons), landmark_map.signs
    rows = factor.whitened(landmark_map.features(scaled))
    marks = factor.whitened(landmark_map.landmark_features)
    q_marks = np.square(marks) @ signs
    q = np.square(rows) @ signs
    own = (scaled - q_marks + 2.0 * (rows * signs) @ marks.T).mean(axis=1)
    q_fit = float(signs @ np.diagonal(factor.scatter)) / moments.count
    own_fit = float((factor.landmark_mean - q_marks).mean())
    return _share(q.sum(), own.sum()), _share(q_fit, own_fit)


def _share(part, whole):
    """Return how much of the whole is right: an indefinite part may be more than it."""
    return float(1.0 - abs(whole - part) / abs(whole)) if whole else None


def _are_equal(values):
    return bool(np.ptp(values) <= 1e-6 * np.abs(values).max())


def _factor_of(step):
    """Return the signed factor that an estimator keeps, if it does."""
    factor = getattr(step, "_factor", None)
    if factor is None:
        factor = getattr(getattr(step, "_corrected", None), "factor", None)
    if factor is None:
        for part in getattr(step, "_factors", ()):
            factor = part if factor is None else factor.merge(part)
    return factor if isinstance(factor, SignedFactor) else None
