"""Maps with signed axes: how much lower STRESS gets, how fast, and with landmarks.

Question: does `NeucMDS` reach the numbers that were published for Neuc-MDS, is its
`method="stress"` better on every set and for every number of columns, and what does it
cost beside scikit-learn's `ClassicalMDS` and `MDS`, scikit-bio's `pcoa` (where it is
installed) and a literal transcription of the published algorithm?

STRESS is the sum of squared errors of squared dissimilarities over all ordered pairs.
Methods without signs are judged by the same measure. Run with --quick for a minute's
worth, with --write to renew docs/results.
"""

import argparse
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

import data
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import MDS

from skproxy import NeucMDS
from skproxy.datasets import make_euclidean_balls, make_random_simplex
from skproxy.metrics import distortion, stress

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
METHODS = ["cmds", "lower", "neuc", "neuc+", "stress"]
#: sqrt(STRESS) of Table 7 and negative eigenvalues of Table 6, k = 100, n = 1000.
PUBLISHED = {
    "random simplex": {"cmds": 28.376, "lower": 17.760, "neuc": 3.433, "neuc+": 1.392},
    "Euclidean balls": {
        "cmds": 1.9229e6,
        "lower": 1.3154e6,
        "neuc": 3.346e5,
        "neuc+": 3.676e5,
    },
}
#: c -> constant of e_C, its coefficient of n, e_N; Theorem 5, over n^2 sigma^2.
THEOREM_5 = {
    0.05: (0.8432, 0.0078, 0.8278),
    0.10: (0.7322, 0.0265, 0.6864),
    0.25: (0.5531, 0.1055, 0.3771),
    0.50: (0.5000, 0.1801, 0.1063),
}


def synthetic(name, n, seed):
    """Return a matrix and its power."""
    if name == "random simplex":
        return make_random_simplex(n, random_state=seed), 1
    return make_euclidean_balls(n, random_state=seed), 2


def literal_neuc_plus(D, k):
    """Neuc-MDS+ and its STRESS as printed in the paper, one pair at a time."""
    n = len(D)
    C = np.eye(n) - np.ones((n, n)) / n
    values, vectors = np.linalg.eigh(-C @ D @ C / 2)
    chosen, rest = [], list(np.argsort(-values))
    for _ in range(k):
        costs = []
        for candidate in (rest[0], rest[-1]):
            dropped = [values[i] for i in rest if i != candidate]
            shifted = sum(dropped) ** 2 / (len(chosen) + 2)
            costs.append((sum(v * v for v in dropped) + shifted, candidate))
        chosen.append(min(costs)[1])
        rest.remove(chosen[-1])
    shift = sum(values[i] for i in rest) / (k + 1)
    weights = values[chosen] + shift
    X = np.sqrt(np.abs(weights)) * vectors[:, chosen]
    A = np.diag(np.sign(weights))
    total = 0.0
    for i in range(n):
        for j in range(n):
            gap = X[i] - X[j]
            total += (gap @ A @ gap - D[i, j]) ** 2
    return total


def fit(D, power, k, method, **params):
    """Return a fitted NeucMDS."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return NeucMDS(
            k, metric="precomputed", power=power, method=method, **params
        ).fit(D)


def peers(D, k):
    """Yield names and coordinates of what others offer."""
    try:
        from sklearn.manifold import ClassicalMDS
    except ImportError:  # before scikit-learn 1.8
        pass
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ClassicalMDS(n_components=k, metric="precomputed")
            yield "scikit-learn ClassicalMDS", model.fit_transform(D)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = MDS(k, metric="precomputed", init="random", n_init=1, max_iter=300)
        except Exception:  # before scikit-learn 1.8
            model = MDS(k, dissimilarity="precomputed", n_init=1, max_iter=300)
        yield "scikit-learn MDS", model.set_params(random_state=0).fit_transform(D)
        try:
            from skbio.stats.distance import DistanceMatrix
            from skbio.stats.ordination import pcoa
        except ImportError:
            return
        found = pcoa(DistanceMatrix(D), dimensions=k, method="eigh")
        yield "scikit-bio pcoa", np.asarray(found.samples)


def timed(function, repeats):
    """Return the median time of calls, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), result


