"""Count, mean and centred scatter of rows: what one pass over the data leaves behind.

Two moments merge exactly (Chan, Golub & LeVeque, 1983), so that streaming, batches,
threads and clusters are one operation. `Moments` form a commutative monoid: merging is
associative and commutative to rounding, and `Moments.empty` is its neutral element.

======  =====================================================  ==========
symbol  meaning                                                shape
======  =====================================================  ==========
n       number of rows seen                                    scalar
mean    mean row                                               (r,)
T       scatter about the mean: sum of (x - mean)(x - mean)'   (r, r)
======  =====================================================  ==========

References
----------
T. F. Chan, G. H. Golub, R. J. LeVeque (1983). Algorithms for computing the sample
variance: analysis and recommendations. The American Statistician 37(3), eq. 2.1.
doi:10.1080/00031305.1983.10483115
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Moments"]


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and centred scatter of a set of rows.

    Attributes
    ----------
    count : int
        Number of rows.
    mean : ndarray of shape (r,)
        Mean row; zero when there are no rows.
    scatter : ndarray of shape (r, r)
        Sum of outer products of the centred rows.
    """

    count: int
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def empty(cls, width):
        """Return the neutral element for rows of `width` entries."""
        return cls(0, np.zeros(width), np.zeros((width, width)))

    @classmethod
    def of(cls, rows):
        """Return the moments of the rows of a matrix.

        Parameters
        ----------
        rows : ndarray of shape (n, r)

        Returns
        -------
        moments : Moments
            Cost O(n r^2).
        """
        rows = np.asarray(rows, dtype=np.float64)
        if rows.shape[0] == 0:
            return cls.empty(rows.shape[1])
        mean = rows.mean(axis=0)
        centred = rows - mean
        return cls(rows.shape[0], mean, centred.T @ centred)

    def merge(self, other):
        """Return the moments of both sets of rows together.

        Cost O(r^2); exact up to rounding: T1 + T2 + n1 n2 / (n1 + n2) d d' with
        d = mean2 - mean1.
        """
        if self.count == 0:
            return other
        if other.count == 0:
            return self
        count = self.count + other.count
        gap = other.mean - self.mean
        mean = self.mean + gap * (other.count / count)
        between = (self.count * other.count / count) * np.outer(gap, gap)
        return Moments(count, mean, self.scatter + other.scatter + between)

    def mapped(self, linear, shift):
        """Return the moments of the rows ``x linear + shift``.

        Parameters
        ----------
        linear : ndarray of shape (r, q)
        shift : ndarray of shape (q,)
        """
        if self.count == 0:
            return Moments.empty(len(shift))
        scatter = linear.T @ self.scatter @ linear
        return Moments(
            self.count, self.mean @ linear + shift, (scatter + scatter.T) / 2
        )

    def about_origin(self):
        """Return the scatter about zero, T + n mean mean', of shape (r, r)."""
        return self.scatter + self.count * np.outer(self.mean, self.mean)
