"""Basis rows: comparisons with landmarks in coordinates that lose nothing.

A pass over the objects leaves moments of their rows. Which matrix these moments stand
for is decided *after* the pass, so the rows have to keep every direction until then,
those included that the pilot sample has not seen.

======  ===================================================================  =========
symbol  meaning                                                              shape
======  ===================================================================  =========
c       comparisons of an object with the landmarks, powered, scaled         (m,)
c0      their mean over a pilot sample (zero where nothing is centred)       (m,)
U       left singular vectors of the pilot's rows about c0                   (p, m)
sigma   singular values, none below the rounding of the comparisons          (m,)
Y       right singular vectors                                               (m, m)
y       basis row ``Sigma^-1 Y'(c - c0)``: for pilot objects a row of U      (m,)
======  ===================================================================  =========

``|y|^2`` is the *leverage* of an object. It is at most one in the pilot sample and
unbounded for an object that the sample says nothing about.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from ._spectrum import negligible_below

__all__ = ["Basis"]

# Along directions that the pilot sample does not have, its own rounding is one at most.
_ROUNDING = 10.0


@dataclass(frozen=True, eq=False)
class Basis:
    """An invertible linear map from comparisons with landmarks to basis rows.

    Attributes
    ----------
    reference : ndarray of shape (m,)
        c0, scaled.
    directions : ndarray of shape (m, m)
        Y, orthogonal.
    lengths : ndarray of shape (m,)
        sigma, decreasing, all positive.
    rank : int
        How many of the directions the pilot sample has, above rounding.
    """

    reference: np.ndarray
    directions: np.ndarray
    lengths: np.ndarray
    rank: int

    @classmethod
    def of(cls, pilot, *, centred, eps):
        """Return the basis of a pilot sample.

        Parameters
        ----------
        pilot : ndarray of shape (p, m), p >= m
            Scaled comparisons of the pilot objects with the landmarks.
        centred : bool
            Whether rows are taken about their mean.
        eps : float
            Relative rounding of the comparisons.

        Returns
        -------
        basis : Basis
            Cost O(p m^2).
        """
        m = pilot.shape[1]
        reference = pilot.mean(axis=0) if centred else np.zeros(m)
        entries = float(np.abs(pilot).max(initial=0.0))
        root = linalg.qr(pilot - reference, mode="r", check_finite=False)[0][:m]
        _, lengths, directions = linalg.svd(root, check_finite=False)
        floor = negligible_below(lengths, max(pilot.shape), eps, entries) or 1.0
        rank = int(np.count_nonzero(lengths > floor))
        return cls(reference, directions.T, np.maximum(lengths, floor), rank)

    @cached_property
    def whitener(self):
        """``Y / sigma``, shape (m, m): basis rows are ``(C - c0) whitener``."""
        return self.directions / self.lengths

    def rows(self, scaled):
        """Return the basis rows of scaled comparisons, shape (n, m)."""
        return (scaled - self.reference) @ self.whitener

    def clear(self, rows):
        """Return basis rows without the directions that are rounding in all of them."""
        used = np.abs(rows).max(axis=0, initial=0.0) > _ROUNDING
        used[: self.rank] = True
        return rows[:, used]

    def comparisons(self, rows):
        """Return the scaled comparisons that basis rows stand for, shape (n, m)."""
        return self.reference + (rows * self.lengths) @ self.directions.T

    def change_to(self, other, ratio=1.0):
        """Return the affine map from rows of this basis to those of another.

        Parameters
        ----------
        other : Basis
            On the same landmarks.
        ratio : float, default=1
            Scale of this one's comparisons over that of the other's.

        Returns
        -------
        linear : ndarray of shape (m, m)
        shift : ndarray of shape (m,)
            Rows of the other are ``y linear + shift``.
        """
        linear = (ratio * self.lengths)[:, None] * (self.directions.T @ other.whitener)
        return linear, (ratio * self.reference - other.reference) @ other.whitener

    def equals(self, other):
        """Tell whether another basis has the same rows."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("reference", "directions", "lengths")
        )

    def of_comparisons(self, linear):
        """Return a linear map of comparisons, ``(c - c0) B``, as one of basis rows.

        Parameters
        ----------
        linear : ndarray of shape (m, r)
            B.

        Returns
        -------
        loadings : ndarray of shape (m, r)
            ``Sigma Y'B``, so that ``y loadings = (c - c0) B``.
        """
        return self.lengths[:, None] * (self.directions.T @ linear)
