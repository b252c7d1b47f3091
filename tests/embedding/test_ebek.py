import pickle
import tracemalloc

import numpy as np
import pytest
from factories import CountedBlocks, CountedCalls, orthonormal, similarity_with
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import BlockMetric, EBEKEmbedding
from skproxy.landmarks import UniformSelector

KERNELS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.05},
    "polynomial": {"degree": 2, "coef0": 1.0, "gamma": 0.1},
    "sigmoid": {"gamma": 0.1, "coef0": -0.5},  # indefinite
}
WORDS = ["cat", "cart", "art", "tart", "start", "star", "stare", "care", "core", "corn"]


def best_of_rank(K, m):
    """The best approximation of rank m, from all eigenpairs."""
    a, V = np.linalg.eigh(K)
    order = np.argsort(-np.abs(a))[:m]
    return (V[:, order] * a[order]) @ V[:, order].T


def shared_letters(a, b):
    return float(len(set(a) & set(b)))


def shared_letters_block(rows, others):
    return [[shared_letters(a, b) for b in others] for a in rows]


@pytest.fixture
def X(rng):
    return rng.normal(size=(70, 15)) + 0.4


# Laws


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("epsilon", [None, 0.95])
def test_kernel_is_the_best_of_its_rank(kernel, epsilon, X):
    """W J W' is the best approximation of rank m, to 1e-10, whatever epsilon is."""
    K = pairwise_kernels(X, metric=kernel, **KERNELS[kernel])
    ebek = EBEKEmbedding(6, kernel=kernel, epsilon=epsilon, **KERNELS[kernel])
    W = ebek.fit_transform(X)
    scale = np.abs(K).max()
    assert_allclose(ebek.reconstruct(W) / scale, best_of_rank(K, 6) / scale, atol=1e-10)
    a = np.linalg.eigvalsh(K)
    a = a[np.argsort(-np.abs(a))][:6]
    assert_allclose(ebek.eigenvalues_, a, rtol=1e-9)
    assert_allclose(ebek.singular_values_, np.sqrt(np.abs(a)), rtol=1e-9)
    p, q = (a > 0).sum(), (a < 0).sum()
    assert ebek.signature_ == (p, q, 70 - p - q)
    assert sorted(ebek.axis_signs_) == sorted(np.sign(a))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_randomised_is_exact_where_the_spectrum_falls(container, rng):
    """The sketch meets 1e-10 too, dense and sparse, if what it drops is small."""
    s = np.concatenate([np.geomspace(5, 1, 8), np.geomspace(1e-2, 1e-4, 30)])
    left = orthonormal(520, 38, rng)
    X = (left * s) @ orthonormal(200, 38, rng).T
    ebek = EBEKEmbedding(8, svd_solver="randomized", random_state=0)
    W = ebek.fit_transform(container(X))
    best = (left[:, :8] * s[:8] ** 2) @ left[:, :8].T
    assert_allclose(W @ W.T, best, atol=1e-10)


@pytest.mark.parametrize("order", ["pivot", "scan"])
def test_embedding_does_not_depend_on_exemplars(order, X):
    """Other exemplars only turn the axes: the paper's own remark."""
    W = EBEKEmbedding(5, order=order).fit_transform(X)
    assert_allclose(W @ W.T, best_of_rank(X @ X.T, 5), atol=1e-10)


def test_the_paper_in_its_own_letters(X):
    """W = R P Sigma V' with A_E = QR and P' S_EE P = I, up to a turn of the frame."""
    ebek = EBEKEmbedding(5, order="scan").fit(X)
    A, m = X.T, 5
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    A_E = A[:, :m]
    assert_array_equal(ebek.exemplar_indices_, np.arange(m))
    R = np.linalg.qr(A_E)[1]
    P = np.linalg.inv(np.linalg.cholesky(A_E.T @ A_E)).T  # unpivoted elimination
    W = R @ P @ (s[:m, None] * Vt[:m])
    ours = ebek.transform(X).T
    assert_allclose(ours.T @ ours, W.T @ W, atol=1e-11)
    turn = ours @ np.linalg.pinv(W)
    assert_allclose(turn @ turn.T, np.eye(m), atol=1e-11)


