import functools
import pickle

import numpy as np
import pytest

from skproxy.factor import Moments


def assert_same(one, other, tolerance=1e-12):
    assert one.count == other.count
    scale = np.abs(other.scatter).max() + 1e-300
    np.testing.assert_allclose(one.mean, other.mean, rtol=0, atol=tolerance * 10)
    np.testing.assert_allclose(
        one.scatter, other.scatter, rtol=0, atol=tolerance * scale
    )


@pytest.fixture
def rows(rng):
    return rng.normal(size=(1000, 7)) * np.logspace(0, -5, 7) + 5.0


@pytest.mark.parametrize("n_chunks", [1, 2, 10, 100, 1000])
@pytest.mark.parametrize("order", ["forwards", "backwards", "tree"])
def test_merge_of_any_chunking_equals_one_shot(rows, n_chunks, order):
    """merge(of(X1), of(X2), ...) == of(X), to 1e-12, in whatever order."""
    parts = [Moments.of(chunk) for chunk in np.array_split(rows, n_chunks)]
    if order == "backwards":
        parts = parts[::-1]
    if order == "tree":
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            merged = [a.merge(b) for a, b in pairs]
            parts = merged + parts[len(merged) * 2 :]
    merged = functools.reduce(Moments.merge, parts)
    assert_same(merged, Moments.of(rows))


def test_empty_is_the_neutral_element(rows):
    """empty + m == m == m + empty, exactly."""
    moments = Moments.of(rows)
    assert Moments.empty(7).merge(moments) is moments
    assert moments.merge(Moments.empty(7)) is moments
    assert Moments.of(rows[:0]).count == 0


def test_merge_commutes_and_associates(rows):
    """(a + b) + c == a + (b + c) and a + b == b + a."""
    a, b, c = (Moments.of(part) for part in (rows[:10], rows[10:500], rows[500:]))
    assert_same(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert_same(a.merge(b), b.merge(a))


def test_scatter_about_origin_is_the_gram_matrix(rows):
    """T + n mean mean' == X'X."""
    gram = rows.T @ rows
    np.testing.assert_allclose(Moments.of(rows).about_origin(), gram, rtol=1e-12)


def test_scatter_agrees_with_the_triangular_root(rows):
    """The scatter of the rows is R'R of their centred QR, to 1e-14."""
    root = np.linalg.qr(rows - rows.mean(axis=0), mode="r")
    gap = np.abs(Moments.of(rows).scatter - root.T @ root).max()
    assert gap <= 1e-14 * np.abs(root.T @ root).max() * 10


def test_moments_survive_pickling(rows):
    """unpickle(pickle(m)) == m."""
    moments = Moments.of(rows)
    again = pickle.loads(pickle.dumps(moments))
    assert again.count == moments.count
    np.testing.assert_array_equal(again.scatter, moments.scatter)


def test_moments_of_mapped_rows_are_mapped_moments(rng):
    """Moments.of(x B + b) = Moments.of(x).mapped(B, b); of nothing: nothing."""
    rows, linear, shift = rng.normal(size=(50, 4)), rng.normal(size=(4, 3)), np.ones(3)
    mapped = Moments.of(rows).mapped(linear, shift)
    direct = Moments.of(rows @ linear + shift)
    np.testing.assert_allclose(mapped.mean, direct.mean, atol=1e-13)
    np.testing.assert_allclose(mapped.scatter, direct.scatter, rtol=1e-12, atol=1e-12)
    assert Moments.empty(4).mapped(linear, shift).count == 0
