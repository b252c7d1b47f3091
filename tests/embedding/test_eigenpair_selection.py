"""Selection and weights as pure functions, against brute force."""

from itertools import combinations

import numpy as np
import pytest

from skproxy.embedding._eigenpair_selection import select_eigenpairs, weigh_eigenpairs

SPECTRA = {
    "mixed": np.array([5.0, 3.0, 2.0, 1.0, -1.5, -4.0]),
    "negative": np.array([1.0, -2.0, -3.0, -7.0]),
    "positive": np.array([4.0, 3.0, 2.0, 0.5]),
    "balanced": np.array([3.0, 2.0, -2.0, -3.0]),
    "unordered": np.array([-4.0, 3.0, -1.5, 5.0, 2.0, 1.0]),
}


def bound(eigenvalues, kept, shifted):
    """The part of STRESS that selection minimises, over 4."""
    dropped = np.delete(eigenvalues, kept)
    divisor = len(kept) + 1 if shifted else 1
    return np.square(dropped).sum() + dropped.sum() ** 2 / divisor


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_ev_selection_is_the_best_set(name, k):
    """EV-selection minimises the bound over all sets of k pairs (Theorem 3)."""
    a = SPECTRA[name]
    kept = select_eigenpairs(a, k, a.sum(), "neuc")
    best = min(bound(a, list(s), False) for s in combinations(range(len(a)), k))
    assert bound(a, kept, False) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_shifted_selection_is_the_best_set(name, k):
    """The greedy choice of neuc+ minimises the shifted bound on these spectra."""
    a = SPECTRA[name]
    kept = select_eigenpairs(a, k, a.sum(), "neuc+")
    best = min(bound(a, list(s), True) for s in combinations(range(len(a)), k))
    assert bound(a, kept, True) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("method", ["cmds", "lower", "neuc", "neuc+"])
@pytest.mark.parametrize("name", SPECTRA)
def test_sets_are_nested(name, method):
    """The set for fewer components is the beginning of that for more."""
    a = SPECTRA[name]
    longest = select_eigenpairs(a, len(a), a.sum(), method)
    for k in range(len(longest)):
        shorter = select_eigenpairs(a, k, a.sum(), method)
        np.testing.assert_array_equal(shorter, longest[:k])


def test_both_ends_and_the_trace_are_enough():
    """Selection from both ends of the spectrum is selection from all of it."""
    rng = np.random.RandomState(0)
    a = np.sort(rng.normal(size=60))[::-1] + 0.1
    for method in ("neuc", "neuc+"):
        full = a[select_eigenpairs(a, 8, a.sum(), method)]
        ends = np.concatenate([a[:8], a[-8:]])
        partial = ends[select_eigenpairs(ends, 8, a.sum(), method)]
        np.testing.assert_array_equal(full, partial)


def test_classical_scaling_takes_positive_eigenvalues_only():
    """cmds and lower never take a negative eigenvalue, however many are asked for."""
    a = SPECTRA["unordered"]
    for method in ("cmds", "lower"):
        kept = a[select_eigenpairs(a, 6, a.sum(), method)]
        np.testing.assert_array_equal(kept, [5.0, 3.0, 2.0, 1.0])


@pytest.mark.parametrize("trace", [0.0, 2.0, -2.0])
def test_neuc_takes_the_larger_modulus_on_a_tie(trace):
    """A positive rest takes the largest, a negative the smallest, none the longest."""
    a = np.array([2.0, -3.0])
    kept = select_eigenpairs(a, 1, trace, "neuc")
    assert a[kept[0]] == (2.0 if trace > 0 else -3.0)


@pytest.mark.parametrize("trace", [-3.0, 0.0, 4.0, 20.0])
def test_neuc_plus_weights_are_stationary(trace):
    """No weights have a lower bound than the common shift (Theorem 6)."""
    kept = np.array([5.0, 3.0, -2.0])

    def value(w):
        return np.square(kept - w).sum() + (trace - w.sum()) ** 2

    w = weigh_eigenpairs(kept, trace, "neuc+")
    np.testing.assert_allclose(w - kept, (w - kept)[0])
    for direction in np.eye(3):
        for step in (-1e-3, 1e-3):
            assert value(w + step * direction) > value(w)


@pytest.mark.parametrize("trace", [-3.0, 0.5, 4.0, 7.9, 20.0])
def test_lower_weights_are_the_best_non_negative_ones(trace):
    """Lower-MDS satisfies the optimality conditions of its constrained problem."""
    kept = np.array([5.0, 3.0, 0.4])
    w = weigh_eigenpairs(kept, trace, "lower")
    gradient = 2 * (w - kept) - 2 * (trace - w.sum())
    assert (w >= 0).all()
    np.testing.assert_allclose(gradient[w > 0], 0.0, atol=1e-12)
    assert (gradient[w == 0] >= -1e-12).all()


def test_unweighted_methods_return_copies():
    """cmds and neuc keep eigenvalues, and never the caller's array."""
    kept = np.array([2.0, -1.0])
    for method in ("cmds", "neuc"):
        w = weigh_eigenpairs(kept, 5.0, method)
        np.testing.assert_array_equal(w, kept)
        assert not np.shares_memory(w, kept)


def test_nothing_to_choose_from():
    """No eigenvalues, no pairs, no weights."""
    for method in ("cmds", "lower", "neuc", "neuc+"):
        kept = select_eigenpairs(np.empty(0), 3, 0.0, method)
        assert len(weigh_eigenpairs(np.empty(0)[kept], 0.0, method)) == 0
