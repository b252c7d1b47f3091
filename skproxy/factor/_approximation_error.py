"""How good an approximation is: its relative error with an interval, by sampling.

Uniform pairs miss what matters: one outlier can hold half of a matrix. So objects are
drawn with weights,

    w_i = 1 + |y_i|^2 / mean |y|^2 + |c_i - c0|^2 / mean |c - c0|^2,

leverages y and centred comparisons c, with means over the pilot sample: whoever is far,
or lies where few do, is nearly certain to be in. Each object gets the key ``log(u_i) /
w_i``, u_i uniform, and the t largest keys are kept. Given the next largest, tau, object
i is in with probability ``pi_i = 1 - exp(tau w_i)``, independently of others, pairs
included. That is one pass, in any order, and samples merge.

Residuals ``E = J (K - S^) J`` and entries among the t objects are summed with weights
``1 / (pi_i pi_j)``, the diagonal with ``1 / pi_i``; the weights of objects that are not
certain are made to add up to their number. J takes off weighted means, which removes
what a dissimilarity ``q_i + q_j - 2 s_ij`` has beside s. The interval is that of a
ratio, linearised in the objects, with the pairs' own variance.

u_i is a hash of the object's position and comparisons: it does not depend on blocks,
batches or machines.

References
----------
P. S. Efraimidis, P. G. Spirakis (2006). Weighted random sampling with a reservoir.
Information Processing Letters 97(5), 181-185.
E. Cohen, H. Kaplan (2007). Summarizing data using bottom-k sketches. PODC, 225-234
(probabilities given the next key).
D. G. Horvitz, D. J. Thompson (1952). A generalization of sampling without replacement
from a finite universe. JASA 47, 663-685.
J. Hajek (1971). Comment on an essay by D. Basu (weights that add up).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

__all__ = ["ApproximationError", "ErrorSample", "estimate_error"]

_SIZE = 200
# Two-sided 90 % of a normal distribution.
_QUANTILE = 1.645
# Objects that are left out more rarely are as good as certain.
_CERTAIN = 1e-6


class ApproximationError(NamedTuple):
    """Relative error ``|S - S^| / |S|`` in the Frobenius norm, estimated.

    Attributes
    ----------
    value : float
        Dimensionless, 0 is exact.
    low, high : float
        An interval that holds the true one in nine of ten draws.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ErrorSample:
    """Objects with the t + 1 largest keys among those offered.

    Attributes
    ----------
    size : int
        t.
    means : tuple of two float
        Mean squared length of basis rows, and of the comparisons that they stand for,
        in the pilot sample.
    keys, weights : ndarray of shape (at most t + 1,)
        By decreasing key.
    positions : ndarray of shape (at most t + 1,)
    comparisons : ndarray of shape (at most t + 1, m)
        With the landmarks, in the units of the metric.
    seed : int
    n_seen : int
        Objects offered.
    """

    size: int
    means: tuple
    keys: np.ndarray
    weights: np.ndarray
    positions: np.ndarray
    comparisons: np.ndarray
    seed: int
    n_seen: int = 0

    @classmethod
    def empty(cls, basis, n_pilot, dtype, seed, size=_SIZE):
        """Return a sample that was offered nothing.

        Parameters
        ----------
        basis : Basis
        n_pilot : int
            Rows that the basis was read from.
        dtype : dtype
            Of comparisons.
        seed : int
        size : int, default=200
        """
        m = len(basis.lengths)
        means = m / n_pilot, float(basis.lengths @ basis.lengths) / n_pilot
        nothing = np.empty(0)
        rows = np.empty((0, m), dtype=dtype)
        return cls(size, means, nothing, nothing, np.empty(0, np.intp), rows, seed)

    def without_objects(self):
        """Return the sample of no objects."""
        return replace(
            self,
            keys=self.keys[:0],
            weights=self.weights[:0],
            positions=self.positions[:0],
            comparisons=self.comparisons[:0],
            n_seen=0,
        )

    def offer(self, basis, rows, positions, comparisons, ratios):
        """Return the sample after some more objects.

        Parameters
        ----------
        basis : Basis
        rows : ndarray of shape (b, m)
            Their basis rows.
        positions : ndarray of shape (b,)
        comparisons : ndarray of shape (b, m)
        ratios : ndarray of shape (b, m)
            The same over their unit; whatever is drawn is drawn from these.
        """
        squares = np.square(rows)
        parts = squares.sum(axis=1), squares @ np.square(basis.lengths)
        weights = np.ones(len(rows))
        for part, mean in zip(parts, self.means, strict=True):
            weights += part / mean if mean > 0 else 0.0
        keys = np.log(_uniform(positions, ratios, self.seed)) / weights
        one = replace(
            self,
            keys=keys,
            weights=weights,
            positions=positions,
            comparisons=comparisons,
            n_seen=len(rows),
        )
        return self.merge(one)

    def merge(self, other):
        """Return the sample of both sets of objects."""
        keys = np.concatenate([self.keys, other.keys])
        n_seen = self.n_seen + other.n_seen
        if len(self.keys) > self.size and other.keys.max(initial=-np.inf) < keys.min():
            return replace(self, n_seen=n_seen)
        order = np.argsort(-keys, kind="stable")[: self.size + 1]

        def kept(name):
            return np.concatenate([getattr(self, name), getattr(other, name)])[order]

        return replace(
            self,
            keys=keys[order],
            weights=kept("weights"),
            positions=kept("positions"),
            comparisons=kept("comparisons"),
            n_seen=n_seen,
        )

    @property
    def drawn(self):
        """How many objects are in: those before the key that decides."""
        return min(len(self.keys), self.size)

    def probabilities(self):
        """Return the probability of each drawn object to be in, shape (drawn,)."""
        if len(self.keys) <= self.size:
            return np.ones(len(self.keys))
        return -np.expm1(self.keys[-1] * self.weights[: self.size])


