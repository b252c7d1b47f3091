"""How comparisons are read: their units, what they mean, and who the landmarks are."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._facts import check_dissimilarities, rounding_tolerance
from ._objects import count_objects, take_objects

__all__ = ["Geometry", "Landmarks", "Scale"]


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The objects that all others are compared with.

    Attributes
    ----------
    objects : collection of m objects
    indices : ndarray of shape (m,) or None
        Their positions among the objects fitted; None when they are not among them.
    """

    objects: Any
    indices: np.ndarray | None

    @property
    def count(self):
        """Number of landmarks."""
        if self.indices is not None:
            return len(self.indices)
        return count_objects(self.objects)

    def kept(self, positions):
        """Return some of the landmarks."""
        indices = None if self.indices is None else self.indices[positions]
        return Landmarks(take_objects(self.objects, positions), indices)


@dataclass(frozen=True)
class Geometry:
    """How comparisons are read.

    Attributes
    ----------
    is_similarity : bool
    power : float
        Exponent of dissimilarities, 1 for similarities.
    centred : bool
        Whether the matrix is taken about the mean of the objects; always for
        dissimilarities.
    """

    is_similarity: bool
    power: float
    centred: bool

    def similarities(self, scaled):
        """Return what plays the role of a similarity: ``-D/2`` for dissimilarities."""
        return scaled if self.is_similarity else -0.5 * scaled

    def check(self, block, scale, name, rows=None, columns=None):
        """Raise ValueError for comparisons that the geometry does not allow."""
        if self.is_similarity or self.power == 1:
            return
        tolerance = rounding_tolerance(block.dtype)
        check_dissimilarities(block, scale, tolerance, name, rows, columns)


@dataclass(frozen=True)
class Scale:
    """Units of a measure: what comparisons are divided by, and raised to.

    Attributes
    ----------
    unit : float
        A power of two, in the units of the metric.
    power : float
        Exponent of dissimilarities; 1 for similarities.
    """

    unit: float
    power: float = 1.0

    @classmethod
    def of(cls, block, power):
        """Return the scale of a block of comparisons."""
        largest = float(np.abs(block).max(initial=0.0))
        if largest == 0.0:
            return cls(1.0, power)
        return cls(float(2.0 ** np.round(np.log2(largest))), power)

    def check(self, name):
        """Raise ValueError where powered comparisons are beyond double precision."""
        if not 0.0 < self.squared < np.inf:
            msg = (
                f"{name} must give comparisons that stay within double precision when "
                f"raised to power={self.power:g}; got some of about {self.unit:.3g}. "
                "Divide them by a common factor."
            )
            raise ValueError(msg)

    def ratio(self, block):
        """Return comparisons over the unit, in float64."""
        return np.asarray(block, dtype=np.float64) / self.unit

    def apply(self, block):
        """Return powered comparisons, of order one, in float64."""
        scaled = self.ratio(block)
        if self.power == 1:
            return scaled
        # Whatever is negative here was found to be rounding.
        np.maximum(scaled, 0.0, out=scaled)
        if self.power == 2:
            return np.square(scaled, out=scaled)
        return np.power(scaled, self.power, out=scaled)

    def squares(self, block):
        """Return squared comparisons, of order one, whatever the power is."""
        return np.square(self.ratio(block))

    @property
    def squared(self):
        """Scale of powered comparisons and of eigenvalues."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float64(self.unit) ** self.power)
