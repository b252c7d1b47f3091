import numpy as np
import pytest
from factories import dissimilarity_with, double_centred, similarity_with
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skproxy import EigenCorrector

EIGEN = ["clip", "flip", "square", "shift", None]


@pytest.fixture
def K(rng):
    return similarity_with(np.array([3.0, -2.0, 1.5, 1.0, -0.5, 0.25]), 30, rng)


@pytest.fixture
def d(rng):
    X = rng.normal(size=(25, 3))
    return np.abs(X[:, None] - X[None]).sum(axis=-1) ** 1.5


def eigenvalues_of(d, power=2):
    return np.linalg.eigvalsh(double_centred(d**power))


@pytest.mark.parametrize("correction", EIGEN)
def test_corrected_training_matrix_is_the_dense_correction(correction, K):
    """U diag(a*) U' for similarities; shift moves the diagonal only."""
    a, U = np.linalg.eigh(K)
    a[np.abs(a) < 1e-12] = 0
    expected = {
        "clip": (U * np.maximum(a, 0)) @ U.T,
        "flip": (U * np.abs(a)) @ U.T,
        "square": K @ K,
        "shift": K - a.min() * np.eye(30),
        None: K,
    }[correction]
    corrector = EigenCorrector(correction)
    np.testing.assert_allclose(corrector.fit_transform(K), expected, atol=1e-12)
    np.testing.assert_allclose(corrector.eigenvalues_[:6], [3, -2, 1.5, 1, -0.5, 0.25])
    assert corrector.signature_ == (4, 2, 24)
    assert corrector.negative_fraction_ == pytest.approx(2.5 / 8.25)
    assert corrector.constant_ == pytest.approx(2.0 if correction == "shift" else 0)


@pytest.mark.parametrize("correction", ["clip", "flip", "square", None])
@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("n_landmarks", [None, 12])
def test_rows_of_training_objects_become_what_fitting_made_of_them(
    correction, output, kind, n_landmarks, K, d
):
    """transform(train) == fit_transform, exact and from landmarks."""
    corrector = EigenCorrector(
        correction,
        input=kind,
        output=output,
        n_landmarks=n_landmarks,
        random_state=0,
    )
    X = K if kind == "similarity" else d
    fitted = corrector.fit_transform(X)
    again = corrector.transform(X)
    if output == "dissimilarity":
        # A square root of rounding on the diagonal.
        np.testing.assert_allclose(again**2, fitted**2, atol=1e-10)
    else:
        np.testing.assert_allclose(again, fitted, atol=1e-10 * np.abs(fitted).max())


@pytest.mark.parametrize("correction", ["shift", "lingoes", "cailliez"])
@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
def test_added_constants_know_an_object_by_its_zero(correction, output, d):
    """transform(train) == fit_transform for constants added to dissimilarities."""
    corrector = EigenCorrector(correction, input="dissimilarity", output=output)
    fitted = corrector.fit_transform(d)
    np.testing.assert_allclose(corrector.transform(d), fitted, atol=1e-8)


@pytest.mark.parametrize("correction", ["shift", "lingoes", "cailliez"])
@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
@pytest.mark.parametrize("duplicates", [True, False])
def test_an_object_is_known_among_several_zeros(correction, output, duplicates, d):
    """transform(train) == fit_transform with zeros off the diagonal, for rows that
    differ in any order and on their own, for equal rows in the order of fit.
    """
    d = d.copy()
    if duplicates:
        d[:, 7] = d[:, 3]
        d[7] = d[3]
    for i, j in [(3, 7), (0, 24), (24, 12)]:
        d[i, j] = d[j, i] = 0.0
    d[7, 7] = 0.0
    corrector = EigenCorrector(correction, input="dissimilarity", output=output)
    fitted = corrector.fit_transform(d)
    np.testing.assert_allclose(corrector.transform(d), fitted, atol=1e-8)
    backwards = np.setdiff1d(np.arange(25), [3, 7])[::-1]
    np.testing.assert_allclose(
        corrector.transform(d[backwards]), fitted[backwards], atol=1e-8
    )


