import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from skproxy import EigenCorrector, NeucMDS, NyIKFD, NystromDissimilarity
from skproxy.comparisons._labels import (
    check_column_labels,
    check_square_labels,
    have_equal_labels,
)

try:
    import polars as pl
except ImportError:
    pl = None

POINTS = np.random.RandomState(0).standard_normal((6, 2)) * 1e3
MATRIX = squareform(pdist(POINTS))
LETTERS = list("uvwxyz")
FRAME = pd.DataFrame(MATRIX, index=LETTERS, columns=LETTERS)
SHUFFLED = list("zxyuvw")

ESTIMATORS = [
    NystromDissimilarity("precomputed", n_landmarks=3, random_state=0),
    NeucMDS(metric="precomputed"),
    EigenCorrector(input="dissimilarity", output="features"),
    NyIKFD(metric="precomputed", n_landmarks=3, random_state=0),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("symmetrize", [None, "average"])
def test_columns_in_another_order_are_named(estimator, symmetrize):
    """Both orders, whatever symmetrize says; it is not the comparisons that differ."""
    estimator = type(estimator)(**{**estimator.get_params(), "symmetrize": symmetrize})
    message = (
        r"same order .* rows \['u', 'v', .* columns \['z', 'x', .*X = X\[X\.index\]"
    )
    with pytest.raises(ValueError, match=message):
        estimator.fit(FRAME[SHUFFLED], [0, 1] * 3)
    estimator.fit(FRAME[SHUFFLED].loc[SHUFFLED], [0, 1] * 3)


def test_a_shuffle_that_stays_symmetric_is_seen():
    """Reversing the columns of a Toeplitz matrix leaves it symmetric and wrong."""
    gaps = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    ring = pd.DataFrame(2.0 - gaps, index=list("abc"), columns=list("cba"))
    with pytest.raises(ValueError, match="same order"):
        EigenCorrector().fit(ring)


def test_another_set_of_labels_is_named():
    """A frame of some objects against others is not square in its meaning."""
    frame = FRAME.iloc[:3, 3:]
    with pytest.raises(ValueError, match=r"alike in rows .*X\.loc\[labels, labels\]"):
        check_square_labels(frame, "X of Me")


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        pd.DataFrame(MATRIX),
        pd.DataFrame(MATRIX, columns=LETTERS),
        pd.DataFrame(MATRIX, index=LETTERS),
        pd.DataFrame(MATRIX, index=range(6), columns=[str(i) for i in range(6)]),
        pd.DataFrame(MATRIX, index=range(5, -1, -1), columns=range(5, -1, -1)),
        MATRIX,
        MATRIX.tolist(),
    ],
)
def test_labels_that_agree_or_say_nothing_pass(frame):
    """Counting from zero is no label, and a file turns numbers into strings."""
    assert check_square_labels(frame, "X of Me") is None


def test_rows_sampled_without_their_columns_are_seen():
    """Of numbers, too: ``D.sample(frac=1)`` moves the rows alone."""
    with pytest.raises(ValueError, match=r"rows \[3, 1, 0, 2, \.\.\.\]"):
        check_square_labels(pd.DataFrame(MATRIX).iloc[[3, 1, 0, 2, 5, 4]], "X of Me")


def test_labels_of_landmark_columns_follow_the_landmarks():
    """Columns in another order than landmarks= would be other objects' comparisons."""
    model = NystromDissimilarity("precomputed", landmarks=[4, 0, 2])
    model.fit(FRAME[["y", "u", "w"]])
    with pytest.raises(ValueError, match=r"\['y', 'u', 'w'\]; got columns \['u', 'w'"):
        model.fit(FRAME[["u", "w", "y"]])
    other = pd.DataFrame(MATRIX[:, :3], index=LETTERS, columns=["p", "q", "r"])
    assert check_column_labels(other, np.array([4, 0, 2]), "X of Me") is None


def test_long_labels_are_shortened():
    """A label may be a whole document."""
    labels = ["a" * 10_000, "b" * 10_000, "c"]
    frame = pd.DataFrame(MATRIX[:3, :3], index=labels, columns=labels[::-1])
    with pytest.raises(ValueError, match="same order") as caught:
        check_square_labels(frame, "X of Me")
    assert len(str(caught.value)) < 500


@pytest.mark.skipif(pl is None, reason="polars is not installed")
def test_frames_without_row_labels_pass():
    """Columns of polars have names and rows have none."""
    frame = pl.DataFrame(dict(zip(LETTERS, MATRIX, strict=True)))
    assert check_square_labels(frame, "X of Me") is None
    assert not have_equal_labels(frame)
