"""Gaussian-process regression at linear cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from .._sklearn import StrOptions
from ..classification._curved import coordinate_maps, kernel_candidates
from ..classification._proximity import PROXIMITY_CONSTRAINTS, LandmarkPredictor
from ..factor import Moments, SignedFactor, absorb, negative_fraction, signature
from ..landmarks._compares import choose_landmarks, reported_fit
from ._evidence import evidence_of, missed, moment_rows

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NyGPRegressor"]


class NyGPRegressor(RegressorMixin, LandmarkPredictor):
    """Gaussian-process regression for any similarity or dissimilarity.

    Every object is compared with a few landmarks. On what these comparisons say - a sum
    of radial kernels on the coordinates for two powers and on the standardised
    comparisons, and of a linear one where the evidence asks for it - a Gaussian process
    is fitted, whose noise and scale make the values most likely. It is read from
    moments: fit passes over the objects once, and streams (`partial_fit`).

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        How objects are compared, large values meaning alike: a name of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, ``"elm"``, ``"tl1"``
        or ``"tanimoto"``; a callable of two objects that returns a float; a
        :class:`BlockMetric` of two sequences that returns a matrix; or
        ``"precomputed"``. With a callable or a `BlockMetric`, `X` may be any sequence.
        Definiteness is not needed.
    gamma, coef0, degree : float, default=None
        Parameters of the kernels named; None leaves the value to the kernel.
    kernel_params : dict, default=None
        Further keyword arguments of the kernel.
    metric : str or callable, default=None
        For dissimilarities: as in :class:`NystromDissimilarity`. When it is given,
        `kernel` and its parameters are not used.
    metric_params : dict, default=None
        Further keyword arguments of the metric.
    power : float, default=2
        Dissimilarities are raised to this power; half of it is read, too.
    correction : {"flip", "clip", "square", "shift"} or None, default="flip"
        What becomes of negative eigenvalues before coordinates are read; None means
        ``"flip"``.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks: comparisons per object, in fit and in prediction. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A name or an object of :mod:`skproxy.landmarks`; positions in `X`; or objects of
        your own that need not be in `X`. Positions and objects bring their own number.
    n_probes : int or "auto", default="auto"
        Number of objects besides the landmarks that are compared among each other to
        fit the core, as in :class:`NystromDissimilarity`. A kernel that is psd on the
        landmarks needs none.
    rank : {"auto"} or None, default="auto"
        How many directions of the core are kept: as in :class:`NyIKFD`.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks, probes and the centres of the kernels.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    noise_variance_ : float
        Variance of the noise, in squared units of `y`.
    signal_variance_ : float
        Variance of the process where nothing is known, for a kernel of one, in squared
        units of `y`.
    log_marginal_likelihood_ : float
        Of the values, up to a constant that depends on their number only.
    eigenvalues_ : ndarray of shape (r,)
        Non-zero eigenvalues of the approximated similarity matrix, largest modulus
        first.
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero.
    negative_fraction_ : float
        Sum of moduli of the negative eigenvalues over that of all.
    components_ : collection of n_landmarks_ objects
        The landmarks.
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Their positions in `X`; None for objects of your own.
    n_landmarks_, n_comparisons_, n_samples_seen_ : int
        Number of landmarks, of comparisons that fit needed (those of the landmark
        selection included), and of objects fitted.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        Number and names of the columns of `X`, where it has any.

    See Also
    --------
    NyIKFD : The same features for classes.
    sklearn.gaussian_process.GaussianProcessRegressor : On vectors, all pairs at once.

    Notes
    -----
    N m + e^2 / 2 comparisons for N objects, m landmarks and e probes, O(N q (q + m))
    arithmetic and O(q^2) memory for q <= 300 centres, whatever N is. Kernels and their
    centres are chosen in the pilot sample of max(1000, 10 m) objects; a prediction
    makes m comparisons.

    References
    ----------
    C. E. Rasmussen, C. K. I. Williams (2006). Gaussian Processes for Machine Learning.
    MIT Press, sections 2.7, 5.4 and 8.3.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import NyGPRegressor
    >>> words = ["a" * i + "b" * j for i in range(12) for j in range(12)]
    >>> y = [word.count("a") for word in words]
    >>> def gap(one, other):
    ...     counts = [abs(one.count(x) - other.count(x)) for x in "ab"]
    ...     return float(sum(counts))
    >>> model = NyGPRegressor(metric=gap, n_landmarks=20, random_state=0)
    >>> mean, std = model.fit(words, y).predict(["aaabbb"], return_std=True)
    >>> bool(abs(mean[0] - 3) < 0.1)
    True
    """

    _features: Any
    _parameter_constraints: dict = {
        **PROXIMITY_CONSTRAINTS,
        "correction": [StrOptions({"flip", "clip", "square", "shift"}), None],
        "rank": [StrOptions({"auto"}), None],
    }

    def __init__(
        self,
        kernel: str | Callable[..., Any] = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        metric: str | Callable[..., Any] | None = None,
        metric_params: dict[str, Any] | None = None,
        power: float = 2,
        correction: str | None = "flip",
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        rank: str | None = "auto",
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.metric = metric
        self.metric_params = metric_params
        self.power = power
        self.correction = correction
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.rank = rank
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose landmarks and kernels, pass over the objects once, fit the process.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; precomputed, an array of shape (n_samples, n_samples),
            or (n_samples, n_landmarks) together with ``landmarks=`` the positions of
            its columns.
        y : array-like of shape (n_samples,)
            Numbers.

        Returns
        -------
        self : object
        """
        y = _check_values(type(self).__name__, X, y)
        compared = choose_landmarks(self, X, y).with_square()
        n_extra = compared.begin_probing(self._wanted_probes(compared.square))
        pilot = compared.draw_pilot(n_extra or 1)
        landmark_map = self._choose_features(compared, pilot, n_extra, y)
        nothing = Moments.empty(compared.landmarks.count)
        self._factor = SignedFactor(landmark_map, nothing, compared.geometry.centred)
        self._absorb(compared, y, pilot)
        self.n_samples_seen_ = len(y)
        self._keep(compared)
        return self._read()

    @reported_fit
    def partial_fit(self, X: Any, y: ArrayLike) -> Self:
        """Take in a batch of objects.

        The first batch chooses landmarks and kernels; afterwards the result does not
        depend on the order of the batches.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : object
        """
        if not hasattr(self, "_moments"):
            return self.fit(X, y)
        y = _check_values(type(self).__name__, X, y)
        compared = self._compared.of_new(self, X)
        self._absorb(compared, y)
        self.n_samples_seen_ += len(y)
        self.n_comparisons_ += compared.table.n_evaluated
        return self._read()

    def predict(
        self, X: Any, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Return expected values of objects.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            landmark columns are read, or (n_new, n_landmarks_).
        return_std : bool, default=False
            Whether to return standard deviations, too.

        Returns
        -------
        mean : ndarray of shape (n_new,)
        std : ndarray of shape (n_new,)
            Of a new value about the mean, noise included, in the units of `y`.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        found, scale = self._regression, self._factor.landmark_map.scale
        mean, variance = np.empty((2, compared.table.n_objects))
        for run, block in compared.blocks():
            ratios = scale.ratio(block)
            phi = self._features.rows(ratios)
            mean[run] = found.predict(phi)
            if return_std:
                left = missed(self._features, ratios, phi)
                variance[run] = found.variance(phi, left)
        return (mean, np.sqrt(variance)) if return_std else mean

    def _choose_features(self, compared, pilot, n_extra, y):
        """Take the kernels with the most evidence in the pilot; return its map."""
        rows, members = pilot.rows, pilot.indices
        if compared.landmarks.indices is not None:
            rows = np.concatenate([pilot.landmark_rows, rows])
            members = np.concatenate([compared.landmarks.indices, members])
        weights = np.ones(len(members))
        maps, landmark_map = coordinate_maps(
            (compared, pilot, n_extra), rows, weights, self.correction, self.rank
        )
        ratios = landmark_map.scale.ratio(rows)

        def evidence(features):
            moments = Moments.of(moment_rows(features, ratios, y[members]))
            return evidence_of(moments).log_evidence

        candidates = kernel_candidates(maps, ratios, weights, compared.rng)
        self._features = max(candidates, key=evidence)
        self._moments = Moments.empty(self._features.whitener.shape[1] + 2)
        return landmark_map

    def _absorb(self, compared, y, pilot=None):
        """Pass over objects: the moments of their features and values."""
        scale = self._factor.landmark_map.scale

        def also(positions, comparisons):
            ratios = scale.ratio(comparisons)
            rows = moment_rows(self._features, ratios, y[positions])
            self._moments = self._moments.merge(Moments.of(rows))

        (self._factor,) = absorb(compared, [self._factor], None, pilot, also=also)

    def _read(self):
        """Set everything that is read from factor and moments."""
        found = self._regression = evidence_of(self._moments)
        self.noise_variance_ = found.noise_variance
        self.signal_variance_ = found.signal_variance
        self.log_marginal_likelihood_ = found.log_evidence
        a = self.eigenvalues_ = self._factor.eigenvalues
        self.signature_ = signature(a, self.n_samples_seen_)
        self.negative_fraction_ = negative_fraction(a)
        return self


def _check_values(owner, X, y):
    """Return the values of objects as floats."""
    if y is None:
        msg = f"{owner} requires y to be passed, but the target y is None."
        raise ValueError(msg)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind not in "biuf":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            msg = (
                f"y of {owner} must hold numbers; got {y.dtype.name} values. Classes "
                "are for NyIKFD and NyPCVM. Unknown label type."
            )
            raise ValueError(msg) from error
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y.astype(np.float64, copy=False)