def report_published(show, n, seeds):
    """Compare with the published numbers, and `stress` with the best of the paper."""
    show(f"\n## The paper's synthetic sets, n = {n}, medians of {len(seeds)} seeds\n")
    show("sqrt(STRESS); published values in brackets; negative columns after them.\n")
    show("| set, k | " + " | ".join(METHODS) + " | gain of stress (target) |")
    show("|---" * (len(METHODS) + 2) + "|")
    targets = {
        ("Euclidean balls", 50): 20,
        ("Euclidean balls", 100): 40,
        ("random simplex", 50): 1.7,
        ("random simplex", 100): 1.7,
    }
    for (name, k), target in targets.items():
        rows = []
        for seed in seeds:
            D, power = synthetic(name, n, seed)
            found = [fit(D, power, k, method) for method in METHODS]
            rows.append([(mds.stress_, mds.signature_[1]) for mds in found])
        rows = np.median(rows, axis=0)
        cells = []
        for method, (value, negative) in zip(METHODS, rows, strict=True):
            known = PUBLISHED[name].get(method) if (k, n) == (100, 1000) else None
            cells.append(
                f"{np.sqrt(value):.4g}"
                + (f" ({known:.4g})" if known else "")
                + f"; {int(negative)}"
            )
        gain = rows[2:4, 0].min() / rows[4, 0]
        show(
            f"| {name}, {k} | " + " | ".join(cells) + f" | **{gain:.2f}** ({target}) |"
        )


def report_theorem(show, n):
    """Compare the lower bound on random symmetric matrices with Theorem 5."""
    show(f"\n## Theorem 5: random symmetric matrices, n = {n}, k = c n\n")
    show("Lower bound over 4 n^2 sigma^2, theory in brackets.\n")
    show("| c | classical scaling | Neuc-MDS |")
    show("|---|---|---|")
    rng = np.random.RandomState(0)
    B = rng.normal(size=(n, n))
    B = np.triu(B) + np.triu(B, 1).T
    B -= B.mean(axis=0)
    B -= B.mean(axis=1, keepdims=True)
    own = np.diagonal(B)
    D = own[:, None] + own - 2 * B
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    for c, (constant, slope, neuc) in THEOREM_5.items():
        k = round(c * n)
        values = [
            fit(D, 1, k, m).stress_lower_bound_ / (4 * n**2) for m in ("cmds", "neuc")
        ]
        theory = constant + slope * n
        show(
            f"| {c:.2f} | {values[0]:.4g} ({theory:.4g}) | "
            f"{values[1]:.4f} ({neuc:.4f}) |"
        )


def real_sets():
    """Return name -> matrix of dissimilarities."""
    gunpoint = data.load("gunpoint")
    return {
        "communities, JSD": data.communities()[0],
        "populations, alleles": data.alleles()[0],
        "gunpoint, DTW": data.dtw(gunpoint["X"], 15),
    }


def report_real(show, ks, quick):
    """Table STRESS and distortion of all methods on real sets."""
    sets = real_sets()
    worst, rises = 0.0, 0
    for name, D in sets.items():
        show(f"\n### {name}, n = {len(D)}\n")
        show("STRESS over the sum of squares of D; in brackets distortion; pairs with")
        show("a negative value are skipped there.\n")
        show("| method | " + " | ".join(f"k = {k}" for k in ks) + " |")
        show("|---" * (len(ks) + 1) + "|")
        table = {}
        for k in ks:
            for method in METHODS:
                mds = fit(D, 2, k, method)
                table.setdefault(f"NeucMDS, {method}", []).append(
                    judge(D, mds.embedding_, mds.axis_signs_)
                )
            if not quick:
                for peer, Z in peers(D, k):
                    table.setdefault(peer, []).append(judge(D, Z))
        for method, cells in table.items():
            values = " | ".join(f"{s:.3g} ({d:.3f})" for s, d in cells)
            show(f"| {method} | {values} |")
        ours = [s for s, _ in table["NeucMDS, stress"]]
        rises += sum(b > a * (1 + 1e-9) + 1e-15 for a, b in pairwise(ours))
        for method in ("neuc", "neuc+"):
            others = [s for s, _ in table[f"NeucMDS, {method}"]]
            worst = max(
                worst, *(a / max(b, 1e-15) for a, b in zip(ours, others, strict=True))
            )
    show(
        f"\nSTRESS of stress over the better of neuc and neuc+, largest: "
        f"**{worst:.3f}** (at most 1); rises with k: **{rises}** (0)."
    )


def judge(D, Z, signs=None):
    """Return normalised STRESS and distortion."""
    return (
        stress(D, Z, axis_signs=signs, normalize=True),
        distortion(D, Z, axis_signs=signs),
    )


def report_monotone(show, n, ks):
    """Count rises of STRESS with k on the synthetic sets."""
    show(f"\n## STRESS of method='stress' against k, n = {n}\n")
    show("| set | " + " | ".join(map(str, ks)) + " | rises (0) |")
    show("|---" * (len(ks) + 2) + "|")
    for name in PUBLISHED:
        D, power = synthetic(name, n, 0)
        values = [fit(D, power, k, "stress").stress_ for k in ks]
        rises = sum(b > a * (1 + 1e-9) for a, b in pairwise(values))
        cells = " | ".join(f"{v:.3g}" for v in values)
        show(f"| {name} | {cells} | **{rises}** |")


