"""Gower's dissimilarity: the formula cell by cell, tables of every kind, and words."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skproxy import EBEKEmbedding, NeucMDS, NyIKFD, NyPCVM, NystromDissimilarity
from skproxy.comparisons._gower import gower, learn_columns
from skproxy.datasets import load_penguins
from skproxy.inspection import diagnose

#: Four animals; d(0, 1) = (2/8 + 1 + 0 + 1/2) / 4, and so on by hand.
ANIMALS = pd.DataFrame(
    {
        "age": [1.0, 3.0, 9.0, np.nan],
        "kind": ["cat", "dog", "cat", "owl"],
        "tame": [True, True, False, None],
        "size": pd.Categorical(
            ["small", "middle", "large", "small"],
            categories=["small", "middle", "large"],
            ordered=True,
        ),
    }
)
BY_HAND = np.array(
    [
        [0, (2 / 8 + 1 + 0 + 1 / 2) / 4, (1 + 0 + 1 + 1) / 4, (1 + 0) / 2],
        [0, 0, (6 / 8 + 1 + 1 + 1 / 2) / 4, (1 + 1 / 2) / 2],
        [0, 0, 0, (1 + 1) / 2],
        [0, 0, 0, 0],
    ]
)
BY_HAND = BY_HAND + BY_HAND.T


def slowly(table, kinds, weights):
    """Return the formula of daisy, cell by cell, of rows of Python objects."""
    n = len(table)
    D = np.zeros((n, n))
    ranges = [
        np.ptp([row[k] for row in table if row[k] is not None])
        if kind == "number"
        else 1
        for k, kind in enumerate(kinds)
    ]
    for i, one in enumerate(table):
        for j, other in enumerate(table):
            total = there = 0.0
            for x, y, kind, r, w in zip(
                one, other, kinds, ranges, weights, strict=True
            ):
                if x is None or y is None:
                    continue
                there += w
                total += w * (abs(x - y) / r if kind == "number" else x != y)
            D[i, j] = total / there
    return D


def full(table, **options):
    """Return the dissimilarities of all rows."""
    learnt = learn_columns(table, options, "metric")
    return gower(table, table, **learnt)


def test_the_formula_by_hand():
    """Numbers, categories, booleans, ordered categories; missing cells take no part."""
    np.testing.assert_allclose(full(ANIMALS), BY_HAND)
    kinds = learn_columns(ANIMALS, {}, "metric")["kinds"]
    assert kinds == ("number", "category", "category", ("small", "middle", "large"))


def test_the_formula_of_a_real_table_with_missing_cells():
    """344 penguins, some without sex or measures, weighted."""
    table = load_penguins().data
    kinds = ["number"] * 4 + ["category"] * 2
    kept = [row for row in table.tolist() if sum(c is not None for c in row) > 1][:80]
    weights = [1.0, 2.0, 0.5, 1.0, 3.0, 0.25]
    expected = slowly(kept, kinds, weights)
    found = full(np.array(kept, dtype=object), weights=weights)
    np.testing.assert_allclose(found, expected)


def frames():
    """Yield the animals in other containers."""
    yield "objects", ANIMALS.to_numpy(dtype=object)
    yield "list", ANIMALS.to_numpy(dtype=object).tolist()
    nullable = ANIMALS.convert_dtypes()
    yield "nullable", nullable.assign(size=ANIMALS["size"])
    categories = ANIMALS.assign(kind=ANIMALS["kind"].astype("category"))
    yield "categories", categories


@pytest.mark.parametrize(("name", "table"), frames(), ids=lambda x: str(x)[:10])
def test_containers_of_every_kind(name, table):
    """The same vectors; only a frame knows that sizes are ordered."""
    ordered = name not in ("objects", "list")
    X = table if ordered else [[*row[:3]] for row in np.array(table, dtype=object)]
    expected = ANIMALS if ordered else ANIMALS[["age", "kind", "tame"]]
    options = {"n_landmarks": 3, "power": 1, "random_state": 0}
    known = [0, 1, 2]
    Z = NystromDissimilarity("gower", **options).fit_transform(expected.iloc[known])
    X = X.iloc[known] if hasattr(X, "iloc") else [X[i] for i in known]
    found = NystromDissimilarity("gower", **options).fit_transform(X)
    np.testing.assert_allclose(found, Z)


def test_polars_frames():
    """Null is missing; the columns are named."""
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(ANIMALS[["age", "kind", "tame"]])
    np.testing.assert_allclose(full(table), full(ANIMALS[["age", "kind", "tame"]]))
    model = NystromDissimilarity("gower", n_landmarks=3, random_state=0).fit(table[:3])
    assert list(model.feature_names_in_) == ["age", "kind", "tame"]
    np.testing.assert_allclose(
        model.transform(table[:3]),
        model.transform(ANIMALS[["age", "kind", "tame"]].iloc[:3]),
    )


def penguins():
    table = load_penguins()
    frame = pd.DataFrame(table.data, columns=table.feature_names).infer_objects()
    return frame, table.target


ESTIMATORS = [
    NystromDissimilarity("gower", n_landmarks=30),
    NeucMDS(3, metric="gower"),
    NeucMDS(3, metric="gower", n_landmarks=30),
    NyIKFD(metric="gower", n_landmarks=30),
    NyPCVM(metric="gower", n_landmarks=30),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_estimator_takes_tables(estimator):
    """New rows alone, a row at a time, are what they are among others."""
    X, y = penguins()
    model = clone(estimator).set_params(random_state=0).fit(X[::2], y[::2])
    use = model.predict_proba if hasattr(model, "predict_proba") else model.transform
    together, alone = use(X[1::2]), use(X.iloc[[7]])
    np.testing.assert_allclose(alone, together[[3]], atol=1e-8)
    if hasattr(model, "predict_proba"):
        assert model.score(X[1::2], y[1::2]) > 0.9
    with pytest.raises(ValueError, match="order"):
        use(X[X.columns[::-1]])
    pickle.loads(pickle.dumps(model))


def test_what_a_fit_learns_stays():
    """Ranges and kinds are those of the fit: some new rows are no new measure."""
    X, _ = penguins()
    marks = X.iloc[[0, 100, 200, 300]]
    model = NystromDissimilarity("gower", landmarks=marks, scale="metric").fit(X)
    shifted = X.iloc[:5].assign(**{"body mass, g": [None] * 5})
    assert np.isfinite(model.transform(shifted)).all()
    streamed = NystromDissimilarity("gower", landmarks=marks, n_probes=0)
    Z = clone(streamed).fit(X).transform(X)
    parts = streamed.fit(X)
    np.testing.assert_allclose(parts.transform(X[:50]), Z[:50])


def test_diagnose_reads_tables_and_its_call_runs():
    """The pasted code fits the same table."""
    X, y = penguins()
    found = diagnose(X, y, metric="gower", random_state=0)
    assert found.axioms.n_missing == 0
    namespace = dict(found.recommendation.names)
    exec(found.recommendation.code, namespace)
    assert namespace["model"].fit_transform(X).shape[0] == len(X)


def test_weights_by_name_and_number():
    """A weight of zero is no column; names that are none are refused."""
    without = full(ANIMALS[["kind", "tame", "size"]])
    np.testing.assert_allclose(full(ANIMALS, weights={"age": 0}), without)
    np.testing.assert_allclose(full(ANIMALS, weights=[0, 1, 1, 1]), without)
    options = {"metric_params": {"weights": {"agee": 1}}, "n_landmarks": 2}
    with pytest.raises(ValueError, match=r"by names of columns.*'age'.*got 'agee'"):
        NystromDissimilarity("gower", **options).fit(ANIMALS)
    for wrong in ([1, 2], [-1, 1, 1, 1], [0, 0, 0, 0]):
        with pytest.raises(ValueError, match=r"weights of .* must be 4 numbers"):
            full(ANIMALS, weights=wrong)


def test_words_about_what_cannot_be_compared():
    """Columns, cells and pairs are named."""
    model = NystromDissimilarity("gower", n_landmarks=3, random_state=0)
    days = ANIMALS.assign(born=pd.date_range("2020", periods=4))
    with pytest.raises(ValueError, match=r"got datetime64.* in column 'born'.*days"):
        model.fit(days)
    model.fit(ANIMALS.iloc[:3])
    with pytest.raises(ValueError, match=r"column 'age' .* in fit, numbers; could not"):
        model.transform(ANIMALS.iloc[:2].assign(age=["old", "young"]))
    huge = ANIMALS.iloc[:2].assign(size=["huge", "small"])
    with pytest.raises(ValueError, match=r"column 'size' .*'small'.* got 'huge'"):
        model.transform(huge)
    with pytest.raises(ValueError, match=r"column 'age' .* got infinity"):
        model.transform(ANIMALS.iloc[:2].assign(age=[1.0, np.inf]))
    nothing = ANIMALS.iloc[:2].assign(age=None, kind=None, tame=None, size=None)
    with pytest.raises(ValueError, match=r"finite comparisons; got nan for the pair"):
        model.transform(nothing)
    with pytest.raises(ValueError, match=r"one row of cells .* got shape \(2,\)"):
        model.fit(["a", "b"])
    with pytest.raises(TypeError, match="must be a table"):
        model.fit("words")


def test_ebek_says_that_it_takes_similarities():
    """gower is a dissimilarity."""
    with pytest.raises(ValueError, match="'gower', which is a dissimilarity"):
        EBEKEmbedding(2, kernel="gower").fit(ANIMALS)
