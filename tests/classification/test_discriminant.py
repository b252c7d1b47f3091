import numpy as np
import pytest
from factories import orthonormal
from scipy.special import multigammaln
from sklearn.covariance import ledoit_wolf_shrinkage

from skproxy.classification._discriminant import (
    class_priors,
    fit_discriminant,
    likely_shrinkage,
    oracle_shrinkage,
)
from skproxy.comparisons import Scale
from skproxy.factor import LandmarkMap, Moments, SignedFactor
from skproxy.factor._basis import Basis


def factors_of(rows, signs, codes, n_classes):
    """Return one factor per class; features are the comparisons themselves."""
    r = rows.shape[1]
    basis = Basis(np.zeros(r), np.eye(r), np.ones(r), r)
    landmark_map = LandmarkMap(Scale(1.0), basis, np.eye(r), signs, np.eye(r))
    return [
        SignedFactor(
            landmark_map,
            Moments.of(rows[codes == c]),
            True,
        )
        for c in range(n_classes)
    ]


@pytest.fixture
def three_classes(rng):
    codes = np.repeat([0, 1, 2], [60, 40, 20])
    rows = rng.normal(size=(120, 5)) * [3, 2, 1, 0.5, 0.1] + 2 * np.eye(3, 5)[codes]
    return rows, np.array([1.0, -1, 1, -1, 1]), codes


@pytest.mark.parametrize("shrinkage", ["auto", 0.1])
def test_axes_make_the_regularised_covariance_one(shrinkage, three_classes):
    """Classes differ along K - 1 axes; what shrinkage adds is missing from one."""
    rows, signs, codes = three_classes
    factors = factors_of(rows, signs, codes, 3)
    found = fit_discriminant(
        factors, np.array([0.5, 1 / 3, 1 / 6]), shrinkage, common_spread=False
    )
    assert found.weights.shape == (5, 2)
    T = found.coordinates(rows)
    for c in range(3):
        np.testing.assert_allclose(T[codes == c].mean(axis=0), found.means[c])
    centred = T - found.means[codes]
    pooled = centred.T @ centred / (120 - 3)
    assert (np.linalg.eigvalsh(pooled) <= 1 + 1e-9).all()
    assert 0 < found.shrinkage <= 1


def test_without_shrinkage_the_pooled_covariance_is_one(three_classes):
    """W'S W = I exactly, and the first axis separates most."""
    rows, signs, codes = three_classes
    found = fit_discriminant(
        factors_of(rows, signs, codes, 3), np.full(3, 1 / 3), 0.0, common_spread=True
    )
    T = found.coordinates(rows)
    centred = T - found.means[codes]
    np.testing.assert_allclose(centred.T @ centred / 117, np.eye(2), atol=1e-10)
    assert found.means[:, 0].std() > found.means[:, 1].std()
    np.testing.assert_array_equal(found.spreads, 1.0)


def test_discriminant_does_not_depend_on_the_signs_of_axes(three_classes):
    """The pseudo-Euclidean discriminant is the Euclidean one."""
    rows, signs, codes = three_classes
    shares = np.full(3, 1 / 3)
    found = [
        fit_discriminant(
            factors_of(rows, s, codes, 3), shares, 0.0, common_spread=True
        ).coordinates(rows)
        for s in (signs, np.ones(5))
    ]
    np.testing.assert_allclose(*found, atol=1e-10)


def test_a_class_without_objects_changes_nothing(three_classes):
    """Its weight in the means is zero, and its coordinates are finite."""
    rows, signs, codes = three_classes
    with_empty = fit_discriminant(
        factors_of(rows, signs, codes, 4),
        np.array([0.5, 1 / 3, 1 / 6, 0]),
        "auto",
        common_spread=False,
    )
    without = fit_discriminant(
        factors_of(rows, signs, codes, 3),
        np.array([0.5, 1 / 3, 1 / 6]),
        "auto",
        common_spread=False,
    )
    np.testing.assert_allclose(
        with_empty.coordinates(rows)[:, :2], without.coordinates(rows), atol=1e-9
    )
    assert np.isfinite(with_empty.spreads).all()


def test_shrinkage_is_total_for_a_round_covariance(rng):
    """Nothing but noise about a multiple of the identity: both shrink nearly all."""
    X = rng.normal(size=(200, 30))
    variances = np.linalg.eigvalsh(X.T @ X / 200)
    assert likely_shrinkage(variances, 200) > 0.9
    assert oracle_shrinkage(variances, 200) > 0.9


def test_oracle_shrinkage_is_ledoit_and_wolfs_on_normal_data(rng):
    """Fourth moments of normal data follow from the second."""
    X = rng.normal(size=(2000, 10)) * np.linspace(1, 1.5, 10)
    variances = np.linalg.eigvalsh(X.T @ X / 2000)
    theirs = ledoit_wolf_shrinkage(X, assume_centered=True)
    np.testing.assert_allclose(oracle_shrinkage(variances, 2000), theirs, rtol=0.1)


def test_likely_shrinkage_knows_the_scale_of_nothing(rng):
    """Units of the data do not matter, and clear structure is left alone."""
    variances = np.array([100.0, 10, 1, 0.1])
    few, many = likely_shrinkage(variances, 20), likely_shrinkage(variances, 20000)
    assert many < 1e-3 < few < 0.5
    np.testing.assert_allclose(likely_shrinkage(1e9 * variances, 20), few, rtol=1e-6)


