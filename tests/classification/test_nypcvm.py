import pickle

import numpy as np
import pytest
from factories import CountedBlocks
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import BlockMetric, NyPCVM
from skproxy.classification._predictor import log_probabilities
from skproxy.classification._probit import inverse_mills
from skproxy.classification._training_basis import training_start
from skproxy.datasets import make_checkerboard, make_three_gaussians
from skproxy.landmarks import MEBSelector


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        NyPCVM(),
        NyPCVM(metric="euclidean", multi_class="separate", n_landmarks=8),
        NyPCVM(metric="euclidean", features="linear", n_landmarks=8),
    ]
)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    if estimator.metric and "sample_weight_equivalence" in str(check):
        pytest.skip("landmarks are drawn: repeated objects get others")
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_training_basis_is_the_dense_machine(rng):
    """All objects as landmarks: the EM with N x N matrices, step by step."""
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(15, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)

    def kernel(A, B):
        return np.tanh(A @ B.T - 0.5)

    K = kernel(X, X)
    a, vectors = np.linalg.eigh(K)
    order = np.argsort(-np.abs(a))
    a, vectors = a[order], vectors[:, order]
    w, b = training_start(vectors * np.sqrt(np.abs(a)), a, y, np.ones(60))
    Phi = K * y
    for _ in range(25):
        z = Phi @ w + b
        latent = z + y * inverse_mills(y * z)
        M = np.diag(np.sqrt(2.0) * w)
        inner = np.eye(60) + M @ Phi.T @ Phi @ M
        w = M @ np.linalg.solve(inner, M @ Phi.T @ (latent - b))
        w = np.maximum(w, 0.0)
        b = 2 * b**2 * (latent - Phi @ w).sum() / (1 + 2 * b**2 * 60)
        w[w <= 1e-3 * w.max()] = 0.0
    clf = NyPCVM("precomputed", basis="training", n_landmarks=60, max_iter=25)
    clf.fit(K, y)
    np.testing.assert_array_equal(clf.relevance_indices_, np.flatnonzero(w))
    np.testing.assert_allclose(clf.weights_, (y * w)[w > 0], rtol=1e-5)
    expected = kernel(new, X) @ (y * w) + b
    np.testing.assert_allclose(
        clf.decision_function(kernel(new, X)), expected, rtol=1e-5
    )
    np.testing.assert_allclose(clf.intercept_, b, rtol=1e-5)


@pytest.mark.parametrize("multi_class", ["separate", "shared"])
def test_the_objective_never_falls_while_nothing_is_pruned(multi_class):
    """Iterations with the same weights go up, for two classes and for three."""
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        clf = NyPCVM(
            n_landmarks=40, multi_class=multi_class, min_kept=1, random_state=0
        )
        clf.fit(X, labels)
        objectives, counts = clf.objective_, clf.n_active_
        if not isinstance(objectives[0], list):
            objectives, counts = [objectives], [counts]
        for values, n in zip(objectives, counts, strict=True):
            values, same = np.array(values), np.diff(n) == 0
            assert len(values) >= 2
            assert (np.diff(values)[same] >= -1e-9 * np.abs(values[1:][same])).all()


def test_a_prediction_compares_with_the_kept_landmarks_only(rng):
    """Comparisons counted by the measure: n_landmarks_ each, fewer than n_landmarks."""
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0.3 * X[:, 1]).astype(int)
    counted = CountedBlocks(cdist)
    clf = NyPCVM(metric=BlockMetric(counted), n_landmarks=50, random_state=0)
    clf.fit(X[:200], y[:200])
    assert counted.n_evaluated >= clf.n_comparisons_ == 150 * 50 + 50 * 51 // 2
    before = counted.n_evaluated
    assert clf.score(X[200:], y[200:]) > 0.9
    assert counted.n_evaluated - before == 100 * clf.n_landmarks_
    assert clf.n_landmarks_ == len(clf.component_indices_) == len(clf.weights_) == 25
    np.testing.assert_array_equal(clf.components_, X[clf.component_indices_])


def test_weights_and_intercept_are_the_predictor(rng):
    """z = powered comparisons with the components @ weights_ + intercept_.

    Decisions are z made smaller by its uncertainty, probabilities their odds.
    """
    X, y = load_iris(return_X_y=True)
    clf = NyPCVM(
        metric="cityblock", power=1.5, features="linear", n_landmarks=30, random_state=0
    )
    clf.fit(X, y)
    powered = cdist(X, clf.components_, "cityblock") ** 1.5
    z = powered @ clf.weights_.T + clf.intercept_
    decisions = clf.decision_function(X)
    shrunk = decisions / z
    assert clf.moderation_ > 0
    assert (shrunk > 0).all()
    assert (shrunk < 1).all()
    P = norm.cdf(decisions) / norm.cdf(-decisions)
    P /= P.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(X), P, atol=1e-9)
    np.testing.assert_array_equal(P.argmax(axis=1), clf.predict(X))
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1)


