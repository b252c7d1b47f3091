"""New objects among fitted ones: by a linear map, or where their STRESS is least.

Eigenvectors are linear in the comparisons, so whoever keeps them has a linear map that
serves old and new objects alike. Refined coordinates are not linear in anything: a new
object is then placed where its own part of STRESS is least.

The squared errors of one new object x against the objects fitted,

    f(z) = sum_j (z'A z + q_j - 2 z'A z_j - D_xj)^2,     q_j = z_j'A z_j,

are a quartic function of its coordinates z. In principal axes, whose columns are
centred and orthogonal with squared lengths |w|, it depends on D_x through k + 1 numbers
only, and its global minimum is the root of one decreasing function of one variable:
what is known as squared-range least squares, here with axes of either sign.

======  =====================================================  ======
symbol  meaning                                                shape
======  =====================================================  ======
y       A z                                                    (k,)
y0      least-squares solution without the quadratic term,     (k,)
        ``-1/2 Z'(D_x - q) / |w|``
t       error of the squared length, ``y'A y - mean(D_x - q)`` ()
======  =====================================================  ======

Setting the gradient to zero gives ``y_l = y0_l / (1 + n t A_l / (2 |w_l|))``; where all
denominators are positive the stationary point is the global minimum.

References
----------
A. Beck, P. Stoica, J. Li (2008). Exact and approximate solutions of source localization
problems. IEEE Transactions on Signal Processing 56(5), 1770-1778: SR-LS, Section II.
doi:10.1109/TSP.2007.909342
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["LeastSquaresPlacement", "LinearPlacement"]

# Halvings of an interval that contains the root: more digits than float64 has.
_HALVINGS = 60
# Keeps 0 / 0 from becoming NaN where an object is at a pole and its y0 is zero.
_SMALLEST_DENOMINATOR = 1e-100


@dataclass(frozen=True, eq=False)
class LinearPlacement:
    """Coordinates that are linear in the comparisons.

    Attributes
    ----------
    mean : ndarray of shape (m,)
        Mean of the powered, scaled comparisons with each landmark.
    weights : ndarray of shape (m, k)
    """

    mean: np.ndarray
    weights: np.ndarray

    def of_scaled(self, scaled):
        """Return the coordinates of objects from their scaled, powered comparisons.

        Parameters
        ----------
        scaled : ndarray of shape (n_new, m)

        Returns
        -------
        Z : ndarray of shape (n_new, k)
        """
        return (scaled - self.mean) @ self.weights


@dataclass(frozen=True, eq=False)
class LeastSquaresPlacement:
    """Coordinates with the least squared error against the objects fitted.

    Attributes
    ----------
    coordinates : ndarray of shape (n, k)
        Z of the objects fitted, columns centred and orthogonal.
    weights : ndarray of shape (k,)
        Signed squared lengths of the columns; zero for columns that are zero.
    """

    coordinates: np.ndarray
    weights: np.ndarray

    def of_scaled(self, scaled):
        """Return the coordinates of objects from their scaled, powered comparisons.

        Parameters
        ----------
        scaled : ndarray of shape (n_new, n)

        Returns
        -------
        Z : ndarray of shape (n_new, k)
            Cost O(n k) an object, beside its n comparisons.
        """
        used = self.weights != 0
        Z = np.zeros((len(scaled), len(self.weights)))
        if not used.any():
            return Z
        fitted, weights = self.coordinates[:, used], self.weights[used]
        signs = np.sign(weights)
        excess = scaled - np.square(fitted) @ signs
        linear = -0.5 * (excess @ fitted) / np.abs(weights)
        pull = (0.5 * len(fitted)) / weights
        error = _length_errors(linear, signs, pull, excess.mean(axis=1))
        Z[:, used] = linear * signs / _denominators(error, pull)
        return Z


def _length_errors(linear, signs, pull, squared_lengths):
    """Return the t of each row.

    ``g(t) = sum A_l y0_l^2 / (1 + t pull_l)^2 - mean(D_x - q) - t`` falls faster than
    -t where all denominators are positive, so its root lies between 0 and g(0).
    """
    signed = np.square(linear) * signs
    at_zero = signed.sum(axis=1) - squared_lengths
    low, high = np.minimum(at_zero, 0.0), np.maximum(at_zero, 0.0)
    if (pull > 0).any():
        low = np.maximum(low, -1.0 / pull.max())
    if (pull < 0).any():
        high = np.minimum(high, -1.0 / pull.min())
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        value = (signed / np.square(_denominators(middle, pull))).sum(axis=1)
        above = value - squared_lengths - middle > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return 0.5 * (low + high)


def _denominators(error, pull):
    return np.maximum(1.0 + error[:, None] * pull, _SMALLEST_DENOMINATOR)
