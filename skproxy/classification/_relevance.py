"""Which landmarks are relevant: the EM that drops columns of comparisons.

The start decides which optimum is found. It is a probit ridge with all columns, its
strength chosen by the evidence, and split by sign; from weights at random, as in the
reference, the EM ends in over-confident optima.

With several classes precisions are learnt for each, or one for all classes: of a column
j, ``K / (2 sum_k v_jk^2)``. As it serves both signs of a weight, the weights of single
classes may change theirs.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..comparisons import SILENT
from ._evidence_ridge import evidence_ridge
from ._probit_em import LinearState, newton_step

__all__ = ["Fit", "Stopping", "prune_separately", "prune_together"]

# Where the largest weight of unit columns is below this, no column says anything.
_NOTHING = 1e-6


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


def prune_separately(columns, labels, weights, stopping):
    """Run the EM of each class against the rest by itself.

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
        Cost O(N k^2) an iteration, k the columns that are left.
    """
    return [_prune(columns, [y], weights, stopping)[0] for y in labels]


def prune_together(columns, labels, weights, stopping):
    """Run the EM of all classes with one precision for each column.

    Parameters
    ----------
    columns, labels, weights, stopping
        As in `prune_separately`.

    Returns
    -------
    fits : list of Fit
        Keeping the same columns and sharing their history; the objective is that of all
        classes.
    """
    return _prune(columns, labels, weights, stopping)


def _prune(columns, labels, weights, stopping):
    """Run the EM of problems that share their precisions."""
    n_columns = columns.shape[1]
    states = [evidence_ridge(columns, y, weights)[0] for y in labels]
    kept = np.arange(n_columns)
    objective, n_active, converged = [], [], False
    if len(labels) == 1:  # a weight at zero has no sign to keep
        keep = np.abs(states[0].v) > 0
        kept, columns, states = _drop(columns, kept, states, labels, weights, keep)
    for _ in stopping.rounds():
        if len(kept) == 0:
            converged = True
            break
        before = np.array([state.v for state in states])
        states = _shared_step(columns, labels, weights, states)
        after = np.array([state.v for state in states])
        sizes = np.sqrt(np.square(after).mean(axis=0))
        objective.append(_objective(states, sizes))
        n_active.append(len(kept))
        keep, enough = stopping.keep(sizes)
        kept, columns, states = _drop(columns, kept, states, labels, weights, keep)
        moved = np.abs(after - before).max() > stopping.tol * np.abs(after).max()
        if enough or (keep.all() and not moved):
            converged = True
            break
    fits = []
    for state in states:
        v = np.zeros(n_columns)
        v[kept] = state.v
        fits.append(Fit(v, state.b, kept, None, 0.0, objective, n_active, converged))
    return fits


def _shared_step(columns, labels, weights, states):
    """Return the states after a Newton step each, under precisions that they share.

    A weight of a single problem keeps its sign, as its prior is truncated.
    """
    squares = sum(np.square(state.v) for state in states)
    precision = 0.5 * len(states) / squares
    alone = len(states) == 1
    return [
        newton_step(columns, y, weights, state, precision, keep_signs=alone)
        for state, y in zip(states, labels, strict=True)
    ]


def _objective(states, sizes):
    """Return log-likelihood plus log-prior of all problems."""
    likelihood = -sum(state.loss for state in states)
    return likelihood - 0.5 * len(states) * float(np.log(sizes).sum())


def _drop(columns, kept, states, labels, weights, keep):
    """Return kept positions, their columns and the states without the other columns."""
    if keep.all():
        return kept, columns, states
    columns = columns[:, keep]
    remaining = [
        LinearState.of(columns, y, weights, state.v[keep], state.b)
        for state, y in zip(states, labels, strict=True)
    ]
    return kept[keep], columns, remaining
