"""Multidimensional scaling with axes of either sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import SILENT, Comparer, output_dtype
from ..factor import ApproximationError, factorize, signature
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
    choose_landmarks,
    reported_fit,
    take_all,
)
from ._block_refinement import KeptComparisons
from ._eigenpair_selection import SELECTION_METHODS
from ._full_axes import fit_full_axes, warn_unconverged
from ._full_similarity import full_similarity
from ._landmark_axes import FactorAxes, fit_landmark_axes
from ._sampled_pairs import sample_pairs
from ._signed_form import check_coordinates, signed_dissimilarities
from ._stress_refinement import Refinement

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NeucMDS"]


class NeucMDS(
    ComparesWithLandmarks,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    r"""Map dissimilarities to a few axes, of which some may count negatively.

    Classical scaling drops what a Euclidean space cannot hold, and the more axes it is
    given the worse it may get. Neuc-MDS keeps eigenvectors of either sign, whichever
    represent the dissimilarities best:

    .. math:: \hat D_{ij} = \sum_l s_l (z_{il} - z_{jl})^2, \quad s_l = \pm 1

    with coordinates `embedding_` and signs `axis_signs_`. The measure of success is
    STRESS, the sum of :math:`(\hat D_{ij} - d_{ij}^{power})^2` over all ordered pairs.
    New objects get coordinates too; with `n_landmarks` the cost is linear.

    Parameters
    ----------
    n_components : int, default=2
        Number of columns. Those past the rank are zero.
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
    method : {"cmds", "lower", "neuc", "neuc+", "stress"}, default="neuc+"
        Which eigenpairs are kept, and how long their axes become. ``"neuc+"`` chooses
        by the effect on a lower bound of STRESS and shifts what it keeps by what it
        drops; ``"neuc"`` does not shift. ``"stress"`` minimises STRESS itself from
        there: often several times lower, for up to `max_iter` steps; without landmarks
        new objects are then placed by least squares. ``"cmds"`` is classical scaling;
        ``"lower"`` is Lower-MDS, the best weights that are all positive.
    n_landmarks : int, "auto" or ErrorTolerance, default=None
        Number of landmarks: comparisons per object, in fit and in transform. None takes
        all objects, unless `landmarks` are positions or objects. ``"auto"`` takes as
        few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number. A one-dimensional sequence of integers is always read as positions.
    n_probes : int or "auto", default="auto"
        Number of objects besides the landmarks that are compared among each other to
        fit the core. ``"auto"`` takes six per landmark and 160, never so many that they
        cost more than half as many comparisons as the objects do. 0 is the method of
        the papers, whose error is unbounded. A precomputed matrix of landmark columns
        has no probes: with ``"auto"`` the core is fitted to the columns.
    max_iter : int, default=300
        Most steps of ``method="stress"``.
    tol : float, default=1e-4
        ``method="stress"`` ends when a step lowers STRESS by less than this share.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons, so that a grid over `method`, `power`
        and `n_components` pays for its comparisons once. Set `random_state` too, or
        the landmarks change from fit to fit.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes; without landmarks nothing is random.
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
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates, in units of ``d**(power / 2)``. Columns are centred and orthogonal,
        the longest first.
    axis_signs_ : ndarray of shape (n_components,)
        +1, -1 or 0 (past the rank) for each column, so that
        ``(Z * axis_signs_) @ Z.T`` is the signed similarity of the coordinates.
    eigenvalues_ : ndarray of shape (n_components,)
        Of ``-1/2 J D J``, in powered units of the metric, of the pairs kept, before
        weighing; zero past the rank. Column by column, but for ``method="stress"``,
        whose columns are no eigenvectors: there the largest modulus comes first.
    weights_ : ndarray of shape (n_components,)
        After weighing: the signed squared length of each column.
    signature_ : tuple of three int
        How many columns are positive, negative and zero.
    trace_ : float
        Sum of all eigenvalues, kept or not, in powered units of the metric. With
        landmarks what the factor misses is estimated from pairs drawn at random.
    negative_fraction_ : float
        Of all eigenvalues: the sum of moduli of the negative ones over that of all. NaN
        where only the ends of the spectrum were computed, for more than 1,000 objects
        without landmarks.
    stress_ : float
        STRESS, in squared powered units of the metric. With landmarks an estimate from
        pairs drawn at random.
    stress_lower_bound_ : float
        The part of STRESS that selection minimises, ``4 sum (l - w)^2`` plus
        ``4 (sum (l - w))^2`` over all eigenvalues l (with landmarks: those found); the
        rest is due to unequal errors of self-similarities.
    n_iter_ : int
        Number of steps of ``method="stress"``; 1 for the others.
    components_ : collection of n_landmarks_ objects or None
        What new objects are compared with; None for a square precomputed matrix
        without landmarks.
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Their positions in `X`; None for objects of your own.
    n_landmarks_ : int
        Number of landmarks; of objects, without landmarks.
    n_components_ : int
        Number of columns.
    approximation_error_ : ApproximationError or None
        Relative error of the approximated similarity matrix over the objects seen,
        ``value``, and ``low`` and ``high``, between which it is in nine of ten draws.
        None unless `estimate_error`.
    n_comparisons_ : int
        Comparisons that fit needed, those of the landmark selection included.
    n_features_in_ : int
        Number of columns of `X`, where it has any.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of `X`, where it has any.

    See Also
    --------
    NystromDissimilarity : Vectors for learning rather than for looking at.
    skproxy.metrics.stress : The measure, for any embedding.

    Notes
    -----
    N objects, m landmarks, k columns. Without landmarks: N^2 / 2 comparisons in fit, N
    per new object; one N x N array of the precision of the comparisons, and for k above
    N / 20 or N up to 1000 a second one for a while; a few hundred Lanczos steps of
    O(N^2), or O(N^3); O(N^2 k) a step of ``"stress"``. With landmarks: at most N m +
    e^2 / 2 + m^2 / 2 comparisons (e probes); O(N m k) a step; two N x m arrays.

    STRESS of ``"stress"`` is never above that of ``"neuc"`` and ``"neuc+"`` (with
    landmarks: on the sampled pairs). For ``"cmds"`` it may rise with `n_components`.

    References
    ----------
    C. Deng et al. (2024). Neuc-MDS: Non-Euclidean Multidimensional Scaling Through
    Bilinear Forms. NeurIPS 37, Theorems 2, 3 and 6, Proposition 8. arXiv:2411.10889.

    R. Sonthalia et al. (2021). How can classical multidimensional scaling go wrong?
    NeurIPS 34. arXiv:2110.11430. Lower-MDS.

    A. Beck, P. Stoica, J. Li (2008). Exact and approximate solutions of source
    localization problems. IEEE Trans. Signal Processing 56(5), Section II.
    doi:10.1109/TSP.2007.909342. New objects of ``method="stress"``.

    Examples
    --------
    >>> from skproxy import NeucMDS
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> mds = NeucMDS(n_components=3, metric="precomputed").fit(D)
    >>> mds.axis_signs_.tolist()
    [1.0, 1.0, -1.0]
    >>> abs(mds.pairwise(mds.embedding_)).round(6)[0].tolist()
    [0.0, 1.0, 1.0, 1.0]
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "power": [Interval(Real, 0, None, closed="neither")],
        "method": [StrOptions({*SELECTION_METHODS, "stress"})],
        "n_landmarks": [*LANDMARK_COUNT, None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        **LANDMARK_CONSTRAINTS,
        "estimate_error": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: str | Callable[..., Any] = "euclidean",
        metric_params: dict[str, Any] | None = None,
        power: float = 2,
        method: str = "neuc+",
        n_landmarks: Any = None,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        estimate_error: bool = False,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.power = power
        self.method = method
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.max_iter = max_iter
        self.tol = tol
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimate_error = estimate_error
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Compare the objects and fit the axes.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; for ``metric="precomputed"`` an array of shape
            (n_samples, n_samples), or (n_samples, n_landmarks) together with
            ``landmarks=`` the positions of its columns.
        y : array-like of shape (n_samples,), default=None
            Labels, for selectors that use them.

        Returns
        -------
        self : object
        """
        self.fit_transform(X, y)
        return self

    @reported_fit
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> np.ndarray:
        """Fit and return the coordinates, `embedding_`.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            float32 for float32 input, else float64.
        """
        wanted = self._wants_landmarks()
        fitted = self._fit_to_landmarks(X, y) if wanted else self._fit_to_all(X)
        self._read(fitted, output_dtype(X))
        return self.embedding_

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of objects, old or new.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            landmark columns are read, or (n_new, n_landmarks_).

        Returns
        -------
        Z : ndarray of shape (n_new, n_components)
            float32 for float32 input, else float64.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        n_new = compared.table.n_objects
        Z = np.empty((n_new, self.n_components_), dtype=output_dtype(X))
        unit = np.sqrt(self._scale.squared)
        for run, block in compared.blocks():
            Z[run] = self._placement.of_scaled(self._scale.apply(block)) * unit
        return Z

    def pairwise(self, X: Any, Y: ArrayLike | None = None) -> np.ndarray:
        """Return the powered dissimilarities that coordinates stand for.

        Parameters
        ----------
        X : array-like of shape (n, n_components)
            Coordinates: `embedding_`, or from `transform`.
        Y : array-like of shape (n_others, n_components), default=None
            Coordinates of the others; None takes `X`.

        Returns
        -------
        D : ndarray of shape (n, n_others)
            ``sum_l s_l (x_il - y_jl)^2``, in the units of ``d**power``. Negative for
            pairs that differ mostly along negative axes.
        """
        check_is_fitted(self)
        X = check_coordinates(self, X, "X")
        Y = X if Y is None else check_coordinates(self, Y, "Y")
        return signed_dissimilarities(X, Y, self.axis_signs_)

    def axis_shares(self, total: str = "absolute") -> np.ndarray:
        """Return the share of each column in the whole spectrum.

        Parameters
        ----------
        total : {"absolute", "signed"}, default="absolute"
            The denominator: the sum of the moduli of all eigenvalues, or their sum, the
            trace. Say which one you report, and `negative_fraction_` with it.

        Returns
        -------
        shares : ndarray of shape (n_components,)
            Dimensionless, of the eigenvalues before weighing; for ``method="stress"``,
            whose columns are no eigenvectors, of the weights.

        Raises
        ------
        ValueError
            For the absolute total, where `negative_fraction_` is NaN.
        """
        check_is_fitted(self)
        if total not in ("absolute", "signed"):
            msg = (
                "total of axis_shares of NeucMDS must be 'absolute' or 'signed'; got "
                f"{total!r}."
            )
            raise ValueError(msg)
        if total == "absolute" and np.isnan(self._moduli):
            msg = (
                "total of axis_shares of NeucMDS must be 'signed' here: the middle of "
                f"the spectrum of {self.n_landmarks_} objects was not computed."
            )
            raise ValueError(msg)
        parts = self.weights_ if self.method == "stress" else self.eigenvalues_
        whole = self._moduli if total == "absolute" else self.trace_
        parts = np.abs(parts) if total == "absolute" else parts
        return parts / whole if whole else np.zeros_like(parts)

    def _fit_to_all(self, X):
        compared = take_all(self, X)
        exact = ApproximationError(0.0, 0.0, 0.0)
        self.approximation_error_ = exact if self.estimate_error else None
        table = compared.table
        similarity = full_similarity(table, compared.geometry)
        self._scale = similarity.scale
        self._scale.check(table.name)
        self._keep(replace(compared, unit=similarity.largest))
        refinement = self._refinement()
        return fit_full_axes(similarity, self.n_components, self.method, refinement)

    def _fit_to_landmarks(self, X, y):
        compared = choose_landmarks(self, X, y).with_square()
        table = compared.table
        if self.method == "stress":
            kept = KeptComparisons(table, compared.landmarks, compared.square)
            compared = replace(compared, table=kept)
        (factor,), features = factorize(
            compared, self.n_probes, rank=None, keep=np.float64
        )
        scale = self._scale = factor.landmark_map.scale
        self.approximation_error_ = factor.landmark_map.error
        scale.check(table.name)
        self._progress.begin("compare pairs")
        axes = FactorAxes(factor, features)
        pairs = sample_pairs(
            table,
            compared.landmarks,
            scale,
            axes.vectors,
            axes.landmark_vectors,
            compared.rng,
        )
        fitted = fit_landmark_axes(
            axes,
            pairs,
            self.n_components,
            self.method,
            self._refinement(),
            scale.apply(kept.rows) if self.method == "stress" else None,
        )
        self._keep(replace(compared, table=table))
        return fitted

    def _keep(self, compared):
        """Keep the landmarks and how new objects are compared with them."""
        self._compared, landmarks = compared.without_objects(), compared.landmarks
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = landmarks.count
        self.n_comparisons_ = compared.table.n_evaluated

    def _refinement(self):
        report = None if self._progress is SILENT else self._report_step
        return Refinement(self.max_iter, self.tol, report)

    def _report_step(self, step, stress):
        if step == 1:
            self._progress.begin("refine", self.max_iter, step="step")
        value = stress * self._scale.squared * self._scale.squared
        if self._progress.advance(detail=f"STRESS {value:.6g}"):
            raise StopIteration

    def _read(self, fitted, dtype):
        measured = fitted.in_units(self._scale.squared)
        self.n_components_ = self.n_components
        self.embedding_ = measured.coordinates.astype(dtype, copy=False)
        self.eigenvalues_, self.weights_ = measured.eigenvalues, measured.weights
        self.axis_signs_ = np.sign(fitted.weights)
        self.signature_ = signature(fitted.weights, self.n_components)
        self.trace_ = measured.trace
        self._moduli = measured.moduli
        negative = (fitted.moduli - fitted.trace) / 2
        self.negative_fraction_ = 0.0
        if fitted.moduli != 0:
            self.negative_fraction_ = max(negative / fitted.moduli, 0.0)
        self.stress_, self.stress_lower_bound_ = measured.stress, measured.lower_bound
        self._placement = fitted.placement
        self.n_iter_ = fitted.n_iter
        if not fitted.converged:
            warn_unconverged(type(self).__name__, self.max_iter, self.tol)

    def _comparer(self):
        return Comparer.of_metric(self)

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
