import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ortho_group

from skproxy.embedding._turn import turn_towards


@pytest.mark.parametrize("n_columns", [5, 8])
@pytest.mark.parametrize(
    ("signs", "frame_signs"),
    [
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]),
        ([1, -1, 1, 1, -1], [-1, 1, 1, -1, 1]),
        ([1, 1, 1, 1, -1], [1, 1, 1, -1, -1]),  # one sign more, one less
        ([1, 1, 1], [1, 1, 1, 0, 0]),
        ([1, -1, -1], [1, 1, -1]),
        ([], [1]),
        ([1, -1], []),
    ],
)
def test_kernel_is_kept(signs, frame_signs, n_columns, rng):
    """Y O diag(column signs) O' Y' is Y J Y', whatever the exemplars' signs."""
    signs, frame_signs = np.array(signs, float), np.array(frame_signs, float)
    e = len(frame_signs)
    images = rng.normal(size=(e, len(signs)))
    turn, columns = turn_towards(
        images, signs, rng.normal(size=(e, e)), frame_signs, n_columns
    )
    assert turn.shape == (len(signs), n_columns)
    Y = rng.normal(size=(30, len(signs)))
    W = Y @ turn
    assert_allclose((W * columns) @ W.T, (Y * signs) @ Y.T, atol=1e-12)
    assert np.count_nonzero(columns) == len(signs)
    assert_allclose(W[:, columns == 0], 0)


def test_columns_carry_the_signs_of_their_exemplars(rng):
    """Equal inertia: column j has the sign of exemplar j."""
    signs, frame_signs = np.array([1.0, 1, -1, 1]), np.array([-1.0, 1, 1, 1])
    _, columns = turn_towards(
        rng.normal(size=(4, 4)), signs, rng.normal(size=(4, 4)), frame_signs, 4
    )
    assert columns.tolist() == frame_signs.tolist()


def test_recovers_the_frame(rng):
    """Axes that are the frame turned are turned back exactly."""
    frame = rng.normal(size=(6, 6))
    images = frame @ ortho_group.rvs(6, random_state=rng).T
    turn, _ = turn_towards(images, np.ones(6), frame, np.ones(6), 6)
    assert_allclose(images @ turn, frame, atol=1e-12)


def test_does_not_depend_on_the_signs_of_axes(rng):
    """Flipped singular vectors give the same coordinates, extra axes included."""
    images, frame = rng.normal(size=(3, 4)), rng.normal(size=(3, 3))
    flips = np.array([1.0, -1, -1, 1])
    turn, _ = turn_towards(images, np.ones(4), frame, np.ones(3), 4)
    flipped, _ = turn_towards(images * flips, np.ones(4), frame, np.ones(3), 4)
    assert_allclose(images @ turn, (images * flips) @ flipped, atol=1e-12)
