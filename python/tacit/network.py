"""Networks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._docs import CLASSES, PRIVACY
from ._inputs import whole_number
from ._kinds import Probabilities
from .errors import UsageError


class MLPClassifier(Probabilities):
    __doc__ = f"""A network with one hidden layer, by DP-SGD (docs/dp_sgd.md): approximate or Gaussian privacy.
{PRIVACY}{CLASSES}
    hidden_units: of the hidden layer.
    activation: "tanh" or "relu".

    In place of coef_ and intercept_ there are coefs_ and intercepts_, one entry per layer.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.MLPClassifier(hidden_units=8, bounds=(0, 10), classes=[0, 1]).fit(X, X[:, 0] > 5)
    >>> [layer.shape for layer in model.coefs_]
    [(2, 8), (8, 2)]
"""

    def __init__(
        self,
        *,
        epsilon: float | None = 1.0,
        delta: float | None = 1e-5,
        mu: float | None = None,
        unit: str = "item",
        neighbours: str | None = None,
        schema: str | os.PathLike[str] | dict[str, Any] | None = None,
        bounds: Any = None,
        encoder: str = "auto",
        range_share: float | None = None,
        weight_bound: float | None = None,
        classes: Sequence[Any] | None = None,
        class_weight: Mapping[Any, float] | None = None,
        hidden_units: int = 64,
        activation: str = "relu",
        fit_intercept: bool = True,
        method: str | None = None,
        options: dict[str, Any] | None = None,
        ledger: str | os.PathLike[str] | None = None,
        ledger_name: str | None = None,
        group: str | None = None,
        threads: int = 0,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            delta=delta,
            mu=mu,
            unit=unit,
            neighbours=neighbours,
            schema=schema,
            bounds=bounds,
            encoder=encoder,
            range_share=range_share,
            weight_bound=weight_bound,
            classes=classes,
            class_weight=class_weight,
            fit_intercept=fit_intercept,
            method=method,
            options=options,
            ledger=ledger,
            ledger_name=ledger_name,
            group=group,
            threads=threads,
        )
        self.hidden_units = hidden_units
        self.activation = activation

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        if self.activation not in ("tanh", "relu"):
            raise UsageError(f'activation is "{self.activation}", expected tanh or relu')
        return {"loss": f"{self.activation}-network", "hidden": whole_number("hidden_units", self.hidden_units)}

    def _set_coefficients(self, model: _core.Model) -> None:
        *hidden, last = model.layers
        self.coefs_ = [*(layer.weights.T for layer in hidden), self._in_order(last.weights).T]
        self.intercepts_ = [*(layer.constant for layer in hidden), self._in_order(last.constant)]
