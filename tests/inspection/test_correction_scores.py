"""Scores of corrections, against scikit-learn's ridge regression and neighbours."""

import numpy as np
import pytest
from factories import similarity_with
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from skproxy import NystromDissimilarity
from skproxy.factor import correct_eigenvalues
from skproxy.inspection._correction_scores import (
    _PENALTY,
    CorrectionScores,
    _clearly_best,
    _Fold,
    _folds,
)
from skproxy.inspection._sampled_spectrum import CleanSample


def cityblock(points):
    D = np.abs(points[:, None] - points).sum(axis=-1)
    return CleanSample.of(D, is_similarity=False, power=2)


def scores_of(sample, y, seed=0):
    known = np.arange(len(y))
    return CorrectionScores.of([sample], y, known, np.random.RandomState(seed))


@pytest.mark.parametrize("correction", ["flip", "clip", "square"])
def test_predictions_are_those_of_the_estimators(rng, correction):
    """NystromDissimilarity with all objects, then Ridge or five neighbours."""
    sample = cityblock(rng.normal(size=(40, 3)))
    y = rng.normal(size=(40, 1))
    train, test = np.arange(30), np.arange(30, 40)
    fold = _Fold.of(sample, sample.square, y, train, test)
    model = NystromDissimilarity(
        "precomputed", correction=correction, n_landmarks=30, rank=None
    )
    Z = model.fit_transform(sample.square[:30, :30])
    held_out = model.transform(sample.square[30:, :30])
    after = correct_eigenvalues(fold.a, correction)
    ridge = Ridge(alpha=_PENALTY * np.square(Z).sum() / 30).fit(Z, y[:30])
    np.testing.assert_allclose(
        fold.ridge(after).ravel(), ridge.predict(held_out).ravel(), atol=1e-6
    )
    near = KNeighborsRegressor(5).fit(Z, y[:30]).predict(held_out)
    np.testing.assert_allclose(fold.neighbours(after), near, atol=1e-5)


def test_folds_part_the_objects_and_hold_every_class(rng):
    """Each object is held out once in each repeat."""
    codes = np.repeat([0, 1, 2], [50, 10, 5])
    held_out = np.zeros(65, dtype=int)
    for train, test in _folds(codes, rng):
        assert sorted([*train, *test]) == list(range(65))
        assert set(codes[test]) == {0, 1, 2}
        held_out[test] += 1
    assert set(held_out) == {2}


def test_noise_on_negative_axes_asks_for_clip(rng):
    """And what only negative axes know asks for flip."""
    y = np.repeat(["a", "b"], 30)
    signs = np.where(y[:, None] == y, 1.0, -1.0) / 30
    noise = similarity_with(-np.ones(25), 60, rng)
    noisy = CleanSample.of(signs + noise, is_similarity=True, power=1)
    assert scores_of(noisy, y).best == "clip"
    told = CleanSample.of(-signs - noise / 2, is_similarity=True, power=1)
    scores = scores_of(told, y)
    assert scores.best == "flip"
    assert scores.scores["flip"] > scores.scores["clip"] + 0.2
    assert scores.baseline == 0.5


def test_flip_stays_where_nothing_is_clearly_better(rng):
    """Small gains, gains within their error and gains of guesses are none."""
    flip = np.full(10, 0.8)
    wide = np.tile([-0.3, 0.34], 5)
    for gain in (0.005, wide):
        assert _clearly_best(
            {"flip": flip, "clip": flip + gain, "square": flip}, 0
        ) == ("flip")
    better = {"flip": flip, "clip": flip + 0.02, "square": flip + 0.05}
    assert _clearly_best(better, 0.5) == "square"
    assert _clearly_best(better, 0.9) == "flip"
    y = rng.randint(2, size=100)
    assert scores_of(cityblock(rng.normal(size=(100, 8))), y).best == "flip"


def test_numbers_are_scored_by_r2(rng):
    """Whatever their unit; a number that is in the data is found."""
    X = rng.normal(size=(80, 2))
    scores = scores_of(cityblock(X), X[:, 0])
    assert scores.name == "R2"
    assert scores.scores["flip"] > 0.7
    again = scores_of(cityblock(X), 1000 * X[:, 0] + 5)
    assert again.scores == pytest.approx(scores.scores)
    assert scores_of(cityblock(X), rng.normal(size=80)).scores["flip"] < 0.2


def test_too_few_are_not_scored(rng):
    """Fewer than twenty, classes of one, one class with company."""
    sample = cityblock(rng.normal(size=(40, 2)))
    assert scores_of(sample, np.arange(40)) is None
    assert scores_of(sample, np.r_[np.zeros(39), 1]) is None
    assert scores_of(sample, np.r_[np.arange(30), np.zeros(5), np.ones(5)]) is None
    some = CorrectionScores.of([sample], np.arange(19) % 2, np.arange(19), rng)
    assert some is None


def test_objects_all_alike_are_guessed():
    """No axis, no error."""
    sample = CleanSample.of(np.zeros((40, 40)), is_similarity=False, power=2)
    scores = scores_of(sample, np.arange(40) % 2)
    assert scores.best == "flip"
    numbers = scores_of(sample, np.linspace(0, 1.5, 40))
    assert numbers.scores == pytest.approx(dict.fromkeys(numbers.scores, 0.0), abs=0.1)