def test_shift_leaves_the_rows_of_new_objects_alone(K, rng):
    """Similarities between different objects do not change."""
    corrector = EigenCorrector("shift").fit(K)
    rows = rng.normal(size=(4, 30))
    np.testing.assert_allclose(corrector.transform(rows), rows, atol=1e-12)


def test_shift_tells_how_far_new_objects_are_from_those_fitted(K):
    """As far as a training object is; only itself it takes for another one."""
    corrector = EigenCorrector("shift", output="dissimilarity")
    fitted = corrector.fit_transform(K)
    again = corrector.transform(K)
    np.testing.assert_allclose(np.diagonal(again) ** 2, 2 * corrector.constant_)
    np.fill_diagonal(again, 0.0)
    np.testing.assert_allclose(again, fitted, atol=1e-10)


@pytest.mark.parametrize("correction", ["clip", "flip", "square"])
def test_features_are_a_root_of_the_corrected_similarities(correction, K):
    """F F' == S*, with as many columns as there are axes."""
    features = EigenCorrector(correction, output="features", n_components=6)
    Z = features.fit_transform(K)
    assert Z.shape == (30, 6)
    expected = EigenCorrector(correction).fit_transform(K)
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-11)
    assert features.get_feature_names_out()[0] == "eigencorrector0"


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_shift_moves_zero_eigenvalues_too(scale, rng):
    """The output's spectrum is `corrected_eigenvalues_`, and F F' is the output."""
    K = scale * similarity_with(np.array([5.0, 3.0, -1.0, -2.0]), 12, rng)
    corrector = EigenCorrector("shift")
    shifted = corrector.fit_transform(K)
    expected = scale * np.array([7, 5, 0, 1] + 8 * [2.0])
    tolerance = {"atol": 1e-12 * scale, "rtol": 1e-12}
    np.testing.assert_allclose(corrector.corrected_eigenvalues_, expected, **tolerance)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(shifted), np.sort(expected), **tolerance
    )
    assert corrector.signature_ == (2, 2, 8)
    np.testing.assert_allclose(corrector.eigenvalues_[4:], 0, atol=0)
    Z = EigenCorrector("shift", output="features").fit_transform(K)
    np.testing.assert_allclose(Z @ Z.T, shifted, **tolerance)
    few = EigenCorrector("shift", output="features", n_components=2).fit(K)
    assert few.axis_signs_.tolist() == [1, 1]
    np.testing.assert_allclose(
        few.fit_transform(K) ** 2 @ np.ones(2), Z[:, :2] ** 2 @ np.ones(2), **tolerance
    )


@pytest.mark.parametrize("n_landmarks", [None, 20])
def test_shifted_features_of_new_rows_are_bounded(n_landmarks, rng):
    """Z = t'U (a + nu)^(-1/2), so Z F' = t: no axis is enlarged by (a + nu) / a."""
    a = np.array([5.0, 3.0, 1e-7, -1.0])
    joint = similarity_with(a, 40, rng)
    K, rows = joint[:30, :30], joint[30:, :30]
    options = {"n_landmarks": n_landmarks, "random_state": 0}
    corrector = EigenCorrector("shift", output="features", **options)
    F = corrector.fit_transform(K)
    Z = corrector.transform(rows)
    found, U = np.linalg.eigh(K)
    kept = found - found.min() > 1e-9  # the axis of nu itself is gone
    expected = rows @ (U[:, kept] / (found[kept] - found.min())) @ U[:, kept].T @ rows.T
    atol = 1e-12 if n_landmarks is None else 1e-8
    np.testing.assert_allclose(Z @ Z.T, expected, atol=atol)
    np.testing.assert_allclose(Z @ F.T, rows @ U[:, kept] @ U[:, kept].T, atol=atol)
    similarities = EigenCorrector("shift", **options).fit(K).transform(rows)
    np.testing.assert_allclose(similarities, rows, atol=1e-7)


@pytest.mark.parametrize("n_landmarks", [None, 12])
def test_a_smallest_eigenvalue_that_is_double_leaves_no_axis(n_landmarks, rng):
    """a + nu is rounding for both; no new row is divided by its root."""
    K = similarity_with(np.array([5.0, 3.0, -2.0, -2.0, -2.0]), 25, rng)
    corrector = EigenCorrector(
        "shift", output="features", n_landmarks=n_landmarks, random_state=0
    ).fit(K)
    Z = corrector.transform(rng.normal(size=(6, 25)))
    assert np.abs(Z).max() < 100
    assert (corrector.corrected_eigenvalues_[2:5] == 0).all()


