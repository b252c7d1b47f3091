"""The spectrum of a sample: how indefinite, how many axes, how many landmarks.

======  =====================================================================  ======
symbol  meaning                                                                shape
======  =====================================================================  ======
S       similarities of the sample, or ``-1/2 J D J`` of dissimilarities       (n, n)
a, U    eigenvalues and eigenvectors of S, largest modulus first               (n,)
F       what landmarks know: columns of S, or columns of D about their mean    (n, n)
Q       orthonormal basis of F, column by column in the order of landmarks     (n, n)
======  =====================================================================  ======

References
----------
J. Shao, C. F. J. Wu (1989). A general theory for jackknife variance estimation. Annals
of Statistics 17(3), 1176-1197, section 3 (deleting d objects at random).
doi:10.1214/aos/1176347263
S. Wang, Z. Zhang, T. Zhang (2016). Towards more efficient SPSD matrix approximation and
CUR matrix decomposition. JMLR 17(209), section 2 (the best core for given landmarks).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ..comparisons import Scale
from ..factor import negligible, signature, similarity_from_dissimilarity
from ..metrics import negative_fraction

__all__ = ["SHARES", "SampledSpectrum"]

#: Shares of the similarity that landmarks are counted for.
SHARES = (0.90, 0.95, 0.99)
# Random orders of landmarks whose median is reported.
_ORDERS = 5
# Two-sided 95 % of a Gaussian.
_DEVIATIONS = 1.96


@dataclass(frozen=True, eq=False)
class SampledSpectrum:
    """Eigenvalues of a sample and what follows from them.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n,)
        Largest modulus first, rounding set to zero, in (powered) units of the measure.
    signature : tuple of three int
        How many are positive, negative and zero.
    negative_fraction : float
        Sum of moduli of the negative ones over that of all, dimensionless.
    negative_fraction_interval : tuple of two float
        95 % confidence interval over the draw of the sample, from resamples.
    negative_fraction_resampled : ndarray of shape (n_resamples,)
        The same of random halves of the sample. Larger samples usually have more.
    effective_rank : dict of float to int
        Axes that hold 90, 95 and 99 % of the similarity: leave out 10, 5 and 1 %, in
        Frobenius norm.
    n_landmarks : dict of float to int
        Uniform landmarks from which the sample's similarity is approximated as well,
        by the best core; median of five draws. Where more than half the sample is
        needed it says little of all objects, which need many more.
    landmark_errors : ndarray of shape (n + 1,)
        Relative Frobenius error of the sample's similarity from 0, 1 ... n landmarks.
    map_error : float
        The same of its two largest axes, those of a map.
    """

    eigenvalues: np.ndarray
    signature: tuple
    negative_fraction: float
    negative_fraction_interval: tuple
    negative_fraction_resampled: np.ndarray
    effective_rank: dict
    n_landmarks: dict
    landmark_errors: np.ndarray
    map_error: float

    @classmethod
    def of(cls, sample, n_resamples, rng):
        """Read the spectrum of complete, symmetric comparisons.

        Parameters
        ----------
        sample : CleanSample
        n_resamples : int
        rng : RandomState
        """
        a, n = sample.a, sample.n_samples
        found = negative_fraction(a, input="eigenvalues")
        halves = _negative_fractions_of_halves(sample, n_resamples, rng)
        errors, rank_errors = _landmark_errors(sample, rng), _rank_errors(a)
        return cls(
            # Zeros stay zero where the unit itself is too large to be squared.
            eigenvalues=np.multiply(
                a, sample.scale.squared, out=np.zeros_like(a), where=a != 0
            ),
            signature=signature(a, n),
            negative_fraction=found,
            negative_fraction_interval=_interval(found, halves),
            negative_fraction_resampled=halves,
            effective_rank=_counts(rank_errors),
            n_landmarks=_counts(errors),
            landmark_errors=errors,
            map_error=float(rank_errors[min(2, n)]),
        )


@dataclass(frozen=True, eq=False)
class CleanSample:
    """Comparisons made complete and symmetric, and decomposed.

    Attributes
    ----------
    square : ndarray of shape (n, n)
        Symmetric comparisons in the units of the measure; zero diagonal for
        dissimilarities.
    is_similarity : bool
    power : float
        Exponent of the dissimilarities; 1 for similarities.
    scale : Scale
    similarity : ndarray of shape (n, n)
        S, scaled.
    a, U : ndarray of shape (n,) and (n, n)
        Its eigenvalues, rounding set to zero, and eigenvectors.
    eps : float
        Relative rounding of the comparisons.
    """

    square: np.ndarray
    is_similarity: bool
    power: float
    scale: Scale
    similarity: np.ndarray
    a: np.ndarray
    U: np.ndarray
    eps: float

    @classmethod
    def of(cls, square, *, is_similarity, power, eps=None):
        """Join the two directions of finite comparisons and decompose them.

        Parameters
        ----------
        square : ndarray of shape (n, n)
        is_similarity : bool
        power : float
        eps : float, default=None
            Relative rounding of the comparisons; None is that of float64.
        """
        eps = float(np.finfo(np.float64).eps) if eps is None else eps
        square = (square + square.T) / 2
        if not is_similarity:
            np.fill_diagonal(square, 0.0)
        power = 1.0 if is_similarity else power
        scale = Scale.of(square, power)
        similarity = scale.apply(square)
        if len(square) == 0:  # no object has all its comparisons
            nothing = np.empty(0)
            return cls(
                square, is_similarity, power, scale, similarity, nothing, square, eps
            )
        if not is_similarity:
            similarity = similarity_from_dissimilarity(similarity)
        a, U = linalg.eigh(similarity)
        order = np.argsort(-np.abs(a), kind="stable")
        a, U = a[order], U[:, order]
        a = np.where(negligible(a, len(a), eps), 0.0, a)
        return cls(square, is_similarity, power, scale, similarity, a, U, eps)

    @property
    def n_samples(self):
        """Number of objects left."""
        return len(self.square)


def _negative_fractions_of_halves(sample, n_resamples, rng):
    """Return the negative fraction of random halves of the sample."""
    n = sample.n_samples
    if n < 4:
        return np.empty(0)
    fractions = np.empty(n_resamples)
    for i in range(n_resamples):
        half = rng.permutation(n)[: n // 2]
        part = CleanSample.of(
            sample.square[np.ix_(half, half)],
            is_similarity=sample.is_similarity,
            power=sample.power,
            eps=sample.eps,
        )
        fractions[i] = negative_fraction(part.a, input="eigenvalues")
    return fractions


def _interval(found, halves):
    """Return a 95 % interval around the fraction found.

    The variance of an estimate from n objects is (n - d) / d times the variance over
    what is left when d of them are deleted: for halves just that.
    """
    spread = _DEVIATIONS * float(halves.std(ddof=1)) if len(halves) > 1 else np.nan
    return max(0.0, found - spread), min(1.0, found + spread)


def _rank_errors(a):
    """Return the relative error of the best approximation of rank 0, 1 ... n."""
    squares = np.square(a)
    left = np.append(squares[::-1].cumsum()[::-1], 0.0)
    return np.sqrt(left / left[0]) if left[0] > 0 else np.zeros(len(left))


def _landmark_errors(sample, rng):
    """Return the relative error from 0, 1 ... n uniform landmarks.

    For landmarks whose columns have the orthonormal basis Q the best core leaves
    ``S - Q Q'S Q Q'``, and as Q grows by one column per landmark one matrix ``Q'S Q``
    holds the errors of all numbers of landmarks.
    """
    S, n = sample.similarity, sample.n_samples
    total = float(np.square(S).sum())
    if total == 0.0:
        return np.zeros(n + 1)
    errors = np.empty((_ORDERS, n + 1))
    columns = _columns(sample)
    for i in range(_ORDERS):
        Q = _orthonormal(columns[:, rng.permutation(n)])
        held = np.square(Q.T @ S @ Q).cumsum(axis=0).cumsum(axis=1).diagonal()
        errors[i] = np.sqrt(np.maximum(0.0, 1.0 - np.append(0.0, held) / total))
    return np.median(errors, axis=0)


def _orthonormal(columns):
    """Return an orthonormal basis, column by column; zero for a dependent column.

    Gram-Schmidt, twice for stability: a QR decomposition puts directions that only
    later columns have into the place of dependent ones.
    """
    Q = np.zeros_like(columns)
    largest = float(np.linalg.norm(columns, axis=0).max(initial=0.0))
    for k in range(columns.shape[1]):
        column = columns[:, k]
        for _ in range(2):
            column = column - Q[:, :k] @ (Q[:, :k].T @ column)
        size = np.linalg.norm(column)
        if not negligible(np.array([size]), len(columns), entries=largest)[0]:
            Q[:, k] = column / size
    return Q


def _columns(sample):
    """Return what landmarks know of the objects, one column each."""
    if sample.is_similarity:
        return sample.similarity
    powered = sample.scale.apply(sample.square)
    return powered - powered.mean(axis=0)


def _counts(errors):
    """Return the least number that leaves 10, 5 and 1 %."""
    # Rounding: the error of everything is zero only up to the root of the precision.
    return {share: int(np.argmax(errors <= (1.0 - share) + 1e-7)) for share in SHARES}
