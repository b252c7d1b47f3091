import numpy as np
import pytest

from skproxy.factor import (
    CORRECTIONS,
    axis_shares,
    correct_eigenvalues,
    negative_fraction,
    negligible,
    signature,
)

SPECTRUM = np.array([3.0, -2.0, 1.0, -0.5])


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("flip", [3.0, 2.0, 1.0, 0.5]),
        ("clip", [3.0, 0.0, 1.0, 0.0]),
        ("square", [9.0, 4.0, 1.0, 0.25]),
        ("shift", [5.0, 0.0, 3.0, 1.5]),
        (None, [3.0, -2.0, 1.0, -0.5]),
    ],
)
def test_corrections_are_the_textbook_functions(correction, expected):
    """flip |a|, clip max(a, 0), square a^2, shift a - min(a), None a."""
    before = SPECTRUM.copy()
    np.testing.assert_array_equal(correct_eigenvalues(SPECTRUM, correction), expected)
    np.testing.assert_array_equal(SPECTRUM, before)


@pytest.mark.parametrize("correction", [c for c in CORRECTIONS if c is not None])
def test_corrected_spectra_are_not_negative(correction, rng):
    """a* >= 0 for every correction but None."""
    assert (correct_eigenvalues(rng.normal(size=50), correction) >= 0).all()


@pytest.mark.parametrize("correction", ["flip", "clip", "shift"])
def test_a_psd_spectrum_stays_as_it_is(correction):
    """a >= 0 implies a* == a; only squaring changes it."""
    psd = np.array([2.0, 1.0, 0.25])
    np.testing.assert_array_equal(correct_eigenvalues(psd, correction), psd)


@pytest.mark.parametrize("correction", list(CORRECTIONS))
def test_corrections_of_nothing_are_nothing(correction):
    """An empty spectrum stays empty."""
    assert correct_eigenvalues(np.empty(0), correction).shape == (0,)


def test_signature_and_negative_fraction():
    """Counts add up to n; the fraction is 2.5 / 6.5."""
    assert signature(SPECTRUM, 10) == (2, 2, 6)
    assert negative_fraction(SPECTRUM) == pytest.approx(2.5 / 6.5)
    assert negative_fraction(np.zeros(3)) == 0.0
    assert negative_fraction(np.empty(0)) == 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1.0, 1e100, 1e300])
def test_ratios_do_not_depend_on_the_unit(scale):
    """Fraction and zeros are those of the spectrum in any unit."""
    assert negative_fraction(SPECTRUM * scale) == pytest.approx(2.5 / 6.5, rel=1e-14)
    values = np.array([1.0, 1e-3, 1e-17]) * scale
    np.testing.assert_array_equal(negligible(values, 10), [False, False, True])


def test_shares_over_the_three_denominators():
    """The three-leaf star: 8/15, 1/2 and 8/17 of the same axis."""
    eigenvalues = np.array([2.0, 2.0, -0.25, 0.0])
    signed = axis_shares(eigenvalues, eigenvalues, "signed")
    np.testing.assert_allclose(signed, np.array([8, 8, -1, 0]) / 15)
    positive = axis_shares(eigenvalues, eigenvalues, "positive")
    np.testing.assert_allclose(positive, [0.5, 0.5, 0, 0])
    absolute = axis_shares(eigenvalues, eigenvalues, "absolute")
    np.testing.assert_allclose(absolute, np.array([8, 8, 1, 0]) / 17)
    np.testing.assert_array_equal(axis_shares(np.zeros(2), np.zeros(2), "signed"), 0)
    with pytest.raises(ValueError, match="total of axis_shares must be 'absolute'"):
        axis_shares(eigenvalues, eigenvalues, "total")
