"""What the landmark transformers share: reading a signed factor as vectors."""

from abc import ABCMeta, abstractmethod

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..core import (
    axis_shares,
    build_map,
    check_landmark_objects,
    compare_landmarks,
    correct_eigenvalues,
    extend_pilot,
    factorize,
    negative_fraction,
    output_dtype,
    signature,
)
from ..landmarks import given_indices, resolve_landmarks

__all__ = ["LandmarkTransformer"]


class LandmarkTransformer(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Transformer whose columns are read from a signed factor.

    A subclass says how it compares (`_comparer`) and how many landmarks and columns it
    wants; fitting the factor and reading it is the same for all.
    """

    _is_similarity = False

    @abstractmethod
    def _measure(self):
        """Return the parameter that holds the measure."""

    @abstractmethod
    def _comparer(self):
        """Return the `Comparer` that the parameters describe."""

    @abstractmethod
    def _wanted_landmarks(self):
        """Return the number of landmarks and the name of its parameter."""

    @abstractmethod
    def _count_columns(self):
        """Return the number of columns, the landmarks being chosen."""

    def transform(self, X):
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
        table = self._table_of_new(X)
        Z = np.empty((table.n_objects, self.n_components_), dtype=output_dtype(X))
        scale = self._factor.landmark_map.scale
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        rows = np.arange(table.n_objects)
        for run, block in table.blocks(rows, landmarks.objects, landmarks.indices):
            geometry.check(block, scale.unit, table.name, rows[run], landmarks.indices)
            Z[run] = self._axes.of_scaled(scale.apply(block))
        return Z

    def axis_shares(self, total="absolute"):
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

    def _table_of_new(self, X):
        return self._fitted_comparer.table_of_new(
            self, X, self._landmarks, self._columns_only
        )

    def _choose_landmarks(self, X, y):
        """Check X and choose landmarks; return the table and the generator."""
        rng = check_random_state(self.random_state)
        comparer = self._comparer()
        table, X = comparer.table(self, X, given_indices(self.landmarks))
        n_landmarks, parameter = self._wanted_landmarks()
        landmarks = resolve_landmarks(
            self.landmarks,
            table,
            X,
            y,
            n_landmarks,
            rng,
            owner=type(self).__name__,
            check_objects=lambda objects: check_landmark_objects(
                self, objects, comparer.compare
            ),
            parameter=parameter,
        )
        self._fitted_comparer, self._landmarks = comparer, landmarks
        self._columns_only = getattr(table, "positions", 0) is None
        self.components_ = landmarks.objects
        self.component_indices_ = landmarks.indices
        self.n_landmarks_ = landmarks.count
        return table, rng

    def _fit_factor(self, table, square, n_extra, rng, keep):
        """Fit the map, pass over the objects, keep their rows if a dtype is given."""
        geometry, landmarks = self._fitted_comparer.geometry, self._landmarks
        pilot = extend_pilot(table, landmarks, geometry, square, n_extra, rng)
        landmark_map = build_map(table, pilot, landmarks, geometry, n_extra)
        self._factor, features = factorize(
            table, landmarks, geometry, landmark_map, pilot, keep=keep
        )
        self.n_comparisons_ = table.n_evaluated
        self._read_factor()
        return features

    def _compare_landmarks(self, table):
        return compare_landmarks(table, self._landmarks, self._fitted_comparer.geometry)

    def _read_factor(self):
        factor = self._factor
        kept = factor.eigenvalues
        self.n_samples_seen_ = factor.moments.count
        self._describe(kept, correct_eigenvalues(kept, self.correction))
        self.n_components_ = self._count_columns()
        self._axes = factor.axes(self.n_components_, self.correction)
        squared = factor.landmark_map.scale.squared
        self.axis_signs_ = self._axes.signs
        self.mean_ = self._axes.mean * squared
        self.normalization_ = (self._axes.weights / squared).T

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
        named = isinstance(self._measure(), str)
        precomputed = named and self._measure() == "precomputed"
        similarities = self._is_similarity
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = named and (similarities or not precomputed)
        tags.input_tags.positive_only = precomputed and not similarities
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
