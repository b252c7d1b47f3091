"""Comparisons with landmarks as they are: the dissimilarity space."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval
from ..comparisons import Comparer, Scale, output_dtype
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
    choose_landmarks,
    reported_fit,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LandmarkComparisons"]


class LandmarkComparisons(
    ComparesWithLandmarks,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Give every object its comparisons with a few landmarks as columns.

    In this *dissimilarity space* an object is described by how far it is from each of
    `n_landmarks` others. Any reader of vectors takes such columns, and nothing is asked
    of the measure. Column j tells how far landmark j is, so a sparse reader drops
    landmarks; distances between rows are not those of the measure - for these take
    :class:`NystromDissimilarity`.

    Parameters
    ----------
    metric : str, callable, BlockMetric or "precomputed", default="euclidean"
        How two objects are compared, as in :class:`NystromDissimilarity`.
    metric_params : dict, default=None
        Keyword arguments of the metric. Never written to.
    power : float, default=2
        Exponent of the dissimilarities. 1 tempers heavy tails.
    standardize : bool, default=True
        Whether each column is centred and scaled to unit variance over the training
        objects, as linear and radial readers want it. Without, columns are in powered
        units of the metric, and fit compares no object but for the landmarks' choice.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks: comparisons per object, in fit and in transform. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    components_ : collection of n_landmarks_ objects
        The landmarks.
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Their positions in `X`; None for objects of your own.
    mean_, scale_ : ndarray of shape (n_landmarks_,)
        Mean and standard deviation of the columns over the training objects, in powered
        units of the metric, 1 for the deviation of constant columns. Zeros and ones
        without `standardize`.
    n_landmarks_, n_comparisons_ : int
        Number of landmarks, and of comparisons that fit needed (those of the landmark
        selection included).
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        Number and names of the columns of `X`, where it has any.

    See Also
    --------
    NystromDissimilarity : Vectors whose distances are those of the measure.
    NyPCVM : Classifier in these columns that drops landmarks.

    Notes
    -----
    fit makes N m comparisons for N objects and m landmarks with ``standardize=True``,
    m (m + 1) / 2 without; transform makes m per object. Memory is O(m^2) beside blocks
    of about a megabyte; fit_transform keeps the N x m columns.

    References
    ----------
    E. Pekalska, R. P. W. Duin (2005). The dissimilarity representation for pattern
    recognition. World Scientific, chapter 4.

    Examples
    --------
    >>> from skproxy import LandmarkComparisons
    >>> columns = LandmarkComparisons("levenshtein", power=1, standardize=False,
    ...                               landmarks=["cat", "horse"])
    >>> columns.fit_transform(["cat", "cart", "house"]).tolist()
    [[0.0, 5.0], [1.0, 4.0], [5.0, 1.0]]
    """

    _parameter_constraints: dict = {
        "metric": [str, callable],
        "metric_params": [dict, None],
        "power": [Interval(Real, 0, None, closed="neither")],
        "standardize": ["boolean"],
        "n_landmarks": LANDMARK_COUNT,
        **{k: v for k, v in LANDMARK_CONSTRAINTS.items() if k != "n_probes"},
    }

    def __init__(
        self,
        metric: str | Callable[..., Any] = "euclidean",
        *,
        metric_params: dict[str, Any] | None = None,
        power: float = 2,
        standardize: bool = True,
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.power = power
        self.standardize = standardize
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Choose landmarks and, to standardise, compare all objects with them.

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
        return self._fit(X, y, self.standardize, lambda *_: None)

    @reported_fit
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> np.ndarray:
        """Fit and return the columns, without comparing anything twice.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        columns : ndarray of shape (n_samples, n_landmarks_)
        """
        kept = []
        self._fit(X, y, True, lambda where, scaled: kept.append((where, scaled)))
        n_objects = sum(len(scaled) for _, scaled in kept)
        columns = np.empty((n_objects, self.n_landmarks_), dtype=output_dtype(X))
        for where, scaled in kept:
            columns[where] = self._standardised(scaled)
        return columns

    def transform(self, X: Any) -> np.ndarray:
        """Return the comparisons of objects with the landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            landmark columns are read, or (n_new, n_landmarks_).

        Returns
        -------
        columns : ndarray of shape (n_new, n_landmarks_)
            float32 for float32 input, else float64.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        n_new = compared.table.n_objects
        columns = np.empty((n_new, self.n_landmarks_), dtype=output_dtype(X))

        def place(run, block):
            columns[run] = self._standardised(self._scale.apply(block))

        compared.use_blocks(place)
        return columns

    def _fit(self, X, y, passing, use):
        """Choose landmarks; pass over the objects, if so, handing them to `use`."""
        compared = choose_landmarks(self, X, y).with_square()
        landmarks, m = compared.landmarks, compared.landmarks.count
        self._scale = Scale.of(compared.square, compared.geometry.power)
        count, mean, squares = 0, np.zeros(m), np.zeros(m)
        if passing:
            compared.begin(known=True)
            # One landmark, or copies of one, do not tell the unit: a sample does.
            known = compared.draw_pilot(None if compared.square.any() else 1)
            self._scale = Scale.of(known.all_rows, compared.geometry.power)
            for where, block in compared.blocks(pilot=known):
                scaled = self._scale.apply(block)
                use(where, scaled)
                count += len(scaled)
                gap = scaled.mean(axis=0) - mean
                squares += np.square(scaled - scaled.mean(axis=0)).sum(axis=0)
                squares += np.square(gap) * len(scaled) * (1 - len(scaled) / count)
                mean += gap * (len(scaled) / count)
        self._set_standard(mean, np.sqrt(squares / max(count, 1)))
        self._compared = compared.without_objects()
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = m
        self.n_comparisons_ = compared.table.n_evaluated
        return self

    def _set_standard(self, mean, deviations):
        """Set mean and deviation of the columns, from scaled comparisons."""
        unit = self._scale.squared
        if not self.standardize:
            mean, deviations = np.zeros_like(mean), np.full_like(mean, 1.0 / unit)
        constant = deviations <= 1e-12 * (np.abs(mean) + deviations.max(initial=0.0))
        self._mean = mean
        self._inverse = 1.0 / np.where(constant, 1.0, deviations)
        self.mean_ = mean * unit
        self.scale_ = np.where(constant, 1.0, deviations * unit)

    def _standardised(self, scaled):
        return (scaled - self._mean) * self._inverse

    @property
    def _n_features_out(self):
        return self.n_landmarks_

    def _comparer(self):
        return Comparer.of_metric(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
