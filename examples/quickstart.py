"""Quickstart: a thousand peptides, compared by a function that takes its time
===========================================================================

Which of these short amino-acid sequences are antimicrobial? All there is to go by is an
alignment, a dozen lines of plain Python that need a tenth of a millisecond for each
pair. The usual answer, the nearest neighbour, aligns each new peptide with every known
one. Here each is aligned with forty *landmarks*, which make a vector of it; an
ordinary classifier does the rest, at a few percent of the price.

Run ``python examples/quickstart.py``; it prints a table and saves a picture.
"""

import argparse
import os
import time

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skproxy import NystromDissimilarity
from skproxy.datasets import load_peptides

SMALL = bool(os.environ.get("SKPROXY_EXAMPLES_SMALL"))
N_TRAIN, N_TEST, N_LANDMARKS = (120, 40, 15) if SMALL else (1000, 150, 40)
# Under ten thousand pairs are not worth a second process.
N_JOBS = 1 if SMALL else -1

# Residues that often stand in for each other: basic, acidic, hydrophobic, polar.
FAMILIES = {
    residue: family
    for family, residues in enumerate(["KRH", "DE", "ILVMAFWC", "STNQGPY"])
    for residue in residues
}


def alignment(a, b, gap=1.0, kin=0.4):
    """Return the least cost of turning one peptide into another.

    A gap costs 1, a residue for another 1, and 0.4 where both are of one family.
    """
    families = [FAMILIES[y] for y in b]
    above = [gap * j for j in range(len(b) + 1)]
    for x in a:
        family, diagonal, left = FAMILIES[x], above[0], above[0] + gap
        row = [left]
        for y, other, up in zip(b, families, above[1:], strict=True):
            change = 0.0 if x == y else kin if family == other else 1.0
            left = min(diagonal + change, up + gap, left + gap)
            diagonal = up
            row.append(left)
        above = row
    return left


def short_peptides():
    """Return training and test peptides of at most 25 residues, with their classes."""
    sequences, y = load_peptides(return_X_y=True)
    short = [i for i, sequence in enumerate(sequences) if len(sequence) <= 25]
    return train_test_split(
        [sequences[i] for i in short],
        y[short],
        train_size=N_TRAIN,
        test_size=N_TEST,
        stratify=y[short],
        random_state=0,
    )


def nearest(test, train):
    """Return the position of the nearest of all known peptides, for each new one."""
    costs = Parallel(n_jobs=N_JOBS)(
        delayed(lambda a: [alignment(a, b) for b in train])(a) for a in test
    )
    return np.argmin(costs, axis=1)


def by_all_pairs(train, test, y_train, y_test):
    """Classify by the nearest of all; return accuracy, comparisons and seconds."""
    start, right = time.perf_counter(), []
    print(f"Aligning {len(test)} peptides with all {len(train)}:", flush=True)
    for begin in range(0, len(test), 20):
        part = slice(begin, begin + 20)
        right.extend(y_train[nearest(test[part], train)] == y_test[part])
        spent = time.perf_counter() - start
        print(f"  {len(right):3} of {len(test)}, {spent:4.1f} s", flush=True)
    return np.mean(right), len(test) * len(train), time.perf_counter() - start


def by_landmarks(train, test, y_train, y_test):
    """Classify vectors; return the model, accuracy, comparisons and seconds, twice."""
    vectors = NystromDissimilarity(
        alignment,
        n_landmarks=N_LANDMARKS,
        random_state=0,
        n_jobs=N_JOBS,
        verbose=1,
    )
    model = make_pipeline(vectors, SVC())
    start = time.perf_counter()
    model.fit(train, y_train)
    to_fit = time.perf_counter() - start
    accuracy = model.score(test, y_test)
    to_test = time.perf_counter() - start - to_fit
    return model, (accuracy, N_LANDMARKS * len(test), to_test, to_fit)


def print_table(vectors, everything, landmarks):
    """Print what was compared, what it cost and how good it is."""
    accuracy, count, seconds = everything
    print(f"\n{'':22} {'accuracy':>8} {'comparisons':>12} {'seconds':>8}")
    print(f"{'all pairs, 1-NN':22} {accuracy:8.3f} {count:12,} {seconds:8.1f}")
    label = f"{N_LANDMARKS} landmarks, SVC"
    accuracy, count, seconds, to_fit = landmarks
    print(f"{label:22} {accuracy:8.3f} {count:12,} {seconds:8.1f}")
    print(
        f"{'  to fit it, once':22} {'':8} {vectors.n_comparisons_:12,} {to_fit:8.1f}\n"
    )
    share = landmarks[1] / everything[1]
    print(
        f"Each prediction takes {share:.1%} of the comparisons, at accuracy "
        f"{landmarks[0]:.3f} against {everything[0]:.3f}."
    )


def draw(vectors, train, y_train, everything, landmarks, path):
    """Draw the map of the peptides, and what a prediction costs beside it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    Z = vectors.transform(train) / vectors.scale_
    blue, red, grey = "#0072B2", "#D55E00", "#555555"
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 4.6), width_ratios=[3, 2], layout="constrained"
    )
    # One scatter in random order: no class hides the other.
    order = np.random.RandomState(0).permutation(len(Z))
    colours = np.array([red, blue])[y_train]
    left.scatter(
        Z[order, 0], Z[order, 1], s=14, alpha=0.6, c=colours[order], linewidths=0
    )
    marks = vectors.component_indices_
    left.scatter(
        Z[marks, 0],
        Z[marks, 1],
        s=60,
        facecolors="none",
        edgecolors="black",
        linewidths=1.0,
        label="landmarks",
    )
    for colour, label in ((blue, "antimicrobial"), (red, "background")):
        left.scatter([], [], s=26, c=colour, linewidths=0, label=label)
    left.set(
        xlabel="axis 1 (alignment cost)",
        ylabel="axis 2 (alignment cost)",
        title=f"{len(train)} peptides by {len(marks)} comparisons each",
    )
    left.legend(frameon=False)

    names = ["all pairs, 1-NN", f"{N_LANDMARKS} landmarks, SVC"]
    found = [everything, landmarks]
    bars = right.barh(
        names, [each[1] for each in found], height=0.45, color=[grey, blue]
    )
    for bar, (accuracy, count, seconds, *_) in zip(bars, found, strict=True):
        right.annotate(
            f"{count:,} in {seconds:.1f} s, accuracy {accuracy:.3f}",
            xy=(0, bar.get_y() + bar.get_height()),
            xytext=(3, 3),
            textcoords="offset points",
            va="bottom",
        )
    right.set(
        xlabel="comparisons",
        title=f"Price of {everything[1] // len(train)} predictions",
        ylim=(-0.6, 1.75),
    )
    right.xaxis.set_major_locator(plt.MaxNLocator(4))
    right.xaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    print(f"Picture saved to {path}")


def main():
    """Compare, print and draw."""
    parser = argparse.ArgumentParser(description="Classify peptides by landmarks.")
    parser.add_argument("--output", default="quickstart.png", help="where to draw")
    arguments = parser.parse_args()
    train, test, y_train, y_test = short_peptides()
    model, landmarks = by_landmarks(train, test, y_train, y_test)
    vectors = model[0].set_params(verbose=0)
    everything = by_all_pairs(train, test, y_train, y_test)
    print_table(vectors, everything, landmarks)
    draw(vectors, train, y_train, everything, landmarks, arguments.output)


if __name__ == "__main__":
    main()