PATHS = {
    "vectors": {},
    "square": {"kernel": "rbf", "gamma": 0.05},
    "indefinite": {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.5},
    "landmarks": {"kernel": "rbf", "gamma": 0.05, "n_landmarks": 25},
    "indefinite landmarks": {
        "kernel": "sigmoid",
        "gamma": 0.1,
        "coef0": -0.5,
        "n_landmarks": 25,
    },
}


@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("path", PATHS)
def test_new_rows_equal_training_rows(path, method, X):
    """Objects that come again get the coordinates they had, alone or together."""
    X[7] = X[3]
    ebek = EBEKEmbedding(5, method=method, random_state=0, **PATHS[path])
    W = ebek.fit_transform(X)
    assert_allclose(ebek.transform(X), W, atol=1e-10)
    assert_allclose(ebek.transform(X[[11, 3]]), W[[11, 3]], atol=1e-10)
    assert_allclose(W[7], W[3], atol=1e-12)
    assert_allclose(clone(ebek).fit(X).transform(X), W, atol=1e-10)


@pytest.mark.parametrize("path", PATHS)
def test_projection_is_exact_among_exemplars(path, X):
    """Exemplars keep their similarities to every object fitted (Nystrom)."""
    ebek = EBEKEmbedding(5, method="projection", random_state=0, **PATHS[path]).fit(X)
    params = {k: v for k, v in PATHS[path].items() if k != "n_landmarks"}
    K = pairwise_kernels(X, metric=params.pop("kernel", "linear"), **params)
    W = ebek.transform(X)
    E = ebek.exemplar_indices_
    assert_allclose(ebek.reconstruct(W, W[E]), K[:, E], atol=1e-10)
    assert_allclose(X[E], ebek.exemplars_)


@pytest.mark.parametrize("path", ["vectors", "square", "landmarks"])
@pytest.mark.parametrize("order", ["pivot", "scan"])
def test_epsilon_holds_for_the_exemplars(path, order, X):
    """Pairwise normalised similarities, recomputed, are at most epsilon."""
    params = {k: v for k, v in PATHS[path].items() if k != "n_landmarks"}
    epsilon = 0.55
    ebek = EBEKEmbedding(
        4, epsilon=epsilon, order=order, random_state=0, **PATHS[path]
    ).fit(X)
    E = ebek.exemplars_
    K = pairwise_kernels(E, metric=params.pop("kernel", "linear"), **params)
    own = np.sqrt(np.diagonal(K))
    among = K / np.outer(own, own)
    assert among[np.triu_indices(4, 1)].max() <= epsilon
    assert_allclose(ebek.exemplar_similarities_, among, atol=1e-12)
    assert np.linalg.matrix_rank(E) == 4


@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_exact_below_the_rank(kernel, method, rng):
    """Rank r < m: no error is left, and columns past r are zero."""
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 20))
    X[4] = 0.0
    X[9] = X[8]
    params = {} if kernel == "linear" else {"degree": 1, "coef0": 0, "gamma": 1}
    K = X @ X.T
    ebek = EBEKEmbedding(6, kernel=kernel, method=method, **params)
    W = ebek.fit_transform(X)
    assert_allclose(ebek.reconstruct(W), K, atol=1e-10)
    assert ebek.n_exemplars_ == 3
    assert_allclose(W[:, 3:], 0)
    assert_allclose(W[4], 0, atol=1e-12)
    assert ebek.signature_ == (3, 0, 47)


