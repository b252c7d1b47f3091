"""Costs foretold are those that fits report."""

import numpy as np
import pytest

from skproxy import Nystroem, NystromDissimilarity
from skproxy.inspection._compared_sample import ComparedSample
from skproxy.inspection._comparison_cost import ComparisonCost, count_landmark_run


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "cholesky"])
@pytest.mark.parametrize(("n", "m"), [(1500, 20), (300, 40), (60, 60)])
def test_count_is_that_of_a_fit(rng, landmarks, n, m):
    """To a few percent, for every selector that is recommended."""
    X = rng.normal(size=(n, 3))
    nystrom = NystromDissimilarity(
        "cityblock", n_landmarks=m, landmarks=landmarks, random_state=0
    ).fit(X)
    foretold = count_landmark_run(n, m, landmarks, probed=True)
    assert foretold == pytest.approx(nystrom.n_comparisons_, rel=0.05)


def test_psd_kernels_compare_landmarks_only(rng):
    """Nystroem of a psd kernel makes no pass when it is fitted."""
    X = rng.normal(size=(500, 3))
    nystroem = Nystroem(n_components=30, random_state=0).fit(X)
    foretold = count_landmark_run(500, 30, "uniform", probed=False)
    assert nystroem.n_comparisons_ <= foretold


def test_seconds_follow_from_the_rate():
    """Comparisons over comparisons per second; none for a matrix."""
    sample = ComparedSample(np.zeros((10, 10)), np.arange(10), float, 1000, 101, 0.5)
    cost = ComparisonCost.of(sample, 20, "uniform", probed=True)
    assert cost.comparisons_per_second == 200.0
    assert cost.n_full == 500_500
    assert cost.seconds_full == 500_500 / 200
    assert cost.seconds_landmark_run == cost.n_landmark_run / 200
    assert cost.n_per_new_object == 20
    given = ComparedSample(np.zeros((10, 10)), np.arange(10), float, 1000, 0, 0.0)
    cost = ComparisonCost.of(given, 20, "uniform", probed=True)
    assert cost.comparisons_per_second is cost.seconds_full is None
