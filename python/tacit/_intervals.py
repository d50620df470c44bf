"""How sure the coefficients are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class Intervals:
    """Intervals of coefficients, each an array of `coef_`'s or `intercept_`'s shape with one axis more: [lower, upper].

    coef, intercept: of the population's, what the same fit would find without noise in infinitely many such records.
    minimiser_coef, minimiser_intercept: of the minimiser's, what it finds in these records without noise.
    """

    level: float
    coef: np.ndarray
    intercept: np.ndarray
    minimiser_coef: np.ndarray
    minimiser_intercept: np.ndarray

    @classmethod
    def between(cls, level: Any, ends: list[tuple[Any, Any]]) -> Self:
        """ends: coefficients and constants at the lower and the upper end, of the population, then of the minimiser."""
        parts = []
        for low, high in (ends[:2], ends[2:]):
            for which in (0, 1):  # where classes change their order a sign does, and the ends their places
                parts.append(np.sort(np.stack([low[which], high[which]], axis=-1), axis=-1))
        return cls(float(level), *parts)