@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "precomputed"])
def test_all_zero(kernel, method):
    """Nothing but zeros: no exemplars, zero columns, nothing divided by zero."""
    X = np.zeros((4, 4))
    ebek = EBEKEmbedding(2, kernel=kernel, method=method)
    if kernel == "polynomial":
        ebek.set_params(coef0=0)
    assert_allclose(ebek.fit_transform(X), np.zeros((4, 2)))
    assert_allclose(ebek.transform(X), np.zeros((4, 2)))
    assert ebek.n_exemplars_ == 0


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_units(scale, X):
    """Other units scale the coordinates and change nothing else."""
    one, other = EBEKEmbedding(4).fit(X), EBEKEmbedding(4).fit(scale * X)
    assert_array_equal(one.exemplar_indices_, other.exemplar_indices_)
    assert_allclose(other.transform(scale * X) / scale, one.transform(X), atol=1e-10)


def test_projection_costs_comparisons_with_exemplars_only(X):
    """New objects under projection are compared with n_components objects."""
    kernel = CountedBlocks(lambda A, B: np.exp(-0.05 * np.abs(A[:, None] - B).sum(2)))
    ebek = EBEKEmbedding(4, kernel=BlockMetric(kernel), method="projection").fit(X)
    kernel.n_evaluated = 0
    ebek.transform(X[:9])
    assert kernel.n_evaluated == 9 * 4


# Landmarks


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_all_landmarks_are_the_whole_kernel(kernel, X):
    """With every object a landmark the factor is the kernel itself."""
    params = {"kernel": kernel, **KERNELS[kernel]}
    full = EBEKEmbedding(5, **params)
    some = EBEKEmbedding(5, n_landmarks=70, random_state=0, **params)
    W, Z = full.fit_transform(X), some.fit_transform(X)
    assert_allclose(some.reconstruct(Z), full.reconstruct(W), atol=1e-9)
    assert sorted(some.exemplar_indices_) == sorted(full.exemplar_indices_)


def test_landmarks_make_the_cost_linear(rng):
    """N l comparisons with l landmarks, l each for a new object; never all pairs."""
    kernel = CountedCalls(lambda a, b: float(np.exp(-np.abs(a - b).sum())))
    X = rng.normal(size=(300, 3))
    ebek = EBEKEmbedding(4, kernel=kernel, n_landmarks=12, random_state=0).fit(X)
    assert kernel.n_calls == ebek.n_comparisons_ <= 300 * 12
    before = kernel.n_calls
    ebek.transform(X[:10])
    assert kernel.n_calls - before == 10 * 12
    assert ebek.n_landmarks_ == 12


def test_landmark_error_is_near_the_best(X):
    """Half the objects as landmarks come close to the best kernel of the rank."""
    K = pairwise_kernels(X, metric="sigmoid", **KERNELS["sigmoid"])
    best = np.linalg.norm(K - best_of_rank(K, 5))
    ebek = EBEKEmbedding(
        5, kernel="sigmoid", n_landmarks=35, random_state=0, **KERNELS["sigmoid"]
    )
    W = ebek.fit_transform(X)
    assert np.linalg.norm(K - ebek.reconstruct(W)) < 1.1 * best


@pytest.mark.parametrize("method", ["kernel", "projection"])
def test_landmark_columns_of_a_matrix(method, X):
    """An N x l matrix with the positions of its columns is the same as N x N."""
    K = pairwise_kernels(X, metric="rbf", gamma=0.05)
    columns = np.array([3, 8, 21, 40, 41, 60, 69])
    params = {"kernel": "precomputed", "method": method, "landmarks": columns}
    wide = EBEKEmbedding(4, **params).fit(K)
    narrow = EBEKEmbedding(4, **params).fit(K[:, columns])
    assert_allclose(narrow.transform(K[:, columns]), wide.transform(K), atol=1e-12)
    assert_array_equal(narrow.exemplar_indices_, wide.exemplar_indices_)
    assert set(wide.exemplar_indices_) <= set(columns)


