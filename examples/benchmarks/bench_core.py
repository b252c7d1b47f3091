"""The probed least-squares core is near the best core there is; W^+ is not.

For each data set, number of landmarks and seed: the Frobenius error of the similarity
(centred for dissimilarities) over that of the *optimal* core on the same landmarks.

- ``W^+``: the papers' core (``n_probes=0``).
- ``uniform``: least squares on uniform probes, not centred, as many as the default's.
- ``default``: ``n_probes="auto"``: pivoted and uniform probes, fitted about their mean.

Claims: with the default the median is at most 1.2 and the worst seed at most 1.75 on
every set. Run ``python examples/benchmarks/bench_core.py [--quick] [--write]``.
"""

import argparse
from pathlib import Path

import numpy as np
from data import alleles, levenshtein, load_dissimilarities, machine, peptides
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from skproxy import Nystroem, NystromDissimilarity
from skproxy.datasets import make_balls
from skproxy.factor import count_extra_probes, fit_core, similarity_from_dissimilarity

EPS = float(np.finfo(np.float64).eps)
RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def data_sets():
    """Return name -> (whether it is a similarity, matrix of comparisons)."""
    digits = load_digits().data / 16
    digits = digits[np.random.RandomState(0).permutation(len(digits))[:600]]
    sequences, _ = peptides(600)
    return {
        "balls, surface distance": (False, make_balls(random_state=0)[0]),
        "digits, L1": (False, cdist(digits, digits, "cityblock")),
        "digits, tanh": (True, np.tanh(digits @ digits.T / 64 - 0.5)),
        "peptides, Levenshtein": (
            False,
            levenshtein(sequences, sequences).astype(float),
        ),
        "enterotypes, JSD": (False, load_dissimilarities("enterotypes")[0]),
        "cattle alleles, Bray-Curtis": (False, alleles()[0]),
        "globins, evolutionary": (False, load_dissimilarities("globins")[0]),
    }


def optimal_error(similarity, rows, centred):
    """Return the least Frobenius error of any core on these landmark columns."""
    if centred:
        rows = rows - rows.mean(axis=0)
    basis, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    basis = basis[:, sizes > 1e-13 * sizes[0]]
    return np.linalg.norm(similarity - basis @ (basis.T @ similarity @ basis) @ basis.T)


def uniform_error(similarity, compared, landmarks, order, n_extra, is_similarity):
    """Return the error of a core fitted to uniform probes without centring."""
    probes = np.concatenate([landmarks, order[: n_extra or 0]])
    rows = compared[:, landmarks]
    among = compared[np.ix_(probes, probes)] * (1.0 if is_similarity else -0.5)
    reference, whitener, signs = fit_core(rows[probes], among, centred=False, eps=EPS)
    A = (rows - reference) @ whitener
    if not is_similarity:
        A = A - A.mean(axis=0)
    return np.linalg.norm(similarity - (A * signs) @ A.T)


def fitted_error(similarity, matrix, landmarks, n_probes, seed, is_similarity):
    """Return the error of the fitted transformer, and what fit compared."""
    cls = Nystroem if is_similarity else NystromDissimilarity
    transformer = cls(
        "precomputed",
        landmarks=landmarks,
        n_probes=n_probes,
        correction=None,
        random_state=seed,
    )
    Z = transformer.fit_transform(matrix)
    gap = similarity - (Z * transformer.axis_signs_) @ Z.T
    return np.linalg.norm(gap), transformer.n_comparisons_


def measure(quick):
    """Return the rows of the table."""
    rows = []
    for name, (is_similarity, matrix) in data_sets().items():
        n = len(matrix)
        compared = matrix if is_similarity else matrix**2
        similarity = (
            matrix if is_similarity else similarity_from_dissimilarity(compared)
        )
        moduli = np.sort(np.abs(np.linalg.eigvalsh(similarity)))[::-1]
        for m in (20, 50) if quick else (20, 50, 100):
            ratios = []
            for seed in range(3 if quick else 20):
                order = np.random.RandomState(seed).permutation(n)
                landmarks, rest = order[:m], order[m:]
                best = optimal_error(
                    similarity, compared[:, landmarks], not is_similarity
                )
                n_extra = count_extra_probes("auto", n, m, 0)
                plain, _ = fitted_error(
                    similarity, matrix, landmarks, 0, seed, is_similarity
                )
                uniform = uniform_error(
                    similarity, compared, landmarks, rest, n_extra, is_similarity
                )
                default, cost = fitted_error(
                    similarity, matrix, landmarks, "auto", seed, is_similarity
                )
                rank = np.sqrt((moduli[m:] ** 2).sum())
                ratios.append(
                    [
                        plain / best,
                        uniform / best,
                        default / best,
                        best / rank,
                        cost / n,
                    ]
                )
            median, worst = np.median(ratios, axis=0), np.max(ratios, axis=0)
            rows.append((name, n, m, median, worst))
            print(line(rows[-1]), flush=True)
    return rows


def line(row):
    """Return a row of the table as Markdown."""
    name, n, m, median, worst = row
    return (
        f"| {name} | {n} | {m} | {median[0]:.2f} / {worst[0]:.3g} | "
        f"{median[1]:.2f} / {worst[1]:.2f} | **{median[2]:.2f} / {worst[2]:.2f}** | "
        f"{median[3]:.2f} | {median[4] / m:.2f} |"
    )


HEADER = (
    "| data | n | m | W^+ | uniform probes | default | optimal core / best rank m | "
    "comparisons / (n m) |\n|---|---|---|---|---|---|---|---|"
)


def main():
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    print(machine())
    print("Error over the optimal core's on the same landmarks: median / worst seed\n")
    print(HEADER)
    rows = measure(arguments.quick)
    medians = [median[2] for *_, median, _ in rows]
    worsts = [worst[2] for *_, worst in rows]
    conclusion = (
        f"Default core: largest median {max(medians):.3f} (claim: at most 1.2), "
        f"largest worst seed {max(worsts):.3f} (claim: at most 1.75)."
    )
    print("\n" + conclusion)
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        text = [
            "# The core",
            "",
            "Error of the similarity over the optimal core's on the same landmarks, "
            "median / worst of 20 seeds.",
            "",
            HEADER,
            *(line(row) for row in rows),
            "",
            conclusion,
            "",
            f"Printed by `examples/benchmarks/bench_core.py` on {machine()}.",
            "",
        ]
        (RESULTS / "core.md").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
