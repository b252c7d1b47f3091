"""Which landmarks? Error and accuracy against their number, for every selector.

Question: which of the eight selectors of ``skproxy.landmarks`` approximates best at the
same number of landmarks, what does that cost in comparisons, and what does choosing
badly cost? Error is ``|S^ - S| / |S|`` in the Frobenius norm, S the similarity matrix
(the centred one for dissimilarities) and S^ what `NystromDissimilarity` or `Nystroem`
read with their default core and without correction. Accuracy is that of a linear
discriminant on the features of held-out objects.

Run with --quick for a minute's worth, with --write to renew docs/results.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import data
import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedShuffleSplit

from skproxy import Nystroem, NystromDissimilarity
from skproxy.datasets import make_balls
from skproxy.factor import double_center
from skproxy.landmarks import SELECTORS

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
NAMES = [
    "uniform",
    "stratified",
    "kmeans",
    "cholesky",
    "leverage",
    "farthest",
    "entropy",
    "meb",
]
# One for each name: told apart in shades of grey, and by those who see no red or green.
MARKERS = "osD^vPX*"
COLOURS = (
    "#000000",
    "#7F7F7F",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
    "#009E73",
    "#56B4E9",
    "#E69F00",
)
DEFAULT = NystromDissimilarity().landmarks
# The number of landmarks of most tables.
MAIN_SIZE = 50


def load_sets(quick):
    """Return name -> (matrix, is_similarity, labels)."""
    n = 400 if quick else 600
    digits, y = load_digits(return_X_y=True)
    some = np.random.RandomState(0).permutation(len(y))[:n]
    digits, y = digits[some] / 16.0, y[some]
    words, active = data.peptides(n)
    sets = {
        "balls": (*make_balls(random_state=0), False),
        "digits, tanh": (np.tanh(digits @ digits.T / 64 - 0.5), y, True),
        "digits, L1": (pairwise_distances(digits, metric="cityblock"), y, False),
        "peptides, Levenshtein": (
            data.levenshtein(words, words),
            active,
            False,
        ),
    }
    for name, title, window in (
        ("gunpoint", "GunPoint, DTW", 15),
        ("italy_power", "ItalyPower, DTW", 5),
    ):
        arrays = data.load(name)
        rows = np.random.RandomState(0).permutation(len(arrays["y"]))[:n]
        sets[title] = (data.dtw(arrays["X"][rows], window), arrays["y"][rows], False)
    sets["communities, JSD"] = (*data.communities(), False)
    sets["populations, alleles"] = (*data.alleles(), False)
    return {
        name: (np.asarray(matrix, dtype=np.float64), is_similarity, np.asarray(y))
        for name, (matrix, y, is_similarity) in sets.items()
    }


def make(is_similarity, size, selector, seed):
    """Return the transformer, reading signed coordinates."""
    if is_similarity:
        return Nystroem(
            "precomputed",
            n_components=size,
            landmarks=selector,
            correction=None,
            random_state=seed,
        )
    return NystromDissimilarity(
        "precomputed",
        n_landmarks=size,
        landmarks=selector,
        correction=None,
        scale="metric",
        random_state=seed,
    )


def target(matrix, is_similarity):
    """Return S."""
    return matrix if is_similarity else double_center(-0.5 * np.square(matrix))


def evaluate(matrix, is_similarity, y, size, selector, seed):
    """Return error, error at half the rank, accuracy, landmarks and comparisons."""
    S = target(matrix, is_similarity)
    model = make(is_similarity, size, selector, seed)
    Z = model.fit_transform(matrix, y)

    def error(k):
        left = (Z[:, :k] * model.axis_signs_[:k]) @ Z[:, :k].T
        return np.linalg.norm(left - S) / np.linalg.norm(S)

    split = StratifiedShuffleSplit(1, test_size=0.3, random_state=seed)
    train, test = next(split.split(y, y))
    held_out = make(is_similarity, size, selector, seed)
    features = held_out.fit_transform(matrix[np.ix_(train, train)], y[train])
    kept = held_out.axis_signs_ != 0
    linear = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    linear.fit(features[:, kept], y[train])
    new = held_out.transform(matrix[np.ix_(test, train)])[:, kept]
    accuracy = linear.score(new, y[test])
    return (
        error(None),
        error(size // 2),
        accuracy,
        model.n_landmarks_,
        getattr(model, "n_comparisons_", np.nan),
    )


def run(sets, sizes, n_seeds, n_jobs):
    """Return name -> array of shape (sizes, selectors, seeds, 5)."""
    results = {}
    for name, (matrix, is_similarity, y) in sets.items():
        jobs = [
            (size, selector, seed)
            for size in sizes
            for selector in NAMES
            for seed in range(n_seeds)
        ]
        one = partial(evaluate, matrix, is_similarity, y)
        with parallel_config("loky", inner_max_num_threads=1):
            found = Parallel(n_jobs)(
                delayed(one)(*job) if job[0] <= len(y) // 2 else delayed(_nothing)()
                for job in jobs
            )
        results[name] = np.array(found).reshape(len(sizes), len(NAMES), n_seeds, 5)
        print(f"  {name} done", file=sys.stderr, flush=True)
    return results


def _nothing():
    return (np.nan,) * 5


def best_errors(matrix, is_similarity, ranks):
    """Return the smallest possible error of any matrix of each rank."""
    a = np.sort(np.abs(np.linalg.eigvalsh(target(matrix, is_similarity))))[::-1]
    return np.array([np.linalg.norm(a[k:]) / np.linalg.norm(a) for k in ranks])


def table(header, rows):
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def ratio_table(results, sizes, size):
    """Return median errors relative to uniform landmarks, and what they say."""
    i = sizes.index(size)
    rows, ratios = [], []
    for name, values in results.items():
        medians = np.median(values[i, :, :, 0], axis=1)
        ratio = medians / medians[0]
        ratios.append(ratio)
        fixed = ratio[:-1]  # MEB takes fewer landmarks
        best = int(np.argmin(fixed))
        rows.append(
            [
                name,
                f"{medians[0]:.4f}",
                *(f"{r:.2f}" for r in ratio),
                NAMES[best],
                f"{fixed[NAMES.index(DEFAULT)] / fixed[best]:.2f}",
            ]
        )
    middle = np.nanmedian(ratios, axis=0)
    rows.append(["**median**", "", *(f"**{r:.2f}**" for r in middle), "", ""])
    header = ["data", "uniform's error", *NAMES, "best", "regret of the default"]
    return table(header, rows), np.array(ratios)


def regret_table(results):
    """Return how much worse than the best each selector is, over sets and numbers."""
    medians = np.array([np.median(v[..., 0], axis=2) for v in results.values()])
    medians = medians[..., :-1]  # MEB takes fewer landmarks
    regret = medians / medians.min(axis=2, keepdims=True)
    rows = [
        [
            name + (" (default)" if name == DEFAULT else ""),
            f"{np.nanmedian(regret[..., j]):.2f}",
            f"{np.nanmax(regret[..., j]):.2f}",
        ]
        for j, name in enumerate(NAMES[:-1])
    ]
    return table(["landmarks", "median regret", "largest"], rows)


def accuracy_table(results, sizes, size):
    """Return mean accuracies of a linear discriminant."""
    i = sizes.index(size)
    rows = [
        [name, *(f"{a:.3f}" for a in values[i, :, :, 2].mean(axis=1))]
        for name, values in results.items()
    ]
    means = np.nanmean([v[i, :, :, 2].mean(axis=1) for v in results.values()], axis=0)
    rows.append(["**mean**", *(f"**{a:.3f}**" for a in means)])
    return table(["data", *NAMES], rows)


def cost_table(results, sizes, size, sets):
    """Return comparisons of a whole fit, in units of N m."""
    i = sizes.index(size)
    rows = [
        [name, *(f"{c:.1f}" for c in values[i, :, :, 4].mean(axis=1) / (n * size))]
        for name, values in results.items()
        if not sets[name][1]
        for n in [len(sets[name][2])]
    ]
    return table(["data", *NAMES], rows)


def rank_table(results, sizes, sets):
    """Return errors of rank k from 2 k landmarks relative to the best of rank k."""
    ranks = [size // 2 for size in sizes]
    rows, every = [], {name: [] for name in NAMES}
    for name, values in results.items():
        best = best_errors(*sets[name][:2], ranks)
        ratio = np.median(values[..., 1], axis=2) / best[:, None]
        for j, selector in enumerate(NAMES[:-1]):
            every[selector].append(ratio[:, j])
        chosen = [NAMES.index(n) for n in ("uniform", "kmeans", "cholesky")]
        cells = [
            " / ".join(f"{ratio[i, j]:.2f}" for j in chosen) for i in range(len(ranks))
        ]
        rows.append([name, *cells])
    medians = [
        " / ".join(
            f"{np.nanmedian(every[n], axis=0)[i]:.2f}"
            for n in ("uniform", "kmeans", "cholesky")
        )
        for i in range(len(ranks))
    ]
    rows.append(["**median**", *medians])
    return table(["data", *(f"k = {k}" for k in ranks)], rows), every


def report(results, sizes, sets, n_seeds):
    """Return the report, numbers against targets first."""
    size = MAIN_SIZE if MAIN_SIZE in sizes else sizes[-1]
    ratios, array = ratio_table(results, sizes, size)
    ranks, every = rank_table(results, sizes, sets)
    best = NAMES.index("cholesky")
    per_size = np.array(
        [ratio_table(results, sizes, s)[1][:, best] for s in sizes]
    )  # (sizes, sets)
    balls = list(results).index("balls")
    k = size // 2
    at_k = np.nanmedian(every["cholesky"], axis=0)[sizes.index(size)]
    goals = table(
        ["number", "target", f"reached, m = {size}", "every m"],
        [
            [
                "error of `cholesky` over uniform's, median of the sets",
                "<= 0.88",
                f"{np.median(array[:, best]):.2f}",
                _each(sizes, np.nanmedian(per_size, axis=1)),
            ],
            [
                "the same, balls",
                "<= 0.65",
                f"{array[balls, best]:.2f}",
                _each(sizes, per_size[:, balls]),
            ],
            [
                "the same, worst of the sets",
                "<= 1.03",
                f"{array[:, best].max():.2f}",
                _each(sizes, np.nanmax(per_size, axis=1)),
            ],
            [
                "error of rank k with 2 k landmarks over the best of rank k, median",
                "<= 1.3",
                f"{at_k:.2f} (k = {k})",
                _each(sizes, np.nanmedian(every["cholesky"], axis=0)),
            ],
        ],
    )
    return "\n\n".join(
        [
            "# Landmarks: every selector on eight sets",
            f"{data.machine()}; {n_seeds} seeds; medians unless said otherwise. Made "
            "by `examples/benchmarks/bench_landmarks.py`.",
            goals,
            f"## Error relative to uniform landmarks, m = {size}\n\n{ratios}\n\n"
            "`meb` takes as many landmarks as it needs, at most m, and is left out of "
            '"best".',
            "## Regret: error over that of the best selector, all sets and all m\n\n"
            + regret_table(results),
            f"## Accuracy of a linear discriminant on held-out objects, m = {size}\n\n"
            + accuracy_table(results, sizes, size),
            "## Comparisons of a whole fit, in units of N m\n\n"
            + cost_table(results, sizes, size, sets)
            + "\n\nSelection compares a bounded sample: at N = 100,000 and m = 100 it "
            "adds at most 0.02 N m (k-means) and 0.08 N m (pivoted Cholesky).",
            "## Figures\n\n"
            + "\n".join(f"![{name}](landmarks_{slug(name)}.png)" for name in results),
            "## Error of rank k with 2 k landmarks, relative to the best of rank k\n\n"
            f"Uniform / k-means / pivoted Cholesky.\n\n{ranks}",
        ]
    )


def slug(name):
    """Return the name of a set as part of a file name."""
    return name.lower().replace(", ", "_").replace(" ", "_")


def _each(sizes, values):
    return ", ".join(f"{v:.2f} ({s})" for s, v in zip(sizes, values, strict=True))


def draw(results):
    """Draw one figure per set: error and accuracy against m."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    for name, values in results.items():
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        for j, selector in enumerate(NAMES):
            x = values[:, j, :, 3].mean(axis=1)
            style = {"marker": MARKERS[j], "markersize": 5, "label": selector}
            style |= {"color": COLOURS[j], "linewidth": 1.2}
            axes[0].loglog(x, np.median(values[:, j, :, 0], axis=1), **style)
            axes[1].semilogx(x, values[:, j, :, 2].mean(axis=1), **style)
        axes[0].set(xlabel="landmarks", ylabel="relative error")
        axes[1].set(xlabel="landmarks", ylabel="accuracy")
        axes[1].legend(fontsize="x-small")
        figure.suptitle(name)
        figure.savefig(RESULTS / f"landmarks_{slug(name)}.png", dpi=110)
        plt.close(figure)


def main():
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few sizes and seeds")
    parser.add_argument("--write", action="store_true", help="renew docs/results")
    parser.add_argument("--n-jobs", type=int, default=1)
    arguments = parser.parse_args()
    if set(NAMES) != set(SELECTORS):
        parser.error(f"selectors changed: {sorted(set(NAMES) ^ set(SELECTORS))}")
    sizes = [20, 50] if arguments.quick else [10, 20, 50, 100, 200]
    n_seeds = 2 if arguments.quick else 10
    sets = load_sets(arguments.quick)
    results = run(sets, sizes, n_seeds, arguments.n_jobs)
    text = report(results, sizes, sets, n_seeds)
    print(text)
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "landmarks.md").write_text(text + "\n")
        draw(results)


if __name__ == "__main__":
    main()
