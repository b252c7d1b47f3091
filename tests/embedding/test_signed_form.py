"""Dissimilarities of coordinates with signs."""

import numpy as np

from skproxy.embedding._signed_form import signed_dissimilarities


def test_it_is_the_signed_sum_of_squares(rng):
    """D_ij = sum_l s_l (x_il - y_jl)^2, whatever the common offset."""
    X, Y = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    signs = np.array([1.0, -1.0, 0.0])
    expected = np.square(X[:, None] - Y) @ signs
    for offset in (0.0, 1e6):
        found = signed_dissimilarities(X + offset, Y + offset, signs)
        np.testing.assert_allclose(found, expected, atol=1e-8)
    assert expected.min() < 0


def test_the_diagonal_is_zero(rng):
    """An object is at dissimilarity zero from itself, exactly."""
    X = rng.normal(size=(6, 2)) + 1e3
    D = signed_dissimilarities(X, X, np.array([1.0, -1.0]))
    np.testing.assert_array_equal(np.diag(D), 0.0)
