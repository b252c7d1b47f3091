"""What does a comparison by name cost, and what kind of comparison is it?

For every measure that ``metric=`` knows by name, on real objects (peptides, hand
movements of 150 points, images of 64 numbers): the processor time of one comparison in
blocks, by how much it grows when the same library is called for one pair at a time, the
share of triangles violated, and the share of negative eigenvalues for ``power=2``, the
default, and for ``power=1``.

Needs the extras strings, series and dtw; without aeon the rest is printed, and nothing
written.

Run with --quick for a few seconds' worth, with --write to renew docs/results.
"""

import argparse
import importlib
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

import data
import numpy as np
from scipy.spatial import distance
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from skproxy.comparisons import Measure
from skproxy.comparisons._measure import evaluate_rectangle
from skproxy.comparisons._named_measures import MEASURES
from skproxy.metrics import negative_fraction, triangle_violations

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
HEADER = [
    "name",
    "library",
    "extra",
    "value",
    "metric",
    "µs a comparison",
    "pair by pair",
    "triangles violated",
    "negative fraction, power 2",
    "power 1",
]
#: name -> (what the value is, whether it is a metric by proof), by kind of object.
STRINGS = {
    "levenshtein": ("count", "yes"),
    "damerau_levenshtein": ("count", "yes"),
    "osa": ("count", "no"),
    "indel": ("count", "yes"),
    "lcs_seq": ("count", "yes"),
    "jaro": ("share", "no"),
    "jaro_winkler": ("share", "no"),
}
SERIES = {
    "dtw": ("root of squares", "no"),
    "ddtw": ("root of squares", "no"),
    "wdtw": ("root of squares", "no"),
    "adtw": ("root of squares", "no"),
    "msm": ("sum of moduli", "yes"),
    "erp": ("sum of moduli", "yes"),
    "twe": ("sum of moduli", "yes"),
    "lcss": ("share", "no"),
}
VECTORS = {
    "euclidean": ("root of squares", "yes"),
    "sqeuclidean": ("**squared**", "no"),
    "cityblock": ("sum of moduli", "yes"),
    "canberra": ("sum of shares", "yes"),
    "braycurtis": ("share", "no"),
    "jensenshannon": ("root of a divergence", "yes"),
    "cosine": ("share", "no"),
    "hamming": ("share", "yes"),
    "jaccard": ("share", "yes"),
    "tanimoto": ("share", "of sets"),
    "aitchison": ("root of squares", "yes"),
}


@dataclass(frozen=True)
class Case:
    """A measure, objects to compare, and the same measure of one pair."""

    name: str
    library: str
    extra: str
    value: str
    metric: str
    objects: object
    pair: object

    def measure(self, n_repeats, n_rows, n_columns, n_pairs):
        """Return a row of the table."""
        compare = Measure(self.name, False)
        rows, columns = self.objects[:n_rows], self.objects[:n_columns]
        evaluate_rectangle(compare, rows[:2], columns[:2])  # compiles, imports
        block = timed(lambda: evaluate_rectangle(compare, rows, columns), n_repeats)
        block /= n_rows * n_columns
        single = Measure(self.pair, False)
        self.pair(rows[0], rows[1])
        some = self.objects[:n_pairs]
        alone = timed(lambda: evaluate_rectangle(single, some, some), n_repeats)
        alone /= n_pairs**2
        np.testing.assert_allclose(
            evaluate_rectangle(single, some, some),
            evaluate_rectangle(compare, some, some),
            atol=1e-6,
        )
        D = evaluate_rectangle(compare, rows, rows)
        D = (D + D.T) / 2
        np.fill_diagonal(D, 0.0)
        violated = triangle_violations(D)
        if self.metric == "yes" and violated:
            msg = f"{self.name} violates triangles and is called a metric"
            raise AssertionError(msg)
        return [
            f"`{self.name}`",
            self.library,
            self.extra,
            self.value,
            self.metric,
            f"{block * 1e6:.3g}",
            f"x {alone / block:.3g}",
            f"{100 * violated:.2g} %",
            *(
                f"{negative_fraction(D, input='dissimilarity', power=power):.3f}"
                for power in (2, 1)
            ),
        ]


def timed(function, n_repeats):
    """Return the median processor time of a call in seconds, of one thread."""
    times = []
    for _ in range(n_repeats):
        start = time.process_time()
        with threadpool_limits(1):
            function()
        times.append(time.process_time() - start)
    return float(np.median(times))


def strings():
    """Yield the cases of rapidfuzz."""
    from rapidfuzz import distance as scorers

    words, _ = data.peptides(400)
    for name, (value, metric) in STRINGS.items():
        scorer = {
            "osa": "OSA",
            "lcs_seq": "LCSseq",
        }.get(name, name.title().replace("_", ""))
        pair = getattr(scorers, scorer).distance
        yield Case(name, "rapidfuzz", "strings", value, metric, words, pair)


