import itertools
import pickle

import numpy as np
import pytest
from factories import edit_distance
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import EigenCorrector, NyIKFD
from skproxy.datasets import make_balls, make_three_gaussians
from skproxy.landmarks import MEBSelector


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@parametrize_with_checks(
    [
        NyIKFD(),
        NyIKFD(metric="euclidean", n_landmarks=8),
        NyIKFD(metric="euclidean", n_landmarks=8, features="linear"),
    ]
)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    if estimator.metric and "sample_weight_equivalence" in str(check):
        pytest.skip("landmarks are drawn: repeated objects get others")
    check(estimator)


def dense_ikfd(K, y, K_new, beta):
    """Two-class iKFD with N x N matrices, threshold at the midpoint."""
    n = len(K)
    means = [K[:, y == c].mean(axis=1) for c in (0, 1)]
    within = sum(
        (K[:, y == c] - m[:, None]) @ (K[:, y == c] - m[:, None]).T
        for c, m in zip((0, 1), means, strict=True)
    )
    ridge = beta * np.trace(within) / n
    alpha = np.linalg.solve(within + ridge * np.eye(n), means[1] - means[0])
    return K_new @ alpha - alpha @ (means[0] + means[1]) / 2


@pytest.mark.parametrize("beta", [1e-3, 0.1])
def test_all_objects_as_landmarks_give_the_dense_discriminant(beta, rng):
    """Decisions are (N - 2) times those of the N x N formulas, indefinite kernel."""
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(20, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)

    def kernel(A, B):
        return np.tanh(A @ B.T - 0.5)

    K = kernel(X, X)
    assert np.linalg.eigvalsh(K)[0] < -0.1
    clf = NyIKFD(
        "precomputed",
        shrinkage=beta,
        threshold="midpoint",
        n_landmarks=60,
        rank=None,
    ).fit(K, y)
    expected = 58 * dense_ikfd(K, y, kernel(new, X), beta)
    np.testing.assert_allclose(
        clf.decision_function(kernel(new, X)), expected, rtol=1e-6, atol=1e-6
    )


def test_dissimilarities_give_the_dense_discriminant_too():
    """The same with K = -1/2 J D J of non-metric dissimilarities."""
    D, y = make_balls((40, 40), random_state=0)
    train, new = np.arange(0, 80, 2), np.arange(1, 80, 2)
    squared = np.square(D)
    mean = squared[train][:, train].mean(axis=0)
    K_all = -0.5 * (squared[:, train] - mean - mean.mean() * 0)
    K_all -= K_all[:, :].mean(axis=1, keepdims=True)
    clf = NyIKFD(
        metric="precomputed",
        shrinkage=0.01,
        threshold="midpoint",
        n_landmarks=40,
        rank=None,
    ).fit(D[np.ix_(train, train)], y[train])
    K, K_new = K_all[train], K_all[new]
    expected = 38 * dense_ikfd(K, y[train], K_new, 0.01)
    got = clf.decision_function(D[np.ix_(new, train)])
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("correction", ["flip", "clip", "square", "shift"])
def test_shrinks_in_the_corrected_similarity(correction):
    """With a correction decisions are those of the dense formulas on the features."""
    D, y = make_balls((40, 40), random_state=0)
    train, new = np.arange(0, 80, 2), np.arange(1, 80, 2)
    features = EigenCorrector(
        correction if correction != "shift" else None,
        input="dissimilarity",
        output="features",
    ).fit(D[np.ix_(train, train)])
    Z, Z_new = (features.transform(D[np.ix_(rows, train)]) for rows in (train, new))
    if correction == "shift":  # of the eigenvalues that are not zero
        a = features.eigenvalues_[: Z.shape[1]]
        sizes = np.sqrt((a - a.min()) / np.where(a == 0, np.inf, np.abs(a)))
        Z, Z_new = Z * sizes, Z_new * sizes
    for shrinkage in (0.01, "auto"):
        clf = NyIKFD(
            metric="precomputed",
            correction=correction,
            shrinkage=shrinkage,
            threshold="midpoint",
            n_landmarks=40,
            rank=None,
        ).fit(D[np.ix_(train, train)], y[train])
        got = clf.decision_function(D[np.ix_(new, train)])
        sizes = np.square(Z).sum(axis=0)
        np.testing.assert_allclose(
            np.sort(clf.corrected_eigenvalues_),
            np.sort(sizes)[-len(clf.eigenvalues_) :],
            atol=1e-9 * sizes.max(),
        )
        if shrinkage == "auto":  # towards the mean variance, in the features
            used = Z.any(axis=0)
            Z, Z_new, k = Z[:, used], Z_new[:, used], np.count_nonzero(used)
            scatter = sum(np.cov(Z[y[train] == c].T, bias=True) * 20 for c in (0, 1))
            S = scatter / 38
            S = (1 - clf.shrinkage_) * S + clf.shrinkage_ * np.trace(S) / k * np.eye(k)
            means = [Z[y[train] == c].mean(axis=0) for c in (0, 1)]
            alpha = np.linalg.solve(S, means[1] - means[0])
            expected = (Z_new - (means[0] + means[1]) / 2) @ alpha
        else:
            expected = 38 * dense_ikfd(Z @ Z.T, y[train], Z_new @ Z.T, shrinkage)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_on_a_linear_kernel_it_is_fishers_discriminant():
    """Without shrinkage axes and log odds are LDA's, which divides by N, not N - K."""
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    clf = NyIKFD(
        "linear",
        shrinkage=0.0,
        threshold="midpoint",
        priors=[1 / 3] * 3,
        n_landmarks=20,
        random_state=0,
    ).fit(X, y)
    ratio = 150 / 147
    ours, theirs = clf.predict_log_proba(X), lda.decision_function(X)
    np.testing.assert_allclose(
        ratio * (ours - ours[:, :1]), theirs - theirs[:, :1], atol=1e-6
    )
    ours, theirs = clf.transform(X), lda.transform(X)[:, :2]
    turn = np.sign((ours * theirs).sum(axis=0))
    shifted = (theirs - theirs.mean(axis=0)) * turn
    np.testing.assert_allclose(
        np.sqrt(ratio) * (ours - ours.mean(axis=0)), shifted, atol=1e-7
    )


