"""What becomes of clusters when they are looked for in the vectors?

k-means on flipped, clipped and shifted coordinates of 100 landmarks, and on signed ones
(distances to centres by the signed similarity, as they are), against k-medoids on all
pairs. Agreement is the adjusted Rand index (ARI) with k-medoids and with the labels
known; cost is the sum of true dissimilarities to the nearest medoid, over that of
k-medoids on all pairs, with medoids from ``medoid_indices``.

Run ``python examples/benchmarks/bench_clusters.py``, with ``--quick`` for one start,
``--write`` to renew its part of the results.
"""

import argparse
from pathlib import Path

import data
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from skproxy import NystromDissimilarity
from skproxy.datasets import load_globins
from skproxy.neighbors import medoid_indices

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def sets():
    """Yield name, dissimilarities of all pairs and labels."""
    yield "globins", *load_globins(return_X_y=True)
    yield "communities, JSD", *data.communities()
    yield "populations, alleles", *data.alleles()
    series = data.load("gunpoint")
    yield "gunpoint, DTW", data.dtw(series["X"], series["X"].shape[1]), series["y"]
    peptides, y = data.peptides(1000)
    yield "peptides", data.levenshtein(peptides, peptides).astype(float), y


def k_medoids(D, k, n_starts, rng):
    """Return labels and cost of the best of ten times as many k-medoids as starts."""
    best = None, np.inf
    for _ in range(10 * n_starts):
        medoids = [rng.randint(len(D))]
        while len(medoids) < k:  # as k-means++
            gaps = np.maximum(D[:, medoids].min(axis=1), 0) ** 2
            medoids.append(rng.choice(len(D), p=gaps / gaps.sum()))
        before = np.inf
        while (cost := D[:, medoids].min(axis=1).sum()) < before:
            before, labels = cost, D[:, medoids].argmin(axis=1)
            members = [np.flatnonzero(labels == c) for c in range(k)]
            medoids = [m[D[np.ix_(m, m)].sum(axis=0).argmin()] for m in members]
        if before < best[1]:
            best = labels, before
    return best


def signed_k_means(Z, signs, k, n_starts, seed):
    """Return labels of k-means with the distances of a signed similarity.

    The sum of signed distances to centres needs not fall, so the steps are bounded.
    """
    best = None, np.inf
    for start in range(n_starts):
        labels = KMeans(k, n_init=1, random_state=seed + start).fit_predict(Z)
        for _ in range(50):
            centres = np.array([Z[labels == c].mean(axis=0) for c in range(k)])
            gaps = ((Z[:, None] - centres) ** 2 * signs).sum(axis=2)
            moved = gaps.argmin(axis=1)
            if (moved == labels).all() or len(np.unique(moved)) < k:
                break
            labels = moved
        cost = gaps[np.arange(len(Z)), labels].sum()
        if cost < best[1]:
            best = labels, cost
    return best[0]


def lines_of(name, D, y, n_starts):
    """Return the lines of one set."""
    rng, k = np.random.RandomState(0), len(np.unique(y))
    reference, least = k_medoids(D, k, n_starts, rng)
    agreement = adjusted_rand_score(y, reference)
    set_name = f"{name}, N = {len(D):,}, k = {k}"
    lines = [f"| {set_name} | k-medoids, all pairs | - | {agreement:.2f} | 1.000 |"]
    for way in ("flip", "clip", "shift", "signed"):
        nystrom = NystromDissimilarity(
            "precomputed",
            correction=None if way == "signed" else way,
            random_state=0,
        )
        Z = nystrom.fit_transform(D)
        if way == "signed":
            labels = signed_k_means(Z, nystrom.axis_signs_, k, n_starts, 0)
        else:
            labels = KMeans(k, n_init=n_starts, random_state=0).fit_predict(Z)
        medoids = medoid_indices(labels, Z, D, "precomputed", random_state=0)
        cost = D[:, medoids].min(axis=1).sum() / least
        lines.append(
            f"| {set_name} | k-means, {way} "
            f"| {adjusted_rand_score(reference, labels):.2f} "
            f"| {adjusted_rand_score(y, labels):.2f} | {cost:.3f} |"
        )
    return lines


def restructured(lines):
    """Return a Markdown table as one for the guide."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    found = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        bullets = ["* -", *["  -"] * (len(row) - 1)]
        pairs = zip(bullets, row, strict=True)
        found += [f"   {bullet} {cell}" for bullet, cell in pairs]
    return found


HEADER = "| set | method | ARI with k-medoids | ARI with labels | cost |"


def main():
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    n_starts = 1 if arguments.quick else 20
    lines = [line for one in sets() for line in lines_of(*one, n_starts)]
    measured = f"Measured on {data.machine()}."
    title = "# Clusters in the vectors"
    text = [title, "", HEADER, "|---|---|---|---|---|", *lines, "", measured]
    print("\n".join(text))
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "clusters.md").write_text("\n".join(text) + "\n", encoding="utf-8")
        fragment = [*restructured([HEADER, *lines]), "", measured]
        (RESULTS / "clusters.inc").write_text(
            "\n".join(fragment) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