def test_no_new_object_holds_more_of_the_shift_than_nu(rng):
    """An object ten times as large has 100 times the self-similarity, and nu once."""
    K = similarity_with(np.array([5.0, 3.0, -2.0]), 25, rng)
    corrector = EigenCorrector(
        "shift", output="dissimilarity", power=1, n_landmarks=12, random_state=0
    ).fit(K)
    a, U = np.linalg.eigh(K)
    own = np.diagonal(K) + 2 * np.square(U[:, np.abs(a) > 1e-9]).sum(axis=1)
    expected = (100 * K[0, 0] + 2) + own - 20 * K[0]
    np.testing.assert_allclose(corrector.transform(10 * K[:1]), [expected], atol=1e-7)


@pytest.mark.parametrize("correction", ["clip", "flip", "square", "shift", None])
def test_corrected_matrices_are_symmetric_to_the_last_digit(correction, K):
    """Symmetrised once, where it is born; zero dissimilarity to oneself, exactly."""
    S = EigenCorrector(correction).fit_transform(K)
    np.testing.assert_array_equal(S, S.T)
    D = EigenCorrector(correction, output="dissimilarity").fit_transform(K)
    np.testing.assert_array_equal(D, D.T)
    assert (np.diagonal(D) == 0).all()


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_landmarks_tell_the_constant_of_the_shift(kind, rng):
    """constant_ is |a_min| with landmarks as without, in the units of the matrix."""
    a = [300.0, 200.0, -100.0]
    if kind == "similarity":
        X = similarity_with(np.array(a), 25, rng)
    else:
        X = dissimilarity_with(a, 25, rng)
    corrector = EigenCorrector(
        "shift", input=kind, power=1, n_landmarks=12, random_state=0
    ).fit(X)
    assert corrector.constant_ == pytest.approx(100)
    np.testing.assert_allclose(
        corrector.corrected_eigenvalues_[:3], [400, 300, 0], atol=1e-8
    )
    assert EigenCorrector("flip", n_landmarks=12).fit(X).constant_ == 0


def test_shift_from_landmarks_tells_how_far_training_objects_are(rng):
    """D* + 2 nu U U': as in training, where similarities bear what the axes hold of nu.

    power=1, since such a shift of new rows may leave negative values.
    """
    K = similarity_with(np.array([5.0, 3.0, -2.0]), 25, rng)
    corrector = EigenCorrector(
        "shift", output="dissimilarity", power=1, n_landmarks=12, random_state=0
    )
    fitted = corrector.fit_transform(K)
    a, U = np.linalg.eigh(K)
    U = U[:, np.abs(a) > 1e-9]
    np.testing.assert_allclose(corrector.transform(K), fitted + 4 * U @ U.T, atol=1e-8)


@pytest.mark.parametrize("correction", ["clip", "flip", None])
def test_new_objects_keep_their_part_outside_the_span(correction, rng):
    """Euclidean distances come back, however few the training objects are."""
    X = 1e3 * rng.normal(size=(42, 50))
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="dissimilarity"
    ).fit(d[:30, :30])
    np.testing.assert_allclose(corrector.transform(d[30:, :30]), d[30:, :30])


def test_the_part_outside_the_span_is_squared_like_an_axis(rng):
    """An object at right angles to a segment has its own eigenvalue, h^2 -> h^4."""
    d = np.array([[0.0, 2.0], [2.0, 0.0]])  # a = 2, U = (1, -1) / sqrt(2)
    h = 3.0
    row = np.sqrt([[1 + h**2, 1 + h**2]])
    corrector = EigenCorrector(
        "square", input="dissimilarity", output="dissimilarity"
    ).fit(d)
    np.testing.assert_allclose(corrector.transform(row) ** 2, [[h**4 + 2, h**4 + 2]])


