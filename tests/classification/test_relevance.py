import numpy as np
import pytest

from skproxy.classification._landmark_basis import standardise
from skproxy.classification._probit import inverse_mills
from skproxy.classification._relevance import (
    Stopping,
    prune_separately,
    prune_together,
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


def test_em_keeps_what_matters_and_raises_the_objective(problem):
    """Both columns that matter stay, with their signs; half of the noise goes."""
    (fit,) = prune_separately(problem[0], [problem[1]], problem[2], STOPPING)
    assert fit.converged
    assert fit.weights[0] > 0 > fit.weights[1]
    assert np.count_nonzero(fit.weights) < 10
    assert fit.n_active[0] == 20
    assert rises(fit)


def test_pruning_ends_at_min_kept(problem):
    """With min_kept no fewer columns remain than asked for."""
    stopping = Stopping(prune=1e-3, tol=1e-3, max_iter=300, min_kept=12)
    columns, y, weights = problem
    (fit,) = prune_separately(columns, [y], weights, stopping)
    assert np.count_nonzero(fit.weights) == 12
    together = prune_together(columns, [y, -y], weights, stopping)
    assert [np.count_nonzero(fit.weights) for fit in together] == [12, 12]


def test_one_shared_problem_is_a_separate_one_up_to_signs(problem):
    """Shared precisions keep the same columns in all problems and still rise."""
    columns, y, weights = problem
    other = np.where(columns[:, 2] > 0, 1.0, -1.0)
    fits = prune_together(columns, [y, other], weights, STOPPING)
    kept = [np.flatnonzero(fit.weights) for fit in fits]
    np.testing.assert_array_equal(*kept)
    assert {0, 1, 2} <= set(kept[0].tolist())
    assert rises(fits[0])
    assert fits[0].objective is fits[1].objective


def test_weights_stand_where_the_truncated_prior_has_them(problem):
    """At the end of the EM the likelihood's slope is that of 1/2 log |v|: 1 / (2 v).

    The prior precision 1 / (2 v^2) pulls with v / (2 v^2); any other factor would not.
    """
    columns, y, weights = problem
    stopping = Stopping(prune=1e-6, tol=1e-10, max_iter=500)
    (fit,) = prune_separately(columns, [y], weights, stopping)
    kept = columns[:, fit.kept]
    margins = y * (kept @ fit.weights[fit.kept] + fit.bias)
    slopes = kept.T @ (y * inverse_mills(margins))
    assert len(fit.kept) < 20
    np.testing.assert_allclose(slopes, 0.5 / fit.weights[fit.kept], rtol=1e-5)


def test_shared_weights_stand_where_the_shared_prior_has_them(problem):
    """With K classes each slope is K v / (2 sum of squares of the column)."""
    columns, y, weights = problem
    labels = [y, np.where(columns[:, 2] > 0.3, 1.0, -1.0), -y]
    stopping = Stopping(prune=1e-5, tol=1e-9, max_iter=500)
    fits = prune_together(columns, labels, weights, stopping)
    kept = fits[0].kept
    V = np.array([fit.weights[kept] for fit in fits])
    for label, fit, v in zip(labels, fits, V, strict=True):
        margins = label * (columns[:, kept] @ v + fit.bias)
        slopes = columns[:, kept].T @ (label * inverse_mills(margins))
        pull = 1.5 * v / np.square(V).sum(axis=0)
        np.testing.assert_allclose(slopes, pull, atol=1e-4 * np.abs(pull).max())
