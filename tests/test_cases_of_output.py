"""What people ran into with other libraries: memory, signs, precision, frames, copies.

Continues `test_cases`: the small inputs of the public reports first, others of the same
kind after them.
"""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from factories import CountedCalls, edit_distance
from proximities import D, K
from sklearn.base import clone

from skproxy import BlockMetric, EigenCorrector, Nystroem, NystromDissimilarity

WORDS = ["cable", "table", "tab", "stable", "", "cab"]


def random_words(n, seed=0):
    rng = np.random.RandomState(seed)
    return ["".join(rng.choice(list("abc"), size=rng.randint(0, 9))) for _ in range(n)]


def edit_distances(rows, others):
    return np.array([[edit_distance(a, b) for b in others] for a in rows])


def length_gap(a, b):
    return float(abs(len(a) - len(b)))


def length_similarity(a, b):
    return float(np.exp(-abs(len(a) - len(b))))


# %% Memory, signs, precision and frames


@pytest.mark.parametrize("n_probes", [0, "auto"])
@pytest.mark.parametrize("kind", ["measured", "precomputed columns"])
def test_memory_grows_with_landmarks_not_with_objects_squared(kind, n_probes):
    """20,000 objects, 32 landmarks: tens of megabytes, 3.2 GB never."""
    n, m = 20_000, 32
    x = np.linspace(0.0, 10.0, n).reshape(-1, 1)
    marks = np.arange(0, n, n // m)[:m]
    X, measure = (x, "laplacian"), "cityblock"
    X = x
    if kind == "precomputed columns":
        X = np.abs(x - x[marks].T)
        measure = "precomputed"
    tracemalloc.start()
    nystrom = NystromDissimilarity(
        measure,
        landmarks=marks,
        n_probes=n_probes,
        random_state=0,
        scale="metric",
    )
    Z = nystrom.fit_transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert Z.shape == (n, m)
    assert peak < 4 * n * m * 8
    np.testing.assert_allclose(np.abs(Z[7] - Z[0]).max(), x[7, 0] - x[0, 0], rtol=1e-6)


PENTAGON = np.array([[0.0, 0], [3, 0.5], [1, 2], [4, 3], [0.5, 5]])


@pytest.mark.parametrize(
    "X", [PENTAGON, np.random.RandomState(0).normal(size=(40, 3)) * [3, 2, 1]]
)
def test_signs_of_axes_do_not_depend_on_order_blocks_or_workers(X):
    """The largest entry of an axis is positive; permuting objects permutes rows."""
    n, k = X.shape
    matrix = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    nystrom = NystromDissimilarity("precomputed", n_landmarks=n, n_components=k)
    Z = nystrom.fit_transform(matrix)
    assert (Z[np.abs(Z).argmax(axis=0), np.arange(k)] > 0).all()
    for seed in range(3):
        p = np.random.RandomState(seed).permutation(n)
        np.testing.assert_allclose(
            nystrom.fit_transform(matrix[np.ix_(p, p)]), Z[p], atol=1e-10
        )
    for n_jobs in (1, 2):
        named = NystromDissimilarity(n_landmarks=n, n_components=k, n_jobs=n_jobs)
        np.testing.assert_allclose(named.fit_transform(X), Z, atol=1e-6)


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("kind", ["named", "scalar", "block", "kernel"])
def test_results_are_the_same_bits_for_any_number_of_workers(kind, n_jobs):
    """Blocks are the same, so are the sums."""
    words = random_words(300)
    points = np.random.RandomState(0).normal(size=(9000, 3))
    estimator, X = {
        "named": (NystromDissimilarity("cityblock", n_landmarks=20), points),
        "scalar": (
            # Processes cannot import the module of a test, but a lambda they are sent.
            NystromDissimilarity(lambda a, b: abs(len(a) - len(b)), n_landmarks=5),
            words,
        ),
        "block": (NystromDissimilarity(BlockMetric(edit_distances)), words[:120]),
        "kernel": (Nystroem("sigmoid", n_components=20), points),
    }[kind]
    estimator.set_params(random_state=0)
    one = clone(estimator).fit(X)
    many = clone(estimator).set_params(n_jobs=n_jobs).fit(X)
    np.testing.assert_array_equal(one.transform(X), many.transform(X))
    np.testing.assert_array_equal(one.eigenvalues_, many.eigenvalues_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("center", [False, True])
def test_precision_is_kept_and_the_callers_matrix_too(dtype, center):
    """float32 in, float32 out; read-only is fine; not a byte is written."""
    x = np.linspace(0, 4, 16)
    exact = np.exp(-np.abs(x[:, None] - x[None]))
    if dtype is np.int64:
        exact = np.round(100 * exact)
    matrix = exact.astype(dtype)
    matrix.flags.writeable = False
    before = matrix.tobytes()
    marks = [0, 4, 8, 12]
    nystroem = Nystroem(
        "precomputed", landmarks=marks, center=center, n_probes=0, random_state=0
    )
    F = nystroem.fit_transform(matrix)
    assert F.dtype == (np.float32 if dtype is np.float32 else np.float64)
    assert nystroem.transform(matrix).dtype == F.dtype
    gram = exact[:, marks] @ np.linalg.solve(exact[np.ix_(marks, marks)], exact[marks])
    if center:
        gram = gram - gram.mean(axis=0)
        gram = gram - gram.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(F @ F.T, gram, atol=1e-4 * exact.max())
    assert matrix.tobytes() == before


@pytest.mark.parametrize("library", ["pandas", "default"])
def test_frames_keep_their_index_and_get_named_columns(library):
    """Also in a Pipeline; a new order of columns at transform is an error."""
    ids = ["s9", "s1", "s5", "s3"]
    x = np.array([0.0, 1.0, 3.0, 4.0])
    gaps = np.abs(x[:, None] - x[None])
    for estimator, matrix, prefix in (
        (Nystroem("precomputed", landmarks=[0, 2]), np.exp(-gaps), "nystroem"),
        (
            NystromDissimilarity("precomputed", landmarks=[0, 2]),
            gaps,
            "nystromdissimilarity",
        ),
        (
            EigenCorrector(output="features", landmarks=[0, 2]),
            np.exp(-gaps),
            "eigencorrector",
        ),
    ):
        frame = pd.DataFrame(matrix, index=ids, columns=ids)
        estimator.set_output(transform=library)
        Z = estimator.fit_transform(frame)
        new = estimator.transform(frame.iloc[[2]])
        columns = [f"{prefix}0", f"{prefix}1"]
        assert estimator.get_feature_names_out().tolist() == columns
        assert estimator.n_features_in_ == 4
        assert estimator.feature_names_in_.tolist() == ids
        if library == "pandas":
            assert Z.index.tolist() == ids
            assert new.index.tolist() == ["s5"]
            assert Z.columns.tolist() == columns
        with pytest.raises(ValueError, match="feature names should match"):
            estimator.transform(frame[ids[::-1]])
        with pytest.raises(ValueError, match="order of the landmarks"):
            estimator.transform(frame[["s5", "s9"]])


def test_objects_without_columns_get_named_columns():
    """Strings have none, what comes out of them has."""
    words = pd.Series(WORDS, index=list("uvwxyz"))
    nystrom = NystromDissimilarity(edit_distance, n_landmarks=2)
    Z = nystrom.set_output(transform="pandas").fit_transform(words)
    assert Z.shape == (6, 2)
    assert Z.columns.tolist() == ["nystromdissimilarity0", "nystromdissimilarity1"]


# %% Copies


@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (NystromDissimilarity("precomputed", n_landmarks=5), D),
        (NystromDissimilarity(length_gap, landmarks=["a", "bb", ""]), WORDS),
        (NystromDissimilarity(BlockMetric(edit_distances), n_landmarks=3), WORDS),
        (Nystroem("precomputed", n_components=5), K),
        (Nystroem(length_similarity, n_components=3, center=True), WORDS),
        (EigenCorrector("lingoes", input="dissimilarity"), D),
        (EigenCorrector(n_landmarks=5), K),
    ],
)
def test_estimators_can_be_copied_fitted_and_unfitted(estimator, X):
    """clone forgets, pickle keeps; parameters are never written to."""
    settings = repr(estimator.get_params())
    fitted = estimator.fit(X)
    assert repr(estimator.get_params()) == settings
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.transform(X), fitted.transform(X))
    fresh = clone(fitted)
    assert not any(name.endswith("_") for name in vars(fresh))


def test_parameters_of_measures_are_never_written_to():
    """A measure gets them as keywords; the dict stays as it was."""
    params = {"factor": 2.0}

    def greedy(a, b, **keywords):
        return keywords.pop("factor") * length_gap(a, b)

    metric = CountedCalls(greedy)
    NystromDissimilarity(metric, metric_params=params, n_landmarks=3).fit(WORDS)
    Nystroem(greedy, kernel_params=params, n_components=3).fit(WORDS)
    Nystroem(gamma=2.0, kernel_params={"gamma": 1.0}, n_components=3).fit(D[:, 1:])
    assert params == {"factor": 2.0}
    assert metric.n_calls > 0
