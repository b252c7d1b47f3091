"""Landmarks nearest to the centres of k-means."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

from .._sklearn import Interval
from ._base import LandmarkSelector
from ._pilot import PILOT_CONSTRAINTS, distinct, embed_candidates

__all__ = ["KMeansSelector"]


class KMeansSelector(LandmarkSelector):
    """Choose the objects nearest to the centres of k-means in a pilot embedding.

    The error of a Nystrom approximation is bounded by how well the landmarks quantise
    the data, which is what k-means minimises. Choose it where dense regions matter;
    small groups far from everything get few landmarks or none.

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
    max_iter : int, default=20
        Iterations of Lloyd's algorithm, started by k-means++.

    See Also
    --------
    PivotedCholeskySelector : More accurate on most data, for about twice the price.
    MEBSelector : Finds small classes.

    Notes
    -----
    c candidates and q pilot landmarks cost c q comparisons and those among the probes
    of the pilot, at most as many again; with the defaults no more than 20 m^2 however
    many objects there are (m >= 100), and 2 N m for few. Time O(c m^2).

    References
    ----------
    K. Zhang, J. T. Kwok (2010). Clustered Nystrom method for large scale manifold
    learning and dimension reduction. IEEE Transactions on Neural Networks 21(10),
    1576-1587. doi:10.1109/TNN.2010.2064786

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> sorted(select_landmarks(X, n_landmarks=2, selector="kmeans",
    ...                         random_state=0).tolist())
    [1, 4]
    """

    _parameter_constraints: dict = {
        **PILOT_CONSTRAINTS,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_pilot: int | str = "auto",
        max_candidates: int | str = "auto",
        spectrum: str = "flip",
        max_iter: int = 20,
    ) -> None:
        self.n_pilot = n_pilot
        self.max_candidates = max_candidates
        self.spectrum = spectrum
        self.max_iter = max_iter

    def select(
        self,
        X: Any,  # noqa: ARG002
        y: ArrayLike | None,  # noqa: ARG002
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks, those of the largest clusters first.

        See `LandmarkSelector.select`.
        """
        self._validate_params()
        pilot = embed_candidates(self, proximity, n_landmarks, rng)
        Z = pilot.coordinates
        kmeans = KMeans(n_landmarks, n_init=1, max_iter=self.max_iter, random_state=rng)
        with warnings.catch_warnings():
            # Fewer distinct objects than clusters is no news: copies are dropped below.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = kmeans.fit_predict(Z)
        sizes = np.bincount(labels, minlength=n_landmarks)
        by_size = np.argsort(-sizes, kind="stable")
        chosen = _nearest(Z, kmeans.cluster_centers_[by_size])
        return pilot.candidates[distinct(Z, chosen, pilot.negligible)]


def _nearest(Z, centres):
    """Return the row nearest to each centre, no row twice."""
    distances = euclidean_distances(centres, Z, squared=True)
    chosen = np.empty(len(centres), dtype=np.intp)
    for i in range(len(centres)):
        chosen[i] = distances[i].argmin()
        distances[:, chosen[i]] = np.inf
    return chosen
