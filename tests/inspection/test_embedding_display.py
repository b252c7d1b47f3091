import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    NyPCVM,
    NystromDissimilarity,
)
from skproxy.inspection import EmbeddingDisplay
from skproxy.inspection._drawing import class_style

WORDS = ["kitten", "sitting", "bit", "a", "an", "and", "land", "lend", "end", "bend"]


def length_gap(rows, others):
    rows, others = ([len(w) for w in words] for words in (rows, others))
    return np.abs(np.subtract.outer(rows, others)).astype(float)


def places(scatter):
    return np.asarray(scatter.get_offsets())


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_objects_are_where_transform_puts_them(points):
    """Two columns of it, in the order asked for."""
    X = points[0]
    nystrom = NystromDissimilarity(n_landmarks=8, random_state=0).fit(X)
    display = EmbeddingDisplay.from_estimator(nystrom, X[:30], components=(2, 0))
    (scatter,) = display.scatters_
    np.testing.assert_allclose(places(scatter), nystrom.transform(X[:30])[:, [2, 0]])
    assert display.ax_.get_xlabel() == "axis 3"
    assert display.ax_.get_ylabel() == "axis 1"
    assert display.ax_.get_aspect() == 1.0


def test_landmarks_are_marked_where_they_are(points):
    """At the places of these objects, also when others are drawn."""
    X = points[0]
    nystrom = NystromDissimilarity(n_landmarks=8, random_state=0).fit(X)
    expected = nystrom.transform(X)[nystrom.component_indices_, :2]
    for drawn in (X, X[:10] + 1.0):
        display = EmbeddingDisplay.from_estimator(nystrom, drawn)
        np.testing.assert_allclose(places(display.landmarks_), expected)
        assert legend(display) == ["landmarks"]
    assert display.plot(mark_landmarks=False).landmarks_ is None
    own = NystromDissimilarity(landmarks=X[:3] + 0.5).fit(X)
    display = EmbeddingDisplay.from_estimator(own, X)
    np.testing.assert_allclose(
        places(display.landmarks_), own.transform(X[:3] + 0.5)[:, :2]
    )


def test_landmarks_that_are_not_marked_are_not_compared(points):
    """Only the objects drawn are."""
    calls = []

    def measure(a, b):
        calls.append(1)
        return float(np.abs(a - b).sum())

    X = points[0]
    nystrom = NystromDissimilarity(measure, n_landmarks=7, random_state=0).fit(X)
    for marked, n_compared in ((False, 10), (True, 17)):
        calls.clear()
        EmbeddingDisplay.from_estimator(nystrom, X[:10], mark_landmarks=marked)
        assert len(calls) == 7 * n_compared


@pytest.mark.parametrize("columns_only", [False, True])
def test_landmarks_of_precomputed_matrices(points, columns_only):
    """Their rows are all that is known of them, and enough."""
    D = pairwise_distances(points[0], metric="cityblock")
    X = D[:, :7] if columns_only else D
    nystrom = NystromDissimilarity("precomputed", landmarks=np.arange(7)).fit(X)
    display = EmbeddingDisplay.from_estimator(nystrom, X)
    np.testing.assert_allclose(places(display.landmarks_), nystrom.transform(X)[:7, :2])


def test_without_landmarks_none_are_marked(points):
    """NeucMDS and EigenCorrector of everything."""
    D = pairwise_distances(points[0], metric="cityblock")
    for estimator in (
        NeucMDS(2, metric="precomputed"),
        EigenCorrector(input="dissimilarity", output="features"),
    ):
        display = EmbeddingDisplay.from_estimator(estimator.fit(D), D)
        assert display.landmarks_ is None
        assert display.legend_ is None


def test_exemplars_are_marked_and_name_the_axes(points):
    """An EBEKEmbedding has exemplars for landmarks."""
    X, y = points
    ebek = EBEKEmbedding(n_components=3).fit(X)
    display = EmbeddingDisplay.from_estimator(ebek, X, y)
    np.testing.assert_allclose(
        places(display.landmarks_), ebek.transform(X)[ebek.exemplar_indices_, :2]
    )
    assert legend(display)[-1] == "exemplars"
    assert display.ax_.get_xlabel() == f"exemplar {ebek.exemplar_indices_[0]}"