@pytest.mark.parametrize("method", ["kernel", "projection"])
def test_landmarks_of_your_own(method, X):
    """Objects outside X serve as landmarks; exemplars then have no position in X."""
    ebek = EBEKEmbedding(
        3, kernel="rbf", gamma=0.05, landmarks=X[:9] + 0.1, method=method
    ).fit(X)
    assert ebek.exemplar_indices_ is None
    assert len(ebek.exemplars_) == 3
    assert ebek.get_feature_names_out()[0].startswith("exemplar")
    assert ebek.transform(X).shape == (70, 3)


def test_refit_leaves_no_landmarks_behind(X):
    """What an earlier fit with landmarks learnt is gone."""
    ebek = EBEKEmbedding(3, n_landmarks=20, landmarks=UniformSelector(), kernel="rbf")
    ebek.fit(X)
    assert ebek.n_landmarks_ == 20
    ebek.set_params(n_landmarks=None).fit(X)
    assert ebek.n_landmarks_ is None
    fresh = EBEKEmbedding(3, kernel="rbf").fit(X)
    assert_allclose(ebek.transform(X), fresh.transform(X), atol=1e-12)


# Kinds of input


@pytest.mark.parametrize("method", ["kernel", "projection"])
def test_kernels_of_all_kinds_agree(method):
    """Callable, BlockMetric and precomputed give the same embedding of strings."""
    K = np.array(shared_letters_block(WORDS, WORDS))
    expected = EBEKEmbedding(3, kernel="precomputed", method=method).fit_transform(K)
    for kernel in (shared_letters, BlockMetric(shared_letters_block)):
        ebek = EBEKEmbedding(3, kernel=kernel, method=method)
        assert_allclose(ebek.fit_transform(WORDS), expected, atol=1e-12)
        assert [WORDS[i] for i in ebek.exemplar_indices_] == ebek.exemplars_
        assert_allclose(ebek.transform(WORDS[4:6]), expected[4:6], atol=1e-12)
        again = pickle.loads(pickle.dumps(ebek))
        assert_allclose(again.transform(WORDS), expected, atol=1e-12)


def test_precomputed_columns_of_exemplars_suffice(X):
    """Projection reads the exemplars' columns, or is given these alone."""
    K = pairwise_kernels(X, metric="rbf", gamma=0.05)
    ebek = EBEKEmbedding(4, kernel="precomputed", method="projection").fit(K)
    W = ebek.transform(K[:6])
    assert_allclose(ebek.transform(K[:6][:, ebek.exemplar_indices_]), W)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("svd_solver", ["full", "auto"])
def test_sparse_equals_dense(container, method, svd_solver):
    """Sparse vectors give the embedding of their dense copies."""
    X = sparse.random(120, 80, density=0.2, random_state=0).toarray()
    ebek = EBEKEmbedding(5, method=method, svd_solver=svd_solver)
    W = ebek.fit_transform(X)
    other = clone(ebek).fit(container(X))
    assert_allclose(other.transform(container(X)), W, atol=1e-10)
    assert_array_equal(other.exemplar_indices_, ebek.exemplar_indices_)
    assert sparse.issparse(other.exemplars_)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("path", ["vectors", "square", "landmarks"])
