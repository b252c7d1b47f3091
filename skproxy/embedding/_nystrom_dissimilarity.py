"""Dissimilarities to vectors at a cost linear in the number of objects."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import Comparer, output_dtype
from ..factor import Stream, absorb, factorize
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    choose_landmarks,
    reported_fit,
)
from ..landmarks._merge import begin_part, check_mergeable
from ._landmark_transformer import LandmarkTransformer

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NystromDissimilarity"]

# Of the lengths tried from 1 to 100 this one costs the default settings of logistic
# regression, ridge and linear support vector machines least at worst.
_MEAN_SQUARE = 10.0


class NystromDissimilarity(LandmarkTransformer):
    """Turn dissimilarities into vectors by comparing with a few landmarks.

    Works for any symmetric dissimilarity with a zero diagonal - edit distance, DTW,
    UniFrac, a function of your own - whether or not it is a metric. Each object is
    compared with `n_landmarks` others only, and becomes a vector; new objects too. What
    a Euclidean space cannot hold shows as negative eigenvalues: `correction` says what
    becomes of them, `signature_` and `negative_fraction_` how many there are.

    The vectors are the leading axes of the centred similarity matrix
    ``-1/2 H D H ~ A J A'``, ``D = d**power``, of classical scaling: H takes off the
    mean, J holds signs.

    Parameters
    ----------
    metric : str, callable, BlockMetric or "precomputed", default="euclidean"
        How two objects are compared. A name, such as ``"cityblock"``,
        ``"levenshtein"`` or ``"dtw"``: the guide has them all; a callable of two
        objects that returns a float; a :class:`BlockMetric` of two sequences that
        returns a matrix; or ``"precomputed"``. With a callable or a `BlockMetric`, `X`
        may be any sequence, and its items reach the metric untouched.
    metric_params : dict, default=None
        Keyword arguments of the metric. Never written to.
    power : float, default=2
        Exponent of the dissimilarities. 2 is classical scaling; use 1 for values that
        are squared already (``"sqeuclidean"``) and may then even be negative, or to
        temper a strongly non-metric measure.
    correction : {"flip", "clip", "square", "shift"} or None, default="flip"
        What becomes of negative eigenvalues. ``"flip"`` keeps their variance, the safe
        choice for classification; ``"clip"`` drops them, for maps and for noise;
        ``"square"`` stresses large eigenvalues of either sign; ``"shift"`` adds the
        modulus of the most negative one to every eigenvalue kept (the rank stays).
        None hands out pseudo-Euclidean coordinates, to be read with `axis_signs_`.
    scale : {"unit", "metric"}, default="unit"
        Length of the vectors. ``"unit"`` multiplies all columns by one factor,
        `scale_`: their mean squared length over the objects fitted becomes ten. Linear
        models, support vector machines and networks with their default settings then
        work whatever the unit of the metric. ``"metric"`` keeps the unit of the metric,
        for maps and wherever coordinates are compared with dissimilarities.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks: comparisons per object, in fit and in transform. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number. A one-dimensional sequence of integers is always read as positions.
    n_components : int, default=None
        Number of columns; None gives one per landmark. Columns past the rank are zero.
    n_probes : int or "auto", default="auto"
        Number of objects besides the landmarks that are compared among each other to
        fit the core. ``"auto"`` takes six per landmark and 160, never so many that they
        cost more than half as many comparisons as the objects do. 0 is the method of
        the papers, whose error is unbounded. A precomputed matrix of landmark columns
        has no probes: with ``"auto"`` the core is fitted to the columns, see
        `core_residual_`.
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
        Keeps evaluated blocks of comparisons, so that a grid over `correction`, `power`
        and `n_components` pays for its comparisons once. Set `random_state` too, or
        the landmarks change from fit to fit. The metric must be picklable; functions
        that it calls are not watched for changes.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it. Scalar
        callables run in processes, everything else in threads.
    estimate_error : bool, default=False
        Whether to estimate `approximation_error_`, at some 20,000 more comparisons,
        whatever the number of objects.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    components_ : collection of n_landmarks_ objects
        The landmarks (rows of the matrix for precomputed ones).
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Their positions in `X`; None for objects of your own.
    n_landmarks_ : int
        Number of landmarks.
    rank_ : int
        Number of directions of the core that were kept.
    core_residual_ : float
        Relative error on the landmark columns of a core that was fitted to these alone,
        which is all that can be done with a precomputed matrix of landmark columns; 0
        where objects were compared to fit the core.
    n_components_ : int
        Number of columns.
    eigenvalues_ : ndarray of shape (n_landmarks_,)
        Of the approximated centred similarity matrix, before correction, largest
        modulus first, zero past the rank. In powered units of the metric.
    corrected_eigenvalues_ : ndarray of shape (n_landmarks_,)
        The same after correction.
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero.
    negative_fraction_ : float
        Sum of moduli of the negative eigenvalues over that of all. 0 is Euclidean.
    axis_signs_ : ndarray of shape (n_components_,)
        +1, -1 or 0 (past the rank) for each column, so that ``(Z * axis_signs_) @ Z.T /
        scale_**2`` is the signed similarity of uncorrected coordinates.
    scale_ : float
        Length of the vectors over that in units of the metric (of its square for
        ``correction="square"``, of the root of ``d**power`` in general); 1 for
        ``scale="metric"``.
    mean_ : ndarray of shape (n_landmarks_,)
        Mean powered comparison with each landmark over the training objects.
    normalization_ : ndarray of shape (n_components_, n_landmarks_)
        Linear map from centred powered comparisons to columns.
    approximation_error_ : ApproximationError or None
        Relative error of the approximated similarity matrix over the objects seen,
        ``value``, and ``low`` and ``high``, between which it is in nine of ten draws.
        None unless `estimate_error`.
    n_comparisons_ : int
        Comparisons that fit needed, those of the landmark selection included.
    n_samples_seen_ : int
        Number of objects fitted.
    n_features_in_ : int
        Number of columns of `X`, where it has any.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of `X`, where it has any.

    See Also
    --------
    Nystroem : The same for similarities (kernels).
    EigenCorrector : Corrects a full precomputed matrix.

    Notes
    -----
    fit makes N m + e (e + 1) / 2 comparisons for N objects, m landmarks and e probes
    besides these: by default 1.5 N m at most, and 1.03 N m for 100,000 objects and 100
    landmarks. Landmarks that are not in `X` cost m (m + 1) / 2 more, and probes asked
    for by number what they cost. transform makes m per object. fit needs O(m^2) memory
    beside blocks of about a megabyte and a pilot sample of max(1000, 10 m) rows.
    fit_transform keeps the N x m block in the place of its output.

    Each axis is oriented so that its largest entry among the landmarks is positive. The
    lengths of the columns say how much each axis matters: do not standardise them one
    by one. A common factor changes nothing that a distance or a model without a unit of
    its own says.

    References
    ----------
    A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations
    at linear costs. Neurocomputing 167, 643-657, eq. 6.
    doi:10.1016/j.neucom.2015.04.017

    S. Wang, Z. Zhang, T. Zhang (2016). Towards more efficient SPSD matrix approximation
    and CUR matrix decomposition. JMLR 17(209), eq. 4.

    Examples
    --------
    >>> from skproxy import NystromDissimilarity
    >>> def gap(a, b):
    ...     return float(abs(len(a) - len(b)))
    >>> words = ["a", "is", "the", "that", "whose"]
    >>> nystrom = NystromDissimilarity(gap, n_landmarks=3, n_components=1,
    ...                                scale="metric", random_state=0)
    >>> abs(nystrom.fit_transform(words)).round(6).ravel().tolist()
    [2.0, 1.0, 0.0, 1.0, 2.0]
    >>> abs(nystrom.transform(["longest"])).round(6).tolist()
    [[4.0]]
    """

    _takes_partitions = True

    _stream: Any
    _parameter_constraints: dict = {
        "metric": [str, callable],
        "metric_params": [dict, None],
        "power": [Interval(Real, 0, None, closed="neither")],
        "correction": [StrOptions({"flip", "clip", "square", "shift"}), None],
        "scale": [StrOptions({"unit", "metric"})],
        "n_landmarks": LANDMARK_COUNT,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "rank": [StrOptions({"auto"}), None],
        **LANDMARK_CONSTRAINTS,
        "estimate_error": ["boolean"],
    }

    def __init__(
        self,
        metric: str | Callable[..., Any] = "euclidean",
        *,
        metric_params: dict[str, Any] | None = None,
        power: float = 2,
        correction: str | None = "flip",
        scale: str = "unit",
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        n_components: int | None = None,
        n_probes: int | str = "auto",
        rank: str | None = "auto",
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        estimate_error: bool = False,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.power = power
        self.correction = correction
        self.scale = scale
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.n_probes = n_probes
        self.rank = rank
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimate_error = estimate_error
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Choose landmarks, fit their map and pass over the objects once.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; for ``metric="precomputed"`` an array of shape
            (n_samples, n_samples), or (n_samples, n_landmarks) together with
            ``landmarks=`` the positions of its columns.
            A collection of Dask stays in its partitions: see *More than one machine*
            in the guide.
        y : array-like of shape (n_samples,), default=None
            Labels, for selectors that use them.

        Returns
        -------
        self : object
        """
        self._fit(choose_landmarks(self, X, y).with_square())
        return self

    @reported_fit
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> np.ndarray:
        """Fit and return the coordinates, without comparing anything twice.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components_)
        """
        compared = choose_landmarks(self, X, y).with_square()
        features = self._fit(compared, keep=output_dtype(X))
        return self._axes.of_kept(features)

    @reported_fit
    def partial_fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Take in a batch of objects.

        The first batch fixes the landmarks; each later one is compared with these and
        merged, exactly as if all had been there at once. Objects far from all before
        them become probes of the core: they are compared with the other probes, some
        hundreds, which are kept for that. After `fit`, and for precomputed comparisons,
        the core stays as it is.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        self : object
        """
        if not hasattr(self, "_factor"):
            return self._begin_stream(X, y)
        compared = self._compared.of_new(self, X)
        if self._stream is None:
            (factor,) = absorb(compared, [self._factor])
        else:
            self._stream = self._stream.absorb(compared)
            factor = self._stream.factor
        self.n_comparisons_ += compared.table.n_evaluated
        self._read_factor(factor)
        return self

    def new_part(self) -> Any:
        """Return an estimator on the same landmarks that has seen nothing yet.

        For objects that lie elsewhere: on another machine, in another file. Let it take
        them in by `partial_fit` there, and `merge` it.

        Returns
        -------
        part : NystromDissimilarity
            With the same parameters, landmarks and basis. It pickles, like any.
        """
        check_is_fitted(self)
        stream = self._stream and self._stream.without_objects()
        return begin_part(self, _stream=stream, _factor=self._factor.without_objects())

    def merge(self, other: Any) -> Self:
        """Take in the objects that another model has seen, without comparing them.

        Parameters
        ----------
        other : NystromDissimilarity
            Fitted with the same measure and the same landmarks: a `new_part` of this
            one, or one fitted apart with ``landmarks=model.components_``. Not changed.

        Returns
        -------
        self : object
            As if `partial_fit` had been given the objects themselves; parts may be
            merged in any order, and among each other first. The core belongs to this
            model's first batch. After `fit` it stays as it is; after `partial_fit`
            objects that it extrapolates to become probes, which is all that is
            compared. Cost O(m^3), whatever the number of objects.
        """
        check_mergeable(self, other)
        geometry = self._compared.geometry
        table = self._compared.comparer.table_of(self, self.components_)
        if self._stream is None:
            factor = self._factor.merge(other._factor.on(self._factor.landmark_map))
        else:
            if other._stream is None:
                more = other._factor.on(self._factor.landmark_map)
                self._stream = self._stream.add(more.moments, geometry)
            else:
                self._stream = self._stream.merge(other._stream, table, geometry)
            factor = self._stream.factor
        self.n_comparisons_ += other.n_comparisons_ + table.n_evaluated
        self._read_factor(factor)
        return self

    def _begin_stream(self, X, y):
        """Fit the first batch; where more can be compared, so that the core follows."""
        compared = choose_landmarks(self, X, y).with_square()
        n_extra = compared.begin_probing(self.n_probes)
        if compared.table.is_precomputed or n_extra is None:
            self._fit(compared)
            return self
        self._stream = Stream.begin(compared, n_extra, self.rank)
        self._keep(compared)
        self._read_factor(self._stream.factor)
        return self

    def _fit(self, compared, keep=None):
        (factor,), features = factorize(
            compared, self.n_probes, rank=self.rank, keep=keep
        )
        self._stream = None
        self._keep(compared)
        self._read_factor(factor)
        return features

    def _read_axes(self, factor):
        axes = super()._read_axes(factor)
        self.scale_ = 1.0
        if self.scale == "unit":
            axes, self.scale_ = factor.unit_axes(axes, _MEAN_SQUARE)
        return axes

    def _comparer(self):
        return Comparer.of_metric(self)

    def _count_columns(self):
        return self.n_components or self.n_landmarks_
