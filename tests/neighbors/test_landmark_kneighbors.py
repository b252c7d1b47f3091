"""LandmarkKNeighborsTransformer: the laws of its docstring, contract and words."""

import pickle

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, SpectralClustering
from sklearn.exceptions import NotFittedError
from sklearn.manifold import TSNE, Isomap
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import BlockMetric
from skproxy.neighbors import LandmarkKNeighborsTransformer

RNG = np.random.RandomState(0)
VECTORS = RNG.standard_t(3, size=(300, 5))
NEW = RNG.standard_t(3, size=(40, 5))


class Calls:
    """City-block distance of two objects that remembers who was compared."""

    def __init__(self):
        self.pairs = []

    def __call__(self, a, b):
        self.pairs.append(tuple(sorted((a[0], b[0]))))
        return float(np.abs(np.subtract(a[1], b[1])).sum())


def cityblock(rows, others):
    return cdist(rows, others, "cityblock")


def share_found(distances, D, k):
    """Return the share of neighbours no farther than the true k-th, and check them."""
    kth = np.sort(D, axis=1)[:, k - 1]
    return (distances[:, :k] <= kth[:, None] * (1 + 1e-12)).mean()


def others(D):
    """Return the matrix without the diagonal."""
    D = D.copy()
    np.fill_diagonal(D, np.inf)
    return D


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@parametrize_with_checks(
    [
        LandmarkKNeighborsTransformer(),
        LandmarkKNeighborsTransformer("cityblock", n_landmarks=8, mode="connectivity"),
        LandmarkKNeighborsTransformer("precomputed", n_landmarks=8),
    ]
)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    check(estimator)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_with_all_candidates_it_is_scikit_learns_transformer(mode, scale):
    """n_candidates = N: the graphs of KNeighborsTransformer, of old and new objects."""
    X, new = scale * VECTORS, scale * NEW
    exact = KNeighborsTransformer(metric="cityblock", n_neighbors=4, mode=mode)
    ours = LandmarkKNeighborsTransformer(
        "cityblock", n_neighbors=4, mode=mode, n_landmarks=20, n_candidates=300
    )
    expected, found = exact.fit_transform(X), ours.fit_transform(X)
    assert found.format == "csr"
    assert found.nnz == expected.nnz
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)
    np.testing.assert_allclose(
        ours.transform(new).toarray(), exact.transform(new).toarray(), rtol=1e-12
    )
    for objects in (new, None):
        mine, theirs = ours.kneighbors(objects), exact.kneighbors(objects)
        np.testing.assert_array_equal(mine[1], theirs[1])
        np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-12)
    np.testing.assert_array_equal(
        ours.kneighbors_graph(new).toarray(), exact.kneighbors_graph(new).toarray()
    )
    assert ours.get_feature_names_out().shape == (300,)


@pytest.mark.parametrize("outside", [False, True])
def test_every_pair_is_compared_once_and_counted(outside):
    """Calls of the measure are n_comparisons_; none is repeated but to see symmetry."""
    calls = Calls()
    objects = list(enumerate(VECTORS))
    landmarks = [(-1 - i, row) for i, row in enumerate(NEW[:20])] if outside else None
    finder = LandmarkKNeighborsTransformer(
        calls,
        n_landmarks=20,
        n_candidates=12,
        landmarks=landmarks or "uniform",
        random_state=0,
        estimate_recall=not outside,
    )
    finder.fit(objects)
    assert finder.n_comparisons_ == len(calls.pairs)
    assert len(set(calls.pairs)) == len(calls.pairs) - 10
    before = len(calls.pairs)
    finder.kneighbors()
    assert len(calls.pairs) == before
    finder.kneighbors([(1000, NEW[30])])
    assert len(set(calls.pairs[before:])) == len(calls.pairs) - before


@pytest.mark.parametrize(
    "metric",
    ["cityblock", BlockMetric(cityblock), lambda a, b: np.abs(a - b).sum()],
    ids=["name", "block", "callable"],
)
def test_few_comparisons_find_nearly_all(metric):
    """Heavy-tailed vectors: .97 of the neighbours, each at its true distance."""
    X = np.random.RandomState(1).standard_t(3, size=(1200, 6))
    finder = LandmarkKNeighborsTransformer(metric, n_landmarks=40, random_state=0)
    D = others(cdist(X, X, "cityblock"))
    distances, indices = finder.fit(X).kneighbors()
    np.testing.assert_allclose(np.take_along_axis(D, indices, 1), distances)
    assert (np.diff(distances) >= 0).all()
    assert share_found(distances, D, 5) >= 0.97
    assert finder.n_comparisons_ <= 140 * len(X)


