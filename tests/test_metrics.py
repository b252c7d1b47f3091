"""Laws and dense oracles of `skproxy.metrics`."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from skproxy.metrics import (
    additive_error,
    asymmetry,
    axis_shares,
    distortion,
    kruskal_stress,
    negative_fraction,
    stress,
    triangle_violations,
)
from skproxy.metrics._batch_median import mean_absolute_deviation

EMBEDDING_ERRORS = [stress, additive_error, distortion]


def dense_embedded(Z, signs):
    gaps = Z[:, None, :] - Z[None, :, :]
    return (gaps**2 * signs).sum(axis=2)


def dense_answer(measure, D, embedded, power):
    """The definitions, on full matrices."""
    powered = D**power
    if measure is stress:
        return ((embedded - powered) ** 2).sum()
    if measure is additive_error:
        scale = (powered * embedded).sum() / (embedded**2).sum()
        return np.sqrt(((powered - scale * embedded) ** 2).sum())
    valid = (powered > 0) & (embedded > 0) & ~np.eye(len(D), dtype=bool)
    ratios = np.sqrt(powered[valid] / embedded[valid])
    ratios /= np.median(ratios)
    return np.exp(np.log(np.maximum(ratios, 1 / ratios)).mean())


def problem(n=40, k=3, seed=0):
    """Distances in 5 dimensions, and points in `k` with one negative axis."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    signs = np.ones(k)
    signs[-1] = -1
    return cdist(X, X), X[:, :k] + 0.1 * rng.normal(size=(n, k)), signs


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("skproxy.metrics._square_matrix.BLOCK_ENTRIES", 100)


@pytest.mark.parametrize("measure", EMBEDDING_ERRORS)
@pytest.mark.parametrize("power", [1, 2, 0.7, 3])
def test_embedding_errors_equal_their_definition(measure, power):
    """The blockwise value is the dense one, for every power and signature."""
    D, Z, signs = problem()
    embedded = dense_embedded(Z, signs)
    expected = dense_answer(measure, D, embedded, power)
    assert_allclose(measure(D, Z, axis_signs=signs, power=power), expected, rtol=1e-12)
    found = measure(D, embedded, input="squared", power=power)
    assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("measure", EMBEDDING_ERRORS)
def test_embedding_errors_do_not_depend_on_blocks(measure, request):
    """Blocks of a few rows give the same value as one block."""
    D, Z, signs = problem()
    whole = measure(D, Z, axis_signs=signs)
    request.getfixturevalue("small_blocks")
    assert_allclose(measure(D, Z, axis_signs=signs), whole, rtol=1e-13)


@pytest.mark.parametrize("measure", EMBEDDING_ERRORS)
def test_embedding_errors_ignore_order_and_place(measure):
    """Reordering objects, moving points and adding ignored axes changes nothing."""
    D, Z, signs = problem()
    order = np.random.default_rng(1).permutation(len(D))
    moved = np.column_stack([Z[order] + 1e3, np.arange(len(D))])
    found = measure(D[np.ix_(order, order)], moved, axis_signs=[*signs, 0])
    assert_allclose(found, measure(D, Z, axis_signs=signs), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-100, 2.0**-30, 1e100])
def test_embedding_errors_are_homogeneous(scale):
    """A change of unit multiplies STRESS by its fourth power, and no relative error."""
    D, Z, signs = problem()
    for measure, options in [
        (stress, {"normalize": True}),
        (additive_error, {"normalize": True}),
        (distortion, {}),
    ]:
        expected = measure(D, Z, axis_signs=signs, **options)
        found = measure(scale * D, scale * Z, axis_signs=signs, **options)
        assert_allclose(found, expected, rtol=1e-12)
    expected = additive_error(D, Z, axis_signs=signs) * scale**2
    found = additive_error(scale * D, scale * Z, axis_signs=signs)
    assert_allclose(found, expected, rtol=1e-12)
    if 1e-70 < scale < 1e70:
        found = stress(scale * D, scale * Z, axis_signs=signs)
        assert_allclose(found, stress(D, Z, axis_signs=signs) * scale**4, rtol=1e-12)


