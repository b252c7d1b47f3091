"""Cost of the classifiers against the number of objects: seconds and memory.

Question: do `NyPCVM` and `NyIKFD` stay linear where an SVC or a Gaussian process does
not, and in how much memory?

Run with --quick for a minute's worth, with --write to renew docs/results.
"""

import argparse
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import data
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.svm import SVC

from skproxy import NyIKFD, NyPCVM

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def plane(n, seed=0):
    """Return points in ten dimensions and labels of a curved boundary."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, 10))
    z = X[:, 0] * X[:, 1] + X[:, 2]
    return X, (z + 0.5 * rng.normal(size=n) > 0).astype(int)


def report_scaling(quick, show):
    """Print seconds against N for NyPCVM, SVC and a Gaussian process."""
    show("\n### Time against N, rbf kernel, 100 landmarks\n")
    show("| N | NyPCVM s | NyIKFD s | SVC s | Gaussian process s | accuracy NyPCVM |")
    show("|---|---|---|---|---|---|")
    sizes = [1000, 3000, 10_000] if quick else [1000, 3000, 10_000, 30_000, 100_000]
    seconds = []
    X_test, y_test = plane(2000, seed=1)
    for n in sizes:
        X, y = plane(n)
        row, accuracy = [], 0
        for model, largest in (
            (NyPCVM(random_state=0), np.inf),
            (NyIKFD(random_state=0), np.inf),
            (SVC(), 30_000),
            (GaussianProcessClassifier(optimizer=None), 3000),
        ):
            if n > largest:
                row.append("-")
                continue
            start = time.perf_counter()
            model.fit(X, y)
            row.append(f"{time.perf_counter() - start:.2f}")
            if isinstance(model, NyPCVM):
                accuracy = model.score(X_test, y_test)
        seconds.append(float(row[0]))
        show(f"| {n} | {' | '.join(row)} | {accuracy:.3f} |")
    slope = np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-3)), 1)[0]
    show(
        f"\nSlope of NyPCVM: {slope:.2f} (target <= 1.1); largest N in "
        f"{seconds[-1]:.1f} s (target: 100,000 in 60 s)."
    )


def report_memory(quick, show):
    """Print peak memory of a large fit and of a stream, each in its own process."""
    show("\n### Peak memory beyond data and imports\n")
    show("| job | target MB | reached MB |")
    show("|---|---|---|")
    fitted, streamed = (20_000, 50_000) if quick else (100_000, 1_000_000)
    for job, n, target in (
        ("NyPCVM", fitted, 4 * fitted * 100 * 8 / 2**20),
        ("NyIKFD", streamed, 300),
    ):
        call = [sys.executable, __file__, "--job", job, str(n)]
        peak = subprocess.run(call, capture_output=True, text=True, check=True).stdout
        show(f"| {job}, N = {n:,} | {target:.0f} | {peak.strip()} |")


def run_job(name, n):
    """Print the peak of what one job allocates, in MB."""
    if name == "NyPCVM":
        X, y = plane(n)
        tracemalloc.start()
        NyPCVM(random_state=0).fit(X, y)
    else:
        tracemalloc.start()
        clf = NyIKFD(random_state=0)
        for seed in range(n // 10_000):
            X, y = plane(10_000, seed)
            clf.partial_fit(X, y, classes=[0, 1])
    print(f"{tracemalloc.get_traced_memory()[1] / 2**20:.0f}")


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--job", nargs=2, metavar=("NAME", "N"))
    arguments = parser.parse_args()
    if arguments.job:
        run_job(arguments.job[0], int(arguments.job[1]))
        return
    lines = []

    def show(line):
        print(line, flush=True)
        lines.append(line)

    show("# Cost of the classifiers\n")
    show(f"Measured on {data.machine()}.")
    report_scaling(arguments.quick, show)
    report_memory(arguments.quick, show)
    if arguments.write:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "classifiers_scale.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
