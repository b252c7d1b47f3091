"""scikit-learn's own checks, no failure expected, of Nystrom and EigenCorrector.

Those of the other estimators stand in their own tests.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skproxy import EigenCorrector, Nystroem, NystromDissimilarity

ESTIMATORS = [
    Nystroem(),
    Nystroem(n_components=5),
    Nystroem("sigmoid", n_components=5),
    Nystroem("precomputed", n_components=5),
    Nystroem(n_components=3, n_landmarks=8, center=True),
    NystromDissimilarity(),
    NystromDissimilarity(n_landmarks=5),
    NystromDissimilarity("cityblock", n_landmarks=8, n_components=3, correction=None),
    NystromDissimilarity(n_landmarks=8, landmarks="stratified", correction="clip"),
    NystromDissimilarity("precomputed", n_landmarks=8),
    EigenCorrector(),
    EigenCorrector("flip", output="features"),
    EigenCorrector("square", n_landmarks=8),
]


@pytest.mark.filterwarnings("ignore:n_components > n_samples:UserWarning")
@pytest.mark.filterwarnings("ignore:n_landmarks=.* is more than the:UserWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks_pass(estimator, check):
    """check(estimator) raises nothing."""
    check(estimator)
