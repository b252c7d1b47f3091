import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skproxy import (
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.factor import double_center, similarity_from_dissimilarity
from skproxy.inspection._landmark_curve import (
    LandmarkParameters,
    check_counts,
    check_positive,
    check_selectors,
    count_fitted,
    cross_validated_scores,
    held_out_errors,
    label_of,
    name_of_score,
)
from skproxy.landmarks import KMeansSelector, MEBSelector, UniformSelector


def errors_of(estimator, X, y=None, counts=(10,), selectors=("uniform",), **kw):
    settings = {"n_repeats": 2, "n_held_out": 12, "rng": np.random.RandomState(0)}
    return held_out_errors(
        LandmarkParameters.of(estimator, "owner"),
        X,
        y,
        list(counts),
        list(selectors),
        owner="owner",
        **{**settings, **kw},
    )


def test_the_error_is_that_of_objects_that_were_not_fitted(points):
    """By the dense formula, with the draws of the generator."""
    X = points[0]
    errors, used = errors_of(
        NystromDissimilarity("cityblock", scale="metric"), X, n_repeats=1
    )
    rng = np.random.RandomState(0)
    order = rng.permutation(60)
    test, train = np.sort(order[:12]), np.sort(order[12:])
    nystrom = NystromDissimilarity(
        "cityblock",
        correction=None,
        n_landmarks=10,
        random_state=int(rng.randint(2**31 - 1, size=1)[0]),
        scale="metric",
    ).fit(X[train])
    Z = nystrom.transform(X[test])
    S = similarity_from_dissimilarity(
        pairwise_distances(X[test], metric="cityblock") ** 2
    )
    approximated = double_center((Z * nystrom.axis_signs_) @ Z.T)
    expected = np.linalg.norm(approximated - S) / np.linalg.norm(S)
    assert errors.ravel().tolist() == pytest.approx([expected])
    assert used.tolist() == [[[10.0]]]


@pytest.mark.filterwarnings("ignore:n_components=100 of Nystroem is more")
@pytest.mark.parametrize(
    "estimator",
    [
        NystromDissimilarity(correction="clip"),
        NystromDissimilarity("sqeuclidean", power=1),
        Nystroem(kernel="linear"),
        Nystroem(kernel="linear", center=True, n_landmarks=3),
        NeucMDS(4),
        EBEKEmbedding(4),
    ],
)
def test_enough_landmarks_leave_no_error(points, estimator):
    """Four dimensions are exact with ten landmarks, for every kind of estimator."""
    errors, _ = errors_of(estimator, points[0])
    assert errors.max() < 1e-6


@pytest.mark.parametrize("correction", ["flip", "clip", "square", "lingoes"])
def test_corrections_are_no_error(pseudo_euclidean, correction):
    """Signed similarities are compared, whatever becomes of them afterwards."""
    corrector = EigenCorrector(correction, input="dissimilarity", power=1)
    errors, _ = errors_of(corrector, pseudo_euclidean)
    assert errors.max() < 1e-6


def test_precomputed_matrices_are_held_out_on_both_sides(points):
    """The same numbers as from the objects."""
    X = points[0]
    of_objects, _ = errors_of(NystromDissimilarity("cityblock"), X)
    of_matrix, _ = errors_of(
        NystromDissimilarity("precomputed"), pairwise_distances(X, metric="cityblock")
    )
    np.testing.assert_allclose(of_objects, of_matrix, rtol=1e-6)


def test_selectors_that_take_fewer_are_counted(points):
    """What is returned is how many there were; labels reach the selector."""
    X, y = points
    selectors = ["uniform", MEBSelector(epsilon=0.5)]
    errors, used = errors_of(
        NystromDissimilarity(), X, y, counts=[5, 30], selectors=selectors
    )
    assert errors.shape == used.shape == (2, 2, 2)
    assert used[0].tolist() == [[5, 5], [30, 30]]
    assert (used[1] < 30).all()
    assert (used[1] >= 2 * 3).any()


def test_more_landmarks_than_are_left_are_refused(points):
    """With the numbers."""
    with pytest.raises(ValueError, match=r"at most the 48 objects.*12 are held out"):
        errors_of(NystromDissimilarity(), points[0], counts=[10, 49])


def test_scores_are_those_of_cross_val_score(points):
    """In a pipeline, whatever the step is called."""
    X, y = points
    nystrom = NystromDissimilarity("cityblock", random_state=3)
    pipeline = make_pipeline(nystrom, KNeighborsClassifier())
    parameters = LandmarkParameters.of(pipeline, "owner")
    scores, used = cross_validated_scores(
        parameters, X, y, [5, 15], ["uniform", "kmeans"], scoring=None, cv=3, seed=None
    )
    assert scores.shape == used.shape == (2, 2, 3)
    assert used.tolist() == [[[5.0] * 3, [15.0] * 3]] * 2
    pipeline.set_params(
        nystromdissimilarity__n_landmarks=15, nystromdissimilarity__landmarks="kmeans"
    )
    assert scores[1, 1].tolist() == cross_val_score(pipeline, X, y, cv=3).tolist()


def test_classifiers_are_varied_directly(points):
    """Their own parameters, with the seed given."""
    X, y = points
    classifier = NyIKFD(kernel="linear")
    scores, _ = cross_validated_scores(
        LandmarkParameters.of(classifier, "owner"),
        X,
        y,
        [8],
        [KMeansSelector()],
        scoring="balanced_accuracy",
        cv=3,
        seed=5,
    )
    classifier = NyIKFD(
        kernel="linear", n_landmarks=8, landmarks=KMeansSelector(), random_state=5
    )
    expected = cross_val_score(classifier, X, y, cv=3, scoring="balanced_accuracy")
    assert scores.ravel().tolist() == expected.tolist()


def test_estimators_and_selectors_are_cloned(points):
    """What the user gave stays as it was."""
    selector = KMeansSelector()
    nystrom = NystromDissimilarity(n_landmarks=33, random_state=1)
    before = repr(nystrom)
    errors_of(nystrom, points[0], selectors=[selector])
    assert repr(nystrom) == before
    assert not hasattr(nystrom, "n_landmarks_")
    varied = LandmarkParameters.of(nystrom, "owner").varied(4, selector, None)
    assert varied.landmarks is not selector
    assert varied.random_state == 1


def test_nystroem_gets_as_many_features_as_landmarks_unless_told_otherwise():
    """Its n_components are its landmarks where n_landmarks is None."""
    varied = LandmarkParameters.of(Nystroem(), "owner").varied(7, "uniform", 0)
    assert (varied.n_components, varied.n_landmarks) == (7, None)
    told = Nystroem(n_components=3, n_landmarks=9)
    varied = LandmarkParameters.of(told, "owner").varied(7, "uniform", 0)
    assert (varied.n_components, varied.n_landmarks) == (3, 7)


def test_exactly_one_step_compares_with_landmarks():
    """None and two are refused, with their names."""
    with pytest.raises(TypeError, match="got StandardScaler with none"):
        LandmarkParameters.of(StandardScaler(), "owner")
    two = make_pipeline(Nystroem(), NystromDissimilarity())
    with pytest.raises(TypeError, match="with Nystroem, NystromDissimilarity"):
        LandmarkParameters.of(two, "owner")
    with pytest.raises(TypeError, match="got int"):
        LandmarkParameters.of(3, "owner")


def test_selectors_are_the_estimators_own_unless_given():
    """Positions cannot vary in number."""
    own = LandmarkParameters.of(NystromDissimilarity(landmarks="kmeans"), "owner")
    assert check_selectors(None, own, "owner") == ["kmeans"]
    assert check_selectors("meb", own, "owner") == ["meb"]
    selector = UniformSelector()
    assert check_selectors(selector, own, "owner") == [selector]
    assert check_selectors(["meb", selector], own, "owner") == ["meb", selector]
    with pytest.raises(TypeError, match="must be selectors or their names; got 3"):
        check_selectors([3], own, "owner")
    with pytest.raises(ValueError, match="at least one selector"):
        check_selectors([], own, "owner")
    positions = LandmarkParameters.of(NystromDissimilarity(landmarks=[1, 2]), "owner")
    with pytest.raises(ValueError, match="whose number is given"):
        check_selectors(None, positions, "owner")


def test_labels_are_short():
    """Names as they are; selectors by their parameters."""
    assert label_of("kmeans") == "kmeans"
    assert label_of(UniformSelector()) == "Uniform"
    assert label_of(MEBSelector(epsilon=0.5)) == "MEB(epsilon=0.5)"


def test_own_scores_have_names():
    """Accuracy of classifiers, R2 of regressors."""
    assert (
        name_of_score(make_pipeline(Nystroem(), KNeighborsClassifier())) == "accuracy"
    )
    assert name_of_score(Nystroem()) == "score"


def test_numbers_of_landmarks_are_positive_and_sorted():
    """Each once."""
    assert check_counts((20, 10, 10), "owner") == [10, 20]
    assert check_counts(5, "owner") == [5]
    for counts in ([], [0, 1], [1.5], [[1, 2]]):
        with pytest.raises(ValueError, match="n_landmarks of owner"):
            check_counts(counts, "owner")
    with pytest.raises(ValueError, match=r"n_repeats of owner .* got 0"):
        check_positive(0, "n_repeats", "owner")


def test_equal_objects_are_without_error():
    """Zero over zero is zero."""
    errors, _ = errors_of(NystromDissimilarity(), np.ones((30, 2)), counts=[3])
    assert errors.tolist() == [[[0.0, 0.0]]]


def test_objects_left_to_fit():
    """A fifth at most is held out for errors; folds that are unknown are halves."""
    assert count_fitted(100, 200, None) == 80
    assert count_fitted(10_000, 200, 3) == 9_800
    assert count_fitted(100, None, None) == 80
    assert count_fitted(101, None, 10) == 90
    assert count_fitted(100, None, KFold(4)) == 75
    assert count_fitted(100, None, [(0, 1)]) == 50
    assert check_counts(None, "owner", 60) == [10, 20, 50]
    assert check_counts(None, "owner", 7) == [3]
