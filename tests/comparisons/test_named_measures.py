import pickle
import sys
import warnings

import numpy as np
import pytest
from joblib import Memory
from rapidfuzz.distance import Levenshtein
from scipy.spatial.distance import cdist
from series_libraries import like_dtaidistance
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from skproxy import (
    EBEKEmbedding,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.comparisons import BlockMetric, Measure, MeasuredComparisons
from skproxy.comparisons._named_measures import (
    MEASURES,
    SCIPY_NAMES,
    check_measure,
    measure_by_name,
    metric_names,
)
from skproxy.inspection import diagnose
from skproxy.landmarks import select_landmarks

ENDINGS = ["s", "ed", "ing", "er", "", "y", "ly", "able"]
WORDS = [stem + end for stem in ("walk", "glitter", "oxid") for end in ENDINGS]
STEMS = np.repeat([0, 1, 2], len(ENDINGS))
D = np.array([[Levenshtein.distance(a, b) for b in WORDS] for a in WORDS], dtype=float)


def is_missing(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda metric: NystromDissimilarity(metric, n_landmarks=6, random_state=0),
        lambda metric: NeucMDS(metric=metric, n_landmarks=6, random_state=0),
        lambda metric: NeucMDS(metric=metric),
        lambda metric: NyIKFD(metric=metric, n_landmarks=6, random_state=0),
        lambda metric: NyPCVM(metric=metric, n_landmarks=6, random_state=0),
    ],
)
def test_a_name_is_the_matrix_of_its_library(make):
    """In every estimator with metric=, fit and new objects: as if precomputed."""
    use = "predict_proba" if hasattr(make("levenshtein"), "predict_proba") else None
    use = use or "transform"
    named = make("levenshtein").fit(WORDS[1:], STEMS[1:])
    full = make("precomputed").fit(D[1:, 1:], STEMS[1:])
    np.testing.assert_allclose(
        getattr(named, use)(WORDS[:1]), getattr(full, use)(D[:1, 1:]), atol=1e-8
    )
    copy = pickle.loads(pickle.dumps(named))
    np.testing.assert_array_equal(getattr(copy, use)(WORDS), getattr(named, use)(WORDS))
    assert repr(clone(named)) == repr(named)


@pytest.mark.parametrize("selector", ["kmeans", "farthest", "meb"])
def test_selectors_compare_by_name(selector):
    """Landmarks are those of the precomputed matrix."""
    settings = {"selector": selector, "n_landmarks": 5, "random_state": 0}
    by_name = select_landmarks(WORDS, STEMS, metric="levenshtein", **settings)
    by_matrix = select_landmarks(D, STEMS, metric="precomputed", **settings)
    np.testing.assert_array_equal(by_name, by_matrix)


def test_landmarks_are_positions_or_strings_of_ones_own():
    """A list of strings is a list of objects."""
    own = NystromDissimilarity("levenshtein", landmarks=["walks", "oxide"], n_probes=0)
    placed = NystromDissimilarity("levenshtein", landmarks=[0, 1], n_probes=0)
    words = ["walks", "oxide", *WORDS]
    np.testing.assert_allclose(own.fit_transform(words), placed.fit_transform(words))


def test_names_are_searched_over_like_any_parameter():
    """A grid of names and of a function; parts of strings are indexed by folds."""
    model = make_pipeline(
        NystromDissimilarity(n_landmarks=6, random_state=0), KNeighborsClassifier(1)
    )
    metrics = ["levenshtein", "jaro_winkler", "indel", Levenshtein.distance]
    grid = {"nystromdissimilarity__metric": metrics}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(WORDS, STEMS)
    scores = search.cv_results_["mean_test_score"]
    assert scores.min() > 0.9
    assert scores[0] == scores[3]


def test_streaming_merges_what_one_pass_gives():
    """partial_fit in two parts, with one part's landmarks."""
    settings = {"n_landmarks": 5, "landmarks": [0, 4, 9, 12, 17]}
    model = NystromDissimilarity("levenshtein", **settings)
    parts = model.partial_fit(WORDS[:20]).partial_fit(WORDS[20:])
    assert parts.n_samples_seen_ == len(WORDS)
    assert parts.transform(["talk"]).shape == (1, 5)


@pytest.mark.parametrize("name", ["levenshtein", "tanimoto"])
def test_results_do_not_depend_on_n_jobs(name):
    """Blocks by name are the same in processes and in threads."""
    X = WORDS * 30 if name == "levenshtein" else np.tile(np.eye(8), (90, 1))
    one, two = (
        NystromDissimilarity(name, n_landmarks=4, random_state=0, n_jobs=n_jobs)
        for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.fit_transform(X), two.fit_transform(X))