@pytest.mark.parametrize("correction", ["clip", "flip", None])
def test_noise_on_small_axes_is_no_part_outside_the_span(correction, d):
    """Self-similarities are those told by the row, or what corrected axes hold more."""
    train, new = d[:20, :20], d[20:, :20]
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="dissimilarity"
    ).fit(train)
    B = double_centred(train**2)
    a, U = np.linalg.eigh(B)
    a, U = a[np.abs(a) > 1e-9], U[:, np.abs(a) > 1e-9]
    t = -0.5 * (new**2 - (train**2).mean(axis=0))
    t -= t.mean(axis=1, keepdims=True)
    e = t @ U / a
    after = {"flip": np.abs(a), "clip": np.maximum(a, 0), None: a}[correction]
    told = (new**2).mean(axis=1) - (train**2).mean() / 2
    own = told if correction is None else np.maximum(e**2 @ after, told)
    expected = own[:, None] + U**2 @ after - 2 * (e * after) @ U.T
    expected = np.maximum(expected, 0)
    assert (e**2 @ after > told).any()
    np.testing.assert_allclose(corrector.transform(new) ** 2, expected, rtol=1e-8)


def test_uncorrected_features_are_pseudo_euclidean(K):
    """(F signs) F' == S with correction=None."""
    corrector = EigenCorrector(None, output="features")
    Z = corrector.fit_transform(K)
    np.testing.assert_allclose((Z * corrector.axis_signs_) @ Z.T, K, atol=1e-12)


def test_lingoes_is_the_least_constant_on_squares(d):
    """D + 2 c1 is Euclidean with a zero eigenvalue; a smaller constant is not."""
    corrector = EigenCorrector("lingoes", input="dissimilarity", output="dissimilarity")
    corrected = corrector.fit_transform(d)
    c1 = -eigenvalues_of(d).min()
    assert corrector.constant_ == pytest.approx(c1)
    off = ~np.eye(25, dtype=bool)
    np.testing.assert_allclose(corrected[off] ** 2, d[off] ** 2 + 2 * c1)
    assert (np.diagonal(corrected) == 0).all()
    spectrum = eigenvalues_of(corrected)
    assert abs(spectrum.min()) < 1e-10 * spectrum.max()
    np.testing.assert_allclose(
        corrector.corrected_eigenvalues_, np.sort(spectrum)[::-1], atol=1e-9
    )


def test_cailliez_is_the_least_constant_on_dissimilarities(d):
    """d + c2 is Euclidean, d + 0.99 c2 is not."""
    corrector = EigenCorrector(
        "cailliez", input="dissimilarity", output="dissimilarity"
    )
    corrected = corrector.fit_transform(d)
    c2 = corrector.constant_
    assert c2 > 0
    off = ~np.eye(25, dtype=bool)
    np.testing.assert_allclose(corrected[off], d[off] + c2)
    spectrum = eigenvalues_of(corrected)
    assert spectrum.min() > -1e-9 * spectrum.max()
    less = np.where(off, d + 0.99 * c2, 0.0)
    assert eigenvalues_of(less).min() < -1e-6


@pytest.mark.parametrize("correction", ["lingoes", "cailliez"])
@pytest.mark.parametrize("n_leaves", [3, 6, 20])
def test_multiple_roots_leave_no_negative_eigenvalue(correction, n_leaves):
    """The star's smallest eigenvalue and its root are as sharp as any, and zero."""
    d = 2.0 - 2.0 * np.eye(n_leaves + 1)
    d[0, 1:] = d[1:, 0] = 1.0
    twice = np.kron(np.eye(2), d) + 3.0 * (1 - np.kron(np.eye(2), np.ones(d.shape)))
    for matrix in (d, twice):
        corrector = EigenCorrector(correction, input="dissimilarity").fit(matrix)
        assert corrector.constant_ > 0
        assert corrector.corrected_eigenvalues_.min() == 0


@pytest.mark.parametrize("correction", ["lingoes", "cailliez", "shift"])
def test_euclidean_dissimilarities_need_no_constant(correction, rng):
    """The constant is 0 and the matrix comes back."""
    X = rng.normal(size=(20, 3))
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="dissimilarity"
    )
    np.testing.assert_allclose(corrector.fit_transform(d), d, atol=1e-7)
    assert corrector.constant_ == pytest.approx(0, abs=1e-12)


