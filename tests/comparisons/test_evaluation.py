import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from factories import CachedDistances, CountedCalls, edit_distance, refuse_marks
from joblib import Memory
from scipy import sparse
from sklearn.base import clone

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.comparisons._evaluation import Evaluation
from skproxy.comparisons._measure import Measure
from skproxy.landmarks import select_landmarks

WORDS = [f"{'abc'[i % 3]}{'x' * (i % 7)}{i % 11}" for i in range(60)]


class Leaf:
    """An object that counts how often it is pickled, all of them together."""

    n_pickled = 0

    def __init__(self, word):
        self.word = word

    def __getstate__(self):
        Leaf.n_pickled += 1
        return {"word": self.word}


def leaf_gap(a, b):
    return float(abs(len(a.word) - len(b.word)))


def leaf_gaps(rows, others):
    return np.array([[leaf_gap(a, b) for b in others] for a in rows])


def evaluation(compare, path, **params):
    measure = Measure(compare, False, params)
    return Evaluation(measure, Memory(path, verbose=0), "metric of Me")


@pytest.mark.parametrize("compare", [edit_distance, BlockMetric(CachedDistances())])
@pytest.mark.parametrize("kept", [True, False])
def test_kept_or_not_comparisons_are_the_same(compare, kept, tmp_path):
    """Rectangles, squares and wedges, the first and the second time."""
    D = CachedDistances()(WORDS, WORDS)
    for _ in range(2):
        blocks = evaluation(compare, tmp_path if kept else None)
        assert blocks.is_kept == kept
        others = WORDS[3:9]
        rectangles = pickle.loads(pickle.dumps(blocks.rectangles(others)))
        np.testing.assert_array_equal(rectangles(WORDS[:5], others), D[:5, 3:9])
        np.testing.assert_array_equal(blocks.square(others), D[3:9, 3:9])
        wedges = blocks.wedges(WORDS)
        for start, stop in ((0, 4), (4, 9), (9, 60)):
            block = wedges(WORDS[start:stop], WORDS[start:])
            np.testing.assert_array_equal(block, D[start:stop, start:])


def test_what_was_compared_with_what_makes_the_key(tmp_path):
    """Contents, measure and parameters; a new list of equal objects is found."""

    def n_new(rows, others, **params):
        before = CachedDistances.n_evaluated
        blocks = evaluation(BlockMetric(scaled_distances), tmp_path, **params)
        blocks.rectangles(others)(rows, others)
        return CachedDistances.n_evaluated - before

    assert n_new(WORDS[:5], WORDS[5:8]) == 15
    assert n_new(list(WORDS[:5]), ["".join(list(word)) for word in WORDS[5:8]]) == 0
    assert n_new(WORDS[5:8], WORDS[:5]) == 15
    assert n_new(WORDS[:5], WORDS[5:8], factor=2) == 15
    assert n_new(WORDS[:4], WORDS[5:8]) == 12
    assert n_new(tuple(WORDS[:4]), WORDS[5:8]) == 12


def scaled_distances(rows, others, factor=1):
    return factor * CachedDistances()(rows, others)


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix, pd.DataFrame])
def test_collections_of_any_kind_are_told_apart(make, tmp_path, rng):
    """Views and parts have the digest of their own content."""
    X = make(np.arange(40.0).reshape(10, 4))
    take = getattr(X, "iloc", X)
    blocks = evaluation("euclidean", tmp_path)
    gaps = [blocks.rectangles(take[:3])(take[i : i + 2], take[:3]) for i in range(6)]
    assert len({np.asarray(gap).tobytes() for gap in gaps}) == 6


def test_memory_maps_are_known_by_their_content(tmp_path):
    """Processes get large arrays as memory maps."""
    X = np.arange(12.0).reshape(6, 2)
    np.save(tmp_path / "X.npy", X)
    on_disk = np.load(tmp_path / "X.npy", mmap_mode="r")
    counted = CountedCalls(gap)
    blocks = evaluation(counted, tmp_path)
    first = blocks.rectangles(X)(X[:2], X)
    again = blocks.rectangles(on_disk)(on_disk[:2], on_disk)
    np.testing.assert_array_equal(first, again)
    assert counted.n_calls == 12


def gap(a, b):
    return float(np.abs(a - b).sum())


ESTIMATORS = [
    lambda m: Nystroem(m, n_components=20),
    lambda m: NystromDissimilarity(m, n_landmarks=20),
    lambda m: NystromDissimilarity(m, n_landmarks=20, landmarks="kmeans"),
    lambda m: NystromDissimilarity(m, n_landmarks=20, landmarks="entropy"),
    lambda m: NeucMDS(metric=m),
    lambda m: NeucMDS(metric=m, n_landmarks=20),
    lambda m: EBEKEmbedding(3, kernel=m),
    lambda m: NyIKFD(metric=m, n_landmarks=20),
    lambda m: NyPCVM(metric=m, n_landmarks=20),
]