def test_stress_of_unlike_scales_is_that_of_the_larger():
    """Points of vanishing extent leave the whole of D, and the other way round."""
    D, Z, _ = problem()
    assert_allclose(stress(D, 1e-120 * Z), (D**4).sum(), rtol=1e-12)
    embedded = dense_embedded(Z, np.ones(3))
    assert_allclose(stress(1e-120 * D, Z), (embedded**2).sum(), rtol=1e-12)
    assert stress(1e100 * D, Z) == np.inf
    assert_allclose(stress(1e100 * D, Z, normalize=True), 1.0)


def test_embedding_errors_of_an_exact_embedding():
    """The points themselves have no error; a factor matters to STRESS alone."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    D = cdist(X, X)
    assert stress(D, X, normalize=True) < 1e-28
    assert stress(D, 3 * X, normalize=True) == pytest.approx(64)
    assert additive_error(D, 3 * X, normalize=True) < 1e-14
    assert distortion(D, 3 * X) == pytest.approx(1, abs=1e-13)


def test_embedding_errors_of_zero_matrices():
    """Nothing to explain is explained; no embedding leaves all of D."""
    zero, ones = np.zeros((3, 3)), 1.0 - np.eye(3)
    points = np.zeros((3, 2))
    for measure in (stress, additive_error):
        assert measure(zero, points, normalize=True) == 0.0
        assert measure(zero, points) == 0.0
        assert measure(ones, points, normalize=True) == 1.0
        assert measure(ones, points, axis_signs=[0, 0], normalize=True) == 1.0
    assert stress(zero, np.eye(3), normalize=True) == np.inf


def test_distortion_skips_pairs_without_a_ratio():
    """Pairs that are not positive on both sides count as skipped, others count."""
    D = np.array([[0, 2, 3, 1], [2, 0, 1, 4], [3, 1, 0, 5], [1, 4, 5, 0.0]])
    embedded = np.array([[0, -1, 4, 1], [-1, 0, 2, 9], [4, 2, 0, 0], [1, 9, 0, 0.0]])
    value, n_skipped = distortion(D, embedded, input="squared", return_skipped=True)
    assert n_skipped == 4
    assert_allclose(value, dense_answer(distortion, D, embedded, 2), rtol=1e-14)
    with pytest.raises(ValueError, match=r"D and Z of distortion must have a pair"):
        distortion(D, -(embedded**2), input="squared")
    with pytest.raises(ValueError, match="got none among 1 objects"):
        distortion([[0.0]], [[1.0]])


def test_distortion_skips_embedded_values_that_are_rounding():
    """Points that coincide have no ratio, wherever rounding puts their distance."""
    Z = np.repeat(np.random.default_rng(0).normal(size=(10, 5)), 2, axis=0) + 1e5
    D = cdist(Z, Z) + (1 - np.eye(20))
    _, n_skipped = distortion(D, Z, return_skipped=True)
    assert n_skipped == 20


@pytest.mark.parametrize("buffer_values", [0, 1, 30, 10**6])
@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).normal(size=501),
        np.random.default_rng(0).normal(size=500) * 1e-9 + 7.0,
        np.repeat([-1.0, 0.0, -0.0, 2.0], 25),
        np.full(64, -0.1),
        np.empty(0),
    ],
    ids=["odd", "narrow", "ties", "constant", "none"],
)
def test_deviation_from_the_median_in_batches(values, buffer_values):
    """The median found digit by digit gives the deviation from the true median."""
    deviation, n_values = mean_absolute_deviation(
        lambda: iter(np.array_split(values, 7)),
        n_at_most=1000,
        buffer_values=buffer_values,
    )
    assert n_values == len(values)
    expected = np.abs(values - np.median(values)).mean() if len(values) else 0.0
    assert_allclose(deviation, expected, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    "measure",
    [
        lambda D, Z: stress(D, Z),
        lambda D, Z: additive_error(D, Z),
        lambda D, Z: distortion(D, Z),
        lambda D, _: asymmetry(D),
        lambda D, _: triangle_violations(D),
    ],
    ids=["stress", "additive_error", "distortion", "asymmetry", "triangle_violations"],
)
def test_no_temporary_of_the_size_of_the_matrix(measure):
    """Memory is bounded by blocks: far below one float64 matrix."""
    n = 2500
    rng = np.random.default_rng(0)
    D = rng.integers(1, 200, size=(n, n), dtype=np.uint8)
    np.fill_diagonal(D, 0)
    Z = rng.normal(size=(n, 2))
    tracemalloc.start()
    try:
        measure(D, Z)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.7 * 8 * n * n


def every_measure(D, Z, S):
    return np.array(
        [
            stress(D, Z),
            additive_error(D, Z),
            distortion(D, Z),
            asymmetry(S),
            negative_fraction(S),
            negative_fraction(D, input="dissimilarity"),
            triangle_violations(D),
        ]
    )


def integer_problem():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 60, size=(12, 2))
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    D[0, 1] = D[1, 0] = 125
    return D, X.astype(np.float64), D % 11


@pytest.mark.parametrize(
    "form",
    ["uint8", "int8", "float32", "fortran", "list", "memmap", "pandas", "frozen"],
)
def test_any_form_of_a_matrix_gives_the_same_and_is_not_written(form, tmp_path):
    """Type, layout and container change no value, and inputs keep every byte."""
    D, Z, S = integer_problem()
    expected = every_measure(D.astype(np.float64), Z, S.astype(np.float64))

    def convert(array, name):
        if form == "fortran":
            return np.asfortranarray(array)
        if form == "list":
            return array.tolist()
        if form == "memmap":
            path = tmp_path / f"{name}.npy"
            np.save(path, array)
            return np.load(path, mmap_mode="r")
        if form == "pandas":
            return pd.DataFrame(array)
        if form == "frozen":
            array = array.astype(np.float64)
            array.flags.writeable = False
            return array
        return array.astype(form)

    inputs = [
        convert(array, name) for array, name in zip((D, Z, S), "DZS", strict=True)
    ]
    before = [np.asarray(array).tobytes() for array in inputs]
    assert_allclose(every_measure(*inputs), expected, rtol=1e-12)
    assert [np.asarray(array).tobytes() for array in inputs] == before


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_matrix_measures_do_not_depend_on_the_unit(scale):
    """Asymmetry, negative fraction, triangles and shares are dimensionless."""
    D, _, S = integer_problem()
    D, S = D.astype(np.float64), S + np.triu(np.ones(S.shape))
    for measure, matrix, options in [
        (asymmetry, S, {}),
        (negative_fraction, S + S.T, {}),
        (negative_fraction, D, {"input": "dissimilarity"}),
        (negative_fraction, D, {"input": "dissimilarity", "power": 3}),
        (triangle_violations, D, {}),
        (axis_shares, S[0] - 3, {}),
    ]:
        expected = measure(matrix, **options)
        assert_allclose(measure(scale * matrix, **options), expected, rtol=1e-12)


def test_negative_fraction_equals_the_dense_answer():
    """It is the share of negative eigenvalues, of S or of -J D**power J / 2."""
    D, _, S = integer_problem()
    J = np.eye(len(D)) - 1 / len(D)
    for matrix, found in [
        (S, negative_fraction(S)),
        (-J @ D**2 @ J / 2, negative_fraction(D, input="dissimilarity")),
        (-J @ D @ J / 2, negative_fraction(D, input="dissimilarity", power=1)),
        (-J @ D**0.5 @ J, negative_fraction(D, input="dissimilarity", power=0.5)),
    ]:
        eigenvalues = np.linalg.eigvalsh(matrix)
        expected = -eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum()
        assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
        found = negative_fraction(eigenvalues, input="eigenvalues")
        assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


def test_negative_fraction_of_definite_matrices_is_exactly_zero():
    """Gram matrices, Euclidean distances, and zero have no negative part at all."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert negative_fraction(X @ X.T) == 0.0
    assert negative_fraction(cdist(X, X), input="dissimilarity") == 0.0
    assert negative_fraction(-X @ X.T) == 1.0
    assert negative_fraction(np.zeros((4, 4))) == 0.0
    assert negative_fraction(np.zeros((4, 4)), input="dissimilarity") == 0.0
    assert negative_fraction([], input="eigenvalues") == 0.0


