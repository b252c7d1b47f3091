"""Counts and means of the classes, and their pooled scatter: what a ridge needs.

Mergeable like `Moments`, at O(p^2 + K p) memory for K classes, where one `Moments` for
each class would take O(K p^2). Objects can have weights: a weight of two is the object
twice.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["ClassMoments"]


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Moments of rows in K classes.

    Attributes
    ----------
    counts : ndarray of shape (K,)
        Sums of the weights.
    means : ndarray of shape (K, p)
        Zero for classes without rows.
    within : ndarray of shape (p, p)
        Sum of outer products of the rows about the means of their classes.
    """

    counts: np.ndarray
    means: np.ndarray
    within: np.ndarray

    @classmethod
    def empty(cls, n_classes, width):
        """Return the neutral element."""
        zeros = np.zeros((n_classes, width))
        return cls(np.zeros(n_classes), zeros, np.zeros((width, width)))

    @classmethod
    def of(cls, rows, codes, n_classes, weights=None):
        """Return the moments of the rows of a matrix.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
        codes : ndarray of shape (n,), dtype=int
            Their classes.
        n_classes : int
        weights : ndarray of shape (n,), default=None
            None weighs each row one.

        Returns
        -------
        moments : ClassMoments
            Cost O(n p^2).
        """
        weights = np.ones(len(rows)) if weights is None else weights
        counts = np.bincount(codes, weights, minlength=n_classes)
        sums = np.zeros((n_classes, rows.shape[1]))
        np.add.at(sums, codes, weights[:, None] * rows)
        means = np.divide(sums, counts[:, None], out=sums, where=counts[:, None] > 0)
        centred = (rows - means[codes]) * np.sqrt(weights)[:, None]
        return cls(counts, means, centred.T @ centred)

    def merge(self, other):
        """Return the moments of both sets of rows together, exactly up to rounding."""
        counts = self.counts + other.counts
        share = np.divide(
            other.counts, counts, out=np.zeros_like(counts), where=counts > 0
        )
        gaps = other.means - self.means
        between = (gaps * (self.counts * share)[:, None]).T @ gaps
        means = self.means + share[:, None] * gaps
        return ClassMoments(counts, means, self.within + other.within + between)

    @property
    def shares(self):
        """Shares of the classes among the rows, shape (K,)."""
        return self.counts / self.counts.sum()

    @property
    def mean(self):
        """Mean of all rows, shape (p,)."""
        return self.shares @ self.means
