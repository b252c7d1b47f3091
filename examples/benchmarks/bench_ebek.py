"""Does the exemplar embedding find the neighbours that the kernel has?

The protocol of the EBEK paper (IJCAI 2016, section 4.1): 100 random queries, their |T|
objects of largest inner product (10 and 50, the query left out) as the truth, ten
columns from every method, the R objects nearest to each query in these columns, recall
``|R n T| / |T|`` and precision ``|R n T| / |R|`` at R = 10, 110, 210 ... up to 2010.
Ten repeats with other queries and seeds; means and 95 % confidence intervals.

Coordinates are ranked as their makers mean them: by inner products (EBEK, TruncatedSVD,
random projection), by distances (Isomap, LLE), by both (PCA), signs by the bits that
differ, ties at random. The sets are digits, and peptides as counts of the triplets of
letters in them, sparse as text is; also as tf-idf rows of unit length, which the paper
does not do: there the mean counts for little, and centring helps.

Run with --quick for a minute's worth, with --write to renew docs/results.
"""

import argparse
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.random_projection import GaussianRandomProjection
from threadpoolctl import threadpool_limits

from skproxy import EBEKEmbedding

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
N_COLUMNS, N_QUERIES = 10, 100
TRUTHS = (10, 50)
#: Isomap and LLE take minutes beyond this many objects.
MANIFOLD_LIMIT = 2000
EBEK = "EBEK"


@dataclass(frozen=True)
class Method:
    """An embedding, how its columns are ranked, and up to how many objects it runs."""

    make: Any
    ranking: str = "product"
    limit: int = 10**9
    seeded: bool = True


METHODS = {
    EBEK: Method(lambda seed: EBEKEmbedding(N_COLUMNS, random_state=seed)),
    "EBEK, projection": Method(
        lambda seed: EBEKEmbedding(N_COLUMNS, method="projection", random_state=seed)
    ),
    "TruncatedSVD": Method(lambda seed: TruncatedSVD(N_COLUMNS, random_state=seed)),
    "PCA, products": Method(lambda seed: PCA(N_COLUMNS, random_state=seed)),
    "PCA, distances": Method(
        lambda seed: PCA(N_COLUMNS, random_state=seed), ranking="distance"
    ),
    "random projection": Method(
        lambda seed: GaussianRandomProjection(N_COLUMNS, random_state=seed)
    ),
    "random sign bits": Method(
        lambda seed: GaussianRandomProjection(N_COLUMNS, random_state=seed),
        ranking="bits",
    ),
    "Isomap": Method(
        lambda _: Isomap(n_components=N_COLUMNS, n_neighbors=10),
        ranking="distance",
        limit=MANIFOLD_LIMIT,
        seeded=False,
    ),
    "LLE": Method(
        lambda _: LocallyLinearEmbedding(
            n_components=N_COLUMNS, n_neighbors=20, random_state=0
        ),
        ranking="distance",
        limit=MANIFOLD_LIMIT,
        seeded=False,
    ),
}


def load_sets():
    """Return name -> vectors, dense or sparse."""
    words, _ = data.peptides(2000)
    count = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False)
    counts = count.fit_transform(words).astype(np.float64)
    return {
        "digits": load_digits().data / 16.0,
        "triplets": counts,
        "triplets, tf-idf": TfidfTransformer().fit_transform(counts),
    }


def embed(method, X, seed):
    """Return the columns and the seconds of one processor that they took."""
    dense = sparse.issparse(X) and isinstance(
        method.make(0), (PCA, LocallyLinearEmbedding)
    )
    X = X.toarray() if dense else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neighbourhood graphs in several pieces
        start = time.process_time()
        Z = method.make(seed).fit_transform(X)
        return Z, time.process_time() - start


def scores(Z, queries, ranking, rng):
    """Return how near each object is to each query, larger being nearer."""
    if ranking == "bits":
        bits = Z > 0
        same = (bits[queries][:, None, :] == bits[None]).sum(axis=2)
        return same + rng.uniform(size=same.shape)
    products = Z[queries] @ Z.T
    if ranking == "product":
        return products
    return products - 0.5 * np.square(Z).sum(axis=1)


def places(values, queries):
    """Return the objects of each query from near to far, the query last."""
    values = values.copy()
    values[np.arange(len(queries)), queries] = -np.inf
    return np.argsort(-values, axis=1, kind="stable")