def test_dissimilarities_to_similarities_and_back(rng):
    """d -> S -> d with power=1 on values that may be negative, nothing corrected."""
    D = dissimilarity_with([3.0, -2.0, 1.0], 20, rng)
    options = {"input": "dissimilarity", "power": 1}
    S = EigenCorrector(None, **options).fit_transform(D)
    np.testing.assert_allclose(S, double_centred(D), atol=1e-12)
    back = EigenCorrector(None, output="dissimilarity", power=1).fit_transform(S)
    np.testing.assert_allclose(back, D, atol=1e-12)


def test_new_points_are_placed_by_gowers_formula(rng):
    """Distances from new points to a Euclidean training set come back exactly."""
    X, new = rng.normal(size=(12, 3)), rng.normal(size=(4, 3))
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    rows = np.sqrt(((new[:, None] - X[None]) ** 2).sum(axis=-1))
    corrector = EigenCorrector(input="dissimilarity", output="features").fit(d)
    Z, Z_new = corrector.transform(d), corrector.transform(rows)
    gaps = np.sqrt(((Z_new[:, None] - Z[None]) ** 2).sum(axis=-1))
    np.testing.assert_allclose(gaps, rows, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("correction", ["clip", "flip", "lingoes", "cailliez"])
def test_output_scales_with_the_units(scale, correction, d):
    """d times c gives corrected d times c."""
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="dissimilarity"
    )
    expected = corrector.fit_transform(d)
    np.testing.assert_allclose(
        corrector.fit_transform(d * scale) / scale, expected, atol=1e-7
    )


@pytest.mark.parametrize("correction", ["clip", "flip"])
def test_landmarks_on_all_objects_equal_the_exact_correction(correction, K):
    """n_landmarks = n gives the exact matrix; fewer approximate a low rank exactly."""
    exact = EigenCorrector(correction).fit_transform(K)
    for n_landmarks in (30, 12):
        corrector = EigenCorrector(correction, n_landmarks=n_landmarks, random_state=0)
        np.testing.assert_allclose(corrector.fit_transform(K), exact, atol=1e-10)
    marks = np.arange(12)
    columns = EigenCorrector(correction, landmarks=marks)
    np.testing.assert_allclose(columns.fit_transform(K[:, marks]), exact, atol=1e-10)
    rows = columns.transform(K[:5][:, marks])
    np.testing.assert_allclose(rows, exact[:5], atol=1e-10)


def test_in_front_of_svc_in_pipeline_and_grid(rng):
    """Training and test rows are corrected alike in a Pipeline, in CV and in a grid."""
    X, y = load_digits(n_class=3, return_X_y=True)
    X, y = X[:150] / 16, y[:150]
    K = np.tanh(X @ X.T / 8 - 1)
    assert np.linalg.eigvalsh(K).min() < -0.1
    pipeline = Pipeline(
        [("correct", EigenCorrector()), ("svc", SVC(kernel="precomputed"))]
    )
    assert pipeline.__sklearn_tags__().input_tags.pairwise
    by_hand = []
    for train, test in StratifiedKFold(3).split(K, y):
        a, U = np.linalg.eigh(K[np.ix_(train, train)])
        projector = (U * (a > 0)) @ U.T
        svc = SVC(kernel="precomputed").fit((U * np.maximum(a, 0)) @ U.T, y[train])
        by_hand.append(svc.score(K[np.ix_(test, train)] @ projector, y[test]))
    np.testing.assert_allclose(cross_val_score(pipeline, K, y, cv=3), by_hand)
    grid = GridSearchCV(
        pipeline,
        {"correct__correction": ["clip", "flip", "square", "shift"]},
        cv=3,
        error_score="raise",
    ).fit(K, y)
    assert grid.best_score_ > np.mean(by_hand) - 1e-9
    d = np.abs(X[:, None] - X[None]).sum(axis=-1)
    both = Pipeline(
        [
            ("correct", EigenCorrector(input="dissimilarity", power=1)),
            ("svc", SVC(kernel="precomputed")),
        ]
    )
    search = {"correct__correction": ["lingoes", "shift", "flip"]}
    grid = GridSearchCV(both, search, cv=3, error_score="raise").fit(d, y)
    assert grid.best_score_ > 0.95


