"""Labels as class codes."""

import pytest

from skproxy.landmarks._classes import class_codes


@pytest.mark.parametrize(
    ("y", "codes"),
    [
        (None, [0, 0, 0]),
        (["b", "a", "b"], [1, 0, 1]),
        ([2.0, 1.0, 2.0], [1, 0, 1]),
        ([0.5, 1.5, 2.5], [0, 0, 0]),
        ([[0, 1], [0, 0], [0, 1]], [1, 0, 1]),
        ([[1], [0], [1]], [1, 0, 1]),
        ([True, False, True], [1, 0, 1]),
    ],
)
def test_codes(y, codes):
    """Equal labels share a code; no labels or continuous ones make one class."""
    assert class_codes(y, 3, "S").tolist() == codes


@pytest.mark.parametrize("y", [[0, 1], 7])
def test_wrong_length_is_named(y):
    """Labels must be as many as objects."""
    with pytest.raises(ValueError, match="y of S must hold one label per object"):
        class_codes(y, 3, "S")
