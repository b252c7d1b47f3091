"""The result prints as a report, shows in notebooks and draws."""

import pickle

import numpy as np
import pytest
from matplotlib import pyplot

from skproxy.datasets import make_balls
from skproxy.inspection import Diagnosis, diagnose


@pytest.fixture(scope="module")
def balls():
    D, y = make_balls((40, 40), random_state=0)
    return diagnose(D, y, metric="precomputed", random_state=0)


def test_text_says_everything(balls):
    """Each fact, number and the code, in lines of at most 79 columns."""
    text = repr(balls)
    assert str(balls) == text
    assert max(map(len, text.splitlines())) <= 79
    for part in (
        '80 objects, dissimilarities by metric="precomputed"',
        "missing",
        "symmetric           yes",
        "zero diagonal       yes",
        "negative values",
        "duplicates",
        "triangles violated",
        f"{balls.spectrum.signature[1]} negative",
        "95 % interval",
        "for 90/95/99 %",
        "uniform landmarks",
        "alignment",
        "lingoes",
        "cailliez",
        "all pairs           3,240 comparisons",
        "What to do",
        balls.recommendation.code.splitlines()[-1],
    ):
        assert part in text


@pytest.mark.parametrize("with_targets", [True, False])
@pytest.mark.parametrize("kind", ["metric", "kernel"])
def test_html_and_text_have_the_same_cells(rng, with_targets, kind):
    """One report, two renderings."""
    X = rng.normal(size=(25, 3))
    name = {"metric": "cityblock", "kernel": "sigmoid"}[kind]
    y = X[:, 0] > 0 if with_targets else None
    diagnosis = diagnose(X, y, random_state=0, **{kind: name})
    report = diagnosis._report()
    html, text = diagnosis._repr_html_(), " ".join(repr(diagnosis).split())
    for section in report.sections:
        assert section.heading in html
        for row in section.rows:
            assert all(cell in html for cell in row)
            assert all(" ".join(cell.split()) in text for cell in row)


def test_html_escapes_what_the_user_named(rng):
    """A function may be called anything."""

    def metric(a, b):
        return abs(a - b)

    metric.__name__ = "<script>"
    diagnosis = diagnose([1.0, 2.0, 4.0], metric=metric, random_state=0)
    assert "<script>" not in diagnosis._repr_html_()


def test_plot_draws_spectrum_and_landmarks(balls):
    """Two axes, given or new, with what they show in words."""
    left, right = balls.plot()
    assert "eigenvalue" in left.get_ylabel()
    (line,) = [item for item in right.lines if len(item.get_xdata()) > 10]
    np.testing.assert_array_equal(line.get_ydata(), balls.spectrum.landmark_errors)
    assert right.get_xlabel() == "uniform landmarks, of 80 objects"
    _, axes = pyplot.subplots(1, 2)
    assert balls.plot(axes)[0] is axes[0]
    pyplot.close("all")


def test_diagnosis_pickles(balls):
    """To be kept with an analysis."""
    again = pickle.loads(pickle.dumps(balls))
    assert isinstance(again, Diagnosis)
    assert repr(again) == repr(balls)


def test_nothing_usable_is_still_a_report():
    """All comparisons missing: one thing to do, and no statement on a spectrum."""
    diagnosis = diagnose(np.full((5, 5), np.nan), metric="precomputed")
    assert "objects left out  5 for missing comparisons" in repr(diagnosis)
    assert len(diagnosis.recommendation.sentences) == 1
    diagnosis._repr_html_()


def test_nothing_is_not_drawn():
    """Without comparisons there is no spectrum; a picture has two axes."""
    nothing = diagnose(np.full((5, 5), np.nan), metric="precomputed")
    with pytest.raises(ValueError, match=r"plot of Diagnosis must have .* none of 5"):
        nothing.plot()
    _, ax = pyplot.subplots()
    with pytest.raises(ValueError, match=r"axes of Diagnosis.plot must be two axes"):
        diagnose(np.eye(3)).plot(ax)


def test_similarities_with_oneself_that_are_not_positive_are_told():
    """A negative diagonal is no negative pair, and it is said."""
    K = np.eye(30)
    K[5, 5], K[9, 9] = -1.0, 0.0
    diagnosis = diagnose(K, kernel="precomputed", random_state=0)
    np.testing.assert_array_equal(diagnosis.axioms.not_positive, [5, 9])
    words = " ".join(repr(diagnosis).split())
    assert "with themselves not positive for 2 objects, as 5" in words
    usual = repr(diagnose(np.eye(30), kernel="precomputed", random_state=0))
    assert "with themselves" not in usual