def test_batches_of_any_size_and_order_are_one_pass(rng):
    """partial_fit in pieces equals partial_fit in one, after the same first batch."""
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0.5, "c", np.where(X[:, 1] > 0, "b", "a"))
    one, many = (NyIKFD(n_landmarks=15, random_state=0) for _ in range(2))
    for clf, cuts in ((one, [100, 300]), (many, [100, 101, 180, 300])):
        clf.partial_fit(X[: cuts[0]], y[: cuts[0]], classes=["a", "b", "c"])
        for start, stop in itertools.pairwise(cuts):
            clf.partial_fit(X[start:stop], y[start:stop])
    np.testing.assert_allclose(one.predict_proba(X), many.predict_proba(X), atol=1e-9)
    assert one.n_samples_seen_ == 300
    np.testing.assert_array_equal(
        one.class_count_, [(y == label).sum() for label in "abc"]
    )


def test_a_class_may_come_late(rng):
    """A class without objects has probability zero until it comes."""
    X = rng.normal(size=(90, 2)) + 6 * np.eye(3, 2)[np.repeat([0, 1, 2], 30)]
    y = np.repeat([0, 1, 2], 30)
    clf = NyIKFD(metric="euclidean", n_landmarks=10, random_state=0)
    clf.partial_fit(X[:60], y[:60], classes=[0, 1, 2])
    assert (clf.predict_proba(X)[:, 2] == 0).all()
    clf.partial_fit(X[60:], y[60:])
    assert clf.score(X, y) > 0.9