def test_memory_keeps_blocks_by_name(tmp_path, monkeypatch):
    """A second fit compares nothing: it works without the library's comparisons."""
    model = NystromDissimilarity(
        "levenshtein", n_landmarks=5, memory=str(tmp_path), random_state=0
    )
    Z = model.fit_transform(WORDS)
    monkeypatch.setattr("rapidfuzz.process.cdist", None)
    again = clone(model).set_params(correction="clip").fit(WORDS)
    assert again.n_comparisons_ == model.n_comparisons_
    np.testing.assert_array_equal(clone(model).fit_transform(WORDS), Z)
    with pytest.raises(TypeError, match="not callable"):
        clone(model).set_params(memory=None).fit(WORDS)


def test_a_measure_by_name_is_a_value_that_pickles_as_its_name():
    """Models fitted with one version load in another, and without the library."""
    measure = measure_by_name("dtw")
    assert isinstance(measure, BlockMetric)
    assert pickle.loads(pickle.dumps(measure)) is measure is MEASURES["dtw"]
    assert len(pickle.dumps(measure)) < 120
    assert repr(measure) == "'dtw'"
    keys = [
        Measure(name, False, params).digest("metric")
        for name in ("dtw", "msm")
        for params in ({}, {"window": 3})
    ]
    assert len(set(keys)) == 4
    assert measure_by_name("euclidean") == "euclidean"
    assert measure_by_name(Levenshtein.distance) is Levenshtein.distance


@pytest.mark.parametrize(
    "estimator",
    [
        NystromDissimilarity("dtw", metric_params={"window": 0}, n_landmarks=5),
        NyIKFD(metric="dtw", metric_params={"window": 0}, n_landmarks=10),
        NystromDissimilarity("tanimoto", power=1, n_landmarks=5),
        Nystroem("tanimoto", n_components=5),
    ],
    ids=repr,
)
def test_estimators_with_names_keep_scikit_learns_contract(estimator, monkeypatch):
    """Arrays of series are checked as arrays are: sparse, empty, complex, 1-d ...

    Landmarks are drawn among the objects, so that repeated objects get others: weights
    are repetitions for given landmarks, which the classifiers' own tests check.
    """
    drawn = {
        f"check_sample_weight_equivalence_on_{kind}_data": "landmarks are drawn"
        for kind in ("dense", "sparse")
    }
    is_missing("aeon", monkeypatch)
    for name, module in like_dtaidistance().items():
        monkeypatch.setitem(sys.modules, name, module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        warnings.filterwarnings("ignore", "n_landmarks=.* is more than", UserWarning)
        weighs = has_fit_parameter(estimator, "sample_weight")
        check_estimator(
            estimator,
            expected_failed_checks=drawn if weighs else None,
            on_skip=None,
        )


def test_objects_by_name_are_no_tables():
    """Tags: neither pairwise nor sparse, unlike names on vectors."""
    tags = get_tags(NystromDissimilarity("levenshtein")).input_tags
    assert not tags.sparse
    assert not tags.pairwise
    assert get_tags(NystromDissimilarity("tanimoto")).input_tags.sparse


def test_blocks_by_name_are_evaluated_in_processes():
    """The libraries hold the interpreter; numpy does not."""
    assert Measure("levenshtein", False).prefers == "processes"
    assert Measure("tanimoto", False).prefers == "threads"
    assert Measure(BlockMetric(np.subtract.outer), False).prefers == "threads"


def test_a_table_by_name_never_compares_pair_by_pair():
    """The measure is a block measure from the start."""
    table = MeasuredComparisons(
        WORDS, Measure("levenshtein", False), n_jobs=None, memory=Memory(None), name=""
    )
    assert not table.measure.is_scalar
    np.testing.assert_array_equal(table.square(np.arange(9)), D[:9, :9])


def test_scipys_names_are_scipys(rng):
    """Each of them is known to cdist; so are its abbreviations here."""
    X = rng.normal(size=(4, 3))
    for name in SCIPY_NAMES:
        assert cdist(X, X, metric=name).shape == (4, 4)
    for name in ("euclid", "cos", "wminkowski", "haversine", "precomputed"):
        known = name in metric_names() or name in ("euclid", "cos")
        if known:
            check_measure(name, {}, "metric of Me")
    assert set(MEASURES) < set(metric_names())


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("levenstein", r"Did you mean 'levenshtein' or"),
        ("Damerau-Levenshtein", r"Did you mean 'damerau_levenshtein'"),
        ("jaro winkler", r"Did you mean 'jaro_winkler'"),
        ("DTW", r"Did you mean 'dtw'"),
        ("bray_curtis", r"Did you mean 'braycurtis'"),
        ("rbf", r"Kernels are passed as kernel= to Nystroem"),
        ("qqqq", r"Names are adtw, aitchison, .*, yule"),
    ],
)
@pytest.mark.parametrize("make", [NystromDissimilarity, lambda m: NyIKFD(metric=m)])
def test_unknown_names_are_answered_with_close_ones(make, name, advice):
    """Before X is looked at: strings would otherwise be 'not convertible to float'."""
    words = rf"^metric of Ny.* must be a name .*; got '{name}'\. {advice}"
    with pytest.raises(ValueError, match=words):
        make(name).fit(WORDS, STEMS)


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("jaro", {"normalized": True}, r"'jaro', takes nothing .*\['normalized'\]"),
        ("levenshtein", {"window": 3}, r"takes \['normalized', 'weights'\]"),
        ("dtw", {"windw": 3}, r"takes \['window'\] as parameters; got \['windw'\]"),
    ],
)
def test_unknown_parameters_are_answered_with_known_ones(name, params, words):
    """A misspelt window is no window."""
    model = NystromDissimilarity(name, metric_params=params)
    with pytest.raises(ValueError, match=words):
        model.fit(WORDS)


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("levenshtein", ["rapidfuzz"]),
        ("dtw", ["aeon", "dtaidistance"]),
        ("msm", ["aeon"]),
    ],
)
def test_a_missing_library_is_named(name, packages, monkeypatch):
    """With the line that installs it, at fit: a class can be made without it."""
    for package in packages:
        is_missing(package, monkeypatch)
    model = NystromDissimilarity(name)
    lines = " or: ".join(f"pip install {package}" for package in packages)
    with pytest.raises(ImportError) as caught:
        model.fit([[1.0, 2.0], [2.0, 3.0]])
    message = str(caught.value)
    assert message.startswith(f"metric of NystromDissimilarity, '{name}', needs ")
    assert message.endswith(f"Run: {lines}")


