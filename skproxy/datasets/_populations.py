"""Made-up genotypes of populations that have drifted apart."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skproxy.datasets._arguments import check_count, check_real

#: Alleles of an individual at each locus.
PLOIDY = 2
#: Alleles that each locus has, and origins of the populations.
N_ALLELES, N_ORIGINS = 12, 3


def make_populations(
    n_samples: int = 600,
    *,
    n_populations: int = 15,
    n_loci: int = 30,
    drift: float = 0.1,
    missing: float = 0.04,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Make counts of alleles of individuals from populations of three origins.

    An ancestral population drifts apart into three origins, and each of them into
    populations, as breeds do. Individuals carry two alleles at each locus, like
    microsatellites, and some loci of theirs are not typed.

    Parameters
    ----------
    n_samples : int, default=600
        Number of individuals, the rows.
    n_populations : int, default=15
        Number of populations, the labels; sizes differ by one at most.
    n_loci : int, default=30
        Number of loci, each with twelve alleles.
    drift : float, default=0.1
        Wright's F_ST of each of the two steps, from 0 (not included: all the same) to 1
        (not included: one allele is left).
    missing : float, default=0.04
        Share of the pairs of an individual and a locus that are not typed, below 1.
    random_state : int, RandomState instance or None, default=None
        Determines frequencies, individuals and what is missing.

    Returns
    -------
    X : ndarray of shape (n_samples, n_loci * 12)
        Counts 0, 1 or 2 of each allele, locus by locus, as float64; -1 in all columns
        of a locus that is not typed.
    y : ndarray of shape (n_samples,)
        Population of each individual, 0 to n_populations - 1, in mixed order;
        population p comes from origin ``p % 3``.

    See Also
    --------
    make_communities : Counts of species instead of alleles.

    Notes
    -----
    O(n_samples * n_loci) time and memory. The share of alleles that two
    individuals do not have in common, over the loci typed in both, has negative
    eigenvalues, and missing loci make it break the triangle inequality.

    References
    ----------
    .. [1] D. J. Balding and R. A. Nichols (1995). "A method for quantifying
       differentiation between populations at multi-allelic loci and its implications
       for investigating identity and paternity". Genetica 96, 3-12.
       doi:10.1007/BF01441146. The Dirichlet distribution of drifted frequencies.

    Examples
    --------
    >>> from skproxy.datasets import make_populations
    >>> X, population = make_populations(random_state=0)
    >>> X.shape, int(X.max()), len(set(population.tolist()))
    ((600, 360), 2, 15)
    """
    of = "of make_populations"
    n_samples = check_count(n_samples, name=f"n_samples {of}")
    n_populations = check_count(n_populations, name=f"n_populations {of}")
    n_loci = check_count(n_loci, name=f"n_loci {of}")
    drift = check_real(drift, name=f"drift {of}", positive=True, below=1.0)
    missing = check_real(missing, name=f"missing {of}", below=1.0)
    rng = check_random_state(random_state)
    ancestral = _normalized(rng.standard_gamma(1.0, size=(1, n_loci, N_ALLELES)))
    origins = _drifted(np.repeat(ancestral, N_ORIGINS, axis=0), drift, rng)
    parents = origins[np.arange(n_populations) % N_ORIGINS]
    frequencies = _drifted(parents, drift, rng)

    y = rng.permutation(np.arange(n_samples) % n_populations)
    steps = np.cumsum(frequencies, axis=2)[..., :-1]
    X = np.zeros((n_samples, n_loci, N_ALLELES))
    for _ in range(PLOIDY):
        drawn = rng.uniform(size=(n_samples, n_loci, 1))
        allele = (drawn > steps[y]).sum(axis=2, keepdims=True)
        X += allele == np.arange(N_ALLELES)
    X[rng.uniform(size=(n_samples, n_loci)) < missing] = -1.0
    return X.reshape(n_samples, -1), y


def _drifted(frequencies, drift, rng):
    """Return Dirichlet frequencies about given ones, with variance by F_ST."""
    shapes = frequencies * (1 - drift) / drift
    # a floor: gamma variates of tiny shapes underflow, and all of a locus might
    return _normalized(np.maximum(rng.standard_gamma(shapes), 1e-12))


def _normalized(weights):
    """Return weights that sum to one over the alleles of each locus."""
    return weights / weights.sum(axis=-1, keepdims=True)
