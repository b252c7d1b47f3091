"""Fisher's discriminant as a ridge regression on the classes, judged by leave-one-out.

Regressing the indicators of the classes on features, with a ridge, spans the axes of
Fisher's discriminant whose within-class scatter has the same ridge (Hastie, Buja &
Tibshirani): one model, read both ways. In discriminant coordinates t, in which the
regularised pooled covariance is one, the regression is

    f_k(t) = n_k / n + n_k t' (n_free I + sum_j n_j t_j t_j')^-1 t_k,

with t_k the class means about the mean of all: K - 1 numbers an object, from moments.

As a regression it says exactly what it would have predicted for an object had it not
been fitted to it: with h the object's leverage, ``f - (y - f) h / (1 - h)``. That
chooses the ridge, by squared error, and how sure the probabilities are:

    log p_k = (f_k - n_k / n) / temperature + log n_k / n + constant,

the temperature with the least log-loss on objects left out. A pseudo-object that could
be of any class stands against certainty where all of a few objects are told right.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
N_w     scatter of the classes about their means, summed                      (p, p)
W       discriminant axes, W'(N_w + ridge I)W = n_free I                      (p, q)
t       discriminant coordinates (x - mean) W, q = K - 1                      (q,)
======  ====================================================================  ======

References
----------
T. Hastie, A. Buja, R. Tibshirani (1995). Penalized discriminant analysis. Annals of
Statistics 23(1), 73-102. doi:10.1214/aos/1176324456
D. M. Allen (1974). The relationship between variable selection and data augmentation
and a method for prediction. Technometrics 16(1), 125-127 (exact leave-one-out).
doi:10.1080/00401706.1974.10489157
C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural
networks. ICML, section 4.2 (temperature).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize
from scipy.special import softmax

from ..factor import negligible
from ._discriminant import orientation

__all__ = [
    "RidgeDiscriminant",
    "choose_ridge",
    "choose_temperature",
    "fit_ridge_discriminant",
]

# Ridges tried, relative to the mean squared length of the features.
_RIDGES = np.logspace(-5, 1.5, 20)
_SHARPNESSES = 0.1, 150.0
# Below, the prediction of an object is its own label and nothing is left to judge.
_LEAST_REST = 1e-10


@dataclass(frozen=True, eq=False)
class RidgeDiscriminant:
    """Discriminant coordinates and the class probabilities that are read from them.

    Attributes
    ----------
    weights : ndarray of shape (p, K - 1)
        Coordinates are ``(features - mean) @ weights``. Columns past the rank are zero.
    mean : ndarray of shape (p,)
    means : ndarray of shape (K, K - 1)
        Of the classes, in discriminant coordinates.
    slopes : ndarray of shape (K - 1, K)
        Of the regression, by coordinate.
        What it adds to the shares of the classes.
    temperature : float
    """

    weights: np.ndarray
    mean: np.ndarray
    means: np.ndarray
    slopes: np.ndarray
    temperature: float

    def coordinates(self, features):
        """Return discriminant coordinates of features, shape (n, K - 1)."""
        return (features - self.mean) @ self.weights

    def log_joint(self, coordinates, log_priors):
        """Return log p(class | t) up to a constant, shape (n, K)."""
        return coordinates @ self.slopes / self.temperature + log_priors


def fit_ridge_discriminant(moments, ridge, temperature):
    """Return the discriminant of moments.

    Parameters
    ----------
    moments : ClassMoments
    ridge : float
        Added to the scatter.
    temperature : float

    Returns
    -------
    discriminant : RidgeDiscriminant
        Cost O(p^3), whatever the number of objects.
    """
    n_classes, p = moments.means.shape
    seen = moments.counts > 0
    n_free = max(moments.counts.sum() - seen.sum(), 1.0)
    system = moments.within + ridge * np.eye(p)
    root = linalg.cholesky(system / n_free, lower=True, check_finite=False)
    shares, mean = moments.shares, moments.mean
    gaps = np.where(seen[:, None], moments.means - mean, 0.0)
    whitened = linalg.solve_triangular(root, gaps.T, lower=True).T
    left, sizes, right = linalg.svd(
        np.sqrt(shares)[:, None] * whitened, full_matrices=False
    )
    rank = min(n_classes - 1, int((~negligible(sizes, max(gaps.shape))).sum()))
    rotation = right[:rank].T * orientation(left[:, :rank])
    weights = np.zeros((p, n_classes - 1))
    weights[:, :rank] = linalg.solve_triangular(root.T, rotation, lower=False)
    means = gaps @ weights
    # In these coordinates the scatter between the classes is diagonal, too.
    between = moments.counts @ np.square(means)
    slopes = (moments.counts[:, None] * means).T / (n_free + between)[:, None]
    return RidgeDiscriminant(weights, mean, means, slopes, temperature)


def choose_ridge(features, codes, n_classes, weights=None):
    """Return the ridge with the least squared error on objects left out.

    Parameters
    ----------
    features : ndarray of shape (n, p)
    codes : ndarray of shape (n,), dtype=int
    n_classes : int
    weights : ndarray of shape (n,), default=None
        Of the objects; one copy of an object of weight two is left out, and all of one
        whose weight is less than one.

    Returns
    -------
    ridge : float
    scores : ndarray of shape (n, K)
        What the regression without each object predicts for it. Cost O(n p^2 + p^3).
    """
    weights = np.ones(len(features)) if weights is None else weights
    truth = np.eye(n_classes)[codes]
    mean, shares = (
        np.average(part, axis=0, weights=weights) for part in (features, truth)
    )
    roots = np.sqrt(weights)[:, None]
    left, sizes, _ = linalg.svd(
        roots * (features - mean), full_matrices=False, check_finite=False
    )
    targets = left.T @ (roots * (truth - shares))
    # Of one copy of each object: rows of zero weight have no leverage of their own.
    copies = np.minimum(weights, 1.0)
    left = np.divide(left, roots, out=np.zeros_like(left), where=roots > 0)
    # Features that differ by rounding only get a ridge that rounding cannot overcome.
    rounding = np.finfo(np.float64).eps * np.square(mean).sum()
    scale = max(np.square(sizes).sum() / weights.sum(), rounding) or 1.0
    best, chosen = np.inf, None
    for ridge in _RIDGES * scale:
        kept = np.square(sizes) / (np.square(sizes) + ridge)
        leverages = copies * (1.0 / weights.sum() + np.square(left) @ kept)
        residuals = truth - (shares + left @ (kept[:, None] * targets))
        residuals /= np.maximum(1.0 - leverages, _LEAST_REST)[:, None]
        error = weights @ np.square(residuals).sum(axis=1)
        if error < best:
            best, chosen = error, (float(ridge), truth - residuals)
    return chosen


def choose_temperature(scores, codes, weights=None):
    """Return the temperature with the least log-loss on objects left out.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        From `choose_ridge`.
    codes : ndarray of shape (n,), dtype=int
    weights : ndarray of shape (n,), default=None

    Returns
    -------
    temperature : float
    """
    weights = np.ones(len(scores)) if weights is None else weights
    shares = np.bincount(codes, weights, minlength=scores.shape[1]) / weights.sum()
    seen = shares > 0
    gaps, base = (scores - shares)[:, seen], np.log(shares[seen])
    of_class = np.cumsum(seen)[codes] - 1
    right = gaps[np.arange(len(gaps)), of_class]
    # One object more than there are, whose class is drawn by the shares.
    at_random = np.average(gaps @ shares[seen], weights=weights)

    def slope(sharpness):
        probable = softmax(sharpness * gaps + base, axis=1)
        expected = (probable * gaps).sum(axis=1)
        known = weights @ (expected - right)
        return known + np.average(expected, weights=weights) - at_random

    # The log-loss is convex in one over the temperature.
    low, high = _SHARPNESSES
    if slope(low) >= 0:
        return 1.0 / low
    if slope(high) <= 0:
        return 1.0 / high
    return 1.0 / float(optimize.brentq(slope, low, high, xtol=1e-12))
