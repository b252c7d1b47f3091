"""Fit of the papers' basis: one non-negative weight per training object.

Kept for comparison with the papers; sparse in training objects, while a prediction
still costs a comparison with every landmark.
"""

import numpy as np

from ._evidence_ridge import probit_ridge
from ._predictor import Predictor
from ._probit_em import (
    Root,
    gram,
    training_objective,
    training_predictor,
    training_step,
)
from ._relevance import Fit

# Weights that the ridge would make negative begin with this fraction of the mean.
_FLOOR = 1e-2
# Axes with smaller eigenvalues, relative to the largest, have no part in the start: in
# terms of the training objects they would take enormous weights that cancel.
_CUT = 1e-4

__all__ = ["fit_in_factor", "fit_training_basis", "training_start"]


def fit_in_factor(factor, rows, labels, weights, stopping):
    """Fit all classes to the rows of a signed factor.

    Parameters
    ----------
    factor : SignedFactor
    rows : ndarray of shape (N, m)
        Basis rows.
    labels : list of ndarray of shape (N,)
        +1 and -1, one for each problem.
    weights : ndarray of shape (N,)
        Of the objects.
    stopping : Stopping

    Returns
    -------
    fits : list of Fit
    predictor : Predictor
        Of powered, scaled comparisons with the landmarks.
    """
    landmark_map = factor.landmark_map
    axes = factor.axes(len(factor.eigenvalues), "flip")
    coordinates = axes.of_features(rows)
    rows = factor.whitened(rows)
    signs = landmark_map.signs * landmark_map.scale.squared
    fits, maps = [], []
    for y in labels:
        start = training_start(coordinates, axes.eigenvalues, y, weights)
        fit, g = fit_training_basis(rows, signs, start, y, weights, stopping)
        fits.append(fit)
        maps.append(g)
    g = np.array(maps).T
    linear = landmark_map.basis.whitener @ (landmark_map.loadings @ g)
    bias = np.array([fit.bias for fit in fits])
    bias = bias - axes.mean @ linear
    return fits, Predictor(linear, bias)


def training_start(coordinates, eigenvalues, y, weights):
    """Return weights of a probit ridge, expressed in the training objects.

    Parameters
    ----------
    coordinates : ndarray of shape (N, p)
        Z of the flipped factor, ``Z'Z = diag(|a|)``.
    eigenvalues : ndarray of shape (p,)
        a, largest modulus first.
    y, weights : ndarray of shape (N,)

    Returns
    -------
    w : ndarray of shape (N,)
        Positive.
    b : float
    """
    sizes = np.abs(eigenvalues)
    clear = sizes > _CUT * sizes.max(initial=0.0)
    unit = np.sqrt(sizes.sum() / len(y)) or 1.0
    columns = coordinates[:, clear] / unit
    state = probit_ridge(columns, y, weights)
    signed = state.v * np.sign(eigenvalues[clear]) / sizes[clear]
    w = y * (columns @ signed)
    floor = _FLOOR * np.abs(w).mean() or 1.0
    return np.maximum(w, floor), state.b


def fit_training_basis(rows, signs, start, y, weights, stopping):
    """Run the EM of one class against the rest.

    Parameters
    ----------
    rows : ndarray of shape (N, r)
        A, about the mean where the factor is centred.
    signs : ndarray of shape (r,)
    start : tuple
        From `training_start`.
    y, weights : ndarray of shape (N,)
    stopping : Stopping

    Returns
    -------
    fit : Fit
        `weights` are those of the training objects, labels included: y w.
    g : ndarray of shape (r,)
        The predictor is ``A g + bias``.
    """
    w, b = start
    root = Root.of(gram(rows, weights))
    fit = Fit(np.zeros(len(y)), b)
    for _ in stopping.rounds():
        before = w
        fit.n_active.append(int(np.count_nonzero(w)))
        w, b = training_step(rows, signs, root, y, weights, w, b)
        w = np.maximum(w, 0.0)
        z, _ = training_predictor(rows, signs, y, w, b)
        fit.objective.append(training_objective(y, weights, z, w, b))
        largest = w.max(initial=0.0)
        if largest == 0.0:
            break
        w[w <= stopping.prune * largest] = 0.0
        if np.abs(w - before).max() <= stopping.tol * largest:
            fit.converged = True
            break
    _, g = training_predictor(rows, signs, y, w, b)
    fit.weights, fit.bias = y * w, b
    return fit, g
