"""Whatever comes in: a ValueError or TypeError that says where, or finite output.

A few hundred draws in the suite; many more by hand:
``python tests/test_fuzz.py --runs 100000 --seed 1``.
"""

import argparse
import copy
import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    LandmarkComparisons,
    NeucMDS,
    NyGPRegressor,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)

RUNS = 300


class Counted:
    """Distances of two objects that count how often they were asked for."""

    def __init__(self):
        self.n_calls = 0

    def __call__(self, a, b):
        self.n_calls += 1
        a, b = np.ravel(a), np.ravel(b)
        with np.errstate(invalid="ignore"):
            return float(np.abs(a - b).sum()) if len(a) == len(b) else 1.0


def tables(rng):
    """Return vectors: ordinary, of hostile sizes, spoilt, or of another shape."""
    n, p = int(rng.integers(1, 25)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, p))
    kind = rng.choice(
        [
            "plain",
            "tails",
            "equal",
            "two",
            "huge",
            "tiny",
            "gap",
            "inf",
            "int",
            "half",
            "single",
            "frame",
            "sparse",
            "masked",
            "complex",
            "vector",
            "scalar",
            "text",
            "zeros",
            "fortran",
            "none",
        ]
    )
    spoilt = X.copy()
    spoilt[n // 2, p // 2] = np.inf if kind == "inf" else np.nan
    made = {
        "tails": lambda: rng.standard_cauchy((n, p)) * 1e3,
        "equal": lambda: np.ones((n, p)),
        "two": lambda: np.sign(X),
        "huge": lambda: X * 1e150,
        "tiny": lambda: X * 1e-150,
        "gap": lambda: spoilt,
        "inf": lambda: spoilt,
        "int": lambda: rng.integers(0, 255, (n, p)).astype(np.uint8),
        "half": lambda: X.astype(np.float16),
        "single": lambda: X.astype(np.float32),
        "frame": lambda: pd.DataFrame(X, columns=[f"c{i}" for i in range(p)]),
        "sparse": lambda: sparse.random(n, p, 0.5, format="csr", random_state=1),
        "masked": lambda: np.ma.masked_array(X, X > 1),
        "complex": lambda: X * 1j,
        "vector": lambda: X[:, 0],
        "scalar": lambda: np.float64(3),
        "text": lambda: [["a", 1.0]] * n,
        "zeros": lambda: np.zeros((n, p)),
        "fortran": lambda: np.asfortranarray(X),
        "none": lambda: [None, *X[1:].tolist()],
    }
    return kind, made[kind]() if kind in made else X


def matrices(rng):
    """Return precomputed dissimilarities, right or wrong in one way."""
    n = int(rng.integers(1, 20))
    points = rng.standard_normal((n, 3)) * 10.0 ** rng.integers(-3, 4)
    D = cdist(points, points, "cityblock")
    kind = rng.choice(
        [
            "plain",
            "half",
            "blank",
            "gap",
            "asymmetric",
            "shuffled",
            "condensed",
            "negative",
            "diagonal",
            "int",
            "single",
            "wide",
            "masked",
            "complex",
        ]
    )
    made = {
        "half": lambda: np.tril(D),
        "blank": lambda: np.where(np.triu(np.ones((n, n)), 1) > 0, np.nan, D),
        "gap": lambda: np.where(np.eye(n)[::-1] > 0, np.nan, D),
        "asymmetric": lambda: D * np.linspace(1, 2, n),
        "shuffled": lambda: pd.DataFrame(D).iloc[::-1],
        "condensed": lambda: pdist(points),
        "negative": lambda: -D,
        "diagonal": lambda: D + np.eye(n),
        "int": lambda: D.astype(np.int32),
        "single": lambda: D.astype(np.float32),
        "wide": lambda: np.c_[D, D],
        "masked": lambda: np.ma.masked_array(D, D.mean() < D),
        "complex": lambda: D + 1j,
    }
    return kind, made[kind]() if kind in made else D


def estimators(rng):
    """Return an estimator, and whether it takes a matrix."""
    m, seed = int(rng.integers(1, 8)), int(rng.integers(100))
    power = float(rng.choice([0.5, 1.0, 2.0]))
    names = ["euclidean", "cityblock", "cosine", "braycurtis", "seuclidean", "ruzicka"]
    names += ["gower", "hamming"]
    metric = str(rng.choice([*names, "precomputed", "function", "block"]))
    measure = {
        "function": Counted(),
        "block": BlockMetric(lambda a, b: cdist(np.asarray(a), np.asarray(b))),
    }.get(metric, metric)
    given = {"metric": measure, "power": power, "random_state": seed}
    kernel = (
        "precomputed"
        if metric == "precomputed"
        else str(rng.choice(["rbf", "linear", "sigmoid", "elm", "tanimoto", "tl1"]))
    )
    made = [
        NystromDissimilarity(n_landmarks=m, **given),
        LandmarkComparisons(n_landmarks=m, **given),
        NeucMDS(min(m, 2), n_landmarks=m if m > 3 else None, **given),
        Nystroem(kernel, n_components=m, random_state=seed),
        EBEKEmbedding(min(m, 3), kernel=kernel, random_state=seed),
        EigenCorrector(input="dissimilarity", output="features"),
        NyIKFD(n_landmarks=m, **given),
        NyPCVM(n_landmarks=m, **given),
        NyGPRegressor(n_landmarks=m, **given),
    ]
    estimator = made[int(rng.integers(len(made)))]
    has_metric = getattr(estimator, "metric", None) is not None
    takes = isinstance(estimator, EigenCorrector) or "precomputed" in (
        estimator.get_params().get("metric") if has_metric else kernel,
        None,
    )
    return estimator, bool(takes)


def finding(seed):
    """Run one draw; return what broke the promise, or None."""
    rng = np.random.default_rng(seed)
    estimator, takes_matrix = estimators(rng)
    kind, X = (matrices if takes_matrix else tables)(rng)
    before, parameters = copy.deepcopy(X), repr(estimator.get_params())
    n = (getattr(X, "shape", None) or [len(X) if isinstance(X, list) else 1])[0]
    y = np.arange(n) % 2
    where = f"seed {seed}, {kind}, {estimator!r}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", category=RuntimeWarning)
            broken = _use(estimator, X, y)
    except (ValueError, TypeError) as error:
        text = str(error)
        broken = None
        if isinstance(error, np.linalg.LinAlgError) or len(text) > 2000 or not text:
            broken = f"{type(error).__name__}: {text[:200]}"
    except Exception as error:
        broken = f"{type(error).__name__}: {str(error)[:200]}"
    if broken is None and not _equal(before, X):
        broken = "X was changed"
    if broken is None and repr(estimator.get_params()) != parameters:
        broken = "parameters were changed"
    return None if broken is None else f"{broken} [{where}]"