def test_all_classes_are_points(rng):
    """Without scatter within classes the identity serves."""
    rows = np.repeat(orthonormal(3, 2, rng), 5, axis=0)
    codes = np.repeat([0, 1, 2], 5)
    found = fit_discriminant(
        factors_of(rows, np.ones(2), codes, 3),
        np.full(3, 1 / 3),
        "auto",
        common_spread=False,
    )
    joint = found.log_joint(found.coordinates(rows), np.zeros(3))
    np.testing.assert_array_equal(joint.argmax(axis=1), codes)


def test_priors_are_counted_equal_or_given():
    """Shares, equal among classes with objects, or the user's, which must sum to 1."""
    counts = np.array([6, 2, 0])
    assert class_priors("A", None, counts, equal=False).tolist() == [0.75, 0.25, 0]
    assert class_priors("A", None, counts, equal=True).tolist() == [0.5, 0.5, 0]
    given = class_priors("A", [0.2, 0.3, 0.5], counts, equal=True)
    assert given.tolist() == [0.2, 0.3, 0.5]
    with pytest.raises(ValueError, match="priors of A must be one non-negative"):
        class_priors("A", [0.5, 0.5], counts, equal=False)
    with pytest.raises(ValueError, match=r"priors of A must sum to 1; got the sum 2"):
        class_priors("A", [1, 1, 0], counts, equal=False)


@pytest.mark.parametrize("shrinkage", ["auto", 0.0, 0.1])
def test_new_objects_are_where_the_classes_are_expected(shrinkage):
    """Seen from the fit the means are too far apart and the classes too narrow.

    Means over thirty draws of sixty objects in twenty dimensions, three classes.
    """
    expected, found = [], []
    for seed in range(30):
        rng = np.random.RandomState(seed)
        truth = 2.0 * np.eye(3, 20)
        codes = np.repeat([0, 1, 2], 20)
        rows = truth[codes] + rng.normal(size=(60, 20))
        fitted = fit_discriminant(
            factors_of(rows, np.ones(20), codes, 3), np.full(3, 1 / 3), shrinkage
        )
        new_codes = np.repeat([0, 1, 2], 200)
        new = fitted.coordinates(truth[new_codes] + rng.normal(size=(600, 20)))
        means = np.array([new[new_codes == c].mean(axis=0) for c in range(3)])
        # Sizes along the directions of the means: signs differ from draw to draw.
        centred = fitted.means - fitted.means.mean(axis=0)
        sizes = np.linalg.norm(centred)
        expected.append(
            [np.sum(fitted.centres * centred) / sizes, fitted.spreads.mean(), sizes]
        )
        spread = np.mean([new[new_codes == c].var(axis=0).mean() for c in range(3)])
        found.append([np.sum(means * centred) / sizes, spread])
    size, spread, naive = np.mean(expected, axis=0)
    true_size, true_spread = np.mean(found, axis=0)
    assert abs(size / true_size - 1) < 0.1
    assert abs(spread / true_spread - 1) < 0.15
    # Without the correction both were far off.
    assert naive / true_size > 1.15
    assert true_spread > 1.2 or shrinkage != 0.0


def test_with_many_objects_nothing_is_corrected(rng):
    """Degrees of freedom spent are few then: means stay, spreads are one."""
    codes = np.repeat([0, 1], 20_000)
    rows = rng.normal(size=(40_000, 3)) + codes[:, None]
    fitted = fit_discriminant(
        factors_of(rows, np.ones(3), codes, 2), np.full(2, 0.5), "auto"
    )
    np.testing.assert_allclose(fitted.centres, fitted.means, rtol=1e-3)
    np.testing.assert_allclose(fitted.spreads, 1.0, rtol=0.02)


@pytest.mark.parametrize("n_free", [2, 5, 40])
def test_oracle_shrinkage_is_the_published_formula(n_free, rng):
    """Chen et al., eq. 17, from the covariance matrix itself."""
    root = rng.normal(size=(n_free, 12)) * np.arange(1, 13)
    S = root.T @ root / n_free
    trace, squares = np.trace(S), np.trace(S @ S)
    expected = ((n_free - 2) / n_free * squares + trace**2) / (
        (n_free + 2) * (squares - trace**2 / 12)
    )
    found = oracle_shrinkage(np.linalg.eigvalsh(S), n_free)
    assert found == pytest.approx(min(expected, 1.0), rel=1e-12)
    assert found < 1.0 or n_free == 2


def test_oracle_shrinkage_of_one_degree_of_freedom_is_full():
    """One direction says nothing of the spread of all."""
    assert oracle_shrinkage(np.array([0.0, 0.0, 4.0]), 1) == 1.0


def test_likely_shrinkage_maximises_the_published_likelihood(rng):
    """The marginal likelihood of an inverse Wishart prior, from dense matrices.

    Sigma ~ IW(nu, Psi) with Psi = (nu - p - 1) mean I, so that its mean is a multiple
    of the identity; the scatter given nu has density |Psi|^(nu/2) Gamma_p((nu + n)/2) /
    (|Psi + n S|^((nu + n)/2) Gamma_p(nu/2)), up to what does not depend on nu.
    """
    p, n = 6, 9
    root = rng.normal(size=(n, p)) * [4, 2, 1, 1, 1, 1]
    S = root.T @ root / n
    extras = np.linspace(0.5, 60, 4000)
    logs = []
    for extra in extras:
        nu = extra + p + 1
        Psi = extra * np.trace(S) / p * np.eye(p)
        logs.append(
            nu / 2 * np.linalg.slogdet(Psi)[1]
            + multigammaln((nu + n) / 2, p)
            - (nu + n) / 2 * np.linalg.slogdet(Psi + n * S)[1]
            - multigammaln(nu / 2, p)
        )
    best = extras[int(np.argmax(logs))]
    found = likely_shrinkage(np.linalg.eigvalsh(S), n)
    assert found == pytest.approx(best / (best + n), abs=2e-3)