@pytest.mark.parametrize("landmarks", ["uniform", "meb"])
def test_unbalanced_classes_never_fall_below_the_majority_rate(landmarks):
    """500/20/20 objects, 10 landmarks: the midpoint can fail, Gaussians do not."""
    X, y = make_three_gaussians(random_state=0)
    X = StandardScaler().fit_transform(X)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    clf = NyIKFD("elm", n_landmarks=10, landmarks=landmarks, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(clf, X, y, cv=folds)
    assert scores.mean() >= 500 / 540


def test_meb_landmarks_separate_the_three_gaussians():
    """The papers' claim: all points right with landmarks of minimum enclosing balls."""
    X, y = make_three_gaussians(random_state=0)
    X = StandardScaler().fit_transform(X)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    clf = NyIKFD("elm", landmarks="meb", random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(clf, X, y, cv=folds).mean() > 0.995


def test_landmarks_that_miss_a_class_still_tell_it(rng):
    """The discriminant needs landmarks, not landmarks of every class."""
    X = rng.normal(size=(90, 2)) + 6 * np.eye(3, 2)[np.repeat([0, 1, 2], 30)]
    y = np.repeat(["a", "b", "c"], 30)
    clf = NyIKFD(metric="euclidean", landmarks=[0, 5, 31, 40]).fit(X, y)
    assert clf.score(X[y == "c"], y[y == "c"]) > 0.9


def test_duplicates_and_tiny_classes_are_fine(rng):
    """Objects given many times, and a class of two, give finite probabilities."""
    X = np.repeat(rng.normal(size=(5, 2)), 10, axis=0)
    y = np.repeat([0, 1, 0, 1, 1], 10)
    clf = NyIKFD(n_landmarks=30, random_state=0).fit(X, y)
    assert clf.score(X, y) == 1.0
    X, y = rng.normal(size=(40, 2)), np.r_[np.zeros(38), 1, 1]
    for shrinkage in ("auto", "ledoit-wolf", 0.0):
        clf = NyIKFD(n_landmarks=10, shrinkage=shrinkage, random_state=0).fit(X, y)
        assert np.isfinite(clf.predict_log_proba(X)).all()


def test_constant_comparisons_leave_the_priors():
    """Where nothing tells objects apart, probabilities are the priors."""
    X, y = np.ones((12, 2)), np.r_[np.zeros(9), np.ones(3)]
    for kwargs in ({}, {"metric": "euclidean"}):
        clf = NyIKFD(n_landmarks=4, random_state=0, **kwargs).fit(X, y)
        np.testing.assert_allclose(clf.predict_proba(X[:1]), [[0.75, 0.25]])


@pytest.mark.parametrize("shrinkage", ["auto", "ledoit-wolf", 0.1, 0.0])
@pytest.mark.parametrize("threshold", ["gaussian", "midpoint"])
def test_equal_objects_leave_the_priors(shrinkage, threshold):
    """Rounding of equal comparisons is no variance, whatever the size of the values."""
    for value in (1e-3, 0.1, 7.7, 1e3):
        X, y = np.full((50, 3), value), np.r_[np.zeros(47), np.ones(3)]
        clf = NyIKFD(
            "linear",
            n_landmarks=4,
            shrinkage=shrinkage,
            threshold=threshold,
            random_state=0,
        ).fit(X, y)
        expected = [0.5, 0.5] if threshold == "midpoint" else [0.94, 0.06]
        np.testing.assert_allclose(clf.predict_proba(X[:1]), [expected], atol=1e-6)


@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@pytest.mark.parametrize("features", ["auto", "linear"])
@pytest.mark.parametrize("shrinkage", ["auto", "ledoit-wolf", 0.1, 0.0])
def test_a_handful_of_objects_is_enough(shrinkage, features, rng):
    """Two to five objects: no division by zero, finite probabilities."""
    for n in (2, 3, 4, 5):
        for d in (1, 2, 3):
            X, y = rng.normal(size=(n, d)), np.arange(n) % 2
            clf = NyIKFD(
                metric="euclidean",
                shrinkage=shrinkage,
                features=features,
                random_state=0,
            ).fit(X, y)
            assert np.isfinite(clf.predict_proba(X)).all()


def test_no_correction_is_flip(rng):
    """A discriminant needs none: eigenvalues are reported as they are."""
    D = np.abs(rng.normal(size=(60, 60)))
    D, y = np.triu(D, 1) + np.triu(D, 1).T, np.arange(60) % 2
    for features in ("linear", "kernel"):
        none, flip = (
            NyIKFD(
                metric="precomputed",
                correction=correction,
                features=features,
                n_landmarks=20,
                rank=None,
                random_state=0,
            ).fit(D, y)
            for correction in (None, "flip")
        )
        np.testing.assert_allclose(none.predict_proba(D), flip.predict_proba(D))
        np.testing.assert_array_equal(none.corrected_eigenvalues_, none.eigenvalues_)
        assert none.corrected_eigenvalues_.min() < 0


def test_it_works_where_classifiers_do(rng):
    """Pipeline, grid search, calibration, voting, cross-validation, pickle, pandas."""
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    clf = NyIKFD(n_landmarks=20, random_state=0)
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), clf),
        {
            "nyikfd__kernel": ["rbf", "tl1"],
            "nyikfd__gamma": [0.5, 2.0],
            "nyikfd__n_landmarks": [10, 20],
            "nyikfd__landmarks": ["uniform", "stratified"],
        },
        cv=3,
    )
    assert grid.fit(X, y).best_score_ > 0.8
    search = GridSearchCV(
        NyIKFD(landmarks=MEBSelector(), n_landmarks=50, random_state=0),
        {"landmarks__epsilon": [0.1, 0.01]},
        cv=3,
    )
    assert set(search.fit(X, y).best_params_) == {"landmarks__epsilon"}
    assert CalibratedClassifierCV(clf, cv=3).fit(X, y).score(X, y) > 0.8
    votes = VotingClassifier([("a", clf), ("b", clone(clf))], voting="soft")
    assert votes.fit(X, y).score(X, y) > 0.8
    assert cross_val_predict(clf, X, y, method="predict_proba").shape == (120, 2)
    fitted = clone(clf).set_output(transform="pandas").fit(X, y)
    table = fitted.transform(X)
    assert list(table.columns) == ["nyikfd0"]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_strings_by_edit_distance():
    """Objects of any kind, with a callable of two of them."""
    words = ["abab", "ababa", "aba", "baba", "cdcd", "cdc", "dcdc", "cdcdc"] * 3
    y = (["ab"] * 4 + ["cd"] * 4) * 3
    clf = NyIKFD(metric=edit_distance, n_landmarks=6, random_state=0).fit(words, y)
    assert clf.predict(["abba", "ddcc"]).tolist() == ["ab", "cd"]


