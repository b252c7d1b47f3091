"""Probit regression under a ridge, its strength chosen by the evidence."""

import numpy as np

from ._probit_em import LinearState, free_parameters, newton_step

__all__ = ["evidence_ridge", "probit_ridge"]

_RIDGE_ROUNDS = 10
_RIDGE_RANGE = 1e-4, 1e6


def probit_ridge(columns, y, weights, strength=1.0, n_steps=5):
    """Return a few Newton steps of probit regression with a given ridge.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
    y, weights : ndarray of shape (N,)
    strength : float, default=1
        Precision of all weights.
    n_steps : int, default=5

    Returns
    -------
    state : LinearState
    """
    state = LinearState.of(columns, y, weights, np.zeros(columns.shape[1]), 0.0)
    precision = np.full(columns.shape[1], strength)
    for _ in range(n_steps):
        state = newton_step(columns, y, weights, state, precision, keep_signs=False)
    return state


def evidence_ridge(columns, y, weights):
    """Return probit regression with a ridge as strong as the evidence has it.

    MacKay's fixed point, ``precision = (determined weights) / sum v^2``, in a bounded
    number of rounds of two Newton steps.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
        Of about unit variance.
    y, weights : ndarray of shape (N,)

    Returns
    -------
    state : LinearState
    strength : float
        Precision of all weights. Cost O(N k^2).

    References
    ----------
    D. J. C. MacKay (1992). The evidence framework applied to classification networks.
    Neural Computation 4(5), 720-736. doi:10.1162/neco.1992.4.5.720
    """
    k = columns.shape[1]
    state = LinearState.of(columns, y, weights, np.zeros(k), 0.0)
    strength = 0.01  # weak: from a strong one the fixed point may run to infinity
    for _ in range(_RIDGE_ROUNDS):
        precision = np.full(k, strength)
        for _ in range(2):
            state = newton_step(columns, y, weights, state, precision, keep_signs=False)
        size = float(state.v @ state.v)
        if size == 0.0:
            break
        determined = free_parameters(columns, y, weights, state, precision)
        before, strength = strength, float(np.clip(determined / size, *_RIDGE_RANGE))
        if abs(strength - before) <= 0.01 * before:
            break
    return state, strength
