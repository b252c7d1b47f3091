"""How far new objects fall outside the landmarks of a fitted estimator.

Uniform landmarks are a sample of the objects fitted. How far each of them is from the
nearest *other* one therefore tells how far a new object of the same kind is from its
nearest landmark: the two are exchangeable, and selectors that spread landmarks evenly
make new objects look nearer than they should, never farther. The number of n new
objects beyond the r-th of m such distances is then beta-binomial with n trials and
parameters m - r + 1 and r, whatever the measure is.

Landmarks that were chosen for something else (pivots, support points, your own) may sit
close together and far from most objects. For them a landmark's distance from half of
the others, or from the objects fitted where a mean of it is kept, is taken instead: a
yardstick that only objects of another kind exceed.

References
----------
S. S. Wilks (1941). Determination of sample sizes for setting tolerance limits. Annals
of Mathematical Statistics 12(1), 91-96. doi:10.1214/aoms/1177731788
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import betabinom
from sklearn.utils import check_random_state

from ..comparisons._objects import count_objects, take_objects
from ._drawing import NEGATIVE, POSITIVE, import_pyplot, reference_colour
from ._new_objects import (
    NewObjects,
    Yardstick,
    explained_shares,
    landmark_step,
)
from ._report import Report, Section, number, percent, quantity

__all__ = ["LandmarkFit"]

# Share of the landmarks whose distances set the limit.
_WITHIN = 0.95
# How improbable so many new objects beyond the limit must be.
_IMPROBABLE = 1e-3
# Multiple of the largest distance between landmarks beyond which one object is enough.
_FAR = 2.0
_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class LandmarkFit:
    """How well landmarks cover new objects.

    Made by :func:`diagnose` from a fitted estimator and new objects. For similarities
    the dissimilarity that they induce is meant, the root of s_xx + s_ll - 2 s_xl.

    Attributes
    ----------
    estimator_name : str
    n_landmarks : int
    n_objects : int
        Number of new objects given.
    indices : ndarray of shape (n,)
        Positions of those that were looked at.
    n_comparisons : int
        Comparisons that it took, or that were looked up.
    nearest : ndarray of shape (n,)
        Dissimilarity of each to its nearest landmark, in the units of the metric.
    among_landmarks : ndarray of shape (n_compared,)
        How far landmarks, all if they are not too many, are from the nearest other one;
        where they are not spread like the objects fitted, from half of the others or
        (root mean, where it is kept and larger) from the objects fitted.
    is_spread : bool
        Which of the two: True for uniform, stratified, k-means and farthest-point
        landmarks.
    limit : float
        95 % of the landmarks are within it.
    share_beyond : float
        Share of the new objects that are not; about 5 % is expected.
    largest_expected_share : float
        More than this happens to objects of the kind fitted once in a thousand times.
    is_outside : bool
        Whether `share_beyond` is larger than that.
    far_indices : ndarray of int
        Positions of new objects more than twice as far from every landmark as the
        largest of `among_landmarks`.
    explained : float or None
        Share of the self-similarities of the new objects that follows from their
        comparisons with the landmarks; 1 less what it is off by, relative. None where
        self-similarities are not known or the estimator keeps no similarity.
    explained_in_fit : float or None
        The same of the objects fitted, where it is known.

    See Also
    --------
    diagnose : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import NystromDissimilarity
    >>> from skproxy.inspection import diagnose
    >>> X = np.random.RandomState(0).normal(size=(300, 3))
    >>> nystrom = NystromDissimilarity(n_landmarks=50, random_state=0).fit(X[:200])
    >>> diagnose(nystrom, X[200:]).is_outside
    False
    >>> diagnose(nystrom, X[200:] + 5).is_outside
    True
    """

    estimator_name: str
    n_landmarks: int
    n_objects: int
    indices: np.ndarray
    n_comparisons: int
    nearest: np.ndarray
    among_landmarks: np.ndarray
    is_spread: bool
    limit: float
    share_beyond: float
    largest_expected_share: float
    is_outside: bool
    far_indices: np.ndarray
    explained: float | None
    explained_in_fit: float | None

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        n_samples: int,
        max_comparisons: int,
        random_state: int | np.random.RandomState | None,
    ) -> Any:
        """Compare some new objects with the landmarks.

        Parameters
        ----------
        estimator : fitted estimator, pipeline or search
        X : collection of new objects
        n_samples, max_comparisons : int
            Bounds of the objects looked at, and of the comparisons made.
        random_state : int, RandomState or None
        """
        step, X = landmark_step(estimator, X)
        rng = check_random_state(random_state)
        yardstick = Yardstick.of(step, max_comparisons, rng)
        reference = yardstick.distances
        n_objects = count_objects(X)
        left = max_comparisons - yardstick.n_comparisons
        affordable = max(1, left // (yardstick.among.shape[1] + 1))
        n = min(n_objects, n_samples, affordable)
        indices = np.sort(rng.permutation(n_objects)[:n])
        new = NewObjects.of(step, take_objects(X, indices), yardstick)
        nearest = new.nearest
        m = len(reference)
        rank = min(m, int(np.ceil(_WITHIN * (m + 1))))
        limit = float(np.sort(reference)[rank - 1])
        beyond = int((nearest > limit).sum())
        most = int(betabinom.isf(_IMPROBABLE, n, m - rank + 1, rank))
        explained, in_fit = explained_shares(step, new, yardstick)
        return cls(
            estimator_name=type(step).__name__,
            n_landmarks=yardstick.among.shape[1],
            n_objects=n_objects,
            indices=indices,
            n_comparisons=yardstick.n_comparisons + new.n_comparisons,
            nearest=nearest,
            among_landmarks=reference,
            is_spread=yardstick.is_spread,
            limit=limit,
            share_beyond=beyond / n,
            largest_expected_share=most / n,
            is_outside=beyond > most,
            far_indices=indices[nearest > _FAR * reference.max()],
            explained=explained,
            explained_in_fit=in_fit,
        )

    def __repr__(self):
        return self._report().text()

    def _repr_html_(self):
        return self._report().html()

    def plot(self, ax: Any = None) -> Any:
        """Draw the distances to the nearest landmark, of new objects and of landmarks.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        pyplot = import_pyplot("LandmarkFit.plot")
        if ax is None:
            _, ax = pyplot.subplots(layout="constrained")
        farthest = 1.02 * max(self.among_landmarks.max(), self.nearest.max())
        for values, label, colour, style in (
            (self.among_landmarks, "landmarks", POSITIVE, "--"),
            (self.nearest, "new objects", NEGATIVE, "-"),
        ):
            ordered = np.concatenate([[0.0], np.sort(values), [farthest]])
            shares = np.minimum(np.arange(len(ordered)) / len(values), 1.0)
            ax.step(ordered, shares, where="post", color=colour, ls=style, label=label)
        ax.axvline(self.limit, color=reference_colour(), linewidth=0.8)
        ax.annotate(
            "limit",
            (self.limit, 0.02),
            xytext=(4, 0),
            textcoords="offset points",
        )
        ax.set(xlabel="dissimilarity to the nearest landmark", ylabel="share within")
        ax.legend(loc="best")
        return ax

    def _report(self):
        looked = f"{number(len(self.indices))} of {number(self.n_objects)}"
        rows = [
            (name, quantity(reduce(self.nearest)), quantity(reduce(reference)), "")
            for name, reduce in _SUMMARIES
            for reference in [self.among_landmarks]
        ]
        expected = (
            f"{percent(self.share_beyond)} of the new objects; "
            f"5 % expected, up to {percent(self.largest_expected_share)} by chance"
        )
        yardstick = "other landmarks" if self.is_spread else "landmarks, typical"
        outside = [("beyond the 95 %", expected), ("far outside", self._far())]
        if self.explained is not None:
            text = percent(self.explained) if self.explained > 0 else "none"
            if self.explained_in_fit is not None:
                text += f", of the objects fitted {percent(self.explained_in_fit)}"
            outside.append(("self-similarity explained", text))
        return Report(
            f"New objects and the {number(self.n_landmarks)} landmarks of "
            f"{self.estimator_name}",
            (
                Section(
                    "Looked at",
                    (
                        ("new objects", looked),
                        ("comparisons", number(self.n_comparisons)),
                    ),
                ),
                Section(
                    "Nearest landmark", tuple(rows), ("new objects", yardstick, "")
                ),
                Section("Outside", tuple(outside)),
            ),
            (self._verdict(),),
        )

    def _far(self):
        if not len(self.far_indices):
            return "none"
        shown = ", ".join(str(int(i)) for i in self.far_indices[:_SHOWN])
        more = ", ..." if len(self.far_indices) > _SHOWN else ""
        return f"{number(len(self.far_indices))} of them: {shown}{more}"

    def _verdict(self):
        if self.is_outside:
            return (
                "Many of the new objects are unlike anything that was fitted: their "
                "coordinates and predictions are extrapolation. Fit again with some of "
                "them among the objects, or find out what is different about them."
            )
        if len(self.far_indices):
            return (
                "Most new objects are of the kind that was fitted, but those far "
                "outside are not: look at them before you trust what is said of them."
            )
        return "The new objects are of the kind that was fitted: go on."


_SUMMARIES = (
    ("median", np.median),
    ("95 % within", lambda values: np.quantile(values, _WITHIN)),
    ("largest", np.max),
)
