import numpy as np
import pytest
from factories import similarity_with
from numpy.testing import assert_allclose
from scipy import linalg, sparse

from skproxy.embedding._exemplars import (
    Candidates,
    Similarities,
    choose_exemplars,
    smallest_feasible_epsilon,
)


@pytest.fixture
def how(rng):
    return "auto", rng


def test_pivot_is_pivoted_qr(rng):
    """Pivoting takes what column-pivoted QR of the transposed rows takes."""
    X = rng.normal(size=(60, 12)) * np.geomspace(1, 30, 60)[:, None]
    _, order = linalg.qr(X.T, mode="r", pivoting=True)
    assert choose_exemplars(X, 12).tolist() == order[:12].tolist()


def test_pivot_ignores_the_order_of_objects(rng):
    """Shuffled objects give the same exemplars."""
    X = rng.normal(size=(50, 8))
    shuffle = rng.permutation(50)
    assert shuffle[choose_exemplars(X[shuffle], 6)].tolist() == list(
        choose_exemplars(X, 6)
    )


def gram_schmidt_scan(X, m, epsilon):
    """Algorithm 2 of the paper, written out."""
    chosen, directions = [], []
    for i, row in enumerate(X):
        left = row.copy()
        for direction in directions:
            left -= (left @ direction) * direction
        cosines = [
            row @ X[j] / np.linalg.norm(row) / np.linalg.norm(X[j]) for j in chosen
        ]
        if np.linalg.norm(left) > 1e-6 and all(c <= epsilon for c in cosines):
            chosen.append(i)
            directions.append(left / np.linalg.norm(left))
        if len(chosen) == m:
            break
    return chosen


@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.1])
def test_scan_is_the_paper(epsilon, rng):
    """Scanning takes the first independent, dissimilar objects, in file order."""
    X = rng.normal(size=(80, 6)) + 0.3
    X[3] = X[1] - X[0]
    X[4] = 2 * X[0]
    expected = gram_schmidt_scan(X, 5, epsilon)
    similarities = Similarities(X, of_vectors=True)
    found = choose_exemplars(
        X, 5, order="scan", epsilon=epsilon, similarities=similarities
    )
    assert found.tolist() == expected


@pytest.mark.parametrize("order", ["pivot", "scan"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_chosen_are_independent_and_span(order, container, rng):
    """As many as the rank are chosen, and all rows are combinations of them."""
    X = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 30))
    X[::3] = X[1]
    X[5] = 0.0
    chosen = choose_exemplars(container(X), 10, order=order)
    assert len(chosen) == 4
    assert len(set(chosen)) == 4
    weights = np.linalg.lstsq(X[chosen].T, X.T, rcond=None)[0]
    assert_allclose(weights.T @ X[chosen], X, atol=1e-9 * np.abs(X).max())


@pytest.mark.parametrize("order", ["pivot", "scan", "spread"])
@pytest.mark.parametrize("epsilon", [0.9, 0.5, 0.2, -0.1])
def test_epsilon_is_enforced(order, epsilon, rng):
    """No two exemplars are more similar than epsilon."""
    X = rng.normal(size=(100, 8)) + 0.2
    similarities = Similarities(X, of_vectors=True)
    chosen = choose_exemplars(
        X, 8, order=order, epsilon=epsilon, similarities=similarities
    )
    assert len(chosen) >= 2
    among = similarities.normalized_among(chosen)
    assert among[np.triu_indices(len(chosen), 1)].max() <= epsilon


def test_small_rows_are_independent():
    """Independence is relative to a row's own length."""
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1e-9, 0.0], [1.0, 1e-12, 0.0]])
    assert choose_exemplars(X, 3).tolist() == [0, 1]


@pytest.mark.parametrize("order", ["pivot", "scan"])
def test_nothing_to_choose(order):
    """Zero rows are no exemplars."""
    assert choose_exemplars(np.zeros((5, 3)), 2, order=order).tolist() == []


