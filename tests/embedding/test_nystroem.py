import pickle
import warnings

import numpy as np
import pytest
from factories import CountedBlocks, CountedCalls
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_approximation import Nystroem as SklearnNystroem
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from skproxy import BlockMetric, Nystroem

CORRECTIONS = ["flip", "clip", "square", "shift", None]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16, y[:400]


def rbf(a, b):
    return float(np.exp(-np.sum((a - b) ** 2) / 20))


def _nystrom(K, marks):
    a, U = np.linalg.eigh(K[np.ix_(marks, marks)])
    a, U = a[a > 1e-13 * a.max()], U[:, a > 1e-13 * a.max()]
    Z = K[:, marks] @ (U / np.sqrt(a))
    return Z @ Z.T


def signed_gram(transformer, Z):
    signs = transformer.axis_signs_ if transformer.correction is None else 1.0
    return (Z * signs) @ Z.T


PSD = [
    ("rbf", {}),
    ("rbf", {"gamma": 1e-3}),
    ("rbf", {"gamma": 1.0}),
    ("laplacian", {"gamma": 0.1}),
    ("poly", {"degree": 2, "coef0": 1}),
    ("polynomial", {"gamma": 0.05}),
    ("chi2", {}),
    ("linear", {}),
    ("cosine", {}),
]


@pytest.mark.parametrize(("kernel", "params"), PSD)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", [0, 7])
def test_same_features_as_scikit_learn(digits, kernel, params, dtype, seed):
    """Landmarks, attributes, dtype and, for a psd kernel, features are the same."""
    X = digits[0].astype(dtype)
    options = {"n_components": 40, "random_state": seed, **params}
    theirs = SklearnNystroem(kernel, **options).fit(X)
    ours = Nystroem(kernel, **options).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    assert ours.normalization_.shape == theirs.normalization_.shape
    Z, reference = ours.transform(X), theirs.transform(X)
    assert Z.dtype == dtype
    assert Z.shape == reference.shape
    exact = pairwise_kernels(digits[0], metric=kernel, **params)
    marks = ours.component_indices_
    condition = np.linalg.cond(exact[np.ix_(marks, marks)])
    if dtype == np.float64 or condition < 1e4:
        tolerance = 1e-7 if dtype == np.float64 else 1e-4
        np.testing.assert_allclose(Z, reference, atol=tolerance * np.abs(Z).max())
    else:
        # Single precision leaves the small eigenvalues to rounding, differently in the
        # two factorisations: the kernel approximated is the judge.
        approximated = _nystrom(exact, marks)
        scale = np.abs(exact).max()
        ours_off = np.abs(Z @ Z.T - approximated).max() / scale
        theirs_off = np.abs(reference @ reference.T - approximated).max() / scale
        assert ours_off <= max(2 * theirs_off, 1e-4)
    assert ours.get_feature_names_out().tolist() == (
        theirs.get_feature_names_out().tolist()
    )
    assert ours.negative_fraction_ == 0.0
    assert ours.signature_[1] == 0


def test_tiny_eigenvalues_are_floored_where_sklearn_floors_them(rng):
    """At 1e-12 of a mean self-similarity of one, so that noise is not blown up."""
    basis, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    X = basis * np.sqrt([2.0, 1.5, 1.0, 0.5, 3e-13])
    settings = {"kernel": "linear", "n_components": 5, "random_state": 0}
    ours, theirs = Nystroem(**settings).fit(X), SklearnNystroem(**settings).fit(X)
    np.testing.assert_allclose(ours.normalization_, theirs.normalization_, rtol=1e-3)


def test_same_constructor_as_scikit_learn():
    """Their parameters come first, in their order, with their defaults."""
    theirs = SklearnNystroem().get_params()
    ours = Nystroem().get_params()
    assert {name: ours[name] for name in theirs} == theirs
    names = Nystroem.__init__.__code__.co_varnames
    expected = SklearnNystroem.__init__.__code__.co_varnames
    assert names[: len(expected)] == expected


