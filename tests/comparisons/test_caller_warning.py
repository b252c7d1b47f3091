import warnings

import numpy as np

from skproxy import NystromDissimilarity
from skproxy.comparisons._caller_warning import warn_caller


def test_warnings_point_to_the_callers_line():
    """Not to a decorator: the line that called fit is the one to be changed."""
    X = np.ones((4, 4)) - np.eye(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        NystromDissimilarity(n_landmarks=3, random_state=0).fit(X)
    assert [one.filename for one in caught] == [__file__]


def test_category_and_message_are_kept():
    """A warning from here is placed here."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_caller("look", RuntimeWarning)
    assert (caught[0].category, str(caught[0].message)) == (RuntimeWarning, "look")
    assert caught[0].filename == __file__