def letters():
    """Return the mean length of the strings."""
    return round(np.mean([len(word) for word in data.peptides(400)[0]]))


def movements():
    """Return hand movements in random order, of shape (200, 150)."""
    X = data.load("gunpoint")["X"].astype(np.float64)
    return X[np.random.RandomState(0).permutation(len(X))]


def series():
    """Yield the cases of aeon."""
    distances = importlib.import_module("aeon.distances")
    X = movements()
    for name, (value, metric) in SERIES.items():
        pair = getattr(distances, f"{name}_distance")
        if value == "root of squares":
            pair = rooted(pair)
        if name == "erp":
            pair = erp_of(pair)
        yield Case(name, "aeon", "series", value, metric, X, pair)


def dtw_without_aeon():
    """Yield the case of dtaidistance."""
    from dtaidistance import dtw

    with patch.dict(sys.modules, {"aeon": None}):
        yield Case(
            "dtw", "dtaidistance", "dtw", *SERIES["dtw"], movements(), dtw.distance_fast
        )


def rooted(compare):
    """Return the root of a measure."""
    return lambda x, y: np.sqrt(compare(x, y))


def erp_of(compare):
    """Return ERP as published: see `skproxy.comparisons._series_measures`."""
    return lambda x, y: compare(np.append(0.0, x), np.append(0.0, y))


def vectors():
    """Yield the cases of scikit-learn, SciPy and our own."""
    images = load_digits().data
    images = images[np.random.RandomState(0).permutation(len(images))]
    own = {"tanimoto": tanimoto_of_sets, "aitchison": aitchison}
    for name, (value, metric) in VECTORS.items():
        X = images
        if name in ("hamming", "jaccard", "tanimoto"):
            X = (images > 8).astype(bool if name == "jaccard" else float)
        elif name == "aitchison":
            X = images + 1.0
        pair = own.get(name) or getattr(distance, name)
        if name == "euclidean":
            library = "scikit-learn"
        else:
            library = "skproxy" if name in own else "SciPy"
        yield Case(name, library, "", value, metric, X, pair)


def tanimoto_of_sets(x, y):
    """Return the Tanimoto dissimilarity of two vectors."""
    return 1.0 - x @ y / (x @ x + y @ y - x @ y)


def aitchison(x, y):
    """Return the Aitchison distance of two compositions."""
    ratio = np.log(x / y)
    return np.linalg.norm(ratio - ratio.mean())


def is_installed(package):
    """Tell whether a library can be imported."""
    try:
        importlib.import_module(package)
    except ImportError:
        return False
    return True


#: Cases and the library without which there are none, in the order of the table.
CASES = (
    (strings, "rapidfuzz"),
    (series, "aeon"),
    (dtw_without_aeon, "dtaidistance"),
    (vectors, "scipy"),
)


def all_rows(quick):
    """Return the rows of the table."""
    repeats, n_series = (3, 30) if quick else (7, 150)
    many, few = (repeats, 300, 100, 30), (repeats, n_series, 20, 6)
    return [
        case.measure(*(few if cases in (series, dtw_without_aeon) else many))
        for cases, package in CASES
        if is_installed(package)
        for case in cases()
    ]


def markdown(rows):
    """Return the lines of a table in Markdown."""
    lines = [HEADER, ["---"] * len(HEADER), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def restructured(rows):
    """Return the lines of the same table for the guide."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [HEADER, *rows]:
        cells = [cell.replace("`", "``") for cell in row]
        bullets = ["* -", *["  -"] * (len(cells) - 1)]
        pairs = zip(bullets, cells, strict=True)
        lines += [f"   {bullet} {cell}".rstrip() for bullet, cell in pairs]
    return lines


def main():
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    unknown = {*STRINGS, *SERIES} ^ set(MEASURES)
    if unknown:
        msg = f"names without a line in this table, or lines without a name: {unknown}"
        raise AssertionError(msg)
    rows = all_rows(arguments.quick)
    packages = [package for _, package in CASES]
    found = [package for package in packages if is_installed(package)]
    versions = ", ".join(f"{package} {version(package)}" for package in found[:3])
    measured = (
        f"Printed by `examples/benchmarks/bench_measures.py` on {data.machine()}, "
        f"{versions}."
    )
    text = [
        "# Measures by name",
        "",
        "Processor time of one comparison in blocks, and by how much it grows when the "
        "same library is called for one pair at a time; medians. Peptides of about "
        f"{letters()} letters (300), hand movements of 150 points (150), images of 64 "
        "numbers (300). Blocks and pairs give the same values, checked in this run.",
        "",
        *markdown(rows),
        "",
        measured,
    ]
    print("\n".join(text))
    if not arguments.write:
        return
    if found != packages:
        missing = sorted(set(packages) - set(found))
        print(f"docs/results/measures.* stay as they are: {missing} missing")
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "measures.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    note = measured.replace("`", "``")
    fragment = [*restructured(rows), "", note]
    (RESULTS / "measures.inc").write_text("\n".join(fragment) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