def test_many_objects_make_the_predictor_certain(rng):
    """Decisions approach z; where nothing is known of its variance they are z."""
    X = rng.normal(size=(4000, 1))
    y = (X[:, 0] + rng.normal(size=4000) > 0).astype(int)
    clf = NyPCVM("linear", features="linear", n_landmarks=5, random_state=0)
    clf.fit(X, y)
    z = (X @ clf.components_.T) @ clf.weights_ + clf.intercept_
    np.testing.assert_allclose(clf.decision_function(X), z, rtol=0.01)
    clf.set_params(basis="training", n_landmarks=1).fit(X[:300], y[:300])
    assert clf.moderation_ == 0.0


def test_moderated_probabilities_lose_less():
    """Far from all that was learned from, z alone is far too sure of itself."""
    losses = []
    for seed in range(4):
        rng = np.random.RandomState(seed)
        X = rng.standard_t(2, size=(600, 3))
        y = (X[:, 0] + 0.5 * rng.normal(size=600) > 0).astype(int)
        clf = NyPCVM(
            metric="euclidean",
            features="linear",
            n_landmarks=50,
            min_kept=25,
            random_state=seed,
        )
        clf.fit(X[:80], y[:80])
        powered = cdist(X[80:], clf.components_) ** 2
        plain = log_probabilities(powered @ clf.weights_ + clf.intercept_)
        truth = np.arange(520), y[80:]
        moderated = clf.predict_log_proba(X[80:])
        losses.append([-moderated[truth].mean(), -plain[truth].mean()])
    moderated, plain = np.mean(losses, axis=0)
    assert moderated < 0.6 * plain
    assert moderated < np.log(2)


def test_classes_fitted_separately_use_all_landmarks_of_the_union():
    """A landmark kept for one class costs nothing more in the others."""
    X, y = load_iris(return_X_y=True)
    clf = NyPCVM(
        n_landmarks=40,
        min_kept=1,
        features="linear",
        multi_class="separate",
        random_state=0,
    ).fit(X, y)
    assert clf.weights_.shape == (3, clf.n_landmarks_)
    assert (clf.weights_ != 0).all()


def test_units_of_the_metric_do_not_matter(rng):
    """A metric a million times larger gives the same probabilities."""
    X, y = load_iris(return_X_y=True)
    one = NyPCVM(metric="precomputed", n_landmarks=30, random_state=0)
    two = NyPCVM(metric="precomputed", n_landmarks=30, random_state=0)
    D = cdist(X, X)
    P, Q = one.fit(D, y).predict_proba(D), two.fit(2e6 * D, y).predict_proba(2e6 * D)
    np.testing.assert_allclose(P, Q, atol=1e-6)


def test_precomputed_columns_come_in_three_widths(rng):
    """All columns, all landmark columns that fit saw, or the kept ones."""
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] > 0).astype(int)
    D, landmarks = cdist(X, X), np.arange(0, 100, 5)
    square = NyPCVM(metric="precomputed", landmarks=landmarks).fit(D, y)
    columns = NyPCVM(metric="precomputed", landmarks=landmarks)
    columns.fit(D[:, landmarks], y)
    np.testing.assert_array_equal(square.relevance_indices_, columns.relevance_indices_)
    expected = square.predict_proba(D)
    kept = D[:, square.component_indices_]
    np.testing.assert_allclose(square.predict_proba(kept), expected)
    np.testing.assert_allclose(columns.predict_proba(D[:, landmarks]), expected)
    np.testing.assert_allclose(columns.predict_proba(kept), expected)


def test_probabilities_are_finite_for_margins_of_forty(rng):
    """Far from the boundary logarithms are finite and rows sum to one."""
    X = np.r_[rng.normal(size=(40, 1)) - 3, rng.normal(size=(40, 1)) + 3]
    y = np.repeat(["low", "high"], 40)
    clf = NyPCVM("linear", features="linear", n_landmarks=10, random_state=0)
    clf.fit(X, y)
    slope = clf.decision_function([[1.0]]) - clf.decision_function([[0.0]])
    far = np.array([[-40.0], [40.0]]) / np.abs(slope)
    margins = clf.decision_function(far)
    assert np.abs(margins).min() > 38
    assert np.isfinite(clf.predict_log_proba(far)).all()
    np.testing.assert_allclose(clf.predict_proba(far).sum(axis=1), 1)
    three = clone(clf)
    three.fit(X, np.where(X[:, 0] > 3, 2, (X[:, 0] > 0).astype(int)))
    assert np.isfinite(three.predict_log_proba(1e3 * far)).all()


