import numpy as np
import pytest
from factories import similarity_with
from numpy.testing import assert_allclose

from skproxy.embedding._kernel_reading import read_square, read_vectors
from skproxy.embedding._leading_axes import Solver


@pytest.fixture
def solver():
    return Solver("auto", np.random.RandomState(0))


def test_vectors_and_their_matrix_read_the_same(solver, rng):
    """The linear kernel of vectors and its matrix give the same axes and choice."""
    X = rng.normal(size=(60, 9))
    one, other = read_vectors(X, 5, solver), read_square(X @ X.T, 5, solver)
    assert_allclose(one.axes.eigenvalues, other.axes.eigenvalues)
    gram = one.coordinates @ one.coordinates.T
    assert_allclose(other.coordinates @ other.coordinates.T, gram, atol=1e-11)
    for epsilon in (None, 0.6):
        chosen = [r.choose("It", 5, "pivot", epsilon) for r in (one, other)]
        assert chosen[0].tolist() == chosen[1].tolist()


def test_pivoting_rebuilds_better_than_scanning(solver, rng):
    """What the exemplars cannot rebuild is less for pivots than for the first rows."""
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 40))
    X += 0.3 * rng.normal(size=X.shape)
    reading = read_vectors(X, 6, solver)
    left = {}
    for order in ("pivot", "scan"):
        chosen = reading.choose("It", 6, order, None)
        weights = np.linalg.lstsq(X[chosen].T, X.T, rcond=None)[0]
        left[order] = np.linalg.norm(X - weights.T @ X[chosen])
    assert left["pivot"] < 0.9 * left["scan"]


def test_spreads_where_pivots_are_too_similar(solver):
    """A long object alike to all does not keep the others from being chosen."""
    X = np.eye(5)
    X = np.vstack([10 * np.ones(5), X])  # cosine .447 with each of the others
    reading = read_vectors(X, 4, solver)
    assert 0 in reading.choose("It", 4, "pivot", None)
    chosen = reading.choose("It", 4, "pivot", 0.4)
    assert len(chosen) == 4
    assert 0 not in chosen


def test_indefinite_exemplars_have_the_inertia_of_the_axes(solver, rng):
    """Pivoting on signed axes finds exemplars of both kinds."""
    K = similarity_with(np.array([9.0, -8.0, 5.0, -3.0]), 50, rng)
    chosen = read_square(K, 4, solver).choose("It", 4, "pivot", None)
    a = np.linalg.eigvalsh(K[np.ix_(chosen, chosen)])
    assert [(a > 0).sum(), (a < 0).sum()] == [2, 2]


def test_too_narrow_epsilon_says_what_would_do(solver, rng):
    """The error names the number found and an epsilon that works; less does not."""
    X = np.abs(rng.normal(size=(80, 6)))
    reading = read_vectors(X, 6, solver)
    with pytest.raises(
        ValueError, match=r"epsilon=0.1, under which \d were found"
    ) as e:
        reading.choose("It", 6, "pivot", 0.1)
    found, enough = (
        str(e.value).split(word)[1].split()[0].rstrip(",.")
        for word in ("under which ", "Pass epsilon=")
    )
    assert int(found) == 1
    chosen = reading.choose("It", 6, "pivot", float(enough))
    assert len(chosen) == 6
    with pytest.raises(ValueError, match="Pass epsilon="):
        reading.choose("It", 6, "pivot", float(enough) - 1e-4)


def test_too_narrow_epsilon_below_the_rank(solver, rng):
    """Where the rank is the tighter limit the error says so."""
    X = np.abs(rng.normal(size=(30, 3))) @ np.abs(rng.normal(size=(3, 8)))
    with pytest.raises(ValueError, match=r"\(3 are linearly independent without a lim"):
        read_vectors(X, 5, solver).choose("It", 5, "pivot", 0.1)


def test_rank_is_no_fault_of_epsilon(solver, rng):
    """Fewer exemplars because of the rank alone are no error."""
    X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 8))
    assert len(read_vectors(X, 5, solver).choose("It", 5, "pivot", 0.9)) == 3


def test_epsilon_needs_self_similarity(solver, rng):
    """Similarities that cannot be normalised are an error, not a free pass."""
    points = rng.normal(size=(20, 2))
    K = -np.square(points[:, None] - points[None]).sum(axis=2)
    reading = read_square(K, 4, solver)
    assert len(reading.choose("It", 4, "pivot", None)) == 4
    with pytest.raises(
        ValueError, match="epsilon of It needs objects that are similar"
    ):
        reading.choose("It", 4, "pivot", 0.5)