def _uniform(positions, comparisons, seed):
    """Return numbers from (0, 1) that only depend on objects and seed, shape (b,).

    A linear hash of the bits of the comparisons and of the position, then the finish of
    SplitMix64.
    """
    m = comparisons.shape[1]
    factors = np.random.RandomState(seed).randint(
        2**63 - 1, size=m + 1, dtype=np.uint64
    )
    factors |= np.uint64(1)
    bits = np.ascontiguousarray(comparisons, dtype=np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        z = bits @ factors[:m] + positions.astype(np.uint64) * factors[m]
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def estimate_error(sample, factor, among):
    """Estimate the relative error of a factor from a sample of objects.

    Parameters
    ----------
    sample : ErrorSample
        Of t objects.
    factor : SignedFactor
    among : ndarray of shape (t, t)
        What plays the role of their similarities (``-D/2``), scaled.

    Returns
    -------
    error : ApproximationError
        O(t^2 r).
    """
    landmark_map = factor.landmark_map
    scaled = landmark_map.scale.apply(sample.comparisons[: sample.drawn])
    rows = factor.whitened(landmark_map.features(scaled))
    approximated = (rows * landmark_map.signs) @ rows.T
    probabilities = sample.probabilities()
    weights = _adding_up(probabilities, sample.n_seen)
    residual = among - approximated
    if factor.centred:
        shares = weights / weights.sum()
        means = residual @ shares
        residual = residual - means[:, None] - means + shares @ means
    a = factor.eigenvalues / landmark_map.scale.squared
    return _ratio(residual, approximated, float(a @ a), probabilities, weights)


def _adding_up(probabilities, n_objects):
    """Return weights 1 / pi; those of objects not certain add up to their number."""
    weights = 1.0 / probabilities
    drawn = probabilities < 1.0 - _CERTAIN
    if drawn.any():
        rest = n_objects - int((~drawn).sum())
        weights[drawn] *= rest / weights[drawn].sum()
    return weights


def _ratio(residual, approximated, squared_norm, probabilities, weights):
    """Return the estimate of ``|E| / |S|``, where ``S = S^ + E``, and its interval.

    Parameters
    ----------
    residual, approximated : ndarray of shape (t, t)
        E and S^ among the objects drawn.
    squared_norm : float
        ``|S^|^2``, over all objects.
    probabilities, weights : ndarray of shape (t,)
    """
    pairs = np.outer(weights, weights)
    np.fill_diagonal(pairs, weights)
    squares = np.square(residual)
    error = float(np.vdot(pairs, squares))
    others = squares + 2.0 * residual * approximated  # |S|^2 - |S^|^2
    whole = squared_norm + float(np.vdot(pairs, others))
    if whole <= 0.0 or error == 0.0:
        return ApproximationError(0.0, 0.0, 0.0)
    share = error / whole
    # The ratio's derivative with respect to each object's, and each pair's, presence.
    terms = pairs * (squares - share * others) / whole
    doubtful = 1.0 - probabilities
    own = np.diagonal(terms).copy()
    np.fill_diagonal(terms, 0.0)
    in_objects = 2.0 * terms.sum(axis=1) + own
    drawn = doubtful > _CERTAIN
    n_drawn = int(drawn.sum())
    variance = 2.0 * float(doubtful @ np.square(terms) @ doubtful)
    if n_drawn > 1:
        mean = in_objects[drawn].sum() / weights[drawn].sum()
        gaps = np.square(in_objects - mean * weights)[drawn] * doubtful[drawn]
        variance += gaps.sum() * n_drawn / (n_drawn - 1)
    value = float(np.sqrt(share))
    spread = float(np.exp(min(_QUANTILE * np.sqrt(variance) / (2.0 * share), 50.0)))
    return ApproximationError(value, value / spread, value * spread)