def test_gaussians_of_dtw_are_classified_though_indefinite():
    """A Gaussian of DTW has negative eigenvalues; labels of new series are right."""

    def dtw2(a, b):
        R = np.full((len(a) + 1, len(b) + 1), np.inf)
        R[0, 0] = 0.0
        for i in range(len(a)):
            for j in range(len(b)):
                before = min(R[i, j], R[i, j + 1], R[i + 1, j])
                R[i + 1, j + 1] = (a[i] - b[j]) ** 2 + before
        return R[-1, -1]

    up = [[0, 1, 2], [0, 0, 1, 2], [0, 1, 1, 2, 2], [0.2, 1.1, 2.3], [0, 2]]
    down = [[2, 1, 0], [2, 2, 1, 0], [2, 1, 1, 0], [2.2, 0.9, 0.1], [2, 0]]
    series, y = up + down, np.array([1] * 5 + [-1] * 5)
    new = [[0.1, 0.9, 1.8, 2.1], [2.1, 1.2, 0.3, 0]]
    clf = NyIKFD(lambda a, b: np.exp(-dtw2(a, b) / 2), n_landmarks=10)
    clf.fit(series, y)
    assert clf.signature_[1] > 0
    np.testing.assert_array_equal(clf.predict(series), y)
    assert clf.predict(new).tolist() == [1, -1]


def test_errors_say_what_to_do(rng):
    """First partial_fit without classes, other classes later, priors, unfitted."""
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    clf = NyIKFD(n_landmarks=5)
    with pytest.raises(NotFittedError):
        clf.predict(X)
    with pytest.raises(ValueError, match="must be passed on the first call"):
        clf.partial_fit(X, y)
    clf.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"of the first call, \[0, 1\]; got \[0, 2\]"):
        clf.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match="priors of NyIKFD must sum to 1"):
        NyIKFD(n_landmarks=5, priors=[1, 1]).fit(X, y)
    with pytest.raises(ValueError, match="features of NyIKFD must be 'linear' or"):
        NyIKFD(n_landmarks=5, features="kernel", shrinkage=0.1).fit(X, y)
    with pytest.raises(ValueError, match="at least 2 classes; got 1 class"):
        NyIKFD(n_landmarks=5).fit(X, np.ones(20))