def test_dtypes(path, dtype, rng):
    """Integers are cast, float32 comes back as float32, and neither overflows."""
    X = rng.randint(0, 255, size=(60, 12))
    params = dict(PATHS[path], random_state=0)
    if "gamma" in params:
        params["gamma"] = 1e-6
    expected = EBEKEmbedding(4, **params).fit_transform(X.astype(float))
    W = EBEKEmbedding(4, **params).fit_transform(X.astype(dtype))
    assert W.dtype == (np.float32 if dtype == np.float32 else np.float64)
    W, expected = W @ W.T, expected @ expected.T
    assert_allclose(W, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("path", PATHS)
def test_data_are_not_written(path, X):
    """Read-only and Fortran-ordered data work and stay as they were."""
    X = np.asfortranarray(X)
    before = X.copy()
    X.setflags(write=False)
    ebek = EBEKEmbedding(3, random_state=0, **PATHS[path])
    ebek.fit(X).transform(X)
    assert_array_equal(X, before)


@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("container", ["sparse", "dense"])
def test_linear_kernel_never_forms_all_pairs(container, method):
    """Memory stays far below that of an N x N matrix."""
    n = 4000
    X = sparse.random(n, 300, density=0.02, random_state=0, format="csr")
    X = X if container == "sparse" else X.toarray()
    ebek = EBEKEmbedding(
        5, method=method, epsilon=0.9, svd_solver="randomized", random_state=0
    )
    tracemalloc.start()
    ebek.fit_transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 8


# scikit-learn


@parametrize_with_checks(
    [
        EBEKEmbedding(),
        EBEKEmbedding(3, method="projection"),
        EBEKEmbedding(3, order="scan"),
        EBEKEmbedding(3, kernel="rbf"),
        EBEKEmbedding(2, kernel="precomputed"),
        EBEKEmbedding(2, kernel="rbf", n_landmarks=5),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_pipelines():
    """The embedding works in front of neighbours and clusters."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    neighbours = make_pipeline(EBEKEmbedding(10), KNeighborsClassifier(3))
    assert neighbours.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.85
    clusters = make_pipeline(EBEKEmbedding(10), KMeans(10, n_init=2, random_state=0))
    assert len(set(clusters.fit_predict(X))) == 10
    W = EBEKEmbedding(10).fit_transform(X)
    nearest = NearestNeighbors(n_neighbors=1).fit(W)
    assert_array_equal(nearest.kneighbors(W)[1].ravel(), np.arange(400))


def test_grid_search_over_a_precomputed_kernel(X):
    """Pairwise cross-validation hands the right rows and columns on."""
    y = (X[:, 0] > 0.4).astype(int)
    K = pairwise_kernels(X, metric="rbf", gamma=0.05)
    pipeline = make_pipeline(
        EBEKEmbedding(kernel="precomputed"), KNeighborsClassifier()
    )
    grid = {
        "ebekembedding__n_components": [2, 8],
        "ebekembedding__method": ["kernel", "projection"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(K, y)
    assert search.best_score_ > 0.6
    vectors = make_pipeline(
        EBEKEmbedding(kernel="rbf", gamma=0.05), KNeighborsClassifier()
    )
    same = GridSearchCV(vectors, grid, cv=3, error_score="raise").fit(X, y)
    assert_allclose(
        search.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"]
    )


def test_kernel_params_are_not_written(X):
    """The caller's dict stays as it was."""
    params = {"power": 2}
    kernel = CountedCalls(lambda a, b, power: float(a @ b) ** power)
    EBEKEmbedding(2, kernel=kernel, kernel_params=params).fit(X[:10])
    assert params == {"power": 2}


# Words


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 0}, "'n_components' parameter of EBEKEmbedding must be"),
        ({"kernel": "nonsense"}, "'kernel' parameter of EBEKEmbedding must be"),
        ({"epsilon": 1.5}, "'epsilon' parameter of EBEKEmbedding must be"),
        ({"order": "random"}, "'order' parameter of EBEKEmbedding must be"),
        ({"method": "nystrom"}, "'method' parameter of EBEKEmbedding must be"),
        ({"svd_solver": "arpack"}, "'svd_solver' parameter of EBEKEmbedding must be"),
        ({"n_landmarks": 0}, "'n_landmarks' parameter of EBEKEmbedding must be"),
        ({"epsilon": 0.0}, "epsilon of EBEKEmbedding must leave n_components=10 exem"),
        (
            {"epsilon": 0.0, "n_landmarks": 30},
            "a larger n_landmarks, from which exemplars are chosen, or n_components=",
        ),
        (
            {"kernel": shared_letters, "gamma": 1.0},
            "Don't pass gamma, coef0 or degree to EBEKEmbedding if using a callable",
        ),
        ({"kernel": "precomputed"}, "must be a square matrix"),
        (
            {"landmarks": "sideways", "n_landmarks": 5},
            "landmarks of EBEKEmbedding must",
        ),
    ],
)
def test_wrong_parameters(params, words, X):
    """Errors name the parameter, what must hold and what came."""
    with pytest.raises(ValueError, match=words):
        EBEKEmbedding(**params).fit(np.abs(X))


