"""Fisher's discriminant in a signed factor, from the moments of the classes.

The discriminant of a pseudo-Euclidean space is that of the Euclidean space with the
same axes (Haasdonk & Pekalska), so no eigenvalue needs repair: the coordinates are
those of the flipped matrix. All that is read are counts, means and scatters per class,
which stream and merge; objects are never seen again.

======  ====================================================================  ======
symbol  meaning                                                               shape
======  ====================================================================  ======
x       coordinates of an object                                              (p,)
N_w     scatter of the classes about their means, summed                      (p, p)
S       regularised within-class covariance                                   (p, p)
W       discriminant axes, W'S W = I                                          (p, q)
t       discriminant coordinates, t = (x - mean) W, q = K - 1                 (q,)
v       spread of a class: its mean variance along the axes                   scalar
======  ====================================================================  ======

In t the pooled covariance is one, so a class is a round Gaussian with its own mean and
spread, and Bayes' rule on these gives the probabilities.

Seen from the objects that they were fitted to, axes look better than they are: the
means lie too far apart and the classes are too narrow, the more so the more axes there
are to choose from. With ``df = tr (N_w/n)(N_w/n + ridge)^-1`` degrees of freedom spent
out of n, a new object has ``1 / (1 - df/n)^2`` times the variance along an axis, as in
generalised cross-validation; and of the squared size of a discriminant axis,
``tr S^-1 N_w/n / (n (1 - df/n))`` is the chance distance of the class means. Both need
moments only, so probabilities stay honest in streams, too. Only the papers' midpoint
goes without.

References
----------
B. Haasdonk, E. Pekalska (2008). Indefinite kernel Fisher discriminant. ICPR, eq. 7.
doi:10.1109/ICPR.2008.4761718
F.-M. Schleif, A. Gisbrecht, P. Tino (2016). Probabilistic classifiers with low rank
indefinite kernels. arXiv:1604.02264, eqs. 17-19.
G. H. Golub, M. Heath, G. Wahba (1979). Generalized cross-validation as a method for
choosing a good ridge parameter. Technometrics 21(2), 215-223.
doi:10.1080/00401706.1979.10489751
A. Hannart, P. Naveau (2014). Estimating high dimensional covariance matrices: a new
look at the Gaussian conjugate framework. Journal of Multivariate Analysis 131, 149-162.
doi:10.1016/j.jmva.2014.06.001
Y. Chen, A. Wiesel, Y. C. Eldar, A. O. Hero (2010). Shrinkage algorithms for MMSE
covariance estimation. IEEE Transactions on Signal Processing 58(10), eq. 17.
doi:10.1109/TSP.2010.2053029
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy import linalg, optimize, special

from ..factor import SignedFactor, correct_eigenvalues, negligible

__all__ = [
    "Discriminant",
    "class_priors",
    "fit_discriminant",
    "likely_shrinkage",
    "oracle_shrinkage",
    "orientation",
]

# Objects with the pooled spread that each class' own spread is averaged with: a class
# of two has no spread of its own to speak of.
_PRIOR_OBJECTS = 5
# Smallest share of its length that an axis keeps between class means, and smallest
# share of the degrees of freedom: beyond, the corrections to first order say nothing.
_LEAST_GAP = 0.05
_LEAST_FREE = 0.02
# Variance that rounding of coordinates leaves, as a share of their squares.
_ROUNDING = (64 * np.finfo(np.float64).eps) ** 2


def likely_shrinkage(variances, n_free):
    """Return the shrinkage that makes the data most likely.

    The covariance has an inverse Wishart prior about a multiple of the identity; its
    degrees of freedom maximise the marginal likelihood, which depends on the scatter
    through its eigenvalues only. Unlike Ledoit and Wolf's, which is chosen for the
    large eigenvalues, this one suits the *inverse*, which is what a discriminant uses.

    Parameters
    ----------
    variances : ndarray of shape (p,)
        Eigenvalues of the covariance.
    n_free : int
        Degrees of freedom it was estimated with.

    Returns
    -------
    shrinkage : float
        From 0 to 1: ``(1 - shrinkage) S + shrinkage tr(S)/p I``. Cost O(p).
    """
    p = len(variances)
    mean = variances.mean()

    def unlikeliness(log_extra):
        extra = np.exp(log_extra)  # degrees of freedom beyond p + 1
        nu = extra + p + 1
        return -(
            nu * p / 2 * np.log(extra)
            + special.multigammaln((nu + n_free) / 2, p)
            - special.multigammaln(nu / 2, p)
            - (nu + n_free) / 2 * np.log(extra + n_free * variances / mean).sum()
        )

    grid = np.linspace(np.log(1e-4 * n_free), np.log(1e4 * n_free), 40)
    best = int(np.argmin([unlikeliness(g) for g in grid]))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = optimize.minimize_scalar(unlikeliness, bounds=bounds, method="bounded")
    extra = np.exp(found.x)
    return float(extra / (extra + n_free))


def oracle_shrinkage(variances, n_free):
    """Return Ledoit and Wolf's shrinkage, improved by Rao and Blackwell's theorem.

    For normal data this needs second moments only (Chen et al., eq. 17), where the
    original needs fourth moments.

    Parameters
    ----------
    variances, n_free
        As in `likely_shrinkage`.

    Returns
    -------
    shrinkage : float
    """
    if n_free < 2:  # one direction says nothing of the spread of all
        return 1.0
    squares, square = np.square(variances).sum(), variances.sum() ** 2
    spread = squares - square / len(variances)
    numerator = (n_free - 2) / n_free * squares + square
    if numerator >= (n_free + 2) * spread:
        return 1.0
    return float(max(numerator, 0.0) / ((n_free + 2) * spread))


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Discriminant coordinates and one round Gaussian per class in them.

    Attributes
    ----------
    weights : ndarray of shape (m, K - 1)
        Coordinates are ``(C - mean) @ weights``, C scaled comparisons. Columns past the
        rank are zero.
    mean : ndarray of shape (m,)
    means : ndarray of shape (K, K - 1)
        Of the classes, in discriminant coordinates.
    centres : ndarray of shape (K, K - 1)
        Where new objects of the classes are to be expected.
    spreads : ndarray of shape (K,)
        Their variance along an axis.
    rank : int
        Number of axes that are not zero.
    shrinkage : float
        As in `likely_shrinkage`, or relative to the trace if it was given.
    eigenvalues : ndarray of shape (p,)
        Of the factor of all classes, in (powered) units of the measure.
    """

    weights: np.ndarray
    mean: np.ndarray
    means: np.ndarray
    centres: np.ndarray
    spreads: np.ndarray
    rank: int
    shrinkage: float
    eigenvalues: np.ndarray

    def coordinates(self, scaled):
        """Return discriminant coordinates of scaled comparisons, shape (n, K - 1)."""
        return (scaled - self.mean) @ self.weights

    def log_joint(self, coordinates, log_priors):
        """Return log p(class) + log p(t | class) up to a constant, shape (n, K)."""
        gaps = (
            np.square(coordinates).sum(axis=1)[:, None]
            - 2.0 * coordinates @ self.centres.T
            + np.square(self.centres).sum(axis=1)
        )
        log_density = -0.5 * (gaps / self.spreads + self.rank * np.log(self.spreads))
        return log_density + log_priors


