"""Models of parts, merged."""

import pickle

import numpy as np
import pytest
from factories import CountedBlocks, edit_distance
from numpy.testing import assert_allclose
from sklearn.base import clone

from skproxy import BlockMetric, NyIKFD, Nystroem, NystromDissimilarity


def cityblock(rows, others):
    return np.abs(np.asarray(rows)[:, None] - np.asarray(others)[None]).sum(axis=2)


@pytest.fixture
def heavy(rng):
    """Return 1,200 heavy-tailed points in units of a thousandth, outliers late."""
    X = rng.standard_t(3, size=(1200, 4)) * 1e-3
    for i, row in enumerate([700, 900, 1100, 1199]):
        X[row, i] += 0.05 * (i + 1)
    return X


def nystrom(**options):
    return NystromDissimilarity(
        "cityblock", n_landmarks=12, random_state=0, correction=None, **options
    )


def assert_same(one, other, X, atol=1e-9):
    size = np.abs(other.eigenvalues_).max()
    assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=atol * size)
    assert_allclose(one.mean_, other.mean_, rtol=atol)
    assert one.n_samples_seen_ == other.n_samples_seen_
    assert one.signature_ == other.signature_
    gaps = one.transform(X) - other.transform(X)
    strong = np.abs(other.eigenvalues_) > 1e-6 * size
    assert np.abs(gaps[:, strong]).max() <= 1e2 * atol * np.sqrt(size)


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_parts_merged_in_any_order_are_one_stream(begin, heavy):
    """base.merge(parts) = base.partial_fit of their objects, to 1e-9, in any order."""
    first, *files = np.array_split(heavy, 4)
    base = getattr(nystrom(), begin)(first)
    start = pickle.dumps(base.new_part())
    parts = [pickle.loads(start).partial_fit(file) for file in files]
    once = pickle.loads(pickle.dumps(base)).partial_fit(np.concatenate(files))
    for order in ([0, 1, 2], [2, 0, 1]):
        merged = pickle.loads(pickle.dumps(base))
        for i in order:
            merged.merge(parts[i])
        assert_same(merged, once, heavy)
    tree = pickle.loads(pickle.dumps(parts[2])).merge(parts[1])
    merged = pickle.loads(pickle.dumps(base)).merge(tree).merge(parts[0])
    assert_same(merged, once, heavy)


def test_parts_fitted_apart_on_the_same_landmarks_are_one_fit(heavy):
    """With the core W^+, which needs no probes, fits to files add up to one fit."""
    marks = heavy[::100]
    files = np.array_split(heavy, 3)
    options = {"metric": "cityblock", "landmarks": marks, "n_probes": 0}
    whole = NystromDissimilarity(**options).fit(heavy)
    for order in ([0, 1, 2], [2, 1, 0]):
        one, *rest = (NystromDissimilarity(**options).fit(files[i]) for i in order)
        for other in rest:
            one.merge(other)
        assert_same(one, whole, heavy)
        counted = one.n_comparisons_ - 2 * 12 * 13 // 2  # among landmarks, each time
        assert counted == whole.n_comparisons_


def test_streams_begun_apart_find_each_others_outliers(heavy):
    """What no probe of the first stream is near becomes one: the core follows."""
    one = nystrom().partial_fit(heavy[:600])
    other = nystrom(landmarks=one.components_).partial_fit(heavy[600:])
    once = pickle.loads(pickle.dumps(one)).partial_fit(heavy[600:])
    one.merge(other)
    size = np.abs(once.eigenvalues_).max()
    assert_allclose(one.eigenvalues_[:4], once.eigenvalues_[:4], rtol=0.05)
    assert_allclose(one.mean_, once.mean_, rtol=1e-9)
    gaps = np.abs(one.transform(heavy)[:, 0]) - np.abs(once.transform(heavy)[:, 0])
    assert np.abs(gaps).max() <= 0.05 * np.sqrt(size)


def test_only_probes_are_compared_in_a_merge(heavy):
    """What is counted is done; the objects themselves are never compared again."""
    calls = CountedBlocks(cityblock)
    base = NystromDissimilarity(BlockMetric(calls), n_landmarks=12, random_state=0)
    base.partial_fit(heavy[:600])
    part = base.new_part()
    assert part.n_samples_seen_ == part.n_comparisons_ == 0
    part.partial_fit(heavy[600:])
    before, counted = calls.n_evaluated, base.n_comparisons_ + part.n_comparisons_
    base.merge(part)
    made = base.n_comparisons_ - counted
    assert 0 < made <= 24 * (24 + 6 * 12 + 160 + 24)
    assert calls.n_evaluated - before >= made
    again = base.n_comparisons_
    base.merge(base.new_part())  # nothing
    assert base.n_comparisons_ == again
    assert base.n_samples_seen_ == 1200


def test_a_stream_takes_in_what_was_fitted_at_once(heavy):
    """Moments of a model without a stream: all its objects, in the core that is."""
    base = nystrom().partial_fit(heavy[:600])
    whole = nystrom(landmarks=base.components_).fit(heavy[600:])
    base.merge(whole)
    assert base.n_samples_seen_ == 1200
    distances = cityblock(heavy, np.asarray(base.components_))
    assert_allclose(base.mean_, np.square(distances).mean(axis=0), rtol=1e-9)
    base.partial_fit(heavy[:5])
    assert base.n_samples_seen_ == 1205


