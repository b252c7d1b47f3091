"""What people ran into with other libraries: objects, matrices and pipelines.

Continues `test_cases`: the small inputs of the public reports first, others of the same
kind after them.
"""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from factories import CachedDistances, edit_distance
from proximities import changed
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

from skproxy import BlockMetric, EigenCorrector, Nystroem, NystromDissimilarity

WORDS = ["cable", "table", "tab", "stable", "", "cab"]
ROUTES = np.array([[0.0, 4, 9, 7], [6, 0, 5, 8], [9, 5, 0, 2], [3, 8, 2, 0]])


def eigenvalues(D):
    J = np.eye(len(D)) - 1.0 / len(D)
    values = np.linalg.eigvalsh(-0.5 * J @ D**2 @ J)
    return values[np.argsort(-np.abs(values), kind="stable")]


def random_words(n, seed=0):
    rng = np.random.RandomState(seed)
    return ["".join(rng.choice(list("abc"), size=rng.randint(0, 9))) for _ in range(n)]


def edit_distances(rows, others):
    return np.array([[edit_distance(a, b) for b in others] for a in rows])


# %% Cross-validation

LINE = np.array([0.0, 5.1, 10.2, 0.7, 5.9, 10.8, 1.1, 6.4, 11.9, 0.3, 5.5, 12.7])
LABELS = np.column_stack([LINE > 4, LINE > 9]).astype(int)


def gap(a, b):
    return float(np.abs(a - b).sum())


def on_line(metric):
    return NystromDissimilarity(
        metric, landmarks=[0, 1, 2, 4], random_state=0, scale="metric"
    )


def test_several_labels_are_cross_validated_on_objects_through_any_wrapper():
    """The route that works with wrappers that forget the pairwise tag."""
    X = LINE.reshape(-1, 1).tolist()
    pipeline = make_pipeline(on_line(lambda a, b: gap(*map(np.array, (a, b)))), KNN())
    predicted = cross_val_predict(
        MultiOutputClassifier(pipeline), X, LABELS, cv=KFold(3)
    )
    np.testing.assert_array_equal(predicted, LABELS)


def KNN():
    return KNeighborsClassifier(1)


@pytest.mark.parametrize("y", [LABELS, LABELS[:, 0]])
@pytest.mark.parametrize(
    "first", ["NystromDissimilarity", "Nystroem", "EigenCorrector"]
)
def test_rows_and_columns_of_a_precomputed_matrix_are_sliced_together(first, y):
    """The tag of the first step follows its parameters; folds equal those of points."""
    X = LINE.reshape(-1, 1)
    matrix = np.abs(X - X.T)
    if first == "NystromDissimilarity":
        step, twin = on_line("precomputed"), on_line("cityblock")
    elif first == "Nystroem":
        matrix = np.exp(-matrix / 5)
        step = Nystroem("precomputed", landmarks=[0, 1, 2, 4])
        twin = Nystroem("laplacian", gamma=0.2, landmarks=[0, 1, 2, 4])
    else:
        step = EigenCorrector(input="dissimilarity", output="features", n_components=4)
        twin = NystromDissimilarity(
            "cityblock", landmarks=np.arange(8), correction="clip"
        )
    tags = make_pipeline(step, KNN()).__sklearn_tags__()
    assert tags.input_tags.pairwise
    assert not make_pipeline(twin, KNN()).__sklearn_tags__().input_tags.pairwise
    one = cross_val_predict(make_pipeline(step, KNN()), matrix, y, cv=KFold(3))
    other = cross_val_predict(make_pipeline(twin, KNN()), X, y, cv=KFold(3))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one, y)


def test_an_indefinite_matrix_is_searched_in_front_of_a_support_vector_machine():
    """EigenCorrector in a Pipeline, its correction in the grid."""
    X = LINE.reshape(-1, 1)
    matrix = -np.abs(X - X.T) + 3.0 * np.eye(12)
    search = GridSearchCV(
        Pipeline([("psd", EigenCorrector()), ("svc", SVC(kernel="precomputed"))]),
        {"psd__correction": ["clip", "flip", "square", "shift"]},
        cv=KFold(3),
    )
    search.fit(matrix, LABELS[:, 0])
    assert search.best_score_ > 0.7
    assert search.predict(matrix[:2]).shape == (2,)