def test_shared_precisions_keep_fewer_landmarks():
    """One precision per landmark for all classes: a smaller union."""
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clf = NyPCVM(
        n_landmarks=60, multi_class="separate", min_kept=1, random_state=0
    ).fit(X, y)
    shared = clone(clf).set_params(multi_class="shared").fit(X, y)
    assert shared.n_landmarks_ < clf.n_landmarks_ < 60
    assert (shared.weights_ != 0).all()
    assert shared.score(X, y) > 0.9
    more = NyPCVM(n_landmarks=60, multi_class="shared", min_kept=20, random_state=0)
    assert more.fit(X, y).n_landmarks_ == 20


def test_pruning_ends_at_a_share_at_a_number_or_by_itself():
    """Half of the landmarks by default; 1 leaves the few that pay most."""
    X, y = make_checkerboard(200, random_state=0)
    clf = NyPCVM(gamma=2.0, n_landmarks=41, random_state=0)
    assert clf.fit(X, y).n_landmarks_ == 20
    assert clf.set_params(min_kept=0.001).fit(X, y).n_landmarks_ < 20
    few = clf.set_params(min_kept=1).fit(X, y).n_landmarks_
    assert few < 20
    assert clf.set_params(min_kept=few + 3).fit(X, y).n_landmarks_ == few + 3
    assert clf.set_params(min_kept=100).fit(X, y).n_landmarks_ == 41
    clf.set_params(basis="training", max_iter=2000)
    by_itself, *others = [
        clone(clf).set_params(min_kept=n).fit(X, y).relevance_indices_
        for n in (1, 0.5, 100)
    ]
    for other in others:  # that basis is sparse in training objects
        np.testing.assert_array_equal(other, by_itself)


def test_only_shared_precisions_hold_the_number_for_many_classes():
    """Separate classes keep half each, and a prediction needs those of any class."""
    X, y = load_digits(return_X_y=True)
    clf = NyPCVM(
        metric="euclidean", multi_class="separate", n_landmarks=40, random_state=0
    )
    assert clf.fit(X[:300], y[:300]).n_landmarks_ > 30
    clf.set_params(multi_class="shared")
    assert clf.fit(X[:300], y[:300]).n_landmarks_ == 20


def test_class_weights_move_the_boundary(rng):
    """What weighs more is predicted more often; balanced means equal sums."""
    X = rng.normal(size=(200, 1)) + np.repeat([0.0, 1.0], [160, 40])[:, None]
    y = np.repeat([0, 1], [160, 40])
    shares = [
        NyPCVM("linear", n_landmarks=5, class_weight=weight, random_state=0)
        .fit(X, y)
        .predict(X)
        .mean()
        for weight in ({0: 10}, None, "balanced", {1: 100})
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.1 < shares[2] < 0.9 < shares[3]


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "meb"])
def test_unbalanced_classes_never_fall_below_the_majority_rate(landmarks):
    """500/20/20 objects, at most 40 landmarks."""
    X, y = make_three_gaussians(random_state=0)
    clf = NyPCVM(n_landmarks=40, landmarks=landmarks, random_state=0)
    assert cross_val_score(clf, X, y, cv=3).mean() >= 500 / 540


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("basis", ["landmarks", "training"])
def test_odd_data_give_finite_probabilities(basis, rng):
    """Duplicates, a class of two, constant comparisons, landmarks of one class."""
    X = np.repeat(rng.normal(size=(4, 2)), 30, axis=0)
    y = np.repeat([0, 1, 0, 1], 30)
    clf = NyPCVM(gamma=10.0, n_landmarks=20, basis=basis, random_state=0).fit(X, y)
    assert np.isfinite(clf.predict_log_proba(X)).all()
    # The papers' basis gives each of thirty equal objects a weight of its own, too
    # small for the prior to let live.
    assert clf.score(X, y) == 1.0 or basis == "training"
    X, y = rng.normal(size=(30, 2)), np.r_[np.zeros(28), 1, 1]
    clf = NyPCVM(n_landmarks=8, basis=basis, random_state=0).fit(X, y)
    assert np.isfinite(clf.predict_log_proba(X)).all()
    X, y = np.zeros((12, 2)), np.r_[np.zeros(9), np.ones(3)]
    for kwargs in ({}, {"metric": "euclidean"}):
        clf = NyPCVM(n_landmarks=4, basis=basis, random_state=0, **kwargs).fit(X, y)
        P = clf.predict_proba(X[:1])
        assert np.isfinite(P).all()
        assert P[0, 0] > 0.5
    X = rng.normal(size=(60, 2)) + 6 * np.eye(3, 2)[np.repeat([0, 1, 2], 20)]
    y = np.repeat(["a", "b", "c"], 20)
    clf = NyPCVM(landmarks=[0, 5, 21, 25], metric="euclidean", basis=basis).fit(X, y)
    assert clf.score(X, y) > 0.9


