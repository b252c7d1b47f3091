"""NyGPRegressor: laws of streams and measures, contract, honesty of its intervals."""

import numpy as np
import pytest
from factories import CountedCalls, edit_distance
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import BlockMetric, NyGPRegressor, NyIKFD


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@parametrize_with_checks(
    [
        NyGPRegressor(),
        NyGPRegressor(metric="cityblock", n_landmarks=40),
        NyGPRegressor(metric="precomputed", n_landmarks=8),
    ]
)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    check(estimator)


@pytest.fixture
def curved(rng):
    """Return heavy-tailed points and a curved function of them with noise."""
    X = rng.standard_t(4, size=(500, 3))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * rng.normal(size=500)
    return X, y


def test_streams_in_any_order_give_one_fit(curved):
    """First batch the same, the others in any order, in one or many pieces."""
    X, y = curved
    predictions = []
    for order in ([1, 2, 3, 4], [4, 2, 1, 3], None):
        model = NyGPRegressor(metric="cityblock", n_landmarks=20, random_state=0)
        model.partial_fit(X[:100], y[:100])
        if order is None:
            model.partial_fit(X[100:], y[100:])
        for part in order or []:
            rows = slice(100 * part, 100 * (part + 1))
            model.partial_fit(X[rows], y[rows])
        assert model.n_samples_seen_ == 500
        predictions.append(model.predict(X[:50], return_std=True))
    for other in predictions[1:]:
        np.testing.assert_allclose(other, predictions[0], rtol=1e-7)


def test_measures_named_callable_block_and_precomputed_agree(curved):
    """The same comparisons, the same predictions."""
    X, y = curved[0][:120], curved[1][:120]
    D, new = cdist(X, X, "cityblock"), X[:9] + 0.1
    options = {"n_landmarks": 15, "random_state": 0}
    expected = NyGPRegressor(metric="cityblock", **options).fit(X, y).predict(new)
    measures = [
        BlockMetric(lambda a, b: cdist(a, b, "cityblock")),
        lambda a, b: float(np.abs(a - b).sum()),
    ]
    for metric in measures:
        found = NyGPRegressor(metric=metric, **options).fit(X, y).predict(new)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    model = NyGPRegressor(metric="precomputed", **options).fit(D, y)
    found = model.predict(cdist(new, X, "cityblock"))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_units_of_comparisons_and_values_are_only_units(unit, curved):
    """Of the metric nothing is left; of the values their unit."""
    X, y = curved
    options = {"metric": "cityblock", "n_landmarks": 20, "random_state": 0}
    mean, std = NyGPRegressor(**options).fit(X, y).predict(X[:40], return_std=True)
    other = NyGPRegressor(**options).fit(unit * X, y / unit)
    found, spread = other.predict(unit * X[:40], return_std=True)
    np.testing.assert_allclose(found * unit, mean, rtol=1e-5)
    np.testing.assert_allclose(spread * unit, std, rtol=1e-4)


def test_as_good_as_a_gaussian_process_on_all_pairs(curved):
    """And its intervals hold: 90 % of new values lie within 1.645 deviations."""
    X, y = curved
    train, test = slice(0, 350), slice(350, 500)
    full = GaussianProcessRegressor(
        ConstantKernel() * RBF() + WhiteKernel(0.1), normalize_y=True
    ).fit(X[train], y[train])
    model = NyGPRegressor(metric="euclidean", n_landmarks=60, random_state=0)
    model.fit(X[train], y[train])
    assert model.score(X[test], y[test]) > full.score(X[test], y[test]) - 0.1
    mean, std = model.predict(X[test], return_std=True)
    inside = np.abs(y[test] - mean) <= 1.645 * std
    assert 0.82 <= inside.mean() <= 0.97
    _, far = model.predict(np.array([[60.0, -50.0, 40.0]]), return_std=True)
    assert far[0] > 2 * np.median(std)


def test_strings_are_counted_and_compared_once(rng):
    """Comparisons of fit and prediction; a string is predicted from its letters."""
    words = ["".join(rng.choice(list("ab"), size=rng.randint(4, 9))) for _ in range(80)]
    y = np.array([word.count("a") for word in words], dtype=float)
    metric = CountedCalls(edit_distance)
    model = NyGPRegressor(metric=metric, n_landmarks=20, random_state=0).fit(words, y)
    assert metric.n_calls == model.n_comparisons_
    before = metric.n_calls
    model.predict(words[:7])
    assert metric.n_calls == before + 7 * 20
    assert model.score(words, y) > 0.8
    assert model.noise_variance_ < y.var()


def test_the_eigenvalues_are_those_of_the_same_factor(curved):
    """Landmarks and probes are NyIKFD's of the same seed, and so is the factor."""
    X, y = curved
    options = {"metric": "cityblock", "n_landmarks": 20, "random_state": 0}
    regressor = NyGPRegressor(**options).fit(X, y)
    classifier = NyIKFD(**options).fit(X, y > 0)
    np.testing.assert_array_equal(
        regressor.component_indices_, classifier.component_indices_
    )
    np.testing.assert_allclose(regressor.eigenvalues_, classifier.eigenvalues_)
    assert regressor.signature_ == classifier.signature_


def test_it_is_searched_over_like_any_other(curved):
    """n_landmarks and power in a grid; R2 is the score."""
    X, y = curved
    grid = {"n_landmarks": [5, 30], "power": [1, 2]}
    search = GridSearchCV(NyGPRegressor(metric="cityblock", random_state=0), grid, cv=3)
    assert search.fit(X, y).best_params_["n_landmarks"] == 30
    assert search.best_score_ > 0.5


def test_what_is_no_number_is_refused(curved):
    """Classes, missing values, another number of them."""
    X, y = curved[0][:30], curved[1][:30]
    model = NyGPRegressor(metric="cityblock", n_landmarks=5)
    with pytest.raises(ValueError, match=r"y of NyGPRegressor must hold numbers.*NyIK"):
        model.fit(X, np.repeat(["a", "b"], 15))
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(X, np.where(np.arange(30) == 3, np.nan, y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
