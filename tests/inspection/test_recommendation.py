"""What is recommended runs, mends what it says it mends, and is in plain words."""

import numpy as np
import pytest
from factories import similarity_with

from skproxy import BlockMetric, Nystroem, NystromDissimilarity
from skproxy.datasets import make_balls
from skproxy.inspection import diagnose
from skproxy.inspection._report import percent


def manhattan(a, b):
    return float(np.abs(a - b).sum())


def one_sided(a, b):
    return float(np.maximum(a - b, 0.0).sum() + 0.5 * np.abs(a - b).sum())


def block_one_sided(rows, others):
    gaps = np.asarray(rows)[:, None] - np.asarray(others)
    return np.maximum(gaps, 0.0).sum(axis=-1)


def model_of(diagnosis, **more):
    """Execute the code as it would be pasted."""
    recommendation = diagnosis.recommendation
    namespace = {**recommendation.names, **more}
    exec(recommendation.code, namespace)
    return namespace["model"], namespace


def words_of(diagnosis):
    return " ".join(diagnosis.recommendation.sentences)


@pytest.fixture
def points(rng):
    return rng.normal(size=(40, 3))


@pytest.mark.parametrize(
    "settings",
    [
        {"metric": "euclidean"},
        {"metric": "minkowski", "metric_params": {"p": 1}},
        {"metric": "seuclidean", "metric_params": {"V": np.ones(3)}},
        {"metric": "sqeuclidean", "power": 1},
        {"metric": manhattan},
        {"metric": lambda a, b: abs(a[0] - b[0])},
        {"metric": one_sided},
        {"metric": BlockMetric(block_one_sided)},
        {"kernel": "rbf", "gamma": 0.3},
        {"kernel": "sigmoid", "coef0": -1.0},
        {"kernel": lambda a, b: float(a @ b)},
    ],
    ids=str,
)
def test_code_runs_and_fits(points, settings):
    """For every kind of measure; asymmetric functions are averaged."""
    diagnosis = diagnose(points, random_state=0, **settings)
    assert diagnosis.recommendation.is_ready
    model, _ = model_of(diagnosis)
    expected = Nystroem if "kernel" in settings else NystromDissimilarity
    assert type(model) is expected
    Z = model.fit_transform(points)
    assert Z.shape == (40, diagnosis.recommendation.plan.n_landmarks)
    assert np.isfinite(Z).all()
    evaluated = eval(
        diagnosis.recommendation.call,
        {
            "BlockMetric": BlockMetric,
            expected.__name__: expected,
            **diagnosis.recommendation.names,
        },
    )
    assert evaluated.get_params().keys() == model.get_params().keys()


def test_asymmetric_matrix_with_a_diagonal_is_mended(rng):
    """The code makes of X what the estimator takes, and leaves the user's X alone."""
    D = rng.uniform(1.0, 2.0, size=(30, 30))
    before = D.copy()
    diagnosis = diagnose(D, metric="precomputed", random_state=0)
    with pytest.raises(ValueError, match="symmetric"):
        NystromDissimilarity("precomputed").fit(D)
    model, namespace = model_of(diagnosis, X=D)
    assert np.isfinite(model.fit_transform(namespace["X"])).all()
    np.testing.assert_array_equal(D, before)
    words = words_of(diagnosis)
    i, j = diagnosis.axioms.worst_pair
    assert (
        "First: the dissimilarity of an object to itself is not zero for 30 objects"
        in words
    )
    assert f"Second: direction matters, most for objects {i} and {j}" in words


def test_missing_comparisons_come_first_and_are_not_guessed(points):
    """Nothing that runs can be recommended; which objects to drop is said."""
    D = np.abs(points[:, None] - points).sum(axis=-1)
    D[7] = D[:, 7] = np.nan
    diagnosis = diagnose(D, metric="precomputed", random_state=0)
    assert not diagnosis.recommendation.is_ready
    assert diagnosis.recommendation.sentences[0].startswith(
        "First: 40 missing comparisons (NaN or infinite), left out here: object 7."
    )
    kept = np.delete(np.arange(40), diagnosis.dropped)
    model, _ = model_of(diagnosis)
    with pytest.warns(UserWarning, match="at most 39 can become landmarks"):
        model.fit(D[np.ix_(kept, kept)])


def test_negative_dissimilarities_are_read_as_squared(points):
    """power=1, in the numbers and in the call, and it is said."""
    squared = np.abs(points[:, None] - points).sum(axis=-1) ** 2
    squared[3, 4] = squared[4, 3] = -0.5
    diagnosis = diagnose(squared, metric="precomputed", random_state=0)
    assert diagnosis.measured.power == 1
    model, _ = model_of(diagnosis)
    assert model.power == 1
    model.fit(squared)
    assert "1 dissimilarity below zero, as for objects 3 and 4" in words_of(diagnosis)