def test_wrong_width_of_precomputed_rows(X):
    """New rows of a matrix need a column for each object compared with."""
    K = X @ X.T
    ebek = EBEKEmbedding(3, kernel="precomputed").fit(K)
    with pytest.raises(ValueError, match="transform got shape"):
        ebek.transform(K[:5, :9])


def test_asymmetric_matrix(X):
    """Asymmetry is refused unless told how to join the two directions."""
    K = X @ X.T
    K[3, 5] += 1.0
    with pytest.raises(ValueError, match="must be symmetric"):
        EBEKEmbedding(3, kernel="precomputed").fit(K)
    ebek = EBEKEmbedding(3, kernel="precomputed", symmetrize="average")
    W = ebek.fit_transform(K)
    assert_allclose(ebek.reconstruct(W), best_of_rank((K + K.T) / 2, 3), atol=1e-9)


def test_signs_survive_an_indefinite_matrix(rng):
    """A prescribed signed spectrum comes back, sign by sign."""
    a = np.array([9.0, -8.0, 5.0, -3.0, 1.0])
    K = similarity_with(a, 60, rng)
    ebek = EBEKEmbedding(4, kernel="precomputed")
    W = ebek.fit_transform(K)
    assert ebek.signature_ == (2, 2, 56)
    assert_allclose(ebek.eigenvalues_, a[:4])
    kernel_signs = np.linalg.eigvalsh((W * ebek.axis_signs_) @ W.T)
    assert_allclose(kernel_signs[[0, 1, -2, -1]], [-8, -3, 5, 9])


# Reading exemplars


@pytest.fixture
def few(rng):
    return rng.normal(size=(60, 12))


def test_reconstruct_between_old_and_new(few):
    """The kernel between two sets is that of their coordinates."""
    ebek = EBEKEmbedding(12).fit(few[:40])
    new, old = ebek.transform(few[40:]), ebek.transform(few[:40])
    assert_allclose(ebek.reconstruct(new, old), few[40:] @ few[:40].T, atol=1e-12)
    assert_allclose(ebek.reconstruct(old), few[:40] @ few[:40].T, atol=1e-12)
    beyond_the_rank = EBEKEmbedding(14).fit(few)
    assert_allclose(
        beyond_the_rank.reconstruct(beyond_the_rank.transform(few)),
        few @ few.T,
        atol=1e-11,
    )


def test_weights_rebuild_objects_under_projection(few):
    """Weights times exemplars is the projection onto the exemplars' span."""
    ebek = EBEKEmbedding(5, method="projection").fit(few)
    rebuilt = ebek.exemplar_weights(ebek.transform(few)) @ ebek.exemplars_
    Q = np.linalg.qr(ebek.exemplars_.T)[0]
    assert_allclose(rebuilt, few @ Q @ Q.T, atol=1e-12)
    at_exemplars = ebek.exemplar_weights(ebek.transform(ebek.exemplars_))
    assert_allclose(at_exemplars, np.eye(5), atol=1e-12)


def test_weights_of_the_kernel_method(few):
    """T S_EE T' is the best kernel; the turn brings A_E T near A, projection nearer."""
    ebek = EBEKEmbedding(5).fit(few)
    W, E = ebek.transform(few), ebek.exemplars_
    rebuilt = ebek.exemplar_weights(W) @ E
    assert_allclose(rebuilt @ rebuilt.T, ebek.reconstruct(W), atol=1e-11)
    Q = np.linalg.qr(E.T)[0]
    projected = np.linalg.norm(few - few @ Q @ Q.T)
    ours = np.linalg.norm(few - rebuilt)
    # The paper's T, without a turn: P Sigma V' with P' S_EE P = I.
    U, s, _ = np.linalg.svd(few, full_matrices=False)
    P = np.linalg.inv(np.linalg.cholesky(E @ E.T)).T
    paper = np.linalg.norm(few - (U[:, :5] * s[:5]) @ P.T @ E)
    assert projected < ours < 1.1 * projected < paper


