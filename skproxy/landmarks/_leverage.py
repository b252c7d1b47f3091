"""Landmarks drawn in proportion to their ridge leverage scores."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from .._sklearn import Interval, StrOptions
from ._base import LandmarkSelector
from ._pilot import PILOT_CONSTRAINTS, distinct, draw_candidates, embed_pilot

__all__ = ["LeverageSelector", "ridge_leverage"]


class LeverageSelector(LandmarkSelector):
    r"""Draw landmarks in proportion to their ridge leverage scores.

    The score of an object says how far it is from being a combination of the others,

    .. math:: \tau_i = (K (K + \lambda I)^{-1})_{ii},

    so rare kinds of objects are drawn more often than copies. The scores are those in a
    pilot embedding, which lacks what lies outside its span: bounds that hold for exact
    scores do not hold for these, and where tight clusters are of very unequal size they
    were measured to be worse than uniform landmarks. They are found recursively: those
    in a small uniform sample draw the pilot landmarks of a sample twice as large, and
    so on, so that the last pilot knows rare kinds too.

    Parameters
    ----------
    ridge : float or "auto", default="auto"
        lambda, as a fraction of the largest eigenvalue of K. "auto" is the mean
        eigenvalue past the leading m / (4 log m) ones, for m landmarks.
    n_pilot : int or "auto", default="auto"
        Landmarks of each pilot embedding; "auto" takes as many as landmarks are wanted.
    max_candidates : int or "auto", default="auto"
        Landmarks are chosen among so many objects, drawn uniformly, or all where there
        are fewer; "auto" is ten per landmark and at least 1000.
    spectrum : {"flip", "square"}, default="flip"
        K is positive semi-definite: ``|S|``, or ``S S'`` for similarities S.

    See Also
    --------
    PivotedCholeskySelector : Takes what was chosen already into account.

    Notes
    -----
    c candidates and q pilot landmarks cost less than 2 c q comparisons, the samples
    having c, c/2, c/4 ... objects, and those among the probes of the pilots, at most as
    many again; with the defaults no more than 40 m^2 however many objects there are
    (m >= 100), and 4 N m for few. Time O(c m^2).

    Within a pilot the scores are computed exactly. What no pilot landmark sees counts
    as nothing: unlike in the paper no residual of the diagonal is added, which may be
    negative for indefinite measures.

    References
    ----------
    C. Musco, C. Musco (2017). Recursive sampling for the Nystrom method. Advances in
    Neural Information Processing Systems 30, algorithms 2 and 3. arXiv:1605.07583

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X = np.array([[0.0, 0.0]] * 99 + [[0.0, 9.0]])
    >>> bool(99 in select_landmarks(X, n_landmarks=2, selector="leverage",
    ...                             random_state=0))
    True
    """

    _parameter_constraints: dict = {
        **PILOT_CONSTRAINTS,
        "ridge": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        ridge: float | str = "auto",
        n_pilot: int | str = "auto",
        max_candidates: int | str = "auto",
        spectrum: str = "flip",
    ) -> None:
        self.ridge = ridge
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
        """Choose landmarks; see `LandmarkSelector.select`."""
        self._validate_params()
        candidates = draw_candidates(
            proximity.n_objects, self.max_candidates, n_landmarks, rng
        )
        n_pilot = n_landmarks if self.n_pilot == "auto" else self.n_pilot
        landmarks = candidates[:n_pilot]
        for size in _doubling(len(candidates), n_pilot):
            pilot = embed_pilot(
                proximity,
                np.sort(candidates[:size]),
                landmarks,
                rng,
                spectrum=self.spectrum,
            )
            scores = ridge_leverage(pilot.coordinates, n_landmarks, self.ridge)
            landmarks = pilot.candidates[_draw(scores, n_pilot, rng)]
        chosen = _draw(scores, n_landmarks, rng)
        chosen = distinct(pilot.coordinates, chosen, pilot.negligible)
        return pilot.candidates[chosen]


def ridge_leverage(Z, n_landmarks, ridge="auto"):
    """Return the ridge leverage scores of the rows of a matrix.

    Parameters
    ----------
    Z : ndarray of shape (c, k)
        K is ``Z Z'``.
    n_landmarks : int
        Sets the ridge where it is "auto".
    ridge : float or "auto"
        As a fraction of the largest eigenvalue.

    Returns
    -------
    scores : ndarray of shape (c,)
        Between 0 and 1. Cost O(c k^2).
    """
    scatter, vectors = linalg.eigh(Z.T @ Z, check_finite=False)
    scatter = np.maximum(scatter[::-1], 0.0)
    if ridge == "auto":
        leading = max(int(np.ceil(n_landmarks / (4 * np.log(n_landmarks + 1)))), 1)
        level = scatter[leading:].sum() / leading
    else:
        level = ridge * scatter[0]
    # Where nothing is left past the leading eigenvalues any positive level will do.
    level = max(level, np.finfo(np.float64).eps * len(Z) * scatter[0])
    if level == 0.0:
        return np.zeros(len(Z))
    rows = Z @ (vectors[:, ::-1] / np.sqrt(scatter + level))
    return np.einsum("ij,ij->i", rows, rows)


def _doubling(n_candidates, n_pilot):
    """Return sizes of samples, each twice the one before, up to all candidates."""
    sizes = [n_candidates]
    while sizes[-1] > 4 * n_pilot:
        sizes.append(-(-sizes[-1] // 2))
    return sizes[::-1]


def _draw(scores, size, rng):
    """Draw rows without replacement in proportion to scores, in order of the draw."""
    size = min(size, len(scores))
    positive = np.flatnonzero(scores > 0)
    if len(positive) <= size:
        # Everything with a score, then whatever there is.
        rest = rng.permutation(np.flatnonzero(scores <= 0))
        return np.concatenate([rng.permutation(positive), rest])[:size]
    shares = scores[positive] / scores[positive].sum()
    return positive[rng.choice(len(positive), size=size, replace=False, p=shares)]
