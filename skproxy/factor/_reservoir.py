"""The objects that matter most for the core, found during the pass.

An object whose comparisons leave the span of the pilot sample has a large leverage. A
core fitted without it extrapolates to it, and the error of that has no bound. So the
pass keeps the objects of highest leverage with their comparisons: a bounded sample
whose merging is associative and commutative.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Reservoir"]


@dataclass(frozen=True, eq=False)
class Reservoir:
    """The k objects of highest leverage among those offered.

    Attributes
    ----------
    capacity : int
        k.
    positions : ndarray of shape (at most k,)
        Of the objects, by decreasing leverage; ties in increasing order.
    leverages : ndarray of shape (at most k,)
    comparisons : ndarray of shape (at most k, m)
        With the landmarks, in the units of the metric.
    """

    capacity: int
    positions: np.ndarray
    leverages: np.ndarray
    comparisons: np.ndarray

    @classmethod
    def empty(cls, capacity, n_landmarks, dtype=np.float64):
        """Return a reservoir that was offered nothing."""
        return cls(
            capacity,
            np.empty(0, dtype=np.intp),
            np.empty(0),
            np.empty((0, n_landmarks), dtype=dtype),
        )

    def offer(self, positions, leverages, comparisons):
        """Return the reservoir after some more objects.

        Parameters
        ----------
        positions, leverages : ndarray of shape (b,)
        comparisons : ndarray of shape (b, m)

        Returns
        -------
        reservoir : Reservoir
            Itself where none of them gets in.
        """
        if len(self.positions) == self.capacity:
            inside = leverages >= self.leverages[-1] if self.capacity else leverages < 0
            if not inside.any():
                return self
            positions, leverages = positions[inside], leverages[inside]
            comparisons = comparisons[inside]
        positions = np.concatenate([self.positions, positions])
        leverages = np.concatenate([self.leverages, leverages])
        order = np.lexsort((positions, -leverages))[: self.capacity]
        comparisons = np.concatenate([self.comparisons, comparisons])[order]
        return Reservoir(self.capacity, positions[order], leverages[order], comparisons)

    def merge(self, other):
        """Return the reservoir of both sets of objects."""
        return self.offer(other.positions, other.leverages, other.comparisons)