def report_landmarks(show, n, seeds):
    """Compare the landmark variant with the full method at the same k."""
    show(f"\n## Landmarks: STRESS over the full method's, n = {n}\n")
    show(f"Medians (largest) of {len(seeds)} seeds, STRESS of all pairs.\n")
    show("| set | k | landmarks | neuc | neuc+ | stress | target (paper) |")
    show("|---|---|---|---|---|---|---|")
    quarter, tenth = n // 4, n // 10
    cases = [
        (20, quarter, "1.01 (1.064)"),
        (20, tenth, "1.05 (1.090)"),
        (round(0.9 * tenth), tenth, "no blow-up"),
        (tenth - 1, tenth, "no blow-up"),
    ]
    for name in PUBLISHED:
        D, power = synthetic(name, n, 0)
        for k, m, target in cases:
            cells = []
            for method in ("neuc", "neuc+", "stress"):
                full = fit(D, power, k, method).stress_
                ratios = []
                for seed in seeds:
                    mds = fit(D, power, k, method, n_landmarks=m, random_state=seed)
                    value = stress(
                        D, mds.embedding_, axis_signs=mds.axis_signs_, power=power
                    )
                    ratios.append(value / full)
                cells.append(f"{np.median(ratios):.3f} ({max(ratios):.3f})")
            goal = target if name == "random simplex" else ""
            show(f"| {name} | {k} | {m} | " + " | ".join(cells) + f" | {goal} |")


def report_speed(show, quick):
    """Time fits against the transcription and scikit-learn, in one run."""
    show("\n## Time\n")
    show("| what | NeucMDS | other | ratio (target) |")
    show("|---|---|---|---|")
    n, k = (400, 40) if quick else (1000, 100)
    D, power = synthetic("Euclidean balls", n, 0)

    fast, value = timed(lambda: fit(D, power, k, "neuc+").stress_, 7)
    slow, literal = timed(lambda: literal_neuc_plus(D**2, k), 3)
    same = abs(value / literal - 1)
    show(
        f"| neuc+ and its STRESS, n = {n}, k = {k}: literal transcription "
        f"(STRESS differs by {same:.0e}) | {fast:.3f} s | {slow:.2f} s | "
        f"**{slow / fast:.0f}** (20) |"
    )
    own, mds = timed(lambda: fit(D, power, k, "stress"), 1)
    show(f"| stress, n = {n}, k = {k}: {mds.n_iter_} steps | {own:.2f} s | | |")
    n = 1500 if quick else 5000
    for name in PUBLISHED:
        D, power = synthetic(name, n, 0)
        # both take dissimilarities; those of the simplex are squared, and positive
        D = np.sqrt(np.maximum(D, 0.0)) if power == 1 else D
        fast, _ = timed(lambda D=D: fit(D, 2, 10, "neuc+"), 3)
        try:
            from sklearn.manifold import ClassicalMDS
        except ImportError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ClassicalMDS(n_components=10, metric="precomputed")
            slow, _ = timed(lambda D=D, model=model: model.fit(D), 1)
        show(
            f"| {name}, n = {n}, k = 10: ClassicalMDS | {fast:.2f} s | {slow:.1f} s | "
            f"**{slow / fast:.1f}** (20) |"
        )


#: Its own process, so that its peak of memory is its own.
MANY_OBJECTS = """
import resource, sys, time, numpy as np
from skproxy import NeucMDS
n, m, method = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
X = np.random.RandomState(0).gamma(1.0, size=(n, 12))
start = time.perf_counter()
mds = NeucMDS(20, metric="cityblock", method=method, n_landmarks=m, random_state=0)
mds.fit(X)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{seconds:.1f} {peak:.0f} {mds.n_comparisons_}")
"""


def report_many(show, quick):
    """Fit many objects with landmarks; time and peak memory of the whole process."""
    n, m = (10_000, 200) if quick else (100_000, 500)
    show(f"\n## {n:,} objects (12 features, city block), {m} landmarks, k = 20\n")
    show("| method | time (target 60 s) | peak (target 2,000 MB) | comparisons |")
    show("|---|---|---|---|")
    for method in ("neuc+", "stress"):
        run = subprocess.run(
            [sys.executable, "-c", MANY_OBJECTS, str(n), str(m), method],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, peak, comparisons = run.stdout.split()
        show(f"| {method} | **{seconds} s** | **{peak} MB** | {int(comparisons):,} |")


def main():
    """Run all reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    quick = options.quick
    show("# Maps with signed axes\n")
    show(
        f"{data.machine()}. Written by `examples/benchmarks/bench_neuc_mds.py`, which "
        "describes the protocol."
    )
    report_speed(show, quick)
    report_many(show, quick)
    report_published(show, 300 if quick else 1000, range(1 if quick else 3))
    report_monotone(show, 200 if quick else 500, [1, 2, 3, 5, 10, 20, 40, 80, 150])
    report_landmarks(show, 300 if quick else 1000, range(2 if quick else 5))
    show("\n## Real sets")
    report_real(show, [2, 5, 10, 20, 50], quick)
    report_theorem(show, 300 if quick else 1000)
    if options.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "neuc_mds.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
