import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skproxy import BlockMetric, NyIKFD, NystromDissimilarity
from skproxy.inspection import LandmarkCurveDisplay
from skproxy.landmarks import KMeansSelector, MEBSelector


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def band(display, label):
    """Return lower and upper edge at each number of landmarks."""
    vertices = display.bands_[label].get_paths()[0].vertices
    counts = display.n_landmarks[label]
    return [
        [edge(vertices[np.isclose(vertices[:, 0], m), 1]) for m in counts]
        for edge in (min, max)
    ]


def test_lines_are_medians_and_bands_ranges():
    """Of each line's repeats, in increasing order of landmarks."""
    scores = {"a": [[3.0, 1.0, 8.0], [2.0, 2.0, 2.0]], "b": [[1.0], [0.5]]}
    display = LandmarkCurveDisplay.from_results([20, 10], scores)
    assert display.lines_["a"].get_xdata().tolist() == [10, 20]
    assert display.lines_["a"].get_ydata().tolist() == [2.0, 3.0]
    assert band(display, "a") == [[2.0, 1.0], [2.0, 8.0]]
    assert display.lines_["b"].get_ydata().tolist() == [0.5, 1.0]
    assert legend(display) == ["a", "b"]
    assert display.text_.get_text() == "median and range"


def test_the_number_of_repeats_is_said():
    """Where all lines have as many; of single values nothing is."""
    display = LandmarkCurveDisplay.from_results(
        [1, 2], np.ones((2, 4)), repeats_name="draws"
    )
    assert display.text_.get_text() == "median and range of 4 draws"
    assert LandmarkCurveDisplay.from_results([1, 2], [1.0, 2.0]).text_ is None


def test_one_line_needs_no_legend():
    """An array of scores is a line without a name."""
    display = LandmarkCurveDisplay.from_results([1, 2], [1.0, 2.0])
    assert display.legend_ is None
    assert display.lines_[""].get_ydata().tolist() == [1.0, 2.0]


def test_a_selector_that_always_takes_as_many_has_a_vertical_range():
    """A band needs width."""
    display = LandmarkCurveDisplay.from_results(
        {"a": [5, 9], "b": [4, 4]}, {"a": [1.0, 2.0], "b": [[1, 2], [3, 4]]}
    )
    (segment,) = display.bands_["b"].get_segments()
    assert segment.tolist() == [[4.0, 1.0], [4.0, 4.0]]


def test_errors_begin_at_zero_or_are_logarithmic():
    """Where they differ tenfold; scores are neither."""
    draw = LandmarkCurveDisplay.from_results
    linear = draw([1, 2], [0.5, 0.1], is_error=True).ax_
    assert linear.get_ylim()[0] == 0.0
    assert linear.get_yscale() == "linear"
    assert draw([1, 2], [0.5, 0.01], is_error=True).ax_.get_yscale() == "log"
    assert draw([1, 2], [0.5, 0.4]).ax_.get_ylim()[0] > 0.3


@pytest.mark.parametrize(
    ("counts", "scale"), [((10, 20, 30), "linear"), ((10, 20, 50, 100), "log")]
)
def test_ticks_are_the_numbers_of_landmarks(counts, scale):
    """On a logarithmic scale where they span more than a factor of five."""
    display = LandmarkCurveDisplay.from_results(counts, np.ones(len(counts)))
    assert display.ax_.get_xscale() == scale
    assert display.ax_.get_xticks().tolist() == list(counts)
    display.figure_.canvas.draw()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels == [str(m) for m in counts]


def test_close_numbers_share_a_tick():
    """The larger has it; none of the others is lost."""
    display = LandmarkCurveDisplay.from_results([9, 10, 20, 50, 100], np.ones(5))
    assert display.ax_.get_xticks().tolist() == [10, 20, 50, 100]


@pytest.mark.parametrize(
    "counts", [np.arange(1, 40), np.arange(10, 50), [1, 500, 501, 502], [9, 10, 11, 99]]
)
def test_labels_of_ticks_do_not_overlap(counts):
    """Many or close numbers are not all ticks."""
    display = LandmarkCurveDisplay.from_results(counts, np.ones(len(counts)))
    display.figure_.canvas.draw()
    axis = display.ax_.xaxis
    low, high = display.ax_.get_xlim()
    boxes = [
        label.get_window_extent()
        for label, place in zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        if label.get_text() and low <= place <= high
    ]
    boxes.sort(key=lambda box: box.x0)
    assert len(boxes) >= 2
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_a_transformer_is_drawn_with_its_errors(points):
    """A line for each selector, as many repeats as asked for, reproducible."""
    draw = [
        LandmarkCurveDisplay.from_estimator(
            NystromDissimilarity("cityblock"),
            points[0],
            n_landmarks=[3, 9, 27],
            landmarks=["uniform", KMeansSelector(), KMeansSelector()],
            n_repeats=2,
            random_state=0,
        )
        for _ in range(2)
    ]
    display = draw[0]
    assert list(display.lines_) == ["uniform", "KMeans 1", "KMeans 2"]
    assert display.scores["uniform"].shape == (3, 2)
    assert display.lines_["uniform"].get_xdata().tolist() == [3, 9, 27]
    medians = display.lines_["uniform"].get_ydata()
    assert medians[0] > medians[1] > medians[2]
    assert display.ax_.get_ylabel() == "relative error of held-out similarities"
    assert display.text_.get_text() == "median and range of 2 draws"
    for label, scores in display.scores.items():
        assert scores.tolist() == draw[1].scores[label].tolist()


