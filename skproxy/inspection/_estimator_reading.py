"""How displays read estimators: what compares, with which signs, and what it compares.

Displays show how well an estimator represents comparisons, and must not cost what it
saved: they look at a few objects, and compare each pair of these once. Estimators given
by the user are read, never fitted nor changed; what has to be set up anew is set up in
a clone.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ..comparisons import Geometry
from ..comparisons._objects import take_objects
from ..factor import dissimilarity_from_similarity, similarity_from_dissimilarity
from ..landmarks._compares import ComparesWithLandmarks

__all__ = [
    "ObjectComparisons",
    "check_square_of",
    "comparing_step",
    "coordinate_signs",
    "take_both",
    "unpowered",
]


@dataclass(frozen=True, eq=False)
class ObjectComparisons:
    """Comparisons of some objects among themselves.

    Attributes
    ----------
    comparisons : ndarray of shape (s, s)
        In the units of the measure.
    geometry : Geometry
        How they are read.
    n_comparisons : int
        How many were made, or looked up: each pair once.
    """

    comparisons: np.ndarray
    geometry: Geometry
    n_comparisons: int

    @classmethod
    def of(cls, estimator, X):
        """Compare the objects of X with each other, as an estimator would.

        Parameters
        ----------
        estimator : estimator of skproxy
            Fitted or not; not changed.
        X : collection of s objects, or array of shape (s, s) where precomputed
        """
        fresh = clone(estimator)
        if hasattr(fresh, "_as_sklearn_reads"):
            X = fresh._as_sklearn_reads(X)
        comparer = fresh._comparer()
        table, _ = comparer.table(fresh, X)
        square = table.square(np.arange(table.n_objects)).astype(np.float64)
        comparer.geometry.check(square, float(np.abs(square).max()), table.name)
        return cls(square, comparer.geometry, table.n_evaluated)

    @property
    def power(self):
        """Power of the dissimilarities that similarities or dissimilarities give."""
        return 2 if self.geometry.is_similarity else self.geometry.power

    def powered(self):
        """Return powered dissimilarities, ``S_ii + S_jj - 2 S_ij`` of similarities."""
        if self.geometry.is_similarity:
            return dissimilarity_from_similarity(self.comparisons)
        if self.power == 1:  # may be negative
            return self.comparisons
        return np.maximum(self.comparisons, 0.0) ** self.power

    def similarities(self):
        """Return similarities, centred where the estimator centres, shape (s, s)."""
        if self.geometry.is_similarity and not self.geometry.centred:
            return self.comparisons
        return similarity_from_dissimilarity(self.powered())


def comparing_step(estimator, X, owner):
    """Return the estimator that compares, and X as it reaches it.

    Parameters
    ----------
    estimator : fitted estimator, Pipeline or search
        Of a pipeline the last step that compares is meant, of a search the best
        estimator.
    X : what the user passed, or None
    owner : str
        For messages.

    Returns
    -------
    step : estimator of skproxy
    X : collection of objects
    """
    step = estimator
    while hasattr(step, "best_estimator_") or isinstance(step, Pipeline):
        if hasattr(step, "best_estimator_"):
            step = step.best_estimator_
            continue
        place = _last_that_compares(step)
        if place > 0 and X is not None:
            X = step[:place].transform(X)
        step = step[place]
    if not isinstance(step, ComparesWithLandmarks):
        msg = (
            f"estimator of {owner} must compare objects, as NystromDissimilarity, "
            "NeucMDS, Nystroem, EBEKEmbedding and EigenCorrector do, or have a step "
            f"that does; got {type(step).__name__}."
        )
        raise TypeError(msg)
    return step, X


def _last_that_compares(pipeline):
    """Return the position of the step, or of the last where there is none."""
    for place in reversed(range(len(pipeline))):
        step = pipeline[place]
        if isinstance(step, (ComparesWithLandmarks, Pipeline)) or hasattr(
            step, "best_estimator_"
        ):
            return place
    return len(pipeline) - 1


def coordinate_signs(estimator):
    """Return the weight with which each column counts in dissimilarities.

    With a correction every column counts positively, whatever it was before.

    Returns
    -------
    signs : ndarray of shape (k,) or None
        Over the square of the unit that the vectors were brought to, if they were. None
        where columns have no signs.
    """
    signs = getattr(estimator, "axis_signs_", None)
    if signs is None:
        return None
    signs = np.asarray(signs, dtype=np.float64)
    if getattr(estimator, "correction", None) is not None:
        signs = np.ones(len(signs))
    return signs / getattr(estimator, "scale_", 1.0) ** 2


def unpowered(powered, power):
    """Return dissimilarities in the units of the metric, with the sign of the powered.

    The root of the modulus: a negative squared dissimilarity, which axes of negative
    sign can produce, stays visible as a negative number.
    """
    return np.sign(powered) * np.abs(powered) ** (1.0 / power)


def check_square_of(estimator, X, owner, instead):
    """Raise unless precomputed comparisons are those of all objects with each other."""
    if not get_tags(estimator).input_tags.pairwise:
        return
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2 or shape[0] != shape[1]:
        msg = (
            f"X of {owner} must be a square matrix where comparisons are precomputed, "
            "since objects are needed whose comparisons with each other are known; got "
            f"shape {tuple(shape)}. {instead}"
        )
        raise ValueError(msg)


def take_both(estimator, X, indices, columns=None):
    """Return some objects of X; where precomputed, with some columns only.

    Parameters
    ----------
    estimator : estimator
    X : collection of n objects, or of shape (n, n) where precomputed
    indices : ndarray of int
    columns : ndarray of int, default=None
        None takes `indices`.
    """
    taken = take_objects(X, indices)
    if not get_tags(estimator).input_tags.pairwise:
        return taken
    columns = indices if columns is None else columns
    if hasattr(taken, "iloc"):
        return taken.iloc[:, columns]
    if sparse.issparse(taken):
        return taken[:, columns]
    return np.asarray(taken)[:, columns]
