"""Uniform landmarks."""

import numpy as np
from sklearn.kernel_approximation import Nystroem as SklearnNystroem

from skproxy.landmarks import select_landmarks


def test_draw_is_that_of_scikit_learn(cloud):
    """The same seed gives the landmarks of scikit-learn's Nystroem, in their order."""
    theirs = SklearnNystroem(n_components=20, random_state=5).fit(cloud)
    ours = select_landmarks(
        cloud, kernel="rbf", selector="uniform", n_landmarks=20, random_state=5
    )
    np.testing.assert_array_equal(ours, theirs.component_indices_)


def test_no_comparisons(table_of, cloud):
    """A uniform draw compares nothing."""
    from skproxy.landmarks import UniformSelector

    table = table_of(cloud)
    UniformSelector().select(cloud, None, 9, table, np.random.RandomState(0))
    assert table.n_evaluated == 0
