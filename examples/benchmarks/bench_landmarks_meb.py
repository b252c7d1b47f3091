"""MEB landmarks: small classes found, and time against the number of objects.

Question: do the landmarks that hold the enclosing balls of the classes serve a
classifier where landmarks that follow the density do not, and does choosing them stay
cheap? Three Gaussians (500, 20 and 20 points) under the kernel of an extreme learning
machine, indefinite kernel Fisher discriminant in 10-fold cross-validation, landmarks
chosen within the folds; then vectors in ten dimensions, up to a million.

Run with --quick for a few seconds' worth, with --write to renew docs/results.
"""

import argparse
import time
from pathlib import Path

import data
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from skproxy import BlockMetric
from skproxy.classification import NyIKFD
from skproxy.datasets import make_three_gaussians
from skproxy.landmarks import EntropySelector, KMeansSelector, select_landmarks

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def elm_kernel(rows, others, g=5e-11):
    """Return the parameter-free kernel of an extreme learning machine."""
    sizes = [g + 1.0 + np.square(x).sum(axis=1) for x in (rows, others)]
    ratio = (1.0 + rows @ others.T) / np.sqrt(np.outer(*sizes))
    return 2.0 / np.pi * np.arcsin(np.clip(ratio, -1.0, 1.0))


def classify(X, y, selector, n_landmarks, seed, **parameters):
    """Return mean accuracy and the numbers of landmarks over ten folds."""
    model = make_pipeline(
        StandardScaler(),
        Normalizer(),
        NyIKFD(
            BlockMetric(elm_kernel),
            landmarks=selector,
            n_landmarks=n_landmarks,
            random_state=seed,
            **parameters,
        ),
    )
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    found = cross_validate(model, X, y, cv=folds, return_estimator=True)
    counts = [pipeline[-1].n_landmarks_ for pipeline in found["estimator"]]
    return found["test_score"].mean(), counts


def three_gaussians(n_seeds):
    """Return one line per selector: accuracies and landmarks over data sets."""
    lines = {}
    for seed in range(n_seeds):
        X, y = make_three_gaussians(random_state=seed)
        accuracy, counts = classify(X, y, "meb", 12, seed)
        lines.setdefault("meb", []).append((accuracy, counts))
        size = round(np.mean(counts))
        for selector in ("kmeans", "entropy", "uniform", "cholesky"):
            lines.setdefault(selector, []).append(classify(X, y, selector, size, seed))
        lines.setdefault("all objects", []).append(
            classify(X, y, np.arange(len(X) * 9 // 10), 100, seed)
        )
    return {
        name: (
            np.mean([accuracy for accuracy, _ in found]),
            np.min([accuracy for accuracy, _ in found]),
            np.mean([counts for _, counts in found]),
            np.max([counts for _, counts in found]),
        )
        for name, found in lines.items()
    }


def seconds(X, y, selector, n_landmarks, repeats):
    """Return the median time of choosing landmarks, and how many there were."""
    times, counts = [], []
    for seed in range(repeats):
        start = time.perf_counter()
        chosen = select_landmarks(
            X, y, selector=selector, n_landmarks=n_landmarks, random_state=seed
        )
        times.append(time.perf_counter() - start)
        counts.append(len(chosen))
    return float(np.median(times)), float(np.mean(counts))


def vectors(n):
    """Return n vectors of five classes in ten dimensions."""
    rng = np.random.RandomState(0)
    y = rng.randint(5, size=n)
    return rng.normal(size=(n, 10)) + 4.0 * rng.normal(size=(5, 10))[y], y


def scaling(sizes, repeats):
    """Return (n, seconds, landmarks) of MEB selection, and the slope."""
    rows = [(n, *seconds(*vectors(n), "meb", 500, repeats)) for n in sizes]
    logs = np.log([row[:2] for row in rows])
    return rows, float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def peers(n, repeats):
    """Return seconds of MEB, k-means and entropy for as many landmarks, n objects."""
    X, y = vectors(n)
    found = {"meb": seconds(X, y, "meb", 500, repeats)}
    size = round(found["meb"][1])
    for name, selector in (
        ("k-means, all objects", KMeansSelector(max_candidates=n)),
        ("entropy, all objects", EntropySelector(max_candidates=n)),
        ("k-means, bounded sample (default)", KMeansSelector()),
        ("entropy, bounded sample (default)", EntropySelector()),
    ):
        found[name] = seconds(X, y, selector, size, repeats)
    return found


def main():
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few seeds")
    parser.add_argument("--write", action="store_true", help="renew docs/results")
    arguments = parser.parse_args()
    quick = arguments.quick
    accuracies = three_gaussians(1 if quick else 10)
    repeats = 1 if quick else 5
    sizes = [1000, 10_000] if quick else [1000, 10_000, 100_000, 1_000_000]
    rows, slope = scaling(sizes, repeats)
    n_peers = 10_000 if quick else 100_000
    times = peers(n_peers, repeats)
    lines = [
        "# MEB landmarks",
        "",
        f"{data.machine()}. Made by `examples/benchmarks/bench_landmarks_meb.py`.",
        "",
        "## Three Gaussians (500, 20, 20), kernel of an extreme learning machine",
        "",
        "Ny-iKFD, 10-fold cross-validation, landmarks chosen within the folds; "
        "as many for the others as MEB finds (12 are the cap). Target: 100 % with at "
        "most 12 landmarks. The majority class is 92.6 %.",
        "",
        "| landmarks | mean accuracy | worst data set | mean number | largest |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {mean:.4f} | {worst:.4f} | {count:.1f} | {largest} |"
            for name, (mean, worst, count, largest) in accuracies.items()
        ),
        "",
        "## Time against the number of vectors",
        "",
        f"Slope of log time against log N: {slope:.2f} (target: at most 1.1).",
        "",
        "| N | seconds | landmarks |",
        "|---|---|---|",
        *(f"| {n:,} | {spent:.3f} | {count:.0f} |" for n, spent, count in rows),
        "",
        f"## Time of selectors at N = {n_peers:,}, as many landmarks",
        "",
        "| selector | seconds | over MEB's |",
        "|---|---|---|",
        *(
            f"| {name} | {spent:.3f} | {spent / times['meb'][0]:.1f} |"
            for name, (spent, _) in times.items()
        ),
    ]
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "landmarks_meb.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
