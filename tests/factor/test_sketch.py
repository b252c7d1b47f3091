"""A pass over objects leaves what all objects at once would, in any order."""

from functools import reduce

import numpy as np
import pytest

from skproxy.comparisons import Geometry, Landmarks, SquareComparisons
from skproxy.factor import Compared
from skproxy.factor._sketch import Sketch, pass_over


@pytest.fixture(params=[(True, 1), (False, 2), (False, 1.5)], ids=str)
def begun(request, rng):
    """Return a matrix, landmark positions and the sketch of no objects."""
    is_similarity, power = request.param
    X = rng.normal(size=(300, 9))
    D = np.abs(X[:, None] - X[None]).sum(axis=2)  # of full rank
    geometry = Geometry(is_similarity, power, centred=not is_similarity)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    indices = np.arange(8)
    compared = Compared(
        geometry, Landmarks(None, indices), table, np.random.RandomState(0)
    ).with_square()
    pilot = compared.draw_pilot(5)
    return D, compared, pilot, Sketch.begin(pilot, geometry)


def assert_same(one, other):
    np.testing.assert_allclose(one.total.mean, other.total.mean, atol=1e-10)
    np.testing.assert_allclose(
        one.total.scatter, other.total.scatter, atol=1e-9 * one.total.count
    )
    assert one.total.count == other.total.count
    kept, also = np.sort(one.reservoir.positions), np.sort(other.reservoir.positions)
    np.testing.assert_array_equal(kept, also)


def test_batches_in_any_order_merge_to_the_whole(begun, rng):
    """Moments and reservoir do not depend on how objects are split up."""
    D, _, _, empty = begun
    order = rng.permutation(300)
    whole, _ = empty.absorb(order, D[order, :8])
    parts = [
        empty.absorb(some, D[some, :8])[0] for some in np.array_split(order[::-1], 7)
    ]
    assert_same(reduce(Sketch.merge, parts), whole)
    later = empty
    for some in np.array_split(order, 4):
        later, _ = later.absorb(some, D[some, :8])
    assert_same(later, whole)


def test_the_reservoir_holds_the_highest_leverages_outside_the_pilot(begun, rng):
    """Objects that the basis extrapolates to; pilot objects are known anyway."""
    D, _, _, empty = begun
    first = np.arange(8, 20)
    sketch, _ = empty.absorb(first, D[first, :8])
    assert set(sketch.reservoir.positions) <= set(first)
    again, _ = sketch.absorb(np.arange(20, 40), D[20:40, :8], is_pilot=True)
    np.testing.assert_array_equal(
        np.sort(again.reservoir.positions), np.sort(sketch.reservoir.positions)
    )
    far = D[40:41, :8] * 50
    last, _ = again.absorb(np.array([40]), far)
    assert 40 in last.reservoir.positions


def test_a_pass_keeps_rows_in_the_order_of_the_objects(begun):
    """Whatever order the pilot sample imposes; groups split the moments."""
    D, compared, pilot, empty = begun
    found, rows = pass_over(compared, empty, pilot, keep=np.float64)
    expected = empty.basis.rows(empty.scale.apply(D[:, :8]))
    np.testing.assert_allclose(rows, expected, atol=1e-10)
    np.testing.assert_allclose(found.total.mean, rows.mean(axis=0), atol=1e-10)
    groups = np.arange(300) % 3
    split = Sketch.begin(pilot, compared.geometry, 3)
    split, _ = pass_over(compared, split, pilot, groups=groups)
    for group, moments in enumerate(split.moments):
        members = expected[groups == group]
        np.testing.assert_allclose(moments.mean, members.mean(axis=0), atol=1e-10)
    assert_same(split, found)


def test_positions_go_on_from_batch_to_batch(begun):
    """A stream's reservoir knows objects by their place in the whole stream."""
    _, compared, _, empty = begun
    one, _ = pass_over(compared, empty)
    two, _ = pass_over(compared, one)
    assert two.total.count == 600
    assert two.reservoir.positions.max() >= 300
