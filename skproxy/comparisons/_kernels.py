"""Kernels by name: scikit-learn's, three more, and the arguments each of them takes.

``"elm"`` and ``"tl1"`` are the kernels on vectors with which papers on indefinite
learning make their tables; ``"tanimoto"`` is that of fingerprints. They work wherever
``kernel=`` does.

References
----------
B. Frenay, M. Verleysen (2011). Parameter-insensitive kernel in extreme learning for
non-linear support vector regression. Neurocomputing 74(16), 2526-2531, eq. 12.
doi:10.1016/j.neucom.2010.11.037
X. Huang, J. A. K. Suykens, S. Wang, J. Hornegger, A. Maier (2018). Classification with
truncated l1 distance kernel. IEEE Transactions on Neural Networks and Learning Systems
29(5), 2025-2030, eq. 4. doi:10.1109/TNNLS.2017.2668610
"""

import numpy as np
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from .._sklearn import KERNEL_PARAMS, PAIRWISE_KERNEL_FUNCTIONS
from ._vector_measures import as_real, ruzicka_kernel, tanimoto_kernel

__all__ = ["KERNEL_NAMES", "NAMED_KERNELS", "elm_kernel", "kernel_arguments"]

ELM_GAMMA = 5e-11


def elm_kernel(X, Y=None, gamma=None):
    r"""Compare as an extreme learning machine with ever more hidden units does.

    .. math:: k(x, y) = \frac{2}{\pi} \arcsin
        \frac{1 + x'y}{\sqrt{(\gamma + 1 + x'x)(\gamma + 1 + y'y)}}

    Positive semi-definite and next to parameter free. Made for standardised columns;
    the papers also scale the rows to unit length.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
        None compares X with itself.
    gamma : float, default=None
        1 / (2 s^2) for hidden weights of standard deviation s, in squared units of the
        features; None is 5e-11 (s = 1e5).

    Returns
    -------
    K : ndarray of shape (a, b)
        Between -1 and 1.
    """
    gamma = ELM_GAMMA if gamma is None else gamma
    X = as_real(X)  # pixels come as uint8, whose products would wrap around
    Y = X if Y is None else as_real(Y)
    products = 1.0 + safe_sparse_dot(X, Y.T, dense_output=True)
    rows = np.sqrt(gamma + 1.0 + row_norms(X, squared=True))
    columns = np.sqrt(gamma + 1.0 + row_norms(Y, squared=True))
    cosines = products / (rows[:, None] * columns).astype(products.dtype, copy=False)
    # Rounding of equal rows can pass one, where arcsin ends.
    return np.arcsin(np.clip(cosines, -1.0, 1.0, out=cosines)) * (2.0 / np.pi)


def tl1_kernel(X, Y=None, gamma=None):
    r"""Compare by the truncated l1 kernel, the textbook example of an indefinite one.

    .. math:: k(x, y) = \max(\gamma - \|x - y\|_1, 0)

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (a, n_features)
    Y : ndarray or sparse matrix of shape (b, n_features), default=None
        None compares X with itself.
    gamma : float, default=None
        Where the kernel is cut off, in the units of the features: a *radius*, so that
        larger values reach further (unlike the gamma of ``"rbf"``). None is 0.7 times
        the number of features, made for features between 0 and 1.

    Returns
    -------
    K : ndarray of shape (a, b)
        Between 0 and gamma.
    """
    gamma = 0.7 * X.shape[1] if gamma is None else gamma
    distances = manhattan_distances(X, Y)
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return np.maximum(gamma - distances, 0.0).astype(dtype, copy=False)


#: name -> function of two blocks, the kernels that scikit-learn does not have.
NAMED_KERNELS = {
    "elm": elm_kernel,
    "ruzicka": ruzicka_kernel,
    "tanimoto": tanimoto_kernel,
    "tl1": tl1_kernel,
}

#: Names that ``kernel=`` takes.
KERNEL_NAMES = frozenset(PAIRWISE_KERNEL_FUNCTIONS) | frozenset(NAMED_KERNELS)

_ARGUMENTS = {
    **KERNEL_PARAMS,
    "elm": {"gamma"},
    "ruzicka": set(),
    "tanimoto": set(),
    "tl1": {"gamma"},
}


def kernel_arguments(owner, kernel, kernel_params, **named):
    """Return the keyword arguments of a kernel.

    Parameters
    ----------
    owner : str
        Class name, for messages.
    kernel : str or callable
    kernel_params : dict or None
        Never written to.
    **named : float or None
        gamma, coef0 and degree; those that are not None are passed on where the kernel
        takes them.

    Returns
    -------
    params : dict
    """
    params = dict(kernel_params or {})
    if isinstance(kernel, str) and kernel != "precomputed":
        for name in _ARGUMENTS[kernel]:
            if named.get(name) is not None:
                params[name] = named[name]
    elif any(value is not None for value in named.values()):
        msg = (
            f"Don't pass gamma, coef0 or degree to {owner} if using a callable or "
            "precomputed kernel"
        )
        raise ValueError(msg)
    return params
