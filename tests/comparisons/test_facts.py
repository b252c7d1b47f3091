import numpy as np
import pytest

from skproxy import NystromDissimilarity
from skproxy.comparisons._facts import (
    check_dissimilarities,
    check_finite,
    check_square,
    check_zero_diagonal,
    raise_asymmetric,
    rounding_tolerance,
    worst_asymmetry,
)


def distances(n, rng):
    points = rng.normal(size=(n, 3))
    return np.abs(points[:, None] - points[None]).sum(axis=-1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_value_that_is_not_finite_is_named(bad):
    """Row by row, in the user's positions; how many there are is said too."""
    block = np.ones((3, 4))
    check_finite(block, "measure")
    block[1, 3] = block[2, 0] = bad
    with pytest.raises(ValueError, match=r"measure .* got -?(nan|inf) .* \(1, 3\) \(2"):
        check_finite(block, "measure")
    with pytest.raises(ValueError, match=r"pair \(20, 8\)"):
        check_finite(block, "measure", np.array([10, 20, 30]), np.array([5, 6, 7, 8]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_overflows_is_no_error(dtype):
    """Finite values pass whatever their size."""
    check_finite(np.full((9, 9), np.finfo(dtype).max, dtype=dtype), "measure")


def test_tolerance_is_rounding_of_the_dtype():
    """1e-8 relative, coarser for single precision only."""
    assert rounding_tolerance(np.dtype(np.float64)) == 1e-8
    assert rounding_tolerance(np.dtype(np.uint8)) == 1e-8
    assert 1e-7 < rounding_tolerance(np.dtype(np.float32)) < 1e-5


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_objects_unlike_themselves_are_listed(scale):
    """Relative to the largest comparison; five are shown, the rest counted."""
    check_zero_diagonal(np.full(9, 9e-7 * scale), scale, 1e-8, "measure")
    with pytest.raises(ValueError, match=r"objects \[0, 1, 2, 3, 4\] and 4 more"):
        check_zero_diagonal(np.full(9, 2e-6 * scale), scale, 1e-8, "measure")
    diagonal = np.zeros(3)
    diagonal[1] = -scale
    with pytest.raises(ValueError, match=r"objects \[7\].*input='similarity'"):
        check_zero_diagonal(diagonal, scale, 1e-8, "measure", np.array([3, 7, 9]))


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_negative_dissimilarities_are_named_and_rounding_is_not(scale):
    """Relative to the scale, or to the block where the landmarks have no scale."""
    block = np.array([[0.0, 2.0], [-1e-9, 1.0]]) * scale
    check_dissimilarities(block, scale, 1e-8, "measure")
    check_dissimilarities(block, 0.0, 1e-8, "measure")
    block[1, 0] = -1e-3 * scale
    with pytest.raises(ValueError, match=r"measure .* got -.* \(0, 1\).*power=1"):
        check_dissimilarities(block, scale, 1e-8, "measure")
    check_dissimilarities(np.empty((0, 2)), 1.0, 1e-8, "measure")


def test_worst_asymmetry_is_found():
    """Position and size of the largest difference."""
    upper, lower = np.zeros((2, 3)), np.zeros((2, 3))
    upper[1, 2], lower[0, 1] = 3.0, -5.0
    assert worst_asymmetry(upper, lower) == (0, 1, 5.0)
    assert worst_asymmetry(np.empty((0, 3)), np.empty((0, 3))) == (0, 0, 0.0)
    with pytest.raises(ValueError, match=r"got 1.0 .* \(2, 5\) and 2.0 for \(5, 2\)"):
        raise_asymmetric((2, 5), 1.0, 2.0, "measure")


KINDS = dict(dissimilarity=True, negative_allowed=False, symmetrize=None)


@pytest.mark.parametrize("n", [1, 2, 30, 1500])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_worst_pair_is_found_in_any_block(n, dtype, rng):
    """Blocks of rows see each pair once and find the worst one wherever it is."""
    D = distances(n, rng).astype(dtype)
    scale, exact = check_square(D, "X", **KINDS)
    assert exact
    assert scale == D.max(initial=0)
    for _ in range(3 if n > 1 else 0):
        i, j = np.sort(rng.choice(n, 2, replace=False))
        a, b = rng.choice(n, 2, replace=False)
        bad = D.copy()
        bad[a, b] *= 1.001
        bad[j, i] = bad[i, j] + 50
        with pytest.raises(ValueError, match=rf"for the pair \({i}, {j}\) and"):
            check_square(bad, "X", **KINDS)
        assert not check_square(bad, "X", **{**KINDS, "symmetrize": "min"})[1]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, bool, np.float16])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "read-only"])