@pytest.mark.parametrize("features", ["auto", "linear"])
@pytest.mark.parametrize("weigh", [False, True])
def test_classifiers_of_parts_are_one_classifier(features, weigh, heavy, rng):
    """NyIKFD: merged in any order as if all had come in one stream, to 1e-9."""
    y = np.where(heavy[:, 0] + heavy[:, 1] > 0, "b", "a")
    y[np.abs(heavy[:, 2]) > 3e-3] = "c"
    weights = rng.uniform(0.5, 2, size=1200) if weigh else np.ones(1200)
    cuts = np.array_split(np.arange(1200), 4)

    def fed(model, which, **classes):
        some = {"sample_weight": weights[which]} if weigh else {}
        return model.partial_fit(heavy[which], y[which], **classes, **some)

    base = NyIKFD(metric="cityblock", n_landmarks=15, features=features, random_state=0)
    fed(base, cuts[0], classes=["a", "b", "c"])
    parts = [fed(base.new_part(), which) for which in cuts[1:]]
    once = fed(pickle.loads(pickle.dumps(base)), np.concatenate(cuts[1:]))
    for order in ([0, 1, 2], [2, 0, 1]):
        merged = pickle.loads(pickle.dumps(base))
        for i in order:
            merged.merge(parts[i])
        assert_allclose(merged.class_count_, once.class_count_, rtol=1e-12)
        assert_allclose(
            merged.predict_log_proba(heavy), once.predict_log_proba(heavy), atol=1e-8
        )
        assert merged.n_comparisons_ == once.n_comparisons_
        assert merged.n_samples_seen_ == 1200


def test_linear_classifiers_fitted_apart_are_one(rng):
    """A psd kernel needs no probes: the map is that of the landmarks alone."""
    X = rng.normal(size=(300, 3)) * 1e3
    y = (X[:, 0] > 0).astype(int)
    options = {"kernel": "linear", "landmarks": X[:6], "features": "linear"}
    whole = NyIKFD(**options).fit(X, y)
    one, two = (NyIKFD(**options).fit(X[i::2], y[i::2]) for i in range(2))
    merged = one.merge(two)
    assert_allclose(
        merged.decision_function(X), whole.decision_function(X), rtol=1e-7, atol=1e-8
    )


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0]])
def test_kernel_models_of_files_are_one(order, heavy):
    """Nystroem with a pass over the data: fits to files add up to one fit."""
    options = {"gamma": 1e3, "landmarks": heavy[::100]}
    options |= {"center": True, "n_probes": 0}
    whole = Nystroem(**options).fit(heavy)
    files = np.array_split(heavy, 3)
    one, *rest = (Nystroem(**options).fit(files[i]) for i in order)
    for other in rest:
        one.merge(other)
    assert_same(one, whole, heavy)


def test_features_of_a_psd_kernel_belong_to_its_landmarks(heavy):
    """Without a pass there is nothing to add but the count."""
    one = Nystroem(gamma=1e3, landmarks=heavy[:9]).fit(heavy[:600])
    before = one.transform(heavy)
    one.merge(Nystroem(gamma=1e3, landmarks=heavy[:9]).fit(heavy[600:]))
    np.testing.assert_array_equal(one.transform(heavy), before)
    assert one.n_samples_seen_ == 1200


def test_what_differs_is_named(heavy):
    """Measure, parameters, power, landmarks, classes, kind of estimator."""
    base = nystrom().fit(heavy)
    other = nystrom(landmarks=base.components_)
    for change, word in [
        ({"metric": "euclidean"}, "metric; got"),
        ({"power": 1}, "power; got 2 and 1"),
        ({"landmarks": base.components_[:5]}, "n_landmarks_; got 12 and 5"),
        ({"landmarks": base.components_[::-1]}, "number 0 differs"),
        ({"metric": "minkowski", "metric_params": {"p": 3}}, "metric; got"),
    ]:
        different = clone(other).set_params(**change).fit(heavy)
        with pytest.raises(ValueError, match=word):
            base.merge(different)
    with pytest.raises(TypeError, match="must be a fitted NystromDissimilarity"):
        base.merge(Nystroem().fit(heavy))
    one = Nystroem(gamma=1.0, landmarks=heavy[:5]).fit(heavy)
    two = Nystroem(gamma=2.0, landmarks=heavy[:5]).fit(heavy)
    with pytest.raises(ValueError, match=r"kernel parameter gamma; got 1\.0 and 2\.0"):
        one.merge(two)
    with pytest.raises(ValueError, match="got one of each"):
        one.merge(clone(one).set_params(center=False, correction="square").fit(heavy))


def test_classifiers_that_differ_are_told(heavy):
    """Other classes; kernel features chosen on other objects."""
    y = (heavy[:, 0] > 0).astype(int)
    base = NyIKFD(metric="cityblock", landmarks=heavy[:9], random_state=0)
    base.fit(heavy[:600], y[:600])
    with pytest.raises(ValueError, match=r"same classes; got \[0, 1\] and \[0, 2\]"):
        base.merge(clone(base).fit(heavy, 2 * y))
    with pytest.raises(ValueError, match="same kernel features"):
        base.merge(clone(base).fit(heavy[600:], y[600:]))


class Word:
    """An object that knows only itself."""

    def __init__(self, text):
        self.text = text


def word_distance(a, b):
    return edit_distance(a.text, b.text)


def test_objects_that_only_know_themselves_may_travel(rng):
    """A pickled landmark is another object; comparisons among landmarks tell."""
    letters = [rng.choice(list("abc"), size=rng.randint(1, 9)) for _ in range(60)]
    words = [Word("".join(some)) for some in letters]
    base = NystromDissimilarity(word_distance, n_landmarks=5, random_state=0)
    base.partial_fit(words[:30])
    part = pickle.loads(pickle.dumps(base.new_part())).partial_fit(words[30:])
    base.merge(part)
    assert base.n_samples_seen_ == 60
    longer = [Word(word.text * 3) for word in base.components_]
    apart = clone(base).set_params(landmarks=longer)
    with pytest.raises(ValueError, match="largest comparison among landmarks"):
        base.merge(apart.fit(words))