def test_precomputed_is_the_measure_looked_up():
    """A matrix and the measure that filled it give the same graph and count."""
    D, new = cdist(VECTORS, VECTORS, "cityblock"), cdist(NEW, VECTORS, "cityblock")
    options = {"n_landmarks": 20, "n_candidates": 15, "random_state": 0}
    looked_up = LandmarkKNeighborsTransformer("precomputed", **options)
    compared = LandmarkKNeighborsTransformer(BlockMetric(cityblock), **options)
    np.testing.assert_array_equal(
        looked_up.fit_transform(D).toarray(), compared.fit_transform(VECTORS).toarray()
    )
    assert looked_up.n_comparisons_ == compared.n_comparisons_
    np.testing.assert_array_equal(
        looked_up.transform(new).toarray(), compared.transform(NEW).toarray()
    )


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_result_does_not_depend_on_the_number_of_workers(n_jobs):
    """n_jobs changes nothing."""
    one = LandmarkKNeighborsTransformer(BlockMetric(cityblock), n_landmarks=20)
    one.set_params(random_state=0, n_candidates=15)
    many = clone(one).set_params(n_jobs=n_jobs)
    a, b = one.fit_transform(VECTORS), many.fit_transform(VECTORS)
    np.testing.assert_array_equal(a.toarray(), b.toarray())
    assert one.n_comparisons_ == many.n_comparisons_


def test_duplicates_and_one_far_object():
    """Many equal objects and one at 1e6: each finds neighbours at 0, no NaN, no gap."""
    X = np.repeat(np.random.RandomState(0).normal(size=(60, 3)), 5, axis=0)
    X[0] *= 1e6
    finder = LandmarkKNeighborsTransformer("cityblock", n_landmarks=20, n_neighbors=4)
    distances, indices = finder.fit(X).kneighbors()
    assert (indices >= 0).all()
    assert (indices != np.arange(300)[:, None]).all()
    assert (distances[5:] == 0).mean() > 0.99


def test_strings_in_a_list_and_a_pickle():
    """Words under edit distance; a pickled copy answers alike."""
    rng = np.random.RandomState(0)
    words = ["".join(rng.choice(list("abc"), rng.randint(3, 9))) for _ in range(200)]
    finder = LandmarkKNeighborsTransformer("levenshtein", n_landmarks=30)
    finder.fit(words)
    copied = pickle.loads(pickle.dumps(finder))
    found = finder.kneighbors(["abcabc"]), copied.kneighbors(["abcabc"])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_power_shapes_the_vectors_alone(power):
    """The graph holds comparisons, whatever power they are raised to."""
    finder = LandmarkKNeighborsTransformer("cityblock", power=power, n_landmarks=20)
    distances, indices = finder.fit(VECTORS).kneighbors()
    D = cdist(VECTORS, VECTORS, "cityblock")
    np.testing.assert_allclose(np.take_along_axis(D, indices, 1), distances)


def test_negative_comparisons_need_power_one():
    """With power=1 comparisons may be negative, and are the nearest."""
    X = np.random.RandomState(0).normal(size=(80, 4))
    signs = np.array([1.0, 1.0, 1.0, -1.0])
    gaps = X[:, None] - X[None]
    D = np.einsum("ijk,k->ij", gaps**2, signs)
    D[0, 1] = D[1, 0] = D.min() - 1
    finder = LandmarkKNeighborsTransformer(
        "precomputed", power=1, n_landmarks=20, n_candidates=80, n_neighbors=1
    )
    distances, _ = finder.fit(D).kneighbors()
    np.testing.assert_allclose(distances[:, 0], others(D).min(axis=1))
    with pytest.raises(ValueError, match="power=1"):
        finder.set_params(power=2).fit(D)


def test_bad_comparisons_of_candidates_are_named():
    """A pair that gives NaN or less than 0 is named, wherever it turns up."""
    X = np.arange(400.0)[:, None]

    def broken(value):
        def gap(rows, others):
            block = cdist(rows, others, "cityblock")
            pair = np.add.outer(rows[:, 0] == 3, others[:, 0] == 5)
            pair |= np.add.outer(rows[:, 0] == 5, others[:, 0] == 3)
            both = np.logical_and.outer(rows[:, 0] == 3, others[:, 0] == 5)
            both |= np.logical_and.outer(rows[:, 0] == 5, others[:, 0] == 3)
            block[both] = value
            return block

        return BlockMetric(gap)

    landmarks = np.arange(100, 120)
    for value, match in [(np.nan, r"\(3, 5\)"), (-2.0, r"\(3, 5\)")]:
        finder = LandmarkKNeighborsTransformer(broken(value), landmarks=landmarks)
        with pytest.raises(ValueError, match=match):
            finder.set_params(random_state=1).fit(X)


def test_words_of_what_cannot_be():
    """Too many neighbours, kinds of mode, columns only, not fitted."""
    finder = LandmarkKNeighborsTransformer("cityblock", n_landmarks=20)
    with pytest.raises(NotFittedError):
        finder.kneighbors()
    finder.fit(VECTORS)
    with pytest.raises(ValueError, match="Fit with n_neighbors=50"):
        finder.kneighbors(n_neighbors=50)
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit"):
        finder.kneighbors(n_neighbors=300)
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        finder.kneighbors(NEW, n_neighbors=301)
    with pytest.raises(ValueError, match="n_neighbors > 0"):
        finder.kneighbors(n_neighbors=0)
    with pytest.raises(TypeError, match="must be an integer"):
        finder.kneighbors(n_neighbors=2.0)
    with pytest.raises(ValueError, match="'connectivity' or 'distance'"):
        finder.kneighbors_graph(mode="both")
    columns = cdist(VECTORS, VECTORS[:20])
    columns_only = LandmarkKNeighborsTransformer("precomputed", landmarks=range(20))
    with pytest.raises(ValueError, match="square"):
        columns_only.set_params(landmarks=np.arange(20)).fit(columns)


