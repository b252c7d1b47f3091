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
from ..embedding import EigenCorrector
from ..factor import (
    axis_shares,
    dissimilarity_from_similarity,
    similarity_from_dissimilarity,
)
from ..landmarks._compares import ComparesWithLandmarks

__all__ = [
    "ObjectComparisons",
    "axis_shares_of",
    "check_has_coordinates",
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


def comparing_step(estimator, X, owner, *, first=False):
    """Return the estimator that compares, and X as it reaches it.

    Parameters
    ----------
    estimator : fitted estimator, Pipeline or search
        Of a pipeline the last step that compares is meant, of a search the best
        estimator.
    X : what the user passed, or None
    owner : str
        For messages.
    first : bool, default=False
        Whether the first step that compares is meant instead.

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
        places = [i for i, part in enumerate(step) if _compares(part)]
        place = places[0 if first else -1] if places else len(step) - 1
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


def _compares(step):
    """Tell whether a step compares, or may have a step that does."""
    inner = isinstance(step, (ComparesWithLandmarks, Pipeline))
    return inner or hasattr(step, "best_estimator_")


def check_has_coordinates(estimator, owner, *, signed):
    """Raise TypeError unless transform gives coordinates.

    Parameters
    ----------
    estimator : estimator of skproxy
    owner : str
        For messages.
    signed : bool
        Whether their inner products have to mean something.
    """
    output = getattr(estimator, "output", "features")
    has_signs = not signed or coordinate_signs(estimator) is not None
    if hasattr(estimator, "transform") and output == "features" and has_signs:
        return
    got = type(estimator).__name__
    if output != "features":
        got += f" with output={output!r}"
    msg = (
        f"estimator of {owner} must transform objects to coordinates"
        + (" that stand for dissimilarities" if signed else "")
        + ", as NystromDissimilarity, NeucMDS, Nystroem, EBEKEmbedding and "
        f"EigenCorrector(output='features') do; got {got}."
    )
    raise TypeError(msg)


def axis_shares_of(estimator):
    """Return the share of each column in the sum of all moduli.

    Returns
    -------
    shares : ndarray of shape (k,) or None
        None where columns are no principal axes, or the whole is not known.
    """
    if hasattr(estimator, "axis_shares"):
        try:
            return estimator.axis_shares()
        except ValueError:  # not all of the spectrum is known
            return None
    if not isinstance(estimator, EigenCorrector):
        return None
    before, after = estimator.eigenvalues_, estimator.corrected_eigenvalues_
    if estimator.correction in ("lingoes", "cailliez"):  # which have axes of their own
        before = after
    order = np.argsort(-np.abs(after), kind="stable")[: estimator.n_components_]
    return axis_shares(before, before[order], "absolute")


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
