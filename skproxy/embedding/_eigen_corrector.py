"""A full matrix of comparisons made positive semi-definite, or Euclidean."""

from __future__ import annotations

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
from ..comparisons import Comparer, Geometry, Scale, output_dtype
from ..factor import ApproximationError, factorize, negative_fraction, signature
from ..landmarks._compares import (
    LANDMARK_CONSTRAINTS,
    LANDMARK_COUNT,
    ComparesWithLandmarks,
    choose_landmarks,
    reported_fit,
    take_all,
)
from ._corrected_matrix import CorrectedMatrix

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EigenCorrector"]


class EigenCorrector(
    ComparesWithLandmarks,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Correct the eigenvalues of a precomputed matrix, for training and test rows.

    Put it in front of ``SVC(kernel="precomputed")`` (or anything that needs a psd
    kernel) in a Pipeline: the training matrix is corrected, and the rows of new objects
    get the same linear operator, so that training and test live in the same space. It
    also turns dissimilarities into a kernel, or into Euclidean dissimilarities.

    Parameters
    ----------
    correction : {"clip", "flip", "square", "shift", "lingoes", "cailliez"} or None, \
            default="clip"
        ``"clip"`` drops negative eigenvalues (the nearest psd matrix), ``"flip"`` takes
        moduli, ``"square"`` squares. ``"shift"`` adds nu, the modulus of the most
        negative eigenvalue, to the diagonal: similarities between different
        objects, and so the rows of new objects, stay as they are. ``"lingoes"`` and
        ``"cailliez"``, for dissimilarities, add the least constant to the squared or to
        the plain dissimilarities of different objects that makes them Euclidean
        (``"shift"`` is ``"lingoes"`` then). None only symmetrises and converts.
    input : {"similarity", "dissimilarity"}, default="similarity"
        What X holds. Dissimilarities are powered and centred about the mean of the
        training objects.
    output : {"similarity", "dissimilarity", "features"}, default="similarity"
        ``"similarity"``: one column per training object, for a precomputed kernel.
        ``"dissimilarity"``: likewise, in the units of X. ``"features"``: vectors whose
        inner products are the corrected similarities.
    power : float, default=2
        Exponent of the dissimilarities, given or put out. 2 is classical scaling; use 1
        for values that are squared already and may then even be negative. Must be 2 for
        ``"cailliez"``.
    n_components : int, default=None
        Number of columns of ``output="features"``; None gives one per landmark, or per
        training object. Columns past the rank are zero.
    n_landmarks : int, "auto" or ErrorTolerance, default=None
        None corrects the whole matrix, exactly, for up to a few thousand objects. A
        number approximates it from so many landmarks at a cost linear in the number of
        objects. ``"auto"`` takes as few as a relative error of 0.1 asks for, see
        :class:`skproxy.landmarks.ErrorTolerance`.
    landmarks : str, selector or array of int, default="uniform"
        Which; see :class:`NystromDissimilarity`. Positions bring their own number and
        switch to landmarks; the others are used with `n_landmarks` only.
    n_probes : int or "auto", default="auto"
        Number of objects besides the landmarks that are compared among each other to
        fit the core; see :class:`NystromDissimilarity`.
    symmetrize : {"average", "min", "max"}, default=None
        How the two directions of an asymmetric precomputed n x n matrix are joined.
        None refuses asymmetry beyond rounding.
    random_state : int, RandomState instance or None, default=None
        Decides landmarks and probes.
    estimate_error : bool, default=False
        Whether to estimate `approximation_error_`, at some 20,000 more comparisons,
        whatever the number of objects.
    verbose : int, default=0
        What is printed: 0 nothing, 1 about once a second the comparisons made, their
        rate and the time left, 2 the same after each block and each step.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_samples,) or (n_landmarks_,)
        Before correction, largest modulus first, rounding set to zero. In (powered)
        units of X.
    corrected_eigenvalues_ : ndarray of the same shape
        After correction, in the same order; for ``"lingoes"`` and ``"cailliez"``, which
        change the eigenvectors too, largest first.
    constant_ : float
        What ``"shift"`` (of similarities, or with landmarks) or ``"lingoes"`` (half of
        what is added to powered dissimilarities) or ``"cailliez"`` (added to
        dissimilarities) found necessary; 0 for the other corrections and for matrices
        that need none.
    signature_ : tuple of three int
        How many eigenvalues are positive, negative and zero.
    approximation_error_ : ApproximationError or None
        Relative error of the approximated similarity matrix over the objects seen,
        ``value``, and ``low`` and ``high``, between which it is in nine of ten draws.
        None unless `estimate_error`.
    negative_fraction_ : float
        Sum of moduli of the negative eigenvalues over that of all.
    axis_signs_ : ndarray of shape (n_components_,)
        +1, -1 or 0 (past the rank) for each column of features.
    component_indices_ : ndarray of shape (n_landmarks_,)
        Positions of the landmarks; all objects without.
    n_landmarks_, n_components_ : int
        Number of landmarks and of columns of features.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    Nystroem, NystromDissimilarity : From objects instead of a matrix.

    Notes
    -----
    Without landmarks O(n^3) time and a few n x n arrays in fit, O(n^2) per new object.
    With m landmarks O(n m^2) time; only an n x n *output* takes n^2 memory.

    transform takes every row as a new object. For "clip", "flip" and "square" that
    makes no difference: rows of training objects give what fit_transform gave. "shift"
    of similarities cannot know that a row is a training object's and leaves its
    diagonal entry unshifted; features of new rows, ``t' U (a + nu)^(-1/2)``, have these
    similarities with those of training objects. "lingoes" and "cailliez" do know, by
    the zero dissimilarity; among several zeros by the row, and of equal training
    objects the one at the position of the row, or else the first, is taken.

    "shift" moves all n eigenvalues of a full matrix, zeros included, so that its
    features need n columns. With landmarks it moves the eigenvalues that are known.

    ``output="dissimilarity"`` of a full matrix of dissimilarities keeps what of a new
    object lies outside the span of the training objects: Euclidean distances come back
    exactly. A row of similarities does not tell, nor do landmarks.

    References
    ----------
    Y. Chen, E. K. Garcia, M. R. Gupta, A. Rahimi, L. Cazzanti (2009). Similarity-based
    classification: concepts and algorithms. JMLR 10, 747-776, section 2.1 and 2.3.

    A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations
    at linear costs. Neurocomputing 167, 643-657. Its out-of-sample formula is right for
    "flip" only and is replaced here. doi:10.1016/j.neucom.2015.04.017

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import EigenCorrector
    >>> D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> lingoes = EigenCorrector("lingoes", input="dissimilarity",
    ...                          output="dissimilarity")
    >>> np.square(lingoes.fit_transform(D)[0]).round(6).tolist()
    [0.0, 1.5, 1.5, 1.5]
    >>> round(lingoes.constant_, 6), round(lingoes.negative_fraction_, 6)
    (0.25, 0.058824)
    """

    _parameter_constraints: dict = {
        "correction": [
            StrOptions({"clip", "flip", "square", "shift", "lingoes", "cailliez"}),
            None,
        ],
        "input": [StrOptions({"similarity", "dissimilarity"})],
        "output": [StrOptions({"similarity", "dissimilarity", "features"})],
        "power": [Interval(Real, 0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_landmarks": [*LANDMARK_COUNT, None],
        **{
            name: LANDMARK_CONSTRAINTS[name]
            for name in (
                "landmarks",
                "n_probes",
                "symmetrize",
                "random_state",
                "verbose",
            )
        },
        "estimate_error": ["boolean"],
    }

    def __init__(
        self,
        correction: str | None = "clip",
        *,
        input: str = "similarity",
        output: str = "similarity",
        power: float = 2,
        n_components: int | None = None,
        n_landmarks: Any = None,
        landmarks: Any = "uniform",
        n_probes: int | str = "auto",
        symmetrize: str | None = None,
        random_state: int | np.random.RandomState | None = None,
        estimate_error: bool = False,
        verbose: int = 0,
    ) -> None:
        self.correction = correction
        self.input = input
        self.output = output
        self.power = power
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_probes = n_probes
        self.symmetrize = symmetrize
        self.random_state = random_state
        self.estimate_error = estimate_error
        self.verbose = verbose

    @reported_fit
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the spectrum and the operator that corrects it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            Similarities or dissimilarities; (n_samples, n_landmarks) together with
            ``landmarks=`` the positions of the columns.
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
        """Fit and return the corrected training matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_landmarks)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_samples) or (n_samples, n_components_)
        """
        dtype = output_dtype(X)
        self._fit(X, y)
        X_new = self._corrected.training(self.output, self.n_components_)
        return X_new.astype(dtype, copy=False)

    def transform(self, X: Any) -> np.ndarray:
        """Correct the rows of objects, taken as new ones.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_landmarks_)
            Comparisons with the training objects, or, with landmarks, with those.

        Returns
        -------
        X_new : ndarray of shape (n_new, n_samples) or (n_new, n_components_)
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        rows = np.arange(compared.table.n_objects)
        X_new = np.empty((len(rows), self._n_features_out), dtype=output_dtype(X))
        scale = self._corrected.scale
        for run, block in compared.blocks():
            X_new[run] = self._corrected.rows(
                scale.apply(block), rows[run], self.output, self.n_components_
            )
        return X_new

    def _fit(self, X, y):
        self._check_combination()
        if self._wants_landmarks():
            compared = choose_landmarks(self, X, y).with_square()
            (factor,), features = factorize(
                compared, self.n_probes, rank=None, keep=np.float64
            )
            self._corrected = CorrectedMatrix.of_factor(
                factor, features, self.correction, self.power
            )
            self.approximation_error_ = factor.landmark_map.error
        else:
            compared = take_all(self, X).with_square()
            exact = ApproximationError(0.0, 0.0, 0.0)
            self.approximation_error_ = exact if self.estimate_error else None
            scale = Scale.of(compared.square, compared.geometry.power)
            correct = (
                CorrectedMatrix.of_similarities
                if self._is_similarity
                else CorrectedMatrix.of_dissimilarities
            )
            self._corrected = correct(
                scale.apply(compared.square), scale, self.correction, self.power
            )
        self._compared, landmarks = compared.without_objects(), compared.landmarks
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = landmarks.count
        self._describe()

    def _describe(self):
        corrected = self._corrected
        found, after = corrected.eigenvalues, corrected.corrected_eigenvalues
        size = self.n_landmarks_
        self.eigenvalues_ = np.pad(found, (0, size - len(found)))
        self.corrected_eigenvalues_ = np.pad(after, (0, size - len(after)))
        self.constant_ = float(corrected.constant)
        self.signature_ = signature(found, corrected.n_samples)
        self.negative_fraction_ = negative_fraction(found)
        self.n_components_ = self.n_components or size
        self.axis_signs_ = corrected.signs(self.n_components_)

    def _check_combination(self):
        if self.correction in ("lingoes", "cailliez"):
            if self.input != "dissimilarity":
                msg = (
                    f"correction={self.correction!r} of EigenCorrector needs "
                    f"input='dissimilarity'; got input={self.input!r}. For "
                    "similarities use 'shift', which does the same to them."
                )
                raise ValueError(msg)
            if self._wants_landmarks():
                msg = (
                    f"correction={self.correction!r} of EigenCorrector needs the whole "
                    "spectrum and so n_landmarks=None and no landmarks of your own; "
                    f"got n_landmarks={self.n_landmarks}. Use 'clip', 'flip', 'square' "
                    "or 'shift' with landmarks."
                )
                raise ValueError(msg)
        if self.correction == "cailliez" and self.power != 2:
            msg = (
                "power of EigenCorrector must be 2 for correction='cailliez', whose "
                f"constant is added before squaring; got {self.power}. Use 'lingoes'."
            )
            raise ValueError(msg)

    def _measure(self):
        return "precomputed"

    @property
    def _is_similarity(self):
        return self.input == "similarity"

    def _comparer(self):
        return Comparer(
            parameter=None,
            compare="precomputed",
            geometry=Geometry(
                is_similarity=self._is_similarity,
                power=1 if self._is_similarity else self.power,
                centred=not self._is_similarity,
            ),
            symmetrize=self.symmetrize,
        )

    @property
    def _n_features_out(self):
        if self.output == "features":
            return self.n_components_
        return self._corrected.n_samples

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
