import numpy as np
import pytest

from skproxy import NyIKFD, NyPCVM
from skproxy.classification._proximity import encode_labels


def test_labels_become_numbers():
    """Codes point into the sorted classes, whatever the labels are."""
    classes, codes = encode_labels("A", [0, 0, 0], ["b", "a", "b"])
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
    _, codes = encode_labels("A", [0, 0], ["b", "b"], np.array(["a", "b", "c"]))
    assert codes.tolist() == [1, 1]


def test_what_is_wrong_with_labels_is_said():
    """One class, an unknown class, no labels: each has its message."""
    with pytest.raises(ValueError, match=r"at least 2 classes; got no labels\. There"):
        encode_labels("A", [], [])
    with pytest.raises(ValueError, match=r"at least 2 classes; got 1 class, \[7\]"):
        encode_labels("A", [0, 0], [7, 7])
    with pytest.raises(ValueError, match=r"named in the first call.*got \[3\]"):
        encode_labels("A", [0, 0], [1, 3], np.array([1, 2]))
    with pytest.raises(ValueError, match="A requires y to be passed"):
        encode_labels("A", [0], None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode_labels("A", [0, 1, 2], [1, 2])


@pytest.mark.parametrize("classifier", [NyIKFD, NyPCVM])
def test_metric_wins_over_kernel(classifier, rng):
    """When metric is given, kernel and its parameters are not used."""
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    plain = classifier(metric="cityblock", n_landmarks=8, random_state=0)
    other = classifier(
        "poly", gamma=3.0, metric="cityblock", n_landmarks=8, random_state=0
    )
    np.testing.assert_array_equal(
        plain.fit(X, y).predict_proba(X), other.fit(X, y).predict_proba(X)
    )


@pytest.mark.parametrize("classifier", [NyIKFD, NyPCVM])
def test_kernel_arguments_are_refused_where_they_mean_nothing(classifier, rng):
    """gamma with a callable is an error that names the class."""
    X, y = rng.normal(size=(10, 2)), np.arange(10) % 2
    with pytest.raises(ValueError, match=f"degree to {classifier.__name__} if"):
        classifier(np.dot, gamma=1.0, n_landmarks=3).fit(X, y)


@pytest.mark.parametrize("classifier", [NyIKFD, NyPCVM])
def test_definite_kernels_need_no_probes(classifier, rng):
    """A psd kernel costs N m comparisons and no more."""
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 2
    clf = classifier("rbf", n_landmarks=10, random_state=0).fit(X, y)
    assert clf.n_comparisons_ == 80 * 10 + 10 * 11 // 2
