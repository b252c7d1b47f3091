"""Transformers whose columns are read from a signed factor."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
)

from ..comparisons import by_partition, output_dtype
from ..factor import axis_shares, correct_eigenvalues, negative_fraction, signature
from ..landmarks._compares import ComparesWithLandmarks

__all__ = ["LandmarkTransformer"]


class LandmarkTransformer(
    ComparesWithLandmarks,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Transformer whose columns are read from a signed factor.

    A subclass says how it compares and how many columns it wants; reading the factor
    is the same for all.
    """

    @abstractmethod
    def _count_columns(self):
        """Return the number of columns, the landmarks being chosen."""

    @by_partition
    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of objects, old or new.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_new objects
            Precomputed, an array of shape (n_new, n_samples), of which only the
            landmark columns are read, or (n_new, n_landmarks_).

        Returns
        -------
        Z : ndarray of shape (n_new, n_components_)
            float32 for float32 input, else float64.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        n_new = compared.table.n_objects
        Z = np.empty((n_new, self.n_components_), dtype=output_dtype(X))
        scale = self._factor.landmark_map.scale

        def place(run, block):
            Z[run] = self._axes.of_scaled(scale.apply(block))

        compared.use_blocks(place)
        return Z

    def solve(self, X: Any, targets: ArrayLike) -> np.ndarray:
        """Apply the pseudo-inverse of the approximated similarity matrix.

        The matrix is that among the objects fitted, before correction, centred for
        dissimilarities. It is never formed; least squares and kernel machines that ask
        for its inverse get it at linear cost.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of n_samples objects
            The objects given to fit, in any order.
        targets : array-like of shape (n_samples,) or (n_samples, n_targets)

        Returns
        -------
        solution : ndarray of the shape of `targets`
            The shortest w that minimises ``|S w - targets|``. m comparisons an object,
            O(n_samples m^2) time and O(n_samples m) memory.
        """
        check_is_fitted(self)
        compared = self._compared.of_new(self, X)
        n_objects = compared.table.n_objects
        targets = check_array(
            targets, ensure_2d=False, dtype=np.float64, input_name="targets"
        )
        check_consistent_length(np.empty(n_objects), targets)
        if n_objects != self.n_samples_seen_:
            msg = (
                f"X of {type(self).__name__}.solve must hold the "
                f"{self.n_samples_seen_} objects fitted; got {n_objects}."
            )
            raise ValueError(msg)
        columns = targets.reshape(len(targets), -1)
        return self._solve(compared, columns).reshape(targets.shape)

    def _solve(self, compared, targets):
        features = np.empty((len(targets), self.n_landmarks_))
        landmark_map = self._factor.landmark_map

        def place(run, block):
            features[run] = landmark_map.features(landmark_map.scale.apply(block))

        compared.use_blocks(place)
        return self._factor.solve(features, features, targets)

    def axis_shares(self, total: str = "absolute") -> np.ndarray:
        """Return the share of each column in the spectrum.

        Parameters
        ----------
        total : {"absolute", "positive", "signed"}, default="absolute"
            The denominator: the sum of all moduli; of the positive eigenvalues
            (negative axes get 0); or the signed sum, the trace. Say which one you
            report, and `negative_fraction_` with it.

        Returns
        -------
        shares : ndarray of shape (n_components_,)
            Dimensionless, of the eigenvalues before correction.
        """
        check_is_fitted(self)
        return axis_shares(self.eigenvalues_, self._axis_eigenvalues(), total)

    def _axis_eigenvalues(self):
        return self._axes.eigenvalues

    def _keep(self, compared):
        """Keep the landmarks and how new objects are compared with them."""
        self._compared = compared.without_objects()
        landmarks = compared.landmarks
        self.components_, self.component_indices_ = landmarks.objects, landmarks.indices
        self.n_landmarks_ = landmarks.count
        self.n_comparisons_ = compared.table.n_evaluated

    def _read_factor(self, factor):
        """Set what the spectrum says, and the axes."""
        self._factor = factor
        kept = factor.eigenvalues
        self.n_samples_seen_ = factor.moments.count
        # Squares of eigenvalues can be beyond float64 where their roots are not.
        with np.errstate(over="ignore", under="ignore"):
            corrected = correct_eigenvalues(kept, self.correction)
        self._describe(kept, corrected)
        self.n_components_ = self._count_columns()
        self.rank_ = len(factor.landmark_map.signs)
        self.core_residual_ = factor.landmark_map.residual
        self.approximation_error_ = factor.landmark_map.error
        self._axes = self._read_axes(factor)
        squared = factor.landmark_map.scale.squared
        self.axis_signs_ = self._axes.signs
        self.mean_ = self._axes.mean * squared
        self.normalization_ = (self._axes.weights / squared).T

    def _read_axes(self, factor):
        return factor.axes(self.n_components_, self.correction)

    def _describe(self, eigenvalues, corrected):
        """Set the attributes that say what spectrum was found."""
        padding = (0, self.n_landmarks_ - len(eigenvalues))
        self.eigenvalues_ = np.pad(eigenvalues, padding)
        self.corrected_eigenvalues_ = np.pad(corrected, padding)
        self.signature_ = signature(eigenvalues, self.n_samples_seen_)
        self.negative_fraction_ = negative_fraction(eigenvalues)

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
