import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skproxy import (
    BlockMetric,
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyIKFD,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.inspection import ShepardDisplay
from skproxy.metrics import stress

WORDS = ["kitten", "sitting", "bit", "a", "an", "and", "land", "lend", "end", "bend"]


def length_gap(rows, others):
    rows, others = ([len(w) for w in words] for words in (rows, others))
    return np.abs(np.subtract.outer(rows, others)).astype(float)


def drawn(display):
    """Return the pairs drawn, given and embedded."""
    return np.asarray(display.dots_.get_offsets()).T


def line_of(artist):
    return np.asarray(artist.get_xy1()), artist.get_slope()


def test_dots_are_the_pairs_of_all_objects(points):
    """Each pair once: given by the metric, embedded by the coordinates."""
    X = points[0][:20]
    nystrom = NystromDissimilarity("cityblock", n_landmarks=8, random_state=0).fit(X)
    display = ShepardDisplay.from_estimator(nystrom, X)
    pairs = np.triu_indices(20, 1)
    given, embedded = drawn(display)
    Z = nystrom.transform(X) / nystrom.scale_
    np.testing.assert_allclose(given, cdist(X, X, "cityblock")[pairs])
    np.testing.assert_allclose(embedded, cdist(Z, Z)[pairs], rtol=1e-6)
    assert display.hexagons_ is None
    assert display.n_comparisons == 20 * 21 // 2


@pytest.mark.parametrize("correction", ["flip", "clip", "shift", None])
def test_stress_is_that_of_the_metrics(pseudo_euclidean, correction):
    """Uncorrected coordinates count with their signs, corrected ones do not."""
    D = pseudo_euclidean
    nystrom = NystromDissimilarity(
        "precomputed",
        power=1,
        n_landmarks=10,
        n_components=2,
        correction=correction,
        random_state=0,
    ).fit(D)
    display = ShepardDisplay.from_estimator(nystrom, D, n_pairs=10_000)
    signs = nystrom.axis_signs_ if correction is None else None
    Z = nystrom.transform(D) / nystrom.scale_
    expected = stress(D, Z, axis_signs=signs, power=1, normalize=True)
    assert display.stress_ == pytest.approx(expected)
    assert f"relative STRESS {expected:.2g}" in display.text_.get_text()


@pytest.mark.parametrize("method", ["cmds", "neuc+", "stress"])
def test_signed_axes_embed_below_zero(pseudo_euclidean, method):
    """NeucMDS.pairwise is what is drawn; the line at zero appears with the need."""
    D = pseudo_euclidean
    mds = NeucMDS(3, metric="precomputed", power=1, method=method).fit(D)
    display = ShepardDisplay.from_estimator(mds, D, n_pairs=10_000)
    expected = mds.pairwise(mds.transform(D))[np.triu_indices(len(D), 1)]
    np.testing.assert_allclose(drawn(display)[1], expected, rtol=1e-6, atol=1e-6)
    assert (display.zero_line_ is not None) == (mds.signature_[1] > 0)
    if mds.signature_[1]:
        np.testing.assert_allclose(drawn(display)[0], drawn(display)[1], atol=1e-3)
        share = 100 * (expected < 0).mean()
        labels = [text.get_text() for text in display.legend_.get_texts()]
        assert labels == ["equal", f"embedded below zero: {share:.2g} %"]


def test_negative_squares_are_drawn_as_signed_roots(pseudo_euclidean):
    """In the units of the metric, whatever the power."""
    Z = np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 0.0]])
    D = np.abs(cdist(Z[:, :1], Z[:, :1]) ** 2 - cdist(Z[:, 1:], Z[:, 1:]) ** 2)
    mds = NeucMDS(2, metric="precomputed").fit(np.sqrt(D))
    display = ShepardDisplay.from_estimator(mds, np.sqrt(D))
    squared = mds.pairwise(mds.embedding_)[np.triu_indices(3, 1)]
    expected = np.sign(squared) * np.sqrt(np.abs(squared))
    np.testing.assert_allclose(sorted(drawn(display)[1]), sorted(expected), atol=1e-7)


def test_the_line_is_the_identity_and_equals_lie_on_it(points):
    """Euclidean dissimilarities with all axes are exact: correlation 1, STRESS 0."""
    X = points[0]
    nystrom = NystromDissimilarity(n_landmarks=20, random_state=0).fit(X)
    display = ShepardDisplay.from_estimator(nystrom, X, n_pairs=300)
    origin, slope = line_of(display.identity_line_)
    assert origin.tolist() == [0, 0]
    assert slope == 1
    assert display.correlation_ == pytest.approx(1.0)
    assert display.stress_ == pytest.approx(0.0, abs=1e-20)
    assert display.text_.get_text().startswith("rank correlation 1.000")


