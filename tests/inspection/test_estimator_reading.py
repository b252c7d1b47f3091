import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler

from skproxy import EigenCorrector, NeucMDS, Nystroem, NystromDissimilarity
from skproxy.inspection._estimator_reading import (
    ObjectComparisons,
    check_square_of,
    comparing_step,
    coordinate_signs,
    take_both,
    unpowered,
)


def test_comparisons_are_those_of_the_measure(points):
    """Dissimilarities in the units of the metric, powered as the estimator does."""
    X = points[0][:9]
    sample = ObjectComparisons.of(NystromDissimilarity("cityblock", power=1.5), X)
    D = cdist(X, X, "cityblock")
    np.testing.assert_allclose(sample.comparisons, D)
    np.testing.assert_allclose(sample.powered(), D**1.5)
    assert sample.power == 1.5
    assert sample.n_comparisons == 45
    S = sample.similarities()
    np.testing.assert_allclose(S.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(
        np.diag(S)[:, None] + np.diag(S) - 2 * S, D**1.5, atol=1e-9
    )


@pytest.mark.parametrize("center", [False, True])
def test_similarities_are_centred_where_the_estimator_centres(points, center):
    """And not elsewhere."""
    X = points[0][:9]
    sample = ObjectComparisons.of(Nystroem(kernel="linear", center=center), X)
    centred = X - X.mean(axis=0) if center else X
    np.testing.assert_allclose(sample.similarities(), centred @ centred.T, atol=1e-9)
    np.testing.assert_allclose(sample.powered(), cdist(X, X, "sqeuclidean"), atol=1e-9)


def test_a_kernel_that_is_given_rows_as_lists_sees_arrays():
    """As in fit."""
    sample = ObjectComparisons.of(Nystroem(kernel=np.dot), [[1.0, 2.0], [3.0, 4.0]])
    assert sample.comparisons.tolist() == [[5.0, 11.0], [11.0, 25.0]]


def test_signs_count_without_correction_only(pseudo_euclidean):
    """And always in NeucMDS."""
    D = pseudo_euclidean
    mds = NeucMDS(3, metric="precomputed", power=1).fit(D)
    assert coordinate_signs(mds).tolist() == mds.axis_signs_.tolist()
    for correction, expected in ((None, [-1, 1, 1]), ("flip", [1, 1, 1])):
        corrector = EigenCorrector(
            correction, input="dissimilarity", power=1, n_components=3
        ).fit(D)
        assert sorted(coordinate_signs(corrector)) == expected
    assert coordinate_signs(StandardScaler()) is None


def test_roots_keep_signs():
    """``sign(D) |D|^(1/power)``."""
    assert unpowered(np.array([-8.0, 0.0, 27.0]), 3).round(9).tolist() == [-2, 0, 3]


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, sparse.csr_matrix, list])
def test_some_objects_of_a_matrix(kind):
    """Rows and columns where precomputed, else rows."""
    X = kind(np.arange(16.0).reshape(4, 4).tolist())
    indices = np.array([1, 3])
    both = take_both(Nystroem(kernel="precomputed"), X, indices)
    both = both.toarray() if sparse.issparse(both) else np.asarray(both)
    assert both.tolist() == [[5.0, 7.0], [13.0, 15.0]]
    rows = take_both(Nystroem(), X, indices)
    assert (rows.shape[0] if hasattr(rows, "shape") else len(rows)) == 2
    columns = take_both(Nystroem(kernel="precomputed"), X, indices, np.array([0]))
    columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns)
    assert columns.tolist() == [[4.0], [12.0]]


def test_squares_are_asked_for_where_precomputed():
    """Vectors of any width pass."""
    check_square_of(Nystroem(), np.ones((3, 2)), "owner", "advice")
    with pytest.raises(ValueError, match=r"X of owner.*shape \(3, 2\)\. advice"):
        check_square_of(
            Nystroem(kernel="precomputed"), np.ones((3, 2)), "owner", "advice"
        )


def test_what_compares_nothing_is_refused():
    """By name."""
    with pytest.raises(TypeError, match=r"estimator of owner.*StandardScaler\.$"):
        comparing_step(StandardScaler(), None, "owner")