@pytest.mark.parametrize("correction", [None, "flip"])
def test_negative_axes_are_named(pseudo_euclidean, correction):
    """With what was done about them."""
    D = pseudo_euclidean
    nystrom = NystromDissimilarity(
        "precomputed", power=1, n_landmarks=15, correction=correction, random_state=0
    ).fit(D)
    negative = nystrom.axis_signs_.tolist().index(-1)
    other = nystrom.axis_signs_.tolist().index(1)
    display = EmbeddingDisplay.from_estimator(nystrom, D, components=(other, negative))
    note = "negative" if correction is None else "negative, flipped"
    assert display.ax_.get_ylabel() == f"axis {negative + 1} ({note})"
    assert display.ax_.get_xlabel() == f"axis {other + 1}"


def test_classes_have_colours_markers_and_names():
    """One scatter each, in the order of classes_; the largest drawn first."""
    Z = np.arange(12.0).reshape(6, 2)
    y = ["b", "a", "b", "b", "c", "c"]
    display = EmbeddingDisplay.from_embedding(Z, y)
    assert display.classes_.tolist() == ["a", "b", "c"]
    assert legend(display) == ["a", "b", "c"]
    for j, scatter in enumerate(display.scatters_):
        members = np.array(y) == display.classes_[j]
        assert places(scatter).tolist() == Z[members].tolist()
        colour = scatter.get_facecolor()[0][:3]
        assert tuple(colour) == to_rgba(class_style(j)[0])[:3]
    drawn = [c for c in display.ax_.collections if c in display.scatters_]
    assert [c.get_label() for c in drawn] == ["b", "c", "a"]
    markers = {str(s.get_paths()[0].vertices.tolist()) for s in display.scatters_}
    assert len(markers) == 3


def test_rare_classes_are_not_lost_among_many(rng):
    """Their markers are larger than those of common ones."""
    y = np.repeat(["common", "rare"], [5000, 100])
    display = EmbeddingDisplay.from_embedding(rng.standard_normal((5100, 2)), y)
    common, rare = (float(s.get_sizes()[0]) for s in display.scatters_)
    assert rare > 2 * common


def test_objects_without_label_are_grey_and_last():
    """None and NaN are no class."""
    y = np.array(["a", None, "b", np.nan], dtype=object)
    display = EmbeddingDisplay.from_embedding(np.eye(4), y)
    assert display.classes_.tolist() == ["a", "b"]
    assert legend(display) == ["a", "b", "no label"]
    assert places(display.scatters_[-1]).tolist() == np.eye(4)[[1, 3], :2].tolist()


def test_numbers_have_a_colour_bar(rng):
    """Which shows the values, named after a Series."""
    Z, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    display = EmbeddingDisplay.from_embedding(Z, pd.Series(y, name="age"))
    assert display.scatters_[0].get_array().tolist() == y.tolist()
    assert display.colorbar_.ax.get_ylabel() == "age"
    assert display.classes_ is None
    assert display.legend_ is None
    y[3] = np.nan
    display = EmbeddingDisplay.from_embedding(Z, y)
    assert len(places(display.scatters_[0])) == 29
    assert places(display.scatters_[1]).tolist() == Z[[3]].tolist()
    assert legend(display) == ["no value"]


def test_from_embedding_marks_rows_and_names_axes():
    """landmark_indices are rows of Z; axis_signs name the axes."""
    Z = np.arange(12.0).reshape(4, 3)
    display = EmbeddingDisplay.from_embedding(
        Z, axis_signs=[1, -1, 0], landmark_indices=[3, 0], components=(1, 2)
    )
    assert places(display.landmarks_).tolist() == Z[[3, 0], 1:].tolist()
    assert display.ax_.get_xlabel() == "axis 2 (negative)"
    assert display.ax_.get_ylabel() == "axis 3 (past the rank)"


def test_legends_of_new_figures_hide_no_object(points):
    """They stand beside the map; with axes given, inside."""
    from matplotlib import pyplot

    X, y = points
    display = EmbeddingDisplay.from_embedding(X, y)
    display.figure_.canvas.draw()
    frame = display.ax_.get_window_extent()
    assert display.legend_.get_window_extent().x0 >= frame.x1
    _, ax = pyplot.subplots()
    display.plot(ax).figure_.canvas.draw()
    assert display.legend_.get_window_extent().x1 <= ax.get_window_extent().x1
    assert display.plot(legend=False).legend_ is None


