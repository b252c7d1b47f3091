"""What people who do this job ran into with other libraries, each kind of it.

Every test names the kind; the small inputs of the public reports stand first in its
parameters, and others of the same kind follow.
"""

import numpy as np
import pandas as pd
import pytest
from factories import edit_distance
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.decomposition import PCA, KernelPCA

from skproxy import EigenCorrector, Nystroem, NystromDissimilarity

STAR = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0.0]])
ROUTES = np.array([[0.0, 4, 9, 7], [6, 0, 5, 8], [9, 5, 0, 2], [3, 8, 2, 0]])
WORDS = ["cable", "table", "tab", "stable", "", "cab"]


def points(n, k=3, seed=0):
    return np.random.RandomState(seed).normal(size=(n, k))


def distances(n, metric="cityblock", seed=0):
    return squareform(pdist(points(n, seed=seed), metric))


def centred(matrix):
    matrix = matrix - matrix.mean(axis=0)
    return matrix - matrix.mean(axis=1, keepdims=True)


def spectrum(D):
    """Return eigenvalues of the centred similarity of squared D, largest first."""
    values = np.linalg.eigvalsh(-0.5 * centred(D**2))[::-1]
    return np.where(np.abs(values) < 1e-12 * np.abs(values).max(), 0.0, values)


def by_modulus(values):
    return values[np.argsort(-np.abs(values), kind="stable")]


# %% Landmarks

PLANE = np.array([[0, 0], [0.4, 0.1], [1, 0], [1.1, 0.9], [2, 1], [2.5, 0.2]])


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize(
    ("X", "landmarks"), [(PLANE, [0, 3, 5]), (points(60), [4, 8, 1, 59, 30])]
)
def test_a_precomputed_kernel_may_have_fewer_landmarks_than_objects(X, landmarks, make):
    """F F' = C W^+ C', exact on landmark rows, the same as from the points."""
    K = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    C, W = K[:, landmarks], K[np.ix_(landmarks, landmarks)]
    gram = C @ np.linalg.pinv(W) @ C.T
    nystroem = Nystroem("precomputed", landmarks=landmarks)
    F = nystroem.fit_transform(make(K))
    assert F.shape == (len(X), len(landmarks))
    np.testing.assert_allclose(F @ F.T, gram, atol=1e-12)
    np.testing.assert_allclose((F @ F.T)[landmarks], K[landmarks], atol=1e-12)
    if X is PLANE:
        np.testing.assert_allclose(np.trace(K - F @ F.T), 0.79746632, atol=1e-8)
    from_points = Nystroem("rbf", gamma=0.5, landmarks=landmarks).fit_transform(X)
    np.testing.assert_allclose(F, from_points, atol=1e-10)
    # New rows: against all objects, or against the landmarks alone.
    for rows in (K[:4], C[:4]):
        np.testing.assert_allclose(nystroem.transform(make(rows)), F[:4], atol=1e-12)
    narrow = Nystroem("precomputed", landmarks=landmarks).fit_transform(make(C))
    np.testing.assert_allclose(narrow, F, atol=1e-12)


OUTSIDE = np.array([[2.0, 0.0], [0.0, 3.0]])


@pytest.mark.parametrize("landmarks", [OUTSIDE, np.vstack([OUTSIDE, OUTSIDE.sum(0)])])
@pytest.mark.parametrize(
    "form", [np.array, np.ndarray.tolist, pd.DataFrame, sparse.csr_matrix]
)
@pytest.mark.parametrize("center", [False, True])
def test_landmarks_of_the_users_own_need_not_be_training_objects(
    landmarks, form, center
):
    """Two independent ones span the plane; a redundant third changes nothing."""
    X = np.array([[1.0, 0], [2, 1], [0, 3], [-1, 2], [4, -2]])
    nystroem = Nystroem("linear", landmarks=form(landmarks), center=center)
    F = nystroem.fit_transform(X)
    expected = X - X.mean(axis=0) if center else X
    np.testing.assert_allclose(F @ F.T, expected @ expected.T, atol=1e-12)
    new = np.array([[7.0, -5.0]])
    shift = X.mean(axis=0) * center
    np.testing.assert_allclose(
        nystroem.transform(new) @ F.T, (new - shift) @ expected.T, atol=1e-12
    )
    if len(landmarks) == 3:  # two distances do not say on which side an object is
        Z = NystromDissimilarity(
            landmarks=form(landmarks), scale="metric"
        ).fit_transform(X)
        np.testing.assert_allclose(cdist(Z, Z), cdist(X, X), atol=1e-7)


