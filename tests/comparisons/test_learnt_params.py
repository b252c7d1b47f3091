import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from skproxy import NeucMDS, NyIKFD, NystromDissimilarity
from skproxy.comparisons._learnt_params import learnt_params

X = np.random.RandomState(0).standard_t(3, size=(60, 3)) * [1e-3, 1.0, 1e3]
NEW = np.random.RandomState(1).standard_t(3, size=(1, 3)) * [1e-3, 1.0, 1e3]
LEARNT = {
    "seuclidean": {"V": X.var(axis=0, ddof=1)},
    "mahalanobis": {"VI": np.linalg.inv(np.cov(X.T))},
}


@pytest.mark.parametrize("metric", LEARNT)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_what_scipy_takes_from_the_rows_at_hand_is_learnt_from_all(metric, layout):
    """The unbiased variances, or the inverse covariance."""
    for name, value in LEARNT[metric].items():
        found = learnt_params(metric, {}, layout(X), "metric of Me")
        np.testing.assert_allclose(found[name], value, rtol=1e-9)
        assert learnt_params(metric, {name: 1}, X, "metric of Me") == {}
    assert learnt_params("euclidean", {}, X, "metric of Me") == {}
    assert learnt_params(cdist, {}, X, "metric of Me") == {}


@pytest.mark.parametrize("metric", LEARNT)
def test_new_objects_are_measured_as_those_of_the_fit(metric):
    """One of them alone has no variance; that of the fit is kept."""
    model = NystromDissimilarity(metric, n_landmarks=10, random_state=0)
    given = NystromDissimilarity(
        metric, metric_params=LEARNT[metric], n_landmarks=10, random_state=0
    )
    Z, expected = model.fit_transform(X), given.fit_transform(X)
    np.testing.assert_allclose(Z, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        model.transform(NEW), given.transform(NEW), rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-6 * np.abs(Z).max())
    assert model.metric_params is None


@pytest.mark.parametrize("metric", LEARNT)
def test_every_estimator_learns_them(metric):
    """A map of all pairs, and a classifier."""
    labels = np.arange(60) % 2
    assert np.isfinite(NeucMDS(2, metric=metric).fit_transform(X)).all()
    model = NyIKFD(metric=metric, n_landmarks=10, random_state=0).fit(X, labels)
    assert model.predict(NEW).shape == (1,)


@pytest.mark.parametrize("rows", [X[:3], X[:1], np.c_[X, X[:, 0] - X[:, 1] / 1e3]])
def test_a_covariance_that_cannot_be_inverted_is_told(rows):
    """Its rank, the way out, and no LinAlgError."""
    with pytest.raises(ValueError, match=r"'mahalanobis', inverts .* rank .*pinv"):
        NystromDissimilarity("mahalanobis").fit(rows)


def test_constant_columns_are_named():
    """Their variance would divide."""
    with pytest.raises(ValueError, match=r"'seuclidean', divides .* at \[1\]"):
        NystromDissimilarity("seuclidean").fit(X * [1, 0, 1])
