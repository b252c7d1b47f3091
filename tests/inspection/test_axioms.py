"""Facts about comparisons are counted exactly, and named by their place in X."""

import numpy as np
import pytest
from scipy import sparse

from skproxy.inspection._axioms import Axioms, complete_objects
from skproxy.inspection._compared_sample import ComparedSample
from skproxy.metrics import asymmetry, triangle_violations


@pytest.fixture
def D(rng):
    points = rng.normal(size=(30, 3))
    return np.abs(points[:, None] - points).sum(axis=-1)


def axioms_of(matrix, *, is_similarity=False, n_samples=1000, sample_only=False):
    rng = np.random.RandomState(0)
    sample = ComparedSample.of_matrix(matrix, n_samples, rng)
    whole = None if sample_only else matrix
    return Axioms.of(sample, whole, is_similarity=is_similarity, rng=rng)


def test_a_metric_has_nothing_to_report(D):
    """All counts are zero and every verdict is the good one."""
    axioms = axioms_of(D)
    assert axioms.is_symmetric
    assert not axioms.looks_inverted
    counts = [
        axioms.n_missing,
        axioms.n_asymmetric,
        axioms.n_nonzero_diagonal,
        axioms.n_negative,
        axioms.n_duplicates,
        axioms.asymmetry,
        axioms.triangle_violations,
    ]
    assert counts == [0] * 7
    assert axioms.smallest == D[D > 0].min()
    assert axioms.worst_pair is axioms.negative_pair is axioms.duplicate_pair is None


def test_each_fact_is_counted_once_per_pair(D):
    """Whatever the direction, and with positions in X."""
    D[3, 7] = np.nan
    D[8, 2] = D[2, 8] = np.inf
    D[5, 5] = np.nan
    D[11, 4] += 2.0
    D[9, 10] = D[10, 9] = -1.0
    D[20, 21] = D[21, 20] = 0.0
    D[6, 6] = 0.5
    axioms = axioms_of(D)
    assert axioms.n_missing == 3
    assert axioms.objects_with_missing.tolist() == [2, 3, 5, 7, 8]
    assert axioms.n_asymmetric == 1
    assert axioms.worst_pair == (4, 11)
    assert axioms.worst_values == (D[4, 11], D[11, 4])
    assert (axioms.n_negative, axioms.negative_pair) == (1, (9, 10))
    assert axioms.smallest == -1.0
    assert (axioms.n_duplicates, axioms.duplicate_pair) == (1, (20, 21))
    assert axioms.n_nonzero_diagonal == 1


def test_numbers_are_those_of_skproxy_metrics(rng):
    """Asymmetry and triangles of the sample are not computed a second time."""
    D = rng.uniform(0.1, 1.0, size=(25, 25))
    np.fill_diagonal(D, 0.0)
    axioms = axioms_of(D)
    assert axioms.asymmetry == asymmetry(D)
    assert axioms.triangle_violations == triangle_violations(D, max_objects=None)
    assert axioms.triangle_violations > 0


def test_whole_matrix_is_searched_whatever_the_sample(D):
    """One bad entry far from the sample is found; a sparse kernel shows its sample."""
    D[28, 29] = np.nan
    assert axioms_of(D, n_samples=5).n_missing == 1
    assert axioms_of(D, n_samples=5).n_objects == 30
    kernel = sparse.csr_matrix(np.exp(-np.nan_to_num(D)))
    assert axioms_of(kernel, is_similarity=True, n_samples=5).n_objects == 5


def test_many_blocks_count_as_one(rng):
    """Counts over several blocks of rows are those of dense numpy."""
    D = rng.randint(-2, 4, size=(700, 700)).astype(float)
    np.fill_diagonal(D, 0.0)
    upper = np.triu(np.ones(D.shape, dtype=bool), 1)
    axioms = axioms_of(D, n_samples=20)
    least = np.minimum(D, D.T)
    assert axioms.n_asymmetric == int((upper & (D.T != D)).sum())
    assert axioms.n_negative == int((upper & (least < 0)).sum())
    assert axioms.n_duplicates == int((upper & (least == 0)).sum())
    D[5, 650] += 50.0
    D[600, 610] += 20.0
    assert axioms_of(D, n_samples=20).worst_pair == (5, 650)


@pytest.mark.parametrize(("gap", "n_asymmetric"), [(0.5e-6, 0), (2e-6, 1)])
def test_directions_may_differ_by_a_millionth_of_the_largest(D, gap, n_asymmetric):
    """As in estimators."""
    D[0, 1] += gap * D.max()
    assert axioms_of(D).n_asymmetric == n_asymmetric


def test_rounding_is_no_fact(D):
    """What estimators tolerate is not reported."""
    D = D + 1e-12
    D[0, 1] += 1e-10
    axioms = axioms_of(D)
    assert axioms.is_symmetric
    assert axioms.n_nonzero_diagonal == 0
    single = axioms_of((D + 1e-7).astype(np.float32))
    assert single.n_nonzero_diagonal == 0


def test_duplicates_of_similarities_have_all_self_similarities(D):
    """s_ij = s_ii = s_jj; triangles are not asked for."""
    K = np.exp(-D)
    K[1], K[:, 1] = K[0], K[:, 0]
    K[1, 1] = K[0, 1] = K[1, 0] = K[0, 0]
    axioms = axioms_of(K, is_similarity=True)
    assert (axioms.n_duplicates, axioms.duplicate_pair) == (1, (0, 1))
    assert axioms.triangle_violations is None
    assert axioms.n_nonzero_diagonal == 0


def test_inverted_reading_is_noticed(D):
    """Similarities given as dissimilarities, and the other way round."""
    assert axioms_of(np.exp(-D)).looks_inverted
    assert axioms_of(D, is_similarity=True).looks_inverted
    assert not axioms_of(np.exp(-D), is_similarity=True).looks_inverted


@pytest.mark.parametrize("n", [1, 2])
def test_few_objects(n):
    """Nothing is undefined for one or two."""
    axioms = axioms_of(1.0 - np.eye(n))
    assert axioms.triangle_violations is None
    assert axioms.is_symmetric


def test_dropping_costs_the_worst_objects_only(D):
    """One object compared with nobody is dropped alone; two in turn."""
    D[4] = np.nan
    D[10, 11] = np.nan
    kept = complete_objects(D)
    assert 4 not in kept
    assert len(kept) == 28
    assert np.isfinite(D[np.ix_(kept, kept)]).all()
    assert len(complete_objects(np.full((6, 6), np.nan))) == 0
