"""Signed axes read from a factor."""

from itertools import pairwise

import numpy as np
import pytest
from factories import dissimilarity_with, double_centred

from skproxy import NeucMDS
from skproxy.datasets import make_euclidean_balls, make_random_simplex
from skproxy.embedding._eigenpair_selection import SELECTION_METHODS
from skproxy.metrics import stress


def stress_of(mds, D, power=2):
    return stress(D, mds.embedding_, axis_signs=mds.axis_signs_, power=power)


@pytest.mark.parametrize("method", SELECTION_METHODS)
@pytest.mark.parametrize("k", [2, 5, 8])
def test_exact_for_a_rank_below_the_landmarks(rng, method, k):
    """With more landmarks than rank the landmark path is the full one."""
    D = dissimilarity_with([9.0, 5.0, 2.0, -1.5, -6.0], 80, rng)
    mds = NeucMDS(k, metric="precomputed", power=1, method=method, n_landmarks=15)
    mds.set_params(random_state=0).fit(D)
    full = NeucMDS(k, metric="precomputed", power=1, method=method).fit(D)
    np.testing.assert_allclose(mds.weights_, full.weights_, atol=1e-9)
    np.testing.assert_allclose(
        np.abs(mds.embedding_), np.abs(full.embedding_), atol=1e-8
    )
    np.testing.assert_allclose(
        mds.stress_lower_bound_, full.stress_lower_bound_, rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("method", ["neuc", "neuc+"])
def test_no_blow_up_near_the_number_of_landmarks(method):
    """STRESS is near the full method's for k << m and falls until k = m."""
    D = make_random_simplex(250, random_state=0)
    values = []
    for k in (20, 60, 90, 99):
        mds = NeucMDS(k, metric="precomputed", power=1, method=method, random_state=0)
        full = mds.fit(D).stress_
        values.append(stress_of(mds.set_params(n_landmarks=100).fit(D), D, 1))
        if k == 20:
            assert values[0] < 1.05 * full
    assert all(b < a for a, b in pairwise(values))


def test_refined_axes_are_better_for_all_pairs():
    """Axes refined on the block lower STRESS of all pairs, and place linearly."""
    D = make_euclidean_balls(300, random_state=0)
    values = {}
    for method in ("neuc", "neuc+", "stress"):
        mds = NeucMDS(
            20, metric="precomputed", method=method, n_landmarks=60, random_state=0
        ).fit(D)
        values[method] = stress_of(mds, D)
        np.testing.assert_allclose(
            mds.transform(D), mds.embedding_, atol=1e-9 * np.abs(mds.embedding_).max()
        )
        assert mds.stress_ == pytest.approx(values[method], rel=0.6)
    assert values["stress"] < 0.5 * min(values["neuc"], values["neuc+"])


def test_landmark_columns_are_enough(rng):
    """An N x m matrix with its positions gives what N x N gives, up to the pairs."""
    D = dissimilarity_with([9.0, 5.0, 2.0, -1.5, -6.0], 80, rng)
    indices = rng.permutation(80)[:20]
    B = double_centred(D)
    for method in ("neuc+", "stress"):
        mds = NeucMDS(
            5, metric="precomputed", power=1, method=method, landmarks=indices
        )
        Z = mds.fit_transform(D[:, indices])
        np.testing.assert_allclose((Z * mds.axis_signs_) @ Z.T, B, atol=1e-6)
        np.testing.assert_allclose(mds.transform(D[:9, indices]), Z[:9], atol=1e-8)
    with pytest.raises(ValueError, match="n_probes of NeucMDS"):
        mds.set_params(n_probes=4).fit(D[:, indices])


def test_landmark_objects_of_your_own(rng):
    """Landmarks need not be among the objects."""
    X, own = rng.normal(size=(60, 3)), rng.normal(size=(12, 3))
    for method in ("neuc+", "stress"):
        mds = NeucMDS(3, method=method, landmarks=own).fit(X)
        np.testing.assert_allclose(
            mds.embedding_ @ mds.embedding_.T,
            (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T,
            atol=1e-8,
        )
        assert mds.component_indices_ is None
