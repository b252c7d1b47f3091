"""Landmarks with large quadratic Renyi entropy."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import euclidean_distances

from .._sklearn import Interval, StrOptions
from ._base import LandmarkSelector
from ._pilot import PILOT_CONSTRAINTS, distinct, embed_candidates

__all__ = ["EntropySelector"]

# Distances among so many candidates settle the width of the window.
_N_FOR_WIDTH = 500


class EntropySelector(LandmarkSelector):
    r"""Spread landmarks evenly by maximising their quadratic Renyi entropy.

    A random choice is improved by swaps that raise

    .. math:: H = -\log \frac{1}{m^2} \sum_{i, j} \exp(-d_{ij}^2 / w^2)

    with distances d in a pilot embedding, where landmarks repel each other within the
    width w of the window. Choose it to cover the data evenly without chasing outliers
    as farthest points do. The entropy of the measure itself is no substitute: for
    indefinite ones the sum may be negative.

    Parameters
    ----------
    width : float, default=1.0
        w, relative to the median distance between two objects. Dimensionless.
    n_proposals : int or "auto", default="auto"
        How many swaps are tried; "auto" tries every candidate once.
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
    KMeansSelector : Follows the density of the data instead.

    Notes
    -----
    c candidates and q pilot landmarks cost c q comparisons and those among the probes
    of the pilot, at most as many again; with the defaults no more than 20 m^2 however
    many objects there are (m >= 100), and 2 N m for few. Time O(c m^2).

    The swap proposed is the best one for the incoming object, not a random one, so that
    one pass is enough.

    References
    ----------
    K. De Brabanter, J. De Brabanter, J. A. K. Suykens, B. De Moor (2010). Optimized
    fixed-size kernel models for large data sets. Computational Statistics & Data
    Analysis 54(6), 1484-1504. doi:10.1016/j.csda.2010.01.024

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0]])
    >>> bool(3 in select_landmarks(X, n_landmarks=2, selector="entropy",
    ...                            random_state=0))
    True
    """

    _parameter_constraints: dict = {
        **PILOT_CONSTRAINTS,
        "width": [Interval(Real, 0, None, closed="neither")],
        "n_proposals": [
            Interval(Integral, 0, None, closed="left"),
            StrOptions({"auto"}),
        ],
    }

    def __init__(
        self,
        *,
        width: float = 1.0,
        n_proposals: int | str = "auto",
        n_pilot: int | str = "auto",
        max_candidates: int | str = "auto",
        spectrum: str = "flip",
    ) -> None:
        self.width = width
        self.n_proposals = n_proposals
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
        """Choose landmarks, in random order; see `LandmarkSelector.select`."""
        self._validate_params()
        pilot = embed_candidates(self, proximity, n_landmarks, rng)
        Z = pilot.coordinates
        some = rng.permutation(len(Z))[:_N_FOR_WIDTH]
        width = self.width**2 * _median_square(Z[some], pilot.negligible)
        order = rng.permutation(len(Z))
        chosen = order[:n_landmarks].copy()
        proposals = order[n_landmarks:]
        if not isinstance(self.n_proposals, str):
            rounds = -(-self.n_proposals // max(len(Z), 1))
            more = [rng.permutation(len(Z)) for _ in range(rounds)]
            proposals = np.concatenate([proposals, *more])[: self.n_proposals]
        chosen = _swap_in(Z, chosen, proposals, width)
        return pilot.candidates[distinct(Z, chosen, pilot.negligible)]


def _median_square(Z, negligible):
    """Return the median squared distance of different rows, 1 where there are none."""
    gaps = euclidean_distances(Z, squared=True)[np.triu_indices(len(Z), 1)]
    gaps = gaps[gaps > negligible]
    return float(np.median(gaps)) if len(gaps) else 1.0


def _swap_in(Z, chosen, proposals, width):
    """Swap proposed rows in wherever that lowers the sum of the window.

    With t_i the sum of window values between member i and the other members and s that
    between the newcomer and all members, the sum changes by 2 (s - k_i - t_i), k_i
    being the value between the newcomer and i.
    """
    squares = np.einsum("ij,ij->i", Z, Z)
    members = Z[chosen].copy()
    among = np.exp(-euclidean_distances(members, squared=True) / width)
    np.fill_diagonal(among, 0.0)
    crowding = among.sum(axis=1)
    for row in proposals:
        if (chosen == row).any():
            continue
        gaps = squares[chosen] + squares[row] - 2.0 * (members @ Z[row])
        near = np.exp(-np.maximum(gaps, 0.0) / width)
        changes = near.sum() - near - crowding
        out = int(changes.argmin())
        if changes[out] >= -1e-12 * len(chosen):
            continue
        near[out] = 0.0
        crowding += near - among[out]
        crowding[out] = near.sum()
        among[out] = near
        among[:, out] = near
        chosen[out], members[out] = row, Z[row]
    return chosen