def test_negative_fraction_averages_rounding_asymmetry():
    """Halves that differ by rounding are averaged, others refused with both values."""
    S = np.diag([2.0, 1.0, -1.0])
    S[0, 1] = 1e-7
    assert_allclose(negative_fraction(S), 0.25, rtol=1e-6)
    S[0, 1] = 1e-3
    expected = (
        r"must be symmetric; got 0.001 for the pair \(0, 1\) and 0.0 for \(1, 0\)"
    )
    with pytest.raises(ValueError, match=expected):
        negative_fraction(S)


def test_axis_shares_over_each_total():
    """Eight fifteenths of the signed total are eight seventeenths of the absolute."""
    eigenvalues = np.array([1.0, 1.0, 0.0, -1 / 8])
    for total, expected in {
        "signed": [8 / 15, 8 / 15, 0, -1 / 15],
        "positive": [1 / 2, 1 / 2, 0, 0],
        "absolute": [8 / 17, 8 / 17, 0, 1 / 17],
    }.items():
        assert_allclose(axis_shares(eigenvalues, total=total), expected, rtol=1e-14)
        assert_allclose(axis_shares([0.0, 0.0], total=total), [0.0, 0.0])
    D = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    found = negative_fraction(D, input="dissimilarity")
    assert_allclose(found, axis_shares(eigenvalues)[-1], rtol=1e-12)


