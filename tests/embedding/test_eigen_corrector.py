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


@pytest.mark.parametrize("correction", ["clip", "flip", "square", "shift"])
def test_features_are_a_root_of_the_corrected_similarities(correction, K):
    """F F' == S*, on the kept eigenvalues; new rows go through the same map."""
    features = EigenCorrector(correction, output="features", n_components=6)
    Z = features.fit_transform(K)
    assert Z.shape == (30, 6)
    if correction == "shift":
        a, U = np.linalg.eigh(K)
        kept = np.abs(a) > 1e-10
        expected = (U[:, kept] * (a[kept] - a.min())) @ U[:, kept].T
    else:
        expected = EigenCorrector(correction).fit_transform(K)
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-11)
    assert features.get_feature_names_out()[0] == "eigencorrector0"


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
