import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from skproxy import EBEKEmbedding


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 12))


def test_reconstruct_between_old_and_new(X):
    """The kernel between two sets is that of their coordinates."""
    ebek = EBEKEmbedding(12).fit(X[:40])
    new, old = ebek.transform(X[40:]), ebek.transform(X[:40])
    assert_allclose(ebek.reconstruct(new, old), X[40:] @ X[:40].T, atol=1e-12)
    assert_allclose(ebek.reconstruct(old), X[:40] @ X[:40].T, atol=1e-12)
    beyond_the_rank = EBEKEmbedding(14).fit(X)
    assert_allclose(
        beyond_the_rank.reconstruct(beyond_the_rank.transform(X)), X @ X.T, atol=1e-11
    )


def test_weights_rebuild_objects_under_projection(X):
    """Weights times exemplars is the projection onto the exemplars' span."""
    ebek = EBEKEmbedding(5, method="projection").fit(X)
    rebuilt = ebek.exemplar_weights(ebek.transform(X)) @ ebek.exemplars_
    Q = np.linalg.qr(ebek.exemplars_.T)[0]
    assert_allclose(rebuilt, X @ Q @ Q.T, atol=1e-12)
    at_exemplars = ebek.exemplar_weights(ebek.transform(ebek.exemplars_))
    assert_allclose(at_exemplars, np.eye(5), atol=1e-12)


def test_weights_of_the_kernel_method(X):
    """T S_EE T' is the best kernel; the turn brings A_E T near A, projection nearer."""
    ebek = EBEKEmbedding(5).fit(X)
    W, E = ebek.transform(X), ebek.exemplars_
    rebuilt = ebek.exemplar_weights(W) @ E
    assert_allclose(rebuilt @ rebuilt.T, ebek.reconstruct(W), atol=1e-11)
    Q = np.linalg.qr(E.T)[0]
    projected = np.linalg.norm(X - X @ Q @ Q.T)
    ours = np.linalg.norm(X - rebuilt)
    # The paper's T, without a turn: P Sigma V' with P' S_EE P = I.
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    P = np.linalg.inv(np.linalg.cholesky(E @ E.T)).T
    paper = np.linalg.norm(X - (U[:, :5] * s[:5]) @ P.T @ E)
    assert projected < ours < 1.1 * projected < paper


def test_names_are_those_of_exemplars(X):
    """Columns carry the position of their exemplar among the objects fitted."""
    X[:, 4:] = 0.0
    ebek = EBEKEmbedding(6).fit(X)
    names = [f"exemplar{i}" for i in ebek.exemplar_indices_]
    assert ebek.get_feature_names_out().tolist() == [*names, "axis4", "axis5"]
    assert len(names) == ebek.n_exemplars_ == 4


def test_names_in_a_data_frame(X):
    """set_output gives a data frame with a column per exemplar."""
    ebek = EBEKEmbedding(3).set_output(transform="pandas").fit(X)
    frame = ebek.transform(X)
    assert frame.columns.tolist() == [f"exemplar{i}" for i in ebek.exemplar_indices_]


@pytest.mark.parametrize("method", ["reconstruct", "exemplar_weights"])
def test_coordinates_of_other_width(method, X):
    """Objects passed for coordinates are told apart by their width."""
    ebek = EBEKEmbedding(3).fit(X)
    with pytest.raises(ValueError, match="W of EBEKEmbedding must be coordinates from"):
        getattr(ebek, method)(X)
    W = ebek.transform(X)
    with pytest.raises(ValueError, match="others of EBEKEmbedding must be coordinates"):
        ebek.reconstruct(W, X)


@pytest.mark.parametrize(
    "method", ["transform", "reconstruct", "exemplar_weights", "get_feature_names_out"]
)
def test_not_fitted(method, X):
    """Nothing can be read before fit."""
    with pytest.raises(NotFittedError):
        getattr(EBEKEmbedding(), method)(X)