@pytest.mark.usefixtures("small_blocks")
def test_asymmetry_equals_the_dense_answer():
    """The ratio of the norms of the two parts, in any number of blocks."""
    A = np.random.default_rng(0).uniform(size=(25, 25))
    expected = np.linalg.norm(A - A.T) / np.linalg.norm(A + A.T)
    assert_allclose(asymmetry(A), expected, rtol=1e-13)
    minutes = [[0, 4, 9, 7], [6, 0, 5, 8], [9, 5, 0, 2], [3, 8, 2, 0]]
    assert_allclose(asymmetry(minutes), 0.149403576, rtol=1e-8)


def test_asymmetry_at_its_ends():
    """Zero if symmetric, one if one-sided, infinite if skew."""
    A = np.triu(np.ones((4, 4)), 1)
    assert asymmetry(A + A.T) == 0.0
    assert asymmetry(np.zeros((3, 3))) == 0.0
    assert asymmetry(A) == pytest.approx(1.0)
    assert asymmetry(A - A.T) == np.inf


def test_triangle_violations_equal_a_count_of_triples():
    """The share of ordered triples of different objects, for asymmetric D as well."""
    D = np.random.default_rng(0).uniform(0.1, 1.0, size=(9, 9))
    n = len(D)
    triples = [
        D[i, j] > D[i, k] + D[k, j]
        for i in range(n)
        for j in range(n)
        for k in range(n)
        if len({i, j, k}) == 3
    ]
    assert_allclose(triangle_violations(D), np.mean(triples), rtol=1e-14)
    assert triangle_violations(D[:2, :2]) == 0.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_triangle_violations_forgive_rounding(dtype):
    """Points on a line, where all inequalities are equalities, violate none."""
    X = np.random.default_rng(0).uniform(size=(40, 1)) * [[1.0, 2.0, 3.0]]
    D = cdist(X, X)
    assert triangle_violations(D.astype(dtype)) == 0.0
    assert triangle_violations((D**2).astype(dtype)) > 0.3


