import numpy as np
from scipy.stats import norm

from skproxy.classification._probit import (
    inverse_mills,
    log_likelihood,
    probit_derivatives,
)


def test_mills_ratio_is_phi_over_psi():
    """Where nothing underflows the ratio is that of density and cdf."""
    margins = np.linspace(-8, 8, 33)
    np.testing.assert_allclose(
        inverse_mills(margins), norm.pdf(margins) / norm.cdf(margins), rtol=1e-11
    )


def test_margins_of_any_size_give_finite_values():
    """At -40 the ratio is 40 + 1/40 to leading order, at 40 it is zero."""
    margins = np.array([-1e6, -40.0, 0.0, 40.0, 1e6])
    ratio = inverse_mills(margins)
    assert np.isfinite(ratio).all()
    np.testing.assert_allclose(ratio[1], 40 + 1 / 40, rtol=1e-4)
    assert ratio[-1] == 0.0
    assert np.isfinite(log_likelihood(margins, np.ones(5)))


def test_derivatives_are_those_of_the_log_likelihood():
    """Central differences of log Psi give slope and curvature."""
    margins, h = np.linspace(-6, 6, 25), 1e-5
    slopes, curvatures = probit_derivatives(margins)
    difference = (norm.logcdf(margins + h) - norm.logcdf(margins - h)) / (2 * h)
    np.testing.assert_allclose(slopes, difference, rtol=1e-6, atol=1e-9)
    above, _ = probit_derivatives(margins + h)
    below, _ = probit_derivatives(margins - h)
    np.testing.assert_allclose(curvatures, (below - above) / (2 * h), atol=1e-7)
    assert ((curvatures >= 0) & (curvatures <= 1)).all()
