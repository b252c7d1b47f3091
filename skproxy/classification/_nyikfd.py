"""The indefinite kernel Fisher discriminant at linear cost."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import by_partition, output_dtype
from ..factor import (
    Moments,
    SignedFactor,
    absorb,
    correct_eigenvalues,
    factorize,
    negative_fraction,
    signature,
)
from ..landmarks._compares import choose_landmarks, reported_fit
from ..landmarks._merge import begin_part, check_mergeable
from ._curved import (
    CurvedReader,
    coordinate_maps,
    kernel_candidates,
    weighted_factor,
)
from ._discriminant import class_priors, fit_discriminant
from ._proximity import (
    PROXIMITY_CONSTRAINTS,
    LandmarkClassifier,
    decisions_of,
    encode_labels,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NyIKFD"]


class NyIKFD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LandmarkClassifier):
    r"""Fisher's discriminant for any similarity or dissimilarity, at linear cost.

    Every object is compared with a few landmarks; from these comparisons come
    coordinates in which the approximated similarity matrix, definite or not, is exact.
    On features of these - by default a sum of kernels, so that decisions may be curved
    at no further comparison - the discriminant

    .. math:: (N_w + \text{ridge}) \, \alpha = \mu_+ - \mu_-

    of each class against the rest is read from one factorisation of the pooled scatter
    within classes. Ridge and probabilities are chosen by leaving one object out,
    exactly. Negative eigenvalues need no correction: the discriminant of a
    pseudo-Euclidean space is that of the Euclidean one with the same axes. Where they
    are noise, ``correction="clip"`` does without them.

    Choose it for accuracy and for honest probabilities, because it is fast, and because
    it streams (`partial_fit`); choose :class:`NyPCVM` where predictions should need few
    comparisons.

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
        Dissimilarities are raised to this power; 2 is classical scaling. Kernel
        features read half of it, too.
    correction : {"flip", "clip", "square", "shift"} or None, default="flip"
        What becomes of negative eigenvalues before the within-class covariance is
        regularised. ``"flip"`` keeps their axes as they are, ``"clip"`` drops them.
        None means ``"flip"``: a discriminant needs no correction, and
        `corrected_eigenvalues_` are `eigenvalues_` then.
    shrinkage : {"auto", "ledoit-wolf"} or float, default="auto"
        How the within-class covariance is regularised. ``"auto"`` adds, to kernel
        features, the ridge with the least squared error on objects left out, and
        shrinks the covariance of linear ones towards a multiple of the identity by the
        amount that makes the data most likely; ``"ledoit-wolf"`` by the amount that
        suits its large eigenvalues best, less where landmarks are many. A float is the
        ridge of the papers, relative: times the trace of the scatter over the number of
        objects, added in the space of rows of the similarity matrix. Only ``"auto"``
        goes with kernel features.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares among the objects.
    threshold : {"gaussian", "midpoint"}, default="gaussian"
        ``"gaussian"`` lets one Gaussian per class, with its prior and the mean and
        spread to be expected of new objects, decide. ``"midpoint"`` is the papers':
        half way between the class means, that is equal priors and spreads, which can
        fall below the majority rate on unbalanced classes, and is for linear features.
    features : {"auto", "kernel", "linear"}, default="auto"
        ``"linear"`` are the coordinates themselves: the papers' discriminant.
        ``"kernel"`` is a sum of radial kernels on the coordinates for two powers and on
        the standardised comparisons, with up to 300 centres among the first objects,
        and of a linear one where leave-one-out clearly asks for it; probabilities come
        from the regression on the classes at the temperature that leave-one-out finds.
        ``"auto"`` is ``"kernel"`` unless `shrinkage` or `threshold` is the papers'.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks: comparisons per object, in fit and in prediction. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A name or an object of :mod:`skproxy.landmarks`, which sees `y` too; positions
        in `X`; or objects of your own that need not be in `X`. Positions and objects
        bring their own number.
    n_probes : int or "auto", default="auto"
        Number of objects besides the landmarks that are compared among each other to
        fit the core, as in :class:`NystromDissimilarity`. A kernel that is psd on the
        landmarks needs none.
    rank : {"auto"} or None, default="auto"
        How many directions of the core are kept. Small ones of an indefinite core are
        noise that harms new objects: ``"auto"`` keeps those that lower the error on
        probes left out of the fit, all where the data are of low rank. None keeps all:
        with every object as a landmark that is Gower's formula.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    estimate_error : bool, default=False
        Whether to estimate `approximation_error_`, at some 20,000 more comparisons,
        whatever the number of objects.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    classes_, class_count_ : ndarray of shape (n_classes,)
        The labels, and the number of objects of each (sum of their weights).
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    shrinkage_ : float
        What `shrinkage` came to; with kernel features the ridge itself.
    means_ : ndarray of shape (n_classes, n_classes - 1)
        Class means in the coordinates of `transform`.
    scalings_ : ndarray of shape (n_landmarks_, n_classes - 1) or (p, n_classes - 1)
        Linear map from centred (powered) comparisons, or from p centred kernel
        features, to these coordinates.
    temperature_ : float
        With kernel features, what differences of the regression's scores are divided by
        to be differences of log probabilities.
    eigenvalues_, corrected_eigenvalues_ : ndarray of shape (r,)
        Non-zero eigenvalues of the approximated similarity matrix, largest modulus
        first, before and after the correction.
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero.
    approximation_error_ : ApproximationError or None
        Relative error of the approximated similarity matrix over the objects seen,
        ``value``, and ``low`` and ``high``, between which it is in nine of ten draws.
        None unless `estimate_error`.
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
    NyPCVM : Sparse in landmarks, and probabilistic by construction.
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : The same for vectors.

    Notes
    -----
    fit makes N m + e^2 / 2 comparisons for N objects, m landmarks and e probes, 1.5 N m
    at most by default, and O(N m^2) arithmetic; a prediction makes m. Memory is O(K
    m^2) for K classes beside blocks of about a megabyte and the pilot sample of
    max(1000, 10 m) objects, whatever N is. With q centres kernel features add O(N q (q
    + m)) arithmetic and O(q^2) memory; centres, ridge and temperature are chosen in the
    pilot sample.

    References
    ----------
    F.-M. Schleif, A. Gisbrecht, P. Tino (2016). Probabilistic classifiers with low rank
    indefinite kernels. arXiv:1604.02264, eqs. 17-19. Here solved in the factor, without
    a second approximation.

    B. Haasdonk, E. Pekalska (2008). Indefinite kernel Fisher discriminant. ICPR.
    doi:10.1109/ICPR.2008.4761718

    T. Hastie, A. Buja, R. Tibshirani (1995). Penalized discriminant analysis. Annals of
    Statistics 23(1), 73-102. doi:10.1214/aos/1176324456

    Examples
    --------
    >>> from skproxy import NyIKFD
    >>> from skproxy.datasets import make_balls
    >>> D, y = make_balls((60, 60), random_state=0)
    >>> clf = NyIKFD(metric="precomputed", n_landmarks=30, random_state=0)
    >>> clf.fit(D[::2, ::2], y[::2]).score(D[1::2, ::2], y[1::2])
    0.93...
    >>> clf.signature_
    (4, 26, 30)
    """

    _takes_partitions = True

    _factors: Any
    _curved: Any
    _parameter_constraints: dict = {
        **PROXIMITY_CONSTRAINTS,
        "correction": [StrOptions({"flip", "clip", "square", "shift"}), None],
        "rank": [StrOptions({"auto"}), None],
        "shrinkage": [
            StrOptions({"auto", "ledoit-wolf"}),
            Interval(Real, 0, None, closed="left"),
        ],
        "priors": ["array-like", None],
        "threshold": [StrOptions({"gaussian", "midpoint"})],
        "features": [StrOptions({"auto", "kernel", "linear"})],
        "estimate_error": ["boolean"],
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
        shrinkage: float | str = "auto",
        priors: Any = None,
        threshold: str = "gaussian",
        features: str = "auto",
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        rank: str | None = "auto",
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        estimate_error: bool = False,
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
        self.shrinkage = shrinkage
        self.priors = priors
        self.threshold = threshold
        self.features = features
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.rank = rank
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimate_error = estimate_error
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose landmarks, pass over the objects once and read the discriminant.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; precomputed, an array of shape (n_samples, n_samples),
            or (n_samples, n_landmarks) together with ``landmarks=`` the positions of
            its columns.
            A collection of Dask stays in its partitions: see *More than one machine*
            in the guide.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of two is the object twice, of zero no object (precomputed, it may
            still become a landmark). With weights fit keeps N m numbers.

        Returns
        -------
        self : object
        """
        X, y, weights, kept = self._weighted(X, y, sample_weight)
        self.classes_, codes = encode_labels(type(self).__name__, X, y)
        self._fit_first(X, y, codes, weights)
        self._restore_positions(kept)
        return self

    @reported_fit
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take in a batch of objects.

        The first batch fixes landmarks and map; each later one is compared with the
        landmarks and merged, exactly as if all had been given to fit with that map.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.

        Returns
        -------
        self : object
        """
        owner = type(self).__name__
        X, y, weights, kept = self._weighted(X, y, sample_weight)
        if not hasattr(self, "_factors"):
            if classes is None:
                msg = (
                    f"classes of {owner}.partial_fit must be passed on the first call; "
                    "got None. Name all labels that will ever come."
                )
                raise ValueError(msg)
            self.classes_, _ = encode_labels(owner, classes, classes)
            _, codes = encode_labels(owner, X, y, self.classes_)
            self._fit_first(X, y, codes, weights)
            self._restore_positions(kept)
            return self
        if classes is not None and not np.array_equal(
            np.unique(classes), self.classes_
        ):
            msg = (
                f"classes of {owner}.partial_fit must be those of the first call, "
                f"{self.classes_.tolist()}; got {np.unique(classes).tolist()}."
            )
            raise ValueError(msg)
        _, codes = encode_labels(owner, X, y, self.classes_)
        compared = self._compared.of_new(self, X)
        self._absorb(compared, codes, weights)
        self.n_comparisons_ += compared.table.n_evaluated
        return self._read_factors()

    def new_part(self) -> Any:
        """Return a classifier on the same landmarks that has seen nothing yet.

        For objects that lie elsewhere: on another machine, in another file. Let it take
        them in by `partial_fit` there, and `merge` it.

        Returns
        -------
        part : NyIKFD
            With the same parameters, classes, landmarks and features. It pickles, like
            any.
        """
        check_is_fitted(self)
        curved = self._curved and self._curved.without_objects()
        factors = [factor.without_objects() for factor in self._factors]
        return begin_part(self, _curved=curved, _factors=factors)

    def merge(self, other: Any) -> Self:
        """Take in the objects that another model has seen, without comparing them.

        Parameters
        ----------
        other : NyIKFD
            Fitted with the same measure, landmarks and classes: a `new_part` of this
            one, or with linear features one fitted apart with
            ``landmarks=model.components_``. Not changed.

        Returns
        -------
        self : object
            As if `partial_fit` had been given the objects themselves; parts may be
            merged in any order, and among each other first. Core, features and what
            was chosen with them are this model's. Cost O(m^3), whatever the number of
            objects.
        """
        check_mergeable(self, other)
        owner = type(self).__name__
        if not np.array_equal(self.classes_, other.classes_):
            msg = (
                f"models in {owner}.merge must have the same classes; got "
                f"{self.classes_.tolist()} and {other.classes_.tolist()}. Name all of "
                "them in the first call of partial_fit."
            )
            raise ValueError(msg)
        mine = self._factors, self._curved
        theirs = other._factors, other._curved
        self._factors, self._curved = _merge_parts(mine, theirs, owner)
        self.n_samples_seen_ += other.n_samples_seen_
        self.n_comparisons_ += other.n_comparisons_
        return self._read_factors()

    @by_partition
    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of objects on the discriminant axes.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            As in `predict`.

        Returns
        -------
        T : ndarray of shape (n_new, n_classes - 1)
            Most discriminating axis first; the pooled within-class variance, as
            regularised, is one. For two classes the second is on the positive side.
        """
        check_is_fitted(self)
        return self._coordinates(X).astype(output_dtype(X), copy=False)

    @by_partition
    def decision_function(self, X: Any) -> np.ndarray:
        """Return how much speaks for each class.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            As in `predict`.

        Returns
        -------
        decisions : ndarray of shape (n_new,) or (n_new, n_classes)
            Log probabilities; for two classes the log odds of the second.
        """
        return decisions_of(self.predict_log_proba(X))

    @by_partition
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the log probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            As in `predict`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_new, n_classes)
        """
        check_is_fitted(self)
        with np.errstate(divide="ignore"):  # a class of prior zero
            log_priors = np.log(self.priors_)
        joint = self._discriminant.log_joint(self._coordinates(X), log_priors)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def _fit_first(self, X, y, codes, weights=None):
        compared = choose_landmarks(self, X, y).with_square()
        self._curved = None
        if self._is_curved():
            landmark_map, pilot = self._fit_curved(compared, codes, weights)
            nothing = Moments.empty(compared.landmarks.count)
            centred = compared.geometry.centred
            self._factors = [SignedFactor(landmark_map, nothing, centred)]
            self.n_samples_seen_ = 0
            self._absorb(compared, codes, weights, pilot)
        else:
            self._fit_linear(compared, codes, weights)
        self._keep(compared)
        return self._read_factors()

    def _is_curved(self):
        """Tell what "auto" comes to: what is the papers' own is linear."""
        papers = self.shrinkage != "auto" or self.threshold != "gaussian"
        if self.features == "kernel" and papers:
            msg = (
                f"features of {type(self).__name__} must be 'linear' or 'auto' with "
                f"shrinkage={self.shrinkage!r} and threshold={self.threshold!r}; got "
                "'kernel', which needs shrinkage='auto' and threshold='gaussian'."
            )
            raise ValueError(msg)
        return self.features != "linear" and not papers

    def _fit_curved(self, compared, codes, weights):
        """Choose kernel features on a pilot sample; return its map and the sample."""
        n_extra = compared.begin_probing(self._wanted_probes(compared.square))
        pilot = compared.draw_pilot(n_extra or 1)
        landmarks, rng = compared.landmarks, compared.rng
        rows, members = pilot.rows, pilot.indices
        if landmarks.indices is not None:
            rows = np.concatenate([pilot.landmark_rows, rows])
            members = np.concatenate([landmarks.indices, members])
        of_members = np.ones(len(members)) if weights is None else weights[members]
        maps, landmark_map = coordinate_maps(
            (compared, pilot, n_extra), rows, of_members, self.correction, self.rank
        )
        ratios = landmark_map.scale.ratio(rows)
        self._curved = CurvedReader.begin(
            kernel_candidates(maps, ratios, of_members, rng),
            ratios,
            codes[members],
            len(self.classes_),
            of_members,
        )
        return landmark_map, pilot

    def _fit_linear(self, compared, codes, weights):
        """Pass over the objects for the factor of each class."""
        n_classes = len(self.classes_)
        self._factors, rows = factorize(
            compared,
            self._wanted_probes(compared.square),
            rank=self.rank,
            groups=codes,
            n_groups=n_classes,
            keep=None if weights is None else np.float64,
        )
        self.n_samples_seen_ = len(codes)
        if weights is not None:
            self._factors = [
                weighted_factor(
                    factor.landmark_map, rows, weights * (codes == c), factor.centred
                )
                for c, factor in enumerate(self._factors)
            ]

    def _absorb(self, compared, codes, weights=None, pilot=None):
        """Take in objects: in the factor of each class, or of all if curved.

        Features of objects take the place of their factor's rows then.
        """
        if compared.is_partitioned and not compared.table.is_reduced:
            self._absorb_partitions(compared, codes, pilot)
            return
        groups = None if self._curved is not None else codes
        weighed, scale = list(self._factors), self._factors[0].landmark_map.scale

        def also(positions, comparisons):
            of_rows = None if weights is None else weights[positions]
            if self._curved is not None:
                ratios = scale.ratio(comparisons)
                self._curved = self._curved.absorb(ratios, codes[positions], of_rows)
            if weights is None:
                return
            for g, factor in enumerate(weighed):
                here = 1.0 if groups is None else groups[positions] == g
                rows = factor.landmark_map.features(scale.apply(comparisons))
                more = weighted_factor(
                    factor.landmark_map, rows, of_rows * here, factor.centred
                )
                weighed[g] = factor.merge(more)

        self._factors = absorb(compared, self._factors, groups, pilot, also=also)
        self.n_samples_seen_ += len(codes)
        if weights is not None:
            self._factors = weighed

    def _absorb_partitions(self, compared, codes, pilot):
        """Take in the objects of partitions where they lie, those known here."""
        part = begin_part(self)
        part._factors = [factor.without_objects() for factor in self._factors]
        part._curved = self._curved and self._curved.without_objects()
        elsewhere = compared.table.reduce(
            _absorb_one,
            _merge_parts,
            part,
            compared.without_objects(),
            known=compared.known(pilot),
            labels=[codes],
        )
        here = replace(compared, table=compared.table.reduced())
        self._absorb(here, codes, pilot=pilot)
        if elsewhere is not None:
            mine = self._factors, self._curved
            self._factors, self._curved = _merge_parts(mine, elsewhere)

    def _read_factors(self):
        """Set everything that is read from factors and moments."""
        if self._curved is None:
            counts = np.array([f.moments.count for f in self._factors], dtype=float)
        else:
            counts = self._curved.moments.counts
        whole = np.array_equal(counts, np.round(counts))
        self.class_count_ = counts.astype(int) if whole else counts
        midpoint = self.threshold == "midpoint"
        self.priors_ = class_priors(
            type(self).__name__, self.priors, self.class_count_, equal=midpoint
        )
        eigenvalues = self._read_axes() if self._curved else self._read_linear()
        a = self.eigenvalues_ = eigenvalues
        self.approximation_error_ = self._factors[0].landmark_map.error
        self.corrected_eigenvalues_ = correct_eigenvalues(a, self.correction)
        self.signature_ = signature(a, self.n_samples_seen_)
        self.negative_fraction_ = negative_fraction(a)
        return self

    def _read_axes(self):
        """Read the discriminant of the kernel features; return the eigenvalues."""
        found = self._discriminant = self._curved.read()
        self.shrinkage_, self.means_ = self._curved.ridge, found.means
        self.temperature_ = self._curved.temperature
        self.scalings_ = found.weights
        return self._factors[0].eigenvalues

    def _read_linear(self):
        """Read the discriminant of the factors; return their eigenvalues."""
        midpoint = self.threshold == "midpoint"
        found = fit_discriminant(
            self._factors,
            self.class_count_ / self.class_count_.sum(),
            self.shrinkage,
            correction=self.correction,
            common_spread=midpoint,
        )
        self._discriminant = found
        self.shrinkage_, self.means_ = found.shrinkage, found.means
        self.rank_ = len(self._factors[0].landmark_map.signs)
        scale = self._factors[0].landmark_map.scale.squared
        self.scalings_ = found.weights / scale
        return found.eigenvalues

    def _coordinates(self, X):
        compared = self._compared.of_new(self, X)
        T = np.empty((compared.table.n_objects, len(self.classes_) - 1))
        scale = self._factors[0].landmark_map.scale
        for run, block in compared.blocks():
            if self._curved is None:
                rows = scale.apply(block)
            else:
                rows = self._curved.features.rows(scale.ratio(block))
            T[run] = self._discriminant.coordinates(rows)
        return T

    @property
    def _n_features_out(self):
        return len(self.classes_) - 1

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _absorb_one(table, codes, part, compared):
    """Return the state of a classifier after the objects of one partition."""
    part = copy(part)  # partitions of one process share it
    part._absorb(replace(compared, table=table), np.asarray(codes))
    return part._factors, part._curved


def _merge_parts(one, other, owner="NyIKFD"):
    """Return the factors and the reader of two parts together."""
    (mine, reader), (theirs, more) = one, other
    reader = reader and reader.merge(more, owner)
    fixed = mine[0].landmark_map
    pairs = zip(mine, theirs, strict=True)
    return [a.merge(b.on(fixed)) for a, b in pairs], reader
