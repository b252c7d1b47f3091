import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skproxy import (
    EBEKEmbedding,
    EigenCorrector,
    NeucMDS,
    NyPCVM,
    Nystroem,
    NystromDissimilarity,
)
from skproxy.inspection import SpectrumDisplay
from skproxy.metrics import negative_fraction


def bars(display):
    """Return the heights of all bars by position."""
    patches = [*display.positive_.patches, *display.negative_.patches]
    return np.array(
        [
            patch.get_height()
            for patch in sorted(patches, key=lambda p: p.get_x() + p.get_width())
        ]
    )


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_bars_are_the_eigenvalues_largest_modulus_first():
    """Whatever their order; zeros are no axes."""
    display = SpectrumDisplay.from_eigenvalues([1.0, 0.0, -4.0, 6.0, 0.0, -2.0])
    assert bars(display).tolist() == [6.0, -4.0, -2.0, 1.0]
    assert len(display.negative_.patches) == 2
    assert display.signature_ == (2, 2, 2)
    assert display.negative_fraction_ == pytest.approx(6 / 13)
    assert legend(display) == ["positive: 2", "negative: 2, 46 % of the moduli"]
    assert display.corrected_ is None


def test_rings_belong_to_the_bars():
    """Corrected eigenvalues are in the order of the eigenvalues."""
    values = np.array([1.0, -4.0, 6.0])
    display = SpectrumDisplay.from_eigenvalues(
        values, np.maximum(values, 0), correction="clip"
    )
    assert bars(display).tolist() == [6.0, -4.0, 1.0]
    assert display.corrected_.get_xdata().tolist() == [1, 2, 3]
    assert display.corrected_.get_ydata().tolist() == [6.0, 0.0, 1.0]
    assert legend(display)[-1] == "after clip"


def test_squared_eigenvalues_are_scaled_to_the_same_modulus():
    """Their unit is another; the legend says so."""
    values = np.array([-4.0, 2.0])
    display = SpectrumDisplay.from_eigenvalues(values, values**2, correction="square")
    assert display.corrected_.get_ydata().tolist() == [4.0, 1.0]
    assert legend(display)[-1] == "after square (scaled)"


def test_only_so_many_are_drawn_but_all_are_counted():
    """n_eigenvalues limits bars and rings; the axis says how many there are."""
    values = np.array([5.0, -4.0, 3.0, -2.0])
    display = SpectrumDisplay.from_eigenvalues(values, np.abs(values), n_eigenvalues=2)
    assert bars(display).tolist() == [5.0, -4.0]
    assert display.corrected_.get_ydata().tolist() == [5.0, 4.0]
    assert display.signature_ == (2, 2, 0)
    assert "(2 of 4 shown)" in display.ax_.get_xlabel()
    many = SpectrumDisplay.from_eigenvalues(np.arange(1.0, 131.0))
    assert len(bars(many)) == 100


@pytest.mark.parametrize("correction", ["flip", "clip", "square", "shift", None])
def test_from_estimator_draws_what_fit_found(pseudo_euclidean, correction):
    """eigenvalues_ and corrected_eigenvalues_, where these differ."""
    nystrom = NystromDissimilarity(
        "precomputed", power=1, n_landmarks=20, correction=correction, random_state=0
    ).fit(pseudo_euclidean)
    display = SpectrumDisplay.from_estimator(nystrom)
    found = nystrom.eigenvalues_[nystrom.eigenvalues_ != 0]
    assert bars(display).tolist() == found.tolist()
    assert display.signature_[:2] == nystrom.signature_[:2] == (2, 1)
    assert display.negative_fraction_ == pytest.approx(nystrom.negative_fraction_)
    if correction is None:
        assert display.corrected_ is None
    elif correction != "square":
        after = nystrom.corrected_eigenvalues_[: len(found)]
        assert display.corrected_.get_ydata().tolist() == after.tolist()


@pytest.mark.parametrize(
    "estimator",
    [
        Nystroem(kernel="sigmoid", n_components=20, random_state=0),
        EBEKEmbedding(n_components=5, kernel="sigmoid"),
        NystromDissimilarity("cityblock", n_landmarks=20, random_state=0),
    ],
)
def test_estimators_of_vectors(points, estimator):
    """Every estimator that has eigenvalues_, of similarities and dissimilarities."""
    estimator.fit(points[0] / 8)
    display = SpectrumDisplay.from_estimator(estimator)
    found = estimator.eigenvalues_[estimator.eigenvalues_ != 0]
    assert bars(display).tolist() == found.tolist()


def test_neuc_mds_shows_what_it_made_of_the_pairs_kept(pseudo_euclidean):
    """weights_ take the place of corrected eigenvalues."""
    mds = NeucMDS(2, metric="precomputed", power=1).fit(pseudo_euclidean)
    display = SpectrumDisplay.from_estimator(mds)
    assert sorted(bars(display)) == sorted(mds.eigenvalues_)
    assert sorted(display.corrected_.get_ydata()) == sorted(mds.weights_)
    assert legend(display)[-1] == "after neuc+"


@pytest.mark.parametrize("correction", ["lingoes", "cailliez"])
def test_constants_that_move_all_axes_are_paired_by_rank(points, correction):
    """Lingoes' and Cailliez' eigenvalues are drawn largest first."""
    from sklearn.metrics import pairwise_distances

    D = pairwise_distances(points[0], metric="cityblock")
    corrector = EigenCorrector(correction, input="dissimilarity").fit(D)
    display = SpectrumDisplay.from_estimator(corrector, n_eigenvalues=10)
    after = display.corrected_.get_ydata()
    assert after.tolist() == corrector.corrected_eigenvalues_[:10].tolist()