def test_names_are_those_of_exemplars(few):
    """Columns carry the position of their exemplar among the objects fitted."""
    few[:, 4:] = 0.0
    ebek = EBEKEmbedding(6).fit(few)
    names = [f"exemplar{i}" for i in ebek.exemplar_indices_]
    assert ebek.get_feature_names_out().tolist() == [*names, "axis4", "axis5"]
    assert len(names) == ebek.n_exemplars_ == 4


def test_names_in_a_data_frame(few):
    """set_output gives a data frame with a column per exemplar."""
    ebek = EBEKEmbedding(3).set_output(transform="pandas").fit(few)
    frame = ebek.transform(few)
    assert frame.columns.tolist() == [f"exemplar{i}" for i in ebek.exemplar_indices_]


@pytest.mark.parametrize("method", ["reconstruct", "exemplar_weights"])
def test_coordinates_of_other_width(method, few):
    """Objects passed for coordinates are told apart by their width."""
    ebek = EBEKEmbedding(3).fit(few)
    with pytest.raises(ValueError, match="W of EBEKEmbedding must be coordinates from"):
        getattr(ebek, method)(few)
    W = ebek.transform(few)
    with pytest.raises(ValueError, match="others of EBEKEmbedding must be coordinates"):
        ebek.reconstruct(W, few)


@pytest.mark.parametrize(
    "method", ["transform", "reconstruct", "exemplar_weights", "get_feature_names_out"]
)
def test_not_fitted(method, few):
    """Nothing can be read before fit."""
    with pytest.raises(NotFittedError):
        getattr(EBEKEmbedding(), method)(few)


@pytest.mark.parametrize("method", ["kernel", "projection"])
@pytest.mark.parametrize("landmarks", ["none", "chosen", "objects", "positions"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "callable", "precomputed"])
def test_what_was_fitted_outlives_the_data(kernel, landmarks, method, few):
    """Writing to X or to landmarks= after fit changes no coordinate, no exemplar."""
    if kernel == "precomputed" and landmarks == "objects":
        return
    new, X = few[40:], few[:40].copy()
    if kernel == "precomputed":
        new, X = new @ X.T, X @ X.T
    own = {
        "none": {},
        "chosen": {"n_landmarks": 8},
        "objects": {"landmarks": X[:8].copy()},
        "positions": {"landmarks": np.arange(8)},
    }[landmarks]
    measure = np.dot if kernel == "callable" else kernel
    ebek = EBEKEmbedding(3, kernel=measure, method=method, random_state=0, **own)
    W, exemplars = ebek.fit(X).transform(new), ebek.exemplars_.copy()
    X *= 0
    if not isinstance(ebek.landmarks, str):
        ebek.landmarks[...] = 0
    assert_array_equal(ebek.transform(new), W)
    assert_array_equal(ebek.exemplars_, exemplars)


def test_what_was_fitted_outlives_the_items_of_a_list(few):
    """Arrays in a list, such as series, may be written to after fit."""
    series = [row.copy() for row in few]
    for n_landmarks in (None, 8):
        ebek = EBEKEmbedding(3, kernel=np.dot, n_landmarks=n_landmarks, random_state=0)
        W = ebek.fit(series).transform(list(few))
        exemplars = np.array(ebek.exemplars_)
        for row in series:
            row *= 0
        assert_array_equal(ebek.transform(list(few)), W)
        assert_array_equal(ebek.exemplars_, exemplars)
        series = [row.copy() for row in few]