@pytest.mark.parametrize("form", [list, tuple, pd.Series, np.array])
def test_landmarks_of_the_users_own_may_be_strings(form):
    """Objects of any kind, one of them empty, one of them alone."""
    for marks in (["tale", "", "cabs"], ["tale"]):
        nystrom = NystromDissimilarity(
            edit_distance, landmarks=form(marks), random_state=0
        )
        Z = clone(nystrom).fit_transform(WORDS)
        assert Z.shape == (6, len(marks))
        assert np.isfinite(Z).all()
        np.testing.assert_allclose(nystrom.fit(WORDS).transform(WORDS), Z, atol=1e-10)
        assert nystrom.component_indices_ is None
        assert list(nystrom.components_) == marks


# %% Negative eigenvalues

TANH = np.array(
    [
        [0.9, 0.2, 0.1],
        [0.1, 0.8, 0.3],
        [0.5, 0.5, 0.9],
        [0.7, 0.1, 0.6],
        [0.2, 0.3, 0.2],
    ]
)


@pytest.mark.filterwarnings("ignore:n_components=12 of Nystroem is more")
@pytest.mark.parametrize("X", [TANH, points(12), points(3)])
@pytest.mark.parametrize("n_components", [1, 2, 3, 12])
def test_an_indefinite_kernel_is_treated_alike_for_any_number_of_columns(
    X, n_components
):
    """No NaN, no error: fewer columns are the first of more columns."""
    n = len(X)
    K = np.tanh(3 * X @ X.T)
    values, vectors = np.linalg.eigh(centred(K))
    for correction, corrected in (
        ("clip", np.maximum(values, 0)),
        ("flip", np.abs(values)),
    ):
        settings = dict(
            gamma=3, coef0=0, center=True, correction=correction, n_landmarks=n
        )
        full = Nystroem("sigmoid", n_components=n, **settings, random_state=0)
        F = full.fit_transform(X)
        np.testing.assert_allclose(
            F @ F.T, (vectors * corrected) @ vectors.T, atol=1e-12
        )
        some = Nystroem(
            "sigmoid", n_components=n_components, **settings, random_state=0
        )
        columns = some.fit_transform(X)
        assert columns.shape == (n, n_components)
        width = min(n, n_components)
        np.testing.assert_allclose(columns[:, :width], F[:, :width], atol=1e-12)
        np.testing.assert_array_equal(columns[:, width:], 0)
        for fitted in (full, some):
            np.testing.assert_allclose(
                np.sort(fitted.eigenvalues_), np.sort(values), atol=1e-12
            )
            share = np.abs(values[values < 0]).sum() / np.abs(values).sum()
            np.testing.assert_allclose(fitted.negative_fraction_, share, atol=1e-10)
    if X is TANH:
        np.testing.assert_allclose(full.negative_fraction_, 0.305866, atol=1e-6)


@pytest.mark.parametrize("D", [STAR, distances(15), distances(15, "euclidean")])
def test_shares_of_axes_have_a_stated_denominator(D):
    """Of the signed, the positive or the absolute total, next to the negative part."""
    nystrom = NystromDissimilarity("precomputed", n_landmarks=len(D), rank=None)
    nystrom.fit(D)
    values = by_modulus(spectrum(D))
    positive, absolute = np.maximum(values, 0), np.abs(values)
    for total, shares in (
        ("signed", values / values.sum()),
        ("positive", positive / positive.sum()),
        ("absolute", absolute / absolute.sum()),
    ):
        np.testing.assert_allclose(nystrom.axis_shares(total), shares, atol=1e-9)
    np.testing.assert_allclose(
        nystrom.negative_fraction_, absolute[values < 0].sum() / absolute.sum()
    )
    np.testing.assert_array_equal(
        nystrom.axis_shares(), nystrom.axis_shares("absolute")
    )
    if D is STAR:
        np.testing.assert_allclose(
            nystrom.axis_shares("signed"), [8 / 15, 8 / 15, -1 / 15, 0], atol=1e-12
        )
        np.testing.assert_allclose(nystrom.negative_fraction_, 1 / 17)