def grid(n):
    """Return the R at which recall is read."""
    return np.arange(10, min(2010, n - 1) + 1, 100)


def recall_curves(Z, X, ranking, seed):
    """Return recall at each R for each |T|, shape (2, n_R)."""
    n = X.shape[0]
    rng = np.random.RandomState(1000 + seed)
    queries = rng.choice(n, N_QUERIES, replace=False)
    products = X[queries] @ X.T
    truth = places(products.toarray() if sparse.issparse(X) else products, queries)
    found = places(scores(Z, queries, ranking, rng), queries)
    position = np.empty_like(found)
    np.put_along_axis(position, found, np.arange(n)[None, :], axis=1)
    at = [np.take_along_axis(position, truth[:, :T], axis=1) for T in TRUTHS]
    return np.array([[(p < R).mean() for R in grid(n)] for p in at])


def run(sets, n_repeats, limit):
    """Return (set, method) -> recalls of shape (repeats, 2, n_R)."""
    recalls = {}
    for name, X in sets.items():
        for title, method in METHODS.items():
            if X.shape[0] > min(method.limit, limit if not method.seeded else 10**9):
                continue
            fixed = None if method.seeded else embed(method, X, 0)
            found = []
            for seed in range(n_repeats):
                Z, _ = fixed or embed(method, X, seed)
                found.append(recall_curves(Z, X, method.ranking, seed))
            recalls[name, title] = np.array(found)
        print(f"  {name} done", file=sys.stderr, flush=True)
    return recalls


def times(sets, n_repeats):
    """Return (set, method) -> seconds of EBEK and TruncatedSVD, taken in turn."""
    found = {}
    for name, X in sets.items():
        for seed in range(n_repeats):
            for title in (EBEK, "EBEK, projection", "TruncatedSVD"):
                took = embed(METHODS[title], X, seed)[1]
                found.setdefault((name, title), []).append(took)
    return found


