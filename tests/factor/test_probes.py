import numpy as np
import pytest

from skproxy.factor import count_extra_probes
from skproxy.factor._probes import pick_probes, pilot_size


def picked(*args, **settings):
    """Return pivots and uniform probes together."""
    return np.concatenate(pick_probes(*args, **settings))


@pytest.mark.parametrize("n", [10, 25, 60, 300, 10_000, 10**6])
@pytest.mark.parametrize("m", [1, 5, 10, 100, 500])
def test_automatic_probes_cost_no_more_than_the_data(n, m):
    """e (e + 1) <= N m, e <= 6 m + 160, and all are probes when N is that small."""
    m = min(m, n)
    extra = count_extra_probes("auto", n, m, 0)
    s = m + extra
    assert s <= n
    assert extra <= 6 * m + 160
    assert extra * (extra + 1) <= n * m
    assert extra == min(n - m, 6 * m + 160) or (extra + 1) * (extra + 2) > n * m
    if n <= 2 * m:
        assert s == n


def test_a_number_of_probes_is_taken_as_far_as_objects_go():
    """An integer counts probes besides landmarks; 0 asks for the papers' core."""
    assert count_extra_probes(0, 100, 10, 0) is None
    assert count_extra_probes(7, 100, 10, 0) == 7
    assert count_extra_probes(700, 100, 10, 0) == 90
    assert count_extra_probes(700, 100, 10, 10) == 100


def test_probes_are_distinct_and_hold_the_rows_that_stand_out(rng):
    """Landmarks are left out, nothing comes twice, and an outlying row is probed."""
    rows = rng.normal(size=(500, 10))
    rows[400] *= 1000
    probes = picked(rows, 10, 300, 30, centred=True, eps=1e-16)
    assert len(np.unique(probes)) == 30
    assert probes.min() >= 10
    # In the reservoir; the uniform ones are of the pilot sample alone.
    assert 400 in probes[:10]
    assert (probes[10:] < 300).all()


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_probes_are_picked_about_the_mean(offset, rng):
    """A common offset of the rows changes no pivot."""
    rows = rng.normal(size=(300, 6))
    rows[200] *= 30
    found = np.concatenate(
        pick_probes(rows + offset, 6, 300, 20, centred=True, eps=1e-16)
    )
    expected = picked(rows, 6, 300, 20, centred=True, eps=1e-16)
    np.testing.assert_array_equal(found, expected)


def test_pivots_are_no_more_than_the_rank(rng):
    """Directions that are rounding ask for no probes; uniform ones come instead."""
    rows = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 8))
    probes = picked(rows, 8, 200, 30, centred=True, eps=1e-16)
    assert (np.diff(probes[2:]) > 0).all()
    assert set(range(8, 30)) <= set(probes.tolist())


def test_probes_do_not_depend_on_scale(rng):
    """Rows times a number give the same probes."""
    rows = rng.normal(size=(300, 8))
    probes = picked(rows, 8, 300, 24, centred=True, eps=1e-16)
    for scale in (2.0**-300, 2.0**300):
        again = np.concatenate(
            pick_probes(rows * scale, 8, 300, 24, centred=True, eps=1e-16)
        )
        np.testing.assert_array_equal(again, probes)


def test_all_candidates_when_as_many_are_wanted(rng):
    """n_extra >= candidates takes them all."""
    rows = rng.normal(size=(20, 5))
    probes = picked(rows, 5, 12, 15, centred=False, eps=1e-16)
    np.testing.assert_array_equal(probes, np.arange(5, 20))


def test_rank_deficient_rows_are_fine():
    """Equal rows leave fewer pivots; the rest is uniform."""
    probes = np.concatenate(
        pick_probes(np.ones((50, 4)), 4, 50, 12, centred=True, eps=1e-16)
    )
    assert len(np.unique(probes)) == 12


def test_the_pilot_sample_holds_the_probes():
    """pilot_size >= landmarks + probes, and is bounded by max(1000, 10 m)."""
    assert pilot_size(20, 60) == 1000
    assert pilot_size(500, 1500) == 5000
    assert pilot_size(10, 5000) == 5010
