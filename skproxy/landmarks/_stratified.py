"""Landmarks drawn from every class."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._base import LandmarkSelector
from ._classes import class_codes

__all__ = ["StratifiedSelector"]


class StratifiedSelector(LandmarkSelector):
    """Draw landmarks uniformly within each class, so that no class goes without.

    Choose it for unbalanced classes, where a uniform draw can miss the small ones. No
    comparisons are made. Without labels, or with continuous ones, all objects are one
    class.

    Parameters
    ----------
    allocation : {"proportional", "equal"}, default="proportional"
        ``"proportional"`` gives every class landmarks in proportion to its size (but at
        least one, as far as they go); ``"equal"`` gives every class as many, or all its
        members where it has fewer, and what is left over to the others.

    References
    ----------
    W. G. Cochran (1977). Sampling techniques, 3rd edition. Wiley, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> from skproxy import NystromDissimilarity
    >>> X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [18, 2])
    >>> nystrom = NystromDissimilarity(
    ...     n_landmarks=5, landmarks="stratified", random_state=0)
    >>> sorted(y[nystrom.fit(X, y).component_indices_].tolist())
    [0, 0, 0, 0, 1]
    """

    def __init__(self, allocation: str = "proportional") -> None:
        self.allocation = allocation

    def select(
        self,
        X: Any,  # noqa: ARG002
        y: ArrayLike | None,
        n_landmarks: int,
        proximity: Any,
        rng: np.random.RandomState,
    ) -> np.ndarray:
        """Choose landmarks; see `LandmarkSelector.select`."""
        if self.allocation not in ("proportional", "equal"):
            msg = (
                "allocation of StratifiedSelector must be 'proportional' or 'equal'; "
                f"got {self.allocation!r}."
            )
            raise ValueError(msg)
        n_samples = proximity.n_objects
        codes = class_codes(y, n_samples, "StratifiedSelector")
        sizes = np.bincount(codes)
        counts = self._allocate(sizes, n_landmarks)
        # Walk through a permutation and take members of a class while it is owed any:
        # the order of choice is random across classes.
        order = rng.permutation(n_samples)
        rank = np.empty(n_samples, dtype=np.intp)
        for code in range(len(sizes)):
            members = np.flatnonzero(codes[order] == code)
            rank[members] = np.arange(len(members))
        return order[rank < counts[codes[order]]]

    def _allocate(self, sizes, n_landmarks):
        if self.allocation == "proportional":
            wanted = sizes / sizes.sum() * n_landmarks
        else:
            wanted = _level(sizes, n_landmarks)
        counts = np.minimum(np.floor(wanted).astype(np.intp), sizes)
        # At least one each while they go round, largest classes first.
        largest = np.argsort(-sizes, kind="stable")
        for code in largest:
            if counts[code] == 0 and counts.sum() < n_landmarks:
                counts[code] = 1
        # Then by largest remainder, as far as the classes reach.
        while counts.sum() < n_landmarks:
            owed = np.where(counts < sizes, wanted - counts, -np.inf)
            counts[owed.argmax()] += 1
        # A landmark for a starved class is paid by the richest one.
        for code in largest:
            while counts[code] == 0 and counts.max() > 1:
                counts[counts.argmax()] -= 1
                counts[code] += 1
        return counts


def _level(sizes, total):
    """Return equal shares of a total, capped by sizes, the rest shared again."""
    shares = np.zeros(len(sizes))
    open_mask = np.ones(len(sizes), dtype=bool)
    left = float(total)
    while left > 0 and open_mask.any():
        share = left / open_mask.sum()
        full = open_mask & (sizes <= share)
        if not full.any():
            shares[open_mask] = share
            break
        shares[full] = sizes[full]
        left -= sizes[full].sum()
        open_mask &= ~full
    return shares
