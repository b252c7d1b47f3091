"""Made-up tables of species along environmental gradients."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skproxy.datasets._arguments import check_count, check_real

#: Gradients of the environment, as long as these many tolerances of a species.
LENGTHS = (6.0, 3.0)
#: Standard deviation of a sample about its habitat, in tolerances.
SCATTER = 0.6


def make_communities(
    n_samples: int = 300,
    *,
    n_species: int = 200,
    n_habitats: int = 3,
    depth: int = 500,
    overdispersion: float = 1.0,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Make counts of species in samples from habitats along two gradients.

    Each species is most abundant somewhere on the gradients and rarer away from there,
    by a bell curve; how abundant at most differs by orders of magnitude between
    species. Samples are taken around the habitats, and counted with more scatter than
    chance has, so that two samples of one place differ, and most counts are zero.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, the rows.
    n_species : int, default=200
        Number of species, the columns.
    n_habitats : int, default=3
        Number of habitats, the labels; sizes differ by one at most.
    depth : int, default=500
        Individuals counted in a sample, on average.
    overdispersion : float, default=1.0
        Squared coefficient of variation of an abundance about its expectation, beyond
        that of a count; 0 gives Poisson counts.
    random_state : int, RandomState instance or None, default=None
        Determines habitats, species and counts.

    Returns
    -------
    X : ndarray of shape (n_samples, n_species)
        Counts, as float64; no row is all zeros.
    y : ndarray of shape (n_samples,)
        Habitat of each sample, 0 to n_habitats - 1, in mixed order.

    See Also
    --------
    make_populations : Counts of alleles instead of species.
    skproxy.NystromDissimilarity : Takes them with ``metric="braycurtis"``.

    Notes
    -----
    O(n_samples * n_species) time and memory. Bray-Curtis dissimilarities of such tables
    have negative eigenvalues; their square roots have none.

    References
    ----------
    .. [1] P. R. Minchin (1987). "Simulation of multidimensional community patterns:
       towards a comprehensive model". Vegetatio 71, 145-156. doi:10.1007/BF00039167.
       Bell-shaped responses with lognormal maxima; the rest of the model is ours.

    Examples
    --------
    >>> from skproxy.datasets import make_communities
    >>> X, habitat = make_communities(random_state=0)
    >>> X.shape, bool((X == 0).mean() > 0.5)
    ((300, 200), True)
    """
    of = "of make_communities"
    n_samples = check_count(n_samples, name=f"n_samples {of}")
    n_species = check_count(n_species, name=f"n_species {of}")
    n_habitats = check_count(n_habitats, name=f"n_habitats {of}")
    depth = check_count(depth, name=f"depth {of}")
    overdispersion = check_real(overdispersion, name=f"overdispersion {of}")
    rng = check_random_state(random_state)
    lengths = np.array(LENGTHS)
    optima = rng.uniform(-0.5, 1.5, size=(n_species, 2)) * lengths
    heights = rng.lognormal(sigma=1.5, size=n_species)
    # habitats spread evenly over the long gradient, anywhere on the short one
    places = np.column_stack(
        [
            (np.arange(n_habitats) + 0.5) / n_habitats,
            rng.uniform(size=n_habitats),
        ]
    )
    y = rng.permutation(np.arange(n_samples) % n_habitats)
    where = places[y] * lengths + SCATTER * rng.standard_normal((n_samples, 2))
    gaps = np.square(where[:, None] - optima).sum(axis=2)
    # relative to the nearest optimum: nothing is zero everywhere by underflow
    expected = heights * np.exp(-(gaps - gaps.min(axis=1, keepdims=True)) / 2)
    expected *= depth / expected.sum(axis=1, keepdims=True)
    commonest = expected.argmax(axis=1)
    if overdispersion:
        expected *= rng.gamma(
            1 / overdispersion, overdispersion, size=(n_samples, n_species)
        )
    X = rng.poisson(expected).astype(float)
    # A sample in which nothing was found has no dissimilarity to any other.
    empty = ~X.any(axis=1)
    X[empty, commonest[empty]] = 1.0
    return X, y
