"""Measures of strings, computed in blocks by rapidfuzz.

A string is a ``str``, ``bytes``, or a list, tuple or one-dimensional array of symbols
(words, codons) that can be hashed. X is any sequence of strings: a list, an array, a
column of a data frame.
"""

from numbers import Integral

import numpy as np

from ._libraries import RAPIDFUZZ
from ._objects import short_repr

__all__ = [
    "STRING_LIBRARIES",
    "STRING_MEASURES",
    "check_strings",
    "compare_strings",
    "letters_of",
]

#: What computes them.
STRING_LIBRARIES = (RAPIDFUZZ,)

#: name -> (scorer of rapidfuzz.distance, arguments it takes).
STRING_MEASURES = {
    "levenshtein": ("Levenshtein", {"normalized", "weights"}),
    "damerau_levenshtein": ("DamerauLevenshtein", {"normalized"}),
    "osa": ("OSA", {"normalized"}),
    "indel": ("Indel", {"normalized"}),
    "lcs_seq": ("LCSseq", {"normalized"}),
    "jaro": ("Jaro", set()),
    "jaro_winkler": ("JaroWinkler", {"prefix_weight"}),
}


def check_strings(X, name):
    """Return strings as a list.

    Parameters
    ----------
    X : sequence of n strings, or an array or data frame of one column of them
    name : str
        For messages.

    Returns
    -------
    strings : list of n strings
    """
    if len(getattr(X, "shape", ())) == 2:
        if X.shape[1] != 1:
            msg = (
                f"{name} must be one column of strings; got {X.shape[1]} columns. "
                "Select one, or join them."
            )
            raise ValueError(msg)
        X = X[:, 0]
    strings = X.tolist() if hasattr(X, "tolist") else list(X)
    for position, string in enumerate(strings):
        if isinstance(string, np.ndarray) and string.ndim == 1:
            strings[position] = string = string.tolist()
        if isinstance(string, (str, bytes)):
            continue
        if not isinstance(string, (list, tuple)):
            msg = (
                f"{name} must hold strings, or lists of symbols; got "
                f"{short_repr(string)} at position {position}. Fill in what is "
                "missing, and turn numbers into strings."
            )
            raise TypeError(msg)
        _check_symbols(string, position, name)
    _check_codes(strings, name)
    return strings


def letters_of(X, name):
    """Return strings of one length as rows of numbers, one for each letter.

    So they are vectors for "hamming", the share of positions where two differ.

    Parameters
    ----------
    X : sequence of n strings
    name : str
        For messages.

    Returns
    -------
    letters : ndarray of shape (n, length)
    """
    strings = check_strings(X.to_numpy() if hasattr(X, "to_numpy") else X, name)
    for position, string in enumerate(strings):
        if isinstance(string, (str, bytes)) and len(string) == len(strings[0]):
            continue
        msg = (
            f"{name} must hold strings of one length where they are compared by "
            f"'hamming', {len(strings[0])} as the first; got {short_repr(string)} at "
            f"position {position}. Others are compared by metric='levenshtein'."
        )
        raise ValueError(msg)
    letters = [s if isinstance(s, bytes) else map(ord, s) for s in strings]
    return np.array([list(one) for one in letters], dtype=np.float64)


def _check_symbols(string, position, name):
    try:
        hash(tuple(string))
    except TypeError as error:
        msg = (
            f"{name} must hold strings, or lists of symbols that can be hashed; got "
            f"{short_repr(string)} at position {position} ({error}). Use tuples as "
            "symbols."
        )
        raise TypeError(msg) from error


def _check_codes(strings, name):
    """Raise where bytes would be compared with letters of another code."""
    coded = [s for s in strings if isinstance(s, bytes) and not s.isascii()]
    if coded and not all(isinstance(s, bytes) for s in strings):
        msg = (
            f"{name} must compare bytes with bytes beyond ASCII: b'\\xc3\\xa9' is two "
            f"numbers and 'é' one letter; got {short_repr(coded[0])} and others that "
            "are no bytes. Decode all of them."
        )
        raise TypeError(msg)


def compare_strings(name, rows, others, normalized=False, **arguments):
    """Compare two lists of strings.

    Parameters
    ----------
    name : str
        A name of `STRING_MEASURES`.
    rows, others : list of a and b strings
    normalized : bool, default=False
        Whether to divide by the largest value that strings of these lengths can have.
    **arguments
        ``weights``, the costs of insertion, deletion (equal ones) and substitution;
        ``prefix_weight``.

    Returns
    -------
    block : ndarray of shape (a, b)
    """
    from rapidfuzz import distance
    from rapidfuzz.process import cdist

    _check_codes([*rows, *others], f"metric={name!r}")
    _check_weights(arguments.get("weights"), name)
    scorer, _ = STRING_MEASURES[name]
    kind = "normalized_distance" if normalized else "distance"
    return cdist(
        rows,
        others,
        scorer=getattr(getattr(distance, scorer), kind),
        scorer_kwargs=arguments,
        dtype=np.float64,  # the default is a small integer or single precision
    )


def _check_weights(weights, name):
    """Raise unless weights are three counts, the first two equal."""
    if weights is None:
        return
    counts = isinstance(weights, (tuple, list)) and len(weights) == 3
    if not counts or not all(isinstance(w, Integral) and w >= 0 for w in weights):
        msg = (
            f"weights of metric={name!r} must be three integers of at least 0, the "
            "costs of insertion, deletion and substitution (others would be cut off); "
            f"got {weights!r}. Multiply them by a common factor."
        )
        raise ValueError(msg)
    if weights[0] != weights[1]:
        msg = (
            f"weights of metric={name!r} must cost insertion and deletion alike, or "
            f"the two directions of a comparison differ; got {weights}."
        )
        raise ValueError(msg)
