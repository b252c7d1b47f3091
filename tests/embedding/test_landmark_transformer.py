import numpy as np
import pytest

from skproxy import Nystroem, NystromDissimilarity
from skproxy.embedding._landmark_transformer import LandmarkTransformer

BOTH = [Nystroem("sigmoid", n_components=6), NystromDissimilarity(n_landmarks=6)]


@pytest.mark.parametrize("transformer", BOTH)
def test_fitted_names_are_the_same_in_every_transformer(transformer, rng):
    """Spectrum, signs, landmarks and the linear map, with agreeing shapes."""
    X = rng.normal(size=(40, 3))
    transformer.fit(X)
    assert isinstance(transformer, LandmarkTransformer)
    assert transformer.eigenvalues_.shape == (6,)
    assert transformer.corrected_eigenvalues_.shape == (6,)
    assert (np.diff(np.abs(transformer.eigenvalues_)) <= 0).all()
    assert sum(transformer.signature_) == 40 == transformer.n_samples_seen_
    assert transformer.axis_signs_.shape == (6,)
    assert transformer.mean_.shape == (6,)
    assert transformer.normalization_.shape == (6, 6)
    np.testing.assert_array_equal(
        transformer.components_, X[transformer.component_indices_]
    )


@pytest.mark.parametrize("transformer", BOTH)
def test_shares_need_a_fit_and_a_known_denominator(transformer, rng):
    """Unknown totals are refused by name."""
    transformer.fit(rng.normal(size=(40, 3)))
    with pytest.raises(ValueError, match="must be 'absolute', 'positive' or 'signed'"):
        transformer.axis_shares("all")


def test_a_transformer_of_the_contract_says_how_it_compares():
    """The base class cannot be used by itself."""
    with pytest.raises(TypeError, match="abstract"):
        LandmarkTransformer()
