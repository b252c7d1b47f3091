import numpy as np
import pytest
from scipy.special import softmax

from skproxy.classification._class_moments import ClassMoments
from skproxy.classification._ridge_discriminant import (
    choose_ridge,
    choose_temperature,
    fit_ridge_discriminant,
)


@pytest.fixture
def three_classes(rng):
    codes = np.repeat([0, 1, 2], [40, 25, 15])
    return rng.normal(size=(80, 6)) + 1.5 * np.eye(3, 6)[codes] + 7, codes


def regression(X, codes, n_classes, ridge, at):
    """Return ridge regression on the indicators of the classes, with an intercept."""
    Y, mean = np.eye(n_classes)[codes], X.mean(axis=0)
    F = X - mean
    slopes = np.linalg.solve(
        F.T @ F + ridge * np.eye(X.shape[1]), F.T @ (Y - Y.mean(axis=0))
    )
    return Y.mean(axis=0) + (at - mean) @ slopes


@pytest.mark.parametrize("ridge", [1e-6, 3.0, 1e4])
def test_scores_are_ridge_regression_on_the_classes(ridge, three_classes):
    """K - 1 discriminant coordinates say all that the regression says."""
    X, codes = three_classes
    moments = ClassMoments.of(X, codes, 3)
    found = fit_ridge_discriminant(moments, ridge, 1.0)
    T = found.coordinates(X)
    expected = regression(X, codes, 3, ridge, X) - moments.shares
    np.testing.assert_allclose(T @ found.slopes, expected, atol=1e-9)
    joint = found.log_joint(T, np.log(moments.shares))
    np.testing.assert_allclose(joint, expected + np.log(moments.shares), atol=1e-9)


def test_the_regularised_covariance_is_one(three_classes):
    """W'(N_w + ridge I) W = n_free I, and class means are those of coordinates."""
    X, codes = three_classes
    moments = ClassMoments.of(X, codes, 3)
    found = fit_ridge_discriminant(moments, 2.0, 1.0)
    system = (moments.within + 2.0 * np.eye(6)) / 77
    np.testing.assert_allclose(
        found.weights.T @ system @ found.weights, np.eye(2), atol=1e-10
    )
    T = found.coordinates(X)
    for c in range(3):
        np.testing.assert_allclose(T[codes == c].mean(axis=0), found.means[c])


def test_leave_one_out_is_exact(three_classes):
    """Scores are those of refitting without each object, the ridge being the same."""
    X, codes = three_classes
    ridge, scores = choose_ridge(X, codes, 3)
    for i in (0, 41, 79):
        rest = np.arange(80) != i
        expected = regression(X[rest], codes[rest], 3, ridge, X[i])
        # The shares are of the others, too, so that nothing of the object is left.
        np.testing.assert_allclose(scores[i], expected, atol=1e-9)


def test_the_ridge_has_the_least_error_on_objects_left_out(rng):
    """Noise asks for a strong ridge, clear classes for a weak one."""
    codes = np.arange(100) % 2
    noise = rng.normal(size=(100, 30))
    strong, _ = choose_ridge(noise, codes, 2)
    clear = noise + 50.0 * np.eye(2, 30)[codes]
    weak, scores = choose_ridge(clear, codes, 2)
    scale = np.square(noise - noise.mean(axis=0)).sum() / 100
    assert strong > 10 * scale
    assert weak < strong
    np.testing.assert_array_equal(scores.argmax(axis=1), codes)


def test_weights_leave_one_copy_out(three_classes):
    """An object of weight three is three of the kind, of which one is left out."""
    X, codes = three_classes
    weights = np.arange(80) % 4
    repeated = np.repeat(np.arange(80), weights)
    ridge, scores = choose_ridge(X, codes, 3, weights.astype(float))
    same_ridge, same = choose_ridge(X[repeated], codes[repeated], 3)
    assert ridge == pytest.approx(same_ridge)
    np.testing.assert_allclose(scores[repeated], same, atol=1e-9)
    assert choose_temperature(scores, codes, weights.astype(float)) == pytest.approx(
        choose_temperature(same, codes[repeated]), rel=1e-4
    )


def test_the_temperature_is_that_of_the_labels(rng):
    """Labels drawn at a temperature give it back, whatever the shares."""
    gaps = rng.normal(size=(20000, 3)) * 0.2
    base = np.array([0.6, 0.3, 0.1])
    P = softmax(gaps / 0.25 + np.log(base), axis=1)
    codes = (rng.rand(20000, 1) > P.cumsum(axis=1)).sum(axis=1)
    shares = np.bincount(codes) / 20000
    found = choose_temperature(gaps + shares, codes)
    assert found == pytest.approx(0.25, rel=0.1)


def test_few_objects_told_right_are_no_certainty():
    """With n of n right, about one in n + 1 may still be wrong."""
    codes = np.arange(10) % 2
    scores = np.eye(2)[codes]
    temperature = choose_temperature(scores, codes)
    sure = softmax(scores / temperature, axis=1).max(axis=1)
    assert (sure > 0.8).all()
    assert (sure < 0.98).all()


def test_a_class_without_objects_has_no_slope(three_classes):
    """Its mean is the mean of all, and it speaks by its prior only."""
    X, codes = three_classes
    found = fit_ridge_discriminant(ClassMoments.of(X, codes, 4), 1.0, 0.1)
    np.testing.assert_allclose(found.means[3], 0.0)
    np.testing.assert_allclose(found.slopes[:, 3], 0.0)
    assert np.isfinite(found.weights).all()
