"""Parameters that measures by name learn from the objects of the fit.

SciPy takes the variances of "seuclidean" and the covariance of "mahalanobis" from the
rows at hand, which would be another measure for each block of rows, and for each new
object. They are learnt once, as scikit-learn learns the mean of a scaler.
"""

import numpy as np
from scipy import sparse

from ._gower import learn_columns

__all__ = ["learnt_params"]


def learnt_params(compare, params, X, owner):
    """Return what a measure learns from X beside the parameters given.

    Parameters
    ----------
    compare : str, callable or BlockMetric
    params : dict
    X : ndarray or sparse matrix of shape (n, n_features)
    owner : str
        Parameter and class, for messages.

    Returns
    -------
    learnt : dict
        ``{"V": variances}`` or ``{"VI": inverse covariance}``, what `learn_columns`
        returns, else empty.
    """
    if compare == "seuclidean" and "V" not in params:
        return {"V": _variances(_dense(X), owner)}
    if compare == "mahalanobis" and not {"VI", "V"} & params.keys():
        return {"VI": _inverse_covariance(_dense(X), owner)}
    if compare == "gower":
        return learn_columns(X, params, f"{owner}, 'gower',")
    return {}


def _dense(X):
    # n_features^2 numbers are learnt, so n_features columns are few.
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


def _variances(X, owner):
    variances = X.var(axis=0, ddof=1) if len(X) > 1 else np.zeros(X.shape[1])
    constant = np.flatnonzero(variances == 0)
    if len(constant):
        msg = (
            f"{owner}, 'seuclidean', divides by the variance of each column; got "
            f"{len(constant)} constant columns, at {constant[:5].tolist()}. Drop them, "
            "or pass metric_params={'V': variances}."
        )
        raise ValueError(msg)
    return variances


def _inverse_covariance(X, owner):
    n_features = X.shape[1]
    scales = X.std(axis=0)
    scales[scales == 0] = 1.0
    # The rank does not depend on the units of the columns.
    rank = np.linalg.matrix_rank((X - X.mean(axis=0)) / scales) if len(X) > 1 else 0
    if rank < n_features:
        msg = (
            f"{owner}, 'mahalanobis', inverts the covariance of columns; got one of "
            f"rank {rank} for {n_features} columns and {len(X)} objects. Drop columns "
            "that follow from others, reduce them by PCA, or pass metric_params={'VI': "
            "np.linalg.pinv(np.cov(X.T))}."
        )
        raise ValueError(msg)
    return np.linalg.inv(np.atleast_2d(np.cov(X.T)))
