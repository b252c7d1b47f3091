import functools

import numpy as np
import pandas as pd
import pytest
from factories import CountedBlocks, CountedCalls
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern
from sklearn.metrics.pairwise import pairwise_kernels

from skproxy import BlockMetric
from skproxy.comparisons._measure import (
    Measure,
    _source_code,
    as_floats,
    block_kernel,
    evaluate_rectangle,
    evaluate_wedge,
)


def length_gap(a, b, factor=1.0):
    return factor * abs(len(a) - len(b))


def length_gaps(rows, others, factor=1.0):
    lengths = [len(r) for r in rows], [len(o) for o in others]
    return factor * np.abs(np.subtract.outer(*lengths))


WORDS = ["a", "bb", "ccc", "dddd", "", "f"]
GAPS = np.array([[length_gap(a, b) for b in WORDS] for a in WORDS])


@pytest.mark.parametrize(
    "make", [list, tuple, np.array, pd.Series, lambda w: np.array(w, dtype=object)]
)
@pytest.mark.parametrize("compare", [length_gap, BlockMetric(length_gaps)])
def test_scalar_and_block_measures_give_one_matrix(compare, make):
    """Rows by columns, with the parameters passed on."""
    measure = Measure(compare, False, {"factor": 2.0})
    rows, others = make(WORDS), make(WORDS[:4])
    block = evaluate_rectangle(measure, rows, others)
    np.testing.assert_array_equal(block, 2 * GAPS[:, :4])
    assert block.dtype == np.float64
    np.testing.assert_array_equal(evaluate_wedge(measure, others, rows), 2 * GAPS[:4])


def test_a_wedge_of_a_scalar_measure_takes_each_pair_once():
    """The leading corner is mirrored, not evaluated twice."""
    gap = CountedCalls(length_gap)
    evaluate_wedge(Measure(gap, False), WORDS[:4], WORDS)
    assert gap.n_calls == 4 * 5 / 2 + 4 * 2


def test_a_block_measure_is_never_called_pair_by_pair():
    """One call per block, on what the user passed."""
    gaps = CountedBlocks(length_gaps)
    evaluate_rectangle(Measure(BlockMetric(gaps), False), WORDS, WORDS[:4])
    assert gaps.shapes == [(6, 4)]


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("euclidean", {}),
        ("sqeuclidean", {}),
        ("cityblock", {}),
        ("chebyshev", {}),
        ("canberra", {}),
        ("braycurtis", {}),
        ("correlation", {}),
        ("minkowski", {"p": 3}),
        ("seuclidean", {"V": np.array([1.0, 2.0, 3.0, 4.0])}),
        ("mahalanobis", {"VI": np.diag([1.0, 2.0, 3.0, 4.0])}),
    ],
)
def test_named_dissimilarities_are_those_of_scipy(metric, params, rng):
    """With their parameters, on any two blocks."""
    X = rng.normal(size=(12, 4))
    block = evaluate_rectangle(Measure(metric, False, params), X, X[:5])
    np.testing.assert_allclose(block, cdist(X, X[:5], metric, **params), atol=1e-7)


@pytest.mark.parametrize("metric", ["jaccard", "hamming", "rogerstanimoto", "yule"])
def test_named_dissimilarities_of_booleans(metric, rng):
    """Boolean arrays are compared as such."""
    X = rng.uniform(size=(9, 12)) < 0.5
    block = evaluate_rectangle(Measure(metric, False), X, X[:4])
    np.testing.assert_allclose(block, cdist(X, X[:4], metric))


def test_missing_values_are_for_the_metric_that_knows_them(rng):
    """nan_euclidean scales up what is there."""
    X = np.array([[0.0, np.nan, 4.0], [3.0, 1.0, np.nan]])
    block = evaluate_rectangle(Measure("nan_euclidean", False), X, X.copy())
    np.testing.assert_allclose(block, [[0, 27**0.5], [27**0.5, 0]], atol=1e-7)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine", "poly", "sigmoid"])
def test_names_mean_kernels_for_similarities(kernel, rng):
    """cosine is a similarity here and a dissimilarity there."""
    X = rng.normal(size=(8, 3))
    block = evaluate_rectangle(Measure(kernel, True), X, X[:4])
    np.testing.assert_allclose(block, pairwise_kernels(X, X[:4], kernel), rtol=1e-12)
    if kernel == "cosine":
        unlike = evaluate_rectangle(Measure(kernel, False), X, X[:4])
        np.testing.assert_allclose(unlike, 1 - block, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, bool, np.float16])
def test_block_results_are_cast_before_anything_is_squared(dtype):
    """rapidfuzz gives uint8, scipy booleans: all become float64."""
    measure = Measure(BlockMetric(lambda r, o: length_gaps(r, o).astype(dtype)), False)
    block = evaluate_rectangle(measure, ["a" * 250], ["", "a"])
    assert block.dtype == np.float64
    assert (np.square(block) == block * block).all()
    assert as_floats(np.float32([[1.5]])).dtype == np.float32


@pytest.mark.parametrize("kernel", [RBF(2.0), Matern(), ConstantKernel(3.0) * RBF()])
def test_gaussian_process_kernels_are_taken_as_blocks(kernel, rng):
    """They are callables of two matrices, unlike any other callable kernel."""
    X = rng.normal(size=(9, 3))
    measure = Measure(block_kernel(kernel), True)
    assert not measure.is_scalar
    block = evaluate_rectangle(measure, X, X[:4])
    np.testing.assert_allclose(block, kernel(X, X[:4]))


