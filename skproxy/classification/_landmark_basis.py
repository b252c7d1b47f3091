"""Fit of the landmark basis: from columns of comparisons to a few weighted landmarks.

Columns are centred and scaled to unit variance, so that weights compare. What the EM
leaves is estimated once more by a ridge: the truncated prior is good at choosing
columns, but it bounds the weights of those it keeps hardly at all. Columns that any
class keeps have to be compared anyway, so this last fit gives all of them to every
class.
"""

import numpy as np

from ..comparisons._objects import block_rows, consecutive_blocks
from ._evidence_ridge import evidence_ridge
from ._predictor import (
    Predictor,
    choose_moderation,
    leave_one_out,
    posterior_spread,
)

__all__ = ["estimate_kept", "in_units_of_columns", "standardise"]


def standardise(columns, weights=None):
    """Centre columns and scale them to unit variance, in place.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
    weights : ndarray of shape (N,), default=None
        Of the objects.

    Returns
    -------
    means, deviations : ndarray of shape (k,)
        Deviations are zero for constant columns, which become zero.
    """
    weights = np.ones(len(columns)) if weights is None else weights
    means = weights @ columns / weights.sum()
    squares = np.zeros(columns.shape[1])
    blocks = list(consecutive_blocks(len(columns), block_rows(columns.shape[1])))
    for rows in blocks:
        columns[rows] -= means
        squares += weights[rows] @ np.square(columns[rows])
    deviations = np.sqrt(squares / weights.sum())
    rounding = 1e-12 * (np.abs(means) + deviations.max(initial=0.0))
    deviations[deviations <= rounding] = 0.0
    inverse = np.divide(
        1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0
    )
    for rows in blocks:
        columns[rows] *= inverse
    return means, deviations


def estimate_kept(columns, labels, weights, fits, copies=None):
    """Estimate every class by a ridge on the columns that any class keeps.

    Parameters
    ----------
    columns, labels, weights
        As in `prune_separately`.
    fits : list of Fit
        Changed in place.
    copies : ndarray of shape (N,), default=None
        What is left out of the weight of an object; None leaves out all.

    Returns
    -------
    fits : list of Fit
    """
    copies = weights if copies is None else copies
    kept = np.unique(np.concatenate([fit.kept for fit in fits]))
    if len(kept) < columns.shape[1]:
        columns = columns[:, kept]
    left_out = []
    for y, fit in zip(labels, fits, strict=True):
        state, strength = evidence_ridge(columns, y, weights)
        fit.kept, fit.bias = kept, state.b
        fit.weights[kept] = state.v
        fit.spread = posterior_spread(columns, y, weights, state, strength)
        left_out.append(leave_one_out(columns, y, copies, state, fit.spread))
    moderation = choose_moderation(*zip(*left_out, strict=True), labels, weights)
    for fit in fits:
        fit.moderation = moderation
    return fits


def in_units_of_columns(fits, positions, means, deviations):
    """Return the predictor on the kept columns as they were before `standardise`.

    Parameters
    ----------
    fits : list of Fit
    positions : ndarray of shape (k,)
        Of the columns fitted, among all.
    means, deviations : ndarray
        Of all columns.

    Returns
    -------
    predictor : Predictor
    kept : ndarray of int
        Positions of its columns, among all; at least one.
    """
    kept = np.unique(np.concatenate([fit.kept for fit in fits]))
    spreads = tuple(fit.spread for fit in fits if fit.spread is not None)
    weights = np.array([fit.weights[kept] for fit in fits]).T
    bias = np.array([fit.bias for fit in fits])
    kept = positions[kept]
    if len(kept) == 0:  # nothing tells the objects apart
        return Predictor(np.zeros((1, len(fits))), bias), np.zeros(1, dtype=np.intp)
    weights /= deviations[kept, None]
    raw = []
    for spread in spreads:
        scaled = spread[:-1] / deviations[kept, None]
        raw.append(np.vstack([scaled, spread[-1] - means[kept] @ scaled]))
    bias = bias - means[kept] @ weights
    return Predictor(weights, bias, tuple(raw), fits[0].moderation), kept
