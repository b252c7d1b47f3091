import numpy as np
import pytest

from skproxy.classification._landmark_basis import (
    Stopping,
    evidence_ridge,
    fit_separately,
    fit_together,
    in_units_of_columns,
    probit_ridge,
    standardise,
)

STOPPING = Stopping(prune=1e-3, tol=1e-3, max_iter=300)


@pytest.fixture
def problem(rng):
    columns = rng.normal(size=(400, 20))
    z = 2 * columns[:, 0] - 1.5 * columns[:, 1] + 0.5
    y = np.where(z + rng.normal(size=400) > 0, 1.0, -1.0)
    standardise(columns)
    return columns, y, np.ones(400)


def rises(fit):
    """Tell whether the objective never falls between prunings."""
    values, counts = np.array(fit.objective), np.array(fit.n_active)
    same = counts[1:] == counts[:-1]
    drop = values[:-1] - values[1:]
    return (drop[same] <= 1e-9 * np.abs(values[1:][same]) + 1e-9).all()


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


def test_em_keeps_what_matters_and_raises_the_objective(problem):
    """Both columns that matter stay, with their signs; half of the noise goes."""
    (fit,) = fit_separately(problem[0], [problem[1]], problem[2], STOPPING)
    assert fit.converged
    assert fit.weights[0] > 0 > fit.weights[1]
    assert np.count_nonzero(fit.weights) < 10
    assert fit.n_active[0] == 20
    assert rises(fit)


def test_pruning_ends_at_min_kept(problem):
    """With min_kept no fewer columns remain than asked for."""
    stopping = Stopping(prune=1e-3, tol=1e-3, max_iter=300, min_kept=12)
    columns, y, weights = problem
    (fit,) = fit_separately(columns, [y], weights, stopping)
    assert np.count_nonzero(fit.weights) == 12
    together = fit_together(columns, [y, -y], weights, stopping)
    assert [np.count_nonzero(fit.weights) for fit in together] == [12, 12]


def test_one_shared_problem_is_a_separate_one_up_to_signs(problem):
    """Shared precisions keep the same columns in all problems and still rise."""
    columns, y, weights = problem
    other = np.where(columns[:, 2] > 0, 1.0, -1.0)
    fits = fit_together(columns, [y, other], weights, STOPPING)
    kept = [np.flatnonzero(fit.weights) for fit in fits]
    np.testing.assert_array_equal(*kept)
    assert {0, 1, 2} <= set(kept[0].tolist())
    assert rises(fits[0])
    assert fits[0].objective is fits[1].objective


def test_evidence_gives_noise_a_strong_ridge(problem, rng):
    """Labels without relation to the columns get far smaller weights."""
    columns, y, weights = problem
    noise = np.where(rng.normal(size=400) > 0, 1.0, -1.0)
    signal, weak = evidence_ridge(columns, y, weights)
    nothing, strong = evidence_ridge(columns, noise, weights)
    assert strong > 20 * weak
    assert np.abs(nothing.v).max() < 0.1 * np.abs(signal.v).max()


def test_labels_without_signal_end_quietly(rng):
    """Where no column says anything, weights vanish and all stays finite."""
    columns = rng.normal(size=(30, 5))
    standardise(columns)
    y = np.where(np.arange(30) < 28, -1.0, 1.0)
    (fit,) = fit_separately(columns, [y], np.ones(30), STOPPING)
    assert np.isfinite(fit.weights).all()
    assert np.isfinite(fit.bias)


def test_probit_ridge_shrinks_with_its_strength(problem):
    """A stronger ridge gives shorter weights."""
    sizes = [
        np.linalg.norm(probit_ridge(*problem, strength=s).v) for s in (0.1, 10, 1000)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 0


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
    fits = fit_separately(columns, labels, np.ones(200), STOPPING)
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