def test_similarities_read_as_dissimilarities_get_the_other_class(points):
    """And no word about a spectrum that means nothing."""
    K = np.exp(-np.abs(points[:, None] - points).sum(axis=-1))
    diagnosis = diagnose(K, metric="precomputed", random_state=0)
    model, _ = model_of(diagnosis)
    assert isinstance(model, Nystroem)
    model.fit(K)
    assert len(diagnosis.recommendation.sentences) == 1
    assert "diagnose(X, kernel=...)" in words_of(diagnosis)
    D = -np.log(K)
    diagnosis = diagnose(D, kernel="precomputed", random_state=0)
    model, _ = model_of(diagnosis)
    assert isinstance(model, NystromDissimilarity)
    assert model.power == 2
    model.fit(D)


def test_functions_with_a_diagonal_cannot_be_mended(points):
    """The words say what the function has to do."""
    diagnosis = diagnose(
        points, metric=lambda a, b: manhattan(a, b) + 1.0, random_state=0
    )
    assert not diagnosis.recommendation.is_ready
    assert "let the function return zero there" in words_of(diagnosis)


def test_euclidean_needs_no_correction(points):
    """It is said, and constants are not warned of."""
    words = words_of(diagnose(points, random_state=0))
    assert "ordinary (Euclidean) space: there is nothing to correct" in words
    assert "constant" not in words
    words = words_of(diagnose(points, kernel="rbf", random_state=0))
    assert "a positive semi-definite kernel: there is nothing to correct" in words


def test_flip_is_recommended_where_negative_axes_tell(rng):
    """Balls: classes differ in the radius, which only negative axes hold."""
    D, y = make_balls((60, 60), random_state=0)
    diagnosis = diagnose(D, y, metric="precomputed", random_state=0)
    assert diagnosis.recommendation.plan.correction == "flip"
    assert '"flip" keeps what negative axes tell' in words_of(diagnosis)
    alignments = diagnosis.corrections.alignments
    assert alignments["flip"] > alignments["clip"]


def test_clip_is_recommended_where_targets_are_predicted_better(rng):
    """Classes on positive axes, and heavy noise on negative ones."""
    y = np.repeat([0, 1], 30)
    noise = similarity_with(-np.ones(25), 60, rng)
    K = np.where(y[:, None] == y, 1.0, -1.0) / 60 + noise
    diagnosis = diagnose(K, y, kernel="precomputed", random_state=0)
    assert diagnosis.recommendation.plan.correction == "clip"
    assert 'The targets y are predicted best after "clip"' in words_of(diagnosis)
    model, _ = model_of(diagnosis)
    assert model.correction == "clip"


def test_square_is_recommended_where_noise_sits_in_small_axes(rng):
    """A strong axis of classes among many weak ones of both signs."""
    y = np.repeat([0, 1], 30)
    noise = similarity_with(rng.uniform(-1, 1, size=50), 60, rng)
    K = np.where(y[:, None] == y, 1.0, -1.0) / 60 + noise
    diagnosis = diagnose(K, y, kernel="precomputed", random_state=0)
    scores = diagnosis.corrections.scores
    assert scores.scores["square"] > scores.scores["flip"] + 0.02
    assert diagnosis.recommendation.plan.correction == "square"
    assert 'correction="square": "square" weighs small axes' in words_of(diagnosis)
    assert "accuracy" in repr(diagnosis)


def test_targets_that_cannot_be_predicted_decide_nothing(rng):
    """Chance is not compared; too few objects, or no targets, are said."""
    X = rng.normal(size=(200, 20))
    words = words_of(
        diagnose(X, rng.randint(2, size=200), metric="cityblock", random_state=0)
    )
    assert "predicted no better than by guessing" in words
    few = diagnose(X[:10], np.arange(10) % 2, metric="cityblock", random_state=0)
    assert "too few targets y, or of each class, to choose a correction by" in words_of(
        few
    )
    assert few.recommendation.plan.correction == "flip"
    words = words_of(diagnose(X, metric="cityblock", random_state=0))
    assert "Pass y to have corrections tried." in words


def test_the_power_is_tried_on_the_targets(rng):
    """Squares of squares drown; a power that was given stays; no targets, no trial."""
    X = rng.standard_t(2, size=(150, 4))
    y = X[:, 0] > 0
    diagnosis = diagnose(X, y, metric="sqeuclidean", random_state=0)
    scores = diagnosis.corrections.scores
    assert scores.by_power[1.0] > scores.by_power[2.0] + 0.05
    assert diagnosis.measured.power == scores.power == 1
    assert "predicted better from power=1 (cross-validated accuracy" in words_of(
        diagnosis
    )
    model, _ = model_of(diagnosis)
    assert model.power == 1
    given = diagnose(X, y, metric="sqeuclidean", power=2, random_state=0)
    assert given.measured.power == 2
    assert list(given.corrections.scores.by_power) == [2.0]
    untold = diagnose(X, metric="sqeuclidean", random_state=0)
    assert untold.measured.power == 2


