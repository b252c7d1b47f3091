"""Gaussian-process regression on features, read from their moments alone.

The values of objects are ``y = f + noise`` with ``f = b + w'phi`` a Gaussian process:
w has the variance s^2 in every direction, b is anything. What an object's features miss
of its own kernel, ``k(x, x) - |phi|^2``, the objects seen say nothing about: there the
process varies as before, and the standard deviation of a prediction says so.

======  =====================================================================  ======
symbol  meaning                                                                shape
======  =====================================================================  ======
phi     features, about their mean                                             (p,)
t, V    eigenvalues and -vectors of the scatter of the features                (p,)
c       ``V'`` times the scatter of features and values                        (p,)
l       ratio of the variances of the noise and of a weight                    ()
======  =====================================================================  ======

References
----------
C. E. Rasmussen, C. K. I. Williams (2006). Gaussian Processes for Machine Learning. MIT
Press, sections 2.1 (weight space), 2.7 (explicit basis functions), 5.4 (evidence) and
8.3 (subset of regressors, and why its variances need the part that features miss).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

__all__ = ["GaussianRegression", "evidence_of", "moment_rows"]

# Ratios tried, relative to the mean eigenvalue, and how near the best is sought.
_LOG_RATIOS = np.linspace(-25.0, 15.0, 41)
# Squared errors below this share of the squares of the values are rounding.
_ROUNDING = 1e-14


def moment_rows(features, comparisons, y):
    """Return the rows whose moments are kept: features, value, and what they miss.

    Parameters
    ----------
    features : KernelFeatures
    comparisons : ndarray of shape (n, m)
    y : ndarray of shape (n,)

    Returns
    -------
    rows : ndarray of shape (n, p + 2)
    """
    phi = features.rows(comparisons)
    return np.column_stack([phi, y, missed(features, comparisons, phi)])


def missed(features, comparisons, phi):
    """Return ``k(x, x) - |phi|^2`` of objects, not below zero, shape (n,)."""
    left = features.own(comparisons) - np.square(phi).sum(axis=1)
    return np.maximum(left, 0.0)


@dataclass(frozen=True, eq=False)
class GaussianRegression:
    """A Gaussian process, given the objects seen.

    Attributes
    ----------
    count : int
        Number of these.
    mean : ndarray of shape (p,)
        Of their features.
    offset : float
        Mean of their values.
    eigenvalues : ndarray of shape (p,)
        t.
    directions : ndarray of shape (p, p)
        V.
    slopes : ndarray of shape (p,)
        Of the prediction along the directions.
    noise_variance, signal_variance : float
        Of the noise, and of a weight, in squared units of the values.
    usually_missed : float
        Mean over the objects seen of what features miss; the noise has that already.
    log_evidence : float
        Log marginal likelihood, b and the noise integrated over a flat prior, up to a
        constant that depends on the number of objects only.
    """

    count: int
    mean: np.ndarray
    offset: float
    eigenvalues: np.ndarray
    directions: np.ndarray
    slopes: np.ndarray
    noise_variance: float
    signal_variance: float
    usually_missed: float
    log_evidence: float

    def predict(self, phi):
        """Return expected values, shape (n,).

        Parameters
        ----------
        phi : ndarray of shape (n, p)
        """
        return (phi - self.mean) @ (self.directions @ self.slopes) + self.offset

    def variance(self, phi, left):
        """Return the variances of new values about the prediction, shape (n,).

        Parameters
        ----------
        phi : ndarray of shape (n, p)
        left : ndarray of shape (n,)
            What the features miss.
        """
        if self.signal_variance == 0.0:
            return np.full(len(phi), self.noise_variance * (1.0 + 1.0 / self.count))
        ratio = self.noise_variance / self.signal_variance
        along = np.square((phi - self.mean) @ self.directions)
        known = along @ (1.0 / (self.eigenvalues + ratio))
        unknown = np.maximum(left - self.usually_missed, 0.0)
        seen = self.noise_variance * (1.0 + 1.0 / self.count + known)
        return seen + self.signal_variance * unknown


def evidence_of(moments):
    """Return the regression that makes the values most likely.

    Parameters
    ----------
    moments : Moments
        Of `moment_rows`.

    Returns
    -------
    regression : GaussianRegression
        ``2 log p = -(n - 1) log(e(l) / (n - 1)) - sum log(1 + t / l)`` is largest, with
        the squared error ``e(l) = y'y - sum c^2 / (t + l)``; the noise has the variance
        ``e(l) / (n - 1)``. Cost O(p^3).
    """
    p, n = len(moments.mean) - 2, moments.count
    t, directions = linalg.eigh(moments.scatter[:p, :p], check_finite=False)
    t = np.maximum(t, 0.0)
    c = directions.T @ moments.scatter[:p, p]
    whole, n_free = float(moments.scatter[p, p]), max(n - 1, 1)
    unit = float(t.mean()) or 1.0

    def error(ratio):
        left = whole - float(np.square(c) @ (1.0 / (t + ratio)))
        return max(left, _ROUNDING * whole)

    def misfit(log_ratio):
        ratio = unit * np.exp(log_ratio)
        return n_free * np.log(error(ratio) / n_free) + np.log1p(t / ratio).sum()

    signal, noise, evidence, slopes = 0.0, whole / n_free, 0.0, np.zeros(p)
    if whole > 0:
        start = min(_LOG_RATIOS, key=misfit)
        best = optimize.minimize_scalar(
            misfit, bounds=(start - 1.0, start + 1.0), method="bounded"
        )
        ratio = unit * np.exp(best.x)
        noise, evidence = error(ratio) / n_free, -0.5 * float(best.fun)
        signal, slopes = noise / ratio, c / (t + ratio)
    return GaussianRegression(
        count=n,
        mean=moments.mean[:p],
        offset=float(moments.mean[p]),
        eigenvalues=t,
        directions=directions,
        slopes=slopes,
        noise_variance=noise,
        signal_variance=signal,
        usually_missed=float(moments.mean[p + 1]),
        log_evidence=evidence,
    )
