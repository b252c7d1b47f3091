"""Fits on Dask's workers are fits in memory: laws on a cluster of two processes."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from factories import (
    die_once,
    gaussian_of_gaps,
    nan_at_30,
    negative_at_30,
    refuse_marks,
    rows_made_there,
    sum_of_gaps,
)
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skproxy import (
    EBEKEmbedding,
    LandmarkComparisons,
    NyIKFD,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.landmarks import select_landmarks

da = pytest.importorskip("dask.array")
db = pytest.importorskip("dask.bag")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

pytestmark = pytest.mark.usefixtures("cluster")


@pytest.fixture
def heavy(rng):
    """Return 1,500 heavy-tailed points in units of a thousandth, one far away."""
    X = rng.standard_t(3, size=(1500, 4)) * 1e-3
    X[1200] += 0.3
    return X


@pytest.fixture
def labels(heavy):
    """Return three classes, named."""
    y = np.where(heavy[:, 0] > 0, "right", "left")
    y[np.abs(heavy[:, 1]) > 2e-3] = "far"
    return y


def of_kind(X, kind):
    """Return a collection of Dask with the rows of X."""
    if kind == "array":
        return da.from_array(X, chunks=(400, 2))
    if kind == "frame":
        names = [f"x{i}" for i in range(X.shape[1])]
        return dd.from_pandas(pd.DataFrame(X, columns=names), npartitions=4)
    # A bag with an empty partition, and of partitions of all sizes.
    parts = np.split(X, [100, 100, 1400])
    return db.from_delayed([dask.delayed(list)(part) for part in parts])


TRANSFORMERS = {
    "dissimilarities": NystromDissimilarity("cityblock", n_landmarks=15),
    "papers' core": NystromDissimilarity("cityblock", n_landmarks=15, n_probes=0),
    "psd kernel": Nystroem(gamma=1e3, n_components=15),
    "indefinite kernel": Nystroem("tl1", n_components=15),
    "ebek": EBEKEmbedding(5, kernel="rbf", gamma=1e3, n_landmarks=15),
}


@pytest.mark.parametrize("kind", ["array", "frame", "bag"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers_equal_those_fitted_in_memory(name, kind, heavy):
    """Same seed, same landmarks: the same columns to 1e-9, whatever the partitions."""
    model = TRANSFORMERS[name].set_params(random_state=0)
    if kind == "bag":
        callables = {"metric": sum_of_gaps, "kernel": gaussian_of_gaps}
        which = "metric" if "metric" in model.get_params() else "kernel"
        gamma = {"gamma": None} if which == "kernel" else {}
        model.set_params(**{which: callables[which]}, **gamma)
    X = list(heavy) if kind == "bag" else heavy
    expected = model.fit(X).transform(X)
    seen = {
        attribute: getattr(model, attribute)
        for attribute in ("n_comparisons_", "n_landmarks_", "component_indices_")
        if hasattr(model, attribute)
    }
    collection = of_kind(heavy, kind)
    lazy = model.fit(collection).transform(collection)
    assert isinstance(lazy, da.Array)
    assert_allclose(lazy.compute(), expected, atol=1e-9 * np.abs(expected).max())
    for attribute, value in seen.items():
        assert_array_equal(getattr(model, attribute), value)


CLASSIFIERS = {
    "kernels": NyIKFD(metric="cityblock", n_landmarks=15),
    "linear": NyIKFD(gamma=1e3, n_landmarks=15, features="linear"),
}


@pytest.mark.parametrize("kind", ["array", "frame", "bag"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_equal_those_fitted_in_memory(name, kind, heavy, labels):
    """Labels as a sequence or in partitions: the same probabilities to 1e-9."""
    model = CLASSIFIERS[name].set_params(random_state=0)
    expected = model.fit(heavy, labels).predict_proba(heavy)
    before, counts = model.predict(heavy), model.class_count_
    n_comparisons = model.n_comparisons_
    collection = of_kind(heavy, "frame" if kind == "frame" else "array")
    y = {
        "array": labels,
        "frame": dd.from_pandas(pd.Series(labels), npartitions=4),
        "bag": da.from_array(labels, chunks=400),
    }[kind]
    model.fit(collection, y)
    assert_array_equal(model.class_count_, counts)
    assert model.n_comparisons_ == n_comparisons
    assert model.n_samples_seen_ == 1500
    assert_allclose(model.predict_proba(collection).compute(), expected, atol=1e-9)
    assert_array_equal(model.predict(collection).compute(), before)
    decisions = model.decision_function(collection)
    assert decisions.shape[1] == 3
    assert_allclose(np.exp(decisions.compute()), expected, atol=1e-9)
    assert model.transform(collection).shape[1] == 2


@pytest.mark.parametrize("sizes", [[1500], [1, 0, 1499], [500, 500, 500], [150] * 10])
def test_partitions_change_nothing(sizes, heavy):
    """Given landmarks, neither sizes nor empty partitions matter, to 1e-9."""
    model = NystromDissimilarity("cityblock", landmarks=heavy[::100], random_state=0)
    expected = model.fit(heavy).eigenvalues_
    parts = np.split(heavy, np.cumsum(sizes)[:-1])
    parts = [da.from_array(part, chunks=part.shape) for part in parts if len(part)]
    model.fit(da.concatenate(parts))
    assert_allclose(model.eigenvalues_, expected, atol=1e-9 * expected[0])


def test_the_order_of_partitions_changes_nothing(heavy):
    """Given landmarks and their core: moments are those of a set."""
    model = NystromDissimilarity("cityblock", landmarks=heavy[::100], n_probes=0)
    expected = model.fit(heavy).eigenvalues_
    X = da.from_array(heavy, chunks=(400, 4))
    shuffled = da.concatenate([X[1200:], X[400:800], X[:400], X[800:1200]])
    model.fit(shuffled)
    assert_allclose(model.eigenvalues_, expected, atol=1e-9 * expected[0])


def bytes_gathered(client):
    """Return how many bytes have left the workers for anybody but workers."""

    def sent(dask_worker):
        log = dask_worker.transfer_outgoing_log
        return [(entry["who"], entry["total"]) for entry in log]

    sizes = client.run(sent)
    return sum(n for log in sizes.values() for who, n in log if who not in sizes)


def test_nothing_of_the_size_of_the_data_moves(cluster):
    """Ten times the objects in as many partitions: the same bytes leave the workers."""
    moved = []
    for n_rows in (1_000, 10_000):
        parts = [dask.delayed(rows_made_there)(n_rows, i) for i in range(4)]
        X = da.concatenate(
            [da.from_delayed(part, (n_rows, 4), dtype=float) for part in parts]
        )
        y = (X[:, 0] > 0).astype(int)
        before = bytes_gathered(cluster)
        NystromDissimilarity("cityblock", n_landmarks=10, random_state=0).fit(X)
        NyIKFD(metric="cityblock", n_landmarks=10, random_state=0).fit(X, y)
        moved.append(bytes_gathered(cluster) - before)
    assert moved[1] <= 1.1 * moved[0]
    assert 0 < moved[1] < 40_000 * 4 * 8 / 4  # the objects are 1.28 MB


def test_a_worker_that_dies_changes_nothing(heavy, tmp_path):
    """A process killed in the middle of a pass: the same result, comparisons too."""
    X, marker = list(heavy[:200]), tmp_path / "died"
    model = NystromDissimilarity(sum_of_gaps, n_landmarks=5, random_state=0).fit(X)
    expected, n_comparisons = model.eigenvalues_, model.n_comparisons_
    how = {"marker": str(marker), "survivor": os.getpid()}
    model.set_params(metric=die_once, metric_params=how)
    model.fit(db.from_sequence(X, npartitions=4))
    assert marker.exists()
    assert_allclose(model.eigenvalues_, expected, atol=1e-9 * expected[0])
    assert model.n_comparisons_ == n_comparisons


def test_what_a_worker_cannot_load_is_an_error(tmp_path, monkeypatch):
    """A measure of a module that only the client has: no wait without an end."""
    (tmp_path / "only_here.py").write_text("def gap(a, b): return abs(a - b)")
    monkeypatch.syspath_prepend(tmp_path)
    gap = importlib.import_module("only_here").gap
    model = NystromDissimilarity(gap, landmarks=[1, 2], n_probes=0)
    with pytest.raises(ImportError, match=r"cannot load .* 'only_here'.*upload_file"):
        model.fit(db.from_sequence(range(20), npartitions=2))
    lazy = model.fit(list(range(20))).transform(db.from_sequence(range(5)))
    with pytest.raises(ImportError, match="cannot load"):
        lazy.compute()


def test_what_a_measure_raises_names_positions_among_all_objects():
    """The exception and its note are those of the fit in memory."""
    words = ["a"] * 30 + ["what?"] + ["bcd"] * 9
    model = NystromDissimilarity(refuse_marks, landmarks=["a", "bc"], n_probes=0)
    notes = []
    for X in (words, db.from_sequence(words, npartitions=4)):
        with pytest.raises(ZeroDivisionError) as raised:
            model.fit(X)
        notes.append(getattr(raised.value, "__notes__", ["'what?' at position 30"]))
    assert notes[0] == notes[1]
    assert "'what?' at position 30" in notes[1][0]
    assert not hasattr(model, "eigenvalues_")


def test_comparisons_that_are_wrong_name_their_pair(heavy):
    """NaN and negative dissimilarities: the same message as in memory."""
    X = list(range(40))
    for measure, word in [(nan_at_30, "finite"), (negative_at_30, "negative")]:
        model = NystromDissimilarity(measure, landmarks=[1, 2], n_probes=0)
        messages = []
        for objects in (X, db.from_sequence(X, npartitions=4)):
            with pytest.raises(ValueError, match=word) as raised:
                model.fit(objects)
            messages.append(str(raised.value))
        assert messages[0] == messages[1]
        assert "30" in messages[1]


@pytest.mark.parametrize("selector", ["uniform", "kmeans", "stratified", "farthest"])
def test_landmarks_are_selected_in_partitions(selector, heavy, labels):
    """Positions in the whole collection; uniform ones are those in memory."""
    X, y = of_kind(heavy, "array"), da.from_array(labels, chunks=400)
    options = {"n_landmarks": 12, "selector": selector, "random_state": 0}
    chosen = select_landmarks(X, y, metric="cityblock", **options)
    assert len(np.unique(chosen)) == len(chosen) <= 12
    if selector == "uniform":
        inside = select_landmarks(heavy, labels, metric="cityblock", **options)
        assert_array_equal(chosen, inside)


def test_pipelines_and_searches_take_collections(heavy, labels):
    """In-memory steps after it; a grid over parameters that are read from one fit."""
    X = of_kind(heavy, "array").persist()
    y = (labels == "far").astype(int)
    pipe = make_pipeline(
        NystromDissimilarity("cityblock", n_landmarks=15, random_state=0),
        LogisticRegression(),
    )
    expected = pipe.fit(heavy, y).predict(heavy)
    assert_array_equal(pipe.fit(X, y).predict(X), expected)
    grid = {"nystromdissimilarity__correction": ["flip", "clip"]}
    found = GridSearchCV(pipe, grid, cv=2).fit(X, y)
    inside = GridSearchCV(pipe, grid, cv=2).fit(heavy, y)
    assert found.best_params_ == inside.best_params_
    assert_allclose(
        found.cv_results_["mean_test_score"], inside.cv_results_["mean_test_score"]
    )


def test_streams_take_collections(heavy):
    """partial_fit of partitions is that of the objects, to 1e-9."""
    model = NystromDissimilarity("cityblock", n_landmarks=15, random_state=0)
    for first, rest in [
        (heavy[:600], heavy[600:]),
        (of_kind(heavy[:600], "array"), of_kind(heavy[600:], "frame").to_dask_array()),
    ]:
        stream = clone(model).partial_fit(first).partial_fit(rest)
        if first is heavy[:600] or isinstance(first, np.ndarray):
            expected = stream.eigenvalues_
    assert_allclose(stream.eigenvalues_, expected, atol=1e-9 * expected[0])


def test_a_fit_tells_how_far_it_is(heavy, capsys):
    """verbose= prints what is done and what comes, as in memory."""
    model = NystromDissimilarity("cityblock", n_landmarks=15, random_state=0, verbose=2)
    model.fit(of_kind(heavy, "array"))
    lines = capsys.readouterr().out
    assert "4 of 4 partitions" in lines
    assert f"{model.n_comparisons_} comparisons" in lines.replace(",", "")


def test_nothing_is_computed_before_it_is_asked_for(heavy):
    """transform of a plan that cannot be carried out raises when it is."""

    def refuse(part):
        raise RuntimeError

    model = NystromDissimilarity("cityblock", n_landmarks=5).fit(heavy)
    lazy = model.transform(of_kind(heavy, "array").map_blocks(refuse, dtype=float))
    assert lazy.shape == (1500, 5)
    with pytest.raises(RuntimeError):
        lazy.compute()


def test_what_partitions_cannot_be_is_refused(heavy, labels):
    """Weights, precomputed matrices, parameters learnt from all, labels elsewhere."""
    X = of_kind(heavy, "array")
    with pytest.raises(TypeError, match="X of LandmarkComparisons must lie in memory"):
        LandmarkComparisons().fit(X)
    with pytest.raises(ValueError, match="n_landmarks of EBEKEmbedding must be"):
        EBEKEmbedding(kernel="rbf").fit(X)
    with pytest.raises(ValueError, match="sample_weight of NyIKFD must be None"):
        NyIKFD().fit(X, labels, sample_weight=np.ones(1500))
    with pytest.raises(ValueError, match="memory map; got a collection of Dask"):
        NystromDissimilarity("precomputed").fit(X)
    with pytest.raises(ValueError, match="metric_params with 'V'"):
        NystromDissimilarity("seuclidean").fit(X)
    with pytest.raises(ValueError, match="partitions of the same sizes"):
        NyIKFD().fit(X, da.from_array(labels, chunks=500))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NyIKFD().fit(X, labels[:-1])


def test_the_page_of_the_guide_runs(tmp_path):
    """Its script on Dask, as it stands there, in a process of its own."""
    page = Path(__file__).resolve().parent.parent / "docs" / "guide"
    text = (page / "many_machines.rst").read_text(encoding="utf-8")
    (code,) = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text, re.M)
    script = tmp_path / "on_dask.py"
    script.write_text(dedent(code), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["(300,", "4)"]