@pytest.mark.parametrize("make", ESTIMATORS, ids=lambda make: repr(make("m")))
@pytest.mark.parametrize("measure", [leaf_gap, BlockMetric(leaf_gaps)])
def test_objects_are_digested_a_few_times_only(make, measure, tmp_path):
    """Landmarks once a stage, others once: not anew for each of many blocks."""
    leaves = [Leaf("x" * (i % 23) + str(i)) for i in range(900)]
    estimator = make(measure).set_params(memory=str(tmp_path), random_state=0)
    Leaf.n_pickled = 0
    estimator.fit(leaves, np.arange(900) % 2)
    assert 900 <= Leaf.n_pickled <= 3 * 900
    assert next(tmp_path.rglob("output.pkl"))
    Leaf.n_pickled = 0
    estimator.fit(leaves, np.arange(900) % 2)
    assert Leaf.n_pickled <= 3 * 900


def test_a_choice_of_landmarks_digests_as_little(tmp_path):
    """select_landmarks, which compares in rounds."""
    leaves = [Leaf("x" * (i % 23) + str(i)) for i in range(900)]
    Leaf.n_pickled = 0
    select_landmarks(
        leaves, metric=leaf_gap, n_landmarks=20, memory=str(tmp_path), random_state=0
    )
    assert Leaf.n_pickled <= 3 * 900


def test_another_process_finds_what_this_one_compared(tmp_path):
    """Nested objects and strings have one digest everywhere."""
    code = """
import sys
import numpy as np
from skproxy import BlockMetric, NystromDissimilarity
from sklearn.base import clone

def graphs():
    return [{"nodes": list(range(i % 5 + 1)), "edges": {("a", i % 3), ("b", i % 4)},
             "name": f"g{i}"} for i in range(50)]

import skproxy_measure
model = NystromDissimilarity(skproxy_measure.gap, n_landmarks=5, memory=sys.argv[1],
                             random_state=0, n_jobs=int(sys.argv[2]))
Z = model.fit_transform(graphs())
print(skproxy_measure.n_calls)
"""
    (tmp_path / "skproxy_measure.py").write_text(
        "n_calls = 0\n"
        "def gap(a, b):\n"
        "    global n_calls\n"
        "    n_calls += 1\n"
        "    return float(abs(len(a['nodes']) - len(b['nodes'])))\n"
    )
    cache = tmp_path / "cache"

    def n_calls(n_jobs):
        run = subprocess.run(
            [sys.executable, "-c", code, str(cache), str(n_jobs)],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return int(run.stdout)

    assert n_calls(1) > 0
    assert n_calls(1) == 0


def test_processes_and_this_one_share_a_cache(tmp_path):
    """What workers kept is found without them, and the other way round."""
    first = NystromDissimilarity(
        BlockMetric(CachedDistances()),
        n_landmarks=5,
        memory=str(tmp_path),
        random_state=0,
        n_jobs=2,
    )
    words = WORDS * 20
    Z = first.fit_transform(words)
    CachedDistances.n_evaluated = 0
    again = clone(first).set_params(n_jobs=None)
    np.testing.assert_array_equal(again.fit_transform(words), Z)
    assert CachedDistances.n_evaluated == 0


@pytest.mark.parametrize("compare", [leaf_gap, BlockMetric(leaf_gaps)])
def test_objects_that_do_not_pickle_cannot_be_cached(compare, tmp_path):
    """Said where memory= is asked for, with what to do; without memory they work."""
    leaves = [Leaf("x" * i) for i in range(8)]
    for leaf in leaves:
        leaf.word = Unpicklable(leaf.word)
    model = NystromDissimilarity(compare, n_landmarks=3, random_state=0)
    assert model.fit_transform(leaves).shape == (8, 3)
    words = r"compared by metric of NystromDissimilarity must pickle .*Leave memory out"
    with pytest.raises(ValueError, match=words):
        model.set_params(memory=str(tmp_path)).fit(leaves)


class Unpicklable(str):
    def __reduce_ex__(self, protocol):
        msg = "cannot pickle this"
        raise TypeError(msg)


class PlainMemory:
    """What scikit-learn takes for a memory: anything that offers `cache`."""

    def cache(self, function, ignore=None):
        return function


def test_any_memory_that_offers_cache_will_do():
    """As in a Pipeline."""
    model = NystromDissimilarity(edit_distance, n_landmarks=3, random_state=0)
    Z = model.fit_transform(WORDS)
    model.set_params(memory=PlainMemory())
    np.testing.assert_array_equal(model.fit_transform(WORDS), Z)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("use", ["fit", "transform"])
def test_what_a_function_raises_names_the_two_objects(n_jobs, use):
    """The exception is the user's own; a note says for which objects, shortened."""
    words = [chr(97 + i) * (i + 1) for i in range(12)]
    words[7] = "?" * 10_000
    model = NystromDissimilarity(
        refuse_marks, landmarks=[1, 3, 5], n_jobs=n_jobs, random_state=0
    )
    if use == "transform":
        model.fit(words[:7])
    with pytest.raises(ZeroDivisionError) as caught:
        getattr(model, use)(words)
    notes = "".join(caught.value.__notes__)
    assert "at position 7" in notes
    assert len(notes) < 300