def test_sequences_frames_and_pipelines():
    """Whatever transform takes, without warnings; a pipeline is looked into."""
    nystrom = NystromDissimilarity(
        BlockMetric(length_gap), n_landmarks=4, random_state=0
    )
    display = EmbeddingDisplay.from_estimator(nystrom.fit(WORDS), WORDS)
    expected = nystrom.transform(WORDS)[nystrom.component_indices_, :2]
    np.testing.assert_allclose(places(display.landmarks_), expected)

    frame = pd.DataFrame(np.random.RandomState(0).rand(9, 3), columns=list("abc"))
    nystrom = NystromDissimilarity(n_landmarks=4, random_state=0)
    nystrom.set_output(transform="pandas").fit(frame)
    display = EmbeddingDisplay.from_estimator(nystrom, frame)
    assert len(places(display.landmarks_)) == 4

    pipeline = make_pipeline(StandardScaler(), NyIKFD(n_landmarks=5, random_state=0))
    pipeline.fit(frame, np.arange(9) % 3)
    display = EmbeddingDisplay.from_estimator(pipeline, frame, np.arange(9) % 3)
    expected = pipeline[-1].transform(pipeline[0].transform(frame))
    order = np.argsort(np.arange(9) % 3, kind="stable")
    np.testing.assert_allclose(
        np.concatenate([places(s) for s in display.scatters_]), expected[order]
    )


def test_the_estimator_is_not_changed(points):
    """Neither its parameters nor what it has learnt."""
    nystrom = NystromDissimilarity(n_landmarks=5, random_state=0).fit(points[0])
    before = dict(vars(nystrom))
    EmbeddingDisplay.from_estimator(nystrom, *points)
    assert vars(nystrom).keys() == before.keys()
    assert all(vars(nystrom)[name] is before[name] for name in before)


def test_keywords_style_the_artists(points):
    """Those of objects and of landmarks."""
    display = EmbeddingDisplay.from_embedding(
        points[0],
        points[1],
        landmark_indices=[0],
        scatter_kw={"s": 7, "alpha": 0.3},
        landmark_kw={"s": 99},
    )
    assert {float(s.get_sizes()[0]) for s in display.scatters_} == {7.0}
    assert display.scatters_[0].get_alpha() == 0.3
    assert display.landmarks_.get_sizes().tolist() == [99]


def test_words(points):
    """What was wrong, and what to do."""
    X, y = points
    draw = EmbeddingDisplay.from_embedding
    with pytest.raises(ValueError, match="components of EmbeddingDisplay"):
        draw(X, components=(0, 9))
    with pytest.raises(ValueError, match="y of EmbeddingDisplay"):
        draw(X, y[:3])
    with pytest.raises(ValueError, match=r"Z of Emb.* shape \(4,\)"):
        draw(X[0])
    with pytest.raises(ValueError, match="not finite"):
        draw([[np.nan, 1.0]])
    with pytest.raises(ValueError, match=r"axis_signs of .* 4 columns.*\(2,\)"):
        draw(X, axis_signs=[1, 1])
    with pytest.raises(ValueError, match=r"landmark_indices of .* from 0 to 59"):
        draw(X, landmark_indices=[60])
    with pytest.raises(NotFittedError):
        EmbeddingDisplay.from_estimator(NystromDissimilarity(), X)
    with pytest.raises(TypeError, match=r"must transform objects.*got NyPCVM"):
        EmbeddingDisplay.from_estimator(NyPCVM(n_landmarks=5).fit(X, y == 0), X)
    corrector = EigenCorrector().fit(X @ X.T)
    with pytest.raises(TypeError, match="with output='similarity'"):
        EmbeddingDisplay.from_estimator(corrector, X @ X.T)


def test_constructed_displays_number_their_axes():
    """Without names and signs; plot draws them."""
    display = EmbeddingDisplay(embedding=np.eye(3), components=(2, 1)).plot()
    assert display.ax_.get_xlabel() == "axis 3"
    assert places(display.scatters_[0]).tolist() == np.eye(3)[:, [2, 1]].tolist()


def test_very_many_classes_leave_room_for_the_map():
    """Every object a class of its own: the legend is cut, the figure grows."""
    y = [f"a rather long name of object {i}" for i in range(100)]
    display = EmbeddingDisplay.from_embedding(np.arange(200.0).reshape(100, 2), y)
    display.figure_.canvas.draw()
    assert len(display.legend_.get_texts()) == 40
    assert display.ax_.get_position().width * display.figure_.get_figwidth() > 3


def test_classes_with_an_underscore_are_in_the_legend():
    """matplotlib would leave them out."""
    display = EmbeddingDisplay.from_embedding(np.eye(2), ["_a", "b"])
    labels = [text.get_text().strip() for text in display.legend_.get_texts()]
    assert labels == ["_a", "b"]
