"""The pairs of objects, given and embedded, walked over one block of rows at a time.

Two things are hidden here: where the embedded squared dissimilarities come from
(coordinates with signs, or a matrix), and in which unit a block is (both sides are
divided by their own power of two, so that no square leaves the range of float64).
"""

from dataclasses import dataclass

import numpy as np

from skproxy.metrics._square_matrix import (
    SquareMatrix,
    as_numbers,
    binary_exponent,
    check_dissimilarities,
    check_power,
    clear_diagonal,
    powered_rows,
    read_square_matrix,
)


@dataclass(frozen=True)
class Coordinates:
    """Squared dissimilarities of points, formed one block of rows at a time.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_components)
        Scaled and centred coordinates. Centring changes no difference, and keeps the
        digits when the points are far from the origin.
    signs : ndarray of shape (n_components,)
        +1 or -1.
    exponent : int
        The blocks are divided by `2**exponent`.
    largest : float
        Largest modulus of a coordinate; zero when nothing can be scaled.
    """

    points: np.ndarray
    signs: np.ndarray
    exponent: int
    largest: float

    def __len__(self):
        return len(self.points)

    def rows(self, block):
        """Return rows of D^, shape (n_block, n_samples)."""
        norms = self.points**2 @ self.signs
        rows = (self.points[block] * (-2.0 * self.signs)) @ self.points.T
        rows += norms[block, None]
        rows += norms
        return rows

    def rounding(self, block):
        """Return a bound of the rounding errors of `rows`, of the same shape."""
        eps = (self.points.shape[1] + 4) * np.finfo(np.float64).eps
        sizes = eps * (self.points**2).sum(axis=1)
        return sizes[block, None] + sizes


@dataclass(frozen=True)
class Pairs:
    """The dissimilarities given and embedded, to be walked over together.

    Attributes
    ----------
    given : SquareMatrix
        The dissimilarities, not yet powered.
    power : float
        Their power.
    embedded : Coordinates or SquareMatrix
        Whatever yields rows of D^.
    """

    given: SquareMatrix
    power: float
    embedded: Coordinates | SquareMatrix

    @classmethod
    def read(cls, D, Z, axis_signs, power, input, *, function):
        """Check the arguments that the public functions share."""
        given = read_square_matrix(D, name=f"D of {function}")
        check_power(power, name=f"power of {function}")
        check_dissimilarities(given, power, name=f"D of {function}")
        if input == "coordinates":
            embedded = _read_coordinates(Z, axis_signs, function)
        elif input == "squared":
            embedded = read_square_matrix(Z, name=f"Z of {function}")
            if axis_signs is not None:
                msg = (
                    f"axis_signs of {function} must be None with input='squared', "
                    "where no axes are left; got an array. Leave it out."
                )
                raise ValueError(msg)
        else:
            msg = (
                f'input of {function} must be "coordinates" or "squared"; got '
                f"{input!r}. Say what `Z` holds."
            )
            raise ValueError(msg)
        if len(embedded) != len(given):
            msg = (
                f"Z of {function} must have one row per object; got {len(embedded)} "
                f"rows for {len(given)} objects in D. Embed the same objects, in the "
                "same order."
            )
            raise ValueError(msg)
        return cls(given, power, embedded)

    @property
    def given_exponent(self):
        """Binary exponent of the unit of the given blocks; not always an integer."""
        return self.power * self.given.exponent

    def common_unit(self):
        """Return a binary exponent and the two factors that bring blocks to it."""
        exponents = (self.given_exponent, self.embedded.exponent)
        sizes = (self.given.largest, self.embedded.largest)
        used = [e for e, size in zip(exponents, sizes, strict=True) if size]
        unit = int(np.floor(max(used, default=0)))
        given, embedded = (
            2.0 ** (e - unit) if size else 0.0
            for e, size in zip(exponents, sizes, strict=True)
        )
        return unit, given, embedded

    def blocks(self):
        """Yield scaled blocks of D and of D^, both new and with zero diagonals."""
        for block in self.given.blocks():
            embedded = self.embedded.rows(block)
            clear_diagonal(embedded, block)
            yield powered_rows(self.given, block, self.power), embedded

    def log_ratios(self):
        """Yield vectors of log(d / d^), up to a constant, of the pairs that have it."""
        blocks = zip(self.given.blocks(), self.blocks(), strict=True)
        for block, (given, embedded) in blocks:
            valid = given > 0.0
            if isinstance(self.embedded, Coordinates):
                valid &= embedded > self.embedded.rounding(block)
            else:
                valid &= embedded > 0.0
            yield 0.5 * (np.log(given[valid]) - np.log(embedded[valid]))


def _read_coordinates(Z, axis_signs, function):
    """Return checked `Coordinates`."""
    name = f"Z of {function}"
    points = as_numbers(Z, name=name)
    if points.ndim != 2:
        msg = (
            f"{name} must be a table of coordinates, one row per object; got shape "
            f"{points.shape}. Reshape one coordinate with Z.reshape(-1, 1)."
        )
        raise ValueError(msg)
    points = points.astype(np.float64)
    finite = np.isfinite(points)
    if not finite.all():
        i, j = map(int, np.argwhere(~finite)[0])
        msg = (
            f"{name} must be finite; got {points[i, j]} for object {i}, column {j}. "
            "Look at the embedding that made it."
        )
        raise ValueError(msg)
    signs = _read_axis_signs(axis_signs, points.shape[1], function)
    points, signs = points[:, signs != 0], signs[signs != 0]
    largest = float(np.abs(points).max(initial=0.0))
    exponent = binary_exponent(largest)
    points *= 2.0**-exponent
    if len(points):
        points -= points.mean(axis=0)
    return Coordinates(points, signs, 2 * exponent, largest)


def _read_axis_signs(axis_signs, n_components, function):
    """Return checked signs as floats, shape (n_components,)."""
    if axis_signs is None:
        return np.ones(n_components)
    name = f"axis_signs of {function}"
    signs = as_numbers(axis_signs, name=name)
    if signs.shape != (n_components,) or not np.isin(signs, (-1, 0, 1)).all():
        msg = (
            f"{name} must be one of +1, -1 and 0 for each of the {n_components} "
            f"columns of Z; got {np.array2string(signs, threshold=6)} of shape "
            f"{signs.shape}. Pass `axis_signs_` of the estimator, or numpy.sign of the "
            "eigenvalues."
        )
        raise ValueError(msg)
    return signs.astype(np.float64)
