import numpy as np
import pytest

from skproxy.factor import count_extra_probes
from skproxy.factor._probes import pick_probes, pilot_size


@pytest.mark.parametrize("n", [10, 25, 60, 300, 10_000, 10**6])
@pytest.mark.parametrize("m", [1, 5, 10, 100, 500])
def test_automatic_probes_cost_no_more_than_the_data(n, m):
    """s^2 / 2 <= N m, s <= 4 m, and everything is probed when N is that small."""
    m = min(m, n)
    extra = count_extra_probes("auto", n, m, 0)
    s = m + extra
    assert s <= n
    assert s <= 4 * m
    assert s * s / 2 <= n * m or extra == 0
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
    probes = pick_probes(rows, 10, 30, centred=True, eps=1e-16)
    assert len(np.unique(probes)) == 30
    assert probes.min() >= 10
    assert 400 in probes


def test_probes_do_not_depend_on_scale(rng):
    """Rows times a number give the same probes."""
    rows = rng.normal(size=(300, 8))
    probes = pick_probes(rows, 8, 24, centred=True, eps=1e-16)
    for scale in (2.0**-300, 2.0**300):
        again = pick_probes(rows * scale, 8, 24, centred=True, eps=1e-16)
        np.testing.assert_array_equal(again, probes)


def test_all_candidates_when_as_many_are_wanted(rng):
    """n_extra >= candidates takes them all."""
    rows = rng.normal(size=(20, 5))
    probes = pick_probes(rows, 5, 15, centred=False, eps=1e-16)
    np.testing.assert_array_equal(probes, np.arange(5, 20))


def test_rank_deficient_rows_are_fine():
    """Equal rows leave fewer pivots; the rest is uniform."""
    probes = pick_probes(np.ones((50, 4)), 4, 12, centred=True, eps=1e-16)
    assert len(np.unique(probes)) == 12


def test_the_pilot_sample_holds_the_probes():
    """pilot_size >= landmarks + probes, and is bounded by max(1000, 10 m)."""
    assert pilot_size(20, 60) == 1000
    assert pilot_size(500, 1500) == 5000
    assert pilot_size(10, 5000) == 5010
