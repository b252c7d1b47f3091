"""Ridge leverage scores."""

import numpy as np
import pytest

from skproxy.landmarks import LeverageSelector, select_landmarks
from skproxy.landmarks._leverage import _doubling, _draw, ridge_leverage


@pytest.mark.parametrize("ridge", [1e-3, 0.5, "auto"])
def test_scores_are_those_of_the_dense_matrix(rows_of_rank, ridge):
    """tau = diag(K (K + lambda I)^-1), lambda a share of the spectrum."""
    Z = rows_of_rank(40, 8)
    K = Z @ Z.T
    a = np.sort(np.linalg.eigvalsh(K))[::-1]
    leading = int(np.ceil(10 / (4 * np.log(11))))
    level = a[leading:].sum() / leading if ridge == "auto" else ridge * a[0]
    expected = np.diag(K @ np.linalg.inv(K + level * np.eye(40)))
    np.testing.assert_allclose(ridge_leverage(Z, 10, ridge), expected, rtol=1e-9)


def test_nothing_has_no_leverage():
    """Rows of zeros have scores of zero, not NaN."""
    assert ridge_leverage(np.zeros((5, 2)), 3).tolist() == [0.0] * 5


def test_rare_kinds_are_found():
    """Two objects apart from 298 near copies are drawn, seed after seed."""
    rng = np.random.RandomState(0)
    X = 0.01 * rng.normal(size=(300, 3))
    X[[17, 240]] = [[9.0, 0.0, 0.0], [0.0, 9.0, 0.0]]
    for seed in range(10):
        chosen = select_landmarks(
            X, selector=LeverageSelector(), n_landmarks=12, random_state=seed
        )
        assert {17, 240} <= set(chosen.tolist())


def test_samples_double():
    """Samples double up to all candidates; the first is a few pilots large."""
    assert _doubling(1000, 30) == [63, 125, 250, 500, 1000]
    assert _doubling(20, 30) == [20]


def test_draw_is_in_proportion():
    """Rows are drawn first in proportion to their scores; those of zero come last."""
    scores = np.array([1.0, 3.0, 0.0])
    rng = np.random.RandomState(0)
    first = np.array([_draw(scores, 1, rng)[0] for _ in range(4000)])
    share = (first == 1).mean()
    assert abs(share - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)
    assert _draw(scores, 3, rng)[-1] == 2
    assert len(_draw(scores, 9, rng)) == 3
