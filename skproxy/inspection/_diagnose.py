"""One call that says what kind of comparison someone has."""

from numbers import Integral, Real

import numpy as np
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
from ._correction_effects import CorrectionEffects
from ._diagnosis import Diagnosis
from ._landmark_fit import LandmarkFit
from ._object_labels import check_labels
from ._recommendation import Measured, Plan, Recommendation
from ._sampled_spectrum import CleanSample, SampledSpectrum

__all__ = ["diagnose"]


def diagnose(
    X,
    y=None,
    *,
    metric="euclidean",
    metric_params=None,
    power=2,
    kernel=None,
    gamma=None,
    coef0=None,
    degree=None,
    kernel_params=None,
    n_samples=200,
    max_comparisons=50_000,
    n_resamples=50,
    random_state=None,
    n_jobs=None,
):
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
    power : float, default=2
        Exponent of the dissimilarities. Values below zero cannot be squared: then 1 is
        taken, and said.
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

    With `y`, the corrections that may be recommended are compared by the accuracy (or
    R2) of ridge regression and five nearest neighbours, cross-validated in the sample:
    twice five folds, each with a decomposition. ``"flip"``, which loses nothing, is
    recommended unless another is better by more than two standard errors.

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
        measured = Measured(metric, dict(metric_params or {}), False, _power(power))
    else:
        _check_kernel(kernel)
        params = kernel_arguments(
            "diagnose", kernel, kernel_params, gamma=gamma, coef0=coef0, degree=degree
        )
        measured = Measured(kernel, params, True, 1.0)
    rng = check_random_state(random_state)
    return _diagnose(
        X, y, measured, n_samples, max_comparisons, n_resamples, rng, n_jobs
    )


def _diagnose(X, y, measured, n_samples, max_comparisons, n_resamples, rng, n_jobs):
    """Compare a sample and look at it in every way."""
    is_similarity = measured.is_similarity
    matrix = None
    if measured.is_precomputed:
        X = matrix = read_matrix(X, is_similarity=is_similarity)
        y = _check_targets(y, X.shape[0])
        sample = ComparedSample.of_matrix(matrix, n_samples, rng)
    else:
        if not is_similarity:
            check_measure(measured.compare, measured.params, "metric of diagnose")
        X = read_objects(X, measured.compare)
        y = _check_targets(y, count_objects(X))
        sample = ComparedSample.of_objects(
            X,
            Measure(block_kernel(measured.compare), is_similarity, measured.params),
            n_samples,
            max_comparisons,
            rng,
            n_jobs,
        )
    axioms = Axioms.of(sample, matrix, is_similarity=is_similarity, rng=rng)
    if not is_similarity and axioms.n_negative:
        measured = Measured(measured.compare, measured.params, False, 1.0)
    kept = complete_objects(sample.square)
    clean = CleanSample.of(
        sample.square[np.ix_(kept, kept)],
        is_similarity=is_similarity,
        power=measured.power,
        eps=float(np.finfo(sample.dtype).eps),
    )
    spectrum = SampledSpectrum.of(clean, n_resamples, rng)
    effects = CorrectionEffects.of(
        clean, None if y is None else y[sample.indices[kept]], rng
    )
    plan = Plan.of(measured, spectrum, effects, len(kept), sample.n_objects)
    probed = not is_similarity or spectrum.signature[1] > 0
    cost = ComparisonCost.of(sample, plan.n_landmarks, plan.landmarks, probed=probed)
    dropped = np.delete(sample.indices, kept)
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
        recommendation=Recommendation.of(
            measured, plan, axioms, spectrum, effects, cost, dropped
        ),
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
