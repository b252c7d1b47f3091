import numpy as np
import pytest
from factories import CountedCalls, edit_distance
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import LandmarkComparisons


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@parametrize_with_checks(
    [
        LandmarkComparisons(),
        LandmarkComparisons("cityblock", n_landmarks=5, standardize=False),
        LandmarkComparisons("precomputed", n_landmarks=8),
    ]
)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    check(estimator)


@pytest.fixture
def points(rng):
    return rng.normal(size=(90, 3)) * [3, 2, 1]


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("power", [1, 2, 0.5])
def test_columns_are_powered_comparisons(power, unit, points):
    """Unstandardised, column j of an object is d(object, landmark j)^power."""
    X = points * unit
    columns = LandmarkComparisons(
        "cityblock", power=power, standardize=False, n_landmarks=7, random_state=0
    )
    found = columns.fit(X).transform(X)
    expected = cdist(X, X[columns.component_indices_], "cityblock") ** power
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(columns.mean_, 0.0)
    np.testing.assert_allclose(columns.scale_, 1.0)
    np.testing.assert_allclose(columns.fit_transform(X), expected, rtol=1e-12)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_standardised_columns_are_those_of_a_standard_scaler(unit, points):
    """Mean zero, variance one over the training objects, the same map for new ones."""
    X, new = points * unit, points[:5] * unit + unit
    columns = LandmarkComparisons("cityblock", n_landmarks=7, random_state=0)
    found = columns.fit_transform(X)
    at = X[columns.component_indices_]
    scaler = StandardScaler().fit(cdist(X, at, "cityblock") ** 2)
    np.testing.assert_allclose(
        found, scaler.transform(cdist(X, at, "cityblock") ** 2), atol=1e-10
    )
    np.testing.assert_allclose(
        columns.transform(new),
        scaler.transform(cdist(new, at, "cityblock") ** 2),
        atol=1e-10,
    )
    np.testing.assert_allclose(columns.mean_, scaler.mean_)
    np.testing.assert_allclose(columns.scale_, scaler.scale_)
    np.testing.assert_allclose(columns.transform(X), found, atol=1e-10)


def test_comparisons_are_counted_and_not_made_twice(rng):
    """N m at most with standardising, the landmarks among themselves without.

    And nine pairs of landmarks the other way round.
    """
    words = ["".join(rng.choice(list("abc"), size=6)) for _ in range(40)]
    for standardize, expected in ((True, 10 * 11 // 2 + 9 + 30 * 10), (False, 64)):
        metric = CountedCalls(edit_distance)
        columns = LandmarkComparisons(
            metric, n_landmarks=10, standardize=standardize, random_state=0
        ).fit(words)
        assert metric.n_calls == columns.n_comparisons_ == expected


def test_constant_columns_are_zero(rng):
    """Objects all alike: columns of zeros, no division by zero."""
    columns = LandmarkComparisons(n_landmarks=3, random_state=0)
    found = columns.fit_transform(np.ones((10, 2)))
    np.testing.assert_array_equal(found, 0.0)
    np.testing.assert_array_equal(columns.scale_, 1.0)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_one_landmark_of_objects_in_any_unit(unit, rng):
    """Its comparison with itself says nothing about the unit; a sample does."""
    X = rng.normal(size=(20, 3))
    options = {"n_landmarks": 1, "power": 2, "random_state": 0}
    found = LandmarkComparisons("cityblock", **options).fit_transform(unit * X)
    expected = LandmarkComparisons("cityblock", **options).fit_transform(X)
    np.testing.assert_allclose(found, expected)
