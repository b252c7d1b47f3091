import pytest

from skproxy import EBEKEmbedding, EigenCorrector, NeucMDS, NyIKFD
from skproxy.inspection._axis_names import (
    axis_names_of,
    check_components,
    numbered_axis,
)


def test_names_count_from_one_and_say_the_sign():
    """And what was done about it."""
    assert numbered_axis(0, 1) == "axis 1"
    assert numbered_axis(1, -1) == "axis 2 (negative)"
    assert numbered_axis(1, -1, "flipped") == "axis 2 (negative, flipped)"
    assert numbered_axis(2, 0) == "axis 3 (past the rank)"


@pytest.mark.parametrize(
    ("correction", "note"),
    [
        (None, "(negative)"),
        ("flip", "(negative, flipped)"),
        ("square", "(negative, squared)"),
    ],
)
def test_negative_axes_of_estimators_are_named(pseudo_euclidean, correction, note):
    """The axis whose sign is negative, and no other."""
    corrector = EigenCorrector(
        correction, input="dissimilarity", power=1, n_components=4
    ).fit(pseudo_euclidean)
    names = axis_names_of(corrector, 4)
    signs = corrector.axis_signs_.tolist()
    assert sorted(signs) == [-1, 0, 1, 1]
    assert names[signs.index(-1)] == f"axis {signs.index(-1) + 1} {note}"
    assert names[3] == "axis 4 (past the rank)"
    assert sum("negative" in name for name in names) == 1


def test_neuc_mds_has_negative_axes_without_correction(pseudo_euclidean):
    """They count negatively."""
    mds = NeucMDS(3, metric="precomputed", power=1).fit(pseudo_euclidean)
    negative = mds.axis_signs_.tolist().index(-1)
    assert axis_names_of(mds, 3)[negative] == f"axis {negative + 1} (negative)"


def test_axes_of_exemplars_bear_their_positions(points):
    """Columns past the rank have none."""
    ebek = EBEKEmbedding(n_components=6).fit(points[0])
    names = axis_names_of(ebek, 6)
    assert names[:4] == [f"exemplar {i}" for i in ebek.exemplar_indices_]
    assert names[4:] == ["axis 5 (past the rank)", "axis 6 (past the rank)"]


def test_axes_without_signs_are_numbered(points):
    """Discriminants."""
    assert axis_names_of(NyIKFD(n_landmarks=5).fit(*points), 2) == ["axis 1", "axis 2"]


@pytest.mark.parametrize("components", [(0, 0), (0, 3), (-1, 0), (0,), (0, 1, 2), 1])
def test_two_different_columns_are_needed(components):
    """Others are refused in words."""
    with pytest.raises(ValueError, match=r"components of owner.*from 0 to 2; got"):
        check_components(components, 3, "owner")
    assert check_components([2, 0], 3, "owner") == (2, 0)


def test_one_column_makes_no_map():
    """Said so."""
    with pytest.raises(ValueError, match="One column makes no map"):
        check_components((0, 1), 1, "owner")
