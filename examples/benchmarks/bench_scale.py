"""What many objects cost: by streaming, in parts that are merged, on Dask.

Questions: does time grow in proportion to the number of objects, and memory not at
all? How large is the part that one machine sends another, what does it cost to merge
two, and how much faster are two workers of Dask than one where a comparison takes a
millisecond? Vectors of ten numbers under city-block distance, in batches of 20,000 for
the streams.

Run ``python examples/benchmarks/bench_scale.py``; --quick leaves out the largest
streams, --write renews docs/results.
"""

import argparse
import pickle
import time
import tracemalloc

import numpy as np
from bench_core import RESULTS
from data import machine

from skproxy import NyIKFD, NystromDissimilarity

BATCH, N_FEATURES = 20_000, 10


def batches(n_objects, seed=0):
    """Yield batches of vectors and labels, made when they are asked for."""
    rng = np.random.RandomState(seed)
    for start in range(0, n_objects, BATCH):
        X = rng.normal(size=(min(BATCH, n_objects - start), N_FEATURES))
        yield X.astype(np.float32), (X[:, 0] > 0).astype(int)


def begun(cls, m):
    """Return an estimator fitted to a first batch."""
    model = cls(metric="cityblock", n_landmarks=m, random_state=0)
    X, y = next(batches(BATCH, seed=1))
    return model.fit(X, y)


def measure_parts(show):
    """Print what a part weighs, and what taking in and merging cost."""
    show("\n### Parts\n")
    show("| model | m | a part, MB | an object, µs | merging two, ms |")
    show("|---|---|---|---|---|")
    for cls in (NystromDissimilarity, NyIKFD):
        for m in (50, 100, 200):
            model = begun(cls, m)
            part = model.new_part()
            X, y = (
                np.concatenate(each) for each in zip(*batches(100_000), strict=True)
            )
            start = time.perf_counter()
            if cls is NyIKFD:
                part.partial_fit(X, y)
            else:
                part.partial_fit(X)
            each = (time.perf_counter() - start) / len(X)
            size = len(pickle.dumps(part)) / 1e6
            merged = []
            for _ in range(5):
                start = time.perf_counter()
                model.merge(part)
                merged.append(time.perf_counter() - start)
            show(
                f"| {cls.__name__} | {m} | {size:.2f} | {1e6 * each:.1f} "
                f"| {1e3 * np.median(merged):.0f} |"
            )


def measure_streams(sizes, show):
    """Print time and memory against the number of objects."""
    show("\n### Streams, m = 100\n")
    show("| model | N | seconds | memory added, MB |")
    show("|---|---|---|---|")
    slopes = []
    for cls in (NystromDissimilarity, NyIKFD):
        found = []
        for n_objects in sizes:
            model = begun(cls, 100)
            tracemalloc.start()
            start = time.perf_counter()
            for X, y in batches(n_objects):
                if cls is NyIKFD:
                    model.partial_fit(X, y)
                else:
                    model.partial_fit(X)
            seconds = time.perf_counter() - start
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            found.append(seconds)
            show(f"| {cls.__name__} | {n_objects:,} | {seconds:.2f} | {peak:.0f} |")
        slopes.append(np.log(found[-1] / found[0]) / np.log(sizes[-1] / sizes[0]))
    listed = " and ".join(f"{slope:.2f}" for slope in slopes)
    show(f"\nSlope of time against N (target 1.05 at most): {listed}.")


def slow_gap(a, b):
    """Compare two numbers in a millisecond."""
    time.sleep(0.001)
    return abs(a - b)


def measure_dask(show):
    """Print how much faster two workers are than one."""
    try:
        import dask.bag
        from distributed import Client, LocalCluster
    except ImportError:
        show("\nDask is not installed: not measured.")
        return
    show("\n### Dask, a comparison of a millisecond, 1,500 objects, m = 10\n")
    show("| workers | seconds | comparisons |")
    show("|---|---|---|")
    values = np.random.RandomState(0).normal(size=1500).tolist()
    seconds = {}
    for n_workers in (1, 2):
        options = {"threads_per_worker": 1, "dashboard_address": None}
        cluster = LocalCluster(n_workers=n_workers, **options)
        with cluster, Client(cluster):
            bag = dask.bag.from_sequence(values, npartitions=12).persist()
            model = NystromDissimilarity(
                slow_gap, n_landmarks=10, n_probes=20, random_state=0
            )
            start = time.perf_counter()
            model.fit(bag)
            seconds[n_workers] = time.perf_counter() - start
        show(f"| {n_workers} | {seconds[n_workers]:.1f} | {model.n_comparisons_:,} |")
    efficiency = seconds[1] / (2 * seconds[2])
    show(f"\nEfficiency of two workers (target 0.85): {efficiency:.2f}.")


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

    show("# Many objects\n")
    show(f"Measured on {machine()}.")
    measure_parts(show)
    sizes = (20_000, 200_000) if arguments.quick else (20_000, 200_000, 2_000_000)
    measure_streams(sizes, show)
    measure_dask(show)
    if arguments.write:
        (RESULTS / "scale.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
