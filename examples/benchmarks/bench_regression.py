"""Numbers predicted from comparisons, and how honest their intervals are.

Question: does `NyGPRegressor` with a hundred landmarks predict as well as a Gaussian
process on the vectors of *all* comparisons, and do nine of ten new values lie in its
90 % intervals? Properties of peptides from edit distances, the load of a hour from the
hours before it by dynamic time warping, the progress of a disease by city-block
distances, the mass of penguins by a measure of a mixed table; and the first of them
with one value in twenty far off.

Run ``python examples/benchmarks/bench_regression.py``; --quick makes one split, --write
renews docs/results.
"""

import argparse
import warnings

import data
import numpy as np
from bench_classifiers import RESULTS
from scipy.spatial.distance import pdist, squareform
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline

from skproxy import NyGPRegressor, NystromDissimilarity
from skproxy.datasets import load_italy_power, load_penguins, load_peptides

N_OBJECTS, N_LANDMARKS, LEVEL = 600, 100, 0.9
# Kyte and Doolittle (1982), hydropathy of the residues.
_VALUES = (
    "1.8 -4.5 -3.5 -3.5 2.5 -3.5 -3.5 -0.4 -3.2 4.5 3.8 -3.9 1.9 2.8 -1.6 -0.8 -0.7"
)
_VALUES += " -0.9 -1.3 4.2"
HYDROPATHY = dict(zip("ARNDCQEGHILKMFPSTWYV", map(float, _VALUES.split()), strict=True))


def problems():
    """Yield name, full matrix of dissimilarities and values."""
    rng = np.random.RandomState(0)
    peptides = load_peptides().data
    some = rng.permutation(len(peptides))[:N_OBJECTS]
    peptides = [str(peptides[i]) for i in some]
    D = data.levenshtein(peptides, peptides).astype(float)
    hydropathy = np.array([np.mean([HYDROPATHY[x] for x in p]) for p in peptides])
    yield "peptides, hydropathy", D, hydropathy
    charge = [sum((x in "KR") - (x in "DE") for x in p) for p in peptides]
    yield "peptides, charge", D, np.array(charge, dtype=float)
    far = np.where(rng.uniform(size=len(some)) < 0.05, 10 * rng.normal(size=600), 0)
    yield "hydropathy, one in twenty off", D, hydropathy + far
    series = load_italy_power().data
    series = series[rng.permutation(len(series))[:N_OBJECTS]].astype(np.float64)
    from dtaidistance import dtw

    D = dtw.distance_matrix_fast(list(np.ascontiguousarray(series[:, :-1])))
    yield "power, the next hour", D, series[:, -1]
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", squareform(pdist(X, "cityblock")), y
    table = load_penguins().data
    table = table[[all(cell is not None for cell in row) for row in table]]
    yield (
        "penguins, mass",
        mixed(np.delete(table, 3, axis=1)),
        table[:, 3].astype(float),
    )


def mixed(table):
    """Return mean differences, numbers over their range, categories equal or not."""
    total = 0.0
    for column in table.T:
        if isinstance(column[0], str):
            gaps = (column[:, None] != column).astype(float)
        else:
            column = column.astype(float)
            gaps = np.abs(np.subtract.outer(column, column)) / np.ptp(column)
        total = total + gaps
    return total / table.shape[1]


def models(n_train, seed):
    """Return name -> model of a precomputed matrix."""
    few = {"n_landmarks": min(N_LANDMARKS, n_train), "random_state": seed}
    every = {"n_landmarks": n_train, "random_state": seed}
    kernel = ConstantKernel(1.0) * RBF(3.0) + WhiteKernel(0.1)
    return {
        "NyGPRegressor": NyGPRegressor(metric="precomputed", **few),
        "vectors + RidgeCV": make_pipeline(
            NystromDissimilarity("precomputed", **few), RidgeCV(np.logspace(-4, 3, 15))
        ),
        "GP on vectors of all": make_pipeline(
            NystromDissimilarity("precomputed", **every),
            GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed),
        ),
    }


def judge(D, y, n_repeats):
    """Return model -> R2, share of values inside 90 %, mean negative log density."""
    found = {}
    splits = ShuffleSplit(n_repeats, test_size=0.3, random_state=0).split(y)
    for seed, (train, test) in enumerate(splits):
        inside, outside = D[np.ix_(train, train)], D[np.ix_(test, train)]
        for name, model in models(len(train), seed).items():
            model.fit(inside, y[train])
            coverage = density = np.nan
            if "Ridge" in name:
                mean = model.predict(outside)
            else:
                mean, std = model.predict(outside, return_std=True)
                half = norm.ppf(0.5 + LEVEL / 2) * std
                coverage = np.mean(np.abs(y[test] - mean) <= half)
                density = -np.mean(norm.logpdf(y[test], mean, std)) - np.log(y.std())
            row = r2_score(y[test], mean), coverage, density
            found.setdefault(name, []).append(row)
    return {name: np.mean(rows, axis=0) for name, rows in found.items()}


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    n_repeats = 1 if arguments.quick else 5
    show("# Regression\n")
    show(f"Measured on {data.machine()}.")
    show(f"\n### R2 / share inside 90 % / log density, {n_repeats} splits\n")
    worst, gaps = [], []
    for set_name, D, y in problems():
        found = judge(D, y, n_repeats)
        if not gaps:
            show(f"| values | N | {' | '.join(found)} |")
            show("|---" * (2 + len(found)) + "|")
        cells = [
            f"{r2:.3f}" + (f" / {c:.2f} / {d:.2f}" if np.isfinite(c) else "")
            for r2, c, d in found.values()
        ]
        show(f"| {set_name} | {len(y)} | {' | '.join(cells)} |")
        worst.append(abs(found["NyGPRegressor"][1] - LEVEL))
        gaps.append(found["NyGPRegressor"][0] - found["GP on vectors of all"][0])
    show(
        f"\nShare inside 90 % off by {max(worst):.2f} at most (target 0.05); R2 "
        f"against the process on all comparisons {np.mean(gaps):+.3f} in the mean, "
        f"{min(gaps):+.3f} at worst (target 0 and -0.05)."
    )
    if arguments.write:
        (RESULTS / "regression.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
