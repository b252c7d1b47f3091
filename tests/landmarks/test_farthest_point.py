"""Farthest-point traversal."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from skproxy.landmarks import select_landmarks


def test_is_the_traversal_of_gonzalez(cloud):
    """Each landmark after the first is the object farthest from those before it."""
    chosen = select_landmarks(
        cloud, selector="farthest", n_landmarks=25, random_state=0
    )
    D = euclidean_distances(cloud)
    for i in range(1, 25):
        nearest = D[:, chosen[:i]].min(axis=1)
        assert nearest[chosen[i]] > nearest.max() - 1e-9


def test_covers_within_twice_the_best_radius(cloud):
    """No object is farther from a landmark than landmarks are from each other."""
    chosen = select_landmarks(cloud, selector="farthest", n_landmarks=9, random_state=1)
    D = euclidean_distances(cloud)
    among = D[np.ix_(chosen, chosen)] + np.diag([np.inf] * 9)
    assert D[:, chosen].min(axis=1).max() <= among.min() + 1e-9


def test_stops_when_every_object_is_a_copy():
    """Once each distinct object is chosen, there is nothing left to choose."""
    X = np.repeat([[0.0, 1.0], [2.0, 0.5], [4.0, 3.0]], 9, axis=0)
    chosen = select_landmarks(X, selector="farthest", n_landmarks=9, random_state=0)
    assert sorted(X[chosen, 0].tolist()) == [0.0, 2.0, 4.0]