def test_combinations_that_make_no_sense_are_refused(K, d):
    """Which parameter, what must hold, what came, what to do."""
    with pytest.raises(ValueError, match="'lingoes' of EigenCorrector needs input="):
        EigenCorrector("lingoes").fit(K)
    with pytest.raises(ValueError, match="whole spectrum and so n_landmarks=None"):
        EigenCorrector("cailliez", input="dissimilarity", n_landmarks=5).fit(d)
    with pytest.raises(ValueError, match="power of EigenCorrector must be 2"):
        EigenCorrector("cailliez", input="dissimilarity", power=1).fit(d)


def test_float32_stays_float32_and_input_is_not_written(K):
    """Read-only float32 in, float32 out."""
    single = K.astype(np.float32)
    single.flags.writeable = False
    before = single.tobytes()
    corrector = EigenCorrector("flip")
    out = corrector.fit_transform(single)
    assert out.dtype == corrector.transform(single).dtype == np.float32
    assert single.tobytes() == before
    np.testing.assert_allclose(out, EigenCorrector("flip").fit_transform(K), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_squared_features_scale_with_the_squared_units(scale, d):
    """d times c gives features times c^2, whose squares are beyond float64."""
    corrector = EigenCorrector("square", input="dissimilarity", output="features")
    expected = corrector.fit_transform(d)
    Z = corrector.fit_transform(d * scale) / scale / scale
    np.testing.assert_allclose(Z, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("output", ["similarity", "dissimilarity", "features"])
@pytest.mark.parametrize("landmarks", ["none", "all columns", "columns"])
@pytest.mark.parametrize("correction", ["flip", "shift", None])
def test_what_was_fitted_outlives_the_matrix(correction, landmarks, output, K):
    """Writing to the matrix, or to landmarks=, after fit changes nothing."""
    X, new, marks = K.copy(), K[:4], np.arange(10)
    own = {} if landmarks == "none" else {"landmarks": marks}
    if landmarks == "columns":
        X, new = X[:, :10].copy(), new[:, :10]
    corrector = EigenCorrector(correction, output=output, random_state=0, **own)
    before = corrector.fit(X).transform(new)
    X *= 0
    marks[:] = 0
    np.testing.assert_array_equal(corrector.transform(new), before)


@pytest.mark.parametrize("correction", ["clip", "flip"])
def test_the_part_outside_is_what_corrected_axes_do_not_hold(correction, rng):
    """Self-similarity max(sum e^2 a*, told), where axes of both signs count."""
    X, u = rng.normal(size=(42, 50)), rng.normal(size=(42, 2))
    D = np.square(X[:, None] - X).sum(axis=-1) - 9 * np.square(u[:, None] - u).sum(
        axis=-1
    )
    D = np.abs(D)
    train, new = D[:30, :30], D[30:, :30]
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="dissimilarity", power=1
    ).fit(train)
    a, U = np.linalg.eigh(double_centred(train))
    U, a = U[:, np.abs(a) > 1e-9], a[np.abs(a) > 1e-9]
    t = -0.5 * (new - train.mean(axis=0))
    e = t @ U / a
    after = np.abs(a) if correction == "flip" else np.maximum(a, 0)
    told = new.mean(axis=1) - train.mean() / 2
    own = np.maximum(e**2 @ after, told)
    between = [e**2 @ np.maximum(a, 0) < told, e**2 @ np.abs(a) > told]
    assert np.logical_and(*between).any()
    expected = own[:, None] + U**2 @ after - 2 * (e * after) @ U.T
    np.testing.assert_allclose(corrector.transform(new), expected, rtol=1e-8)


def test_leading_features_are_those_of_the_largest_corrected_eigenvalues(rng):
    """The axis of the largest modulus comes last after a shift by it."""
    K = similarity_with(np.array([-5.0, 3.0, 1.0]), 3, rng)
    corrector = EigenCorrector("shift", output="features", n_components=2)
    Z = corrector.fit_transform(K)
    np.testing.assert_allclose(np.square(Z).sum(axis=0), [8, 6])