def test_recall_is_estimated_on_request_and_covered():
    """recall_ holds (value, low, high); the interval covers the true share."""
    X = np.random.RandomState(1).normal(size=(900, 12))
    finder = LandmarkKNeighborsTransformer(
        "cityblock",
        n_landmarks=10,
        n_candidates=20,
        max_rounds=1,
        random_state=0,
        estimate_recall=True,
    )
    distances, _ = finder.fit(X).kneighbors()
    truth = share_found(distances, others(cdist(X, X, "cityblock")), 5)
    value, low, high = finder.recall_
    assert low <= truth <= high
    assert low < value < high
    assert truth < 0.95
    assert not hasattr(finder.set_params(estimate_recall=False).fit(X), "recall_")


BLOBS = np.random.RandomState(0).normal(size=(150, 4))
BLOBS += np.repeat(12 * np.eye(3, 4), 50, axis=0)
GROUPS = np.repeat([0, 1, 2], 50)


def neighbours(n_neighbors, **options):
    return LandmarkKNeighborsTransformer(
        "cityblock", n_landmarks=20, n_neighbors=n_neighbors, random_state=0, **options
    )


def test_it_serves_the_nearest_neighbour_classifier():
    """KNeighborsClassifier(metric="precomputed") behind it, in a grid search."""
    pipeline = make_pipeline(
        neighbours(5), KNeighborsClassifier(5, metric="precomputed")
    )
    grid = GridSearchCV(
        pipeline, {"landmarkkneighborstransformer__n_landmarks": [10, 20]}, cv=3
    )
    assert grid.fit(BLOBS, GROUPS).best_score_ == 1.0
    assert grid.score(BLOBS, GROUPS) == 1.0


@pytest.mark.parametrize(
    ("clusterer", "n_neighbors"),
    [
        (DBSCAN(eps=4, metric="precomputed"), 20),
        (HDBSCAN(metric="precomputed", min_samples=5, copy=True), 10),
    ],
    ids=["DBSCAN", "HDBSCAN"],
)
def test_it_serves_density_clustering(clusterer, n_neighbors):
    """DBSCAN and HDBSCAN with metric="precomputed" find the three groups."""
    pipeline = make_pipeline(neighbours(n_neighbors, connected=True), clusterer)
    labels = pipeline.fit_predict(BLOBS)
    kept = labels >= 0
    assert kept.mean() > 0.8
    assert adjusted_rand_score(GROUPS[kept], labels[kept]) == 1.0


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_a_connected_graph_is_symmetric_and_in_one_piece(mode):
    """connected=True adds true comparisons, from both ends; nothing else changes."""
    finder = neighbours(4, mode=mode, connected=True)
    graph = finder.fit_transform(BLOBS)
    assert connected_components(graph)[0] == 1
    ones = graph.copy()
    ones.data[:] = 1
    assert (ones != ones.T).nnz == 0
    plain = neighbours(4, mode=mode).fit_transform(BLOBS)
    assert connected_components(plain)[0] > 1
    rows, columns = plain.nonzero()
    assert ones[rows, columns].all()
    if mode == "distance":
        graph = graph.tocoo()
        D = cdist(BLOBS, BLOBS, "cityblock")
        np.testing.assert_allclose(graph.data, D[graph.row, graph.col])


def test_it_serves_spectral_clustering():
    """SpectralClustering(affinity="precomputed_nearest_neighbors")."""
    spectral = SpectralClustering(
        3, affinity="precomputed_nearest_neighbors", n_neighbors=60, random_state=0
    )
    pipeline = make_pipeline(neighbours(60), spectral)
    assert adjusted_rand_score(GROUPS, pipeline.fit_predict(BLOBS)) == 1.0


@pytest.mark.parametrize(
    "manifold",
    [
        Isomap(n_neighbors=60, metric="precomputed"),
        TSNE(metric="precomputed", init="random", perplexity=10, random_state=0),
    ],
    ids=["Isomap", "TSNE"],
)
def test_it_serves_pictures(manifold):
    """Isomap and TSNE with metric="precomputed" keep the three groups apart."""
    Z = make_pipeline(neighbours(60), manifold).fit_transform(BLOBS)
    classifier = KNeighborsClassifier(5).fit(Z, GROUPS)
    assert classifier.score(Z, GROUPS) == 1.0


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_it_serves_umap():
    """UMAP with metric="precomputed" keeps the three groups apart."""
    umap = pytest.importorskip("umap")
    manifold = umap.UMAP(metric="precomputed", n_neighbors=15, random_state=0)
    Z = make_pipeline(neighbours(30, connected=True), manifold).fit_transform(BLOBS)
    assert KNeighborsClassifier(5).fit(Z, GROUPS).score(Z, GROUPS) == 1.0
