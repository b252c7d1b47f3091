"""Data sets of the benchmarks, from ``examples/data`` or generated."""

from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform

from skproxy.datasets import make_communities, make_populations

FOLDER = Path(__file__).resolve().parent.parent / "data"


def load(name):
    """Return the arrays of a file of ``examples/data`` as a dict."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def load_dissimilarities(name):
    """Return the full matrix and the labels of a file that holds a triangle `D`."""
    arrays = load(name)
    return squareform(arrays["D"].astype(np.float64)), arrays["y"]


def peptides(n=None, seed=0):
    """Return peptide sequences (a list) and labels, a random subset of n."""
    arrays = load("peptides")
    order = np.random.RandomState(seed).permutation(len(arrays["y"]))[:n]
    return [str(s) for s in arrays["sequences"][order]], arrays["y"][order]


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
    arrays = load("votes")
    cast = arrays["votes"]
    D = np.zeros((len(cast), len(cast)))
    for i, row in enumerate(cast):
        both = (cast >= 0) & (row >= 0)
        D[i] = ((row != cast) & both).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
    return D, arrays["party"]


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