def test_vectors_and_matrix_agree(rng):
    """Similarities of vectors are those of their Gram matrix."""
    X = rng.normal(size=(20, 7))
    X[4] = 0.0
    vectors, matrix = Similarities(X, of_vectors=True), Similarities(X @ X.T)
    some = np.array([3, 4, 9])
    assert_allclose(vectors.diagonal, matrix.diagonal)
    assert_allclose(vectors.columns([3]), matrix.columns([3]))
    assert_allclose(vectors.columns(some), matrix.columns(some))
    assert_allclose(vectors.among(some), matrix.among(some))
    assert_allclose(vectors.normalized(3), matrix.normalized(3), atol=1e-15)
    lengths = np.linalg.norm(X, axis=1)
    lengths[4] = 1.0
    cosines = (X / lengths[:, None]) @ (X / lengths[:, None]).T
    assert_allclose(matrix.normalized_among(some), cosines[np.ix_(some, some)])
    assert_allclose(vectors.normalized(9), cosines[9], atol=1e-15)
    assert_allclose(vectors.readings(some), X[some])
    assert_allclose(matrix.readings(some), np.eye(3))


def test_smallest_feasible_epsilon():
    """The epsilon offered was tried, and 1e-4 less is too little."""
    tried = []

    def choose(epsilon):
        tried.append(epsilon)
        return range(5 if epsilon >= 0.12345 else 3)

    found = smallest_feasible_epsilon(choose, 5)
    assert found == 0.1235
    assert found in tried
    assert len(tried) < 20


def test_no_feasible_epsilon():
    """None where even 1 leaves too few (possible for indefinite kernels only)."""
    assert smallest_feasible_epsilon(lambda epsilon: range(3), 5) is None


def test_vectors_and_their_matrix_read_the_same(how, rng):
    """The linear kernel of vectors and its matrix give the same axes and choice."""
    X = rng.normal(size=(60, 9))
    one, other = (
        Candidates.of_vectors(X, 5, *how),
        Candidates.of_square(X @ X.T, 5, *how),
    )
    assert_allclose(one.axes.eigenvalues, other.axes.eigenvalues)
    gram = one.coordinates @ one.coordinates.T
    assert_allclose(other.coordinates @ other.coordinates.T, gram, atol=1e-11)
    for epsilon in (None, 0.6):
        chosen = [r.choose("It", 5, "pivot", epsilon) for r in (one, other)]
        assert chosen[0].tolist() == chosen[1].tolist()


def test_pivoting_rebuilds_better_than_scanning(how, rng):
    """What the exemplars cannot rebuild is less for pivots than for the first rows."""
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 40))
    X += 0.3 * rng.normal(size=X.shape)
    candidates = Candidates.of_vectors(X, 6, *how)
    left = {}
    for order in ("pivot", "scan"):
        chosen = candidates.choose("It", 6, order, None)
        weights = np.linalg.lstsq(X[chosen].T, X.T, rcond=None)[0]
        left[order] = np.linalg.norm(X - weights.T @ X[chosen])
    assert left["pivot"] < 0.9 * left["scan"]


def test_spreads_where_pivots_are_too_similar(how):
    """A long object alike to all does not keep the others from being chosen."""
    X = np.eye(5)
    X = np.vstack([10 * np.ones(5), X])  # cosine .447 with each of the others
    candidates = Candidates.of_vectors(X, 4, *how)
    assert 0 in candidates.choose("It", 4, "pivot", None)
    chosen = candidates.choose("It", 4, "pivot", 0.4)
    assert len(chosen) == 4
    assert 0 not in chosen


def test_indefinite_exemplars_have_the_inertia_of_the_axes(how, rng):
    """Pivoting on signed axes finds exemplars of both kinds."""
    K = similarity_with(np.array([9.0, -8.0, 5.0, -3.0]), 50, rng)
    chosen = Candidates.of_square(K, 4, *how).choose("It", 4, "pivot", None)
    a = np.linalg.eigvalsh(K[np.ix_(chosen, chosen)])
    assert [(a > 0).sum(), (a < 0).sum()] == [2, 2]


