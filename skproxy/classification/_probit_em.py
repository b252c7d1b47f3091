"""Expectation maximisation of the probabilistic classification vector machine.

The model is P(y = 1) = Psi(z) with a linear predictor z = Phi w + b and a truncated
Gaussian prior N_t(w_j | 0, 1 / a_j), w_j >= 0, whose precisions are re-estimated as
a_j = 1 / (2 w_j^2). Each step below raises

    objective = sum_i s_i log Psi(y_i z_i) - 1/2 sum_j log w_j

(the prior that is left when the precisions are gone; s are weights of the objects): the
penalty a_j w_j^2 / 2 with the precision of the step before bounds the logarithm from
above and touches it there. Weights run to zero and are then pruned for good.

- *Landmark basis*: the columns are comparisons with landmarks, the weight of each is
  v = w+ - w-, both truncated; whichever is zero stays zero, so v keeps its sign. A step
  is Newton's on the penalised likelihood, which rises by several steps of the classical
  EM at once.
- *Training basis* (the papers): the columns are y_j S^_ij, one for each training
  object, and a step is the classical one, with the conditional mean of the latent
  variable and the exact inverse of identity plus low rank.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
y       labels, +1 and -1                                                     (N,)
s       weights of the objects                                                (N,)
C       columns of the landmark basis, centred                                (N, k)
v, b    weights of the columns and bias                                       (k,)
A, J    rows and signs of the signed factor, S^ = A J A'                      (N, r)
M       sqrt(2) w, the prior's standard deviations (Schleif 2016, section 4)  (N,)
======  ====================================================================  ======

References
----------
H. Chen, P. Tino, X. Yao (2009). Probabilistic classification vector machines. IEEE
Transactions on Neural Networks 20(6), 901-914. doi:10.1109/TNN.2009.2014161
F.-M. Schleif, A. Gisbrecht, P. Tino (2016). Probabilistic classifiers with low rank
indefinite kernels. arXiv:1604.02264, eqs. 8 and 13.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..comparisons._objects import block_rows, consecutive_blocks
from ..factor import negligible
from ._probit import inverse_mills, log_likelihood, probit_derivatives

__all__ = [
    "LinearState",
    "Root",
    "free_parameters",
    "gram",
    "newton_step",
    "training_objective",
    "training_predictor",
    "training_step",
    "unit_system",
]

# A weight that a Newton step would turn around is taken to this fraction of itself
# instead: it may recover in the next step or go on to be pruned.
_SHRINK = 0.1
_MAX_HALVINGS = 30


def gram(columns, weights):
    """Return ``C' diag(weights) C``, block by block so that C is not copied.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
    weights : ndarray of shape (N,)
        Not negative.

    Returns
    -------
    matrix : ndarray of shape (k, k)
        Cost O(N k^2).
    """
    size = columns.shape[1]
    matrix = np.zeros((size, size))
    roots = np.sqrt(weights)
    for rows in consecutive_blocks(len(columns), block_rows(size)):
        scaled = columns[rows] * roots[rows, None]
        matrix += scaled.T @ scaled
    return matrix


@dataclass(frozen=True, eq=False)
class LinearState:
    """Where the EM of the landmark basis stands.

    Attributes
    ----------
    v : ndarray of shape (k,)
    b : float
    z : ndarray of shape (N,)
        Linear predictor.
    loss : float
        Minus the weighted log-likelihood.
    """

    v: np.ndarray
    b: float
    z: np.ndarray
    loss: float

    @classmethod
    def of(cls, columns, y, weights, v, b):
        """Return the state of given weights."""
        z = columns @ v + b
        return cls(v, float(b), z, -log_likelihood(y * z, weights))


def newton_step(columns, y, weights, state, precision, *, keep_signs):
    """Raise the penalised likelihood by one Newton step.

    Parameters
    ----------
    columns : ndarray of shape (N, k)
    y, weights : ndarray of shape (N,)
    state : LinearState
    precision : ndarray of shape (k,)
        Positive: a.
    keep_signs : bool
        Whether the prior is truncated.

    Returns
    -------
    state : LinearState
        Of which ``loss + 1/2 sum a v^2`` is not larger than before. Cost O(N k^2).
    """
    slopes, curvatures = probit_derivatives(y * state.z)
    pull = weights * y * slopes
    unit = 1.0 / np.sqrt(precision)
    k = len(unit)
    system = unit_system(columns, weights * curvatures, weights, unit)
    slope = np.append((columns.T @ pull) * unit - state.v / unit, pull.sum())
    change = linalg.solve(system, slope, assume_a="pos", check_finite=False)
    dv, db = change[:k] * unit, change[k]

    before = state.loss + 0.5 * precision @ np.square(state.v)
    step = 1.0
    for _ in range(_MAX_HALVINGS):
        v = state.v + step * dv
        if keep_signs:
            turned = v * state.v <= 0
            v[turned] = _SHRINK * state.v[turned]
        new = LinearState.of(columns, y, weights, v, state.b + step * db)
        if new.loss + 0.5 * precision @ np.square(v) <= before:
            return new
        step /= 2
    return state


def free_parameters(columns, y, weights, state, precision):
    """Return how many of the weights the data determine, from 0 to k.

    Sum over the weights of one minus posterior over prior variance, in Laplace's
    approximation (MacKay's gamma). Cost O(N k^2).
    """
    _, curvatures = probit_derivatives(y * state.z)
    unit = 1.0 / np.sqrt(precision)
    system = unit_system(columns, weights * curvatures, weights, unit)
    return len(unit) - float(np.trace(linalg.inv(system)[:-1, :-1]))


def unit_system(columns, curvatures, weights, unit):
    """Return minus the Hessian, in units of the prior's standard deviations.

    There it is identity plus psd, as in the papers' M (I + M Phi' Phi M)^-1 M, however
    small weights become. The bias, last, has no prior.
    """
    k = len(unit)
    system = np.empty((k + 1, k + 1))
    system[:k, :k] = gram(columns, curvatures) * np.outer(unit, unit)
    system[:k, :k][np.diag_indices(k)] += 1.0
    system[k, :k] = system[:k, k] = (columns.T @ curvatures) * unit
    # A trace of ridge for the case that all curvatures vanish.
    system[k, k] = curvatures.sum() + 1e-9 * weights.sum()
    return system


@dataclass(frozen=True, eq=False)
class Root:
    """Symmetric root of a psd matrix, and its pseudo-inverse, both (r, r)."""

    matrix: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, scatter):
        """Return the root of a psd matrix."""
        t, vectors = linalg.eigh(scatter)
        roots = np.sqrt(np.maximum(t, 0.0))
        roots[negligible(np.maximum(t, 0.0), len(t))] = 0.0
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        return cls((vectors * roots) @ vectors.T, (vectors * inverse) @ vectors.T)


def training_predictor(rows, signs, y, w, b):
    """Return ``z = S^ (y w) + b`` and the map g with ``z = A g + b``."""
    g = signs * (rows.T @ (y * w))
    return rows @ g + b, g


def training_objective(y, weights, z, w, b):
    """Return the objective of the training basis, whose bias has the papers' prior."""
    penalty = np.log(w[w > 0]).sum()
    if b != 0:
        penalty += np.log(abs(b))
    return log_likelihood(y * z, weights) - 0.5 * penalty