def _equal(one, other):
    if isinstance(one, list):
        return one == other
    one, other = (
        np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=object)
        for X in (one, other)
    )
    return one.shape == other.shape and all(
        a is b or a == b or (a != a and b != b)
        for a, b in zip(one.ravel(), other.ravel(), strict=True)
    )


def _use(estimator, X, y):
    """Fit, and return what is wrong with what comes out."""
    if isinstance(estimator, NyGPRegressor):
        mean, std = estimator.fit(X, y).predict(X, return_std=True)
        good = np.isfinite(mean).all() and np.isfinite(std).all() and (std >= 0).all()
        return None if good else "predictions that are none"
    if hasattr(estimator, "predict"):
        estimator.fit(X, y)
        P = estimator.predict_proba(X)
        good = np.isfinite(P).all() and np.allclose(P.sum(axis=1), 1)
        return None if good else "probabilities that are none"
    calls = getattr(estimator.get_params().get("metric"), "n_calls", None)
    Z = estimator.fit_transform(X, y)
    if not np.isfinite(Z).all():
        return "output that is not finite"
    if Z.ndim != 2 or len(Z) != len(y) or Z.dtype not in (np.float32, np.float64):
        return f"output of shape {Z.shape} and dtype {Z.dtype}"
    if calls is not None and estimator.metric.n_calls != estimator.n_comparisons_:
        return f"{estimator.metric.n_calls} calls, {estimator.n_comparisons_} counted"
    again = np.asarray(estimator.transform(X))
    # Coordinates are roots of eigenvalues, which are known to rounding.
    atol = np.sqrt(_rounding_of(X)) * float(np.abs(Z).max(initial=0.0))
    if again.shape != Z.shape or not np.allclose(again, Z, rtol=0, atol=atol):
        return f"transform is off by {np.abs(again - Z).max():.2g} of {np.abs(Z).max()}"
    return None


def _rounding_of(X):
    dtype = getattr(X, "dtype", None)
    return 1e-6 if dtype in (np.float32, np.float16) else 1e-13


@pytest.mark.parametrize("block", range(10))
def test_whatever_comes_in(block):
    """An error with words, or finite output; nothing else, and nothing is changed."""
    seeds = range(block * RUNS // 10, (block + 1) * RUNS // 10)
    assert [found for seed in seeds if (found := finding(seed))] == []


def main():
    """Run many draws, and print what they find, each kind once."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    kinds = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.runs):
        found = finding(seed)
        if found:
            kind = found.partition(" [")[0][:70]
            kinds[kind] += 1
            if kinds[kind] == 1:
                sys.stdout.write(found + "\n")
    sys.stdout.write(f"{sum(kinds.values())} findings in {arguments.runs} runs\n")


if __name__ == "__main__":
    main()