def test_series_of_a_fitted_model_pickle(monkeypatch, rng):
    """No module of a library is kept."""
    is_missing("aeon", monkeypatch)
    for name, module in like_dtaidistance().items():
        monkeypatch.setitem(sys.modules, name, module)
    X = rng.normal(size=(12, 6))
    model = NystromDissimilarity("dtw", n_landmarks=3, random_state=0).fit(X)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    assert model.n_features_in_ == 6
    single = clone(model).fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32


def test_a_diagnosis_compares_by_name():
    """diagnose reads strings, pastes the name, and answers names that are none."""
    found = diagnose(WORDS, STEMS, metric="levenshtein", random_state=0)
    assert '"levenshtein"' in found.recommendation.call
    with pytest.raises(ValueError, match=r"metric of diagnose .* mean 'levenshtein'"):
        diagnose(WORDS, metric="levenstein")


@pytest.mark.parametrize("name", ["levenshtein", "dtw", "euclidean", "braycurtis"])
@pytest.mark.parametrize(
    "make", [Nystroem, lambda k: EBEKEmbedding(2, kernel=k), lambda k: NyPCVM(kernel=k)]
)
def test_a_dissimilarity_is_no_kernel(make, name):
    """Said instead of a list of kernels: it is no typing error."""
    words = rf"^kernel of .* must be a similarity, .*'{name}', which is .* as metric="
    with pytest.raises(ValueError, match=words):
        make(name).fit(WORDS, STEMS)


def test_landmarks_are_not_chosen_by_a_dissimilarity_taken_for_a_kernel():
    """select_landmarks has no list of kernels to check against."""
    with pytest.raises(ValueError, match="kernel of select_landmarks must be a simil"):
        select_landmarks(WORDS, kernel="levenshtein")
    for name in ("cosine", "tanimoto"):  # these are both
        assert len(select_landmarks(D[:, 1:], kernel=name, n_landmarks=3)) == 3


def test_a_search_over_names_pays_for_each_once(tmp_path, monkeypatch):
    """Corrections cost nothing with memory; names have comparisons of their own."""
    model = make_pipeline(
        NystromDissimilarity(n_landmarks=6, memory=str(tmp_path), random_state=0),
        KNeighborsClassifier(1),
    )
    grid = {
        "nystromdissimilarity__metric": ["levenshtein", "jaro_winkler"],
        "nystromdissimilarity__correction": ["flip", "clip", None],
    }
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(WORDS, STEMS)
    monkeypatch.setattr("rapidfuzz.process.cdist", None)
    again = clone(search).fit(WORDS, STEMS)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"]
    )
    kept = [path.parent.parent.name for path in tmp_path.rglob("output.pkl")]
    # Rectangles of fit and of new objects, and the wedges of two squares: per fold and
    # name, not per grid point.
    assert len(kept) <= 2 * 4 * 12
