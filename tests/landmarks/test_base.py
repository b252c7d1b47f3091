"""What holds for every selector: the contract of `LandmarkSelector`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from skproxy import BlockMetric, Nystroem, NystromDissimilarity
from skproxy.landmarks import SELECTORS, LandmarkSelector, select_landmarks

NAMES = sorted(SELECTORS)
GEOMETRIC = sorted(set(NAMES) - {"uniform", "stratified"})


def gaps(rows, others):
    """Compare strings: lengths and share of common letters, no metric."""
    shared = [[len(set(a) & set(b)) for b in others] for a in rows]
    lengths = np.subtract.outer([len(a) for a in rows], [len(b) for b in others])
    letters = np.add.outer([len(set(a)) for a in rows], [len(set(b)) for b in others])
    return np.abs(lengths) + letters - 2.0 * np.array(shared)


def words(n, seed=0):
    rng = np.random.RandomState(seed)
    return ["".join(rng.choice(list("abcdef"), 1 + rng.randint(9))) for _ in range(n)]


def check_contract(indices, n_objects, n_landmarks):
    assert indices.ndim == 1
    assert indices.dtype.kind == "i"
    assert 1 <= len(indices) <= n_landmarks
    assert len(set(indices.tolist())) == len(indices)
    assert indices.min() >= 0
    assert indices.max() < n_objects


@pytest.mark.parametrize("name", NAMES)
def test_positions_are_distinct_and_reproducible(name, cloud):
    """Distinct positions come out, the same for the same seed, others for another."""
    y = np.arange(len(cloud)) % 3
    chosen = [
        select_landmarks(cloud, y, selector=name, n_landmarks=12, random_state=seed)
        for seed in (0, 0, 1)
    ]
    check_contract(chosen[0], len(cloud), 12)
    np.testing.assert_array_equal(chosen[0], chosen[1])
    if name not in ("meb", "cholesky"):  # whose pilot here holds all there is
        assert chosen[0].tolist() != chosen[2].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_choice_does_not_depend_on_n_jobs(name):
    """Selection is independent of n_jobs."""
    X = words(80)
    one, two = (
        select_landmarks(
            X,
            metric=BlockMetric(gaps),
            selector=name,
            n_landmarks=9,
            random_state=3,
            n_jobs=n_jobs,
        )
        for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("exponent", [-60, 60])
def test_choice_does_not_depend_on_units(name, exponent, cloud):
    """Comparisons in other units give the same landmarks."""
    D = np.abs(cloud[:, None] - cloud).sum(axis=2)
    chosen = [
        select_landmarks(
            D * factor,
            metric="precomputed",
            selector=name,
            n_landmarks=10,
            random_state=0,
        )
        for factor in (1.0, 2.0**exponent)
    ]
    np.testing.assert_array_equal(chosen[0], chosen[1])


@pytest.mark.parametrize("name", NAMES)
def test_any_measure(name):
    """Strings, an indefinite similarity and an asymmetric matrix all serve."""
    X = words(60)
    D = gaps(X, X)
    lopsided = D + np.triu(np.random.RandomState(0).uniform(size=D.shape), 1)
    ways = [
        (X, {"metric": BlockMetric(gaps)}),
        (X, {"metric": lambda a, b: float(gaps([a], [b])[0, 0]), "power": 0.5}),
        (D, {"metric": "precomputed", "power": 1}),
        (lopsided, {"metric": "precomputed", "symmetrize": "average"}),
        (np.tanh(1.0 - D), {"kernel": "precomputed"}),
    ]
    for objects, how in ways:
        chosen = select_landmarks(
            objects, selector=name, n_landmarks=8, random_state=0, **how
        )
        check_contract(chosen, 60, 8)


@pytest.mark.parametrize("name", NAMES)
def test_squared_values_need_power_one(name, cloud):
    """Squared distances with power=1 are what distances are with power=2."""
    squared = ((cloud[:, None] - cloud) ** 2).sum(axis=2)
    selector = SELECTORS[name]()
    if name in GEOMETRIC:  # a pilot that holds all there is, without near ties
        selector.set_params(n_pilot=20)
    # Three, because from the fourth on pivots in three dimensions are a tie.
    arguments = {"selector": selector, "n_landmarks": 3, "random_state": 0}
    np.testing.assert_array_equal(
        select_landmarks(squared, metric="precomputed", power=1, **arguments),
        select_landmarks(np.sqrt(squared), metric="precomputed", **arguments),
    )


@pytest.mark.parametrize("name", GEOMETRIC)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_copies_are_chosen_once(name, dtype):
    """Of objects that are all the same one is chosen; of copies one each at most."""
    arguments = {"selector": name, "n_landmarks": 6, "random_state": 0}
    same = np.ones((30, 2), dtype=dtype)
    assert len(select_landmarks(same, **arguments)) == 1
    rng = np.random.RandomState(1)
    copies = rng.normal(size=(4, 3)).astype(dtype)[rng.randint(4, size=40)]
    chosen = select_landmarks(copies, **arguments)
    check_contract(chosen, 40, 4)
    assert len(np.unique(copies[chosen], axis=0)) == len(chosen)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_objects", [1, 2, 3])
def test_hardly_any_objects(name, n_objects):
    """One, two or three objects are enough to choose from."""
    X = np.arange(2.0 * n_objects).reshape(-1, 2)
    y = np.arange(n_objects)
    for labels in (None, y):
        chosen = select_landmarks(
            X, labels, selector=name, n_landmarks=n_objects, random_state=0
        )
        check_contract(chosen, n_objects, n_objects)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("estimator", [NystromDissimilarity, Nystroem])
def test_by_name_in_estimators(name, estimator):
    """Every selector serves every estimator by name, copies and all, without NaN."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(6, 2))[rng.randint(6, size=50)]
    size = "n_components" if estimator is Nystroem else "n_landmarks"
    model = estimator(landmarks=name, random_state=0).set_params(**{size: 10})
    Z = model.fit_transform(X, rng.randint(2, size=50))
    assert np.isfinite(Z).all()
    assert np.isfinite(model.transform(X + 0.5)).all()
    assert model.n_landmarks_ == len(model.component_indices_) <= 10
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_is_a_scikit_learn_object(name):
    """Selectors can be cloned, pickled, printed and searched over."""
    selector = SELECTORS[name]()
    assert clone(selector).get_params() == selector.get_params()
    assert pickle.loads(pickle.dumps(selector)).get_params() == selector.get_params()
    assert repr(selector) == f"{type(selector).__name__}()"
    assert isinstance(selector, LandmarkSelector)


