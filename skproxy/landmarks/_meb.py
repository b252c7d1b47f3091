"""Landmarks that hold the minimum enclosing ball of each class."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._sklearn import Interval, StrOptions
from ._ball import CoreSet
from ._base import LandmarkSelector
from ._classes import class_codes
from ._pilot import embed_pilot

__all__ = ["MEBSelector"]


class MEBSelector(LandmarkSelector):
    """Choose the objects that hold the minimum enclosing ball of each class.

    In a pilot embedding a few objects at the rim of a class suffice to hold a ball that
    encloses all of it within (1 + epsilon) of its radius, and how many these are does
    not depend on the size of the class: the selector finds the number of landmarks by
    itself. Choose it for classification, above all with small classes, which it gives
    landmarks of their own. It keeps extreme objects, so gross outliers become
    landmarks, and the error of the approximation is not what it minimises.

    Parameters
    ----------
    epsilon : float, default=0.01
        The ball around the landmarks of a class holds all its objects after growing by
        this factor. Smaller finds more landmarks. Dimensionless.
    max_per_class : int, default=None
        At most so many landmarks a class, at least 2. Besides, there are never more in
        all than the estimator asks for.
    n_pilot : int, default=50
        Landmarks of the pilot embedding: two of each class, then uniform ones.
    max_candidates : int, default=2000
        Classes of at most so many objects are searched exhaustively; larger ones in
        uniform samples of so many, until a fresh sample is enclosed. Then, with 95 %
        confidence, less than ``3 / max_candidates`` of the class lie outside.
    spectrum : {"square", "flip"}, default="square"
        What the pilot makes of negative eigenvalues: inner products in the ball's space
        are ``S S'``, or ``|S|``, for similarities S.

    See Also
    --------
    KMeansSelector : Follows the density of the data instead.
    PivotedCholeskySelector : Lowers the error of the approximation.

    Notes
    -----
    With c candidates, that is objects of small classes and samples of large ones, q
    pilot landmarks cost c q comparisons, those among the probes of the pilot (at most
    as many again), and ``max_candidates`` times q for every further sample of a large
    class, of which two or three are usual. Time O(c q^2 + c q t) for t landmarks, and
    O(N) to find the members of classes.

    Every class has two landmarks at least, unless all its objects are the same. Without
    y, or with a continuous one, all objects are one class.

    References
    ----------
    F.-M. Schleif, A. Gisbrecht, P. Tino (2016). Probabilistic classifiers with low rank
    indefinite kernels, section 6. arXiv:1604.02264

    M. Badoiu, K. L. Clarkson (2008). Optimal core-sets for balls. Computational
    Geometry 40(1), 14-22. doi:10.1016/j.comgeo.2007.04.002

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [18, 2])
    >>> sorted(select_landmarks(X, y, selector="meb", n_landmarks=10,
    ...                         random_state=0).tolist())
    [0, 17, 18, 19]
    """

    _parameter_constraints: dict = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "max_per_class": [Interval(Integral, 2, None, closed="left"), None],
        "n_pilot": [Interval(Integral, 1, None, closed="left")],
        "max_candidates": [Interval(Integral, 2, None, closed="left")],
        "spectrum": [StrOptions({"square", "flip"})],
    }

    def __init__(
        self,
        epsilon: float = 0.01,
        *,
        max_per_class: int | None = None,
        n_pilot: int = 50,
        max_candidates: int = 2000,
        spectrum: str = "square",
    ) -> None:
        self.epsilon = epsilon
        self.max_per_class = max_per_class
        self.n_pilot = n_pilot
        self.max_candidates = max_candidates
        self.spectrum = spectrum

    def select(
        self,
        X: Any,  # noqa: ARG002
        y: ArrayLike | None,
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks, one of each class in turn; see `LandmarkSelector.select`.

        Each class's landmarks come in the order in which the ball took them in, so that
        a cut at `n_landmarks` leaves every class as many.
        """
        self._validate_params()
        codes = class_codes(y, proximity.n_objects, type(self).__name__)
        classes = _members(codes)
        samples = [self._sample(members, rng) for members in classes]
        candidates = np.concatenate(samples)
        owners = np.repeat(np.arange(len(samples)), [len(s) for s in samples])
        pilot = embed_pilot(
            proximity,
            np.sort(candidates),
            candidates[_spread(owners, self.n_pilot, rng)],
            rng,
            spectrum=self.spectrum,
        )
        chosen = [
            self._hold(pilot, members, sample, rng)
            for members, sample in zip(classes, samples, strict=True)
        ]
        return _in_turn(chosen)[:n_landmarks]

    def _sample(self, members, rng):
        if len(members) <= self.max_candidates:
            return members
        return members[rng.permutation(len(members))[: self.max_candidates]]

    def _hold(self, pilot, members, sample, rng):
        """Return the objects that hold the ball of one class."""
        core = CoreSet(self.epsilon, pilot.negligible, self.max_per_class)
        known = np.searchsorted(pilot.candidates, sample)
        core.grow(pilot.coordinates[known], sample)
        while len(sample) < len(members):
            sample = self._sample(members, rng)
            if not core.grow(pilot.embed(sample), sample):
                break
        return core.members


def _members(codes):
    """Return the positions of each class, increasing."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def _spread(owners, size, rng):
    """Draw two rows of each class, then others uniformly, up to `size` rows."""
    order = rng.permutation(len(owners))
    by_class = np.argsort(owners[order], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners))[:-1]])
    turn = np.empty(len(owners), dtype=np.intp)
    turn[by_class] = np.arange(len(owners)) - starts[owners[order][by_class]]
    first_two = turn < 2
    size = max(size, int(first_two.sum()))
    return np.concatenate([order[first_two], order[~first_two]])[:size]


def _in_turn(chosen):
    """Return the first of each list, then the second of each, and so on."""
    longest = max(len(names) for names in chosen)
    turns = [
        names[turn] for turn in range(longest) for names in chosen if turn < len(names)
    ]
    return np.asarray(turns, dtype=np.intp)