def class_priors(owner, priors, counts, *, equal):
    """Return the probabilities of the classes.

    Parameters
    ----------
    owner : str
        Class name, for messages.
    priors : array-like of shape (K,) or None
        What the user said.
    counts : ndarray of shape (K,)
        Objects of each class.
    equal : bool
        Whether classes with objects are taken to be equally probable.
    """
    if priors is None:
        shares = np.where(counts > 0, 1.0, 0.0) if equal else counts
        return shares / shares.sum()
    checked = np.asarray(priors, dtype=np.float64)
    if checked.shape != counts.shape or (checked < 0).any():
        msg = (
            f"priors of {owner} must be one non-negative number for each of the "
            f"{len(counts)} classes; got {priors!r}."
        )
        raise ValueError(msg)
    if not np.isclose(checked.sum(), 1.0):
        msg = (
            f"priors of {owner} must sum to 1; got the sum {checked.sum():g}. Divide "
            "them by it."
        )
        raise ValueError(msg)
    return checked


def fit_discriminant(
    factors, shares, shrinkage, *, correction="flip", common_spread=False
):
    """Read the discriminant from one signed factor per class.

    Parameters
    ----------
    factors : list of K SignedFactor
        Sharing one map; classes without objects are allowed.
    shares : ndarray of shape (K,)
        Weights of the class means, summing to one.
    shrinkage : {"auto", "ledoit-wolf"} or float
        A float is the papers' ridge on the rows of the similarity matrix,
        ``N_w + shrinkage tr(N_w) / N I``.
    correction : {"flip", "clip", "square", "shift"} or None, default="flip"
        Of the similarity matrix; None is ``"flip"`` here. It matters through the ridge
        only, and by the axes that it removes.
    common_spread : bool, default=False
        Whether all classes have the same spread, and their own means: the papers'.

    Returns
    -------
    discriminant : Discriminant
        Cost O(m^3), whatever the number of objects.
    """
    total = reduce(SignedFactor.merge, factors)
    n_classes = len(factors)
    # In the order of the axes; the zero is there for objects that are all alike.
    sizes = np.append(correct_eigenvalues(total.eigenvalues, correction), 0.0)
    sizes = -np.sort(-np.abs(sizes))
    p = max(int(np.count_nonzero(~negligible(sizes, len(sizes)))), 1)
    axes = total.axes(p, correction)
    directions, weights = axes.directions, axes.weights
    if not isinstance(shrinkage, str):
        # a* are squared sizes of coordinates, a*^2 those of rows of the similarity.
        roots = np.sqrt(sizes[:p])
        directions, weights = directions * roots, weights * roots
    counts = np.array([factor.moments.count for factor in factors])
    seen = counts > 0
    class_means = np.array([factor.moments.mean for factor in factors])
    class_means = np.where(seen[:, None], class_means - axes.offset, 0.0) @ directions
    scatters = [factor.moments.scatter for factor in factors]
    within = directions.T @ np.sum(scatters, axis=0) @ directions

    n_free = max(counts.sum() - seen.sum(), 1)
    variances, vectors = linalg.eigh((within + within.T) / (2 * n_free))
    # Equal objects differ by rounding, which is no variance to be measured by.
    rounding = _ROUNDING * np.square(class_means).sum(axis=1).max()
    raw = np.where(variances > rounding, variances, 0.0)
    variances, shrinkage, kept = _regularised(raw, shrinkage, n_free, counts.sum())
    whiten = vectors / np.sqrt(variances)

    centre = shares @ class_means
    gaps = np.where(seen[:, None], class_means - centre, 0.0)
    gaps[np.square(gaps).sum(axis=1) <= rounding] = 0.0
    gaps = gaps @ whiten
    left, sizes, right = linalg.svd(
        np.sqrt(shares)[:, None] * gaps, full_matrices=False
    )
    rank = min(n_classes - 1, int((~negligible(sizes, max(gaps.shape))).sum()))
    turn = right[:rank].T * orientation(left[:, :rank])
    W = np.zeros((p, n_classes - 1))
    W[:, :rank] = whiten @ turn

    map_directions = directions @ W
    variance = np.array(
        [np.einsum("rq,rs,sq->", map_directions, s, map_directions) for s in scatters]
    )
    means = centres = class_means @ W
    spreads = np.ones(n_classes)
    if rank > 0 and not common_spread:
        chance = (raw / variances).sum()
        free = max(1.0 - kept * chance / n_free, _LEAST_FREE)
        spreads = _spreads(variance / rank, counts, n_free, free)
        # What remains of the axes when the distance by chance is taken off.
        squares = np.square(sizes[:rank])
        shares_left = np.ones(n_classes - 1)
        shares_left[:rank] = 1.0 - chance / (free * counts.sum() * squares)
        middle = centre @ W
        centres = middle + (means - middle) * np.maximum(shares_left, _LEAST_GAP)
    return Discriminant(
        weights=weights @ W,
        mean=axes.mean,
        means=means,
        centres=centres,
        spreads=spreads,
        rank=rank,
        shrinkage=shrinkage,
        eigenvalues=total.eigenvalues,
    )


