import numpy as np
import pytest

from skproxy.embedding._additive_constants import (
    AddedConstant,
    add_off_identity,
    cailliez_constant,
    lingoes_constant,
)

STAR = np.array([[0.0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]])


def test_constants_of_the_three_leaf_star():
    """Lingoes 1/4; Cailliez (sqrt(3) - 1) / 2, by brute force over the constant."""
    J = np.eye(4) - 0.25
    eigenvalues = np.linalg.eigvalsh(-0.5 * J @ STAR**2 @ J)
    assert lingoes_constant(eigenvalues) == pytest.approx(0.25)

    def smallest(c):
        changed = np.where(np.eye(4, dtype=bool), 0, STAR + c)
        return np.linalg.eigvalsh(-0.5 * J @ changed**2 @ J).min()

    c = cailliez_constant(STAR)
    assert c == pytest.approx((np.sqrt(3) - 1) / 2)
    assert smallest(c) > -1e-12
    assert smallest(c - 1e-3) < -1e-5


def test_nothing_to_add_to_a_euclidean_or_zero_matrix():
    """Both constants are zero."""
    line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    assert cailliez_constant(line) == 0.0
    assert cailliez_constant(np.zeros((3, 3))) == 0.0
    assert lingoes_constant(np.array([2.0, 1.0])) == 0.0
    assert lingoes_constant(np.empty(0)) == 0.0


def test_nothing_is_added_between_an_object_and_itself():
    """Only the entry named stays; rows of new objects change everywhere."""
    rows = np.array([[0.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    changed = add_off_identity(rows, 0.5, np.array([2, -1]))
    np.testing.assert_array_equal(changed, [[0.5, 1.5, 0.0], [2.5, 1.5, 0.5]])


@pytest.mark.parametrize("rule", ["lingoes", "cailliez"])
@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_the_row_decides_among_several_zeros(rule, unit):
    """Object 2 has a zero with 0, which differs; 1 and 3 are equal, and take turns."""
    d = np.array(
        [
            [0.0, 2.0, 0.0, 2.0],
            [2.0, 0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0, 1.0],
            [2.0, 0.0, 1.0, 0.0],
        ]
    )
    powered = (unit * d) ** 2
    added = AddedConstant(rule, 0.3 * unit)
    among = added.apply_among(powered)
    rows = powered[[2, 1, 0, 3, 1]]
    changed = added.apply(rows, np.array([0, 1, 2, 3, 4]), among.__getitem__)
    np.testing.assert_allclose(changed, among[[2, 1, 0, 3, 1]])


@pytest.mark.parametrize("rule", ["lingoes", "cailliez"])
def test_the_training_matrix_keeps_its_diagonal(rule):
    """Duplicates get the constant between them, an object and itself do not."""
    powered = np.array([[0.0, 0.0, 4.0], [0.0, 0.0, 4.0], [4.0, 4.0, 0.0]])
    added = AddedConstant(rule, 1.0)
    extra = 2.0 if rule == "lingoes" else 1.0
    far = 6.0 if rule == "lingoes" else 9.0
    expected = [[0, extra, far], [extra, 0, far], [far, far, 0]]
    np.testing.assert_allclose(added.apply_among(powered), expected)
