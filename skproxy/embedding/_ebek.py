"""An embedding whose axes are real objects: exemplar-based kernel preservation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import (
    KERNEL_NAMES,
    Comparer,
    Landmarks,
    by_partition,
    check_direction,
    count_both_ways,
    output_dtype,
)
from ..comparisons._objects import keep_objects, take_objects
from ..factor import factorize, is_psd, signature
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
    choose_landmarks,
    reported_fit,
    take_all,
)
from ._exemplar_axes import fit_exemplar_axes
from ._exemplars import Candidates
from ._signed_form import check_coordinates

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EBEKEmbedding"]


class EBEKEmbedding(ComparesWithLandmarks, TransformerMixin, BaseEstimator):
    r"""Embed objects so that each axis belongs to one of them, an exemplar.

    Exemplars are real objects - faces, documents, proteins - that are linearly
    independent and, with `epsilon`, not too similar to each other. A column of the
    embedding is named after its exemplar. There are two kinds of coordinates, W, with
    signs J from `axis_signs_` (all +1 for a positive semi-definite kernel):

    - ``method="kernel"``, the paper's: similarities ``W J W'`` are the best that
      `n_components` columns can give, whatever the exemplars are; use it for
      neighbours, clusters and as input of other estimators. Its axes are not spanned by
      the exemplars, only turned towards them: combining exemplars with these
      coordinates keeps similarities, but is not quite the object.
    - ``method="projection"``, the honest one (column-subset selection, Nystrom with
      the exemplars as landmarks): each object is replaced by what its exemplars can
      rebuild of it. Use it to read an object as a mixture of exemplars
      (`exemplar_weights`), and where new objects should cost no more than
      `n_components` comparisons. Similarities are a little worse, and depend on the
      exemplars.

    Parameters
    ----------
    n_components : int, default=10
        Number of columns, and of exemplars. Columns past the rank of the data are zero.
    kernel : str or callable, default="linear"
        Kernel map to be approximated: a name of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, ``"elm"`` (extreme learning
        machine), ``"tl1"`` (truncated l1) or ``"tanimoto"`` (fingerprints); a callable
        of two objects that returns a float; a :class:`BlockMetric` of two sequences
        that returns a matrix; or ``"precomputed"``. With a callable or a
        `BlockMetric`, `X` may be any sequence. ``"linear"`` on dense or sparse vectors
        never forms a matrix of similarities.
    gamma : float, default=None
        Gamma parameter for the RBF, laplacian, polynomial, exponential chi2, sigmoid
        and elm kernels, and the radius of tl1. Interpretation of the default value is
        left to the kernel; see the documentation for sklearn.metrics.pairwise. Ignored
        by other kernels.
    coef0 : float, default=None
        Zero coefficient for polynomial and sigmoid kernels. Ignored by other kernels.
    degree : float, default=None
        Degree of the polynomial kernel. Ignored by other kernels.
    kernel_params : dict, default=None
        Additional parameters (keyword arguments) for kernel function passed as callable
        object. Never written to.
    epsilon : float, default=None
        Largest normalised similarity ``k(i, j) / sqrt(|k(i, i) k(j, j)|)`` that two
        exemplars may have: their cosine, if the kernel is positive semi-definite. None
        allows any. An epsilon that leaves fewer exemplars than there could be is an
        error that says how many, and which epsilon is large enough.
    order : {"pivot", "scan"}, default="pivot"
        How exemplars are chosen. ``"pivot"`` takes the object of which most is left
        unexplained on the leading axes, or, where `epsilon` leaves too few of these,
        the one least similar to those taken. It does not depend on the order of the
        objects; ``"scan"`` takes the first that is independent, as the paper does.
    method : {"kernel", "projection"}, default="kernel"
        What the coordinates preserve; see above.
    svd_solver : {"auto", "full", "randomized"}, default="auto"
        How the leading axes are found. ``"randomized"`` takes two power iterations and
        ten extra directions; it is exact where the spectrum ends or falls quickly.
        ``"full"`` is exact and costs the cube of the smaller side. ``"auto"`` is full
        up to 500 objects and features, or where a dense matrix of vectors has few
        columns.
    n_landmarks : int, "auto" or ErrorTolerance, default=None
        Compare each object with this many landmarks instead of with all others: cost
        linear in the number of objects, for any kernel. Exemplars are then chosen among
        the landmarks. None compares all, which ``kernel="linear"`` does at linear cost.
        ``"auto"`` takes as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number; the others are used with `n_landmarks` only.
    n_probes : int or "auto", default="auto"
        For a kernel that is indefinite on the landmarks: the number of objects besides
        the landmarks that are compared among each other to fit the core. ``"auto"``
        takes six per landmark and 160. A psd kernel needs none.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined, or
        those of a function, which is then evaluated both ways. None refuses asymmetry
        beyond rounding.
    memory : str or joblib.Memory, default=None
        Keeps evaluated blocks of comparisons. Set `random_state` too.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks, probes and the randomised solver.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    exemplar_indices_ : ndarray of shape (n_exemplars_,) or None
        Positions of the exemplars among the objects fitted, in order of choice; None if
        `landmarks` are objects of your own.
    exemplars_ : collection of n_exemplars_ objects
        The exemplars. For ``kernel="precomputed"`` their rows of the matrix.
    exemplar_similarities_ : ndarray of shape (n_exemplars_, n_exemplars_)
        Their normalised similarities; none off the diagonal is above `epsilon`.
    components_ : ndarray of shape (n_components, width)
        Linear map to the columns: ``transform(X)`` is ``F @ components_.T``, where F
        are the features (``kernel="linear"`` without landmarks), or comparisons with
        all objects fitted, with the landmarks, or (``method="projection"``) with the
        exemplars.
    singular_values_ : ndarray of shape (n_components,)
        Leading singular values of the data in the feature space of the kernel (of `X`
        itself for the linear one): roots of the moduli of `eigenvalues_`.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of the n x n kernel matrix, largest modulus first, zero past
        the rank.
    axis_signs_ : ndarray of shape (n_components,)
        +1, -1 or 0 for each column, so that ``(W * axis_signs_) @ W.T`` are
        similarities.
    signature_ : tuple of three int
        How many eigenvalues of these similarities are positive, negative and zero.
    n_components_, n_exemplars_ : int
        Number of columns, and of exemplars: fewer where the rank of the data is lower.
    n_landmarks_ : int or None
        Number of landmarks; None without.
    n_comparisons_ : int
        Comparisons that fit needed; 0 for vectors under the linear kernel.
    n_samples_seen_ : int
        Number of objects fitted.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of features seen during `fit`. Defined only when `X` has feature
        names that are all strings.

    See Also
    --------
    Nystroem : Features of a kernel whose axes carry no names.
    sklearn.decomposition.TruncatedSVD : The same similarities without exemplars.

    Notes
    -----
    With m columns, N objects and d features the linear kernel costs six products of `X`
    (of its non-zeros, if sparse) with m + 10 columns and memory O((N + d) m). Other
    kernels cost N (N + 1) / 2 comparisons and memory O(N^2); with l landmarks N l
    comparisons and memory O(N m + l^2).

    The paper's coordinates are ``W' = R P Sigma V'`` from singular values and vectors
    of the data, ``P' S P = D`` of the similarities S among exemplars (Sylvester's law)
    and a triangular R with ``R' D R = S``. D is the identity for independent exemplars
    of a positive semi-definite kernel, so that R P is orthogonal and no similarity
    depends on the exemplars. The choice of P that the law leaves open is made here such
    that exemplars come as near as possible to their coordinates in their own frame,
    which are the coordinates of ``method="projection"``. It matters for the combination
    of exemplars that stands for the data: on digits with 10 columns its error is little
    above that by projection, and half of that with the paper's P.

    References
    ----------
    A. Elbagoury, R. Ibrahim, M. S. Kamel, F. Karray (2016). EBEK: exemplar-based kernel
    preserving embedding. IJCAI 2016, 1441-1447: theorem 3.3 and algorithms 1 to 3.

    C. Boutsidis, M. W. Mahoney, P. Drineas (2009). An improved approximation algorithm
    for the column subset selection problem. SODA 2009, 968-977 (pivoting on the leading
    singular vectors). doi:10.1137/1.9781611973068.105

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from skproxy import EBEKEmbedding
    >>> X, y = load_digits(return_X_y=True)
    >>> ebek = EBEKEmbedding(n_components=4, epsilon=0.6).fit(X)
    >>> ebek.transform(X).shape
    (1797, 4)
    >>> y[ebek.exemplar_indices_].tolist()
    [0, 7, 1, 4]
    """

    _is_similarity = True
    _takes_partitions = True

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "kernel": [StrOptions(KERNEL_NAMES | {"precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "epsilon": [Interval(Real, -1, 1, closed="both"), None],
        "order": [StrOptions({"pivot", "scan"})],
        "method": [StrOptions({"kernel", "projection"})],
        "svd_solver": [StrOptions({"auto", "full", "randomized"})],
        "n_landmarks": [*LANDMARK_COUNT, None],
        **LANDMARK_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        kernel: str | Callable[..., Any] = "linear",
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        epsilon: float | None = None,
        order: str = "pivot",
        method: str = "kernel",
        svd_solver: str = "auto",
        n_landmarks: Any = None,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        symmetrize: str | None = None,
        memory: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.epsilon = epsilon
        self.order = order
        self.method = method
        self.svd_solver = svd_solver
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.symmetrize = symmetrize
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the leading axes, choose exemplars and turn the axes towards them.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            Vectors or objects; for ``kernel="precomputed"`` an array or sparse matrix
            of shape (n_samples, n_samples), or (n_samples, n_landmarks) together with
            ``landmarks=`` the positions of its columns.
            A collection of Dask stays in its partitions: see *More than one machine*
            in the guide.
        y : array-like of shape (n_samples,), default=None
            Labels, for selectors that use them.

        Returns
        -------
        self : object
        """
        self._fit(X, y)
        return self

    @reported_fit
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> np.ndarray:
        """Fit and return the coordinates of the objects fitted.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
        """
        W = self._fit(X, y, keep=np.float64)
        return self.transform(X) if W is None else W.astype(output_dtype(X), copy=False)

    @by_partition
    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of objects, old or new.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            columns compared with are read, or one with these columns alone.

        Returns
        -------
        W : ndarray of shape (n_new, n_components)
            float32 for float32 input, else float64.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        table = compared.table
        dtype = output_dtype(X)
        if self._reads_vectors:
            W = safe_sparse_dot(table.objects, self.components_.T, dense_output=True)
            return np.asarray(W).astype(dtype, copy=False)
        W = np.zeros((table.n_objects, self.n_components_), dtype=dtype)
        if self.components_.shape[1] > 0:
            for run, block in compared.blocks():
                W[run] = block @ self.components_.T
        return W

    def reconstruct(self, W: ArrayLike, others: ArrayLike | None = None) -> np.ndarray:
        """Return the kernel that coordinates stand for, ``W J V'``.

        Parameters
        ----------
        W : array-like of shape (a, n_components)
            Coordinates from `transform`.
        others : array-like of shape (b, n_components), default=None
            V; None takes W.

        Returns
        -------
        K : ndarray of shape (a, b)
            In the units of the kernel. For the objects fitted and ``method="kernel"``
            the best approximation that `n_components` columns allow.
        """
        check_is_fitted(self)
        W = check_coordinates(self, W, "W")
        others = W if others is None else check_coordinates(self, others, "others")
        return (W * self.axis_signs_) @ others.T

    def exemplar_weights(self, W: ArrayLike) -> np.ndarray:
        """Return how much of each exemplar makes up each object.

        Parameters
        ----------
        W : array-like of shape (a, n_components)
            Coordinates from `transform`.

        Returns
        -------
        weights : ndarray of shape (a, n_exemplars_)
            Dimensionless, the paper's T transposed: for vectors
            ``weights @ exemplars_`` is, with ``method="projection"``, what the
            exemplars can rebuild of the objects. With ``method="kernel"`` it has the
            similarities that `reconstruct` gives, and is farther from the objects.
        """
        check_is_fitted(self)
        W = check_coordinates(self, W, "W")[:, : self.n_exemplars_]
        return (W * self._frame_signs) @ self._frame.T

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return a name for each column: the exemplar that it belongs to.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of shape (n_components,), dtype=object
            ``"exemplar17"`` for the object at position 17 of those fitted (of the
            landmarks, if these are objects of your own); ``"axis8"`` for a column 8
            without an exemplar, past the rank of the data.
        """
        check_is_fitted(self)
        names = [f"exemplar{i}" for i in self._named_after]
        names += [f"axis{j}" for j in range(len(names), self.n_components_)]
        return np.array(names, dtype=object)

    def _fit(self, X, y, keep=None):
        """Fit; return the coordinates of the objects if no comparison is lacking."""
        read = self._read_landmarks if self._wants_landmarks() else self._read_all
        compared, candidates, objects = read(X, y, keep)
        owner = type(self).__name__
        chosen = candidates.choose(owner, self.n_components, self.order, self.epsilon)
        axes = fit_exemplar_axes(candidates, chosen, self.n_components, self.method)
        indices = objects.indices
        self.exemplars_ = keep_objects(take_objects(objects.objects, chosen))
        self.exemplar_indices_ = None if indices is None else indices[chosen]
        self.exemplar_similarities_ = candidates.similarities.normalized_among(chosen)
        self.n_exemplars_ = len(chosen)
        self._named_after = chosen if indices is None else indices[chosen]
        self.n_comparisons_ = compared.table.n_evaluated
        self._compared = compared.without_objects()
        self._keep_axes(axes, candidates.axes.eigenvalues, chosen)
        return axes.coordinates

    def _read_all(self, X, y, keep):  # noqa: ARG002
        """Read vectors as they are, and other objects by comparing all with all."""
        compared = take_all(self, X)
        table, objects = compared.table, compared.landmarks
        n, self.n_landmarks_ = table.n_objects, None
        self.n_samples_seen_ = n
        self._reads_vectors = compared.comparer.compare == "linear"
        axes = self.n_components, self.svd_solver, compared.rng
        if self._reads_vectors:
            vectors = table.objects.astype(float, copy=False)
            candidates = Candidates.of_vectors(vectors, *axes)
        else:
            n_pairs = n * (n + 1) // 2 + count_both_ways(table, n)
            table.progress.begin("compare objects", n_pairs)
            square = table.square(objects.indices)
            if not table.is_precomputed:
                check_direction(table, table.objects, square)
            candidates = Candidates.of_square(square, *axes)
        if self._reads_vectors or self.method == "projection":
            # Exemplars, or nothing, are all that is looked up later.
            bare = Landmarks(None, objects.indices)
            compared = replace(compared, landmarks=bare)
        given = table.matrix if table.is_precomputed else table.objects
        return compared, candidates, Landmarks(given, objects.indices)

    def _read_landmarks(self, X, y, keep):
        """Read the signed factor of comparisons with landmarks."""
        compared = choose_landmarks(self, X, y).with_square()
        square = compared.square
        psd = is_psd(linalg.eigvalsh(square.astype(np.float64)), square.dtype)
        # W^+ is safe for a psd kernel; an indefinite one needs probes.
        n_probes = 0 if psd else self.n_probes
        (factor,), features = factorize(compared, n_probes, rank=None, keep=keep)
        self._reads_vectors = False
        self.n_samples_seen_ = compared.table.n_objects
        self.n_landmarks_ = compared.landmarks.count
        candidates = Candidates.of_factor(factor, features, square, self.n_components)
        return compared, candidates, compared.landmarks

    def _keep_axes(self, axes, eigenvalues, chosen):
        n_axes = len(axes.signs)
        self.n_components_ = n_axes
        self.eigenvalues_ = np.pad(eigenvalues, (0, n_axes - len(eigenvalues)))
        self.singular_values_ = np.sqrt(np.abs(self.eigenvalues_))
        self.axis_signs_ = axes.signs
        self.signature_ = signature(axes.signs, self.n_samples_seen_)
        self.components_ = axes.weights
        self._frame, self._frame_signs = axes.frame, axes.frame_signs
        if self.method != "projection" or self._reads_vectors:
            return
        if self._compared.columns_only:
            # Only all landmark columns together are known to be a matrix of such.
            self.components_ = np.zeros((n_axes, self._compared.landmarks.count))
            self.components_[:, chosen] = axes.weights
        else:
            exemplars = Landmarks(self.exemplars_, self.exemplar_indices_)
            self._compared = replace(self._compared, landmarks=exemplars)

    def _measure(self):
        return self.kernel

    def _comparer(self):
        return Comparer.of_kernel(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
