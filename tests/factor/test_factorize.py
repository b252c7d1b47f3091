from dataclasses import replace

import numpy as np
import pytest
from factories import CountedBlocks, dissimilarity_with, double_centred, similarity_with
from joblib import Memory

from skproxy.comparisons import (
    BlockMetric,
    ColumnComparisons,
    Geometry,
    Landmarks,
    Measure,
    MeasuredComparisons,
    SquareComparisons,
)
from skproxy.factor import (
    Compared,
    Moments,
    absorb,
    count_extra_probes,
    factorize,
)


def table_of(matrix):
    return SquareComparisons(
        matrix, symmetrize=None, exactly_symmetric=True, name="matrix"
    )


def fit(table, indices, geometry, n_probes="auto", keep=np.float64, seed=0, **options):
    landmarks = Landmarks(table.take(indices), np.asarray(indices))
    rng = np.random.RandomState(seed)
    compared = Compared(geometry, landmarks, table, rng).with_square()
    (factor,), rows = factorize(compared, n_probes, keep=keep, **options)
    return factor, rows


SIMILARITY = Geometry(is_similarity=True, power=1, centred=False)
CENTRED = Geometry(is_similarity=True, power=1, centred=True)
SQUARED = Geometry(is_similarity=False, power=1, centred=True)


@pytest.mark.parametrize("n_probes", [0, 5, 30, "auto"])
@pytest.mark.parametrize("geometry", [SIMILARITY, CENTRED, SQUARED])
@pytest.mark.parametrize("n", [10, 40, 300])
def test_exact_when_rank_is_at_most_m(n_probes, geometry, n, rng):
    """Indefinite matrices of rank <= m come back exactly, however many probes."""
    spectrum = np.array([3.0, -2.0, 1.0, -0.5])
    if geometry.is_similarity:
        matrix = similarity_with(spectrum, n, rng)
        exact = double_centred(-2 * matrix) if geometry.centred else matrix
    else:
        matrix = dissimilarity_with(spectrum, n, rng)
        exact = double_centred(matrix)
    indices = rng.permutation(n)[:8]
    factor, A = fit(table_of(matrix), indices, geometry, n_probes)
    np.testing.assert_allclose(factor.similarity(A, A), exact, atol=1e-11)


def test_no_probes_is_the_papers_method(rng):
    """n_probes=0 gives -1/2 F W^+ F', F = D_Nm - mean."""
    D = dissimilarity_with(rng.normal(size=30), 60, rng)
    indices = np.arange(10)
    factor, A = fit(table_of(D), indices, SQUARED, 0)
    F = D[:, indices] - D[:, indices].mean(axis=0)
    expected = -0.5 * F @ np.linalg.pinv(D[np.ix_(indices, indices)]) @ F.T
    np.testing.assert_allclose(
        factor.similarity(A, A), expected, atol=1e-10 * np.abs(expected).max()
    )


def test_few_objects_give_the_frobenius_optimal_core(rng):
    """With N <= 2 m every object is a probe: no core on these landmarks is better."""
    D = dissimilarity_with(rng.normal(size=15), 16, rng)
    indices = np.arange(8)
    factor, A = fit(table_of(D), indices, SQUARED, rank=None)
    F = D[:, indices] - D[:, indices].mean(axis=0)
    target = double_centred(D)
    pinv = np.linalg.pinv(F)
    best = F @ (pinv @ target @ pinv.T) @ F.T
    np.testing.assert_allclose(factor.similarity(A, A), best, atol=1e-11)


@pytest.mark.parametrize("geometry", [SIMILARITY, SQUARED])
def test_reordering_the_objects_reorders_the_rows(geometry, rng):
    """Equivariance: same landmarks, permuted objects, all probed."""
    matrix = dissimilarity_with([3.0, -2.0, 1.0, 0.2, -0.1], 18, rng)
    order = rng.permutation(18)
    indices = np.arange(9)
    where = np.argsort(order)[indices]
    one, A = fit(table_of(matrix), indices, geometry)
    other, B = fit(table_of(matrix[np.ix_(order, order)]), where, geometry)
    np.testing.assert_allclose(
        other.axes(4, "flip").of_features(B),
        one.axes(4, "flip").of_features(A)[order],
        atol=1e-9,
    )


@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
def test_scale_invariance_in_the_units_of_the_metric(scale, rng):
    """Dissimilarities times c give eigenvalues times c^2 and coordinates times c."""
    X = rng.normal(size=(80, 4))
    d = np.abs(X[:, None] - X[None]).sum(axis=-1)
    geometry = Geometry(is_similarity=False, power=2, centred=True)
    indices = np.arange(12)
    one, A = fit(table_of(d), indices, geometry)
    other, B = fit(table_of(d * scale), indices, geometry)
    k = 6
    np.testing.assert_allclose(
        other.eigenvalues[:k] / scale**2, one.eigenvalues[:k], rtol=1e-9
    )
    np.testing.assert_allclose(
        other.axes(k, "flip").of_features(B) / scale,
        one.axes(k, "flip").of_features(A),
        atol=1e-9,
    )


@pytest.mark.parametrize("block_rows", [1, 7, 64, 10_000])
def test_results_do_not_depend_on_the_block_size(block_rows, rng, monkeypatch):
    """Any blocking gives the same spectrum and rows to rounding."""
    D = dissimilarity_with([3.0, -2.0, 1.0, -0.5], 500, rng)
    whole, A = fit(table_of(D), np.arange(8), SQUARED, 20)
    monkeypatch.setattr(
        "skproxy.comparisons._comparisons.block_rows", lambda _: block_rows
    )
    blocked, B = fit(table_of(D), np.arange(8), SQUARED, 20)
    np.testing.assert_allclose(blocked.eigenvalues, whole.eigenvalues, rtol=1e-12)
    np.testing.assert_allclose(B, A, atol=1e-12)