def test_equal_objects_are_not_embedded_below_zero(points):
    """Their distance is rounding, of either sign, and no line is drawn for it."""
    X = np.repeat(points[0][:15], 2, axis=0) + 100.0
    nystrom = NystromDissimilarity(n_landmarks=10, correction=None, random_state=0).fit(
        X
    )
    display = ShepardDisplay.from_estimator(nystrom, X)
    assert display.zero_line_ is None


@pytest.mark.parametrize("n_pairs", [1, 10, 44, 45])
def test_comparisons_are_bounded(points, n_pairs):
    """At most n_pairs, of objects drawn at random, and counted."""
    calls = []

    def measure(a, b):
        calls.append(1)
        return float(np.abs(a - b).sum())

    X = points[0]
    nystrom = NystromDissimilarity(measure, n_landmarks=5, random_state=0).fit(X)
    calls.clear()
    display = ShepardDisplay.from_estimator(nystrom, X, n_pairs=n_pairs, random_state=0)
    size = max(s for s in range(60) if s * (s - 1) // 2 <= n_pairs)
    assert len(display.given) == size * (size - 1) // 2
    assert display.n_comparisons == size * (size + 1) // 2
    # Besides, transform; and a wedge compares its corner both ways.
    assert len(calls) <= 5 * size + size * (size + 5) / 2


def test_the_sample_is_that_of_the_random_state(points):
    """Same seed, same pairs; another, others."""
    X = points[0]
    nystrom = NystromDissimilarity(n_landmarks=5, random_state=0).fit(X)
    first, same, other = (
        ShepardDisplay.from_estimator(nystrom, X, n_pairs=50, random_state=seed)
        for seed in (0, 0, 1)
    )
    assert first.given.tolist() == same.given.tolist()
    assert first.given.tolist() != other.given.tolist()


def test_many_pairs_are_counted_in_hexagons(points):
    """Beyond 1,000; all of them."""
    given = np.linspace(1, 2, 1001)
    display = ShepardDisplay.from_dissimilarities(given, given)
    assert display.dots_ is None
    assert display.hexagons_.get_array().sum() == 1001
    assert display.colorbar_.ax.get_ylabel() == "pairs"
    assert ShepardDisplay.from_dissimilarities(given[1:], given[1:]).dots_
    assert display.plot(kind="dots").hexagons_ is None
    assert display.plot(kind="hexagons").hexagons_


def test_another_unit_is_said_and_not_compared(points):
    """Squared eigenvalues have no identity line and no STRESS."""
    nystrom = NystromDissimilarity(
        n_landmarks=5, correction="square", random_state=0
    ).fit(points[0])
    display = ShepardDisplay.from_estimator(nystrom, points[0])
    assert display.identity_line_ is None
    assert display.stress_ is None
    assert "another unit" in display.ax_.get_ylabel()
    assert "STRESS" not in display.text_.get_text()


def test_similarities_are_read_as_dissimilarities(points):
    """``d^2 = S_ii + S_jj - 2 S_ij``, for kernels as for exemplars."""
    X = points[0] / 8
    nystroem = Nystroem(gamma=0.1, n_components=60, random_state=0).fit(X)
    K = np.exp(-0.1 * cdist(X, X, "sqeuclidean"))
    expected = np.sqrt(2 - 2 * K)[np.triu_indices(60, 1)]
    display = ShepardDisplay.from_estimator(nystroem, X)
    np.testing.assert_allclose(display.given, expected, atol=1e-7)
    assert display.correlation_ == pytest.approx(1.0, abs=1e-6)
    ebek = EBEKEmbedding(n_components=4).fit(X)
    display = ShepardDisplay.from_estimator(ebek, X)
    np.testing.assert_allclose(
        display.given, cdist(X, X)[np.triu_indices(60, 1)], atol=1e-6
    )
    np.testing.assert_allclose(display.embedded, display.given, atol=1e-6)


@pytest.mark.parametrize("input", ["similarity", "dissimilarity"])
def test_features_of_a_corrected_matrix(points, input):
    """EigenCorrector, of either kind of matrix, exact where nothing is negative."""
    X = points[0]
    P = X @ X.T if input == "similarity" else pairwise_distances(X)
    corrector = EigenCorrector("clip", input=input, output="features").fit(P)
    display = ShepardDisplay.from_estimator(corrector, P)
    assert display.stress_ < 1e-12
    with pytest.raises(TypeError, match="got EigenCorrector with output='similarity'"):
        ShepardDisplay.from_estimator(EigenCorrector(input=input).fit(P), P)


def test_sequences_frames_and_pipelines():
    """Whatever transform takes; a pipeline is looked into."""
    nystrom = NystromDissimilarity(
        BlockMetric(length_gap), n_landmarks=4, random_state=0
    )
    of_list = ShepardDisplay.from_estimator(nystrom.fit(WORDS), WORDS)
    series = pd.Series(WORDS, index=range(5, 15))
    of_series = ShepardDisplay.from_estimator(nystrom.fit(series), series)
    assert of_list.given.tolist() == of_series.given.tolist()
    np.testing.assert_allclose(of_list.embedded, of_list.given, atol=1e-7)

    frame = pd.DataFrame({"a": [0.0, 1.0, 3.0], "b": [2.0, 0.0, 1.0]})
    pipeline = make_pipeline(
        StandardScaler(), NystromDissimilarity(n_landmarks=3, random_state=0)
    ).fit(frame)
    display = ShepardDisplay.from_estimator(pipeline, frame)
    scaled = StandardScaler().fit_transform(frame)
    np.testing.assert_allclose(
        display.given, cdist(scaled, scaled)[[0, 0, 1], [1, 2, 2]]
    )

    D = pd.DataFrame(pairwise_distances(frame), columns=list("xyz"))
    pandas_out = NystromDissimilarity("precomputed", n_landmarks=3, random_state=0)
    pandas_out.set_output(transform="pandas").fit(D)
    display = ShepardDisplay.from_estimator(pandas_out, D)
    np.testing.assert_allclose(display.embedded, display.given, atol=1e-7)


def test_the_estimator_is_not_changed(points):
    """Neither its parameters nor what it has learnt."""
    nystrom = NystromDissimilarity(n_landmarks=5, random_state=0).fit(points[0])
    before = dict(vars(nystrom))
    ShepardDisplay.from_estimator(nystrom, points[0])
    assert vars(nystrom).keys() == before.keys()
    assert all(vars(nystrom)[name] is before[name] for name in before)


def test_matrices_are_read_above_the_diagonal():
    """Each pair once, from both matrices alike."""
    given = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    display = ShepardDisplay.from_dissimilarities(given, 2 * given)
    assert drawn(display).tolist() == [[1, 2, 3], [2, 4, 6]]
    assert display.stress_ == pytest.approx(9.0)  # (4 - 1)^2
    power_one = ShepardDisplay.from_dissimilarities(given, 2 * given, power=1)
    assert power_one.stress_ == pytest.approx(1.0)


def test_keywords_style_the_artists():
    """Dots, hexagons and the line."""
    display = ShepardDisplay.from_dissimilarities(
        [1.0, 2.0], [1.0, 3.0], dot_kw={"s": 7}, line_kw={"linestyle": ":"}
    )
    assert display.dots_.get_sizes().tolist() == [7]
    assert display.identity_line_.get_linestyle() == ":"
    display.plot(kind="hexagons", hexagon_kw={"gridsize": 2, "bins": None})
    assert display.hexagons_.get_array().max() <= 2


def test_a_constant_has_no_correlation():
    """NaN, without a warning."""
    display = ShepardDisplay.from_dissimilarities([1.0, 1.0], [1.0, 2.0])
    assert np.isnan(display.correlation_)


def test_words(points):
    """What was wrong, and what to do."""
    X, y = points
    nystrom = NystromDissimilarity(n_landmarks=5, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"n_pairs of ShepardDisplay.*got 0"):
        ShepardDisplay.from_estimator(nystrom, X, n_pairs=0)
    with pytest.raises(ValueError, match="at least two objects; got 1"):
        ShepardDisplay.from_estimator(nystrom, X[:1])
    with pytest.raises(ValueError, match=r"kind of ShepardDisplay\.plot .* got 'x'"):
        ShepardDisplay.from_dissimilarities([1.0], [1.0], kind="x")
    with pytest.raises(TypeError, match=r"must transform objects.*got NyIKFD"):
        ShepardDisplay.from_estimator(NyIKFD(n_landmarks=5).fit(X, y), X)
    with pytest.raises(ValueError, match="got 2 pairs for 1"):
        ShepardDisplay.from_dissimilarities([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="not finite"):
        ShepardDisplay.from_dissimilarities([np.nan], [1.0])
    D = pairwise_distances(X)
    fitted = NystromDissimilarity("precomputed", n_landmarks=5, random_state=0).fit(D)
    with pytest.raises(ValueError, match=r"square.*\(7, 60\).*from_dissimilarities"):
        ShepardDisplay.from_estimator(fitted, D[:7])


@pytest.mark.parametrize("kind", ["dots", "hexagons"])
def test_logarithmic_axes_are_drawn_on(kind, rng):
    """Equal is a line through (1, 1); zeros have no place there."""
    given = np.append(rng.uniform(0.01, 100.0, size=500), 0.0)
    _, ax = pyplot.subplots()
    ax.set(xscale="log", yscale="log")
    display = ShepardDisplay.from_dissimilarities(given, given, ax=ax, kind=kind)
    display.figure_.canvas.draw()
    assert display.identity_line_.get_xy2() == (2, 2)
    if kind == "hexagons":
        assert display.hexagons_.get_array().sum() == 500