def test_factors_of_classes_merge_to_that_of_all(rng):
    """Per-class moments of one pass are the moments of each class by itself."""
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 3
    clf = NyIKFD("sigmoid", n_landmarks=12, features="linear", random_state=0)
    clf.fit(X, y)
    counts = [factor.moments.count for factor in clf._factors]
    assert counts == [27, 27, 26]
    alone = NyIKFD("sigmoid", landmarks=clf.component_indices_, random_state=0)
    merged = clf._factors[0].merge(clf._factors[1]).merge(clf._factors[2])
    np.testing.assert_allclose(merged.eigenvalues, clf.eigenvalues_, rtol=1e-12)
    assert alone.fit(X, y).n_samples_seen_ == 80


def test_probabilities_are_as_sure_as_they_are_right():
    """With landmarks for most objects too: mean confidence is the rate of success."""
    gaps, uncorrected = [], []
    for seed in range(5):
        rng = np.random.RandomState(seed)
        y = rng.randint(2, size=1200)
        X = rng.normal(size=(1200, 150)) + 0.1 * (2 * y[:, None] - 1)
        X /= np.arange(1, 151)
        clf = NyIKFD(metric="euclidean", n_landmarks=100, random_state=0)
        clf.fit(X[:200], y[:200])
        sure = clf.predict_proba(X[200:]).max(axis=1).mean()
        right = clf.score(X[200:], y[200:])
        gaps.append(sure - right)
        clf.set_params(threshold="midpoint").fit(X[:200], y[:200])
        uncorrected.append(clf.predict_proba(X[200:]).max(axis=1).mean() - right)
    assert abs(np.mean(gaps)) < 0.03
    assert np.mean(uncorrected) > 0.08


@pytest.mark.parametrize("features", ["kernel", "linear"])
@pytest.mark.parametrize("streamed", [False, True])
def test_weights_are_repetitions(features, streamed, rng):
    """With the same landmarks an object of weight two is the object twice."""
    X = rng.standard_t(3, size=(90, 3))
    y, weights = (np.abs(X[:, 0]) > 0.8).astype(int), np.arange(90) % 4
    weights[y == 0] += 1
    repeated = np.repeat(np.arange(90), weights)
    found = []
    for rows, of_rows in ((np.arange(90), weights), (repeated, None)):
        clf = NyIKFD(
            metric="cityblock",
            landmarks=X[:12],
            features=features,
            n_probes=0,
            random_state=0,
        )
        if streamed:
            start = rows < 40
            parts = [start, ~start]
        else:
            parts = [np.ones(len(rows), dtype=bool)]
        for part in parts:
            clf.partial_fit(
                X[rows[part]],
                y[rows[part]],
                classes=[0, 1],
                sample_weight=None if of_rows is None else of_rows[part],
            )
        found.append(clf)
    weighted, expected = found
    np.testing.assert_array_equal(weighted.class_count_, expected.class_count_)
    np.testing.assert_allclose(weighted.eigenvalues_, expected.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(
        weighted.predict_proba(X), expected.predict_proba(X), atol=1e-7
    )


def test_objects_of_no_weight_are_no_landmarks(rng):
    """Positions are those of the objects given; refused weights are told."""
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    weights = np.where(np.arange(40) % 4 < 2, 0.0, 1.5)
    clf = NyIKFD(n_landmarks=10, random_state=0).fit(X, y, sample_weight=weights)
    assert (weights[clf.component_indices_] > 0).all()
    np.testing.assert_array_equal(clf.components_, X[clf.component_indices_])
    np.testing.assert_array_equal(clf.class_count_, [15, 15])
    with pytest.raises(ValueError, match="one number for each of the 40 objects"):
        clf.fit(X, y, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="must be non-negative and not all zero"):
        clf.fit(X, y, sample_weight=-weights)


def test_boosting_hands_weights_over(rng):
    """AdaBoost of discriminants, and weights routed through a pipeline."""
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    boosted = AdaBoostClassifier(
        NyIKFD(n_landmarks=5, random_state=0), n_estimators=3, random_state=0
    )
    assert boosted.fit(X, y).score(X, y) > 0.8
    with config_context(enable_metadata_routing=True):
        clf = NyIKFD(n_landmarks=5, random_state=0).set_fit_request(sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
        pipe.fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    assert pipe[-1].priors_[1] > 0.7 * y.mean() + 0.2
