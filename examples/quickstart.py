"""Quickstart: 5,200 peptides that can only be compared
====================================================

Which of these amino-acid sequences are antimicrobial? All there is to go by is an edit
distance. The usual answer compares each new peptide with every known one. Here each is
compared with a few landmarks only; a grid search over correction, power and number of
landmarks pays for its comparisons once; and the result is as good or better.

Run ``python examples/quickstart.py``; it prints a table and saves a picture.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import BlockMetric, NystromDissimilarity

try:
    HERE = Path(__file__).resolve().parent
except NameError:  # inside the gallery
    HERE = Path.cwd()
DATA = HERE / "data" / "peptides.npz"
SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))


class CountedLevenshtein:
    """Edit distances of two lists of strings, counting what is really evaluated."""

    n_evaluated = 0

    def __call__(self, rows, others):
        """Return the distances, shape (len(rows), len(others))."""
        CountedLevenshtein.n_evaluated += len(rows) * len(others)
        return cdist(rows, others, scorer=Levenshtein.distance)


levenshtein = CountedLevenshtein()


def load_peptides():
    """Return training and test peptides with their classes."""
    with np.load(DATA, allow_pickle=False) as archive:
        sequences, y = archive["sequences"].tolist(), archive["y"].astype(int)
    train, test, y_train, y_test = train_test_split(
        sequences, y, test_size=0.2, stratify=y, random_state=0
    )
    return (
        (train[:400], test[:100], y_train[:400], y_test[:100])
        if SMALL
        else (train, test, y_train, y_test)
    )


def search(train, y_train, cache):
    """Search correction, power and number of landmarks, and the classifier with it."""
    pipeline = Pipeline(
        [
            (
                "nystrom",
                NystromDissimilarity(
                    BlockMetric(levenshtein), memory=cache, random_state=0
                ),
            ),
            ("svc", SVC()),
        ]
    )
    grid = {
        "nystrom__correction": ["flip", "clip"],
        "nystrom__power": [1, 2],
        "nystrom__n_landmarks": [20, 50] if SMALL else [50, 100],
        "svc__C": [1, 10],
    }
    return GridSearchCV(pipeline, grid, cv=3).fit(train, y_train)


def compare(train, test, y_train, y_test):
    """Return the fitted search and the rows of the table."""
    start = time.perf_counter()
    nearest = levenshtein(test, train).argmin(axis=1)
    rows = [
        (
            "1-NN on all distances",
            np.mean(y_train[nearest] == y_test),
            0,
            len(train),
            0.0,
            time.perf_counter() - start,
        )
    ]
    CountedLevenshtein.n_evaluated = 0
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        found = search(train, y_train, cache)
        fit_seconds = time.perf_counter() - start
        in_search = CountedLevenshtein.n_evaluated
        start = time.perf_counter()
        accuracy = found.score(test, y_test)
        seconds = time.perf_counter() - start
    nystrom = found.best_estimator_["nystrom"]
    n_landmarks = nystrom.n_landmarks_
    rows.append(
        (
            f"{n_landmarks} landmarks + SVC, searched",
            accuracy,
            in_search,
            n_landmarks,
            fit_seconds,
            seconds,
        )
    )
    start = time.perf_counter()
    again = found.best_estimator_.set_params(nystrom__memory=None)
    again.fit(train, y_train)
    rows.append(
        (
            "  the same, fitted once",
            again.score(test, y_test),
            again["nystrom"].n_comparisons_,
            n_landmarks,
            time.perf_counter() - start,
            seconds,
        )
    )
    return found, rows


def print_table(found, rows, n_train):
    """Print what was compared, what it cost and how good it is."""
    print(
        f"{'':34} {'accuracy':>8} {'comparisons':>12} {'comparisons':>14} "
        f"{'seconds':>8} {'seconds':>8}"
    )
    print(
        f"{'':34} {'':>8} {'in training':>12} {'a prediction':>14} "
        f"{'to fit':>8} {'to test':>8}"
    )
    for name, accuracy, training, each, fit, test in rows:
        print(
            f"{name:34} {accuracy:8.3f} {training:12,} {each:14,} "
            f"{fit:8.2f} {test:8.2f}"
        )
    nystrom = found.best_estimator_["nystrom"]
    best = {key.split("__")[1]: value for key, value in found.best_params_.items()}
    p, q, _ = nystrom.signature_
    print(f"\nBest of the grid: {best}")
    print(
        f"With power={nystrom.power} there are {p} positive and {q} negative "
        f"eigenvalues; the negative fraction is {nystrom.negative_fraction_:.3f}."
    )
    share = rows[1][3] / n_train
    print(
        f"Each prediction compares with {rows[1][3]} landmarks instead of {n_train:,} "
        f"peptides ({share:.1%}), at accuracy {rows[1][1]:.3f} against "
        f"{rows[0][1]:.3f}."
    )


def draw(train, y_train, path):
    """Draw the signed spectrum and the map of the peptides."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    nystrom = NystromDissimilarity(
        BlockMetric(levenshtein),
        n_landmarks=40 if SMALL else 100,
        correction=None,
        random_state=0,
    )
    Z = nystrom.fit_transform(train)
    blue, orange, red, grey = "#0072B2", "#E69F00", "#D55E00", "#555555"
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="tight")

    eigenvalues = nystrom.eigenvalues_ / nystrom.eigenvalues_[0]
    positions = np.arange(1, len(eigenvalues) + 1)
    negative = eigenvalues < 0
    left.bar(positions[~negative], eigenvalues[~negative], 0.9, color=blue)
    left.bar(positions[negative], eigenvalues[negative], 0.9, color=orange)
    left.axhline(0, color=grey, linewidth=0.8)
    left.set_yscale("symlog", linthresh=1e-3)
    left.set(
        xlabel="axis, largest modulus first",
        ylabel="eigenvalue / largest (symmetric log scale)",
        title="Spectrum of squared edit distances",
    )
    left.annotate(
        f"{negative.sum()} negative eigenvalues,\n"
        f"{nystrom.negative_fraction_:.1%} of the spectrum:\n"
        "no Euclidean space holds them",
        xy=(0.97, 0.95),
        xycoords="axes fraction",
        ha="right",
        va="top",
        color="#A06A00",
    )

    # One scatter in random order: no class hides the other.
    order = np.random.RandomState(0).permutation(len(Z))
    colours = np.array([red, blue])[y_train]
    right.scatter(
        Z[order, 0], Z[order, 1], s=7, alpha=0.45, c=colours[order], linewidths=0
    )
    marks = nystrom.component_indices_
    right.scatter(
        Z[marks, 0],
        Z[marks, 1],
        s=26,
        facecolors="none",
        edgecolors="black",
        linewidths=0.9,
        label="landmarks",
    )
    for colour, label in ((blue, "antimicrobial"), (red, "background")):
        right.scatter([], [], s=26, c=colour, linewidths=0, label=label)
    right.set(
        xlabel="axis 1 (edits; a few long peptides lie beyond)",
        ylabel="axis 2 (edits)",
        title=f"{len(train):,} peptides by {len(marks)} comparisons each",
    )
    right.set_xlim(right=np.percentile(Z[:, 0], 99.5))
    right.set_ylim(*np.percentile(Z[:, 1], [0, 99.5]) * 1.05)
    right.legend(frameon=False, loc="lower right")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    print(f"Picture of power={nystrom.power}, the default, saved to {path}")


def main():
    """Compare, print and draw."""
    parser = argparse.ArgumentParser(description="Classify peptides by landmarks.")
    parser.add_argument("--output", default="quickstart.png", help="where to draw")
    arguments = parser.parse_args()
    train, test, y_train, y_test = load_peptides()
    found, rows = compare(train, test, y_train, y_test)
    print_table(found, rows, len(train))
    draw(train, y_train, arguments.output)


if __name__ == "__main__":
    main()
