"""Measures of strings, computed in blocks by rapidfuzz.

A string is a ``str``, ``bytes``, or a list or tuple of symbols (words, codons) that can
be hashed. X is any sequence of strings: a list, an array, a column of a data frame.
"""

import numpy as np

from ._libraries import RAPIDFUZZ

__all__ = ["STRING_LIBRARIES", "STRING_MEASURES", "check_strings", "compare_strings"]

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
        if not isinstance(string, (str, bytes, list, tuple)):
            msg = (
                f"{name} must hold strings, or lists of symbols; got {string!r} at "
                f"position {position}. Fill in what is missing, and turn numbers into "
                "strings."
            )
            raise TypeError(msg)
    return strings


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

    weights = arguments.get("weights")
    if weights is not None and weights[0] != weights[1]:
        msg = (
            f"weights of metric={name!r} must cost insertion and deletion alike, or "
            f"the two directions of a comparison differ; got {weights}."
        )
        raise ValueError(msg)
    scorer, _ = STRING_MEASURES[name]
    kind = "normalized_distance" if normalized else "distance"
    return cdist(
        rows,
        others,
        scorer=getattr(getattr(distance, scorer), kind),
        scorer_kwargs=arguments,
        dtype=np.float64,  # the default is a small integer or single precision
    )
