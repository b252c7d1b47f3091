import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from skproxy.classification._kernel_features import (
    KernelFeatures,
    LinearKernel,
    RadialKernel,
    column_map,
    to_power,
)


@pytest.fixture
def comparisons(rng):
    return rng.gamma(2.0, size=(50, 6))


def test_a_radial_kernel_is_the_rbf_of_coordinates(comparisons):
    """exp(-|z - z'|^2 / (2 median)), z linear in powered comparisons."""
    mean, weights = column_map(np.square(comparisons))
    kernel = RadialKernel.of((2, mean, weights), comparisons[:20], np.ones(20))
    z = (np.square(comparisons) - mean) @ weights
    gaps = -np.log(rbf_kernel(z[:20], gamma=1.0))
    # Of an even number of pairs the lower middle one.
    median = np.quantile(gaps[np.triu_indices(20, 1)], 0.5, method="inverted_cdf")
    expected = rbf_kernel(z, z[:20], gamma=1.0 / (2.0 * median))
    np.testing.assert_allclose(kernel.values(comparisons), expected, atol=1e-12)


def test_features_have_the_kernel_of_the_centres(comparisons):
    """phi phi' of the centres is the sum of the kernels, the linear one with them."""
    centres = comparisons[:20]
    mean, weights = column_map(centres)
    kernels = [
        RadialKernel.of((1, mean, weights), centres, np.ones(20)),
        LinearKernel.of((1, mean, weights), centres, np.ones(20)),
    ]
    features = KernelFeatures.of(kernels, centres)
    rows = features.rows(centres)
    expected = sum(kernel.values(centres) for kernel in kernels)
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-6)
    linear = kernels[1].values(centres)
    assert np.trace(linear) / 20 == pytest.approx(1.0)


@pytest.mark.parametrize("power", [1, 2, 0.5])
def test_features_far_away_vanish(power, comparisons):
    """However far, even where squares overflow: nothing is NaN, all goes to zero."""
    mean, weights = column_map(to_power(comparisons, power))
    kernel = RadialKernel.of((power, mean, weights), comparisons, np.ones(50))
    features = KernelFeatures.of([kernel], comparisons)
    for far in (1e6, 1e150, 1e300):
        rows = features.rows(np.full((2, 6), far))
        np.testing.assert_allclose(rows, 0.0, atol=1e-6)


def test_columns_are_standardised_and_constant_ones_dropped(comparisons):
    """Mean zero, variance one; a constant column says nothing."""
    comparisons[:, 2] = 3.0
    mean, weights = column_map(comparisons)
    columns = (comparisons - mean) @ weights
    np.testing.assert_allclose(columns.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(columns.std(axis=0), np.arange(6) != 2, atol=1e-12)


def test_objects_all_alike_have_one_feature():
    """No distance among the centres: the kernel is one, and nothing divides by zero."""
    same = np.ones((8, 3))
    kernel = RadialKernel.of((2, *column_map(same)), same, np.ones(8))
    features = KernelFeatures.of(
        [kernel, LinearKernel.of((2, *column_map(same)), same, np.ones(8))], same
    )
    np.testing.assert_allclose(features.rows(same[:2]), features.rows(same[2:4]))
    assert features.whitener.shape == (8, 1)


def test_copies_of_centres_count(comparisons):
    """A centre that stands for three objects gives the width of three centres."""
    mean, weights = column_map(comparisons)
    copies = np.arange(1, 11) % 4
    copies[copies == 0] = 1
    repeated = np.repeat(np.arange(10), copies)
    one = RadialKernel.of((1, mean, weights), comparisons[:10], copies.astype(float))
    two = RadialKernel.of(
        (1, mean, weights), comparisons[repeated], np.ones(len(repeated))
    )
    np.testing.assert_allclose(one.weights, two.weights)


def test_repeated_columns_count_once(comparisons):
    """A landmark given twice adds nothing, up to rounding."""
    twice = np.c_[comparisons, comparisons[:, 1] * (1 + 1e-14), comparisons[:, 4]]
    _, weights = column_map(twice)
    assert np.count_nonzero(np.diag(weights)) == 6
