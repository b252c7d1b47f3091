"""Input that is unusual but right: it works, and nothing is written to it."""

import numpy as np
import pandas as pd
import pytest
from joblib import dump, load
from proximities import (
    MARKS,
    ON_MATRICES,
    POINTS,
    D,
    K,
    N,
    on_dissimilarities,
    on_similarities,
)
from scipy.spatial.distance import cdist
from sklearn.base import clone

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    Nystroem,
    NystromDissimilarity,
)

# %% duplicates and rank


@pytest.mark.parametrize("n_components", [None, 2, 9])
@pytest.mark.parametrize("center", [False, True])
def test_duplicates_among_landmarks_give_zero_columns_never_nan(n_components, center):
    """Fewer useful landmarks; exactly the columns asked for come out."""
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], 4, axis=0)
    marks = [0, 4, 8, 1, 5, 9, 2]
    nystrom = NystromDissimilarity(landmarks=marks, n_components=n_components)
    Z = nystrom.fit_transform(X)
    k = n_components or 7
    assert Z.shape == (12, k)
    np.testing.assert_array_equal(Z[:, 2:], 0)
    np.testing.assert_array_equal(nystrom.axis_signs_[2:], 0)
    np.testing.assert_array_equal(nystrom.transform(X + 1)[:, 2:], 0)
    np.testing.assert_array_equal(nystrom.eigenvalues_[2:], 0)
    kernel = Nystroem(
        "linear", landmarks=marks, n_landmarks=7, n_components=k, center=center
    )
    F = kernel.fit_transform(X)
    assert F.shape == (12, k)
    centred = X - X.mean(axis=0) * center
    np.testing.assert_allclose(F @ F.T, centred @ centred.T, atol=1e-12)


@pytest.mark.parametrize("correction", ["flip", "clip", "square", "shift", None])
@pytest.mark.parametrize("n_probes", [0, "auto"])
def test_objects_that_are_all_equal_become_zero(correction, n_probes):
    """No scale, no rank, no NaN."""
    settings = dict(correction=correction, n_probes=n_probes)
    nystrom = NystromDissimilarity(n_landmarks=4, **settings)
    np.testing.assert_array_equal(nystrom.fit_transform(np.ones((9, 2))), 0)
    np.testing.assert_array_equal(nystrom.transform(np.ones((2, 2))), 0)
    assert nystrom.signature_ == (0, 0, 9)
    assert nystrom.negative_fraction_ == 0
    kernel = Nystroem("linear", n_components=4, **settings)
    np.testing.assert_array_equal(kernel.fit_transform(np.zeros((9, 2))), 0)
    kernel = Nystroem("linear", n_components=4, center=True, **settings)
    np.testing.assert_allclose(kernel.fit_transform(np.ones((9, 2))), 0, atol=1e-14)


@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
@pytest.mark.parametrize(
    "correction", ["flip", "clip", "square", "shift", "lingoes", "cailliez", None]
)
def test_a_zero_matrix_stays_zero(correction, output):
    """Corrections have nothing to correct."""
    corrector = EigenCorrector(correction, input="dissimilarity", output=output)
    zero = np.zeros((5, 5))
    np.testing.assert_array_equal(corrector.fit_transform(zero), 0)
    np.testing.assert_array_equal(corrector.transform(zero[:2]), 0)


@pytest.mark.parametrize("n_probes", [0, "auto"])
def test_equal_landmarks_tell_objects_apart_by_one_distance_at_most(n_probes):
    """What the landmarks cannot see is no error."""
    nystrom = NystromDissimilarity(landmarks=np.ones((4, 3)), n_probes=n_probes)
    Z = nystrom.fit_transform(POINTS)
    assert np.isfinite(Z).all()
    np.testing.assert_array_equal(Z[:, 1:], 0)
    assert np.isfinite(nystrom.transform(1e3 * POINTS)).all()


