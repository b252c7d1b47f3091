"""The core: which matrix a set of landmark columns stands for.

With C the comparisons of the objects with the landmarks, about a reference row c0, the
matrix is ``S^ = (C - c0) U (C - c0)'``. The core U (m x m, symmetric, of any signature)
is kept as a whitener B and signs J, ``U = B J B'``; it is one of

- *least squares* on probes, a few objects compared among each other (`fit_core`): the
  default. It is ``F^+ K_s (F^+)'`` (Wang & Zhang's fast model, which needs no
  definiteness), computed in the orthonormal basis of F; formed explicitly it would lose
  all digits;
- the papers' ``W^+``, the pseudo-inverse of the landmark block (`plain_core`): right
  for positive semi-definite kernels, of unbounded error for others;
- *least squares on the columns themselves* (`column_core`), where no other comparisons
  are to be had.

======  =============================================================  =========
symbol  meaning                                                        shape
======  =============================================================  =========
C_s     comparisons of the probes with the landmarks, powered, scaled  (s, m)
K_s     similarities among the probes                                  (s, s)
c0      reference row, mean of C_s (zero where nothing is centred)     (m,)
F       C_s - c0                                                       (s, m)
B       whitener                                                       (m, r)
J       diagonal of +1 and -1                                          (r,)
b       eigenvalues of the core in the probes' orthonormal basis       (r,)
======  =============================================================  =========

Small eigenvalues b of an indefinite core are mostly noise, and a formula for objects
that the fit has not seen divides by them. How many directions are kept is therefore
decided on objects left out of the fit (`probed_core`).

References
----------
S. Wang, Z. Zhang, T. Zhang (2016). Towards more efficient SPSD matrix approximation and
CUR matrix decomposition. JMLR 17(209), eq. 4 (the fast model).
A. Gisbrecht, F.-M. Schleif (2015). Metric and non-metric proximity transformations at
linear costs. Neurocomputing 167, section 3 (the core W^+).
doi:10.1016/j.neucom.2015.04.017
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from ._centering import double_center
from ._spectrum import negligible

__all__ = ["Core", "column_core", "fit_core", "plain_core", "probed_core"]

_FOLDS, _REPEATS = 5, 2
# Fewer probes say nothing about objects left out; of many not all need be left out.
_FEWEST_PROBES, _ENOUGH = 30, 3000
# With fewer probes for each landmark the small singular directions of F are fitted to
# noise; then so large shares of the directions are tried.
_OVERDETERMINED = 3
_SHARES = 1.0, 0.75, 0.5, 0.35, 0.25
# So much more error on objects left out is not worth a direction that the others need.
_EQUALLY_GOOD = 1.005
# With so many objects for each landmark dropping directions may add this much to the
# squared error on the probes.
_MANY, _LOSS = 6, 0.1
# Relative errors below this are rounding of the sums that they are computed from.
_EXACT = 1e-6


@dataclass(frozen=True, eq=False)
class Core:
    """A core in factored form, ``U = B J B'``.

    Attributes
    ----------
    reference : ndarray of shape (m,)
        c0.
    whitener : ndarray of shape (m, r)
        B, by decreasing modulus of b.
    eigenvalues : ndarray of shape (r,)
        b.
    misfit : float, default=0
        Squared error on the probes, where the core was fitted to any.
    """

    reference: np.ndarray
    whitener: np.ndarray
    eigenvalues: np.ndarray
    misfit: float = 0.0

    @property
    def signs(self):
        """J, entries +1 and -1, shape (r,)."""
        return np.sign(self.eigenvalues)

    @classmethod
    def of(cls, reference, columns, core, *, size, eps, entries):
        """Decompose a core given in an orthonormal basis.

        Parameters
        ----------
        reference : ndarray of shape (m,)
        columns : ndarray of shape (m, q)
            Basis rows are ``(C - c0) columns``.
        core : ndarray of shape (q, q)
        size, eps, entries
            What decides which eigenvalues are rounding, see `negligible`.
        """
        b, vectors = linalg.eigh((core + core.T) / 2, check_finite=False)
        order = np.argsort(-np.abs(b), kind="stable")
        order = order[~negligible(b[order], size, eps, entries)]
        b, vectors = b[order], vectors[:, order]
        return cls(reference, columns @ (vectors * np.sqrt(np.abs(b))), b)

    def leading(self, rank):
        """Return the core without all but its `rank` leading directions."""
        return replace(
            self,
            whitener=self.whitener[:, :rank],
            eigenvalues=self.eigenvalues[:rank],
        )


def fit_core(to_landmarks, among, *, centred, eps, share=1.0):
    """Fit the core to probes by least squares.

    Parameters
    ----------
    to_landmarks : ndarray of shape (s, m)
        C_s, scaled.
    among : ndarray of shape (s, s)
        Similarities among the probes, scaled; for dissimilarities ``-D/2``.
    centred : bool
        Whether the fit is done about the mean of the probes.
    eps : float
        Relative rounding of the comparisons.
    share : float, default=1
        Of the singular directions of F, the leading ones, that are used.

    Returns
    -------
    core : Core
        Cost O(s m^2 + s^2 m).
    """
    entries = _largest(to_landmarks), _largest(among)
    if centred:
        reference = to_landmarks.mean(axis=0)
        among = double_center(among)
    else:
        reference = np.zeros(to_landmarks.shape[1])
    basis, root = linalg.qr(
        to_landmarks - reference, mode="economic", check_finite=False
    )
    rotation, sizes, directions = linalg.svd(root, check_finite=False)
    basis = basis @ rotation
    keep = ~negligible(sizes, max(to_landmarks.shape), eps, entries[0])
    keep[int(np.ceil(share * keep.sum())) :] = False
    basis, columns = basis[:, keep], directions[keep].T / sizes[keep]
    core = basis.T @ among @ basis
    found = Core.of(
        reference, columns, core, size=len(among), eps=eps, entries=entries[1]
    )
    b = found.eigenvalues
    misfit = float(np.vdot(among, among)) - float(b @ b)
    return replace(found, misfit=max(misfit, 0.0))


def plain_core(square, *, is_similarity, centred, eps):
    """Return the core of the papers, ``W^+``.

    Parameters
    ----------
    square : ndarray of shape (m, m)
        Scaled comparisons among the landmarks: W, or D for dissimilarities.
    is_similarity : bool
    centred : bool
        Whether W is taken about the mean of the landmarks: with every object a landmark
        that is exact, and Gower's formula for new ones.
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    core : Core
        Cost O(m^3).
    """
    similarities = square if is_similarity else -0.5 * square
    entries = _largest(similarities)
    reference = square.mean(axis=0) if centred else np.zeros(len(square))
    if centred:
        similarities = double_center(similarities)
    w, vectors = linalg.eigh(similarities, check_finite=False)
    order = np.argsort(-np.abs(w), kind="stable")
    order = order[~negligible(w[order], len(square), eps, entries)]
    w, vectors = w[order], vectors[:, order]
    if centred:
        # Eigenvectors of tiny eigenvalues mix with the null vector of ones, along which
        # rows that are centred on one side only are as large as the matrix.
        vectors -= vectors.mean(axis=0)
    whitener = vectors / np.sqrt(np.abs(w))
    if not is_similarity:
        whitener *= -0.5  # rows are those of D
    return Core(reference, whitener, w)


def probed_core(
    to_landmarks, among, geometry, eps, rng, *, n_objects, n_pivots=0, rank="auto"
):
    """Fit the core to probes, with as many directions as new objects bear.

    Parameters
    ----------
    to_landmarks : ndarray of shape (s, m)
        C_s, scaled; those of the landmarks first.
    among : ndarray of shape (s, s)
        Powered, scaled comparisons among the probes.
    geometry : Geometry
    eps : float
    rng : RandomState
        Draws the probes that are left out.
    n_objects : int
        N. Where it is many times m the objects fitted count as well, those far from
        all others too, which no sample that is left out may hold.
    n_pivots : int, default=0
        Probes after the landmarks that are no uniform sample; never left out.
    rank : {"auto", None}, default="auto"
        None keeps all directions.

    Returns
    -------
    core : Core
        Cost O(s m^2 + s^2 m).
    """
    s, m = to_landmarks.shape
    folds = None if rank is None else _folds(s, m, m + n_pivots, rng)
    if folds is None:
        return _fit(to_landmarks, among, geometry, eps)
    shares = _SHARES if m < s < _OVERDETERMINED * m else (1.0,)
    choices = []
    for share in shares:
        curves = [_error_curve(among, out, m, geometry, eps, share) for out in folds]
        choices.append((*_least_modulus(curves), share))
    least = min(error for error, _, _ in choices)
    _, modulus, share = next(c for c in choices if c[0] <= _EQUALLY_GOOD**2 * least)
    core = _fit(to_landmarks, among, geometry, eps, share)
    kept = max(int(np.count_nonzero(np.abs(core.eigenvalues) > s * modulus)), 1)
    if n_objects >= _MANY * m:
        # What is lost on the probes: sums of squares from each direction on.
        lost = np.cumsum(np.square(core.eigenvalues[::-1]))[::-1]
        kept = max(kept, int(np.count_nonzero(lost > _LOSS * core.misfit)))
    return core.leading(kept)


def _fit(to_landmarks, among, geometry, eps, share=1.0):
    if len(to_landmarks) == to_landmarks.shape[1]:
        return plain_core(
            to_landmarks,
            is_similarity=geometry.is_similarity,
            centred=geometry.centred,
            eps=eps,
        )
    return fit_core(
        to_landmarks,
        geometry.similarities(among),
        centred=geometry.centred,
        eps=eps,
        share=share,
    )


def _folds(n_probes, n_landmarks, first_uniform, rng):
    """Divide landmarks and uniform probes into fives; None if they are too few.

    A fifth of *both* is left out each time: then the fit to the rest has as many probes
    for each landmark, on which the noise of its small directions depends.
    """
    if n_landmarks < _FOLDS or n_probes < _FEWEST_PROBES:
        return None
    folds = []
    for _ in range(_REPEATS):
        landmarks = rng.permutation(n_landmarks)
        uniform = rng.permutation(np.arange(first_uniform, n_probes))
        parts = (np.array_split(part, _FOLDS) for part in (landmarks, uniform))
        folds.extend(np.concatenate(pair) for pair in zip(*parts, strict=True))
    return folds[: max(_ENOUGH // n_probes, 1)]


def _error_curve(among, out, n_landmarks, geometry, eps, share):
    """Return moduli, a probe each, and squared errors on the probes left out.

    The error of ``S^`` among these, as a function of the number k of directions, is
    ``|K|^2 - 2 sum_i s_i a_i'K a_i + sum_ij s_i s_j (a_i'a_j)^2``, i, j up to k.

    Returns
    -------
    moduli : ndarray of shape (r,)
        Decreasing.
    squares : ndarray of shape (r + 1,)
        Relative to that of keeping nothing.
    """
    inside = np.setdiff1d(np.arange(len(among)), out)
    landmarks = inside[inside < n_landmarks]
    within = among[np.ix_(inside, inside)]
    core = _fit(among[np.ix_(inside, landmarks)], within, geometry, eps, share)
    target = geometry.similarities(among[np.ix_(out, out)])
    if geometry.centred:
        means = geometry.similarities(among[np.ix_(out, inside)]).mean(axis=1)
        mean = geometry.similarities(within).mean()
        target = target - means[:, None] - means + mean
    A = (among[np.ix_(out, landmarks)] - core.reference) @ core.whitener
    signs = core.signs
    linear = signs * np.einsum("ir,ir->r", A, target @ A)
    gram = np.square(A.T @ A) * np.outer(signs, signs)
    quadratic = np.cumsum(np.cumsum(gram, axis=0), axis=1).diagonal()
    whole = float(np.square(target).sum()) or 1.0
    squares = 1.0 + (quadratic - 2.0 * np.cumsum(linear)) / whole
    moduli = np.abs(core.eigenvalues) / len(inside)
    return moduli, np.concatenate([[1.0], np.maximum(squares, _EXACT**2)])


def _least_modulus(curves):
    """Return the least error, and the modulus above which it is reached.

    Of thresholds that are equally good the lowest: what does not harm new objects may
    serve those fitted.
    """
    moduli = np.sort(np.concatenate([moduli for moduli, _ in curves]))
    if len(moduli) == 0:
        return 0.0, 0.0
    # Between the moduli there is nothing to choose.
    thresholds = np.sqrt(moduli * np.concatenate([[0.0], moduli[:-1]]))
    total = np.zeros(len(thresholds))
    for found, squares in curves:
        n_kept = len(found) - np.searchsorted(found[::-1], thresholds, side="right")
        total += squares[n_kept]
    good = total <= _EQUALLY_GOOD**2 * total.min()
    return float(total.min()), float(thresholds[good.argmax()])


def column_core(basis, moments, at_landmarks, geometry, eps):
    """Fit the core to the landmark columns themselves, from the moments of a pass.

    With Q the leading left singular vectors of the columns about their mean, F, and
    Q_l its rows at the landmarks, ``Q X Q_l'`` is to be near the columns of the matrix.
    For a centred matrix these are known up to a term for each object (the mean of its
    row; ``q_i`` in ``-2 s_ij = d_ij - q_i - q_j``), which centring over the landmarks
    takes off.

    Only the leading two thirds of the directions are used where the columns have full
    rank: Q_l is too small along the others.

    Parameters
    ----------
    basis : Basis
    moments : Moments
        Of the basis rows of all objects.
    at_landmarks : ndarray of shape (m, m)
        Basis rows of the landmarks.
    geometry : Geometry
    eps : float
        Relative rounding of the comparisons.

    Returns
    -------
    core : Core
    residual : float
        Relative error of the fit on the columns.
    """
    centred = geometry.centred
    m = len(at_landmarks)
    scatter = moments.scatter if centred else moments.about_origin()
    t, vectors = linalg.eigh(scatter, check_finite=False)
    root = (vectors * np.sqrt(np.maximum(t, 0.0))) @ vectors.T
    # F = Q root Sigma Y' = (Q P) sizes V'
    left = root @ (basis.directions * basis.lengths).T
    _, sizes, directions = linalg.svd(left, check_finite=False)
    mean = basis.comparisons(moments.mean) if centred else np.zeros(m)
    at_landmarks = basis.comparisons(at_landmarks)
    entries = _largest(at_landmarks)
    kept = int((~negligible(sizes, moments.count, eps, entries)).sum())
    if kept > 2 * m // 3:
        kept = max(2 * m // 3, 1)
    columns = directions[:kept].T / sizes[:kept]
    Q_l = (at_landmarks - mean) @ columns
    target = sizes[:, None] * directions  # Q'F
    if centred:
        target = target - target.mean(axis=1, keepdims=True)
        Q_l = Q_l - Q_l.mean(axis=0)
    target = geometry.similarities(target)
    cut = eps * (m + 64)
    X = linalg.lstsq(Q_l, target[:kept].T, cond=cut, check_finite=False)[0]
    X = (X + X.T) / 2
    whole = np.linalg.norm(target)
    target[:kept] -= X @ Q_l.T
    gap = np.linalg.norm(target)
    core = Core.of(mean, columns, X, size=moments.count, eps=eps, entries=0.0)
    return core, float(gap / whole) if whole else 0.0


def _largest(matrix):
    return float(np.abs(matrix).max(initial=0.0))
