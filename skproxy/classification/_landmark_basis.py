"""Fit of the landmark basis: from columns of comparisons to a few weighted landmarks.

Columns are centred and scaled to unit variance, so that weights compare.

The start decides which optimum is found. It is a probit ridge with all columns, its
strength chosen by the evidence, and split by sign; from weights at random, as in the
reference, the EM ends in over-confident optima. What the EM leaves is estimated once
more by such a ridge: the truncated prior is good at choosing columns, but it bounds
the weights of those it keeps hardly at all. Columns that any class keeps have to be
compared anyway, so this last fit gives all of them to every class.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..comparisons import SILENT
from ..comparisons._objects import block_rows, consecutive_blocks
from ._predictor import (
    Predictor,
    choose_moderation,
    leave_one_out,
    posterior_spread,
)
from ._probit_em import LinearState, free_parameters, newton_step

__all__ = [
    "Fit",
    "Stopping",
    "evidence_ridge",
    "fit_separately",
    "fit_together",
    "in_units_of_columns",
    "probit_ridge",
    "standardise",
]

# Where the largest weight of unit columns is below this, no column says anything.
_NOTHING = 1e-6
_RIDGE_ROUNDS = 10
_RIDGE_RANGE = 1e-4, 1e6


@dataclass(frozen=True)
class Stopping:
    """When weights are dropped and when iterations end.

    Attributes
    ----------
    prune : float
        Weights below this fraction of the largest are dropped.
    tol : float
        Iterations end when no weight changes by more than this fraction of the
        largest.
    max_iter : int
    min_kept : int
        Iterations also end when fewer weights would remain (landmark basis only).
    progress : Progress
        Told of iterations.
    """

    prune: float
    tol: float
    max_iter: int
    min_kept: int = 1
    progress: Any = SILENT

    def rounds(self):
        """Yield once for each iteration, until a callback asks for the end."""
        return self.progress.steps("learn weights", self.max_iter, "iteration")

    def keep(self, sizes):
        """Return which weights stay, and whether no more may go."""
        keep = sizes > self.prune * sizes.max()
        if keep.sum() > self.min_kept and sizes.max() > _NOTHING:
            return keep, False
        keep = np.zeros(len(sizes), dtype=bool)
        keep[np.argsort(-sizes, kind="stable")[: self.min_kept]] = True
        return keep, self.min_kept > 1 or sizes.max() <= _NOTHING


@dataclass(eq=False)
class Fit:
    """Weights of one class against the rest, and how they were reached.

    Attributes
    ----------
    weights : ndarray of shape (k,)
        Zero where pruned.
    bias : float
    kept : ndarray of int
        Positions of the columns that stay.
    spread : ndarray of shape (len(kept) + 1, len(kept) + 1)
        Root of the posterior covariance of their weights and the bias.
    moderation : float
        How much of that covariance probabilities are moderated by.
    objective : list of float
        After each iteration, before pruning.
    n_active : list of int
        Weights that took part in each iteration.
    converged : bool
    """

    weights: np.ndarray
    bias: float
    kept: np.ndarray | None = None
    spread: np.ndarray | None = None
    moderation: float = 0.0
    objective: list = field(default_factory=list)
    n_active: list = field(default_factory=list)
    converged: bool = False


def standardise(columns):
    """Centre columns and scale them to unit variance, in place.

    Returns
    -------
    means, deviations : ndarray of shape (k,)
        Deviations are zero for constant columns, which become zero.
    """
    means = columns.mean(axis=0)
    squares = np.zeros(columns.shape[1])
    blocks = list(consecutive_blocks(len(columns), block_rows(columns.shape[1])))
    for rows in blocks:
        columns[rows] -= means
        squares += np.square(columns[rows]).sum(axis=0)
    deviations = np.sqrt(squares / len(columns))
    rounding = 1e-12 * (np.abs(means) + deviations.max(initial=0.0))
    deviations[deviations <= rounding] = 0.0
    inverse = np.divide(
        1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0
    )
    for rows in blocks:
        columns[rows] *= inverse
    return means, deviations


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


def fit_separately(columns, labels, weights, stopping):
    """Fit each class against the rest by itself.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
        Standardised, none constant.
    labels : list of ndarray of shape (N,)
        +1 and -1, one for each problem.
    weights : ndarray of shape (N,)
        Of the objects.
    stopping : Stopping

    Returns
    -------
    fits : list of Fit
    """
    fits = [_fit_one(columns, y, weights, stopping) for y in labels]
    return _estimate_kept(columns, labels, weights, fits)


def _fit_one(columns, y, weights, stopping):
    fit = Fit(np.zeros(columns.shape[1]), 0.0)
    state, _ = evidence_ridge(columns, y, weights)
    kept = np.arange(columns.shape[1])
    kept, columns, (state,) = _drop(
        columns, kept, [(state, y)], weights, np.abs(state.v) > 0
    )
    for _ in stopping.rounds():
        if len(kept) == 0:
            fit.converged = True
            break
        before = state.v
        precision = 0.5 / np.square(before)
        state = newton_step(columns, y, weights, state, precision, keep_signs=True)
        sizes = np.abs(state.v)
        fit.objective.append(-state.loss - 0.5 * float(np.log(sizes).sum()))
        fit.n_active.append(len(kept))
        keep, enough = stopping.keep(sizes)
        if not keep.all():
            kept, columns, (state,) = _drop(columns, kept, [(state, y)], weights, keep)
        if enough:
            fit.converged = True
            break
        if keep.all() and np.abs(state.v - before).max() <= stopping.tol * sizes.max():
            fit.converged = True
            break
    fit.kept = kept
    return fit


def fit_together(columns, labels, weights, stopping):
    """Fit all classes with one precision per column, so that they drop the same ones.

    With K classes the precision of a column is ``K / (2 sum_k v_jk^2)``; as it serves
    both signs of a weight, the weights of single classes may change theirs.

    Parameters
    ----------
    columns, labels, weights, stopping
        As in `fit_separately`.

    Returns
    -------
    fits : list of Fit
        Sharing their history; the objective is that of all classes.
    """
    whole = columns
    states = [evidence_ridge(columns, y, weights)[0] for y in labels]
    kept = np.arange(columns.shape[1])
    objective, n_active, converged = [], [], False
    n_problems = len(labels)
    for _ in stopping.rounds():
        if len(kept) == 0:
            converged = True
            break
        before = np.array([state.v for state in states])
        precision = 0.5 * n_problems / np.square(before).sum(axis=0)
        states = [
            newton_step(columns, y, weights, state, precision, keep_signs=False)
            for state, y in zip(states, labels, strict=True)
        ]
        after = np.array([state.v for state in states])
        sizes = np.sqrt(np.square(after).mean(axis=0))
        loss = sum(state.loss for state in states)
        objective.append(-loss - 0.5 * n_problems * float(np.log(sizes).sum()))
        n_active.append(len(kept))
        keep, enough = stopping.keep(sizes)
        if not keep.all():
            pairs = list(zip(states, labels, strict=True))
            kept, columns, states = _drop(columns, kept, pairs, weights, keep)
        if enough:
            converged = True
            break
        if (
            keep.all()
            and np.abs(after - before).max() <= stopping.tol * np.abs(after).max()
        ):
            converged = True
            break
    fits = [
        Fit(
            np.zeros(whole.shape[1]),
            0.0,
            kept,
            objective=objective,
            n_active=n_active,
            converged=converged,
        )
        for _ in labels
    ]
    return _estimate_kept(whole, labels, weights, fits)


def _estimate_kept(columns, labels, weights, fits):
    """Estimate every class by a ridge on the columns that any class keeps."""
    kept = np.unique(np.concatenate([fit.kept for fit in fits]))
    if len(kept) < columns.shape[1]:
        columns = columns[:, kept]
    left_out = []
    for y, fit in zip(labels, fits, strict=True):
        state, strength = evidence_ridge(columns, y, weights)
        fit.kept, fit.bias = kept, state.b
        fit.weights[kept] = state.v
        fit.spread = posterior_spread(columns, y, weights, state, strength)
        left_out.append(leave_one_out(columns, y, weights, state, fit.spread))
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
    kept, spreads = fits[0].kept, tuple(fit.spread for fit in fits)
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


def _drop(columns, kept, states, weights, keep):
    """Return kept positions, their columns and the states without the other columns."""
    if keep.all():
        return kept, columns, [state for state, _ in states]
    columns = columns[:, keep]
    remaining = [
        LinearState.of(columns, y, weights, state.v[keep], state.b)
        for state, y in states
    ]
    return kept[keep], columns, remaining
