"""How many comparisons do nearest neighbours need under a measure without an index?

``LandmarkKNeighborsTransformer`` against exact search, a plain NN-descent (Dong et al.
2011; each pair compared once), landmark columns as coordinates (LAESA's bound, the
nearest compared truly) and, for counts, pynndescent where it is installed. Recall of
the 10 nearest counts what is no farther than the true tenth. Then growth with N, and a
1-NN classifier of series under DTW whose neighbours come from few comparisons.

Run ``python examples/benchmarks/bench_neighbors.py``, with ``--quick`` for small sizes,
``--write`` to renew its part of the results, ``--strings file.npz`` (array ``X`` of
strings) and ``--series file.npz ...`` (``X``, ``y``) for more sets than the repository
has.
"""

import argparse
import time
from pathlib import Path

import data
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from skproxy import BlockMetric
from skproxy.neighbors import LandmarkKNeighborsTransformer
from skproxy.neighbors._lists import NeighborLists
from skproxy.neighbors._pairs import KnownPairs

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
K = 10
SECONDS_PER_COMPARISON = 1e-4


def dna(n, rng):
    """Return made-up DNA of 60 letters: families of related strings."""
    parents = rng.randint(0, 4, (n // 30, 60))
    rows = parents[rng.randint(len(parents), size=n)]
    changed = rng.rand(*rows.shape) < rng.uniform(0.05, 0.5, (n, 1))
    rows = np.where(changed, rng.randint(0, 4, rows.shape), rows)
    return ["".join(row) for row in np.array(list("ACGT"))[rows]]


def strains(n, rng):
    """Return made-up counts of alleles of strains that drift, as influenza does."""
    population = np.repeat(rng.randint(0, 4, (1, 329)), 60, axis=0)
    sampled = []
    while len(sampled) * 10 < n:
        fitness = rng.gamma(1.0, size=60)
        population = population[rng.choice(60, 60, p=fitness / fitness.sum())]
        mutated = rng.rand(*population.shape) < 0.0012
        drawn = rng.randint(0, 4, population.shape)
        population = np.where(mutated, drawn, population)
        sampled.append(population[rng.choice(60, 10, replace=False)])
    alleles = np.concatenate(sampled)[:n]
    return (alleles[:, :, None] == np.arange(4)).reshape(n, -1).astype(float)


def mutated_peptides(n, rng):
    """Return n peptides: real ones, then copies with a quarter of letters changed."""
    real, _ = data.peptides()
    found = real[:n]
    letters = sorted(set("".join(real)))
    while len(found) < n:
        one = real[rng.randint(len(real))]
        changed = [rng.choice(letters) if rng.rand() < 0.25 else c for c in one]
        found.append("".join(c for c in changed if rng.rand() > 0.05))
    return found


def cityblock(rows, others):
    """Return city-block distances (a function for `BlockMetric`)."""
    return cdist(rows, others, "cityblock")


def recall(distances, D):
    """Return the share of listed neighbours no farther than the true tenth."""
    D = D.copy()
    np.fill_diagonal(D, np.inf)
    last = np.partition(D, K - 1, axis=1)[:, K - 1 : K]
    return float((distances[:, :K] <= last).mean())


def ours(objects, metric, seed, **options):
    """Return distances, comparisons an object and seconds without comparisons."""
    spent = []

    def timed(rows, others):
        start = time.perf_counter()
        block = metric(rows, others)
        spent.append(time.perf_counter() - start)
        return block

    finder = LandmarkKNeighborsTransformer(
        BlockMetric(timed), n_neighbors=K, random_state=seed, **options
    )
    start = time.perf_counter()
    distances, _ = finder.fit(objects).kneighbors()
    seconds = time.perf_counter() - start - sum(spent)
    return distances, finder.n_comparisons_ / len(objects), seconds


def nn_descent(D, length, seed):
    """Return distances, comparisons an object and seconds of a plain NN-descent."""
    start = time.perf_counter()
    n, rng = len(D), np.random.RandomState(seed)
    known = KnownPairs(n, np.empty(0, int), symmetric=True)
    lists = NeighborLists(n, length)
    rows, columns = known.add(
        np.repeat(np.arange(n), length), rng.randint(n, size=n * length)
    )
    n_compared, before = 0, lists.graph(2 * length) * 0
    while len(rows):
        n_compared += len(rows)
        both = np.r_[rows, columns], np.r_[columns, rows]
        if lists.update(*both, D[both]) <= 0.001 * n * length:
            break
        graph = lists.graph(2 * length)
        added = ((graph - before) > 0).astype(np.float32)
        before = graph
        rows, columns = known.add(*(added @ graph).nonzero())
    return lists.distances, n_compared / n, time.perf_counter() - start


def columns_as_coordinates(D, seed, n_landmarks=100, n_compared=200):
    """Return distances, comparisons an object and seconds by LAESA's lower bound."""
    start = time.perf_counter()
    n, rng = len(D), np.random.RandomState(seed)
    landmarks = rng.permutation(n)[:n_landmarks]
    bounds = cdist(D[:, landmarks], D[:, landmarks], "chebyshev")
    np.fill_diagonal(bounds, np.inf)
    nearest = np.argpartition(bounds, n_compared, axis=1)[:, :n_compared]
    known = KnownPairs(n, landmarks, symmetric=True)
    rows, columns = known.add(np.repeat(np.arange(n), n_compared), nearest.ravel())
    lists = NeighborLists(n, K, among_themselves=True)
    lists.update_rectangle(np.arange(n), landmarks, D[:, landmarks])
    others = np.setdiff1d(np.arange(n), landmarks)
    lists.update_rectangle(landmarks, others, D[np.ix_(landmarks, others)])
    lists.update(*(both := (np.r_[rows, columns], np.r_[columns, rows])), D[both])
    seconds = time.perf_counter() - start
    return lists.distances, n_landmarks + len(rows) / n, seconds


def pynndescent(X, seed):
    """Return distances and seconds of pynndescent, which counts no comparisons."""
    from pynndescent import NNDescent

    def search():
        return NNDescent(X, "manhattan", n_neighbors=K + 1, random_state=seed)

    search()  # compiles
    start = time.perf_counter()
    _, distances = search().neighbor_graph
    return np.sort(distances, axis=1)[:, 1:], time.perf_counter() - start


def compare_methods(name, objects, metric, n_seeds, vectors=None):
    """Return the lines of one set."""
    D = np.asarray(metric(objects, objects), dtype=float)
    n = len(objects)
    methods = {
        "landmarks, default": lambda seed: ours(objects, metric, seed),
        "landmarks, 60 of them": lambda seed: ours(
            objects, metric, seed, n_landmarks=60, n_candidates=80
        ),
        **{
            f"NN-descent, lists of {length}": lambda seed, length=length: nn_descent(
                D, length, seed
            )
            for length in (10, 15)
        },
        "columns as coordinates": lambda seed: columns_as_coordinates(D, seed),
    }
    lines = []
    for method, search in methods.items():
        found = [search(seed) for seed in range(n_seeds)]
        shares = [recall(distances, D) for distances, _, _ in found]
        cost = float(np.mean([comparisons for _, comparisons, _ in found]))
        seconds = float(np.median([s for _, _, s in found]))
        total = seconds + cost * n * SECONDS_PER_COMPARISON
        lines.append(
            f"| {name}, N = {n:,} | {method} | {np.mean(shares):.3f} "
            f"| {min(shares):.3f} | {cost:.0f} | {seconds:.1f} | {total:.0f} |"
        )
    lines.append(
        f"| {name}, N = {n:,} | all pairs | 1.000 | 1.000 | {(n - 1) / 2:.0f} | 0.0 "
        f"| {n * (n - 1) / 2 * SECONDS_PER_COMPARISON:.0f} |"
    )
    if vectors is not None:
        try:
            distances, seconds = pynndescent(vectors, 0)
        except ImportError:
            return lines
        lines.append(
            f"| {name}, N = {n:,} | pynndescent | {recall(distances, D):.3f} | - | - "
            f"| {seconds:.1f} | - |"
        )
    return lines


def growth(sizes):
    """Return the lines of growing sets of peptides, and the exponent of N."""
    rng = np.random.RandomState(0)
    everything = mutated_peptides(max(sizes), rng)
    order = rng.permutation(len(everything))
    totals, lines = [], []
    for n in sizes:
        objects = [everything[i] for i in order[:n]]
        distances, cost, seconds = ours(objects, data.levenshtein, 0, n_candidates=80)
        asked = rng.permutation(n)[:500]
        D = data.levenshtein([objects[i] for i in asked], objects).astype(float)
        D[np.arange(len(asked)), asked] = np.inf
        last = np.partition(D, K - 1, axis=1)[:, K - 1 : K]
        share = (distances[asked, :K] <= last).mean()
        totals.append(cost * n)
        lines.append(f"| {n:,} | {share:.3f} | {cost:.0f} | {seconds:.1f} |")
    exponent = np.log(totals[-1] / totals[0]) / np.log(sizes[-1] / sizes[0])
    return lines, exponent


def classify(name, X, y):
    """Return the line of a set of series: 1-NN under DTW by few comparisons."""
    D = data.dtw(X, X.shape[1])
    n_compared = [0]

    def look_up(rows, others):
        n_compared[0] += len(rows) * len(others)
        return D[np.ix_(rows, others)]

    exact, found, cost, n_train = [], [], [], []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        third = max(len(train) // 30, 4)
        finder = LandmarkKNeighborsTransformer(
            BlockMetric(look_up),
            n_neighbors=1,
            n_landmarks=third,
            n_candidates=third,
            max_rounds=2,
            random_state=0,
        )
        pipeline = make_pipeline(finder, KNeighborsClassifier(1, metric="precomputed"))
        pipeline.fit(list(train), y[train])
        n_compared[0] = 0
        found.append(pipeline.score(list(test), y[test]))
        cost.append(n_compared[0] / len(test))
        nearest = KNeighborsClassifier(1, metric="precomputed")
        nearest.fit(D[np.ix_(train, train)], y[train])
        exact.append(nearest.score(D[np.ix_(test, train)], y[test]))
        n_train.append(len(train))
    return (
        f"| {name} | {np.mean(n_train):.0f} | {np.mean(exact):.3f} "
        f"| {np.mean(found):.3f} | {np.mean(cost):.0f} |"
    )


def series(paths):
    """Yield names, series and labels: those of the repository, then files."""
    for name in ("gunpoint", "italy_power"):
        arrays = data.load(name)
        yield name, arrays["X"].astype(float), arrays["y"]
    for path in paths:
        with np.load(path) as arrays:
            yield Path(path).stem, arrays["X"].astype(float), arrays["y"]


def main():
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--strings", nargs="*", default=[])
    parser.add_argument("--series", nargs="*", default=[])
    arguments = parser.parse_args()
    n, n_seeds = (600, 1) if arguments.quick else (3000, 2)
    rng = np.random.RandomState(0)
    peptides, _ = data.peptides(n)
    strings = {"peptides, edit distance": peptides, "made-up DNA": dna(n, rng)}
    for path in arguments.strings:
        with np.load(path) as arrays:
            X = arrays["X"]
        chosen = np.random.RandomState(0).permutation(len(X))[:n]
        strings[Path(path).stem] = [str(X[i]) for i in chosen]
    rows = []
    for name, objects in strings.items():
        rows += compare_methods(name, objects, data.levenshtein, n_seeds)
        print(*rows[-6:], sep="\n", flush=True)
    counts = strains(min(n, 1900), rng)
    rows += compare_methods("made-up strains, L1", counts, cityblock, n_seeds, counts)
    sizes = (300, 600) if arguments.quick else (1250, 5000, 20000)
    print(*rows[-7:], sep="\n", flush=True)
    grown, exponent = growth(sizes)
    print(*grown, exponent, sep="\n", flush=True)
    classified = [classify(*one) for one in series(arguments.series)]
    print(*classified, sep="\n", flush=True)
    text = [
        "# Nearest neighbours",
        "",
        f"Recall of the {K} nearest (mean, worst of {n_seeds}), comparisons an object "
        "(each pair once), seconds besides the comparisons, and seconds in all for a "
        "measure that takes 100 microseconds.",
        "",
        "| set | method | recall | worst | comparisons | s besides | s in all |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        "### Growth: peptides, more of them by mutation; 80 candidates",
        "",
        "| N | recall | comparisons | s besides |",
        "|---|---|---|---|",
        *grown,
        "",
        f"All comparisons together grow like N to the {exponent:.2f}.",
        "",
        "### 1-NN of series under DTW, 5 folds",
        "",
        "| set | training series | all comparisons: accuracy | few: accuracy "
        "| comparisons |",
        "|---|---|---|---|---|",
        *classified,
        "",
        f"Measured on {data.machine()}.",
    ]
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "neighbors.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
