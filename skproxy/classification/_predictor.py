"""From linear predictors to probabilities that know what the weights do not.

Weights learned from few objects are uncertain, and probabilities from their best values
alone are too sure of themselves. With z and s^2 the mean and the posterior variance of
the predictor of an object, the probit's probability is exactly

    P(y = 1) = Psi(z / sqrt(1 + c s^2)),    c = 1,

MacKay's moderated output. The Gaussian around the best weights is often too wide where
classes can be separated, so c, the *moderation*, is chosen between none and too much by
the log-loss of leaving one object out (to first order, without refitting).

With more than two classes the K statements "it is class k" are taken as independent,
given that exactly one is true: the odds Psi(z_k) / Psi(-z_k) are normalised. Where
nothing is known of s^2, the Psi(z_k) are: that is less sure of itself.

References
----------
D. J. C. MacKay (1992). The evidence framework applied to classification networks.
Neural Computation 4(5), 720-736. doi:10.1162/neco.1992.4.5.720
K. Rahnama Rad, A. Maleki (2020). A scalable estimate of the out-of-sample prediction
error via approximate leave-one-out cross-validation. JRSS B 82(4), 965-996.
doi:10.1111/rssb.12374
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.special import log_ndtr, logsumexp

from ..comparisons._objects import block_rows, consecutive_blocks
from ._probit import probit_derivatives
from ._probit_em import unit_system

__all__ = [
    "Predictor",
    "choose_moderation",
    "leave_one_out",
    "log_probabilities",
    "posterior_spread",
]

_MODERATIONS = 0.0, 0.03, 0.1, 0.3, 1.0, 3.0
# Objects whose own label decides all of their prediction count as left out this far.
_LEAST_REST = 1e-3


@dataclass(frozen=True, eq=False)
class Predictor:
    """Linear predictors of K problems on k columns, with their uncertainty.

    Attributes
    ----------
    weights : ndarray of shape (k, K)
    bias : ndarray of shape (K,)
    spreads : sequence of K ndarray of shape (k + 1, r), default=()
        Roots of the posterior covariance of weights and bias, where it is known.
    moderation : float, default=0
        c.
    """

    weights: np.ndarray
    bias: np.ndarray
    spreads: tuple = ()
    moderation: float = 0.0

    @property
    def odds(self):
        """Whether odds or probabilities of several classes are made to sum to one."""
        return len(self.spreads) > 0

    def margins(self, block):
        """Return ``z / sqrt(1 + c s^2)``, shape (n, K), of rows of k columns."""
        z = block @ self.weights + self.bias
        if self.moderation > 0:
            for problem, spread in enumerate(self.spreads):
                variances = np.square(block @ spread[:-1] + spread[-1]).sum(axis=1)
                z[:, problem] /= np.sqrt(1.0 + self.moderation * variances)
        return z


def log_probabilities(margins, odds=True):
    """Return log probabilities of the classes, finite for any margin.

    Parameters
    ----------
    margins : ndarray of shape (n,) or (n, K)
        Of the second class, or of each of K > 1 classes against the rest.
    odds : bool, default=True
        Whether odds or probabilities of K > 1 classes are made to sum to one.

    Returns
    -------
    log_probabilities : ndarray of shape (n, 2) or (n, K)
    """
    if margins.ndim == 1:
        return log_ndtr(np.column_stack([-margins, margins]))
    shares = log_ndtr(margins)
    if odds:
        shares -= log_ndtr(-margins)
    return shares - logsumexp(shares, axis=1, keepdims=True)


def posterior_spread(columns, y, weights, state, strength):
    """Return a root R of Laplace's posterior covariance R R' of weights and bias.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
    y, weights : ndarray of shape (N,)
        Labels, +1 and -1, and weights of the objects.
    state : LinearState
        At the best weights under a ridge.
    strength : float
        Precision of all weights.

    Returns
    -------
    spread : ndarray of shape (k + 1, k + 1)
        Cost O(N k^2).
    """
    _, curvatures = probit_derivatives(y * state.z)
    unit = np.full(columns.shape[1], 1.0 / np.sqrt(strength))
    system = unit_system(columns, weights * curvatures, weights, unit)
    root = linalg.cholesky(system, lower=True, check_finite=False)
    inverse = linalg.solve_triangular(root, np.eye(len(root)), lower=True)
    return inverse.T * np.append(unit, 1.0)[:, None]


def leave_one_out(columns, y, weights, state, spread):
    """Return predictors of each object as if it had not been learned from.

    One Newton step away from the fit with all: with h the variance of the predictor, g
    and -c the derivatives of the log-likelihood by z, times the object's weight,
    ``z - g h / (1 - c h)`` and ``h / (1 - c h)``.

    Parameters
    ----------
    columns, y, weights, state
        As in `posterior_spread`; of an object of larger weight, the weight of the copy
        that is left out.
    spread : ndarray of shape (k + 1, k + 1)

    Returns
    -------
    predictors, variances : ndarray of shape (N,)
        Cost O(N k^2), block by block.
    """
    variances = np.empty(len(columns))
    for rows in consecutive_blocks(len(columns), block_rows(columns.shape[1] + 1)):
        deviations = columns[rows] @ spread[:-1] + spread[-1]
        variances[rows] = np.square(deviations).sum(axis=1)
    slopes, curvatures = probit_derivatives(y * state.z)
    rest = np.maximum(1.0 - weights * curvatures * variances, _LEAST_REST)
    variances /= rest
    return state.z - weights * y * slopes * variances, variances


def choose_moderation(predictors, variances, labels, weights):
    """Return the moderation with the least log-loss on objects left out.

    Parameters
    ----------
    predictors, variances, labels : list of K ndarray of shape (N,)
        Labels are +1 and -1.
    weights : ndarray of shape (N,)
        Of the objects.

    Returns
    -------
    moderation : float
        Of equally good ones the smallest.
    """
    z, s2 = np.column_stack(predictors), np.column_stack(variances)
    truth = np.column_stack(labels) > 0
    if z.shape[1] == 1:
        truth = np.column_stack([~truth, truth])
    losses = []
    for moderation in _MODERATIONS:
        margins = z / np.sqrt(1.0 + moderation * s2)
        found = log_probabilities(margins[:, 0] if z.shape[1] == 1 else margins)
        losses.append(-weights @ np.where(truth, found, 0.0).sum(axis=1))
    return _MODERATIONS[int(np.argmin(losses))]