@pytest.mark.parametrize("n", [5, 30, 100, 700, 3000])
@pytest.mark.parametrize("m", [3, 10, 20])
def test_comparisons_are_counted_exactly_and_bounded(n, m, rng):
    """Never more than 1.5 N m, and what is counted is done."""
    m = min(m, n)
    X = [float(x) for x in rng.normal(size=n)]
    gaps = CountedBlocks(lambda a, b: np.abs(np.subtract.outer(a, b)))
    table = MeasuredComparisons(
        X,
        Measure(BlockMetric(gaps), is_similarity=False),
        n_jobs=None,
        memory=Memory(None),
        name="metric",
    )
    geometry = Geometry(is_similarity=False, power=2, centred=True)
    fit(table, np.arange(m), geometry)
    s = m + count_extra_probes("auto", n, m, 0)
    expected = m * (m + 1) // 2 + (n - m) * m + (s - m) * (s - m + 1) // 2
    assert table.n_evaluated == expected
    assert expected <= 1.5 * n * m
    # A block measure sees up to 9/16 of its symmetric squares instead of half.
    assert gaps.n_evaluated <= 2 * n * m
    assert max(rows for rows, _ in gaps.shapes) <= 512


def test_landmarks_of_the_users_own_are_not_counted_as_objects(rng):
    """Landmarks outside the data fix the map, but the moments are of the data alone."""
    X = rng.normal(size=(200, 3))
    measure = Measure("euclidean", is_similarity=False)
    table = MeasuredComparisons(X, measure, n_jobs=1, memory=Memory(None), name="x")
    geometry = Geometry(is_similarity=False, power=2, centred=True)
    landmarks = Landmarks(rng.normal(size=(8, 3)) * 3, None)
    compared = Compared(geometry, landmarks, table, rng).with_square()
    (factor,), A = factorize(compared, 30, keep=float)
    assert factor.moments.count == 200
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(factor.similarity(A, A), centred @ centred.T, atol=1e-10)


def test_factors_of_groups_merge_to_the_factor_of_all(rng):
    """One pass gives each group what it would get alone; merged, what all get."""
    matrix = dissimilarity_with([9.0, -4, 2, 1], 90, rng)
    table, indices = table_of(matrix), np.arange(12)
    whole, rows = fit(table, indices, SQUARED)
    landmarks = Landmarks(table.take(indices), indices)
    groups = rng.randint(3, size=90)
    generator = np.random.RandomState(0)
    compared = Compared(SQUARED, landmarks, table, generator).with_square()
    factors, same = factorize(compared, groups=groups, n_groups=4, keep=np.float64)
    np.testing.assert_allclose(same, rows, atol=1e-12)
    for group, factor in enumerate(factors):
        members = rows[groups == group]
        assert factor.moments.count == len(members)
        if len(members):
            np.testing.assert_allclose(
                factor.moments.mean, members.mean(axis=0), atol=1e-12
            )
    merged = factors[0].merge(factors[1]).merge(factors[2]).merge(factors[3])
    np.testing.assert_allclose(merged.eigenvalues, whole.eigenvalues, rtol=1e-9)
    np.testing.assert_allclose(merged.landmark_mean, whole.landmark_mean, atol=1e-12)


@pytest.mark.parametrize("position", [0, 1234, 3999])
def test_one_object_far_from_all_others_cannot_break_the_core(position):
    """An object fifty times as far is probed wherever it stands.

    The error stays within 1.5 times that of the best core on the same landmarks.
    """
    X = np.random.RandomState(0).normal(size=(4000, 5))
    X[position] *= 50
    D = np.abs(X[:, None] - X[None]).sum(axis=2) ** 2
    indices = np.random.RandomState(1).permutation(4000)[:50]
    factor, Y = fit(table_of(D), indices, SQUARED)
    exact = double_centred(D)
    gap = factor.similarity(Y, Y) - exact
    Q = np.linalg.qr(D[:, indices] - D[:, indices].mean(axis=0))[0]
    best = np.linalg.norm(exact - Q @ (Q.T @ exact @ Q) @ Q.T)
    assert np.linalg.norm(gap) < 1.5 * best


def test_an_object_on_an_axis_of_its_own_cannot_break_the_core(rng):
    """Points in three dimensions and one at 1e6 on a fourth are recovered exactly."""
    X = np.column_stack([rng.normal(size=(3000, 3)), np.zeros(3000)])
    X[2000, 3] = 1e6
    table = table_of(np.square(X[:, None] - X[None]).sum(axis=2))
    factor, Y = fit(table, np.arange(20), SQUARED)
    F = X - X.mean(axis=0)
    found = factor.similarity(Y, Y[2000:2001])[:, 0]
    np.testing.assert_allclose(found, F @ F[2000], atol=1e-9 * 1e12)


def test_absorbed_objects_count_as_if_they_had_been_there(rng):
    """Objects added later, in any batches, give the factor of all on the same map."""
    matrix = dissimilarity_with([9.0, -4, 2, 1], 90, rng)
    table, indices = table_of(matrix), np.arange(12)
    whole, _ = fit(table, indices, SQUARED)
    landmarks = Landmarks(table.take(indices), indices)
    empty = [replace(whole, moments=Moments.empty(12))]
    order = rng.permutation(90)
    for batches in (np.array_split(order, 7), np.array_split(order[::-1], 3)):
        factors = empty
        for batch in batches:
            part = ColumnComparisons(matrix[batch], indices, name="X")
            factors = absorb(Compared(SQUARED, landmarks, part), factors)
        np.testing.assert_allclose(factors[0].eigenvalues, whole.eigenvalues, rtol=1e-9)