def training_step(rows, signs, root, y, weights, w, b):
    """Do one EM step of the training basis.

    Parameters
    ----------
    rows : ndarray of shape (N, r)
        A.
    signs : ndarray of shape (r,)
        J.
    root : Root
        Of ``A' diag(s) A``.
    y, weights : ndarray of shape (N,)
    w : ndarray of shape (N,)
        Not negative; zeros stay.
    b : float

    Returns
    -------
    w : ndarray of shape (N,)
        Eq. 8 of Schleif et al.: ``M (I + M Phi' Phi M)^-1 M Phi' (H - b)``, the
        inverse by Woodbury, where the paper approximates the identity away. Entries
        can come out negative; truncation is the caller's.
    b : float
        The best one for the new weights, truncated, under the prior of the old one.
        Cost O(N r^2).
    """
    z, _ = training_predictor(rows, signs, y, w, b)
    latent = z + y * inverse_mills(y * z)
    total = weights.sum()
    active = np.flatnonzero(w)
    M = np.sqrt(2.0) * w[active]
    basis = (M * y[active])[:, None] * (rows[active] * signs)
    # r = basis q lies in the range of V = basis root. There Woodbury's formula reads
    # (I + VV')^-1 r = V (I + V'V)^-1 root^+ q, and nothing cancels.
    V = basis @ root.matrix
    t, vectors = linalg.eigh(V.T @ V, check_finite=False)
    q = root.inverse @ (rows.T @ (weights * (latent - b)))
    inner = vectors @ ((vectors.T @ q) / (1.0 + np.maximum(t, 0.0)))
    w_new = np.zeros_like(w)
    w_new[active] = M * (V @ inner)
    moved, _ = training_predictor(rows, signs, y, np.maximum(w_new, 0.0), 0.0)
    t2 = 2.0 * b**2
    b_new = t2 * float(weights @ (latent - moved)) / (1.0 + t2 * total)
    return w_new, b_new
