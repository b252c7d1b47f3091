"""Graphs of nearest neighbours for any measure, at linear cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import Comparer
from ..comparisons._objects import count_objects
from ..factor import factorize
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
    choose_landmarks,
    reported_fit,
)
from ._connect import connecting_pairs
from ._lists import NeighborLists
from ._pairs import KnownPairs, PairComparer
from ._recall import estimate_recall
from ._recorded import RecordedComparisons
from ._search import Effort, Search

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LandmarkKNeighborsTransformer"]

# Lists of fewer neighbours join too few objects for their neighbours to be worth a
# round, and a fifth more than are wanted finds more of these.
_SHORTEST, _LONGER = 10, 1.2


class LandmarkKNeighborsTransformer(
    ComparesWithLandmarks,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Find nearest neighbours under any measure by comparing a few pairs.

    scikit-learn's :class:`~sklearn.neighbors.KNeighborsTransformer` for measures that
    have no index and are too dear for all pairs: edit distances, DTW, alignments, a
    function of your own. Each object is compared with `n_landmarks` others and becomes
    a vector (see :class:`NystromDissimilarity`); objects near in the vectors are
    compared truly, and so are neighbours of neighbours until few change. The graph
    holds true comparisons only; what can be missing is a neighbour, and
    `estimate_recall` says how many are.

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
    n_neighbors : int, default=5
        Number of neighbours of each object, itself not counted.
    mode : {"distance", "connectivity"}, default="distance"
        What the graph holds: comparisons, or ones. As in scikit-learn an object fitted
        is its own first neighbour there; ``"distance"`` has one more for it.
    connected : bool, default=False
        Whether the graph that fit_transform returns holds each pair from both ends, and
        is joined to one piece by true comparisons of the pairs nearest in the vectors.
        :class:`~sklearn.cluster.HDBSCAN` wants both. transform is not concerned.
    n_landmarks : int, "auto" or ErrorTolerance, default=100
        Number of landmarks: comparisons per object, in fit and in transform. More than
        there are objects are lowered to all of them, with a warning. ``"auto"`` takes
        as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number. A one-dimensional sequence of integers is always read as positions.
    n_candidates : int or "auto", default="auto"
        Number of objects, nearest in the vectors, that each is compared with at first;
        half as many in each later round. ``"auto"`` takes 28 and three per neighbour.
        More find more neighbours.
    max_rounds : int, default=4
        Most rounds of neighbours of neighbours. 0 leaves it at the vectors' candidates.
    tol : float, default=0.01
        A round that changed a smaller share of the entries of all lists is the last.
    power : float, default=2
        Exponent of the dissimilarities. 2 is classical scaling; use 1 for values that
        are squared already (``"sqeuclidean"``) and may then even be negative, or to
        temper a strongly non-metric measure. It shapes the vectors alone: the graph
        holds the comparisons as they are.
    estimate_recall : bool, default=False
        Whether to estimate which share of the true neighbours was found, by comparing
        100 objects with all others: 100 comparisons an object more, whatever N is.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined.
        None refuses asymmetry beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons with the landmarks. Set `random_state`
        too, or the landmarks change from fit to fit. The metric must be picklable;
        functions that it calls are not watched for changes.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks, probes and the sample of `estimate_recall`.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it. Scalar
        callables run in processes, everything else in threads.
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
    n_comparisons_ : int
        Comparisons that fit needed, those of the landmark selection and of
        `estimate_recall` included.
    n_rounds_ : int
        Rounds of neighbours of neighbours.
    recall_ : tuple of three float
        Estimated share of the neighbours found that are no farther than the true last
        one, and a 90 % interval: (value, low, high). Only with `estimate_recall`.
    n_samples_fit_ : int
        Number of objects fitted.
    n_features_in_ : int
        Number of columns of `X`, where it has any.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of `X`, where it has any.

    See Also
    --------
    NystromDissimilarity : The vectors alone.
    sklearn.neighbors.KNeighborsTransformer : By all pairs, or by an index of vectors.

    Notes
    -----
    fit makes N m comparisons for N objects and m landmarks, some 2 m^2 among the
    objects that fit the vectors, and about as many as ``N n_candidates`` in all rounds:
    a pair is compared once and serves both ends. transform makes m an object and about
    twice n_candidates. What is not a comparison is numpy: N^2 m multiplications for the
    nearest vectors, and O(N n_candidates) memory. Objects that tie are ordered by
    position.

    References
    ----------
    W. Dong, C. Moses, K. Li (2011). Efficient k-nearest neighbor graph construction for
    generic similarity measures. WWW 2011, 577-586, algorithm 1.
    doi:10.1145/1963405.1963487

    Examples
    --------
    >>> from skproxy.neighbors import LandmarkKNeighborsTransformer
    >>> def gap(a, b):
    ...     return float(abs(len(a) - len(b)))
    >>> words = ["a", "is", "that", "whose"]
    >>> finder = LandmarkKNeighborsTransformer(gap, n_neighbors=1, n_landmarks=3)
    >>> finder.fit_transform(words).toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    >>> finder.kneighbors(["longest"], 1)
    (array([[2.]]), array([[3]]))
    """

    _parameter_constraints: dict = {
        "metric": [str, callable],
        "metric_params": [dict, None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mode": [StrOptions({"distance", "connectivity"})],
        "connected": ["boolean"],
        "n_landmarks": LANDMARK_COUNT,
        "n_candidates": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "max_rounds": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "power": [Interval(Real, 0, None, closed="neither")],
        "estimate_recall": ["boolean"],
        **{k: v for k, v in LANDMARK_CONSTRAINTS.items() if k != "n_probes"},
    }

    def __init__(
        self,
        metric: str | Callable[..., Any] = "euclidean",
        *,
        metric_params: dict[str, Any] | None = None,
        n_neighbors: int = 5,
        mode: str = "distance",
        connected: bool = False,
        n_landmarks: Any = 100,
        landmarks: Any = "uniform",
        n_candidates: int | str = "auto",
        max_rounds: int = 4,
        tol: float = 0.01,
        power: float = 2,
        estimate_recall: bool = False,
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.connected = connected
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_candidates = n_candidates
        self.max_rounds = max_rounds
        self.tol = tol
        self.power = power
        self.estimate_recall = estimate_recall
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the neighbours of each object among the others.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; for ``metric="precomputed"`` an array of shape
            (n_samples, n_samples).
        y : array-like of shape (n_samples,), default=None
            Labels, for selectors that use them.

        Returns
        -------
        self : object
        """
        compared = choose_landmarks(self, X, y)
        table, rng = compared.table, compared.rng
        if compared.columns_only:
            msg = (
                f"X of {type(self).__name__}(metric='precomputed') must be a square "
                f"matrix; got shape {X.shape}, columns of landmarks only. Any pair may "
                "have to be looked up."
            )
            raise ValueError(msg)
        self.n_samples_fit_ = self._n_features_out = table.n_objects
        length = self._length(self.n_neighbors)
        lists = NeighborLists(table.n_objects, length, among_themselves=True)
        columns = _columns_of(compared.landmarks)
        known = KnownPairs(table.n_objects, columns, symmetric=True)
        recorded = RecordedComparisons(table, known, lists)
        compared = replace(compared, table=recorded).with_square()
        self._compared, landmarks = compared.without_objects(), compared.landmarks
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = landmarks.count
        self._fit_vectors(compared)
        self._objects = table.matrix if table.is_precomputed else table.objects
        compare = self._pair_comparer(table)
        search = Search(self._vectors, self._vectors, compare, known, lists)
        table.progress.begin("compare candidates")
        self.n_rounds_ = search.run(self._effort(self.n_neighbors))
        self._lists = lists
        self._graph = lists.graph(2 * lists.indices.shape[1])
        if self.estimate_recall:
            self.recall_ = estimate_recall(lists, self.n_neighbors, known, compare, rng)
        elif hasattr(self, "recall_"):
            del self.recall_
        if self.connected:
            links = lists.links(table.n_objects, self._n_others())
            rows, columns = connecting_pairs(links, self._vectors)
            # Compared before or not: what is no neighbour's was not kept.
            self._bridges = rows, columns, compare(rows, columns)
        self.n_comparisons_ = table.n_evaluated
        return self

    def _fit_vectors(self, compared):
        """Set the vectors of the objects and how new objects get theirs."""
        # Twice as many probes as landmarks are enough to rank by; they cost their
        # square.
        m, n_objects = self.n_landmarks_, compared.table.n_objects
        n_probes = min(2 * m, n_objects - m)
        (factor,), features = factorize(compared, n_probes, rank=None, keep=np.float64)
        self._axes = factor.axes(self.n_landmarks_, "flip")
        self._scale = factor.landmark_map.scale
        self._vectors = self._axes.of_kept(features)

    def _pair_comparer(self, table):
        kept = self._compared
        return PairComparer(table, self._objects, kept.geometry, kept.unit)

    def _length(self, n_neighbors):
        """Return how many neighbours are looked for to find some."""
        return max(_SHORTEST, int(np.ceil(_LONGER * n_neighbors)))

    def _effort(self, n_neighbors):
        n_candidates = self.n_candidates
        if n_candidates == "auto":
            n_candidates = 28 + 3 * n_neighbors
        n_candidates = max(n_candidates, n_neighbors)
        return Effort(n_candidates, self.max_rounds, self.tol)

    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> np.ndarray:
        """Fit and return the graph, without comparing anything twice.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        graph : sparse matrix of shape (n_samples, n_samples), CSR
            The same as transform of the same objects: each is its own first neighbour,
            at 0.
        """
        self.fit(X, y)
        n_others = self._n_others()
        self._check_n_neighbors(None, max(n_others, 1))
        itself = np.arange(self.n_samples_fit_)[:, None]
        indices = np.hstack([itself, self._lists.indices[:, :n_others]])
        distances = np.pad(self._lists.distances[:, :n_others], [(0, 0), (1, 0)])
        graph = self._to_graph(distances, indices, self.mode)
        return self._join(graph) if self.connected else graph

    def _n_others(self):
        """Return how many neighbours besides itself an object has in the graph."""
        return self.n_neighbors + (self.mode == "distance") - 1

    def _join(self, graph):
        """Return a graph of the objects fitted symmetric and in one piece."""
        rows, columns, distances = self._bridges
        if self.mode == "connectivity":
            distances = np.ones_like(distances)
        graph = graph.tocoo()
        n = self.n_samples_fit_
        rows, columns = np.r_[graph.row, rows], np.r_[graph.col, columns]
        values = np.r_[graph.data, distances]
        # Not graph.maximum(graph.T), which forgets entries that are zero.
        keys = np.r_[rows.astype(np.int64) * n + columns, columns * np.int64(n) + rows]
        keys, first = np.unique(keys, return_index=True)
        rows, columns = np.divmod(keys, n)
        values = np.r_[values, values][first]
        order = np.lexsort((columns, rows != columns, values, rows))
        begins = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
        parts = values[order], columns[order], begins
        return sparse.csr_matrix(parts, shape=(n, n))

    def transform(self, X: Any) -> np.ndarray:
        """Return the graph of neighbours of objects, old or new, among those fitted.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples).

        Returns
        -------
        graph : sparse matrix of shape (n_new, n_samples), CSR
            `n_neighbors` true comparisons a row, one more in mode "distance".
        """
        check_is_fitted(self)
        n_neighbors = self.n_neighbors + (self.mode == "distance")
        return self.kneighbors_graph(X, n_neighbors, mode=self.mode)

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: Any = None, mode: str = "connectivity"
    ) -> Any:
        """Return neighbours as a sparse matrix.

        Parameters
        ----------
        X, n_neighbors
            As for `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or comparisons.

        Returns
        -------
        graph : sparse matrix of shape (n_queries, n_samples), CSR
        """
        if mode not in ("connectivity", "distance"):
            msg = (
                f"mode of {type(self).__name__}.kneighbors_graph must be "
                f"'connectivity' or 'distance'; got {mode!r}."
            )
            raise ValueError(msg)
        distances, indices = self.kneighbors(X, n_neighbors)
        return self._to_graph(distances, indices, mode)

    def _to_graph(self, distances, indices, mode):
        n_rows, width = indices.shape
        if mode == "connectivity":
            distances = np.ones_like(distances)
        begins = np.arange(0, n_rows * width + 1, width)
        return sparse.csr_matrix(
            (distances.ravel(), indices.ravel(), begins),
            shape=(n_rows, self.n_samples_fit_),
        )

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Find the nearest neighbours of objects among those fitted.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_queries objects, default=None
            None returns the neighbours found in fit, each object itself left out, and
            compares nothing.
        n_neighbors : int, default=None
            None takes the parameter of that name. For the objects fitted at most what
            their lists hold: the parameter and a fifth more, ten at least.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            True comparisons, nearest first. Only with `return_distance`.
        indices : ndarray of shape (n_queries, n_neighbors)
            Positions among the objects fitted.
        """
        check_is_fitted(self)
        n_neighbors = self._check_n_neighbors(X, n_neighbors)
        lists = self._lists if X is None else self._lists_of_new(X, n_neighbors)
        indices = lists.indices[:, :n_neighbors].copy()
        if not return_distance:
            return indices
        return lists.distances[:, :n_neighbors].copy(), indices

    def _check_n_neighbors(self, X, n_neighbors):
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        if not isinstance(n_neighbors, Integral):
            msg = (
                f"n_neighbors of {type(self).__name__} must be an integer; got "
                f"{n_neighbors!r}."
            )
            raise TypeError(msg)
        if n_neighbors <= 0:
            msg = f"Expected n_neighbors > 0. Got {n_neighbors}"
            raise ValueError(msg)
        n_fit, itself = self.n_samples_fit_, X is None
        if n_neighbors + itself > n_fit:
            # scikit-learn's own words; its checks look for n_samples.
            sign = "<" if itself else "<="
            n_samples = n_fit if itself else count_objects(X)
            msg = (
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = "
                f"{n_neighbors}, n_samples_fit = {n_fit}, n_samples = {n_samples}"
            )
            raise ValueError(msg)
        if itself and n_neighbors > self._lists.indices.shape[1]:
            msg = (
                f"n_neighbors of {type(self).__name__}.kneighbors must be at most "
                f"{self._lists.indices.shape[1]} for the objects fitted, whose lists "
                f"are as long; got {n_neighbors}. Fit with n_neighbors={n_neighbors}."
            )
            raise ValueError(msg)
        return int(n_neighbors)

    def _lists_of_new(self, X, n_neighbors):
        """Search the neighbours of new objects among those fitted."""
        compared = self._compared.of_new(self, X)
        table = compared.table
        n_new, n_fit = table.n_objects, self.n_samples_fit_
        length = min(self._length(n_neighbors), n_fit)
        lists = NeighborLists(n_new, length)
        landmarks = self.component_indices_
        vectors = np.empty((n_new, self._vectors.shape[1]))

        def place(run, block):
            vectors[run] = self._axes.of_scaled(self._scale.apply(block))
            if landmarks is not None:
                lists.update_rectangle(np.arange(n_new)[run], landmarks, block)

        compared.use_blocks(place)
        columns = _columns_of(compared.landmarks)
        known = KnownPairs(n_fit, columns, symmetric=False)
        compare = self._pair_comparer(table)
        table.progress.begin("compare candidates")
        search = Search(vectors, self._vectors, compare, known, lists)
        search.run(self._effort(n_neighbors), self._graph)
        return lists

    def _comparer(self):
        return Comparer.of_metric(self)


def _columns_of(landmarks):
    """Return the objects fitted that every object is compared with."""
    indices = landmarks.indices
    return np.empty(0, dtype=np.intp) if indices is None else indices
