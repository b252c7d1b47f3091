"""STRESS without matrices of dissimilarities, its gradient and its descent."""

from itertools import pairwise

import numpy as np
import pytest
from factories import dissimilarity_with

from skproxy.comparisons import Geometry, SquareComparisons
from skproxy.embedding._full_similarity import full_similarity
from skproxy.embedding._stress_refinement import (
    AxisStress,
    FreeStress,
    Refinement,
    exact_weights,
    minimize,
    principal_axes,
    refine_coordinates,
)
from skproxy.metrics import stress


@pytest.fixture
def problem(rng):
    """Squared dissimilarities with six axes of either sign, and their B."""
    D = dissimilarity_with([9.0, 5.0, 2.0, 1.0, -1.5, -6.0], 40, rng)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    similarity = full_similarity(table, Geometry(False, 1, True))
    known = AxisStress(similarity.squared_norm, similarity.self_similarities)
    values, vectors = np.linalg.eigh(similarity.matrix)
    kept = np.argsort(-np.abs(values))[:4]
    return (
        D / similarity.scale.squared,
        similarity,
        known,
        values[kept],
        vectors[:, kept],
    )


def test_stress_of_weighted_axes(problem, rng):
    """Theorem 6: STRESS from eigenvalues and self-similarities is STRESS of pairs."""
    D, _, known, values, vectors = problem
    for weights in (values, values + rng.normal(size=4)):
        value, bound = known.parts(values, np.square(vectors), weights)
        Z = vectors * np.sqrt(np.abs(weights))
        direct = stress(D, Z, axis_signs=np.sign(weights), power=1)
        assert value == pytest.approx(direct)
        assert 0 < bound <= value
    assert known.total == pytest.approx(np.square(D).sum())


def test_the_bound_is_the_part_that_needs_eigenvalues_only(problem):
    """The lower bound is 4 sum (l - w)^2 + 4 (sum (l - w))^2 over all l."""
    _, similarity, known, values, vectors = problem
    weights = values + 0.1
    all_values = np.linalg.eigvalsh(similarity.matrix)
    kept = np.isin(np.round(all_values, 9), np.round(values, 9))
    gaps = np.concatenate([all_values[~kept], values - weights])
    _, bound = known.parts(values, np.square(vectors), weights)
    assert bound == pytest.approx(4 * np.square(gaps).sum() + 4 * gaps.sum() ** 2)


def test_exact_weights_are_the_least_squares_solution(problem):
    """No weights of the same vectors have a lower STRESS: numpy's lstsq agrees."""
    D, _, known, values, vectors = problem
    weights = exact_weights(values, np.square(vectors), known.self_similarities)
    gaps = np.square(vectors[:, None, :] - vectors[None, :, :]).reshape(-1, 4)
    expected = np.linalg.lstsq(gaps, D.ravel(), rcond=None)[0]
    np.testing.assert_allclose(weights, expected, rtol=1e-9)


def test_principal_axes_keep_the_similarity(rng):
    """Principal axes have the same Z A Z', signature, and orthonormal vectors."""
    Z, signs = rng.normal(size=(20, 4)), np.array([1.0, -1.0, 1.0, -1.0])
    vectors, weights = principal_axes(Z, signs)
    np.testing.assert_allclose((vectors * weights) @ vectors.T, (Z * signs) @ Z.T)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)
    assert (weights > 0).sum() == 2
    assert (np.diff(np.abs(weights)) <= 0).all()


def test_refinement_lowers_stress(problem):
    """Refined coordinates have the STRESS that is reported, well below the start."""
    D, similarity, known, values, vectors = problem
    start, signs = vectors * np.sqrt(np.abs(values)), np.sign(values)
    seen = []
    descent = refine_coordinates(
        similarity,
        known,
        start,
        signs,
        Refinement(500, 1e-9, lambda step, value: seen.append((step, value))),
    )
    direct = stress(D, descent.point, axis_signs=signs, power=1)
    assert descent.value == pytest.approx(direct, rel=1e-9)
    assert direct < 0.7 * stress(D, start, axis_signs=signs, power=1)
    assert descent.converged
    assert [step for step, _ in seen] == list(range(1, descent.n_iter + 1))
    values = [value for _, value in seen]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(values))


def test_the_gradient_is_that_of_finite_differences(problem, rng):
    """At any centred coordinates, of both signs; the value is STRESS."""
    D, similarity, known, values, vectors = problem
    signs = np.sign(values)
    free = FreeStress(similarity, known, signs)
    Z = vectors * np.sqrt(np.abs(values)) + 0.3 * rng.normal(size=vectors.shape)
    Z -= Z.mean(axis=0)
    value, gradient = free.value_and_gradient(Z)
    assert value == pytest.approx(stress(D, Z, axis_signs=signs, power=1), rel=1e-9)
    numeric = np.empty_like(Z)
    for at in np.ndindex(Z.shape):
        step = np.zeros_like(Z)
        step[at] = 1e-5
        ahead, behind = (free.value_and_gradient(Z + d)[0] for d in (step, -step))
        numeric[at] = (ahead - behind) / 2e-5
    atol = 1e-6 * np.abs(gradient).max()
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=atol)


def test_the_gradient_vanishes_at_the_end(problem):
    """At the end no small step of any coordinate lowers STRESS."""
    D, similarity, known, values, vectors = problem
    start, signs = vectors * np.sqrt(np.abs(values)), np.sign(values)
    Z = refine_coordinates(
        similarity, known, start, signs, Refinement(3000, 1e-15)
    ).point
    end = stress(D, Z, axis_signs=signs, power=1)
    rng = np.random.RandomState(0)
    for _ in range(20):
        step = 1e-4 * rng.normal(size=Z.shape)
        assert stress(D, Z + step, axis_signs=signs, power=1) > end


def test_steps_end(problem):
    """max_iter bounds the steps, and an early end is told."""
    _, similarity, known, values, vectors = problem
    start, signs = vectors * np.sqrt(np.abs(values)), np.sign(values)
    descent = refine_coordinates(similarity, known, start, signs, Refinement(2, 0.0))
    assert descent.n_iter == 2
    assert not descent.converged


def test_a_report_may_end_the_steps():
    """StopIteration from the report is an end like any other."""
    calls = []

    def report(point):
        calls.append(point)
        if len(calls) == 3:
            raise StopIteration

    scales = np.array([[1.0, 10.0], [100.0, 3.0]])
    descent = minimize(
        lambda x: (float((scales * x**4).sum()) + 1.0, 4 * scales * x**3),
        np.ones((2, 2)),
        Refinement(100, 0.0, report),
    )
    assert descent.n_iter == 3
    assert descent.converged
    assert descent.value < 115.0
