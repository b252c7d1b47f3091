"""Landmarks as pivots of a partial Cholesky factorisation."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._sklearn import Interval, StrOptions
from ._base import LandmarkSelector
from ._pilot import PILOT_CONSTRAINTS, distinct, embed_candidates
from ._pivots import greedy_pivots, random_pivots, swap_pivots, trace_pivots

__all__ = ["PivotedCholeskySelector"]


class PivotedCholeskySelector(LandmarkSelector):
    r"""Choose pivots of a partial Cholesky factorisation, one after the other.

    Each landmark is chosen in view of what those before it leave unexplained, that is
    of the residual

    .. math:: R = K - K_{:I} K_{II}^+ K_{I:}

    where K holds the inner products of columns of comparisons - what objects would add
    as landmarks - in a pilot embedding, and is positive semi-definite whatever the
    measure. With its defaults this is the most accurate selector on most data.

    Parameters
    ----------
    pivots : {"trace", "greedy", "random"}, default="trace"
        ``"trace"`` takes the object that lowers the trace of R most (for
        dissimilarities, what of the trace belongs to their centred similarities: the
        squared error of the approximation), and revises the choice by swaps;
        ``"greedy"`` takes the largest diagonal entry of R, which is cheap but drawn to
        outliers; ``"random"`` draws in proportion to the diagonal, which has guarantees
        in the mean and shrugs off outliers.
    n_sweeps : int, default=2
        How often, with ``pivots="trace"``, every landmark is put up for a swap.
    n_pilot : int or "auto", default="auto"
        Landmarks of the pilot embedding, drawn uniformly; "auto" takes four per
        landmark wanted, 60 at least. The residual lives in their span, so as many as
        landmarks are too few.
    max_candidates : int or "auto", default="auto"
        Landmarks are chosen among so many objects, drawn uniformly, or all where there
        are fewer; "auto" is ten per landmark and at least 1000.

    See Also
    --------
    KMeansSelector : Nearly as accurate at a quarter of the comparisons.

    Notes
    -----
    c candidates and q pilot landmarks cost c q comparisons and those among the probes
    of the pilot, at most as many again; with the defaults no more than 80 m^2 however
    many objects there are (m >= 100), and 8 N m for few (m >= 15). Time O(c q m) per
    sweep, and O(q m^2) per swap.

    Random pivots are drawn in blocks and thinned by rejection, which leaves their
    distribution what it is and makes them matrix products.

    References
    ----------
    A. K. Farahat, A. Ghodsi, M. S. Kamel (2011). A novel greedy algorithm for Nystrom
    approximation. AISTATS, PMLR 15, 269-277 (``"trace"``, without the swaps).

    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber (2025). Randomly pivoted Cholesky.
    Communications on Pure and Applied Mathematics 78(5) (``"random"``, ``"greedy"``).
    arXiv:2207.06503

    E. N. Epperly, J. A. Tropp, R. J. Webber (2024). Embrace rejection: kernel matrix
    approximation by accelerated randomly pivoted Cholesky. arXiv:2410.03969 (blocks).

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy.landmarks import select_landmarks
    >>> X = np.random.RandomState(0).normal(size=(99, 2))
    >>> select_landmarks(X, n_landmarks=20, selector="cholesky", random_state=0).shape
    (3,)
    """

    _parameter_constraints: dict = {
        "n_pilot": PILOT_CONSTRAINTS["n_pilot"],
        "max_candidates": PILOT_CONSTRAINTS["max_candidates"],
        "pivots": [StrOptions({"trace", "greedy", "random"})],
        "n_sweeps": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        pivots: str = "trace",
        n_sweeps: int = 2,
        n_pilot: int | str = "auto",
        max_candidates: int | str = "auto",
    ) -> None:
        self.pivots = pivots
        self.n_sweeps = n_sweeps
        self.n_pilot = n_pilot
        self.max_candidates = max_candidates

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
        pilot = embed_candidates(
            self,
            proximity,
            n_landmarks,
            rng,
            per_landmark=4,
            at_least=60,
            spectrum="square",
        )
        columns = pilot.columns()
        if self.pivots == "random":
            chosen = random_pivots(columns, n_landmarks, pilot.negligible, rng)
        elif self.pivots == "greedy":
            chosen = greedy_pivots(columns, n_landmarks, pilot.negligible)
        else:
            # The vectors of the pilot lie along its eigenvectors.
            lengths = np.linalg.norm(pilot.coordinates, axis=0)
            chosen = trace_pivots(columns, lengths, n_landmarks, pilot.negligible)
            for _ in range(self.n_sweeps):
                chosen = swap_pivots(columns, lengths, chosen, pilot.negligible)
        if len(chosen) < n_landmarks:
            chosen = _with_the_last(columns, chosen, pilot.negligible)
        return pilot.candidates[chosen]


def _with_the_last(columns, chosen, negligible):
    """Add the only object that is neither chosen nor the copy of one, if there is one.

    Columns about their mean have one dimension less than there are objects, so pivots
    end before the last. Left out, it alone would span an axis of its own, and new
    objects, which are outside the span of the others too, would be thrown along it.
    """
    everything = np.concatenate([chosen, np.setdiff1d(np.arange(len(columns)), chosen)])
    different = distinct(columns, everything, negligible)
    return different if len(different) == len(chosen) + 1 else chosen
