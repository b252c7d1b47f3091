"""How many landmarks: nothing compared twice, enough and not many more, and words."""

import numpy as np
import pytest
from factories import dissimilarity_with
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skproxy import (
    EBEKEmbedding,
    EigenCorrector,
    LandmarkComparisons,
    NeucMDS,
    NyGPRegressor,
    NyIKFD,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.comparisons import SquareComparisons
from skproxy.factor import double_center
from skproxy.landmarks import ErrorTolerance
from skproxy.landmarks._tolerance import KnownSquare
from skproxy.neighbors import LandmarkKNeighborsTransformer


@pytest.fixture
def points(rng):
    """Return 600 points in twelve dimensions of falling spread."""
    return rng.normal(size=(600, 12)) * 0.6 ** np.arange(12)


def error_of(model, D):
    """Return the relative error of the similarity that vectors stand for."""
    Z = model.transform(D)
    S = -0.5 * double_center(np.square(D))
    found = (Z * model.axis_signs_) @ Z.T / model.scale_**2
    return np.linalg.norm(found - S) / np.linalg.norm(S)


@pytest.mark.parametrize("tol", [0.3, 0.1])
def test_as_many_as_the_tolerance_asks_for(tol, points):
    """The tolerance is met, and with two thirds of the landmarks it would not be."""
    D = cdist(points, points, "cityblock")
    options = {"correction": None, "random_state": 0}
    model = NystromDissimilarity(
        "precomputed", n_landmarks=ErrorTolerance(tol), **options
    ).fit(D)
    assert error_of(model, D) <= tol
    fewer = model.n_landmarks_ * 2 // 3
    fewer = NystromDissimilarity("precomputed", n_landmarks=fewer, **options).fit(D)
    assert error_of(fewer, D) > tol
    np.testing.assert_array_equal(
        fewer.component_indices_, model.component_indices_[: fewer.n_landmarks_]
    )


class Pairs:
    """A city-block distance of numbered points that remembers its pairs."""

    def __init__(self):
        self.seen = []

    def __call__(self, a, b):
        self.seen.append((min(a[0], b[0]), max(a[0], b[0])))
        return float(np.abs(a[1:] - b[1:]).sum())


def test_no_comparison_is_made_twice(points):
    """But for ten pairs the other way round; and all are counted."""
    X = list(np.column_stack([np.arange(300), points[:300]]))
    metric = Pairs()
    model = NystromDissimilarity(
        metric, n_landmarks=ErrorTolerance(0.2), random_state=0
    ).fit(X)
    assert 10 <= model.n_landmarks_ < 150
    assert len(metric.seen) == model.n_comparisons_
    assert len(metric.seen) - len(set(metric.seen)) == 10


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_units_change_nothing(unit, points):
    """The same landmarks in any unit."""
    D = cdist(points[:400], points[:400], "cityblock")
    options = {"n_landmarks": ErrorTolerance(0.2), "random_state": 0}
    one = NystromDissimilarity("precomputed", **options).fit(D)
    other = NystromDissimilarity("precomputed", **options).fit(unit * D)
    np.testing.assert_array_equal(one.component_indices_, other.component_indices_)


def test_low_rank_needs_few(rng):
    """A rank of five is met by less than a dozen, exactly."""
    D = np.sqrt(np.maximum(dissimilarity_with([9.0, 5.0, 2.0, 1.0, 0.5], 400, rng), 0))
    model = NystromDissimilarity(
        "precomputed", n_landmarks=ErrorTolerance(1e-6), random_state=0
    ).fit(D)
    assert 5 <= model.n_landmarks_ <= 12
    assert error_of(model.set_params(correction=None).fit(D), D) < 1e-6


def test_what_was_reached_is_told(points):
    """Never above max_landmarks or half of the objects, and never in silence."""
    message = r"stopped at 40 landmarks: .* is 0\.\d+ there, at most .*tol=0.001"
    tolerance = ErrorTolerance(0.001, max_landmarks=40)
    with pytest.warns(UserWarning, match=message):
        model = NystromDissimilarity("cityblock", n_landmarks=tolerance).fit(points)
    assert model.n_landmarks_ == 40
    tolerance = ErrorTolerance(1e-4)
    with pytest.warns(UserWarning, match="stopped at 50 landmarks"):
        NystromDissimilarity("cityblock", n_landmarks=tolerance).fit(points[:100])


ESTIMATORS = [
    NystromDissimilarity("cityblock"),
    LandmarkComparisons("cityblock"),
    Nystroem(gamma=0.05),
    Nystroem("tl1"),
    EBEKEmbedding(3, kernel="rbf", gamma=0.05),
    NeucMDS(2, metric="cityblock"),
    NyIKFD(metric="cityblock"),
    NyPCVM(metric="cityblock"),
    NyGPRegressor(metric="cityblock"),
    LandmarkKNeighborsTransformer("cityblock"),
]


@pytest.mark.filterwarnings("ignore:n_landmarks of .* stopped at:UserWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_estimator_takes_auto(estimator, points):
    """It is fitted, and used, as ever."""
    X, y = points[:200], (points[:200, 0] > 0).astype(int)
    tolerance = ErrorTolerance(0.4)
    model = clone(estimator).set_params(n_landmarks=tolerance, random_state=0)
    model.fit(X, y)
    assert 1 <= model.n_landmarks_ <= 100
    use = model.predict if hasattr(model, "predict") else model.transform
    assert use(X[:5]).shape[0] == 5


def test_auto_is_the_tolerance_with_its_defaults(points):
    """By name and as an object: the same landmarks."""
    counts = [
        NystromDissimilarity("cityblock", n_landmarks=count, random_state=0)
        .fit(points)
        .n_landmarks_
        for count in ("auto", ErrorTolerance())
    ]
    assert counts[0] == counts[1]


def test_matrices_and_selectors(points):
    """EigenCorrector's matrix; landmarks in the order of another selector."""
    D = cdist(points[:300], points[:300], "cityblock")
    corrector = EigenCorrector("flip", n_landmarks=ErrorTolerance(0.3), random_state=0)
    assert 2 <= corrector.fit(D).n_landmarks_ < 150
    for selector in ("farthest", "cholesky"):
        model = NystromDissimilarity(
            "cityblock",
            landmarks=selector,
            n_landmarks=ErrorTolerance(0.3),
            random_state=0,
        ).fit(points[:300])
        assert 2 <= model.n_landmarks_ < 150
    given = NystromDissimilarity("cityblock", landmarks=[3, 5, 8], n_landmarks="auto")
    assert given.fit(points).n_landmarks_ == 3


def test_streams_go_on_from_the_number_chosen(points):
    """partial_fit chooses on the first batch and keeps the landmarks."""
    model = NystromDissimilarity(
        "cityblock", n_landmarks=ErrorTolerance(0.2), random_state=0
    )
    model.partial_fit(points[:300])
    count = model.n_landmarks_
    model.partial_fit(points[300:])
    assert model.n_landmarks_ == count
    assert model.n_samples_seen_ == 600


def test_tolerances_are_searched_over(points):
    """As nested parameters in a grid."""
    X, y = points[:200], points[:200, 0] > 0
    vectors = NystromDissimilarity(
        "cityblock", n_landmarks=ErrorTolerance(), random_state=0
    )
    grid = {"nystromdissimilarity__n_landmarks__tol": [0.5, 0.3]}
    search = GridSearchCV(make_pipeline(vectors, SVC()), grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.8


def test_a_table_that_knows_a_square_answers_like_any(rng):
    """Squares, rectangles and blocks, known, unknown and mixed."""
    D = dissimilarity_with([2.0, 1.0], 30, rng)
    table = SquareComparisons(D, symmetrize=None, exactly_symmetric=True, name="X")
    positions = rng.permutation(30)[:12]
    known = KnownSquare(table, positions, D[np.ix_(positions, positions)])
    for some in (positions[:5], np.setdiff1d(np.arange(30), positions), [3, 1, 2, 29]):
        np.testing.assert_array_equal(known.square(some), D[np.ix_(some, some)])
    rows, columns = rng.permutation(30), positions[[4, 2, 9]]
    np.testing.assert_array_equal(
        known.rectangle(rows, columns), D[np.ix_(rows, columns)]
    )
    found = np.zeros((30, 3))
    for run, block in known.blocks(rows, D[columns], columns):
        found[run] = block
    np.testing.assert_array_equal(found, D[:, columns])


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (ErrorTolerance(0), "tol of n_landmarks of NyIKFD must be .* got 0"),
        (ErrorTolerance(2.0), "between 0 and 1; got 2.0"),
        (ErrorTolerance(max_landmarks=0), "max_landmarks of n_landmarks of NyIKFD"),
        ("many", "'n_landmarks' parameter of NyIKFD"),
    ],
)
def test_words_about_what_is_no_tolerance(count, words, points):
    """What must hold and what came."""
    model = NyIKFD(metric="cityblock", n_landmarks=count)
    with pytest.raises(ValueError, match=words):
        model.fit(points, points[:, 0] > 0)
