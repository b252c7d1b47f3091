"""Data sets of the benchmarks, loaded by `skproxy.datasets` or generated."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

import skproxy.datasets
from skproxy.datasets import make_communities, make_populations


def load(name):
    """Return objects ``X`` and the names of their labels ``y`` of a loader, a dict."""
    found = getattr(skproxy.datasets, f"load_{name}")()
    return {"X": found.data, "y": found.target_names[found.target]}


def peptides(n=None, seed=0):
    """Return peptide sequences (a list) and labels, a random subset of n."""
    sequences, y = skproxy.datasets.load_peptides(return_X_y=True)
    order = np.random.RandomState(seed).permutation(len(y))[:n]
    return [sequences[i] for i in order], y[order]


def levenshtein(rows, others):
    """Return edit distances of two lists of strings (a function for `BlockMetric`)."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    return cdist(rows, others, scorer=Levenshtein.distance)


def dtw(X, window):
    """Return dynamic time warping dissimilarities of equally long series.

    With dtaidistance where it is installed, else with aeon (slower; its squared costs
    are not rooted, hence the root).
    """
    try:
        from dtaidistance import dtw as dtaidistance

        return dtaidistance.distance_matrix_fast(
            X.astype(np.float64), window=window, parallel=False
        )
    except ImportError:
        from aeon.distances import dtw_pairwise_distance

        share = (window - 1) / X.shape[1]
        return np.sqrt(dtw_pairwise_distance(X[:, None, :], window=share))


def communities(n=280):
    """Return Jensen-Shannon divergences of made-up communities, and their habitats."""
    counts, habitat = make_communities(n, random_state=0)
    return squareform(pdist(counts, "jensenshannon") ** 2), habitat


def votes():
    """Return the shares of votes in which two members differ, and their parties.

    Over the votes of both.
    """
    votes, party = skproxy.datasets.load_votes(return_X_y=True)
    D = np.zeros((len(votes), len(votes)))
    for i, row in enumerate(votes):
        gaps = np.abs(votes - row)  # NaN where one of them did not vote
        both = np.isfinite(gaps).sum(axis=1)
        D[i] = np.nansum(gaps, axis=1) / np.maximum(both, 1)
    return D, party


def alleles(n=700):
    """Return Bray-Curtis dissimilarities of made-up genotypes, and their populations.

    Over the loci typed in both: the share of alleles that they do not share.
    """
    counts, population = make_populations(n, random_state=0)
    typed = counts >= 0
    counts[~typed] = 0.0
    D = np.zeros((len(counts), len(counts)))
    for i, row in enumerate(counts):
        both = typed & typed[i]
        gaps = (np.abs(counts - row) * both).sum(axis=1)
        D[i] = gaps / np.maximum(((counts + row) * both).sum(axis=1), 1.0)
    return D, population


def machine():
    """Return one line that says what this was measured on."""
    import platform

    import joblib
    import scipy
    import sklearn

    import skproxy

    return (
        f"{joblib.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"skproxy {skproxy.__version__}"
    )
