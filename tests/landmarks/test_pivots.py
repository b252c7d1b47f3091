"""Pivots against dense linear algebra."""

import numpy as np
import pytest
from scipy import linalg

from skproxy.landmarks._pivots import (
    greedy_pivots,
    random_pivots,
    swap_pivots,
    trace_pivots,
)


def residual(F, lengths, chosen):
    """Return the squares of targets outside the span of some rows of F."""
    basis = linalg.orth(F[chosen].T)
    targets = np.zeros((len(lengths), F.shape[1]))
    np.fill_diagonal(targets, lengths)
    return np.square(targets - targets @ basis @ basis.T).sum()


def test_greedy_is_pivoted_qr(rows_of_rank):
    """Greedy pivots are those of a column-pivoted QR factorisation of F'."""
    F = rows_of_rank(60, 12)
    _, pivots = linalg.qr(F.T, mode="r", pivoting=True)
    np.testing.assert_array_equal(greedy_pivots(F, 10, 0.0), pivots[:10])


@pytest.mark.parametrize("width", [8, 7])
def test_trace_takes_the_best_next(rows_of_rank, width):
    """Each pivot is the one that leaves the smallest residual of the targets."""
    F = rows_of_rank(30, 8)
    lengths = np.linalg.norm(F[:, :width], axis=0)
    chosen = trace_pivots(F, lengths, 5, 0.0).tolist()
    for i in range(5):
        left = [
            residual(F, lengths, [*chosen[:i], j])
            for j in range(30)
            if j not in chosen[:i]
        ]
        assert residual(F, lengths, chosen[: i + 1]) <= min(left) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_swaps_never_raise_the_residual(rows_of_rank, seed):
    """Swaps lower the residual, keep the number, and end where none helps."""
    F = rows_of_rank(40, 10, seed)
    lengths = np.linalg.norm(F[:, :9], axis=0)
    chosen = np.arange(6)
    errors = [residual(F, lengths, chosen)]
    for _ in range(10):
        chosen = swap_pivots(F, lengths, chosen, 0.0)
        assert len(set(chosen.tolist())) == 6
        errors.append(residual(F, lengths, chosen))
    assert (np.diff(errors) <= 1e-9 * errors[0]).all()
    assert errors[1] < errors[0]
    best = min(
        residual(F, lengths, [*np.delete(chosen, i), j])
        for i in range(6)
        for j in range(40)
        if j not in chosen
    )
    assert errors[-1] <= best * (1 + 1e-9)


def test_random_pivots_have_the_distribution_of_one_by_one(rows_of_rank):
    """Blocks with rejection draw pairs as often as drawing one by one does."""
    F = rows_of_rank(5, 3)
    expected = np.zeros((5, 5))
    first = np.square(F).sum(axis=1) / np.square(F).sum()
    for i in range(5):
        R = F - np.outer(F @ F[i], F[i]) / (F[i] @ F[i])
        squares = np.square(R).sum(axis=1)
        squares[i] = 0.0
        expected[i] = first[i] * squares / squares.sum()
    rng = np.random.RandomState(0)
    n_draws = 3000
    found = np.zeros((5, 5))
    for _ in range(n_draws):
        # Twenty wanted: two proposals a block, of which the second may be rejected.
        chosen = random_pivots(F, 20, 1e-12, rng)
        found[chosen[0], chosen[1]] += 1 / n_draws
    spread = np.sqrt(expected * (1 - expected) / n_draws)
    assert (np.abs(found - expected) <= 5 * spread + 1e-12).all()


@pytest.mark.parametrize("rank", [1, 4])
def test_pivots_end_with_the_rank(rows_of_rank, rank):
    """Past the rank nothing is left to choose, and no row comes twice."""
    F = np.pad(rows_of_rank(30, rank), [(0, 0), (0, 2)])
    F[15:] = F[:15]
    negligible = 1e-14 * np.square(F).sum(axis=1).max()
    for chosen in (
        greedy_pivots(F, 9, negligible),
        trace_pivots(F, np.ones(rank + 2), 9, negligible),
        random_pivots(F, 9, negligible, np.random.RandomState(0)),
    ):
        assert len(chosen) == len(set(chosen.tolist())) == rank


def test_zeros_give_one_pivot():
    """Where all rows are zero one of them is the answer."""
    F = np.zeros((4, 2))
    assert greedy_pivots(F, 3, 0.0).tolist() == [0]
    assert trace_pivots(F, np.zeros(2), 3, 0.0).tolist() == [0]
    assert random_pivots(F, 3, 0.0, np.random.RandomState(0)).tolist() == [0]
    assert swap_pivots(F, np.zeros(2), np.array([0]), 0.0).tolist() == [0]