def _regularised(variances, shrinkage, n_free, n_samples):
    """Return regularised variances, all positive, the shrinkage used, and c.

    The variances are c times (the raw ones plus a ridge).
    """
    total = variances.sum()
    if total == 0.0:  # every class is a point
        return np.ones_like(variances), 0.0, 1.0
    if not isinstance(shrinkage, str):
        ridged = variances + shrinkage * total / n_samples
        floor = np.finfo(np.float64).eps * len(ridged) * ridged.max()
        return np.maximum(ridged, floor), float(shrinkage), 1.0
    estimate = likely_shrinkage if shrinkage == "auto" else oracle_shrinkage
    shrinkage = estimate(variances, n_free)
    kept = 1.0 - shrinkage
    return kept * variances + shrinkage * variances.mean(), shrinkage, kept


def _spreads(variance, counts, n_free, free):
    """Return the spread of each class, for new objects.

    Parameters
    ----------
    variance : ndarray of shape (K,)
        Sum of squares of each class about its mean, by axis.
    counts : ndarray of shape (K,)
    n_free : int
    free : float
        Share of the degrees of freedom that is left.
    """
    pooled = variance.sum() / n_free
    own = (variance + _PRIOR_OBJECTS * pooled) / (
        np.maximum(counts - 1, 0) + _PRIOR_OBJECTS
    )
    # All classes are widened alike. Shrinkage made the pooled spread one: it is never
    # believed to be less.
    outside = max(pooled / free**2, 1.0)
    return np.maximum(own + outside - pooled, np.finfo(np.float64).eps)


def orientation(left):
    """Return signs that point the only axis of two classes to the second one.

    With more classes each axis points to the class that it sets apart most.
    """
    if left.shape[0] == 2:
        return np.where(left[1] < 0, -1.0, 1.0)
    moduli = np.abs(left)
    first = (moduli >= moduli.max(axis=0, initial=0.0) * (1 - 1e-9)).argmax(axis=0)
    return np.where(left[first, np.arange(left.shape[1])] < 0, -1.0, 1.0)
