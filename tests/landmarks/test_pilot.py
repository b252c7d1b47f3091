"""The pilot embedding: what it holds, what it costs."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from skproxy.comparisons import ColumnComparisons
from skproxy.landmarks import (
    EntropySelector,
    FarthestPointSelector,
    KMeansSelector,
    LeverageSelector,
    PivotedCholeskySelector,
    select_landmarks,
)
from skproxy.landmarks._pilot import distinct, draw_candidates, embed_pilot


def price(c, q):
    """Return the comparisons of a pilot: c with q, and the other probes in pairs."""
    extra = min(4 * q, int(np.sqrt(2 * c * q))) - q
    extra = int(np.clip(extra, 0, c - q))
    return q * (q + 1) // 2 + (c - q) * q + extra * (extra + 1) // 2


def signed(n, seed=0):
    """Return a similarity matrix of rank 6 with eigenvalues of both signs."""
    rng = np.random.RandomState(seed)
    E, _ = np.linalg.qr(rng.normal(size=(n, 6)))
    return (E * [9.0, -7.0, 5.0, 3.0, -2.0, 1.0]) @ E.T


@pytest.mark.parametrize("spectrum", ["flip", "square"])
def test_similarities_are_flipped_or_squared(table_of, spectrum):
    """Inner products of the vectors are |S| or S S', exactly where q >= rank."""
    S = signed(60)
    table = table_of(S, kernel="precomputed")
    rng = np.random.RandomState(0)
    pilot = embed_pilot(table, np.arange(60), np.arange(8), rng, spectrum=spectrum)
    a, V = np.linalg.eigh(S)
    expected = (V * np.abs(a)) @ V.T if spectrum == "flip" else S @ S
    Z = pilot.coordinates
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-9)
    np.testing.assert_allclose(pilot.embed(np.arange(60)), Z, atol=1e-9)


def test_euclidean_distances_are_kept(table_of, cloud):
    """Of Euclidean distances the vectors keep all, of candidates and of others."""
    table = table_of(cloud)
    candidates = np.arange(0, 150, 2)
    rng = np.random.RandomState(0)
    pilot = embed_pilot(table, candidates, candidates[[9, 1, 30, 44, 7]], rng)
    np.testing.assert_allclose(
        euclidean_distances(pilot.coordinates),
        euclidean_distances(cloud[candidates]),
        atol=1e-7,
    )
    others = np.arange(1, 150, 2)
    np.testing.assert_allclose(
        euclidean_distances(pilot.embed(others)),
        euclidean_distances(cloud[others]),
        atol=1e-7,
    )


@pytest.mark.parametrize("power", [1, 2])
def test_columns_are_columns_of_comparisons(table_of, power):
    """Inner products of columns are those of the centred columns of -D/2."""
    S = signed(50)
    q = np.diag(S)
    D = q[:, None] + q - 2 * S
    if power == 2:
        rng = np.random.RandomState(0)
        points = rng.normal(size=(50, 4))
        D = euclidean_distances(points, squared=True)
    table = table_of(D if power == 1 else np.sqrt(D), metric="precomputed", power=power)
    rng = np.random.RandomState(0)
    pilot = embed_pilot(table, np.arange(50), np.arange(20), rng, spectrum="square")
    F = -0.5 * (D - D.mean(axis=0))
    columns = pilot.columns()
    np.testing.assert_allclose(columns @ columns.T, F.T @ F, rtol=1e-6, atol=1e-6)


def test_columns_of_similarities_are_the_vectors(table_of):
    """Nothing is centred for similarities, and columns of S are the vectors."""
    table = table_of(signed(50), kernel="precomputed")
    rng = np.random.RandomState(0)
    pilot = embed_pilot(table, np.arange(50), np.arange(9), rng, spectrum="square")
    assert pilot.columns() is pilot.coordinates


@pytest.mark.parametrize(
    ("selector", "n_pilot"),
    [
        (KMeansSelector(), 7),
        (FarthestPointSelector(), 7),
        (EntropySelector(), 7),
        (PivotedCholeskySelector(), 60),
        (PivotedCholeskySelector(n_pilot=28), 28),
        (KMeansSelector(n_pilot=11), 11),
    ],
)
@pytest.mark.parametrize("max_candidates", ["auto", 60])
def test_price_is_what_the_docstring_says(
    table_of, cloud, selector, n_pilot, max_candidates
):
    """Selection makes exactly the comparisons of one pilot, at most 2 c q."""
    table = table_of(cloud, metric="cityblock")
    selector.set_params(max_candidates=max_candidates)
    selector.select(cloud, None, 7, table, np.random.RandomState(0))
    c = 150 if max_candidates == "auto" else 60
    assert table.n_evaluated == price(c, n_pilot) <= 2 * c * n_pilot


@pytest.mark.parametrize("c", [60, 150])
def test_price_of_leverage(table_of, cloud, c):
    """Leverage scores need a pilot for each doubling of the sample, at most 4 c q."""
    table = table_of(cloud, metric="cityblock")
    selector = LeverageSelector(max_candidates=c)
    selector.select(cloud, None, 7, table, np.random.RandomState(0))
    sizes = {60: [15, 30, 60], 150: [19, 38, 75, 150]}[c]
    assert table.n_evaluated == sum(price(size, 7) for size in sizes) <= 4 * c * 7


@pytest.mark.parametrize("name", ["kmeans", "farthest", "entropy", "cholesky"])
def test_price_does_not_grow_with_the_number_of_objects(table_of, name):
    """Past the candidates, ten per landmark and at least 1000, nothing is compared."""
    from skproxy.landmarks import SELECTORS

    counts = []
    for n in (1500, 6000):
        X = np.random.RandomState(0).normal(size=(n, 3))
        table = table_of(X)
        SELECTORS[name]().select(X, None, 5, table, np.random.RandomState(0))
        counts.append(table.n_evaluated)
    q = 60 if name == "cholesky" else 5
    assert counts == [price(1000, q)] * 2


def test_candidates():
    """Candidates are distinct, as many as said, and never fewer than landmarks."""
    rng = np.random.RandomState(0)
    assert sorted(draw_candidates(5, "auto", 3, rng).tolist()) == [0, 1, 2, 3, 4]
    assert len(set(draw_candidates(5000, "auto", 3, rng).tolist())) == 1000
    assert len(draw_candidates(5000, "auto", 300, rng)) == 3000
    assert len(draw_candidates(5000, 20, 30, rng)) == 30


def test_distinct_keeps_the_first():
    """Of rows within reach of each other the one chosen first stays."""
    Z = np.array([[0.0], [1.0], [0.0], [1.0 + 1e-9]])
    assert distinct(Z, np.array([2, 1, 0, 3]), 1e-12).tolist() == [2, 1]


def test_tables_of_landmark_columns_are_refused():
    """A table that cannot compare any two objects is refused with a way out."""
    table = ColumnComparisons(np.ones((5, 2)), None, name="X")
    with pytest.raises(TypeError, match="of landmark columns are given as"):
        KMeansSelector().select(None, None, 2, table, np.random.RandomState(0))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_pilot", 0), ("max_candidates", "all"), ("spectrum", "clip")],
)
def test_wrong_parameters_are_named(parameter, value, cloud):
    """Errors say which parameter of which class is wrong."""
    selector = KMeansSelector(**{parameter: value})
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of KMeansSelector"):
        select_landmarks(cloud, selector=selector, n_landmarks=3)