def test_other_kernels_are_left_alone():
    """Names, callables and block metrics pass through."""
    for kernel in ("rbf", length_gap, BlockMetric(length_gaps)):
        assert block_kernel(kernel) is kernel


def typed_in(code):
    """Return the function of some code that no file holds, as in a console."""
    names = {"__name__": __name__}
    exec(code, names)
    return names["gap"]


def test_a_measure_is_told_from_its_namesake():
    """Editing a function changes its digest, though it pickles by the same name."""
    first = _source_code(typed_in("def gap(a, b): return abs(len(a) - len(b))"))
    again = _source_code(typed_in("def gap(a, b): return abs(len(a) - len(b))"))
    other = _source_code(typed_in("def gap(a, b): return 2 * abs(len(a) - len(b))"))
    assert first == again != other
    assert "factor * abs" in _source_code(length_gap)
    partial = functools.partial(length_gap, factor=2)
    assert _source_code(partial) == _source_code(length_gap)
    assert "n_calls" in _source_code(CountedCalls(length_gap))
    assert _source_code(np.hypot) is None


def test_measures_have_digests_of_their_own(monkeypatch):
    """By function, wrapper, parameters, side and code; equal ones have the same."""
    measures = [
        Measure(length_gap, False),
        Measure(length_gap, True),
        Measure(length_gap, False, {"factor": 2}),
        Measure(BlockMetric(length_gap), False),
        Measure(BlockMetric(length_gaps), False),
        Measure("euclidean", False),
        Measure("cityblock", False),
    ]
    digests = [measure.digest("metric") for measure in measures]
    assert len(set(digests)) == len(measures)
    assert Measure(length_gap, False, {}).digest("metric") == digests[0]
    monkeypatch.setattr("skproxy.comparisons._measure._source_code", lambda f: "edited")
    assert measures[0].digest("metric") != digests[0]


@pytest.mark.parametrize("wrap", [lambda f: f, BlockMetric])
def test_what_does_not_pickle_cannot_be_cached(wrap):
    """Said where memory= is asked for, with what to do."""
    measure = Measure(wrap(lambda a, b: 0.0), False)
    with pytest.raises(ValueError, match=r"metric of Me .* pickle .*memory=.*<lambda>"):
        measure.digest("metric of Me")


@pytest.mark.parametrize("value", [np.ones(3), "near", [[1.0, 2.0]]])
def test_a_scalar_measure_returns_one_number(value):
    """Functions of whole sequences are the usual mix-up; it says what to do then."""
    measure = Measure(lambda a, b: value, False)
    for evaluate in (evaluate_rectangle, evaluate_wedge):
        with pytest.raises(TypeError, match=r"one number .*; got .*BlockMetric\("):
            evaluate(measure, WORDS, WORDS)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1j, "got complex. Take np.abs"),
        (np.complex64(1), "got complex64. Take np.abs"),
        ((0.5, [(0, 0)]), "got tuple of 2. Take its first value"),
        (10**400, "got int. It is beyond 1e308"),
        (np.ones((2, 3)), r"got ndarray of shape \(2, 3\)"),
        (np.ma.masked_all((2,)), "one number"),
    ],
)
def test_what_is_no_number_is_told_with_the_way_out(value, message):
    """No part of it is dropped in silence."""
    measure = Measure(lambda a, b: value, False)
    with pytest.raises(TypeError, match=message):
        evaluate_rectangle(measure, WORDS, WORDS)


@pytest.mark.parametrize("value", [np.array([[0.5]]), np.float32(0.5), [0.5]])
def test_one_number_may_be_wrapped(value):
    """An array of size one is a number."""
    if isinstance(value, list):
        value = np.array(value)
    block = evaluate_rectangle(Measure(lambda a, b: value, False), WORDS, WORDS)
    assert (block == 0.5).all()


@pytest.mark.parametrize("masked", [True, False])
def test_masked_comparisons_are_missing(masked):
    """What is behind a mask is no comparison, whichever kind of function returns it."""
    block = np.ma.masked_array(np.ones((3, 3)), mask=masked * np.eye(3))
    measure = Measure(BlockMetric(lambda a, b: block), False)
    result = evaluate_rectangle(measure, ["a"] * 3, ["a"] * 3)
    assert np.isnan(result).sum() == 3 * masked
    scalar = Measure(lambda a, b: np.ma.masked, False)
    assert np.isnan(evaluate_rectangle(scalar, ["a"], ["b"])).all()


def test_complex_blocks_are_refused():
    """Their imaginary part would be lost."""
    measure = Measure(BlockMetric(lambda a, b: np.eye(3) * 1j), False)
    with pytest.raises(ValueError, match="must be real; got complex"):
        evaluate_rectangle(measure, ["a"] * 3, ["a"] * 3)


def test_errors_of_a_measure_are_its_own():
    """What goes wrong inside the user's function is not explained away."""

    def broken(a, b):
        msg = "no alignment"
        raise ValueError(msg)

    with pytest.raises(ValueError, match=r"^no alignment$"):
        evaluate_rectangle(Measure(broken, False), WORDS, WORDS)


@pytest.mark.parametrize("name", ["levenstein", "rbf"])
def test_unknown_names_are_said_to_be_unknown(name, rng):
    """Of scikit-learn or SciPy, and where kernels go."""
    X = rng.normal(size=(4, 2))
    with pytest.raises(ValueError, match=rf"metric='{name}' is no .* into Nystroem"):
        evaluate_rectangle(Measure(name, False), X, X)
