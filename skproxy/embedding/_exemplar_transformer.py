"""Reading columns that belong to exemplars: coordinates, similarities, names."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from ..comparisons import Landmarks, output_dtype
from ..comparisons._objects import take_objects
from ..factor import signature
from ..landmarks._compares import ComparesWithLandmarks
from ._signed_form import check_coordinates

__all__ = ["ExemplarTransformer"]


class ExemplarTransformer(ComparesWithLandmarks, TransformerMixin, BaseEstimator):
    """Transformer whose columns belong to exemplars.

    A subclass reads the data and chooses the exemplars; what follows from them and from
    the linear map to the columns is here.
    """

    def transform(self, X):
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
        table = self._table_of_new(X)
        dtype = output_dtype(X)
        if self._reads_vectors:
            W = safe_sparse_dot(table.objects, self.components_.T, dense_output=True)
            return np.asarray(W).astype(dtype, copy=False)
        W = np.zeros((table.n_objects, self.n_components_), dtype=dtype)
        if self.components_.shape[1] > 0:
            for run, block in self._compared_blocks(table):
                W[run] = block @ self.components_.T
        return W

    def reconstruct(self, W, others=None):
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

    def exemplar_weights(self, W):
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

    def get_feature_names_out(self, input_features=None):  # noqa: ARG002
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

    def _keep_exemplars(self, reading, candidates, chosen):
        self.exemplars_ = take_objects(candidates.objects, chosen)
        indices = candidates.indices
        self.exemplar_indices_ = None if indices is None else indices[chosen]
        self.exemplar_similarities_ = reading.similarities.normalized_among(chosen)
        self.n_exemplars_ = len(chosen)
        self._named_after = chosen if indices is None else indices[chosen]

    def _keep_axes(self, reading, axes, chosen):
        n_axes = len(axes.signs)
        found = reading.axes.eigenvalues
        self.n_components_ = n_axes
        self.eigenvalues_ = np.pad(found, (0, n_axes - len(found)))
        self.singular_values_ = np.sqrt(np.abs(self.eigenvalues_))
        self.axis_signs_ = axes.signs
        self.signature_ = signature(axes.signs, self.n_samples_seen_)
        self.components_ = axes.weights
        self._frame, self._frame_signs = axes.frame, axes.frame_signs
        if self.method != "projection" or self._reads_vectors:
            return
        if self._columns_only:
            # Only all landmark columns together are known to be a matrix of such.
            self.components_ = np.zeros((n_axes, self._landmarks.count))
            self.components_[:, chosen] = axes.weights
        else:
            self._landmarks = Landmarks(self.exemplars_, self.exemplar_indices_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
