"""How many landmarks `n_landmarks="auto"` takes, and how many would do.

Question: is the number chosen within a factor 1.5 of the smallest that meets the
tolerance, and is the tolerance met? For each set, tolerance and seed the error of the
fit is computed from the full matrix, and so is that with the first landmarks of the
same order, by bisection; comparisons are told beside those of a fit that was given the
number. Ten landmarks are taken at least, and counted as the smallest number. Sets are
those of `bench_core`.

Run ``python examples/benchmarks/bench_auto_landmarks.py [--quick] [--write]``.
"""

import argparse
import warnings

import numpy as np
from bench_core import RESULTS, fitted_error, friendly_sets, hard_sets
from data import machine

from skproxy import Nystroem, NystromDissimilarity
from skproxy.factor import similarity_from_dissimilarity
from skproxy.landmarks import ErrorTolerance

TOLERANCES = (0.3, 0.1, 0.03)


def fit(matrix, is_similarity, count, seed):
    """Return the fitted estimator of a precomputed matrix."""
    settings = {"n_landmarks": count, "random_state": seed}
    if is_similarity:
        settings["n_components"] = len(matrix)
        return Nystroem("precomputed", **settings).fit(matrix)
    return NystromDissimilarity("precomputed", **settings).fit(matrix)


def smallest(error_of, tol, most):
    """Return the smallest number with an error within the tolerance, by bisection."""
    low, high = 1, most
    if error_of(high) > tol:
        return None
    while high > 1.05 * low + 1:
        middle = int(np.sqrt(low * high)) if high > 2 * low else (low + high) // 2
        middle = max(middle, low + 1)
        low, high = (low, middle) if error_of(middle) <= tol else (middle, high)
    return high


def measure(sets, n_seeds):
    """Yield a row for each set, tolerance and seed."""
    for name, is_similarity, matrix in sets:
        for tol in TOLERANCES:
            for seed in range(n_seeds):
                yield name, len(matrix), tol, *judge(matrix, is_similarity, tol, seed)


def judge(matrix, is_similarity, tol, seed):
    """Return numbers chosen and smallest, the error, if it was told, and the price."""
    similarity = matrix
    if not is_similarity:
        similarity = similarity_from_dissimilarity(np.square(matrix))
    whole = np.linalg.norm(similarity)
    order = np.random.RandomState(seed).permutation(len(matrix))

    def error_of(m):
        found = fitted_error(similarity, matrix, order[:m], seed, is_similarity)
        return found[0] / whole

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        auto = fit(matrix, is_similarity, ErrorTolerance(tol), seed)
    warned = any("stopped at" in str(each.message) for each in caught)
    count = auto.n_landmarks_
    least = smallest(error_of, tol, min(500, len(matrix) // 2))
    given = fit(matrix, is_similarity, count, seed).n_comparisons_
    return count, least, error_of(count), warned, auto.n_comparisons_ / given


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    show("# How many landmarks are enough\n")
    show(f"Measured on {machine()}.\n")
    show("| set | N | tolerance | chosen | smallest | error | told | comparisons |")
    show("|---|---|---|---|---|---|---|---|")
    factors, met = [], []
    n_seeds = 1 if arguments.quick else 2
    sets = [*friendly_sets(), *hard_sets(1500)]
    for row in measure(sets, n_seeds):
        name, n, tol, count, least, error, warned, price = row
        told = "stopped" if warned else ""
        show(
            f"| {name} | {n} | {tol} | {count} | {least or '-'} | {error:.3f} | {told} "
            f"| x {price:.2f} |"
        )
        if not warned:
            met.append(error <= tol)
            if least is not None:
                factors.append(count / max(least, 10))
    factors = np.array(factors)
    show(
        "\nWithin a factor 1.5 of the smallest number in "
        f"{np.mean(factors <= 1.5):.0%} of {len(factors)} fits (claim: all), median "
        f"{np.median(factors):.2f}, most "
        f"{factors.max():.2f}; tolerance met in {np.mean(met):.0%} (target 95 %)."
    )
    if arguments.write:
        (RESULTS / "auto_landmarks.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