@pytest.mark.filterwarnings("ignore:n_landmarks=100 of NystromDissimilarity")
@pytest.mark.parametrize("name", ["cholesky", "kmeans", "meb"])
def test_scikit_learns_checks(name):
    """Estimators pass all of scikit-learn's checks whatever their landmarks."""
    check_estimator(NystromDissimilarity(landmarks=name), on_skip=None)


def test_grid_search_reaches_into_selectors(cloud):
    """GridSearchCV over landmarks and landmarks__epsilon works."""
    y = (cloud[:, 0] > 0).astype(int)
    model = make_pipeline(
        NystromDissimilarity(n_landmarks=20, random_state=0), KNeighborsClassifier()
    )
    search = GridSearchCV(
        model,
        [
            {"nystromdissimilarity__landmarks": ["kmeans", "cholesky"]},
            {
                "nystromdissimilarity__landmarks": [SELECTORS["meb"]()],
                "nystromdissimilarity__landmarks__epsilon": [0.3, 0.01],
            },
        ],
        cv=2,
        error_score="raise",
    ).fit(cloud, y)
    assert search.best_score_ > 0.8


def test_a_selector_of_your_own(cloud):
    """Ten lines make a selector: the first of a few with the largest mean gap."""

    class Remote(LandmarkSelector):
        def __init__(self, n_looked_at=50):
            self.n_looked_at = n_looked_at

        def select(self, X, y, n_landmarks, proximity, rng):
            some = rng.permutation(proximity.n_objects)[: self.n_looked_at]
            gaps = proximity.square(some).mean(axis=1)
            return some[np.argsort(-gaps)[:n_landmarks]]

    model = NystromDissimilarity(n_landmarks=5, landmarks=Remote(), random_state=0)
    model.fit(cloud)
    assert model.n_landmarks_ == 5
    assert model.set_params(landmarks__n_looked_at=5).fit(cloud).n_landmarks_ == 5


@pytest.mark.parametrize("name", GEOMETRIC)
def test_landmark_columns_cannot_be_chosen_from(name, cloud):
    """A matrix of landmark columns leaves nothing to choose, and the error says so."""
    D = np.abs(cloud[:, [0]] - cloud[:5, 0])
    model = NystromDissimilarity("precomputed", landmarks=name)
    with pytest.raises(ValueError, match="landmarks= the positions of the m columns"):
        model.fit(D)


@pytest.mark.parametrize("name", GEOMETRIC)
def test_impossible_comparisons_are_named(name):
    """A negative dissimilarity is reported with its pair, in positions of the data."""
    X = np.arange(40.0)
    D = np.abs(X[:, None] - X)
    D[31, 7] = D[7, 31] = -2.0
    metric = BlockMetric(lambda rows, others: D[np.ix_(rows, others)])
    objects = list(range(40))
    with pytest.raises(ValueError, match=r"\((31, 7|7, 31)\)"):
        select_landmarks(
            objects,
            metric=metric,
            selector=clone(SELECTORS[name]()).set_params(n_pilot=40),
            n_landmarks=40,
            random_state=0,
        )
