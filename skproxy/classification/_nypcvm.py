"""The probabilistic classification vector machine at linear cost."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import Landmarks, Scale
from ..factor import factorize
from ..landmarks._compares import choose_landmarks, reported_fit
from ._curved import read_kept
from ._kernel_features import is_first
from ._landmark_basis import estimate_kept, in_units_of_columns, standardise
from ._predictor import log_probabilities
from ._proximity import (
    PROXIMITY_CONSTRAINTS,
    LandmarkClassifier,
    decisions_of,
    encode_labels,
)
from ._relevance import Stopping, prune_separately, prune_together
from ._training_basis import fit_in_factor

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NyPCVM"]


def weigh_classes(class_weight, classes, codes, of_objects):
    """Return the weight of each class; balanced, by the weights of its objects."""
    if isinstance(class_weight, str):  # "balanced"
        counts = np.bincount(codes, of_objects, minlength=len(classes))
        seen = counts > 0
        return np.where(
            seen, counts.sum() / (seen.sum() * np.where(seen, counts, 1)), 1
        )
    return compute_class_weight(class_weight, classes=classes, y=classes[codes])


class NyPCVM(LandmarkClassifier):
    r"""Sparse probabilistic classifier for any similarity or dissimilarity.

    A linear predictor z of comparisons goes through the probit link,
    :math:`P(y = 1) = \Psi(z)`, and its weights have truncated Gaussian priors whose
    precisions are learnt, so that weights run to zero one after the other. With the
    default basis they belong to landmarks: a prediction needs comparisons with those
    that remain. What these comparisons say is then read once more, by default through
    kernels, so that decisions may be curved. No definiteness is asked of the measure.

    Choose it where predictions should be cheap; choose :class:`NyIKFD` for streams and
    for the last point of accuracy.

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
        Dissimilarities are raised to this power.
    basis : {"landmarks", "training"}, default="landmarks"
        ``"landmarks"`` gives one weight to each landmark, of either sign.
        ``"training"`` is the papers' basis, one weight to each training object with the
        sign of its label; it is sparse in training objects, but a prediction needs all
        landmarks.
    features : {"kernel", "linear"}, default="kernel"
        How the landmarks that remain are read. ``"kernel"`` is the reading of
        :class:`NyIKFD`: radial kernels on coordinates for two powers and on the
        comparisons, a ridge and a temperature chosen by leave-one-out. The landmarks
        dropped serve as probes, so that nothing more is compared. ``"linear"`` fits the
        probit model once more, with a ridge by the evidence. For ``basis="landmarks"``
        only.
    multi_class : {"shared", "separate"}, default="shared"
        How landmarks are dropped when there are more than two classes. ``"shared"``
        learns one precision for all classes, so that they keep the same landmarks;
        ``"separate"`` precisions for each class, so that a prediction needs those that
        any class keeps, often most of them. For ``basis="landmarks"`` only.
    class_weight : dict or "balanced", default=None
        Weights of the objects of each class in the likelihood; ``"balanced"`` makes
        classes count alike. Kernel features take them for priors.
    prune : float, default=1e-3
        Weights below this fraction of the largest are dropped for good (of columns
        scaled to unit variance).
    min_kept : int or float, default=0.5
        Number of landmarks at which pruning ends; a float is a share of all. Half
        usually predict as well as all; 1 leaves the few that pay most. Classes fitted
        separately keep as many each, but not the same: a prediction needs up to all.
        ``multi_class="shared"`` holds the number. For ``basis="landmarks"`` only.
    max_iter : int, default=500
        Largest number of iterations.
    tol : float, default=1e-3
        Iterations end when no weight changes by more than this fraction of the
        largest.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks to start with: comparisons per object in fit. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A name or an object of :mod:`skproxy.landmarks`, which sees `y` too; positions
        in `X`; or objects of your own. Both bring their own number.
    n_probes : int or "auto", default="auto"
        For ``basis="training"``, as in :class:`NyIKFD`.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes; the fit itself is not random.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    weights_ : ndarray of shape (k,) or (n_classes, k)
        Weights of the relevance objects in the linear predictor, one row per class if
        there are more than two, in reciprocal (powered) units of the measure. With
        kernel features, those by which landmarks were kept.
    intercept_ : float or ndarray of shape (n_classes,)
        Bias of the predictor on uncentred comparisons (``basis="landmarks"``) or on the
        similarities of the factor (``"training"``).
    relevance_indices_ : ndarray of shape (k,) or None
        Positions in `X` of the objects that carry weight; None for landmark objects of
        your own.
    moderation_ : float
        Share of the posterior variance of z that moderates decisions, by approximate
        leave-one-out; zero with ``basis="training"`` and with kernel features.
    n_iter_ : int or ndarray of shape (n_classes,)
        Iterations run.
    objective_ : list of float, or of such lists
        Log-likelihood plus log-prior after each iteration, one list per class if more
        than two are fitted separately. It never decreases while `n_active_` stays the
        same, but where the bias of ``basis="training"``, with a prior too, gets zero.
    n_active_ : list of int, or of such lists
        Weights in each iteration.
    components_ : collection of n_landmarks_ objects
        The landmarks that predictions need.
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Their positions in `X`; None for objects of your own.
    n_landmarks_, n_comparisons_ : int
        Comparisons that a prediction needs, and that fit needed (with selection).
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        Number and names of the columns of `X`, where it has any.

    See Also
    --------
    NyIKFD : Discriminant in the whole factor; streams.

    Notes
    -----
    fit makes N m comparisons for N objects and m landmarks, with ``basis="training"``
    at most as many again for probes, and keeps them: memory is about 2 N m numbers. The
    first iterations cost O(N m^2), later ones O(N k^2) with k weights left
    (``"training"``: always O(N m^2)), kernel features O(N q (q + k)) with q centres.

    References
    ----------
    H. Chen, P. Tino, X. Yao (2009). Probabilistic classification vector machines. IEEE
    Transactions on Neural Networks 20(6), 901-914. doi:10.1109/TNN.2009.2014161

    F.-M. Schleif, A. Gisbrecht, P. Tino (2016). Probabilistic classifiers with low rank
    indefinite kernels. arXiv:1604.02264, eqs. 8 and 13. Here the inverse of identity
    plus low rank is exact, where the paper approximates it.

    Examples
    --------
    >>> from skproxy import NyPCVM
    >>> from skproxy.datasets import make_checkerboard
    >>> X, y = make_checkerboard(400, random_state=0)
    >>> clf = NyPCVM(gamma=2.0, min_kept=1, random_state=0).fit(X[:300], y[:300])
    >>> round(clf.score(X[300:], y[300:]), 2)
    0.92
    >>> clf.n_landmarks_
    12
    """

    relevance_indices_: Any
    _parameter_constraints: dict = {
        **PROXIMITY_CONSTRAINTS,
        "basis": [StrOptions({"landmarks", "training"})],
        "features": [StrOptions({"kernel", "linear"})],
        "multi_class": [StrOptions({"separate", "shared"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "prune": [Interval(Real, 0, 1, closed="left")],
        "min_kept": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
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
        basis: str = "landmarks",
        features: str = "kernel",
        multi_class: str = "shared",
        class_weight: str | dict[str, Any] | None = None,
        prune: float = 1e-3,
        min_kept: float = 0.5,
        max_iter: int = 500,
        tol: float = 1e-3,
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
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
        self.basis = basis
        self.features = features
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.prune = prune
        self.min_kept = min_kept
        self.max_iter = max_iter
        self.tol = tol
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose landmarks, compare all objects with them and learn the weights.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; precomputed, an array of shape (n_samples, n_samples),
            or (n_samples, n_landmarks) together with ``landmarks=`` the positions of
            its columns.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of two is the object twice, of zero no object (precomputed, it may
            still become a landmark). In ``basis="training"`` weights are those of the
            likelihood; an object given twice has two weights of its own there.

        Returns
        -------
        self : object
        """
        owner = type(self).__name__
        X, y, of_objects, kept = self._weighted(X, y, sample_weight)
        self.classes_, codes = encode_labels(owner, X, y)
        problems = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        labels = [np.where(codes == c, 1.0, -1.0) for c in problems]
        of_objects = np.ones(len(codes)) if of_objects is None else of_objects
        of_classes = weigh_classes(self.class_weight, self.classes_, codes, of_objects)
        weights = of_objects * of_classes[codes]
        compared = choose_landmarks(self, X, y).with_square()
        self._curved = None
        if self.basis == "landmarks":
            fits = self._fit_landmarks(
                compared, labels, (codes, of_objects, of_classes)
            )
        else:
            fits = self._fit_training(compared, labels, weights)
        self._restore_positions(kept)
        if self.relevance_indices_ is not None and kept is not None:
            self.relevance_indices_ = kept[self.relevance_indices_]
        self._read(fits)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return how much speaks for each class.

        With kernel features log probabilities, for two classes the log odds of the
        second. Else the linear predictor z, moderated: ``z / sqrt(1 + moderation_
        s^2)``, s^2 the posterior variance of z; the sign is that of z.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            As in `predict`.

        Returns
        -------
        decisions : ndarray of shape (n_new,) or (n_new, n_classes)
            Positive where the (second) class is more probable than not.
        """
        check_is_fitted(self)
        if self._curved is not None:
            return decisions_of(self.predict_log_proba(X))
        return self._margins(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the log probabilities of the classes, finite for any margin.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            As in `predict`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_new, n_classes)
            From the regression on the classes at the temperature chosen. With linear
            features from the probit of the decisions; with more than two classes the
            odds of each (``basis="training"``: the probabilities), made to sum to one.
        """
        check_is_fitted(self)
        if self._curved is None:
            return log_probabilities(self._margins(X), self._predictor.odds)
        compared = self._compared.of_new(self, X)
        T = np.empty((compared.table.n_objects, len(self.classes_) - 1))
        for run, block in compared.blocks():
            rows = self._curved.features.rows(self._scale.ratio(block))
            T[run] = self._discriminant.coordinates(rows)
        joint = self._discriminant.log_joint(T, self._log_priors)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def _margins(self, X):
        compared = self._compared.of_new(self, X)
        z = np.empty((compared.table.n_objects, len(self._predictor.bias)))
        for run, block in compared.blocks():
            z[run] = self._predictor.margins(self._scale.apply(block))
        return z[:, 0] if z.shape[1] == 1 else z

    def _fit_landmarks(self, compared, labels, known):
        codes, of_objects, of_classes = known
        weights = of_objects * of_classes[codes]
        comparisons = self._compare_objects(compared)
        columns = self._scale.apply(comparisons)
        means, deviations = standardise(columns, weights)
        useful = np.flatnonzero((deviations > 0) & is_first(comparisons))
        if len(useful) < len(deviations):
            columns = columns[:, useful]
        together = self.multi_class == "shared" and len(labels) > 1
        prune = prune_together if together else prune_separately
        stopping = self._stopping(self._count_kept(len(useful)))
        fits = prune(columns, labels, weights, stopping)
        if self.features == "linear":
            copies = of_classes[codes] * np.minimum(of_objects, 1.0)
            fits = estimate_kept(columns, labels, weights, fits, copies)
        self._predictor, kept = in_units_of_columns(fits, useful, means, deviations)
        self.weights_ = self._predictor.weights.T / self._scale.squared
        self.intercept_ = self._predictor.bias
        self.moderation_ = self._predictor.moderation
        if self.features != "linear":
            self._read_kernels(compared, comparisons, (useful, kept), known)
        self._keep_landmarks(compared, kept)
        self.relevance_indices_ = self.component_indices_
        return fits

    def _read_kernels(self, compared, comparisons, which, known):
        """Read what is kept of the useful landmarks through kernels."""
        codes, of_objects, of_classes = known
        useful, kept = which
        if len(useful) == 0:  # nothing tells the objects apart
            useful = kept
        self._curved, self._scale = read_kept(
            compared, comparisons, useful, kept, codes, of_objects
        )
        self._discriminant = self._curved.read()
        # Weights of classes are other priors.
        shares = self._curved.moments.shares * of_classes
        with np.errstate(divide="ignore"):  # a class whose objects weigh nothing
            self._log_priors = np.log(shares / shares.sum())

    def _compare_objects(self, compared):
        """Return the comparisons of all objects with the landmarks."""
        self._scale = Scale.of(compared.square, compared.geometry.power)
        shape = compared.table.n_objects, compared.landmarks.count
        comparisons = np.empty(shape)
        compared.begin(known=True)
        for where, block in compared.blocks(pilot=compared.draw_pilot(None)):
            comparisons[where] = block
        return comparisons

    def _count_kept(self, n_useful):
        """Return the number of landmarks at which pruning ends."""
        if isinstance(self.min_kept, Integral):
            return self.min_kept
        return max(int(self.min_kept * n_useful), 1)

    def _keep_landmarks(self, compared, kept):
        """Forget landmarks without weight: predictions do not pay for them."""
        landmarks = compared.landmarks.kept(kept)
        self._keep(replace(compared, landmarks=landmarks))
        if compared.columns_only:
            # Predictions may come with all columns that fit saw, or the kept ones.
            columns = Landmarks(landmarks.objects, kept)
            self._compared = replace(
                self._compared, landmarks=columns, columns_only=False
            )

    def _fit_training(self, compared, labels, weights):
        n_probes = self._wanted_probes(compared.square)
        (factor,), rows = factorize(compared, n_probes, rank=None, keep=np.float64)
        self._keep(compared)
        fits, self._predictor = fit_in_factor(
            factor, rows, labels, weights, self._stopping()
        )
        self._scale, self.moderation_ = factor.landmark_map.scale, 0.0
        self.intercept_ = np.array([fit.bias for fit in fits])
        weights = np.array([fit.weights for fit in fits])
        self.relevance_indices_ = np.flatnonzero(weights.any(axis=0))
        self.weights_ = weights[:, self.relevance_indices_]
        return fits

    def _stopping(self, min_kept=1):
        return Stopping(self.prune, self.tol, self.max_iter, min_kept, self._progress)

    def _read(self, fits):
        """Set what is seen of the fits, and warn of those that did not converge."""
        if len(fits) == 1:
            self.weights_, self.intercept_ = self.weights_[0], float(self.intercept_[0])
        histories = [fit.objective for fit in fits]
        counts = [fit.n_active for fit in fits]
        iterations = np.array([len(history) for history in histories])
        if len(fits) == 1 or all(history is histories[0] for history in histories):
            self.objective_, self.n_active_ = histories[0], counts[0]
            self.n_iter_ = int(iterations[0])
        else:
            self.objective_, self.n_active_ = histories, counts
            self.n_iter_ = iterations
        if not (self._progress.stopped or all(fit.converged for fit in fits)):
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} "
                "iterations: weights still change by more than "
                f"tol={self.tol:g} of the largest. Increase max_iter, or tol if the "
                "last digits of the weights do not matter to you.",
                ConvergenceWarning,
                stacklevel=3,
            )
