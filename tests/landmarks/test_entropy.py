"""Renyi entropy and its swaps."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from skproxy.landmarks import EntropySelector, select_landmarks
from skproxy.landmarks._entropy import _median_square, _swap_in


def window_sum(Z, chosen, width):
    return np.exp(-euclidean_distances(Z[chosen], squared=True) / width).sum()


def test_swaps_only_raise_the_entropy():
    """The more swaps are tried, the larger the entropy, and none is undone."""
    Z = np.random.RandomState(0).normal(size=(80, 2))
    order = np.arange(80)
    sums = [
        window_sum(Z, _swap_in(Z, order[:10].copy(), order[10 : 10 + n], 1.0), 1.0)
        for n in range(0, 71, 5)
    ]
    assert (np.diff(sums) <= 1e-12).all()
    assert sums[-1] < 0.8 * sums[0]


def test_comes_near_the_best_subset():
    """Of all subsets of ten, the one found has nearly the largest entropy."""
    Z = np.random.RandomState(1).normal(size=(10, 2))
    proposals = np.tile(np.arange(10), 3)
    found = _swap_in(Z, np.arange(4), proposals, 1.0)
    sums = sorted(window_sum(Z, list(some), 1.0) for some in combinations(range(10), 4))
    assert window_sum(Z, found, 1.0) <= sums[5]


def test_landmarks_keep_apart(cloud):
    """Landmarks are more evenly spread than uniform ones."""
    chosen = select_landmarks(cloud, selector="entropy", n_landmarks=12, random_state=0)
    width = _median_square(cloud, 0.0)
    uniform = [
        window_sum(cloud, np.random.RandomState(seed).permutation(150)[:12], width)
        for seed in range(20)
    ]
    assert window_sum(cloud, chosen, width) < min(uniform)


@pytest.mark.parametrize("n_proposals", [0, 500])
def test_number_of_proposals(cloud, n_proposals):
    """None leaves a uniform choice, many are drawn again and again."""
    selector = EntropySelector(n_proposals=n_proposals)
    chosen = select_landmarks(cloud, selector=selector, n_landmarks=12, random_state=0)
    assert len(set(chosen.tolist())) == 12


def test_width_of_copies():
    """Where all objects are the same any width will do."""
    assert _median_square(np.zeros((4, 2)), 0.0) == 1.0
