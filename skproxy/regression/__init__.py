"""Regression for objects that can only be compared.

- `NyGPRegressor`, a Gaussian process on what comparisons with landmarks say: expected
  values with standard deviations, noise and scale by the marginal likelihood; streams
  by `partial_fit`.
"""

from ._nygp import NyGPRegressor

__all__ = ["NyGPRegressor"]
