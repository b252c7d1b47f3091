"""Row and column labels of frames that hold comparisons, which must name one order.

A frame of comparisons says twice who is compared. Where both say something - counting
from zero says nothing - they have to agree, or every value stands for another pair: a
frame shuffled on one side looks asymmetric, and sometimes does not even look so.
"""

from itertools import count

__all__ = ["check_column_labels", "check_square_labels", "have_equal_labels"]

_SHOWN = 4


def _labels(X):
    """Return the labels of rows and of columns as lists, or None where there are none.

    Frames of polars and arrays have no labels of rows.
    """
    rows, columns = getattr(X, "index", None), getattr(X, "columns", None)
    if columns is None or not hasattr(rows, "tolist") or not hasattr(X, "iloc"):
        return None
    return rows.tolist(), columns.tolist()


def _say_nothing(labels):
    return all(label == i for label, i in zip(labels, count()))


def _shown(labels):
    """Return a few labels; each of them shortened, since a label may be a text."""
    texts = [
        text if len(text) <= 24 else text[:21] + "..." for text in map(repr, labels)
    ]
    more = ", ..." if len(texts) > _SHOWN else ""
    return "[" + ", ".join(texts[:_SHOWN]) + more + "]"


def have_equal_labels(X):
    """Tell whether rows and columns of a square frame carry the same labels.

    Labels that count from zero are none.
    """
    labels = _labels(X)
    return labels is not None and labels[0] == labels[1] and not _say_nothing(labels[0])


def check_square_labels(X, name):
    """Raise ValueError where rows and columns of a square frame are labelled otherwise.

    Parameters
    ----------
    X : what the user passed, with n rows and n columns
    name : str
        For messages.
    """
    labels = _labels(X)
    if labels is None:
        return
    rows, columns = labels
    # Labels that went through a file are strings in the header and numbers beside it.
    if rows == columns or list(map(str, rows)) == list(map(str, columns)):
        return
    same = sorted(map(str, rows)) == sorted(map(str, columns))
    if not same and (_say_nothing(rows) or _say_nothing(columns)):
        return
    what = "in the same order" if same else "alike"
    advice = (
        "Bring the columns into the order of the rows: X = X[X.index]."
        if same
        else "Select one set of objects on both sides: X = X.loc[labels, labels]."
    )
    msg = (
        f"{name} must be labelled {what} in rows and columns; got rows {_shown(rows)} "
        f"and columns {_shown(columns)}. {advice} Where the labels mean nothing, pass "
        "X.to_numpy()."
    )
    raise ValueError(msg)


def check_column_labels(X, indices, name):
    """Raise ValueError where landmark columns are labelled otherwise than their rows.

    Parameters
    ----------
    X : what the user passed, with n rows and m columns
    indices : ndarray of shape (m,)
        Rows of the landmarks.
    name : str
        For messages.
    """
    labels = _labels(X)
    if labels is None:
        return
    rows, columns = labels
    if not set(map(str, columns)) & set(map(str, rows)):
        return  # two vocabularies; nothing can be said
    wanted = [rows[i] for i in indices if i < len(rows)]
    if list(map(str, wanted)) == list(map(str, columns)) or _say_nothing(columns):
        return
    msg = (
        f"{name} with one column per landmark must have them labelled as the rows that "
        f"landmarks= names, {_shown(wanted)}; got columns {_shown(columns)}. Bring "
        "them into this order: X = X[X.index[landmarks]]."
    )
    raise ValueError(msg)
