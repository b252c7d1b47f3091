"""Classifiers as they are first called, on a folder of labelled sets.

Question: how many points do a hundred landmarks give away against an SVC that sees all
comparisons and searches its penalty, power and correction? Each set is compared in the
way that suits its kind (`labelled_sets`), landmarks are uniform and chosen inside
stratified folds. Log-loss and calibration error (the mean gap between confidence and
rate of success, in ten bins) are of objects left out. "NyIKFD, linear" and "NyPCVM,
linear, separate" are what both were before they read kernels.

Run with --data PATH, the folder; --cache PATH keeps full matrices there; --quick makes
one repeat, --repeats and --landmarks say how much and how many, --write renews
docs/results.
"""

import argparse
import warnings

import data
import labelled_sets
import numpy as np
from bench_classifiers import RESULTS, Corrected
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skproxy import LandmarkComparisons, NyIKFD, NyPCVM, NystromDissimilarity


def first_calls(m, seed):
    """Return name -> estimator as it is first called, of a precomputed matrix."""
    ours = {"n_landmarks": m, "random_state": seed}
    penalties = np.logspace(-4, 2, 7)
    return {
        "NyIKFD": NyIKFD(metric="precomputed", **ours),
        "NyIKFD, linear": NyIKFD(metric="precomputed", features="linear", **ours),
        "NyPCVM": NyPCVM(metric="precomputed", **ours),
        "NyPCVM, linear, separate": NyPCVM(
            metric="precomputed", features="linear", multi_class="separate", **ours
        ),
        "columns + logistic, tuned": make_pipeline(
            LandmarkComparisons("precomputed", **ours),
            LogisticRegressionCV(
                Cs=penalties, cv=3, scoring="neg_log_loss", max_iter=200
            ),
        ),
        "vectors + SVC": make_pipeline(
            NystromDissimilarity("precomputed", **ours), SVC()
        ),
    }


def calibration_error(P, truth, n_bins=10):
    """Return the mean gap between confidence and rate of success, in ten bins."""
    sure, right = P.max(axis=1), P.argmax(axis=1) == truth
    bins = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    gaps = [abs((sure - right)[bins == b].sum()) for b in range(n_bins)]
    return sum(gaps) / len(truth)


def judge(D, y, m, n_repeats):
    """Return method -> accuracy, log-loss, calibration error, share of comparisons."""
    predictions, shares = {}, {}
    y = np.unique(y, return_inverse=True)[1]
    K = np.eye(y.max() + 1)
    for seed in range(n_repeats):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        for train, test in folds.split(D, y):
            inside, outside = D[np.ix_(train, train)], D[np.ix_(test, train)]
            models = first_calls(min(m, len(train)), seed)
            models["SVC, searched, all"] = FullSVC()
            models["1-NN, all"] = KNeighborsClassifier(1, metric="precomputed")
            for name, model in models.items():
                model.fit(inside, y[train])
                if hasattr(model, "predict_proba") and "1-NN" not in name:
                    P = model.predict_proba(outside)
                else:
                    P = K[model.predict(outside)]
                predictions.setdefault(name, []).append((P, y[test]))
                kept = getattr(model, "n_landmarks_", min(m, len(train)))
                shares.setdefault(name, []).append(kept / min(m, len(train)))
    found = {}
    for name, parts in predictions.items():
        P, truth = (np.concatenate(each) for each in zip(*parts, strict=True))
        accuracy = np.mean(P.argmax(axis=1) == truth)
        loss = calibration = np.nan
        if np.any((P > 0) & (P < 1)):
            right = P[np.arange(len(P)), truth]
            loss = -np.log(np.clip(right, 1e-15, 1)).mean()
            calibration = calibration_error(P, truth)
        found[name] = accuracy, loss, calibration, np.mean(shares[name])
    return found


class FullSVC:
    """SVC on all comparisons: penalty, power and correction by cross-validation."""

    def fit(self, D, y):
        """Keep the better of the two corrections."""
        tried = [Corrected(c, (1, 2)).fit(D, y) for c in ("clip", "flip")]
        self.best = max(tried, key=lambda one: one.search.best_score_)
        return self

    def predict(self, D):
        """Return labels."""
        return self.best.predict(D)


def report_folder(sets, m, n_repeats, show):
    """Print accuracies of each set, then means and worst sets against the SVC."""
    everything, peer = {}, "SVC, searched, all"
    for set_name, D, y in sets:
        everything[set_name] = judge(D, y, m, n_repeats)
        if len(everything) == 1:
            show(f"\n### Accuracy, {m} landmarks, {n_repeats} repeats\n")
            show("| set | classes | N | " + " | ".join(everything[set_name]) + " |")
            show("|---" * (3 + len(everything[set_name])) + "|")
        cells = [f"{row[0]:.3f}" for row in everything[set_name].values()]
        size = f"{len(np.unique(y))} | {len(y)}"
        show(f"| {set_name} | {size} | " + " | ".join(cells) + " |")
    show("\n### Over all sets\n")
    show(
        "| method | accuracy, mean | points against SVC, mean | worst | log-loss | "
        "calibration error | share of landmarks |"
    )
    show("|---|---|---|---|---|---|---|")
    for name in next(iter(everything.values())):
        rows = np.array([found[name] for found in everything.values()])
        gaps = {
            s: 100 * (found[name][0] - found[peer][0])
            for s, found in everything.items()
        }
        worst = min(gaps, key=gaps.get)
        accuracy, loss, calibration, share = rows.mean(axis=0)
        show(
            f"| {name} | {accuracy:.4f} | {np.mean(list(gaps.values())):+.2f} | "
            f"{gaps[worst]:+.1f} ({worst}) | {loss:.3f} | {calibration:.3f} | "
            f"{share:.2f} |"
        )


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="PATH", help="folder of labelled sets")
    parser.add_argument("--cache", metavar="PATH", help="folder for full matrices")
    parser.add_argument("--sets", nargs="*", metavar="NAME")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--landmarks", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not arguments.data:
        print("Pass --data, a folder of labelled sets; without it there is nothing.")
        return
    for category in (ConvergenceWarning, FutureWarning, UserWarning):
        warnings.simplefilter("ignore", category)
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    show("# Classifiers as first called\n")
    show(f"Measured on {data.machine()}.")
    sets = labelled_sets.load_sets(arguments.data, arguments.cache, arguments.sets)
    n_repeats = 1 if arguments.quick else arguments.repeats
    report_folder(sets, arguments.landmarks, n_repeats, show)
    if arguments.write:
        (RESULTS / "classifiers_sets.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