def test_triangle_violations_sample_objects_reproducibly():
    """The share of a random subset depends on the seed alone and is near the whole."""
    D = np.random.default_rng(0).uniform(0.2, 1.0, size=(120, 120))
    D = D + D.T
    np.fill_diagonal(D, 0)
    sampled = triangle_violations(D, max_objects=60, random_state=3)
    assert sampled == triangle_violations(D, max_objects=60, random_state=3)
    whole = triangle_violations(D, max_objects=None)
    assert whole == triangle_violations(D, max_objects=120)
    assert triangle_violations(D, max_objects=3, random_state=0) in np.arange(7) / 6
    assert_allclose(sampled, whole, rtol=0.2)


def test_triangle_violations_name_pairs_of_the_whole_matrix():
    """A comparison missing from the subset is reported by its place in D."""
    D = np.ones((50, 50))
    D[:, 7] = np.nan
    with pytest.raises(ValueError, match=r"for the pair \(\d+, 7\)"):
        triangle_violations(D, max_objects=49, random_state=0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda A: stress(A, np.zeros((3, 1))), "D of stress"),
        (lambda A: stress(np.zeros((3, 3)), A, input="squared"), "Z of stress"),
        (lambda A: additive_error(A, np.zeros((3, 1))), "D of additive_error"),
        (lambda A: distortion(A, np.zeros((3, 1))), "D of distortion"),
        (asymmetry, "matrix of asymmetry"),
        (negative_fraction, "matrix of negative_fraction"),
        (triangle_violations, "D of triangle_violations"),
    ],
)
def test_the_first_comparison_that_is_not_finite_is_named(call, name, bad):
    """Errors say which parameter, which pair and what value."""
    A = 1.0 - np.eye(3)
    A[1, 2] = A[2, 0] = bad
    expected = rf"^{name} must be finite; got {bad} for the pair \(1, 2\)"
    with pytest.raises(ValueError, match=expected):
        call(A)


FLAT = np.ones((3, 3)) - np.eye(3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: stress(FLAT[:2], FLAT),
            ValueError,
            r"^D of stress must be a square matrix .* got shape \(2, 3\)",
        ),
        (
            lambda: asymmetry(np.empty((0, 0))),
            ValueError,
            r"^matrix of asymmetry must be a square matrix .* got shape \(0, 0\)",
        ),
        (
            lambda: triangle_violations(3.0),
            ValueError,
            r"^D of triangle_violations must be a square matrix .* got shape \(\)",
        ),
        (
            lambda: stress(np.eye(3), FLAT),
            ValueError,
            "^D of stress must be zero on the diagonal; got 3 other values, at 0, 1, 2",
        ),
        (
            lambda: negative_fraction(-FLAT, input="dissimilarity"),
            ValueError,
            r"must not be negative; got -1.0 for the pair \(0, 1\). Pass power=1",
        ),
        (
            lambda: stress(FLAT, FLAT[:2]),
            ValueError,
            "^Z of stress must have one row per object; got 2 rows for 3 objects",
        ),
        (
            lambda: stress(FLAT, [1.0, 2.0, 3.0]),
            ValueError,
            r"^Z of stress must be a table of coordinates.* got shape \(3,\)",
        ),
        (
            lambda: stress(FLAT, [[1.0], [np.nan], [3.0]]),
            ValueError,
            "^Z of stress must be finite; got nan for object 1, column 0",
        ),
        (
            lambda: distortion(FLAT, FLAT, axis_signs=[1, 2, 1]),
            ValueError,
            r"^axis_signs of distortion must be one of \+1, -1 and 0 .*\[1 2 1\]",
        ),
        (
            lambda: distortion(FLAT, FLAT, axis_signs=[1]),
            ValueError,
            r"3 columns of Z; got \[1\] of shape \(1,\)",
        ),
        (
            lambda: stress(FLAT, FLAT, axis_signs=[1, 1, 1], input="squared"),
            ValueError,
            "^axis_signs of stress must be None with input='squared'",
        ),
        (
            lambda: stress(FLAT, FLAT, input="squares"),
            ValueError,
            '^input of stress must be "coordinates" or "squared"; got \'squares\'',
        ),
        (
            lambda: stress(FLAT, FLAT, power=0),
            ValueError,
            "^power of stress must be a positive number; got 0",
        ),
        (
            lambda: negative_fraction(FLAT, input="kernel"),
            ValueError,
            "^input of negative_fraction must be .* got 'kernel'",
        ),
        (
            lambda: negative_fraction([1.0, np.nan], input="eigenvalues"),
            ValueError,
            "must be finite; got nan at position 1",
        ),
        (
            lambda: axis_shares(FLAT),
            ValueError,
            r"^eigenvalues of axis_shares must be a vector .* got shape \(3, 3\)",
        ),
        (
            lambda: axis_shares([1.0], total="sum"),
            ValueError,
            "^total of axis_shares must be .* got 'sum'",
        ),
        (
            lambda: axis_shares([1.0, -1.0], total="signed"),
            ValueError,
            'must have a positive sum .* Use total="absolute"',
        ),
        (
            lambda: triangle_violations(FLAT, max_objects=2),
            ValueError,
            "^max_objects of triangle_violations must be None or an integer",
        ),
        (
            lambda: asymmetry(csr_array(FLAT)),
            TypeError,
            "^matrix of asymmetry must be dense.*got csr_array",
        ),
        (
            lambda: asymmetry(FLAT * 1j),
            TypeError,
            "^matrix of asymmetry must hold real numbers; got dtype complex128",
        ),
        (
            lambda: asymmetry([["a"]]),
            TypeError,
            "^matrix of asymmetry must hold real numbers; got dtype <U1",
        ),
    ],
)
def test_wrong_input_is_explained(call, error, text):
    """Which parameter of which function, what must hold, what came, what to do."""
    with pytest.raises(error, match=text):
        call()