@pytest.mark.parametrize("D", [STAR, distances(12), distances(12, "euclidean")])
def test_lingoes_constant_is_exposed_and_leaves_the_diagonal_alone(D):
    """The least constant on squares that leaves no eigenvalue negative."""
    n = len(D)
    corrector = EigenCorrector("lingoes", input="dissimilarity", output="dissimilarity")
    corrected = corrector.fit_transform(D)
    constant = max(0.0, -spectrum(D).min())
    np.testing.assert_allclose(corrector.constant_, constant, atol=1e-12)
    expected = np.sqrt(D**2 + 2 * constant * (1 - np.eye(n)))
    np.testing.assert_allclose(corrected, expected, atol=1e-10)
    np.testing.assert_array_equal(np.diagonal(corrected), 0)
    assert spectrum(corrected).min() > -1e-10
    np.testing.assert_allclose(corrector.transform(D), corrected, atol=1e-10)
    if D is STAR:
        np.testing.assert_allclose(corrector.constant_, 0.25)
        np.testing.assert_allclose(
            corrector.corrected_eigenvalues_, [2.25, 2.25, 0, 0], atol=1e-12
        )


# %% New objects

INDEFINITE = np.array(
    [[2, 1.5, -1, 0.2], [1.5, 0.5, 1.2, 0], [-1, 1.2, 1, 0.7], [0.2, 0, 0.7, 1.5]]
)


def indefinite(n, seed=0):
    K = np.random.RandomState(seed).normal(size=(n, n))
    return (K + K.T) / 2


@pytest.mark.parametrize("K", [INDEFINITE, indefinite(9), indefinite(2)])
def test_new_rows_get_the_operator_that_training_rows_got(K):
    """A copy of a training object gets its corrected row, for every correction."""
    n = len(K)
    values, U = np.linalg.eigh(K)
    new = np.vstack([K[1], 0.5 * (K[0] + K[-1])])
    for correction, corrected, operator in (
        ("clip", np.maximum(values, 0), values > 0),
        ("flip", np.abs(values), np.sign(values)),
        ("square", values**2, values),
    ):
        corrector = EigenCorrector(correction)
        train = corrector.fit_transform(K)
        np.testing.assert_allclose(train, (U * corrected) @ U.T, atol=1e-10)
        rows = corrector.transform(new)
        np.testing.assert_allclose(rows, new @ (U * operator) @ U.T, atol=1e-10)
        np.testing.assert_allclose(rows[0], train[1], atol=1e-10)
    shift = EigenCorrector("shift")
    expected = K + max(0.0, -values.min()) * np.eye(n)
    np.testing.assert_allclose(shift.fit_transform(K), expected, atol=1e-10)
    np.testing.assert_allclose(shift.transform(new), new, atol=1e-10)


@pytest.mark.parametrize("landmarks", ["uniform", [0, 1]])
@pytest.mark.parametrize("K", [INDEFINITE, indefinite(9)])
def test_shifted_features_of_a_copy_have_the_similarities_of_the_original(K, landmarks):
    """Its diagonal entry, too, is not shifted: F* F' = S on the axes that F has."""
    options = {"landmarks": landmarks, "random_state": 0}
    features = EigenCorrector("shift", output="features", **options)
    train = features.fit_transform(K)
    copies = features.transform(K[[1, 0, 1]])
    uncorrected = EigenCorrector(None, **options).fit(K).transform(K[[1, 0, 1]])
    projector = train @ np.linalg.pinv(train, rcond=1e-8)
    np.testing.assert_allclose(copies @ train.T, uncorrected @ projector, atol=1e-10)


@pytest.mark.parametrize("correction", ["clip", "flip", "square", "shift", None])
@pytest.mark.parametrize("K", [INDEFINITE, indefinite(9)])
def test_corrected_features_of_a_copy_are_those_of_the_original(K, correction):
    """In every estimator, whatever becomes of the negative eigenvalues.

    EigenCorrector's shift, which leaves the rows of new objects as they are, excepted.
    """
    n = len(K)
    similarity = Nystroem("precomputed", n_components=n, correction=correction)
    centred_one = clone(similarity).set_params(center=True)
    features = EigenCorrector(correction, output="features")
    some = EigenCorrector(correction, output="features", landmarks=[0, 1])
    correctors = () if correction == "shift" else (features, some)
    for estimator in (similarity, centred_one, *correctors):
        estimator.set_params(random_state=0)
        train = estimator.fit_transform(K)
        copies = estimator.transform(K[[1, 0, 1]])
        np.testing.assert_allclose(copies, train[[1, 0, 1]], atol=1e-10)
    D = distances(n)
    nystrom = NystromDissimilarity(
        "precomputed", n_landmarks=n - 1, correction=correction, random_state=0
    )
    train = nystrom.fit_transform(D)
    np.testing.assert_allclose(nystrom.transform(D[[1]]), train[[1]], atol=1e-10)


SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


@pytest.mark.parametrize(
    ("X", "new", "n_landmarks"),
    [
        (SQUARE, np.array([[0.5, 0.5], [2.0, 0.5], [0.0, 0.0]]), 4),
        (points(20), points(5, seed=1), 20),
        (points(20), points(5, seed=1), 4),
        (points(200) + 50, points(5, seed=1), 6),
    ],
)
def test_a_new_object_is_placed_where_its_distances_say(X, new, n_landmarks):
    """By Gower's formula; the mean of the map is the origin, a copy is the original."""
    k = X.shape[1]
    D, d = cdist(X, X), cdist(new, X)
    nystrom = NystromDissimilarity(
        "precomputed",
        landmarks=np.arange(n_landmarks),
        n_components=k,
        random_state=0,
        scale="metric",
    )
    Z = nystrom.fit_transform(D)
    placed = nystrom.transform(d)
    np.testing.assert_allclose(cdist(placed, Z), d, atol=1e-7)
    np.testing.assert_allclose(cdist(Z, Z), D, atol=1e-7)
    mean = cdist(X.mean(axis=0, keepdims=True), X)
    np.testing.assert_allclose(nystrom.transform(mean), 0, atol=1e-10)
    np.testing.assert_allclose(nystrom.transform(D[[0]]), Z[[0]], atol=1e-10)


COINCIDE = np.array([[1.0, 0], [1, 0], [0, 2], [3, 1]])


@pytest.mark.parametrize("X", [COINCIDE, np.repeat(points(4, 2), 3, axis=0)])
@pytest.mark.parametrize("n_components", [3, 4])
def test_fit_transform_is_transform_with_zero_eigenvalues_too(X, n_components):
    """Columns past the rank are zero in both, and equal objects stay equal."""
    K = X @ X.T
    nystroem = Nystroem(
        "precomputed", center=True, n_components=n_components, n_landmarks=4
    ).set_params(landmarks=[0, 2, len(X) - 1, 1])
    Z = nystroem.fit_transform(K)
    T = nystroem.transform(K)
    np.testing.assert_allclose(Z, T, atol=1e-12)
    np.testing.assert_array_equal(Z[:, 2:], 0)
    np.testing.assert_array_equal(T[:, 2:], 0)
    np.testing.assert_allclose(Z[0], Z[1], atol=1e-12)
    scores = PCA(2).fit_transform(X)
    np.testing.assert_allclose(np.abs(Z[:, :2]), np.abs(scores), atol=1e-12)
    values = np.sort(np.linalg.eigvalsh(centred(K)))[::-1][:2]
    np.testing.assert_allclose(nystroem.eigenvalues_[:2], values)


@pytest.mark.parametrize(
    ("X", "new", "n_landmarks"),
    [
        (
            np.array([[1.0, 2], [3, 0], [0, 1], [2, 5]]),
            np.array([[1.0, 1], [4, -1]]),
            4,
        ),
        (points(30), points(1, seed=1), 30),
        (points(30) + 100, points(7, seed=1), 30),
        (points(30) + 100, points(7, seed=1), 8),
        (points(300) - 1e4, points(2, seed=1), 20),
    ],
)
def test_test_kernels_are_centred_with_training_means(X, new, n_landmarks):
    """One new row or many: their own mean plays no part, however far off it is."""
    nystroem = Nystroem(
        "precomputed",
        center=True,
        n_components=n_landmarks,
        landmarks=np.arange(n_landmarks),
        random_state=0,
    )
    F = nystroem.fit_transform(X @ X.T)
    T = nystroem.transform(new @ X.T)
    mean = X.mean(axis=0)
    scale = np.abs(X).max() ** 2
    np.testing.assert_allclose(F @ F.T, (X - mean) @ (X - mean).T, atol=1e-11 * scale)
    np.testing.assert_allclose(T @ F.T, (new - mean) @ (X - mean).T, atol=1e-10 * scale)
    each = [nystroem.transform(row @ X.T) for row in new[:, None]]
    np.testing.assert_allclose(np.concatenate(each), T, atol=1e-11 * scale)
    assert nystroem.signature_[1] == 0
    kpca = KernelPCA(2).fit(X)
    np.testing.assert_allclose(
        np.abs(T[:, :2]), np.abs(kpca.transform(new)), atol=1e-9 * scale
    )
