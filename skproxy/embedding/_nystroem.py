"""A drop-in for scikit-learn's Nystroem that also knows indefinite kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils.validation import check_is_fitted

from .._sklearn import Interval, StrOptions
from ..comparisons import (
    KERNEL_NAMES,
    Comparer,
    SquareComparisons,
    by_partition,
    one_blas_thread,
    output_dtype,
)
from ..factor import factorize, is_psd, negligible
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    choose_landmarks,
    reported_fit,
)
from ..landmarks._merge import check_mergeable
from ._landmark_transformer import LandmarkTransformer

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Nystroem"]

# Self-similarities may be passed by so much: features have rounding, and floors.
_SLACK = 1e-3


class Nystroem(LandmarkTransformer):
    """Approximate a kernel map, definite or not, using a subset of the training data.

    Replaces :class:`sklearn.kernel_approximation.Nystroem` by changing the import line
    alone: the same parameters, attributes and, for every positive semi-definite kernel,
    the same features. Beyond it: landmarks can be chosen, a precomputed kernel may
    have fewer landmarks than objects, X may be any sequence of objects, an indefinite
    kernel (tanh, Gaussians of DTW, alignment scores) is corrected as you say instead of
    silently flipped, and ``center=True`` gives Nystrom kernel PCA.

    Parameters
    ----------
    kernel : str or callable, default='rbf'
        Kernel map to be approximated: a name of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, ``"elm"`` (extreme learning
        machine), ``"tl1"`` (truncated l1) or ``"tanimoto"`` (fingerprints); a callable
        of two objects that returns a float; a :class:`BlockMetric` of two sequences
        that returns a matrix; or ``"precomputed"``. With a callable or a
        `BlockMetric`, `X` may be any sequence; only equally long lists of numbers
        become an array.
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
    n_components : int, default=100
        Number of features to construct, and of landmarks unless `n_landmarks` says
        otherwise.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes.
    n_jobs : int, default=None
        Number of parallel evaluations; the result does not depend on it.
    n_landmarks : int, "auto" or ErrorTolerance, default=None
        Number of landmarks; None takes `n_components`. More landmarks than features
        give the leading axes of a better approximation. ``"auto"`` takes as few as a
        relative error of 0.1 asks for, see :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector, array of int or collection of objects, default="uniform"
        A selector of :mod:`skproxy.landmarks`, or its name; positions in `X`; or
        objects of your own that need not be in `X`. Positions and objects bring their
        own number.
    n_probes : int or "auto", default="auto"
        For a kernel that is indefinite on the landmarks, or with ``center=True``: the
        number of objects besides the landmarks that are compared among each other to
        fit the core. ``"auto"`` takes six per landmark and 160. A psd kernel without
        centring needs none.
    correction : {"flip", "clip", "square", "shift"} or None, default="flip"
        What becomes of negative eigenvalues; see :class:`NystromDissimilarity`. Of a
        psd kernel only ``"square"`` changes anything.
    center : bool, default=False
        Whether to centre in feature space, with the mean of the training objects: this
        is kernel PCA, with columns in principal order.
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
        Keeps evaluated blocks of comparisons. Set `random_state` too.
    estimate_error : bool, default=False
        Whether to estimate `approximation_error_`, at some 20,000 more comparisons,
        whatever the number of objects.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    components_ : ndarray of shape (n_landmarks_, n_features)
        Subset of training points used to construct the feature map.
    component_indices_ : ndarray of shape (n_landmarks_,) or None
        Indices of ``components_`` in the training set; None for objects of your own.
    normalization_ : ndarray of shape (n_components_, n_landmarks_)
        Linear map from (centred) similarities with the landmarks to features. For a psd
        kernel the inverse square root of the landmark kernel.
    eigenvalues_ : ndarray of shape (n_landmarks_,)
        Largest modulus first, zero past the rank: of the approximated n x n matrix if
        fit passed over the data (indefinite kernel, ``center=True``,
        ``correction="square"`` or more landmarks than components), otherwise of the
        landmark kernel.
    corrected_eigenvalues_ : ndarray of shape (n_landmarks_,)
        The same after correction.
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero.
    negative_fraction_ : float
        Sum of moduli of the negative eigenvalues over that of all; 0 for a psd kernel.
    axis_signs_ : ndarray of shape (n_components_,)
        +1, -1 or 0 for each column, as in :class:`NystromDissimilarity`.
    mean_ : ndarray of shape (n_landmarks_,)
        Mean similarity to each landmark over the training objects; zero without
        `center`.
    n_landmarks_, n_components_ : int
        Number of landmarks and of columns.
    rank_ : int
        Number of directions of the core that were kept.
    core_residual_ : float
        Relative error on the landmark columns of a core that was fitted to these alone,
        which is all that can be done with a precomputed matrix of landmark columns; 0
        where objects were compared to fit the core.
    approximation_error_ : ApproximationError or None
        Relative error of the approximated similarity matrix over the objects seen,
        ``value``, and ``low`` and ``high``, between which it is in nine of ten draws.
        None unless `estimate_error`.
    n_comparisons_ : int
        Comparisons that fit needed.
    n_samples_seen_ : int
        Number of objects fitted.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of features seen during `fit`. Defined only when `X` has feature
        names that are all strings.

    See Also
    --------
    NystromDissimilarity : The same for dissimilarities.
    EigenCorrector : Corrects a full precomputed matrix.

    Notes
    -----
    With m landmarks and N objects, a kernel that is psd on the landmarks costs
    m (m + 1) / 2 comparisons in fit. Otherwise, or with `center`, fit passes over the
    data: N m + e^2 / 2 comparisons with e probes, 1.5 N m at most by default.
    transform costs m comparisons per object, in blocks of about a megabyte.

    A precomputed kernel that is psd on the landmarks is checked against its diagonal:
    where ``c' W^+ c`` is larger than k(x, x) for any object it is not psd, and treated
    as indefinite.

    The landmark kernel counts as psd if its smallest eigenvalue is above -1e-8 of the
    largest (-1e-5 in single precision); what is below zero by less is rounding, and
    treated as scikit-learn treats it.

    References
    ----------
    C. K. I. Williams, M. Seeger (2001). Using the Nystrom method to speed up kernel
    machines. NIPS 13.

    A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations
    at linear costs. Neurocomputing 167, 643-657. doi:10.1016/j.neucom.2015.04.017

    F. Hallgren (2021). Kernel PCA with the Nystrom method. arXiv:2109.05578.

    Examples
    --------
    >>> from sklearn import datasets, svm
    >>> from skproxy import Nystroem
    >>> X, y = datasets.load_digits(n_class=9, return_X_y=True)
    >>> nystroem = Nystroem(gamma=.2, random_state=1, n_components=300)
    >>> Z = nystroem.fit_transform(X / 16.)
    >>> svm.LinearSVC().fit(Z, y).score(Z, y)
    0.99...
    """

    _is_similarity = True
    _takes_partitions = True

    _parameter_constraints: dict = {
        "kernel": [StrOptions(KERNEL_NAMES | {"precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_landmarks": [*LANDMARK_COUNT, None],
        "correction": [StrOptions({"flip", "clip", "square", "shift"}), None],
        "center": ["boolean"],
        "rank": [StrOptions({"auto"}), None],
        **LANDMARK_CONSTRAINTS,
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
        n_components: int = 100,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        n_landmarks: Any = None,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        correction: str | None = "flip",
        center: bool = False,
        rank: str | None = "auto",
        symmetrize: str | None = None,
        memory: Any = None,
        estimate_error: bool = False,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.correction = correction
        self.center = center
        self.rank = rank
        self.symmetrize = symmetrize
        self.memory = memory
        self.estimate_error = estimate_error
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Choose landmarks and fit the feature map.

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
        """Fit and return the features, in one pass over the objects.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components_)
        """
        dtype = output_dtype(X)
        compared, features = self._fit(X, y, keep=dtype)
        if features is None:
            compared.begin()
            return self._features_of(compared, dtype)
        return self._axes.of_kept(features)

    def merge(self, other: Any) -> Self:
        """Take in the objects that another model has seen, without comparing them.

        Parameters
        ----------
        other : Nystroem
            Fitted with the same kernel and the same landmarks, by
            ``landmarks=model.components_``. Not changed.

        Returns
        -------
        self : object
            As if fit had seen the objects of both, with the core that this model has;
            others may be merged in any order, and among each other first. Features of
            a kernel that is psd on the landmarks depend on these alone and stay as
            they are, unless `fit` passes over the data. Cost O(m^3), whatever the
            number of objects.
        """
        check_mergeable(self, other)
        if (self._factor is None) != (other._factor is None):
            msg = (
                f"models in {type(self).__name__}.merge must both be fitted to "
                "landmarks alone, or both to moments of all objects; got one of each. "
                "Check that n_components, n_landmarks, center and correction agree."
            )
            raise ValueError(msg)
        self.n_comparisons_ += other.n_comparisons_
        if self._factor is None:
            self.n_samples_seen_ += other.n_samples_seen_
            return self
        more = other._factor.on(self._factor.landmark_map)
        self._read_factor(self._factor.merge(more))
        return self

    @by_partition
    def transform(self, X: Any) -> np.ndarray:
        """Return the features of objects, old or new.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            For ``kernel="precomputed"`` an array or sparse matrix of shape
            (n_new, n_samples), of which only the landmark columns are read, or
            (n_new, n_landmarks_).

        Returns
        -------
        Z : ndarray of shape (n_new, n_components_)
            float32 for float32 input, else float64.
        """
        check_is_fitted(self)
        if hasattr(self, "n_features_in_"):  # else fit saw objects, and these are too
            X = self._as_sklearn_reads(X)
        if self._factor is not None:
            return super().transform(X)
        return self._features_of(self._compared.of_new(self, X), output_dtype(X))

    def _solve(self, compared, targets):
        if self._factor is not None:
            return super()._solve(compared, targets)
        # S^ = F F' for a psd kernel, with the pseudo-inverse F (F'F)^-2 F'.
        F = self._features_of(compared, np.float64)
        a, vectors = linalg.eigh(F.T @ F)
        keep = ~negligible(a, len(F))
        F = F @ (vectors[:, keep] / a[keep])
        return F @ (F.T @ targets)

    def _features_of(self, compared, dtype):
        """Return the features of objects, for a psd kernel."""
        Z = np.empty((compared.table.n_objects, self.n_components_), dtype=dtype)
        root = self.normalization_.T.astype(dtype)

        def place(run, block):
            np.matmul(block.astype(dtype, copy=False), root, out=Z[run])

        compared.use_blocks(place)
        self._check_bound(Z)
        return Z

    def _fit(self, X, y, keep=None):
        compared = choose_landmarks(self, self._as_sklearn_reads(X), y).with_square()
        square = compared.square
        with one_blas_thread(len(square)):  # and the faster of the two drivers
            eigenvalues, vectors = linalg.eigh(square.astype(np.float64), driver="evd")
        psd = is_psd(eigenvalues, square.dtype)
        psd = psd and _is_psd_on_all(compared, eigenvalues, vectors)
        self._keep(compared)
        if psd and not self._needs_pass():
            self._read_landmark_kernel(compared, eigenvalues, vectors)
            self.approximation_error_ = None
            if self.estimate_error:  # which a pass over all objects is made for
                (factor,), _ = factorize(compared, 0, rank=None)
                self.approximation_error_ = factor.landmark_map.error
                self.n_comparisons_ = compared.table.n_evaluated
            return compared, None
        # W^+ is safe for a psd kernel, and scikit-learn's choice.
        n_probes = 0 if psd and not self.center else self.n_probes
        (factor,), features = factorize(compared, n_probes, rank=self.rank, keep=keep)
        self.n_comparisons_ = compared.table.n_evaluated
        self._read_factor(factor)
        return compared, features

    def _count_columns(self):
        if self.n_landmarks is not None:
            return self.n_components
        # n_components asked for landmarks then, and may not have got as many; the
        # user's own come in their own number.
        return min(self.n_components, self.n_landmarks_)

    def _needs_pass(self):
        return (
            self.center
            or self.correction == "square"
            or self._count_columns() != self.n_landmarks_
        )

    def _check_bound(self, Z):
        """Warn of objects that no positive semi-definite kernel allows."""
        own = self._own_similarity
        if own is None or not (np.square(Z).sum(axis=1) > own * (1 + _SLACK)).any():
            return
        warnings.warn(
            f"kernel of {type(self).__name__} is positive semi-definite on the "
            "landmarks but not on all objects: features are longer than the "
            f"self-similarities allow, which are {own:.3g} on all landmarks. Take more "
            "landmarks, or pass the precomputed matrix, whose diagonal tells in time.",
            UserWarning,
            stacklevel=3,
        )

    def _read_landmark_kernel(self, compared, eigenvalues, vectors):
        """Take the inverse square root of a psd landmark kernel, as scikit-learn does.

        Directions that are rounding are dropped; eigenvalues that are merely tiny are
        floored as scikit-learn floors them, at 1e-12, here of the mean
        self-similarity, or the precision of the comparisons if that is coarser.
        """
        self._factor, square = None, compared.square
        size = len(square)
        eps = float(np.finfo(square.dtype).eps)
        rounding = negligible(eigenvalues, size)
        floor = max(1e-12, eps) * np.abs(np.diagonal(square)).mean(dtype=np.float64)
        moduli = np.maximum(np.abs(eigenvalues), floor)
        moduli[rounding] = np.inf
        signs = np.where(eigenvalues < 0, -1.0, 1.0)
        root = (vectors * (signs / np.sqrt(moduli))) @ vectors.T
        self.normalization_ = root.astype(square.dtype, copy=False)
        # Below zero by no more than rounding is zero.
        found = np.sort(np.where(rounding, 0.0, np.maximum(eigenvalues, 0.0)))[::-1]
        self.n_samples_seen_ = compared.table.n_objects
        self.n_components_ = self._count_columns()
        self._describe(found, found.copy())
        self.rank_, self.core_residual_ = int((~rounding).sum()), 0.0
        # Names are of kernels that are psd whatever the objects, nearly all of them.
        own = np.diagonal(square).astype(np.float64)
        alike = not isinstance(self.kernel, str) and np.ptp(own) <= _SLACK * own.max()
        self._own_similarity = float(own.max()) if alike else None
        self.axis_signs_ = np.ones(self.n_components_)
        self.mean_ = np.zeros(size)

    def _axis_eigenvalues(self):
        if self._factor is not None:
            return self._axes.eigenvalues
        msg = (
            "axis_shares of Nystroem needs columns that are principal axes; those of a "
            "psd kernel are not. Set center=True, or n_landmarks to more than "
            "n_components."
        )
        raise ValueError(msg)

    def _as_sklearn_reads(self, X):
        """Make an array of what scikit-learn's Nystroem would make one of.

        Nothing else is shown to numpy: in an array of strings each takes as much memory
        as the longest, and graphs may raise anything.
        """
        objects = isinstance(X, (list, tuple)) and not isinstance(self.kernel, str)
        if objects and all(map(_is_row, X)) and len({len(x) for x in X}) == 1:
            return np.asarray(X)
        return X

    def _measure(self):
        return self.kernel

    def _comparer(self):
        return Comparer.of_kernel(self, centred=self.center)

    def _wanted_landmarks(self):
        if self.n_landmarks is None:
            return self.n_components, "n_components"
        return super()._wanted_landmarks()


def _is_row(item):
    """Tell a row of numbers."""
    if isinstance(item, np.ndarray):
        return item.ndim == 1 and item.dtype.kind in "biuf"
    return isinstance(item, (list, tuple)) and all(isinstance(v, Real) for v in item)


def _is_psd_on_all(compared, eigenvalues, vectors):
    """Tell whether no object of a precomputed kernel contradicts that it is psd.

    A psd landmark block does not make a kernel psd. For a psd one ``c' W^+ c`` is
    at most the self-similarity of an object, which a full matrix holds.
    """
    table, indices = compared.table, compared.landmarks.indices
    if not isinstance(table, SquareComparisons):
        return True
    keep = eigenvalues > 1e-8 * eigenvalues.max(initial=0.0)
    root = vectors[:, keep] / np.sqrt(eigenvalues[keep])
    own = np.asarray(table.matrix.diagonal(), dtype=np.float64)
    slack = _SLACK * np.abs(own).max(initial=0.0)
    n_evaluated = table.n_evaluated
    blocks = table.blocks(np.arange(table.n_objects), None, indices)
    holds = all(
        (np.square(block @ root).sum(axis=1) <= own[run] + slack).all()
        for run, block in blocks
    )
    table.n_evaluated = n_evaluated  # entries looked up, nothing compared
    return holds
