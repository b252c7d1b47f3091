import numpy as np

from skproxy.classification._landmark_basis import (
    estimate_kept,
    in_units_of_columns,
    standardise,
)
from skproxy.classification._relevance import Stopping, prune_separately

STOPPING = Stopping(prune=1e-3, tol=1e-3, max_iter=300)


def estimated(columns, labels):
    """Return fits of kept columns, objects weighing one."""
    weights = np.ones(len(columns))
    fits = prune_separately(columns, labels, weights, STOPPING)
    return estimate_kept(columns, labels, weights, fits)


def test_standardise_in_place(rng):
    """Means and deviations come back; constant columns become zero."""
    columns = rng.normal(size=(1000, 5)) * [1, 10, 0, 1e-3, 1e5] + 7
    copy = columns.copy()
    means, deviations = standardise(columns)
    np.testing.assert_allclose(means, copy.mean(axis=0))
    np.testing.assert_allclose(deviations, copy.std(axis=0), rtol=1e-9, atol=1e-14)
    assert deviations[2] == 0.0
    assert not columns[:, 2].any()
    np.testing.assert_allclose(columns.std(axis=0), [1, 1, 0, 1, 1], atol=1e-12)


def test_the_predictor_of_raw_columns_is_that_of_standardised_ones(rng):
    """Centring and scaling are folded into weights, bias and covariance."""
    raw = rng.normal(size=(200, 8)) * np.logspace(-2, 3, 8) + 5
    raw[:, 3] = 7.0
    z = (raw[:, 2] - 5) / raw[:, 2].std() + (raw[:, 6] - 5) / raw[:, 6].std()
    labels = [np.where(z + rng.normal(size=200) > t, 1.0, -1.0) for t in (-1, 1)]
    columns = raw.copy()
    means, deviations = standardise(columns)
    useful = np.flatnonzero(deviations)
    columns = columns[:, useful]
    fits = estimated(columns, labels)
    np.testing.assert_array_equal(fits[0].kept, fits[1].kept)
    for fit in fits:
        fit.moderation = 1.0
    predictor, kept = in_units_of_columns(fits, useful, means, deviations)
    assert 3 not in kept
    for fit, found in zip(fits, predictor.margins(raw[:, kept]).T, strict=True):
        z = columns @ fit.weights + fit.bias
        X = np.c_[columns[:, fit.kept], np.ones(200)]
        variances = np.square(X @ fit.spread).sum(axis=1)
        np.testing.assert_allclose(found, z / np.sqrt(1 + variances), atol=1e-9)


def test_labels_without_signal_end_quietly(rng):
    """Where no column says anything, weights vanish and all stays finite."""
    columns = rng.normal(size=(30, 5))
    standardise(columns)
    y = np.where(np.arange(30) < 28, -1.0, 1.0)
    (fit,) = estimated(columns, [y])
    assert np.isfinite(fit.weights).all()
    assert np.isfinite(fit.bias)