def peak_megabytes():
    """Return the peak of resident memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike getrusage it forgets the parent process
        line = next(x for x in status.read_text().splitlines() if "VmHWM" in x)
        return int(line.split()[1]) / 1024
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def large_text():
    """Embed sparse 10,000 x 29,000 and print seconds and peak memory in megabytes."""
    n, n_terms, n_words = 10_000, 29_000, 90
    rng = np.random.RandomState(0)
    terms = (n_terms * rng.uniform(size=n * n_words) ** 3).astype(int)  # few are common
    documents = np.repeat(np.arange(n), n_words)
    X = sparse.csr_matrix((np.ones(len(terms)), (documents, terms)), (n, n_terms))
    before = peak_megabytes()
    start = time.perf_counter()
    W = EBEKEmbedding(N_COLUMNS, epsilon=0.5, random_state=0).fit_transform(X)
    took = time.perf_counter() - start
    assert W.shape == (10_000, N_COLUMNS)
    print(f"{took:.2f} {before:.0f} {peak_megabytes():.0f}")


def measure_large_text():
    """Run `large_text` in a process of its own, so that the peak is its own."""
    command = [sys.executable, __file__, "--large-text"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tuple(float(value) for value in out.split())


def table(header, rows):
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def spread(values):
    """Return mean and half the 95 % confidence interval as text."""
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.3f} ± {half:.3f}"


def area_table(recalls, sets, kind):
    """Return the areas under recall or precision curves, R from 10 to 2010."""
    header = ["method", *(f"{name}, {T}" for name in sets for T in TRUTHS)]
    rows = []
    for title in METHODS:
        row = [title]
        for name, X in sets.items():
            curves = recalls.get((name, title))
            for t, T in enumerate(TRUTHS):
                if curves is None:
                    row.append("too long")
                    continue
                factor = 1.0 if kind == "recall" else T / grid(X.shape[0])
                row.append(spread((curves[:, t] * factor).mean(axis=1)))
        rows.append(row)
    return table(header, rows)


def target_table(recalls, sets, seconds):
    """Return EBEK against the best other method, and its time."""
    rows = []
    for name in sets:
        for t, T in enumerate(TRUTHS):
            areas = {
                title: recalls[name, title][:, t].mean(axis=1)
                for title in METHODS
                if (name, title) in recalls
            }
            others = [title for title in areas if not title.startswith(EBEK)]
            best = max(others, key=lambda title: areas[title].mean())
            gap = areas[EBEK] - areas[best]
            half = 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
            rows.append([f"{name}, {T}", best, f"{gap.mean():+.4f} ± {half:.4f}"])
    recall = table(["data, T", "best other", "EBEK's area minus its area"], rows)
    rows = []
    for name in sets:
        ours, projection, peer = (
            np.median(seconds[name, title])
            for title in (EBEK, "EBEK, projection", "TruncatedSVD")
        )
        rows.append(
            [
                name,
                f"{1e3 * ours:.0f} ms",
                f"{1e3 * projection:.0f} ms",
                f"{1e3 * peer:.0f} ms",
                f"**{ours / peer:.2f}**",
            ]
        )
    header = ["data", EBEK, "EBEK, projection", "TruncatedSVD", "ratio (target 1.5)"]
    return recall, table(header, rows)


def draw(recalls, sets, path):
    """Draw recall against R for |T| = 10 and 50."""
    import matplotlib.pyplot as plt

    styles = {
        EBEK: {"color": "#D55E00", "linewidth": 2.6, "zorder": 5},
        "EBEK, projection": {"color": "#D55E00", "linestyle": ":", "linewidth": 2},
        "TruncatedSVD": {"color": "black", "linestyle": "--", "zorder": 6},
        "PCA, products": {"color": "#0072B2"},
        "PCA, distances": {"color": "#0072B2", "linestyle": ":"},
        "random projection": {"color": "#7F7F7F"},
        "random sign bits": {"color": "#7F7F7F", "linestyle": ":"},
        "Isomap": {"color": "#009E73"},
        "LLE": {"color": "#009E73", "linestyle": ":"},
    }
    figure, axes = plt.subplots(
        len(TRUTHS), len(sets), figsize=(3.1 * len(sets), 6), sharey=True
    )
    for column, (name, X) in enumerate(sets.items()):
        R = grid(X.shape[0])
        for t, T in enumerate(TRUTHS):
            ax = axes[t, column]
            for title, style in styles.items():
                if (name, title) not in recalls:
                    continue
                curves = recalls[name, title][:, t]
                mean = curves.mean(axis=0)
                half = 1.96 * curves.std(axis=0, ddof=1) / np.sqrt(len(curves))
                ax.plot(R, mean, label=title, **style)
                ax.fill_between(
                    R, mean - half, mean + half, color=style["color"], alpha=0.12
                )
            ax.set_title(f"{name}, {X.shape[0]} objects, |T| = {T}", fontsize=9)
            ax.spines[["top", "right"]].set_visible(False)
            ax.set_xlim(0, R[-1])
            ax.set_ylim(0, 1.02)
            ax.set_xlabel("R" if t == len(TRUTHS) - 1 else "")
            ax.set_ylabel("recall@R" if column == 0 else "")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.savefig(path, dpi=110)


def main():
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--large-text", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large_text:
        large_text()
        return
    sets = load_sets()
    n_repeats = 2 if options.quick else 10
    with threadpool_limits(1):  # times then mean the same on a busy machine
        recalls = run(sets, n_repeats, 500 if options.quick else MANIFOLD_LIMIT)
        seconds = times(sets, 5 if options.quick else 15)
    recall, speed = target_table(recalls, sets, seconds)
    took, before, peak = measure_large_text()
    text = "\n\n".join(
        [
            "# Neighbours found in an exemplar embedding",
            f"{data.machine()}. {N_COLUMNS} columns, {N_QUERIES} queries, {n_repeats} "
            "repeats; means and 95 % confidence intervals, medians of times. Written "
            "by `examples/benchmarks/bench_ebek.py`, which describes the protocol.",
            "![recall curves](ebek.png)",
            "## EBEK against the best of the others\n\nTarget: at or above all of "
            "them; area under recall@R, R = 10 to 2010, paired by queries.",
            recall,
            f"## Time\n\nProcessor time on one thread.\n\n{speed}",
            f"## Memory\n\nSparse 10,000 x 29,000, 90 words a row, epsilon=0.5: "
            f"{took:.2f} s, peak of the whole process **{peak:.0f} MB** "
            f"(target 1,000), {before:.0f} MB of it before the fit.",
            "## Area under recall@R\n\nColumns: data and |T|.",
            area_table(recalls, sets, "recall"),
            "## Area under precision@R",
            area_table(recalls, sets, "precision"),
        ]
    )
    print(text)
    if options.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "ebek.md").write_text(text + "\n", encoding="utf-8")
        draw(recalls, sets, RESULTS / "ebek.png")


if __name__ == "__main__":
    main()
