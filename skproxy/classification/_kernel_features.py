"""Kernels on what the comparisons with landmarks say of an object.

Curved decisions cost no comparison: what an object's comparisons say is a vector, and a
kernel on vectors is arithmetic. Several vectors can be read from the same comparisons -
coordinates of the signed factor for the power asked for and for half of it, which
tempers large dissimilarities, and the standardised columns themselves - and none is the
best everywhere. The *sum* of their kernels is a kernel too, and by leave-one-out and on
new objects as good as the best of them, which no choice by leave-one-out was.

With q centres among the objects first seen, an object's features are its kernel values
with the centres, whitened by the kernel among the centres (Williams & Seeger):

    phi(x) = k(x, centres) W,    W W' = k(centres, centres)^+,

so that a ridge in phi is the kernel's ridge, restricted to the centres. Radial kernels
are bounded by one: an object far from all others has features near zero instead of
coordinates that run away. Where classes differ by small axes of the factor - negative
ones may carry all that matters - radial kernels need many objects to see it, and a
linear kernel in the sum does not: whether it is there is for leave-one-out to say.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
c       comparisons with the landmarks, over their unit                       (m,)
z       coordinates (c^power - mean) weights                                  (r,)
width   `_WIDTH` times the median squared distance among the centres          scalar
k       sum of kernels exp(-|z - z'|^2 / width), perhaps one more, z'z        scalar
W       whitener                                                              (q, p)
======  ====================================================================  ======

References
----------
C. K. I. Williams, M. Seeger (2001). Using the Nystrom method to speed up kernel
machines. NIPS 13, 682-688.
G. R. G. Lanckriet, N. Cristianini, P. Bartlett, L. El Ghaoui, M. I. Jordan (2004).
Learning the kernel matrix with semidefinite programming. JMLR 5, 27-72 (sums of
kernels).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

__all__ = [
    "KernelFeatures",
    "LinearKernel",
    "RadialKernel",
    "column_map",
    "is_first",
    "n_centres",
    "to_power",
]

# Halving or doubling it changes accuracies by less than one point in the mean.
_WIDTH = 2.0
_CENTRES = 300
# Directions of the kernel among the centres below this share are rounding, magnified.
_CUT = 1e-8
# Squared distances below this share of squared lengths are rounding.
_ROUNDING = 1e-12
# Powered comparisons beyond say no more than "far", and their squares would overflow.
_FARTHEST = 1e100


def n_centres(n_objects):
    """Return how many of the objects first seen become centres."""
    return min(n_objects, _CENTRES)


def column_map(powered, weights=None):
    """Return mean and weights that standardise columns.

    Constant columns become zero, and so do those that repeat an earlier one: a landmark
    given twice says nothing new.

    Parameters
    ----------
    powered : ndarray of shape (n, m)
    weights : ndarray of shape (n,), default=None
        Of the objects.

    Returns
    -------
    mean : ndarray of shape (m,)
    weights : ndarray of shape (m, m)
        Diagonal.
    """
    mean = np.average(powered, axis=0, weights=weights)
    squares = np.average(np.square(powered - mean), axis=0, weights=weights)
    deviations = np.sqrt(squares)
    rounding = _ROUNDING * (np.abs(mean) + deviations.max(initial=0.0))
    useful = (deviations > rounding) & is_first(powered)
    inverse = np.divide(1.0, deviations, out=np.zeros_like(mean), where=useful)
    return mean, np.diag(inverse)


def is_first(columns):
    """Tell which columns repeat no earlier one, up to rounding, shape (m,)."""
    largest = np.abs(columns).max(initial=0.0) or 1.0
    rounded = np.round(columns / largest, 10) + 0.0  # no zero is negative
    _, first = np.unique(rounded, axis=1, return_index=True)
    found = np.zeros(columns.shape[1], dtype=bool)
    found[first] = True
    return found


def weighted_median(values, weights):
    """Return the least value that half of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return values[order[np.searchsorted(reached, reached[-1] / 2)]]


