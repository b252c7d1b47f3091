"""Samples are bounded, counted exactly and taken as they come."""

import operator

import numpy as np
import pandas as pd
import pytest
from factories import CountedBlocks, CountedCalls
from scipy import sparse

from skproxy import BlockMetric
from skproxy.comparisons import Measure
from skproxy.inspection._compared_sample import (
    ComparedSample,
    read_matrix,
    read_objects,
)


def gap(a, b):
    return float(abs(a - b)) + (a < b)


def block_gap(rows, others):
    return np.abs(np.subtract.outer(list(rows), list(others)))


def sample_of(X, compare, n_samples=10, max_comparisons=10**6, n_jobs=None):
    measure = Measure(compare, False, {})
    rng = np.random.RandomState(0)
    return ComparedSample.of_objects(
        X, measure, n_samples, max_comparisons, rng, n_jobs
    )


@pytest.mark.parametrize(("n_samples", "most"), [(10, 1000), (100, 50), (7, 50)])
def test_callable_is_called_as_often_as_said(n_samples, most):
    """Both directions and the diagonal, and one call that is not timed."""
    counted = CountedCalls(gap)
    sample = sample_of(list(range(30)), counted, n_samples, most)
    n = sample.n_samples
    assert n == min(n_samples, int(np.sqrt(most - 1)))
    assert counted.n_calls == sample.n_comparisons == n * n + 1 <= most
    assert sample.seconds > 0


def test_blocks_are_counted_too():
    """A BlockMetric is asked for one block, and for one pair before."""
    counted = CountedBlocks(block_gap)
    sample = sample_of(list(range(30)), BlockMetric(counted))
    assert counted.shapes == [(1, 1), (10, 10)]
    assert counted.n_evaluated == sample.n_comparisons


def test_comparisons_come_as_they_are():
    """Asymmetric ones, in the order of the objects, whatever n_jobs is."""
    X = list(np.random.RandomState(0).permutation(30))
    sample = sample_of(X, gap)
    expected = [[gap(X[i], X[j]) for j in sample.indices] for i in sample.indices]
    assert sample.square.tolist() == expected
    assert (np.diff(sample.indices) > 0).all()
    parallel = sample_of(X, operator.sub, n_jobs=2)
    np.testing.assert_array_equal(parallel.square, sample_of(X, operator.sub).square)


def test_named_metric_has_an_exact_diagonal(rng):
    """No rounding between an object and itself."""
    X = rng.normal(size=(20, 5)) + 1e4
    assert not np.diagonal(sample_of(X, "euclidean").square).any()


def test_missing_values_in_objects_are_let_through(rng):
    """They are to be reported."""
    X = rng.normal(size=(10, 3))
    X[2, 1] = np.nan
    square = sample_of(read_objects(X, "euclidean"), "euclidean").square
    assert np.isnan(square[2, 3])
    assert np.isfinite(square[3, 4])


def test_matrices_are_looked_up(rng):
    """Dense and sparse alike; nothing is evaluated."""
    K = rng.uniform(size=(12, 12))
    dense = ComparedSample.of_matrix(K, 5, np.random.RandomState(1))
    csr = ComparedSample.of_matrix(sparse.csr_matrix(K), 5, np.random.RandomState(1))
    np.testing.assert_array_equal(dense.square, csr.square)
    np.testing.assert_array_equal(dense.square, K[np.ix_(dense.indices, dense.indices)])
    assert dense.n_comparisons == 0
    assert dense.n_objects == 12


def test_data_frames_are_their_rows():
    """Labelled, as in the estimators; a Series stays what it is too."""
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert read_objects(frame, gap) is frame
    assert isinstance(read_objects(frame, "cityblock"), np.ndarray)
    words = pd.Series(["x", "yy"])
    assert read_objects(words, gap) is words


def test_words_of_errors():
    """What came and what to do."""
    with pytest.raises(TypeError, match=r"X of diagnose must be a sequence.*got str"):
        read_objects("words", gap)
    with pytest.raises(ValueError, match="at least one object; got none"):
        read_objects([], gap)
    with pytest.raises(ValueError, match=r"square matrix of all pairs.*\(3, 2\)"):
        read_matrix(np.ones((3, 2)), is_similarity=False)
    with pytest.raises(TypeError, match="must be dense for metric='precomputed'"):
        read_matrix(sparse.eye(3).tocsr(), is_similarity=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_a_matrix_is_read_in_double_and_its_rounding_remembered(dtype):
    """Only single precision was rounded to single precision."""
    matrix = (1 - np.eye(5)).astype(dtype)
    sample = ComparedSample.of_matrix(matrix, 5, np.random.RandomState(0))
    assert sample.square.dtype == np.float64
    assert sample.dtype == (np.float32 if dtype == np.float32 else np.float64)
