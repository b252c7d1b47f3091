"""Landmarks nearest to k-means centres."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances

from skproxy.landmarks import KMeansSelector, select_landmarks


def test_one_landmark_per_cluster_largest_first():
    """Separate clusters get a landmark each, near their mean, largest first."""
    rng = np.random.RandomState(0)
    sizes = [10, 40, 25]
    labels = rng.permutation(np.repeat([0, 1, 2], sizes))
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[labels]
    X = X + 0.3 * rng.normal(size=X.shape)
    chosen = select_landmarks(X, selector="kmeans", n_landmarks=3, random_state=0)
    assert labels[chosen].tolist() == [1, 2, 0]
    means = np.array([X[labels == label].mean(axis=0) for label in (1, 2, 0)])
    nearest = euclidean_distances(means, X).argmin(axis=1)
    np.testing.assert_array_equal(chosen, nearest)


def test_quantises_as_well_as_kmeans_on_vectors(cloud):
    """On vectors the quantisation error is that of k-means itself, or near it."""
    chosen = select_landmarks(cloud, selector="kmeans", n_landmarks=20, random_state=0)
    error = (euclidean_distances(cloud, cloud[chosen]).min(axis=1) ** 2).sum()
    kmeans = KMeans(20, n_init=1, random_state=0).fit(cloud)
    uniform = np.random.RandomState(0).permutation(150)[:20]
    plain = (euclidean_distances(cloud, cloud[uniform]).min(axis=1) ** 2).sum()
    assert error < 1.6 * kmeans.inertia_ < 0.9 * plain


def test_as_many_clusters_as_objects(cloud):
    """All objects are landmarks when as many are wanted."""
    chosen = select_landmarks(
        cloud[:20], selector=KMeansSelector(), n_landmarks=20, random_state=0
    )
    assert sorted(chosen.tolist()) == list(range(20))