@pytest.mark.parametrize("kernel", ["precomputed", rbf])
@pytest.mark.parametrize("parameter", ["gamma", "coef0", "degree"])
def test_same_errors_as_scikit_learn(kernel, parameter, digits):
    """gamma, coef0 and degree belong to kernels by name."""
    message = "Don't pass gamma, coef0 or degree to Nystroem if using a callable or"
    for estimator in (Nystroem, SklearnNystroem):
        with pytest.raises(ValueError, match=message):
            estimator(kernel, n_components=5, **{parameter: 2}).fit(digits[0])


def test_same_warning_as_scikit_learn_when_components_exceed_samples(digits):
    """n_components > n_samples warns once, in scikit-learn's words, and takes all."""
    caught = []
    for estimator in (Nystroem, SklearnNystroem):
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            Z = estimator(n_components=500, random_state=0).fit_transform(digits[0])
        assert Z.shape == (400, 400)
        caught.append([str(w.message) for w in record])
    assert caught[0] == caught[1]
    assert len(caught[0]) == 1


def test_sparse_input_gives_the_dense_features(digits):
    """CSR, CSC and COO matrices are as good as arrays."""
    X = digits[0]
    expected = Nystroem(n_components=20, random_state=0).fit_transform(X)
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        nystroem = Nystroem(n_components=20, random_state=0)
        np.testing.assert_allclose(nystroem.fit_transform(make(X)), expected, atol=1e-9)


def test_scalar_callable_is_called_for_each_pair_of_landmarks_once(digits):
    """m (m + 1) / 2 calls in fit, m per object in transform, none to probe it.

    And ten to see that the direction does not matter.
    """
    kernel = CountedCalls(rbf)
    nystroem = Nystroem(kernel, n_components=12, random_state=0).fit(digits[0])
    assert kernel.n_calls == 12 * 13 // 2 + 10 == nystroem.n_comparisons_
    kernel.n_calls = 0
    Z = nystroem.transform(digits[0][:30])
    assert kernel.n_calls == 12 * 30
    theirs = SklearnNystroem(rbf, n_components=12, random_state=0).fit(digits[0])
    np.testing.assert_allclose(Z, theirs.transform(digits[0][:30]), atol=1e-8)


def test_lists_of_numbers_become_rows_as_in_scikit_learn():
    """A callable that needs arrays gets arrays from a list of lists of numbers."""
    X = [[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]
    Z = Nystroem(lambda a, b: a @ b, n_components=3).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, np.array(X) @ np.array(X).T, atol=1e-12)


def test_gaussian_process_kernels_are_evaluated_in_blocks(digits):
    """Kernels of sklearn.gaussian_process take matrices, here as there."""
    X = digits[0]
    options = {"n_components": 15, "random_state": 0}
    ours = Nystroem(RBF(2.0), **options).fit_transform(X)
    theirs = SklearnNystroem(RBF(2.0), **options).fit_transform(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_kernel_params_are_never_written_to(digits):
    """The caller's dict stays as it was."""
    params = {"gamma": 0.1}
    Nystroem("rbf", gamma=0.5, kernel_params=params, n_components=5).fit(digits[0])
    assert params == {"gamma": 0.1}


def test_rank_deficient_landmarks_do_no_harm():
    """Duplicate and dependent landmarks change nothing and give no NaN."""
    X = np.array([[1.0, 0], [2, 1], [0, 3], [-1, 2], [4, -2]])
    marks = np.array([[2.0, 0], [0, 3], [2, 3], [2, 0]])
    Z = Nystroem("linear", landmarks=marks).fit_transform(X)
    assert Z.shape == (5, 4)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-12)
    zero = Nystroem("linear", n_components=3).fit_transform(np.zeros((6, 2)))
    np.testing.assert_array_equal(zero, np.zeros((6, 3)))


