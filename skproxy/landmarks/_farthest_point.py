"""Landmarks as far from each other as possible."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._base import LandmarkSelector
from ._pilot import PILOT_CONSTRAINTS, embed_candidates

__all__ = ["FarthestPointSelector"]


class FarthestPointSelector(LandmarkSelector):
    """Choose the object farthest from all landmarks so far, again and again.

    The traversal covers the data: no object is farther from its nearest landmark than
    twice the best possible for so many landmarks. Choose it where every corner of the
    data must be represented, however thinly populated; it is drawn to outliers, and on
    noisy measures approximates worse than uniform landmarks.

    Parameters
    ----------
    n_pilot : int or "auto", default="auto"
        Landmarks of the pilot embedding, drawn uniformly; "auto" takes as many as
        landmarks are wanted.
    max_candidates : int or "auto", default="auto"
        Landmarks are chosen among so many objects, drawn uniformly, or all where there
        are fewer; "auto" is ten per landmark and at least 1000.
    spectrum : {"flip", "square"}, default="flip"
        What the pilot makes of negative eigenvalues: vectors with inner products
        ``|S|``, or ``S S'`` for similarities S.

    See Also
    --------
    MEBSelector : Extreme objects of every class, and finds their number.

    Notes
    -----
    c candidates and q pilot landmarks cost c q comparisons and those among the probes
    of the pilot, at most as many again; with the defaults no more than 20 m^2 however
    many objects there are (m >= 100), and 2 N m for few. Time O(c m^2).

    References
    ----------
    T. F. Gonzalez (1985). Clustering to minimize the maximum intercluster distance.
    Theoretical Computer Science 38, 293-306.
    doi:10.1016/0304-3975(85)90224-5

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [90.0]])
    >>> bool(4 in select_landmarks(X, n_landmarks=2, selector="farthest",
    ...                            random_state=0))
    True
    """

    _parameter_constraints: dict = {**PILOT_CONSTRAINTS}

    def __init__(
        self,
        *,
        n_pilot: int | str = "auto",
        max_candidates: int | str = "auto",
        spectrum: str = "flip",
    ) -> None:
        self.n_pilot = n_pilot
        self.max_candidates = max_candidates
        self.spectrum = spectrum

    def select(
        self,
        X: Any,  # noqa: ARG002
        y: ArrayLike | None,  # noqa: ARG002
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks, the first at random; see `LandmarkSelector.select`."""
        self._validate_params()
        pilot = embed_candidates(self, proximity, n_landmarks, rng)
        Z, negligible = pilot.coordinates, pilot.negligible
        chosen = [int(rng.randint(len(Z)))]
        nearest = _squared_distances(Z, chosen[0])
        while len(chosen) < n_landmarks and nearest.max() > negligible:
            chosen.append(int(nearest.argmax()))
            nearest = np.minimum(nearest, _squared_distances(Z, chosen[-1]))
        return pilot.candidates[chosen]


def _squared_distances(Z, i):
    gaps = Z - Z[i]
    return np.einsum("ij,ij->i", gaps, gaps)