@pytest.mark.parametrize("n_objects", [30, 60, 300, 700])
def test_more_than_half_of_the_objects_is_all_of_them(n_objects, rng):
    """Nothing between half and all is ever advised."""
    X = rng.normal(size=(n_objects, 60))
    m = diagnose(X, random_state=0).recommendation.plan.n_landmarks
    assert 2 * m <= n_objects or m == n_objects


def test_a_map_is_told_from_a_model(points):
    """Dissimilarities: what NeucMDS would leave out, as the eigenvalues say."""
    diagnosis = diagnose(points, metric="cityblock", random_state=0)
    a = diagnosis.spectrum.eigenvalues
    error = np.linalg.norm(a[2:]) / np.linalg.norm(a)
    assert diagnosis.spectrum.map_error == pytest.approx(error)
    assert f"two axes leave out {100 * error:.3g} %" in words_of(diagnosis)
    assert "picture" not in words_of(diagnose(points, kernel="rbf", random_state=0))


def test_constants_are_told_apart(rng):
    """Lingoes' and Cailliez' change the similarity by different shares."""
    D = np.triu(rng.uniform(0.0, 1.0, size=(60, 60)), 1)
    diagnosis = diagnose(D + D.T, metric="precomputed", random_state=0)
    changes, words = diagnosis.corrections.changes, words_of(diagnosis)
    for name, whose in (("lingoes", "Lingoes'"), ("cailliez", "Cailliez'")):
        assert changes[name] > 0.5
        assert f"{whose} constant would change it by {percent(changes[name])}" in words


def test_the_code_imports_what_a_module_has(points):
    """Functions of modules need no name of the caller's."""
    from scipy.spatial.distance import chebyshev

    diagnosis = diagnose(points, metric=chebyshev, random_state=0)
    namespace = {}
    exec(diagnosis.recommendation.code, namespace)
    assert namespace["model"].metric is chebyshev


def test_nothing_to_correct_is_not_corrected(rng):
    """Whatever the targets say: positive semi-definite, and next to it."""
    y = np.repeat([0, 1], 30)
    noise = similarity_with(np.full(50, 1.0), 60, rng)
    K = np.where(y[:, None] == y, 1.0, -1.0) / 40 + noise
    diagnosis = diagnose(K, y, kernel="precomputed", random_state=0)
    assert diagnosis.corrections.scores.best == "square"
    assert diagnosis.recommendation.plan.correction == "flip"
    assert "predicted" not in words_of(diagnosis)


@pytest.mark.parametrize("settings", [{}, {"power": 1}])
def test_objects_that_compare_alike_are_said_to(settings):
    """Neither landmarks nor corrections of nothing."""
    diagnosis = diagnose(np.ones((30, 2)), random_state=0, **settings)
    assert diagnosis.recommendation.sentences == (
        "All objects compare alike: there is nothing to embed.",
    )
    model, _ = model_of(diagnosis)
    assert not model.fit_transform(np.ones((30, 2))).any()


def test_one_is_singular(rng):
    """One landmark gives, one comparison is made."""
    line = np.arange(50.0)[:, None] @ np.ones((1, 50))
    words = words_of(diagnose(line, kernel="linear", random_state=0))
    assert "1 landmark gives 95 %" in words
    assert "1 comparison," in repr(diagnose(np.ones((1, 2)), random_state=0))


def test_landmarks_grow_with_the_rank(rng):
    """Few for a plane; more than half the sample asks for more than it can show."""
    plane = diagnose(rng.normal(size=(5000, 2)), random_state=0)
    assert plane.recommendation.plan.n_landmarks == 20
    assert plane.recommendation.plan.landmarks == "kmeans"
    wide = diagnose(rng.normal(size=(5000, 300)), random_state=0)
    assert wide.recommendation.plan.n_landmarks > 2 * wide.n_samples // 2
    assert wide.recommendation.plan.n_landmarks <= 500
    assert "the spectrum falls slowly, and all objects need more" in words_of(wide)


def test_prices_are_compared(rng):
    """Comparisons of a landmark run against all pairs; few objects save nothing."""
    words = words_of(diagnose(rng.normal(size=(5000, 2)), random_state=0))
    assert "comparisons instead of 12.5 million" in words
    assert "then 20 for each new object" in words
    few = diagnose(rng.normal(size=(12, 2)), random_state=0)
    assert "With 12 objects landmarks would save little: take all" in words_of(few)


def test_broken_triangles_are_said(rng):
    """With what not to do."""
    words = words_of(
        diagnose(rng.normal(size=(30, 2)), metric="sqeuclidean", random_state=0)
    )
    assert "this is no metric: do not use search trees" in words
    assert "% of all triangles have a detour" in words
    assert "are the values squared already (then power=1)" in words
    squared = {"metric": "sqeuclidean", "power": 1, "random_state": 0}
    assert "squared already" not in words_of(
        diagnose(rng.normal(size=(30, 2)), **squared)
    )
    few = make_balls((30, 30), random_state=0)[0]
    words = words_of(diagnose(few, metric="precomputed", random_state=0))
    assert "this is no metric" in words
    assert "squared already" not in words