def test_rounding_is_tolerated():
    """A hair off zero, on the diagonal or below zero, is no error and no effect."""
    D, Z, _ = problem(n=10)
    noisy = D.copy()
    np.fill_diagonal(noisy, 1e-17)
    noisy[0, 1] = noisy[1, 0] = -3e-16
    D[0, 1] = D[1, 0] = 0.0
    for power in (0.5, 2):
        found = stress(noisy, Z, power=power)
        assert_allclose(found, stress(D, Z, power=power), rtol=1e-14)
        found = negative_fraction(noisy, input="dissimilarity", power=power)
        expected = negative_fraction(D, input="dissimilarity", power=power)
        assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_squared_dissimilarities_may_be_negative():
    """With power 1 the signed squared dissimilarities of points have no error."""
    _, Z, signs = problem()
    D = dense_embedded(Z, signs)
    assert D.min() < 0
    assert stress(D, Z, axis_signs=signs, power=1, normalize=True) < 1e-28
    assert additive_error(D, Z, axis_signs=signs, power=1, normalize=True) < 1e-14


@pytest.mark.parametrize("power", [1, 2])
def test_kruskal_stress_is_that_of_the_distances(power, rng):
    """The definition, signs and all, in any unit; zero for an exact map."""
    Z, signs = rng.normal(size=(12, 3)), np.array([1.0, 1.0, -1.0])
    D = np.abs(rng.normal(size=(12, 12))) + 1.0
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    squared = (np.square(Z[:, None] - Z) * signs).sum(axis=-1)
    embedded = np.sign(squared) * np.abs(squared) ** (1 / power)
    expected = np.linalg.norm(embedded - D) / np.linalg.norm(embedded)
    found = kruskal_stress(D, Z, axis_signs=signs, power=power)
    assert found == pytest.approx(expected)
    unit = 1e3 ** (2 / power)
    found = kruskal_stress(unit * D, 1e3 * Z, axis_signs=signs, power=power)
    assert found == pytest.approx(expected)
    exact = np.sqrt(np.square(Z[:, None] - Z).sum(axis=-1))
    assert kruskal_stress(exact, Z) == pytest.approx(0.0, abs=1e-7)
