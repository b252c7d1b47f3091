"""One call that says what kind of comparison someone has."""

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..comparisons import (
    KERNEL_NAMES,
    Measure,
    block_kernel,
    check_measure,
    kernel_arguments,
)
from ..comparisons._objects import count_objects
from ._axioms import Axioms, complete_objects
from ._compared_sample import ComparedSample, read_matrix, read_objects
from ._comparison_cost import ComparisonCost
from ._correction_effects import CorrectionEffects, KnownTargets
from ._correction_scores import CorrectionScores
from ._diagnosis import Diagnosis
from ._landmark_fit import LandmarkFit
from ._object_labels import check_labels
from ._recommendation import Findings, Measured, Plan, Recommendation
from ._sampled_spectrum import CleanSample, SampledSpectrum

__all__ = ["diagnose"]

# Tried on the targets, the usual one first.
_USUAL_POWERS = (2.0, 1.0)


def diagnose(
    X: Any,
    y: ArrayLike | None = None,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    metric_params: dict[str, Any] | None = None,
    power: float | None = None,
    kernel: str | Callable[..., Any] | None = None,
    gamma: float | None = None,
    coef0: float | None = None,
    degree: float | None = None,
    kernel_params: dict[str, Any] | None = None,
    n_samples: int = 200,
    max_comparisons: int = 50_000,
    n_resamples: int = 50,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Tell what kind of comparison this is, what it costs and what to do with it.

    Some objects are compared all with all, in both directions. Nothing is refused:
    missing, negative or asymmetric comparisons are counted and named, and what can be
    said without them is said.

    Given a *fitted estimator* and new objects, ``diagnose(estimator, X_new)`` tells how
    far these fall outside the landmarks.

    Parameters
    ----------
    X : array-like, sparse matrix, sequence of n_objects objects, or fitted estimator
        As in :class:`skproxy.NystromDissimilarity`, or, for a kernel,
        :class:`skproxy.Nystroem`. Precomputed, the full n_objects x n_objects matrix.
        Or an estimator of this library that compares with landmarks, a pipeline with
        one in it, or a search over these.
    y : array-like of shape (n_objects,), default=None
        Classes, or numbers, to tell which correction suits them: those of the sample
        are predicted from each other. Missing ones (None, NaN) are left out. With an
        estimator, the new objects, as its `transform` or `predict` takes them.
    metric : str, callable, BlockMetric or "precomputed", default="euclidean"
        How two objects are compared, large values meaning different; as in
        :class:`skproxy.NystromDissimilarity`.
    metric_params : dict, default=None
        Keyword arguments of the metric.
    power : float, default=None
        Exponent of the dissimilarities. None is 2; with `y`, 1 where that predicts `y`
        clearly better. Values below zero cannot be squared: then 1 is taken, and said.
    kernel : str, callable, BlockMetric or "precomputed", default=None
        How two objects are compared, large values meaning alike; as in
        :class:`skproxy.Nystroem`. When it is given, `metric` is not used.
    gamma, coef0, degree : float, default=None
        Parameters of the kernels named.
    kernel_params : dict, default=None
        Further keyword arguments of the kernel.
    n_samples : int, default=200
        Most objects that are compared with each other, drawn at random.
    max_comparisons : int, default=50000
        Most evaluations of the measure; lower it for slow ones. n objects need
        ``n**2 + 1``.
    n_resamples : int, default=50
        Random halves of the sample behind the confidence interval.
    random_state : int, RandomState instance or None, default=None
        Decides the sample and the halves.
    n_jobs : int, default=None
        Number of parallel evaluations of a callable of two objects.

    Returns
    -------
    diagnosis : Diagnosis or LandmarkFit
        Prints as a report in plain words; has `plot()` and all numbers as attributes.

    See Also
    --------
    SpectrumDisplay : Looks at one spectrum more closely.
    LandmarkCurveDisplay : Tries out how many landmarks are needed, for a score.

    Notes
    -----
    At most `max_comparisons` evaluations, then O(n_samples^3) time (a quarter of a
    second for 200, of a minute for 1000) and O(n_samples^2) memory. Of a dense matrix
    that is precomputed all entries are checked, in O(n_objects^2).

    With `y`, the powers 2 and 1 and the corrections that may be recommended are
    compared by the accuracy (or R2) of ridge regression and five nearest neighbours,
    cross-validated in the sample: twice five folds, each with a decomposition. Power 2
    and ``"flip"``, which loses nothing, are recommended unless another is better by
    more than two standard errors.

    Shares are of the sample. The share of negative eigenvalues, the constants of
    Lingoes and Cailliez and, for spectra that fall slowly, the number of landmarks grow
    with the number of objects.

    References
    ----------
    E. Pekalska, R. P. W. Duin (2005). The Dissimilarity Representation for Pattern
    Recognition. World Scientific, section 3. doi:10.1142/5965

    Examples
    --------
    >>> from skproxy.datasets import make_balls
    >>> from skproxy.inspection import diagnose
    >>> D, y = make_balls((60, 60), random_state=0)
    >>> diagnosis = diagnose(D, y, metric="precomputed", random_state=0)
    >>> round(diagnosis.spectrum.negative_fraction, 2)
    0.03
    >>> print(diagnosis.recommendation.call)
    NystromDissimilarity(...
    """
    _check_counts(n_samples, max_comparisons, n_resamples)
    if _is_estimator(X):
        return LandmarkFit.of(X, y, n_samples, max_comparisons, random_state)
    if kernel is None:
        measured = Measured(metric, dict(metric_params or {}), False, 2.0)
    else:
        _check_kernel(kernel)
        params = kernel_arguments(
            "diagnose", kernel, kernel_params, gamma=gamma, coef0=coef0, degree=degree
        )
        measured = Measured(kernel, params, True, 1.0)
    powers = _USUAL_POWERS if power is None else (_power(power),)
    limits = n_samples, max_comparisons
    rng = check_random_state(random_state)
    X, y = _read(X, y, measured)
    sample = _compare(X, measured, limits, rng, n_jobs)
    matrix = X if measured.is_precomputed else None
    axioms = Axioms.of(sample, matrix, is_similarity=measured.is_similarity, rng=rng)
    if measured.is_similarity or axioms.n_negative:
        powers = (1.0,)
    return _diagnosis(sample, axioms, y, measured, powers, n_resamples, rng)


def _read(X, y, measured):
    """Return the objects, or their matrix, and the targets as an array or None."""
    if measured.is_precomputed:
        X = read_matrix(X, is_similarity=measured.is_similarity)
        return X, _check_targets(y, X.shape[0])
    if not measured.is_similarity:
        check_measure(measured.compare, measured.params, "metric of diagnose")
    X = read_objects(X, measured.compare)
    return X, _check_targets(y, count_objects(X))


def _compare(X, measured, limits, rng, n_jobs):
    """Return a sample of the objects, compared with each other."""
    if measured.is_precomputed:
        return ComparedSample.of_matrix(X, limits[0], rng)
    measure = Measure(
        block_kernel(measured.compare), measured.is_similarity, measured.params
    )
    return ComparedSample.of_objects(X, measure, *limits, rng, n_jobs)


def _diagnosis(sample, axioms, y, measured, powers, n_resamples, rng):
    """Look at a sample in every way."""
    kept = complete_objects(sample.square)
    complete = sample.square[np.ix_(kept, kept)]
    eps = float(np.finfo(sample.dtype).eps)
    kind = {"is_similarity": measured.is_similarity, "eps": eps}
    targets = None if y is None else KnownTargets.of(y[sample.indices[kept]])
    scores = None
    if targets is not None and targets.differ:
        samples = [CleanSample.of(complete, power=power, **kind) for power in powers]
        scores = CorrectionScores.of(samples, targets.values, targets.known, rng)
    measured = replace(measured, power=scores.power if scores else powers[0])
    clean = CleanSample.of(complete, power=measured.power, **kind)
    spectrum = SampledSpectrum.of(clean, n_resamples, rng)
    effects = CorrectionEffects.of(clean, targets, scores)
    plan = Plan.of(measured, spectrum, effects, len(kept), sample.n_objects)
    probed = not measured.is_similarity or spectrum.signature[1] > 0
    cost = ComparisonCost.of(sample, plan.n_landmarks, plan.landmarks, probed=probed)
    dropped = np.delete(sample.indices, kept)
    findings = Findings(axioms, spectrum, effects, cost, dropped)
    return Diagnosis(
        n_objects=sample.n_objects,
        n_samples=sample.n_samples,
        n_comparisons=sample.n_comparisons,
        seconds=sample.seconds,
        measured=measured,
        dropped=dropped,
        axioms=axioms,
        spectrum=spectrum,
        corrections=effects,
        cost=cost,
        recommendation=Recommendation.of(measured, plan, findings),
    )


def _is_estimator(X):
    return hasattr(X, "fit") and hasattr(X, "get_params") and not isinstance(X, type)


def _check_targets(y, n_objects):
    """Return the targets as an array, or None; before anything is compared."""
    if y is None:
        return None
    if isinstance(y, str):
        msg = (
            f"y of diagnose must be one label or number for each object; got {y!r}. A "
            f"measure is passed by its name: metric={y!r} or kernel={y!r}."
        )
        raise ValueError(msg)
    if np.ndim(y) == 2 and np.shape(y)[1] == 1:
        y = np.asarray(y)[:, 0]
    return np.asarray(check_labels(y, n_objects, "diagnose"))


def _check_kernel(kernel):
    names = KERNEL_NAMES | {"precomputed"}
    if isinstance(kernel, str) and kernel not in names:
        msg = (
            f"kernel of diagnose must be one of {sorted(names)}, a function of two "
            f"objects, or a BlockMetric; got {kernel!r}. Dissimilarities are passed as "
            "metric=."
        )
        raise ValueError(msg)


def _power(power):
    if not isinstance(power, Real) or not 0 < power < np.inf:
        msg = (
            f"power of diagnose must be a positive number; got {power!r}. Use 2 for "
            "dissimilarities and 1 for values that are squared already."
        )
        raise ValueError(msg)
    return float(power)


def _check_counts(n_samples, max_comparisons, n_resamples):
    for name, value, least in (
        ("n_samples", n_samples, 2),
        ("max_comparisons", max_comparisons, 5),
        ("n_resamples", n_resamples, 2),
    ):
        if not isinstance(value, Integral) or value < least:
            msg = (
                f"{name} of diagnose must be an integer of at least {least}; got "
                f"{value!r}."
            )
            raise ValueError(msg)
