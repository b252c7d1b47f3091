"""Pivots as landmarks: what they do for the approximation."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from skproxy import NystromDissimilarity
from skproxy.datasets import make_balls
from skproxy.landmarks import PivotedCholeskySelector, select_landmarks


def error(D, landmarks, seed, n_landmarks=15):
    """Return the relative error of the centred similarity in the Frobenius norm."""
    model = NystromDissimilarity(
        "precomputed",
        n_landmarks=n_landmarks,
        landmarks=landmarks,
        correction=None,
        random_state=seed,
        scale="metric",
    )
    Z = model.fit_transform(D)
    J = np.eye(len(D)) - 1 / len(D)
    S = -0.5 * J @ D**2 @ J
    return np.linalg.norm((Z * model.axis_signs_) @ Z.T - S) / np.linalg.norm(S)


@pytest.mark.parametrize("pivots", ["trace", "greedy", "random"])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_enough_landmarks_for_an_exact_embedding(pivots, dimension):
    """Euclidean data of dimension k get k + 1 landmarks, and these are enough."""
    X = np.random.RandomState(0).normal(size=(80, dimension))
    D = pairwise_distances(X)
    selector = PivotedCholeskySelector(pivots=pivots)
    chosen = select_landmarks(
        D, metric="precomputed", selector=selector, n_landmarks=15, random_state=0
    )
    assert len(chosen) == dimension + 1
    assert error(D, selector, 0) < 1e-7


def test_lowers_the_error():
    """Landmarks chosen for the error have less of it than uniform ones, clearly."""
    X = np.random.RandomState(0).gamma(1.0, size=(200, 8))
    D = pairwise_distances(X, metric="cityblock")
    errors = {
        name: np.median([error(D, name, seed) for seed in range(5)])
        for name in ("cholesky", "uniform")
    }
    assert errors["cholesky"] < 0.88 * errors["uniform"]


def test_sweeps_lower_the_error():
    """Swaps pay: the error after two sweeps is below that after none."""
    X = np.random.RandomState(0).gamma(1.0, size=(200, 8))
    D = pairwise_distances(X, metric="cityblock")
    none, two = (
        np.median(
            [error(D, PivotedCholeskySelector(n_sweeps=n), seed) for seed in range(3)]
        )
        for n in (0, 2)
    )
    assert two < none


def test_unknown_pivots(cloud):
    """An unknown rule is refused by name."""
    selector = PivotedCholeskySelector(pivots="best")
    with pytest.raises(ValueError, match="'pivots' parameter of PivotedCholeskySel"):
        select_landmarks(cloud, selector=selector, n_landmarks=3)


def test_no_object_is_left_out_alone():
    """The last object would span an axis of its own, along which new ones fly off."""
    D, _ = make_balls((30, 30), random_state=0)
    inside = np.arange(60) % 3 != 0
    D_train = D[np.ix_(inside, inside)]
    chosen = select_landmarks(
        D_train,
        metric="precomputed",
        n_landmarks=40,
        selector="cholesky",
        random_state=0,
    )
    assert sorted(chosen) == list(range(40))

    D_copies = np.block([[D_train, D_train[:, :5]], [D_train[:5], D_train[:5, :5]]])
    chosen = select_landmarks(
        D_copies,
        metric="precomputed",
        n_landmarks=45,
        selector="cholesky",
        random_state=0,
    )
    assert sorted(chosen % 40) == list(range(40))