def test_any_numeric_dtype_and_layout_is_read(dtype, layout, rng):
    """Nothing wraps round and nothing is written."""
    D = np.abs(np.subtract.outer(np.arange(20), np.arange(20))).astype(dtype)
    before = D.copy()
    if layout == "F":
        D = np.asfortranarray(D)
    elif layout == "strided":
        D = np.repeat(np.repeat(D, 2, axis=0), 2, axis=1)[::2, ::2]
    elif layout == "read-only":
        D.flags.writeable = False
    assert check_square(D, "X", **KINDS) == (float(before.max()), True)
    np.testing.assert_array_equal(D, before)
    if D.flags.writeable and dtype is not bool:
        D[3, 5] = 100
        with pytest.raises(ValueError, match=r"got 100.0 for the pair \(3, 5\) and 2"):
            check_square(D, "X", **KINDS)


@pytest.mark.parametrize(("gap", "passes"), [(1e-7, True), (1e-5, False)])
def test_asymmetry_is_relative_to_the_largest_value(gap, passes, rng):
    """Within 1e-6 it passes, and is reported as not exact."""
    D = distances(10, rng)
    D[2, 4] += gap * D.max()
    if passes:
        assert not check_square(D, "X", **KINDS)[1]
    else:
        with pytest.raises(ValueError, match=r"symmetric.*symmetrize='average'"):
            check_square(D, "X", **KINDS)


def test_similarities_may_be_negative_and_have_a_diagonal(rng):
    """What is wrong for dissimilarities is right for similarities."""
    S = np.cov(rng.normal(size=(6, 4)))
    assert S.min() < 0
    check_square(S, "X", dissimilarity=False, negative_allowed=True, symmetrize=None)
    with pytest.raises(ValueError, match="Negative values in data"):
        check_square(S, "X", **KINDS)
    with pytest.raises(ValueError, match="zero diagonal"):
        check_square(np.abs(S), "X", **KINDS)


@pytest.mark.parametrize("blank", [0.0, np.nan])
@pytest.mark.parametrize(
    ("half", "side", "mirror"), [(np.tril, "above", "tril"), (np.triu, "below", "triu")]
)
@pytest.mark.parametrize("symmetrize", [None, "average", "min"])
def test_one_triangle_is_named_and_never_averaged(
    blank, half, side, mirror, symmetrize
):
    """The mean of a comparison and of nothing is half of it."""
    full = distances(6, np.random.RandomState(0)) * 1e-3
    matrix = half(full)
    matrix[half(np.ones((6, 6))) == 0] = blank
    what = "NaN" if np.isnan(blank) else "zero"
    message = rf"one triangle: all 15 entries {side} .* are {what}.*np\.{mirror}"
    with pytest.raises(ValueError, match=message):
        check_square(
            matrix,
            "X of Me",
            dissimilarity=True,
            negative_allowed=False,
            symmetrize=symmetrize,
        )


def test_the_maximum_takes_the_triangle_that_is_there():
    """Exactly the estimator of the full matrix, for zeros in the other triangle."""
    full = distances(8, np.random.RandomState(0))
    model = NystromDissimilarity("precomputed", n_landmarks=4, random_state=0)
    expected = model.fit_transform(full)
    model.set_params(symmetrize="max")
    for half in (np.tril, np.triu):
        np.testing.assert_allclose(model.fit_transform(half(full)), expected)


def test_matrices_of_zeros_and_small_ones_have_no_empty_triangle():
    """A matrix of equal objects is symmetric, and two objects have one pair only."""
    arguments = {"dissimilarity": True, "negative_allowed": False, "symmetrize": None}
    assert check_square(np.zeros((5, 5)), "X of Me", **arguments) == (0.0, True)
    with pytest.raises(ValueError, match="must be symmetric"):
        check_square(np.array([[0.0, 1.0], [0.0, 0.0]]), "X of Me", **arguments)