def test_a_pipeline_is_drawn_with_its_scores(points):
    """By folds."""
    X, y = points
    pipeline = make_pipeline(StandardScaler(), NystromDissimilarity(), NyIKFD())
    with pytest.raises(TypeError, match="NystromDissimilarity, NyIKFD"):
        LandmarkCurveDisplay.from_estimator(pipeline, X, y)
    pipeline = make_pipeline(
        StandardScaler(), NystromDissimilarity(), KNeighborsClassifier()
    )
    display = LandmarkCurveDisplay.from_estimator(
        pipeline, X, y, n_landmarks=[5, 10], cv=3, random_state=0
    )
    assert display.scores["uniform"].shape == (2, 3)
    assert display.ax_.get_ylabel() == "cross-validated accuracy"
    assert display.text_.get_text() == "median and range of 3 folds"
    display = LandmarkCurveDisplay.from_estimator(
        pipeline, X, y, n_landmarks=5, cv=2, scoring="balanced_accuracy"
    )
    assert display.ax_.get_ylabel() == "cross-validated balanced accuracy"


def test_drawn_is_how_many_landmarks_there_were(points):
    """Not how many were asked for."""
    X, y = points
    display = LandmarkCurveDisplay.from_estimator(
        NyIKFD("linear", random_state=0),
        X,
        y,
        n_landmarks=[3, 30],
        landmarks=["uniform", MEBSelector(epsilon=0.9)],
        cv=2,
    )
    counts = display.n_landmarks["MEB(epsilon=0.9)"]
    assert counts[-1] < 30
    assert display.n_landmarks["uniform"].tolist() == [3, 30]


def test_sequences_and_frames(points):
    """Whatever fit takes."""

    def gap(rows, others):
        rows, others = ([len(w) for w in words] for words in (rows, others))
        return np.abs(np.subtract.outer(rows, others)).astype(float)

    words = ["a" * (1 + j % 9) for j in range(40)]
    nystrom = NystromDissimilarity(BlockMetric(gap))
    for X in (words, pd.Series(words, index=range(3, 43))):
        display = LandmarkCurveDisplay.from_estimator(
            nystrom, X, n_landmarks=[5, 9], n_repeats=1, random_state=0
        )
        assert display.scores["uniform"].max() < 1e-6
    frame = pd.DataFrame(points[0], columns=list("abcd"))
    display = LandmarkCurveDisplay.from_estimator(
        NystromDissimilarity(), frame, n_landmarks=[9], n_repeats=1
    )
    assert display.scores["uniform"].max() < 1e-6


def test_keywords_style_the_artists():
    """Lines and bands."""
    display = LandmarkCurveDisplay.from_results(
        [1, 2], [1.0, 2.0], line_kw={"linewidth": 5}, band_kw={"alpha": 0.5}
    )
    assert display.lines_[""].get_linewidth() == 5
    assert display.bands_[""].get_alpha() == 0.5


def test_words(points):
    """What was wrong, and what to do."""
    X, _y = points
    draw = LandmarkCurveDisplay.from_estimator
    with pytest.raises(ValueError, match=r"y of .* must be given to score NyIKFD"):
        draw(NyIKFD(), X)
    with pytest.raises(TypeError, match="must be the step that compares itself"):
        draw(make_pipeline(StandardScaler(), NystromDissimilarity()), X)
    with pytest.raises(ValueError, match="n_repeats of LandmarkCurveDisplay"):
        draw(NystromDissimilarity(), X, n_landmarks=[5], n_repeats=0)
    with pytest.raises(ValueError, match="n_held_out of LandmarkCurveDisplay"):
        draw(NystromDissimilarity(), X, n_landmarks=[5], n_held_out=0)
    with pytest.raises(ValueError, match=r"square matrix.*\(60, 4\).*from_results"):
        draw(NystromDissimilarity("precomputed"), X)
    with pytest.raises(ValueError, match=r"'a' in .* got shape \(1, 1\) for \(2,\)"):
        LandmarkCurveDisplay.from_results([1, 2], {"a": [1.0]})
    with pytest.raises(ValueError, match="must be positive"):
        LandmarkCurveDisplay.from_results([0, 2], [1.0, 2.0])


def test_usual_numbers_are_those_that_there_are_objects_for(rng):
    """No error and no warning, however few objects there are."""
    X = rng.normal(size=(60, 2))
    nystrom = NystromDissimilarity("cityblock", random_state=0)
    display = LandmarkCurveDisplay.from_estimator(nystrom, X, n_repeats=1)
    assert display.n_landmarks["uniform"].tolist() == [10, 20]
    display = LandmarkCurveDisplay.from_estimator(nystrom, X[:6], n_repeats=1)
    assert display.n_landmarks["uniform"].tolist() == [2]
    pipeline = make_pipeline(nystrom, LinearDiscriminantAnalysis())
    for cv, counts in ((None, [10, 20]), (2, [10, 20]), (10, [10, 20, 50])):
        display = LandmarkCurveDisplay.from_estimator(
            pipeline, X, np.arange(60) % 2, cv=cv
        )
        assert display.n_landmarks["uniform"].tolist() == counts
