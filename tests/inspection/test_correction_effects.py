"""What corrections change, against EigenCorrector and the definition of alignment."""

import numpy as np
import pytest
from factories import double_centred, similarity_with

from skproxy import EigenCorrector
from skproxy.inspection._correction_effects import (
    CorrectionEffects,
    KnownTargets,
    target_similarities,
)
from skproxy.inspection._sampled_spectrum import CleanSample


@pytest.fixture
def D(rng):
    points = rng.normal(size=(25, 4))
    return np.abs(points[:, None] - points).sum(axis=-1)


def clean(matrix, *, is_similarity=False, power=2):
    return CleanSample.of(matrix, is_similarity=is_similarity, power=power)


@pytest.mark.parametrize("correction", ["clip", "flip", "lingoes", "cailliez"])
def test_changes_are_those_of_eigen_corrector(D, correction, rng):
    """Relative Frobenius change of the centred similarity."""
    effects = CorrectionEffects.of(clean(D), None, None)
    corrector = EigenCorrector(correction, input="dissimilarity")
    S = double_centred(D**2)
    change = np.linalg.norm(corrector.fit_transform(D) - S) / np.linalg.norm(S)
    assert effects.changes[correction] == pytest.approx(change, rel=1e-6)
    if correction in ("lingoes", "cailliez"):
        constant = getattr(effects, f"{correction}_constant")
        assert constant == pytest.approx(corrector.constant_)


def test_changes_follow_from_the_eigenvalues(rng):
    """clip drops the negative part, flip moves by twice that; square up to a factor."""
    a = np.array([4.0, -2.0, 1.0])
    K = similarity_with(a, 20, rng)
    changes = CorrectionEffects.of(clean(K, is_similarity=True), None, None).changes
    assert set(changes) == {"clip", "flip", "square", "shift"}
    size = np.linalg.norm(a)
    assert changes["clip"] == pytest.approx(2 / size)
    assert changes["flip"] == pytest.approx(4 / size)
    assert changes["shift"] == pytest.approx(np.sqrt(3) * 2 / size)
    best = (a @ a**2) / (a**2 @ a**2)
    assert changes["square"] == pytest.approx(np.linalg.norm(best * a**2 - a) / size)


def test_constants_have_the_units_of_the_metric(D, rng):
    """Lingoes' those of the squares; without squares there is no Cailliez."""
    one = CorrectionEffects.of(clean(D), None, None)
    large = CorrectionEffects.of(clean(1000 * D), None, None)
    assert large.lingoes_constant == pytest.approx(1e6 * one.lingoes_constant)
    assert large.cailliez_constant == pytest.approx(1e3 * one.cailliez_constant)
    assert one.typical == np.median(D[~np.eye(25, dtype=bool)])
    squared = CorrectionEffects.of(clean(D**2, power=1), None, None)
    assert squared.cailliez_constant is None
    assert squared.lingoes_constant == pytest.approx(one.lingoes_constant)


def test_nothing_is_corrected_where_nothing_is_wrong(rng):
    """Euclidean: every change but that of squares is exactly zero."""
    points = rng.normal(size=(20, 3))
    D = np.linalg.norm(points[:, None] - points, axis=-1)
    changes = CorrectionEffects.of(clean(D), None, None).changes
    assert changes.pop("square") > 0
    assert set(changes.values()) == {0.0}


@pytest.mark.parametrize("labels", ["numbers", "words", "targets"])
def test_alignment_is_that_of_the_definition(D, rng, labels):
    """Cosine of centred matrices, for classes of any type and for numbers."""
    y = {
        "numbers": rng.randint(3, size=25),
        "words": np.array(["ox", "cow"])[rng.randint(2, size=25)],
        "targets": rng.normal(size=25),
    }[labels]
    effects = CorrectionEffects.of(clean(D), KnownTargets.of(y), None)
    H = np.eye(25) - 1 / 25
    Y = np.multiply.outer(y, y) if labels == "targets" else y[:, None] == y
    Y = H @ Y @ H
    np.testing.assert_allclose(target_similarities(y), Y, atol=1e-12)
    K = EigenCorrector("flip", input="dissimilarity").fit_transform(D)
    K = H @ K @ H
    expected = (K * Y).sum() / (np.linalg.norm(K) * np.linalg.norm(Y))
    assert effects.alignments["flip"] == pytest.approx(expected)
    assert set(effects.alignments) == {"none", *effects.changes}


def test_alignment_tells_targets_that_belong(rng):
    """Near one for the classes that made the data, near zero for drawn ones."""
    y = np.repeat([0, 1], 20)
    points = rng.normal(size=(40, 2)) + 20 * y[:, None]
    D = np.linalg.norm(points[:, None] - points, axis=-1)
    right = CorrectionEffects.of(clean(D), KnownTargets.of(y), None).alignments["none"]
    wrong = CorrectionEffects.of(
        clean(D), KnownTargets.of(rng.permutation(y)), None
    ).alignments["none"]
    assert right > 0.95
    assert abs(wrong) < 0.3
    none = KnownTargets.of(np.zeros(40))
    assert CorrectionEffects.of(clean(D), none, None).alignments is None


def test_fewer_than_two_objects(rng):
    """Have nothing to correct."""
    assert CorrectionEffects.of(clean(np.zeros((1, 1))), None, None).changes == {}