# %% small integers


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int64, np.float16])
@pytest.mark.parametrize("kind", [*on_dissimilarities(), *on_similarities()])
def test_integers_are_cast_before_they_are_squared(dtype, kind):
    """The same as the floats they stand for, old rows and new."""
    similar = kind not in on_dissimilarities()
    estimator = (on_similarities if similar else on_dissimilarities)()[kind]
    matrix = np.round(100 * K if similar else 100 * D / D.max())
    expected = estimator.fit_transform(matrix)
    rows = estimator.transform(matrix[:5])
    small = matrix.astype(dtype)
    np.testing.assert_array_equal(estimator.fit_transform(small), expected)
    np.testing.assert_array_equal(estimator.transform(small[:5]), rows)


# %% layouts


def on_disk(matrix, folder):
    dump(matrix, folder / "matrix.joblib")
    return load(folder / "matrix.joblib", mmap_mode="r")


def read_only(matrix, folder):
    matrix = matrix.copy()
    matrix.flags.writeable = False
    return matrix


LAYOUTS = {
    "read-only": read_only,
    "memory-mapped": on_disk,
    "Fortran": lambda matrix, folder: np.asfortranarray(matrix),
    "strided": lambda matrix, folder: np.repeat(matrix, 2, axis=1)[:, ::2],
    "pandas": lambda matrix, folder: pd.DataFrame(matrix),
    "objects": lambda matrix, folder: matrix.astype(object),
    "lists": lambda matrix, folder: matrix.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("estimator", "matrix"),
    [
        *ON_MATRICES,
        (Nystroem(n_components=5, random_state=0), POINTS),
        (Nystroem("sigmoid", n_components=5, random_state=0), POINTS),
        (NystromDissimilarity("cityblock", n_landmarks=5, random_state=0), POINTS),
    ],
)
def test_any_layout_works_and_the_callers_data_are_never_written(
    estimator, matrix, layout, tmp_path
):
    """Same numbers from each of them, and the same bytes afterwards."""
    expected = estimator.fit_transform(matrix), estimator.transform(matrix[:7])
    X = LAYOUTS[layout](matrix, tmp_path)
    before = np.array(X, dtype=float)
    np.testing.assert_allclose(estimator.fit_transform(X), expected[0], atol=1e-9)
    np.testing.assert_allclose(estimator.transform(X[:7]), expected[1], atol=1e-9)
    np.testing.assert_array_equal(np.array(X, dtype=float), before)
    np.testing.assert_array_equal(before, matrix)


# %% batches


def test_batches_of_rows_of_a_matrix_are_taken_in_like_batches_of_points():
    """The first batch is square, later ones compare with it."""
    nystrom = NystromDissimilarity("precomputed", landmarks=MARKS[:3], n_probes=0)
    twin = NystromDissimilarity("cityblock", landmarks=MARKS[:3], n_probes=0)
    for batch in (slice(0, 10), slice(10, 13), slice(13, N)):
        nystrom.partial_fit(D[batch, :10])
        twin.partial_fit(POINTS[batch])
    assert nystrom.n_samples_seen_ == twin.n_samples_seen_ == N
    assert nystrom.n_comparisons_ == twin.n_comparisons_
    np.testing.assert_allclose(nystrom.eigenvalues_, twin.eigenvalues_)
    np.testing.assert_allclose(
        nystrom.transform(D[:, :10]), twin.transform(POINTS), atol=1e-10
    )


def test_a_first_batch_smaller_than_the_landmarks_fixes_their_number():
    """One warning, then the map stays as it is."""
    nystrom = NystromDissimilarity(n_landmarks=8)
    with pytest.warns(UserWarning, match="n_landmarks=8 .* the 3 objects given"):
        nystrom.partial_fit(POINTS[:3])
    nystrom.partial_fit(POINTS[3:4]).partial_fit(POINTS[4:])
    assert nystrom.n_landmarks_ == 3
    assert nystrom.n_samples_seen_ == N
    assert nystrom.transform(POINTS).shape == (N, 3)