@dataclass(frozen=True, eq=False)
class RadialKernel:
    """``exp(-|z - z'|^2 / width)`` between objects and centres.

    Attributes
    ----------
    power : float
    mean : ndarray of shape (m,)
    weights : ndarray of shape (m, r)
        Coordinates over the square root of the width.
    centres : ndarray of shape (q, r)
        Their coordinates, likewise.
    """

    power: float
    mean: np.ndarray
    weights: np.ndarray
    centres: np.ndarray

    @classmethod
    def of(cls, one, at_centres, copies):
        """Return the kernel of given coordinates.

        Parameters
        ----------
        one : tuple (power, mean, weights)
            Of shapes scalar, (m,) and (m, r).
        at_centres : ndarray of shape (q, m)
            Comparisons of the centres, over their unit.
        copies : ndarray of shape (q,)
            How many objects each centre stands for.
        """
        power, mean, weights = one
        centres = (to_power(at_centres, power) - mean) @ weights
        pairs = np.triu_indices(len(centres))
        gaps = _squared_gaps(centres, centres)
        np.fill_diagonal(gaps, 0.0)
        gaps = gaps[pairs]
        length = np.square(centres).sum(axis=1).max()
        # An object and its own copies are pairs, too, an object and itself is none.
        numbers = copies[pairs[0]] * copies[pairs[1]]
        same = pairs[0] == pairs[1]
        numbers[same] = copies * np.maximum(copies - 1.0, 0.0) / 2
        middle = weighted_median(gaps, numbers) if numbers.any() else 0.0
        if middle <= _ROUNDING * length:  # most centres are equal, perhaps all
            middle = max(gaps.max(initial=0.0), length) or 1.0
        unit = 1.0 / np.sqrt(_WIDTH * middle)
        return cls(power, mean, weights * unit, centres * unit)

    def values(self, comparisons):
        """Return kernel values with the centres, shape (n, q)."""
        z = (to_power(comparisons, self.power) - self.mean) @ self.weights
        return np.exp(-_squared_gaps(z, self.centres))

    def own(self, comparisons):
        """Return the kernel of objects with themselves, shape (n,)."""
        return np.ones(len(comparisons))


@dataclass(frozen=True, eq=False)
class LinearKernel:
    """``z z'`` between objects and centres, their mean square one.

    Attributes
    ----------
    power, mean, weights, centres
        As in `RadialKernel`, coordinates over their root mean square.
    """

    power: float
    mean: np.ndarray
    weights: np.ndarray
    centres: np.ndarray

    @classmethod
    def of(cls, one, at_centres, copies):
        """Return the kernel of given coordinates, as `RadialKernel.of` does."""
        power, mean, weights = one
        centres = (to_power(at_centres, power) - mean) @ weights
        square = np.average(np.square(centres).sum(axis=1), weights=copies)
        unit = 1.0 / np.sqrt(square) if square > 0 else 1.0
        return cls(power, mean, weights * unit, centres * unit)

    def values(self, comparisons):
        """Return kernel values with the centres, shape (n, q)."""
        z = (to_power(comparisons, self.power) - self.mean) @ self.weights
        return z @ self.centres.T

    def own(self, comparisons):
        """Return the kernel of objects with themselves, shape (n,)."""
        z = (to_power(comparisons, self.power) - self.mean) @ self.weights
        return np.square(z).sum(axis=1)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """Features of the sum of several kernels.

    Attributes
    ----------
    kernels : tuple of RadialKernel and LinearKernel
    whitener : ndarray of shape (q, p)
    """

    kernels: tuple
    whitener: np.ndarray

    @classmethod
    def of(cls, kernels, at_centres):
        """Return the features of given kernels.

        Parameters
        ----------
        kernels : sequence of RadialKernel and LinearKernel
            With the same centres.
        at_centres : ndarray of shape (q, m)
            Comparisons of the centres, over their unit. Cost O(q^3 + q^2 m).
        """
        among = sum(kernel.values(at_centres) for kernel in kernels)
        a, vectors = linalg.eigh((among + among.T) / 2, check_finite=False)
        kept = a > _CUT * a.max()
        return cls(tuple(kernels), vectors[:, kept] / np.sqrt(a[kept]))

    def rows(self, comparisons):
        """Return the features of objects, shape (n, p), at O(q (m + p)) each.

        Parameters
        ----------
        comparisons : ndarray of shape (n, m)
            With the landmarks, over their unit.
        """
        values = sum(kernel.values(comparisons) for kernel in self.kernels)
        return values @ self.whitener

    def own(self, comparisons):
        """Return the kernel of objects with themselves, shape (n,).

        At least their squared length: what is missing, the centres do not explain.
        """
        return sum(kernel.own(comparisons) for kernel in self.kernels)


def to_power(comparisons, power):
    """Return powered comparisons, none so large that its square overflows."""
    if power == 1:
        return np.clip(comparisons, -_FARTHEST, _FARTHEST)
    # Whatever is negative here was found to be rounding.
    with np.errstate(over="ignore"):
        powered = np.maximum(comparisons, 0.0) ** power
    return np.minimum(powered, _FARTHEST)


def _squared_gaps(z, centres):
    gaps = z @ (-2.0 * centres.T)
    gaps += np.square(z).sum(axis=1)[:, None]
    gaps += np.square(centres).sum(axis=1)
    return np.maximum(gaps, 0.0, out=gaps)