def test_too_narrow_epsilon_says_what_would_do(how, rng):
    """The error names the number found and an epsilon that works; less does not."""
    X = np.abs(rng.normal(size=(80, 6)))
    candidates = Candidates.of_vectors(X, 6, *how)
    with pytest.raises(
        ValueError, match=r"epsilon=0.1, under which \d were found"
    ) as e:
        candidates.choose("It", 6, "pivot", 0.1)
    found, enough = (
        str(e.value).split(word)[1].split()[0].rstrip(",.")
        for word in ("under which ", "Pass epsilon=")
    )
    assert int(found) == 1
    chosen = candidates.choose("It", 6, "pivot", float(enough))
    assert len(chosen) == 6
    with pytest.raises(ValueError, match="Pass epsilon="):
        candidates.choose("It", 6, "pivot", float(enough) - 1e-4)


def test_too_narrow_epsilon_below_the_rank(how, rng):
    """Where the rank is the tighter limit the error says so."""
    X = np.abs(rng.normal(size=(30, 3))) @ np.abs(rng.normal(size=(3, 8)))
    with pytest.raises(ValueError, match=r"\(3 are linearly independent without a lim"):
        Candidates.of_vectors(X, 5, *how).choose("It", 5, "pivot", 0.1)


def test_rank_is_no_fault_of_epsilon(how, rng):
    """Fewer exemplars because of the rank alone are no error."""
    X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 8))
    assert len(Candidates.of_vectors(X, 5, *how).choose("It", 5, "pivot", 0.9)) == 3


def test_epsilon_needs_self_similarity(how, rng):
    """Similarities that cannot be normalised are an error, not a free pass."""
    points = rng.normal(size=(20, 2))
    K = -np.square(points[:, None] - points[None]).sum(axis=2)
    candidates = Candidates.of_square(K, 4, *how)
    assert len(candidates.choose("It", 4, "pivot", None)) == 4
    with pytest.raises(
        ValueError, match="epsilon of It needs objects that are similar"
    ):
        candidates.choose("It", 4, "pivot", 0.5)


def test_scan_of_nearly_dependent_rows(rng):
    """Rows are orthogonalised twice: what is left is what least squares leave."""
    X = np.vander(np.linspace(0.1, 1, 16))
    floor = np.finfo(float).eps * (16 + 64)
    expected = [0]
    for i in range(1, 16):
        known = X[expected].T
        left = X[i] - known @ np.linalg.lstsq(known, X[i], rcond=None)[0]
        if left @ left > floor * (X[i] @ X[i]):
            expected.append(i)
    assert len(expected) == 14
    assert choose_exemplars(X, 16, "scan").tolist() == expected


def test_independence_is_told_down_to_1e_6_of_a_length():
    """A part of 1e-6 makes a row independent, one of 1e-8 does not."""
    X = np.array([[1.0, 0.0], [1.0, 1e-6]])
    assert choose_exemplars(X, 2, "scan").tolist() == [0, 1]
    X[1, 1] = 1e-8
    assert choose_exemplars(X, 2, "scan").tolist() == [0]


def test_scan_knows_the_precision_of_the_matrix(how, rng):
    """Rounding of float32 kernels of rank 3 makes no fourth exemplar."""
    as_if_exact = []
    for _ in range(20):
        X = rng.normal(size=(40, 3))
        K = (X @ X.T).astype(np.float32)
        found = Candidates.of_square(K, 6, *how).choose("It", 6, "scan", None)
        assert len(found) == 3
        as_if_exact.append(len(choose_exemplars(K.astype(float), 6, "scan")))
    assert max(as_if_exact) > 3


def test_the_better_of_pivots_and_spread_counts(how):
    """Where spreading leaves fewer under epsilon than pivots do, pivots stay."""
    X = np.abs(np.random.RandomState(1).normal(size=(12, 4)))
    candidates = Candidates.of_vectors(X, 4, *how)
    rows, similarities = candidates.axes.coordinates, candidates.similarities
    found = [
        len(choose_exemplars(rows, 4, order, 0.7, similarities))
        for order in ("pivot", "spread")
    ]
    assert found == [3, 2]
    with pytest.raises(ValueError, match="under which 3 were found"):
        candidates.choose("It", 4, "pivot", 0.7)