@pytest.mark.parametrize("form", [list, tuple, pd.Series, np.array])
def test_strings_go_through_pipelines_and_grids(form):
    """Folds of a list are lists, folds of a Series are Series."""
    words = random_words(40)
    y = np.array([len(word) > 4 for word in words])
    pipeline = Pipeline(
        [
            ("vectors", NystromDissimilarity(edit_distance, random_state=0)),
            ("classifier", RidgeClassifier()),
        ]
    )
    grid = {
        "vectors__n_landmarks": [3, 6],
        "vectors__landmarks": ["uniform", "stratified", ["aa", "bcb", "abcabcab"]],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(form(words), y)
    assert search.best_score_ > 0.8
    np.testing.assert_array_equal(
        search.predict(form(words)), search.predict(list(words))
    )


def test_a_grid_pays_for_its_comparisons_once(tmp_path):
    """However many corrections, powers and columns: once for each fold, exactly."""
    words = random_words(60)
    y = np.array([len(word) > 4 for word in words])
    nystrom = NystromDissimilarity(
        BlockMetric(CachedDistances()), n_landmarks=5, random_state=0
    )
    # What one fit a fold costs, with a cache of its own: folds share a tiny block or
    # two by chance.
    nystrom.set_params(memory=str(tmp_path / "once"))
    CachedDistances.n_evaluated = 0
    for train, test in KFold(3).split(words):
        nystrom.fit([words[i] for i in train]).transform([words[i] for i in test])
    once = CachedDistances.n_evaluated
    assert 0 < once <= 3 * (2 * 40 * 5 + 20 * 5)
    nystrom.set_params(memory=str(tmp_path / "grid"))
    grid = {
        "vectors__correction": ["flip", "clip", "square", "shift", None],
        "vectors__power": [0.5, 1, 2],
        "vectors__n_components": [2, 5],
    }
    CachedDistances.n_evaluated = 0
    GridSearchCV(
        Pipeline([("vectors", nystrom), ("classifier", RidgeClassifier())]),
        grid,
        cv=KFold(3),
        refit=False,
    ).fit(words, y)
    assert CachedDistances.n_evaluated == once


# %% Objects that are not vectors


@pytest.mark.parametrize("words", [WORDS, random_words(25)])
def test_any_sequence_of_strings_or_tokens_is_compared_untouched(words):
    """A list, an object array, lists of tokens; the empty string is an object too."""
    exact = edit_distances(words, words)
    n = len(words)
    for X in (words, np.array(words, dtype=object), [list(word) for word in words]):
        for metric in (edit_distance, BlockMetric(edit_distances)):
            nystrom = NystromDissimilarity(metric, n_landmarks=n, random_state=0).fit(X)
            np.testing.assert_allclose(
                nystrom.eigenvalues_, eigenvalues(exact), atol=1e-9
            )
            assert not hasattr(nystrom, "n_features_in_")
    if words is WORDS:
        expected = [23.885812, 4.096465, -2.254671, 1.329229, -0.056835, 0]
        np.testing.assert_allclose(nystrom.eigenvalues_, expected, atol=1e-6)


class Graph:
    """An object that numpy must not look into: indexed by name, not by position."""

    def __init__(self, n_nodes):
        self.n_nodes = n_nodes

    def __len__(self):
        return self.n_nodes

    def __getitem__(self, node):
        raise KeyError(node)


def node_gap(a, b):
    return float(abs(len(a) - len(b)))


def node_similarity(a, b):
    return float(np.exp(-abs(len(a) - len(b))))


def test_objects_are_never_shown_to_numpy():
    """Graphs raise when they are taken for sequences; as landmarks too."""
    graphs = [Graph(1 + i % 5) for i in range(20)]
    exact = [[node_gap(a, b) for b in graphs] for a in graphs]
    for landmarks in ("uniform", graphs[:5]):
        nystrom = NystromDissimilarity(
            node_gap, n_landmarks=5, landmarks=landmarks, scale="metric"
        )
        Z = nystrom.set_params(random_state=0).fit_transform(graphs)
        np.testing.assert_allclose(Z[5:], Z[:-5], atol=1e-12)
        if landmarks != "uniform":
            np.testing.assert_allclose(np.abs(Z[:, :1] - Z[:, 0]), exact, atol=1e-10)
        F = Nystroem(node_similarity, landmarks=landmarks, n_components=5)
        assert np.isfinite(F.fit_transform(graphs)).all()


def test_one_long_string_does_not_make_all_strings_long():
    """An array of strings would take the longest one's memory for each."""
    words = [*random_words(200), "a" * 200_000]
    marks = ["ab", "b" * 200_000]
    tracemalloc.start()
    for landmarks in ("uniform", marks):
        Nystroem(node_similarity, n_components=2, landmarks=landmarks).fit(words)
        NystromDissimilarity(node_gap, n_landmarks=2, landmarks=landmarks).fit(words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def series_gap(a, b):
    assert isinstance(a, list)
    assert isinstance(b, list)
    return float(abs(sum(a) - sum(b)))


def test_new_objects_are_read_as_those_fitted():
    """Series that happen to be equally long stay lists after a fit to ragged ones."""
    ragged = [[1.0] * (1 + i % 4) for i in range(12)]
    kernel = Nystroem(
        lambda a, b: np.exp(-series_gap(a, b)), n_components=4, random_state=0
    ).fit(ragged)
    np.testing.assert_allclose(
        kernel.transform([[1.0, 1.0], [2.0, 0.0]]), kernel.transform(ragged)[[1, 1]]
    )
    nystrom = NystromDissimilarity(series_gap, n_landmarks=4, random_state=0)
    assert nystrom.fit(ragged).transform([[1.0, 1.0]]).shape == (1, 4)
    assert nystrom.fit([[1.0, 2.0], [0.0, 3.0]] * 5).transform([[1.0]]).shape == (1, 4)


# %% Bad or unusual matrices


def test_empty_samples_name_the_pair_that_has_nothing_in_common():
    """0/0 in Bray-Curtis; filled in by the user it is a comparison like any other."""
    counts = np.array(
        [[3, 0, 1], [0, 2, 2], [0, 0, 0], [1, 1, 0], [5, 0, 0], [0, 0, 0]]
    )
    with np.errstate(invalid="ignore"):
        total = (counts[:, None] + counts[None]).sum(axis=-1)
        matrix = np.abs(counts[:, None] - counts[None]).sum(axis=-1) / total
    np.fill_diagonal(matrix, 0.0)
    for estimator in (
        NystromDissimilarity("precomputed", n_landmarks=6),
        EigenCorrector(input="dissimilarity"),
    ):
        with pytest.raises(
            ValueError, match=r"got nan for the pair \(2, 5\) .*fill it"
        ):
            estimator.fit(matrix)
    with pytest.raises(
        ValueError, match=r"got nan for the pair \((2, 5|5, 2|2, 2|5, 5)"
    ):
        NystromDissimilarity("braycurtis", n_landmarks=6).fit(counts.astype(float))
    filled = np.nan_to_num(matrix, nan=0.0)
    nystrom = NystromDissimilarity("precomputed", n_landmarks=6).fit(filled)
    np.testing.assert_allclose(nystrom.eigenvalues_, eigenvalues(filled), atol=1e-12)
    np.testing.assert_allclose(
        nystrom.eigenvalues_[:4], [1.088273, 0.549580, 0.202172, 0.005426], atol=1e-6
    )


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_directions_that_differ_are_the_users_decision(scale):
    """The worst pair and its two values; then average, minimum or maximum."""
    routes = ROUTES * scale
    with pytest.raises(ValueError, match=r"got 7.*\(0, 3\) and 3.* for \(3, 0\)"):
        NystromDissimilarity("precomputed", n_landmarks=4).fit(routes)
    for how, joined in (
        ("average", (routes + routes.T) / 2),
        ("min", np.minimum(routes, routes.T)),
        ("max", np.maximum(routes, routes.T)),
    ):
        nystrom = NystromDissimilarity("precomputed", n_landmarks=4, symmetrize=how)
        np.testing.assert_allclose(
            nystrom.fit(routes).eigenvalues_ / scale / scale,
            eigenvalues(joined / scale),
            atol=1e-10,
        )
    corrector = EigenCorrector(
        None, input="dissimilarity", output="dissimilarity", symmetrize="min"
    )
    joined = np.minimum(routes, routes.T)
    np.testing.assert_allclose(
        corrector.fit_transform(routes) / scale, joined / scale, atol=1e-7
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32, int])
@pytest.mark.parametrize(
    "matrix", [[[0, 20, 40], [20, 0, 20], [40, 20, 0]], [[0, 200], [200, 0]]]
)
def test_small_integers_do_not_overflow_when_squared(matrix, dtype):
    """A matrix of them, or blocks of them from a measure."""
    n = len(matrix)
    exact = np.array(matrix, dtype=float)
    looked_up = NystromDissimilarity("precomputed", n_landmarks=n, scale="metric")
    measured = NystromDissimilarity(
        BlockMetric(lambda r, o: np.array(matrix, dtype=dtype)[np.ix_(r, o)]),
        n_landmarks=n,
        scale="metric",
    )
    for nystrom, X in (
        (looked_up, np.array(matrix, dtype=dtype)),
        (measured, np.arange(n)),
    ):
        Z = nystrom.fit_transform(X)
        np.testing.assert_allclose(
            nystrom.eigenvalues_, eigenvalues(exact), rtol=1e-6, atol=1e-4
        )
        np.testing.assert_allclose(np.abs(Z[:, :1] - Z[:, 0]), exact, rtol=1e-6)
    if n == 3:
        np.testing.assert_allclose(nystrom.eigenvalues_[0], 800)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_a_hair_below_zero_is_rounding_and_more_is_an_error(scale):
    """The result is that of zero, and the input keeps its values."""
    base = np.array([[0, 0, 2.0], [0, 0, 2.0], [2.0, 2.0, 0]]) * scale
    tiny = changed(base, (0, 1, -3e-16 * scale), (1, 0, -3e-16 * scale))
    tiny[2, 2] = 4e-17 * scale
    before = tiny.copy()
    nystrom = NystromDissimilarity("precomputed", n_landmarks=3)
    np.testing.assert_allclose(
        nystrom.fit_transform(tiny) / scale,
        nystrom.fit_transform(base) / scale,
        atol=1e-12,
    )
    np.testing.assert_allclose(
        nystrom.eigenvalues_ / scale / scale, [8 / 3, 0, 0], atol=1e-12
    )
    np.testing.assert_array_equal(tiny, before)
    real = changed(base, (0, 1, -1e-3 * scale), (1, 0, -1e-3 * scale))
    with pytest.raises(ValueError, match=r"got -0?\.?[10].* for the pair \(0, 1\)"):
        nystrom.fit(real)