@pytest.mark.parametrize("input", ["dissimilarity", "similarity"])
def test_from_proximities_is_the_exact_spectrum(pseudo_euclidean, input):
    """That of the whole matrix, as skproxy.metrics has it."""
    P = pseudo_euclidean
    display = SpectrumDisplay.from_proximities(
        P, input=input, power=1, correction="clip", n_eigenvalues=1000
    )
    assert display.negative_fraction_ == pytest.approx(
        negative_fraction(P, input=input, power=1)
    )
    assert display.corrected_.get_ydata().min() == 0.0
    assert sum(display.signature_) == len(P)


def test_pipelines_and_searches_are_looked_into(points):
    """The step that compares, of a pipeline or of the best estimator of a search."""
    X, y = points
    nystroem = Nystroem(n_components=10, random_state=0)
    pipeline = make_pipeline(StandardScaler(), nystroem).fit(X)
    display = SpectrumDisplay.from_estimator(pipeline)
    assert bars(display).tolist() == nystroem.eigenvalues_.tolist()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), nystroem, LinearSVC()),
        {"linearsvc__C": [1.0]},
        cv=2,
    ).fit(X, y)
    best = search.best_estimator_
    for looked_into in (search, best, best[:-1]):
        display = SpectrumDisplay.from_estimator(looked_into)
        assert bars(display).tolist() == best[1].eigenvalues_.tolist()
    nothing = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    with pytest.raises(TypeError, match=r"or have a step that does; got LinearSVC\."):
        SpectrumDisplay.from_estimator(nothing)


def test_keywords_style_the_artists():
    """Those of bars and of rings."""
    display = SpectrumDisplay.from_eigenvalues(
        [2.0, -1.0],
        [2.0, 1.0],
        bar_kw={"width": 0.5},
        corrected_kw={"marker": "x"},
    )
    assert display.positive_.patches[0].get_width() == 0.5
    assert display.corrected_.get_marker() == "x"


def test_colours_of_bars_reach_the_legend():
    """A colour given is explained."""
    display = SpectrumDisplay.from_eigenvalues([2.0, -1.0], bar_kw={"color": "red"})
    handle = display.legend_.legend_handles[0]
    assert handle.get_facecolor()[:3] == (1.0, 0.0, 0.0)


def test_all_zero_draws_an_empty_picture():
    """Equal objects have no axes."""
    display = SpectrumDisplay.from_eigenvalues([0.0, 0.0])
    assert len(bars(display)) == 0
    assert display.negative_fraction_ == 0.0


def test_words():
    """What was wrong, and what to do."""
    draw = SpectrumDisplay.from_eigenvalues
    with pytest.raises(ValueError, match=r"finite numbers.*1 of them not"):
        draw([1.0, np.nan])
    with pytest.raises(ValueError, match=r"must be a vector .* shape \(1, 2\)"):
        draw([[1.0, 2.0]])
    with pytest.raises(ValueError, match="as many as the eigenvalues, 2; got 3"):
        draw([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"n_eigenvalues of SpectrumDisplay.*got 0"):
        draw([1.0], n_eigenvalues=0)
    with pytest.raises(NotFittedError):
        SpectrumDisplay.from_estimator(NystromDissimilarity())
    with pytest.raises(TypeError, match=r"must compare objects.*got StandardScaler"):
        SpectrumDisplay.from_estimator(StandardScaler())


def test_estimators_without_a_spectrum_are_named(points):
    """A classifier without eigenvalues_ is told from one that compares nothing."""
    X, y = points
    pcvm = NyPCVM(n_landmarks=10, random_state=0).fit(X, y == 0)
    assert not hasattr(pcvm, "eigenvalues_")
    with pytest.raises(TypeError, match="must have eigenvalues_; got NyPCVM"):
        SpectrumDisplay.from_estimator(pcvm)


def test_a_grid_has_one_legend():
    """legend=False leaves what it would show in handles_."""
    display = SpectrumDisplay.from_eigenvalues(
        [2.0, -1.0], [2.0, 1.0], correction="flip", legend=False
    )
    assert display.legend_ is None
    assert display.ax_.get_legend() is None
    labels = [handle.get_label() for handle in display.handles_]
    assert labels == ["positive: 1", "negative: 1, 33 % of the moduli", "after flip"]


def test_few_bars_are_not_hidden_by_the_legend():
    """As many as a map has."""
    display = SpectrumDisplay.from_eigenvalues([3.0, 2.9, 2.8], [3.0, 2.9, 2.8])
    display.figure_.canvas.draw()
    box = display.legend_.get_window_extent()
    patches = display.positive_.patches
    assert not any(box.overlaps(patch.get_window_extent()) for patch in patches)


def test_styles_leave_bars_and_rings_visible():
    """No edge as wide as a bar; rings in the colour of the text."""
    with pyplot.rc_context({"patch.force_edgecolor": True, "text.color": "white"}):
        display = SpectrumDisplay.from_eigenvalues([2.0, -1.0], [2.0, 1.0])
    assert display.positive_.patches[0].get_linewidth() == 0
    assert display.corrected_.get_markeredgecolor() == "white"
