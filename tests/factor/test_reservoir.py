"""The objects of highest leverage, whatever the order they come in."""

import numpy as np
import pytest

from skproxy.factor._reservoir import Reservoir


def filled(order, leverages, capacity, n_batches):
    reservoir = Reservoir.empty(capacity, 1)
    for batch in np.array_split(order, n_batches):
        comparisons = batch[:, None].astype(float)
        reservoir = reservoir.offer(batch, leverages[batch], comparisons)
    return reservoir


@pytest.mark.parametrize("n_batches", [1, 2, 9, 60])
def test_the_highest_leverages_are_kept_in_any_order(n_batches, rng):
    """Top-k of all that was offered, ties by position, with their comparisons."""
    leverages = rng.randint(20, size=60).astype(float)
    expected = np.lexsort((np.arange(60), -leverages))[:10]
    for order in (np.arange(60), rng.permutation(60)):
        found = filled(order, leverages, 10, n_batches)
        np.testing.assert_array_equal(found.positions, expected)
        np.testing.assert_array_equal(found.leverages, leverages[expected])
        np.testing.assert_array_equal(found.comparisons[:, 0], expected)


def test_merging_is_commutative_and_has_a_neutral_element(rng):
    """Two reservoirs are the reservoir of both sets."""
    leverages = rng.permutation(40).astype(float)
    one = filled(np.arange(25), leverages, 7, 3)
    two = filled(np.arange(25, 40), leverages, 7, 2)
    both = filled(np.arange(40), leverages, 7, 1)
    for merged in (one.merge(two), two.merge(one), both.merge(Reservoir.empty(7, 1))):
        np.testing.assert_array_equal(merged.positions, both.positions)


def test_a_reservoir_without_room_stays_empty():
    """Capacity zero."""
    full = Reservoir.empty(0, 1).offer(np.arange(3), np.ones(3), np.ones((3, 1)))
    assert len(full.positions) == 0