@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100])
def test_features_scale_with_the_kernel(scale, digits):
    """Kernel times c gives features times sqrt(c), where scikit-learn clips."""
    K = rbf_kernel(digits[0][:50])
    marks = np.arange(10)
    expected = Nystroem("precomputed", landmarks=marks).fit_transform(K)
    Z = Nystroem("precomputed", landmarks=marks).fit_transform(K * scale)
    np.testing.assert_allclose(Z / np.sqrt(scale), expected, atol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_precomputed_with_fewer_landmarks_than_objects(make, digits):
    """Same features as from the vectors; transform takes all columns or landmarks'."""
    X = digits[0]
    K = rbf_kernel(X)
    options = {"n_components": 30, "random_state": 0}
    expected = Nystroem(**options).fit_transform(X)
    nystroem = Nystroem("precomputed", **options).fit(make(K))
    marks = nystroem.component_indices_
    np.testing.assert_allclose(nystroem.transform(make(K)), expected, atol=1e-9)
    np.testing.assert_allclose(
        nystroem.transform(make(K[:, marks])), expected, atol=1e-9
    )
    columns = Nystroem("precomputed", landmarks=marks).fit(make(K[:, marks]))
    np.testing.assert_allclose(
        columns.transform(make(K[:, marks])), expected, atol=1e-9
    )


def test_precomputed_in_cross_validation(digits):
    """Rows and columns are sliced: the same scores as from vectors."""
    X, y = digits
    options = {"n_components": 40, "random_state": 0}
    svc = LinearSVC(random_state=0)
    direct = cross_val_score(make_pipeline(Nystroem(**options), svc), X, y, cv=3)
    K = rbf_kernel(X)
    pipeline = make_pipeline(Nystroem("precomputed", **options), svc)
    np.testing.assert_allclose(cross_val_score(pipeline, K, y, cv=3), direct, atol=0.02)
    grid = GridSearchCV(pipeline, {"nystroem__correction": ["flip", "clip"]}, cv=3)
    assert grid.fit(K, y).best_score_ > 0.9


def tanh_kernel(X, Y=None):
    return np.tanh(2 * X @ (X if Y is None else Y).T / X.shape[1] * 10 - 1)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_an_indefinite_kernel_is_corrected_as_told(correction, rng):
    """With every object a landmark: exactly the correction of the full matrix."""
    X = rng.normal(size=(25, 3))
    K = tanh_kernel(X)
    a, U = np.linalg.eigh(K)
    corrected = {
        "flip": np.abs(a),
        "clip": np.maximum(a, 0),
        "square": a**2,
        "shift": a - a.min(),
        None: a,
    }[correction]
    nystroem = Nystroem("precomputed", n_components=25, correction=correction)
    Z = nystroem.fit_transform(K)
    gram = (U * corrected) @ U.T
    np.testing.assert_allclose(signed_gram(nystroem, Z), gram, atol=1e-10)
    p, q = (a > 0).sum(), (a < 0).sum()
    assert nystroem.signature_ == (p, q, 0)
    assert nystroem.negative_fraction_ == pytest.approx(
        -a[a < 0].sum() / np.abs(a).sum()
    )
    np.testing.assert_allclose(np.sort(nystroem.eigenvalues_), a, atol=1e-12)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("n_landmarks", [None, 30])
def test_transform_of_the_training_data_is_fit_transform(
    correction, center, n_landmarks, digits
):
    """Old rows get their coordinates back, for every correction."""
    X = digits[0]
    nystroem = Nystroem(
        "sigmoid",
        gamma=0.3,
        coef0=0,
        n_components=15,
        n_landmarks=n_landmarks,
        correction=correction,
        center=center,
        random_state=0,
    )
    Z = nystroem.fit_transform(X)
    assert Z.shape == (400, 15)
    assert nystroem.negative_fraction_ > 0
    np.testing.assert_allclose(nystroem.transform(X), Z, atol=1e-9)
    np.testing.assert_allclose(nystroem.fit(X).transform(X), Z, atol=1e-9)
    assert nystroem.normalization_.shape == (15, n_landmarks or 15)


def test_indefinite_approximation_is_close_to_the_matrix(digits):
    """Probes: more landmarks make it better, not worse."""
    X = digits[0]
    K = pairwise_kernels(X, metric="sigmoid", gamma=0.05, coef0=-1)
    errors = []
    for m in (20, 50, 100):
        nystroem = Nystroem(
            "sigmoid",
            gamma=0.05,
            coef0=-1,
            n_components=m,
            correction=None,
            random_state=0,
        )
        Z = nystroem.fit_transform(X)
        gap = np.linalg.norm(signed_gram(nystroem, Z) - K)
        errors.append(gap / np.linalg.norm(K))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


def test_center_is_kernel_pca_when_all_objects_are_landmarks(digits):
    """Scores, of new objects too, signs included, are those of KernelPCA."""
    X, new = digits[0][:150], digits[0][150:250]
    for kernel, params in (("rbf", {"gamma": 0.05}), ("poly", {"degree": 2})):
        reference = KernelPCA(8, kernel=kernel, **params).fit(X)
        ours = Nystroem(
            kernel, n_components=8, n_landmarks=150, center=True, **params
        ).fit(X)
        np.testing.assert_allclose(ours.transform(X), reference.transform(X), atol=1e-9)
        np.testing.assert_allclose(
            ours.transform(new), reference.transform(new), atol=1e-9
        )
        np.testing.assert_allclose(
            ours.eigenvalues_[:8], reference.eigenvalues_, rtol=1e-9
        )


def test_centred_columns_are_in_principal_order_about_the_training_mean(digits):
    """Columns sum to zero, are orthogonal, and their squares are the eigenvalues."""
    nystroem = Nystroem(n_components=20, n_landmarks=60, center=True, random_state=0)
    Z = nystroem.fit_transform(digits[0])
    np.testing.assert_allclose(Z.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(Z.T @ Z, np.diag(nystroem.eigenvalues_[:20]), atol=1e-9)
    assert (np.diff(nystroem.eigenvalues_) <= 0).all()
    mean = rbf_kernel(digits[0])[:, nystroem.component_indices_].mean(axis=0)
    np.testing.assert_allclose(nystroem.mean_, mean, atol=1e-12)
    shares = nystroem.axis_shares()
    np.testing.assert_allclose(
        shares, nystroem.eigenvalues_[:20] / nystroem.eigenvalues_.sum()
    )


def test_columns_of_a_psd_kernel_have_no_share(digits):
    """They are not axes; the error says how to get some."""
    nystroem = Nystroem(n_components=5).fit(digits[0])
    with pytest.raises(ValueError, match="Set center=True, or n_landmarks"):
        nystroem.axis_shares()


def test_more_landmarks_than_components_give_a_better_rank_k(digits):
    """Rank k from 3 k landmarks is nearer to the best rank k than from k."""
    X = digits[0]
    K = rbf_kernel(X)
    a = np.linalg.eigvalsh(K)
    best = np.sqrt((a[:-20] ** 2).sum())
    errors = {}
    for n_landmarks in (None, 60):
        nystroem = Nystroem(n_components=20, n_landmarks=n_landmarks, random_state=0)
        Z = nystroem.fit_transform(X)
        assert Z.shape == (400, 20)
        errors[n_landmarks] = np.linalg.norm(Z @ Z.T - K) / best
    assert errors[60] < errors[None]
    assert errors[60] < 1.3


def test_block_kernels_see_blocks_and_give_the_same_features(digits):
    """A BlockMetric is called a handful of times, with bounded rows."""
    X = np.tile(digits[0], (10, 1))
    blocks = CountedBlocks(rbf_kernel)
    options = {"n_components": 30, "random_state": 0}
    nystroem = Nystroem(BlockMetric(blocks), **options).fit(X)
    blocks.shapes.clear()
    Z = nystroem.transform(X)
    assert len(blocks.shapes) == 1 + len(X) // 512
    assert max(rows for rows, _ in blocks.shapes) <= 512
    np.testing.assert_allclose(Z, Nystroem(**options).fit_transform(X), atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_results_do_not_depend_on_n_jobs(kernel, digits):
    """Bitwise the same with two workers."""
    X = np.tile(digits[0], (8, 1))
    one, two = (
        Nystroem(kernel, n_components=30, random_state=0, n_jobs=n).fit_transform(X)
        for n in (None, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_fitted_estimators_survive_pickling(digits):
    """unpickle(pickle(fitted)) transforms the same."""
    for kernel in ("rbf", "sigmoid"):
        nystroem = Nystroem(kernel, n_components=10, random_state=0).fit(digits[0])
        again = pickle.loads(pickle.dumps(nystroem))
        np.testing.assert_array_equal(
            again.transform(digits[0]), nystroem.transform(digits[0])
        )


def test_stratified_landmarks_use_the_labels(digits):
    """Every class gives landmarks; y reaches the selector."""
    X, y = digits
    nystroem = Nystroem(n_components=10, landmarks="stratified", random_state=0)
    assert set(y[nystroem.fit(X, y).component_indices_]) == set(range(10))


def test_blocks_in_threads_give_the_same_features(digits, monkeypatch):
    """Many comparisons by name are evaluated in threads: bitwise the same features."""
    X = np.tile(digits[0], (10, 1))
    nystroem = Nystroem(n_components=30, random_state=0).fit(X)
    expected = nystroem.transform(X)
    monkeypatch.setattr("skproxy.comparisons._comparisons._WORTH_THREADS", 0)
    np.testing.assert_array_equal(nystroem.transform(X), expected)


def _noisy(seed, n=600):
    """Return exp(-L1 / 6) with symmetric noise: indefinite, but hardly so."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, 3))
    E = np.triu(rng.normal(size=(n, n)), 1) * 0.1
    K = np.exp(-np.abs(X[:, None] - X[None]).sum(axis=2) / 6) + E + E.T
    return X, K


def test_a_psd_landmark_block_does_not_make_a_kernel_psd():
    """Its diagonal gives a precomputed kernel away; the error stays moderate."""
    checked = 0
    for seed in range(40):
        _, K = _noisy(seed)
        indices = np.random.RandomState(seed).permutation(600)[:5]
        if np.linalg.eigvalsh(K[np.ix_(indices, indices)])[0] < 0:
            continue
        checked += 1
        nystroem = Nystroem(
            "precomputed", landmarks=indices, correction=None, random_state=0
        )
        Z = nystroem.fit_transform(K)
        error = np.linalg.norm(signed_gram(nystroem, Z) - K)
        assert error < np.linalg.norm(K)
    assert checked >= 10


def test_rows_that_no_psd_kernel_has_are_told_of():
    """Where self-similarities are not known, transform says so, once."""
    marks, near = np.eye(3), np.ones(3) * 0.9

    def kernel(a, b):  # 0.9 to each of three orthogonal landmarks
        return float(np.array_equal(a, b)) if a.sum() + b.sum() < 2.5 else 0.9

    nystroem = Nystroem(kernel, landmarks=marks).fit(marks)
    with pytest.warns(UserWarning, match="psd|positive semi-definite on the landmarks"):
        nystroem.transform([near])
    assert np.isfinite(nystroem.transform(marks)).all()


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_solve_inverts_the_approximated_kernel(kernel, rng):
    """The pseudo-inverse of the dense approximation, psd or not."""
    X = rng.normal(size=(80, 3))
    nystroem = Nystroem(kernel, n_components=12, correction=None, random_state=0)
    dense = signed_gram(nystroem, nystroem.fit_transform(X))
    y = rng.normal(size=80)
    expected = np.linalg.pinv(dense, rcond=1e-9, hermitian=True) @ y
    size = np.abs(expected).max()
    np.testing.assert_allclose(nystroem.solve(X, y), expected, atol=1e-4 * size)
    with pytest.raises(ValueError, match="must hold the 80 objects fitted; got 9"):
        nystroem.solve(X[:9], y[:9])
