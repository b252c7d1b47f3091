"""Units of comparisons."""

import numpy as np
import pytest

from skproxy.comparisons import Scale


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
@pytest.mark.parametrize("unit", [1e-100, 1e-3, 1.0, 1e100])
def test_scaled_comparisons_are_of_order_one(power, unit, rng):
    """(d / unit)^power is the same in any unit, and a power of two divides exactly."""
    d = rng.uniform(0.5, 4, size=(5, 5))
    scaled = Scale.of(d * unit, power).apply(d * unit)
    assert 0.1 < scaled.max() < 4
    reference = Scale.of(d, power).apply(d)
    ratio = scaled / reference
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-13)


def test_scale_of_zeros_is_one():
    """All-zero comparisons have no scale of their own."""
    assert Scale.of(np.zeros((3, 3)), 2).unit == 1.0
