"""A folder of labelled data sets, each read under the measure that suits its kind.

Each set is an ``.npz`` archive with labels ``y``; what else is in it, and how its
objects are compared, is said in `SETS`. Full matrices can be kept in a second folder.
"""

from collections import Counter
from pathlib import Path

import data
import numpy as np
from scipy.spatial.distance import cdist, jensenshannon, pdist, squareform

#: Objects of the largest class samples that are compared with each other.
MAX_OBJECTS = 500
#: Smaller classes cannot be stratified over five folds.
MIN_MEMBERS = 5


def edit_distance(arrays, some):
    """Return Levenshtein distances of strings, or of texts cut by offsets."""
    if "X" in arrays:
        words = [str(x) for x in arrays["X"][some]]
    else:
        words = [texts(arrays, i) for i in some]
    return data.levenshtein(words, words).astype(float)


def texts(arrays, i):
    """Return text i of a flat array of characters."""
    start, stop = arrays["offsets"][i : i + 2]
    return arrays["text"][start:stop].tobytes().decode("latin-1")


def warping(arrays, some):
    """Return dynamic time warping without a window, of one or several channels."""
    from dtaidistance import dtw, dtw_ndim

    X = arrays["X"][some].astype(np.float64)
    if "lengths" in arrays:
        X = [x[:n].copy() for x, n in zip(X, arrays["lengths"][some], strict=True)]
    elif X.ndim == 3:
        X = list(np.ascontiguousarray(X.transpose(0, 2, 1)))
        return dtw_ndim.distance_matrix_fast(X, parallel=False)
    return dtw.distance_matrix_fast(list(X), parallel=False)


def by_pdist(metric, field="X"):
    """Return a reader of vectors under a metric of SciPy."""

    def read(arrays, some):
        return squareform(pdist(arrays[field][some].astype(np.float64), metric))

    return read


def word_counts(arrays, some):
    """Return Bray-Curtis dissimilarities of word counts."""
    return bray_curtis_of([Counter(texts(arrays, i).lower().split()) for i in some])


def six_mers(arrays, some):
    """Return Bray-Curtis dissimilarities of counts of 6-mers."""
    rows = []
    for i in some:
        text = texts(arrays, i)
        rows.append(Counter(text[j : j + 6] for j in range(len(text) - 5)))
    return bray_curtis_of(rows)


def bray_curtis_of(rows):
    """Return Bray-Curtis dissimilarities of multisets."""
    from scipy.sparse import csr_matrix
    from sklearn.metrics import pairwise_distances

    names = {key: j for j, key in enumerate(sorted(set().union(*rows)))}
    pairs = [(i, names[k], v) for i, row in enumerate(rows) for k, v in row.items()]
    i, j, v = np.array(pairs).T
    table = csr_matrix((v.astype(float), (i, j)), shape=(len(rows), len(names)))
    gaps = pairwise_distances(table, metric="manhattan")
    sizes = np.asarray(table.sum(axis=1)).ravel()
    return gaps / (sizes[:, None] + sizes)


def given(field):
    """Return a reader of a matrix that the archive holds."""
    return lambda arrays, some: arrays[field][np.ix_(some, some)].astype(float)


def ratings(arrays, some):
    """Return one minus a similarity from 0 to 1."""
    D = 1.0 - arrays["S"][np.ix_(some, some)].astype(float)
    np.fill_diagonal(D, 0.0)
    return (D + D.T) / 2


def alleles(arrays, some):
    """Return one minus the shared alleles, over the loci typed in both animals."""
    counts = arrays["X"][some].astype(float)
    typed = counts >= 0
    counts[~typed] = 0.0
    D = np.zeros((len(some), len(some)))
    for i, row in enumerate(counts):
        both = typed & typed[i]
        gaps = (np.abs(counts - row) * both).sum(axis=1)
        D[i] = gaps / np.maximum(((counts + row) * both).sum(axis=1), 1.0)
    return D


def mismatches(arrays, some):
    """Return the share of answers that differ, over those that both have given."""
    X = arrays["X"][some]
    D = np.zeros((len(X), len(X)))
    for i, row in enumerate(X):
        both = (X >= 0) & (row >= 0)
        D[i] = ((row != X) & both).sum(axis=1) / np.maximum(both.sum(axis=1), 1)
    return D


def fingerprints(arrays, some):
    """Return Jaccard distances of packed bits."""
    bits = np.unpackbits(arrays["fp_packed"][some], axis=1).astype(bool)
    return squareform(pdist(bits, "jaccard"))


