"""The pipeline of estimators, as far as landmark selection goes."""

import numpy as np

from skproxy import Nystroem, NystromDissimilarity
from skproxy.landmarks import LandmarkSelector


class Witness(LandmarkSelector):
    """Keeps what it is given."""

    def __init__(self, seen=None):
        self.seen = seen

    def select(self, X, y, n_landmarks, proximity, rng):
        self.seen.update(
            X=X, y=y, n_landmarks=n_landmarks, proximity=proximity, rng=rng
        )
        proximity.rectangle(np.arange(4), np.arange(3))
        return np.arange(n_landmarks)


def test_selectors_see_objects_labels_and_geometry(cloud):
    """A selector gets X, y, the number, a table with its geometry and a generator."""
    seen = {}
    y = np.arange(150) % 2
    model = NystromDissimilarity(
        "cityblock", power=1.5, n_landmarks=4, random_state=0
    ).set_params(landmarks=Witness(seen))
    model.fit(cloud, y)
    assert seen["n_landmarks"] == 4
    np.testing.assert_array_equal(seen["X"], cloud)
    assert seen["y"] is y
    geometry = seen["proximity"].geometry
    assert not geometry.is_similarity
    assert geometry.power == 1.5
    assert seen["proximity"].n_objects == 150
    assert isinstance(seen["rng"], np.random.RandomState)
    Nystroem(landmarks=Witness(seen), n_components=4, random_state=0).fit(cloud)
    assert seen["proximity"].geometry.is_similarity


def test_comparisons_of_the_selector_are_counted(cloud):
    """n_comparisons_ includes what the selector asked for."""
    counts = [
        NystromDissimilarity(n_landmarks=4, landmarks=landmarks, random_state=0)
        .fit(cloud)
        .n_comparisons_
        for landmarks in (Witness({}), [0, 1, 2, 3])
    ]
    assert counts[0] - counts[1] == 12