def test_a_batch_that_is_refused_changes_nothing():
    """Neither does one of another width."""
    nystrom = NystromDissimilarity(n_landmarks=4, random_state=0)
    before = nystrom.partial_fit(POINTS[:10]).transform(POINTS)
    for wrong in (POINTS[:, :2], np.full((2, 3), np.nan), np.empty((0, 3))):
        with pytest.raises(ValueError, match=r"features|NaN|sample"):
            nystrom.partial_fit(wrong)
    assert nystrom.n_samples_seen_ == 10
    np.testing.assert_array_equal(nystrom.transform(POINTS), before)


TABLE = pd.DataFrame(
    {
        "age": [3.0, 40.0, 41.0, 8.0, 70.0, 66.0],
        "kind": ["cat", "dog", "dog", "cat", "owl", "owl"],
    },
    index=list("pqrstu"),
)


def apart(a, b):
    return abs(a["age"] - b["age"]) / 70 + float(a["kind"] != b["kind"])


def apart_in_blocks(rows, others):
    age = np.abs(np.subtract.outer(rows["age"].to_numpy(), others["age"].to_numpy()))
    kind = rows["kind"].to_numpy()[:, None] != others["kind"].to_numpy()
    return age / 70 + kind


@pytest.mark.parametrize("metric", [apart, BlockMetric(apart_in_blocks)])
def test_objects_of_a_data_frame_are_its_labelled_rows(metric):
    """A function reads them by column name; frames stay frames, and are not aliased."""
    expected = apart_in_blocks(TABLE, TABLE)
    frame = TABLE.copy()
    model = NystromDissimilarity(metric, n_landmarks=6, power=1, scale="metric")
    Z = model.fit_transform(frame)
    gaps = (np.square(Z[:, None] - Z)).sum(axis=-1)
    full = NystromDissimilarity("precomputed", n_landmarks=6, power=1, scale="metric")
    Z_full = full.fit_transform(expected)
    np.testing.assert_allclose(gaps, np.square(Z_full[:, None] - Z_full).sum(-1))
    assert list(model.feature_names_in_) == ["age", "kind"]
    frame["age"] = 0.0
    np.testing.assert_allclose(model.transform(TABLE), Z, atol=1e-9)
    np.testing.assert_allclose(model.transform(TABLE.iloc[[4]]), Z[[4]], atol=1e-9)
    with pytest.raises(ValueError, match="order"):
        model.transform(TABLE[["kind", "age"]])
    mds = NeucMDS(2, metric=metric, landmarks=TABLE.iloc[:4]).fit(TABLE)
    assert mds.transform(TABLE.iloc[:2]).shape == (2, 2)


def test_functions_of_two_sequences_are_recognised():
    """The failure inside the user's code is kept as the cause."""

    def blocks(rows, others):
        return cdist(rows, others)

    with pytest.raises(TypeError, match=r"fails on two, .* BlockMetric") as raised:
        NystromDissimilarity(blocks, n_landmarks=3).fit(np.eye(4))
    assert isinstance(raised.value.__cause__, ValueError)

    def broken(a, b):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        NystromDissimilarity(broken, n_landmarks=3).fit(np.eye(4))


@pytest.mark.parametrize(
    "estimator",
    [
        NystromDissimilarity(n_components=7, n_landmarks=4),
        NeucMDS(7),
        NeucMDS(7, n_landmarks=4),
        EBEKEmbedding(7, kernel="rbf"),
        EigenCorrector("flip", output="features", n_components=7),
    ],
    ids=lambda estimator: " ".join(str(estimator).split()),
)
def test_more_columns_than_objects_are_told_in_one_way(estimator, rng):
    """A warning; the columns are there, and zero past the rank."""
    X = rng.normal(size=(4, 3))
    if isinstance(estimator, EigenCorrector):
        X = cdist(X, X)
    with pytest.warns(UserWarning, match="n_components=7 of .* 4 objects .* are zero"):
        Z = clone(estimator).fit_transform(X)
    assert Z.shape == (4, 7)
    assert not Z[:, 4:].any()