def outlines(arrays, some):
    """Return mean Hausdorff distances of outlines, centred and scaled."""
    shapes = []
    for i in some:
        start, stop = arrays["offsets"][i : i + 2]
        points = arrays["points"][start:stop].astype(float)
        points = points[:: max(len(points) // 60, 1)]
        points = points - points.mean(axis=0)
        shapes.append(points / np.sqrt(np.square(points).sum(axis=1).mean()))
    D = np.zeros((len(some), len(some)))
    for i, a in enumerate(shapes):
        for j, b in enumerate(shapes[:i]):
            gaps = cdist(a, b)
            D[i, j] = max(gaps.min(axis=1).mean(), gaps.min(axis=0).mean())
    return D + D.T


def subtrees(arrays, some, depth=3):
    """Return Bray-Curtis dissimilarities of Weisfeiler-Lehman subtrees of graphs."""
    owner, edges = arrays["graph_indicator"], arrays["edges"]
    owner, edges = owner - owner.min(), edges - edges.min()
    neighbours = [[] for _ in owner]
    for a, b in edges:
        neighbours[a].append(b)
    labels = [str(label) for label in arrays["node_labels"]]
    counts = [Counter() for _ in range(owner.max() + 1)]
    for _ in range(depth + 1):
        for node, label in zip(owner, labels, strict=True):
            counts[node][label] += 1
        names = {}
        labels = [
            names.setdefault((own, *sorted(labels[j] for j in near)), f"{len(names)}")
            for own, near in zip(labels, neighbours, strict=True)
        ]
        labels = [f"{len(counts)}:{_}:{label}" for label in labels]
    return bray_curtis_of([counts[i] for i in some])


#: Name of a set -> how its objects are compared.
SETS = {
    "amp_vs_uniprot": edit_distance,
    "arrowhead": warping,
    "aural_sonar": ratings,
    "basicmotions": warping,
    "bbbp": fingerprints,
    "bci": by_pdist("braycurtis"),
    "cbf": warping,
    "coffee": warping,
    "colon": by_pdist("cityblock"),
    "dog_gene_family": six_mers,
    "ecg200": warping,
    "enterotype_jsd": given("D"),
    "facefour": warping,
    "gesturepebblez2": warping,
    "glioma": by_pdist("cityblock"),
    "gunpoint": warping,
    "housevotes84": mismatches,
    "italypowerdemand": warping,
    "leukemia": by_pdist("cityblock"),
    "lightning7": warping,
    "microbov": alleles,
    "mnist5k": by_pdist("cityblock"),
    "moving_pictures": given("D"),
    "mutag": subtrees,
    "mvad": edit_distance,
    "names_by_language": edit_distance,
    "orl": by_pdist("cityblock"),
    "osuleaf": warping,
    "outlines_bot": outlines,
    "outlines_hearts": outlines,
    "pcmac": by_pdist("braycurtis"),
    "prokaryotic_views": by_pdist("cosine", "gene_repert"),
    "promoters106": edit_distance,
    "protein213": given("D"),
    "protein226": given("D"),
    "reuters40": word_counts,
    "rrna16s_small": edit_distance,
    "throat60": given("D_unifrac"),
    "throat_jsd": by_pdist(jensenshannon),
    "trace": warping,
    "warppie10p": by_pdist("cityblock"),
}
#: Sets whose archive has another name.
ARCHIVES = {"throat_jsd": "throat60"}


def load_sets(folder, cache=None, names=None):
    """Yield name, full matrix of dissimilarities and labels of each set of a folder.

    Parameters
    ----------
    folder : str
        Where the archives are; missing ones are passed over.
    cache : str, default=None
        Where full matrices are kept.
    names : list of str, default=None
        None yields all.
    """
    for name, read in SETS.items():
        archive = Path(folder) / f"{ARCHIVES.get(name, name)}.npz"
        kept = cache and Path(cache) / f"{name}.npz"
        if (names and name not in names) or not archive.exists():
            continue
        if kept and kept.exists():
            with np.load(kept) as found:
                yield name, found["D"], found["y"]
            continue
        with np.load(archive, allow_pickle=False) as opened:
            arrays = {key: opened[key] for key in opened.files}
        some = a_sample(arrays["y"])
        D, y = read(arrays, some), arrays["y"][some]
        if kept:
            np.savez_compressed(kept, D=D, y=y)
        yield name, D, y


def a_sample(y):
    """Return positions of at most `MAX_OBJECTS`, of classes that can be stratified."""
    order = np.random.RandomState(0).permutation(len(y))[:MAX_OBJECTS]
    labels, counts = np.unique(y[order], return_counts=True)
    return order[np.isin(y[order], labels[counts >= MIN_MEMBERS])]
