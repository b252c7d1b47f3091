"""Advice of `diagnose`, held against everything that could have been called.

Question: in how many sets is the advised call within two points of the best power,
correction and number of landmarks? Advice is taken, and models are fitted, on four
fifths of the objects; accuracy is on the fifth that neither has seen. The grid is power
1 and 2, flip, clip and square, 25, 50, 100 and 200 landmarks; the best of it is picked
in hindsight, from the same folds, so that a part of every gap is luck. Beside the
advice stands what `NystromDissimilarity` does when nothing is said.

Run with --data PATH, the folder of labelled sets; --cache PATH keeps full matrices
there; --write renews docs/results.
"""

import argparse
import warnings

import data
import labelled_sets
import numpy as np
from bench_classifiers import RESULTS
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skproxy import NystromDissimilarity
from skproxy.inspection import diagnose

POWERS, CORRECTIONS = (1, 2), ("flip", "clip", "square")
COUNTS = (25, 50, 100, 200)
READERS = {
    "logistic regression": LogisticRegression(max_iter=2000),
    "SVC": SVC(),
    "five neighbours": KNeighborsClassifier(5),
}
#: Calls beside the grid.
ADVISED, UNTOLD = "advised", "untold"


def calls_for(inside, y, seed):
    """Return call -> estimator of vectors, of a precomputed matrix."""
    settings = {"metric": "precomputed", "random_state": seed}
    calls = {UNTOLD: NystromDissimilarity(**settings)}
    most = 2 * len(inside)
    for power in POWERS:
        for correction in CORRECTIONS:
            for m in COUNTS:
                if m < most:
                    calls[power, correction, m] = NystromDissimilarity(
                        power=power, correction=correction, n_landmarks=m, **settings
                    )
    recommendation = diagnose(
        inside, y, metric="precomputed", random_state=seed
    ).recommendation
    namespace = dict(recommendation.names)
    exec(recommendation.code, namespace)
    calls[ADVISED] = namespace["model"].set_params(random_state=seed)
    return calls


def judge(D, y, n_repeats):
    """Return reader -> call -> accuracy."""
    right = {reader: {} for reader in READERS}
    for seed in range(n_repeats):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        for train, test in folds.split(D, y):
            inside, outside = D[np.ix_(train, train)], D[np.ix_(test, train)]
            for call, vectors in calls_for(inside, y[train], seed).items():
                Z = vectors.fit_transform(inside)
                held_out = vectors.transform(outside)
                for reader, model in READERS.items():
                    hits = model.fit(Z, y[train]).predict(held_out) == y[test]
                    right[reader].setdefault(call, []).append(hits)
    return {
        reader: {call: np.concatenate(hits).mean() for call, hits in calls.items()}
        for reader, calls in right.items()
    }


def report(sets, n_repeats, show):
    """Print the gaps of each set, then the share of sets within two points."""
    show(f"\n### Points lost to the best of the grid, {n_repeats} repeats\n")
    columns = [f"{reader}, {call}" for reader in READERS for call in (ADVISED, UNTOLD)]
    show(f"| set | N | {' | '.join(columns)} |")
    show("|---" * (2 + len(columns)) + "|")
    lost = []
    for name, D, y in sets:
        row = []
        for accuracies in judge(D, y, n_repeats).values():
            best = max(v for call, v in accuracies.items() if isinstance(call, tuple))
            row += [100 * (best - accuracies[call]) for call in (ADVISED, UNTOLD)]
        lost.append(row)
        show(f"| {name} | {len(y)} | {' | '.join(f'{gap:.1f}' for gap in row)} |")
    lost = np.array(lost)
    show("\n### Over all sets\n")
    show("| reader, call | within two points | points lost, mean | worst |")
    show("|---|---|---|---|")
    shares = 100 * (lost <= 2).mean(axis=0)
    for column, gaps, within in zip(columns, lost.T, shares, strict=True):
        show(f"| {column} | {within:.0f} % | {gaps.mean():.2f} | {gaps.max():.1f} |")
    listed = (f"{r} {s:.0f} %" for r, s in zip(READERS, shares[::2], strict=True))
    show(f"\nAdvice within two points (target 90 %): {', '.join(listed)}.")


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="PATH", help="folder of labelled sets")
    parser.add_argument("--cache", metavar="PATH", help="folder for full matrices")
    parser.add_argument("--sets", nargs="*", metavar="NAME")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not arguments.data:
        print("Pass --data, a folder of labelled sets; without it there is nothing.")
        return
    warnings.simplefilter("ignore")
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    show("# Advice of diagnose\n")
    show(f"Measured on {data.machine()}.")
    sets = labelled_sets.load_sets(arguments.data, arguments.cache, arguments.sets)
    report(sets, 1 if arguments.quick else arguments.repeats, show)
    if arguments.write:
        (RESULTS / "diagnose.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
