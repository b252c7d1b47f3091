from itertools import combinations

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
    shares = [f"{100 * share:.2g} %" for share in nystrom.axis_shares()]
    assert display.ax_.get_xlabel() == f"axis 3 ({shares[2]})"
    assert display.ax_.get_ylabel() == f"axis 1 ({shares[0]})"
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
    shares = [f"{100 * share:.2g} %" for share in nystrom.axis_shares()]
    label = f"axis {negative + 1} ({note}, -{shares[negative]})"
    assert display.ax_.get_ylabel() == label
    assert display.ax_.get_xlabel() == f"axis {other + 1} ({shares[other]})"


def test_classes_have_colours_markers_and_names():
    """One scatter each, the largest class first, in the legend and drawn."""
    Z = np.arange(12.0).reshape(6, 2)
    y = ["b", "a", "b", "b", "c", "c"]
    display = EmbeddingDisplay.from_embedding(Z, y)
    assert display.classes_.tolist() == ["b", "c", "a"]
    assert legend(display) == ["b", "c", "a"]
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
    """Every object a class of its own: twenty have colours, the rest are one."""
    y = [f"a rather long name of object {i}" for i in range(100)]
    display = EmbeddingDisplay.from_embedding(np.arange(200.0).reshape(100, 2), y)
    display.figure_.canvas.draw()
    assert len(display.legend_.get_texts()) == 21
    assert legend(display)[-1] == "other (80 classes)"
    assert display.ax_.get_position().width * display.figure_.get_figwidth() > 3


@pytest.mark.parametrize("n_classes", [20, 21, 25])
def test_the_largest_twenty_classes_have_colours_of_their_own(n_classes, rng):
    """No two the same; all others are grey, beneath, and said."""
    y = np.repeat([f"class {j}" for j in range(n_classes)], 2 + np.arange(n_classes))
    display = EmbeddingDisplay.from_embedding(rng.standard_normal((len(y), 2)), y)
    own = display.scatters_[:20]
    assert display.classes_[0] == f"class {n_classes - 1}"
    assert len({tuple(s.get_facecolor()[0]) for s in own}) == len(display.classes_)
    assert len(display.classes_) == 20
    assert sum(len(places(s)) for s in display.scatters_) == len(y)
    if n_classes > 20:
        rest = display.scatters_[20]
        noun = "class" if n_classes == 21 else "classes"
        assert rest.get_label() == f"other ({n_classes - 20} {noun})"
        assert rest.get_zorder() < min(s.get_zorder() for s in own)


@pytest.mark.parametrize("n", [5, 150])
def test_names_do_not_lie_over_each_other(n, rng):
    """Nor out of the axes; what finds no room is left out, few find it all."""
    Z = rng.standard_normal((n, 2))
    names = [None if j == 1 else f"object {j}" for j in range(n)]
    display = EmbeddingDisplay.from_embedding(Z, labels=names)
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.texts_]
    frame = display.ax_.get_window_extent()
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in boxes)
    assert all(frame.y0 <= b.y0 and b.y1 <= frame.y1 for b in boxes)
    assert len(boxes) == 4 if n == 5 else 20 < len(boxes) < n
    for text in display.texts_:
        assert text.get_text() == names[int(np.argmin(np.abs(Z - text.xy).sum(1)))]
    with pytest.raises(ValueError, match=f"one name for each of the {n} objects; got"):
        display.plot(labels=["a"])


def test_landmarks_lie_beneath_the_objects(points):
    """Rings around objects, larger than these, that hide none."""
    X, y = points
    nystrom = NystromDissimilarity(n_landmarks=40, random_state=0).fit(X)
    display = EmbeddingDisplay.from_estimator(nystrom, X, y)
    rings = display.landmarks_
    assert rings.get_zorder() < min(s.get_zorder() for s in display.scatters_)
    assert rings.get_sizes()[0] > 1.5 * display.scatters_[0].get_sizes()[0]
    assert not len(rings.get_facecolor())


def test_classes_with_an_underscore_are_in_the_legend():
    """matplotlib would leave them out."""
    display = EmbeddingDisplay.from_embedding(np.eye(2), ["_a", "b"])
    labels = [text.get_text().strip() for text in display.legend_.get_texts()]
    assert labels == ["_a", "b"]


@pytest.mark.parametrize(
    ("correction", "note"),
    [
        (None, "negative, "),
        ("flip", "negative, flipped, "),
        ("square", "negative, squared, "),
    ],
)
def test_negative_axes_of_a_corrected_matrix_are_named(
    pseudo_euclidean, correction, note
):
    """The axis whose sign is negative, and no other, each with its share."""
    corrector = EigenCorrector(
        correction, input="dissimilarity", output="features", power=1, n_components=4
    ).fit(pseudo_euclidean)
    names = EmbeddingDisplay.from_estimator(corrector, pseudo_euclidean).axis_names
    signs, values = corrector.axis_signs_.tolist(), corrector.eigenvalues_
    assert sorted(signs) == [-1, 0, 1, 1]
    shares = np.abs(values) / np.abs(values).sum()
    negative = signs.index(-1)
    expected = f"axis {negative + 1} ({note}-{100 * shares[values < 0][0]:.2g} %)"
    assert names[negative] == expected
    assert names[3] == "axis 4 (past the rank)"
    assert sum("negative" in name for name in names) == 1


def test_shares_given_are_written():
    """In percent, negative along negative axes."""
    display = EmbeddingDisplay.from_embedding(
        np.eye(3), axis_signs=[1, -1, 1], axis_shares=[0.5, 0.123, 0.004]
    )
    assert display.axis_names == [
        "axis 1 (50 %)",
        "axis 2 (negative, -12 %)",
        "axis 3 (0.4 %)",
    ]
    with pytest.raises(ValueError, match=r"axis_shares of .* 3 columns"):
        EmbeddingDisplay.from_embedding(np.eye(3), axis_shares=[0.5])


def test_axes_of_exemplars_bear_their_positions(points):
    """Columns past the rank have none."""
    ebek = EBEKEmbedding(n_components=6).fit(points[0])
    names = EmbeddingDisplay.from_estimator(ebek, points[0]).axis_names
    assert names[:4] == [f"exemplar {i}" for i in ebek.exemplar_indices_]
    assert names[4:] == ["axis 5 (past the rank)", "axis 6 (past the rank)"]


def test_axes_without_signs_are_numbered(points):
    """Discriminants."""
    nyikfd = NyIKFD(n_landmarks=5, random_state=0).fit(*points)
    names = EmbeddingDisplay.from_estimator(nyikfd, points[0]).axis_names
    assert names == ["axis 1", "axis 2"]


@pytest.mark.parametrize("components", [(0, 0), (0, 3), (-1, 0), (0,), (0, 1, 2), 1])
def test_two_different_columns_are_needed(components):
    """Others are refused in words."""
    with pytest.raises(ValueError, match=r"components of Embedd.*from 0 to 2; got"):
        EmbeddingDisplay.from_embedding(np.eye(3), components=components)
    with pytest.raises(ValueError, match="One column makes no map"):
        EmbeddingDisplay.from_embedding(np.ones((3, 1)))