def test_not_converged_is_said():
    """The warning names the parameters to change."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 iter.*Increase max_iter"):
        NyPCVM(n_landmarks=20, max_iter=2, random_state=0).fit(X, y)


def test_it_works_where_classifiers_do():
    """Pipeline, grid search, calibration, voting, cross-validation, pickle."""
    X, y = make_checkerboard(150, random_state=0)
    y = np.where(y, "dark", "light")
    clf = NyPCVM(gamma=2.0, n_landmarks=30, random_state=0)
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), clf),
        {
            "nypcvm__kernel": ["rbf", "laplacian"],
            "nypcvm__gamma": [1.0, 4.0],
            "nypcvm__n_landmarks": [20, 40],
            "nypcvm__landmarks": ["uniform", "kmeans"],
        },
        cv=3,
    )
    assert grid.fit(X, y).best_score_ > 0.75
    search = GridSearchCV(
        NyPCVM(gamma=2.0, landmarks=MEBSelector(), n_landmarks=60, random_state=0),
        {"landmarks__epsilon": [0.1, 0.01]},
        cv=3,
    )
    assert search.fit(X, y).best_score_ > 0.5
    assert CalibratedClassifierCV(clf, cv=3).fit(X, y).score(X, y) > 0.75
    votes = VotingClassifier([("a", clf), ("b", clf)], voting="soft").fit(X, y)
    assert votes.score(X, y) > 0.75
    assert cross_val_predict(clf, X, y, method="predict_proba").shape == (150, 2)
    fitted = clf.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_kernel_features_read_the_kept_landmarks_only(rng):
    """No comparison but N m in fit, and what is kept in predictions; curved decisions.

    Heavy tails, three classes.
    """
    X = rng.standard_t(3, size=(500, 2))
    y = np.digitize(np.hypot(*X.T), [0.8, 1.8])
    scores = {}
    for features in ("linear", "kernel"):
        counted = CountedBlocks(lambda a, b: cdist(a, b, "cityblock"))
        clf = NyPCVM(
            metric=BlockMetric(counted),
            power=1,
            features=features,
            n_landmarks=12,
            random_state=0,
        ).fit(X[:300], y[:300])
        assert clf.n_comparisons_ == 288 * 12 + 12 * 13 // 2
        before = counted.n_evaluated
        scores[features] = clf.score(X[300:], y[300:])
        assert counted.n_evaluated - before == 200 * clf.n_landmarks_ < 200 * 12
    assert min(scores.values()) > 0.9


def test_probabilities_know_that_landmarks_were_chosen_by_the_labels():
    """Few objects, half of many landmarks: confidence is the rate of success."""
    gaps = []
    for seed in range(5):
        rng = np.random.RandomState(seed)
        X = rng.normal(size=(1000, 20)) / np.arange(1, 21)
        y = (X[:, 0] + rng.normal(size=1000) > 0).astype(int)
        clf = NyPCVM(metric="cityblock", n_landmarks=100, random_state=0)
        clf.fit(X[:120], y[:120])
        sure = clf.predict_proba(X[120:]).max(axis=1).mean()
        gaps.append(sure - clf.score(X[120:], y[120:]))
    assert abs(np.mean(gaps)) < 0.06


@pytest.mark.parametrize("features", ["kernel", "linear"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights_are_repetitions(features, class_weight, rng):
    """With the same landmarks an object of weight two is the object twice."""
    X = rng.standard_t(3, size=(90, 3))
    y, weights = np.digitize(X[:, 0], [-0.5, 0.7]), np.arange(90) % 4
    repeated = np.repeat(np.arange(90), weights)
    start = NyPCVM(
        metric="cityblock",
        landmarks=X[:12],
        features=features,
        class_weight=class_weight,
        random_state=0,
    )
    weighted = clone(start).fit(X, y, sample_weight=weights)
    expected = clone(start).fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(weighted.components_, expected.components_)
    np.testing.assert_allclose(
        weighted.predict_proba(X), expected.predict_proba(X), atol=1e-6
    )
