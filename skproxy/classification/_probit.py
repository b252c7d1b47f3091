"""The probit link, to full relative accuracy for margins of any size.

A margin is y z, with labels y of +1 and -1. Where the normal cdf underflows (below -38)
its logarithm and the Mills ratio do not.
"""

import numpy as np
from scipy.special import log_ndtr

__all__ = ["inverse_mills", "log_likelihood", "probit_derivatives"]

_HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)


def log_likelihood(margins, weights):
    """Return the weighted sum of ``log Psi(margin)``."""
    return float(weights @ log_ndtr(margins))


def inverse_mills(margins):
    """Return ``phi(margin) / Psi(margin)``, the derivative of log Psi, elementwise."""
    return np.exp(-0.5 * np.square(margins) - _HALF_LOG_2PI - log_ndtr(margins))


def probit_derivatives(margins):
    """Return first derivative and negative second derivative of log Psi.

    Returns
    -------
    slopes : ndarray of shape (n,)
        Positive.
    curvatures : ndarray of shape (n,)
        Between 0 and 1.
    """
    slopes = inverse_mills(margins)
    return slopes, np.clip(slopes * (slopes + margins), 0.0, 1.0)
