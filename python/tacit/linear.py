"""Linear models."""

from __future__ import annotations

import math
import os
from typing import Any

from . import _core
from ._docs import CLASSES, PRIVACY, TARGET
from ._inputs import number, required_number
from ._kinds import Decision, PrivateRegressor, Probabilities
from .errors import UsageError


class LogisticRegression(Decision, Probabilities):
    __doc__ = f"""Logistic regression; with more than two classes a joint softmax.
{PRIVACY}{CLASSES}
    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.LogisticRegression(epsilon=1.0, bounds=(0, 10), classes=[0, 1]).fit(X, X[:, 0] > 5)
    >>> model.predict([[9.0, 5.0]]), model.predict_proba(X).shape, model.certificate_["guarantee"]["notion"]
    (array([1]), (2000, 2), 'pure')
"""


class SoftmaxRegression(LogisticRegression):
    __doc__ = f"""Joint softmax over any number of classes, two included.
{PRIVACY}{CLASSES}
    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 9, size=(6000, 1))
    >>> model = tacit.SoftmaxRegression(epsilon=4.0, bounds=(0, 9), classes=["a", "b", "c"])
    >>> model.fit(X, np.asarray(["a", "b", "c"])[(X[:, 0] // 3).astype(int)]).predict([[0.5], [4.5], [8.5]])
    array(['a', 'b', 'c'], dtype='<U1')
"""
    _loss = "softmax"


class LinearSVC(Decision):
    __doc__ = f"""Hinge loss, for two classes.
{PRIVACY}{CLASSES}
    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.LinearSVC(bounds=(0, 10), classes=[0, 1], class_weight={{1: 2.0}}).fit(X, X[:, 0] > 5)
    >>> model.decision_function(X).shape, model.certificate_["assumed_public"]["weight_bound"]
    ((2000,), 2.0)
"""
    _loss = "hinge"

    def _set_labels(self, records: _core.Records, y: Any, schema: _core.Schema | None) -> None:
        super()._set_labels(records, y, schema)
        if (count := len(self.classes_)) > 2:  # the tool's words, after those that scikit-learn's checks want
            raise UsageError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"the loss hinge needs 2 classes, but the target has {count}; softmax takes any number"
            )

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LinearRegression(PrivateRegressor):
    __doc__ = f"""Least squares.
{PRIVACY}{TARGET}
    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.LinearRegression(bounds=(0, 10), target_bounds=(0, 20)).fit(X, X.sum(axis=1))
    >>> bool(np.abs(model.predict(X) - X.sum(axis=1)).mean() < 2)
    True
"""
    _loss = "squared"


class Ridge(LinearRegression):
    __doc__ = f"""Least squares with a stated pull towards 0.
{PRIVACY}{TARGET}
    alpha: strength of the pull, as in scikit-learn: half of it times the squared norm of the parameters is added to half
        the sum of squared errors, for features and labels as encoded. None leaves it to the method. The default method
        is then "limited-output", which takes any alpha; "limited-objective" has less noise and refuses small ones.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.Ridge(alpha=100.0, bounds=(0, 10), target_bounds=(0, 20)).fit(X, X.sum(axis=1))
    >>> model.certificate_["options"]["regularisation"]
    0.05
"""

    def __init__(
        self,
        *,
        epsilon: float | None = 1.0,
        delta: float | None = None,
        mu: float | None = None,
        unit: str = "item",
        neighbours: str | None = None,
        schema: str | os.PathLike[str] | dict[str, Any] | None = None,
        bounds: Any = None,
        encoder: str = "auto",
        range_share: float | None = None,
        weight_bound: float | None = None,
        intervals: float | None = None,
        target_bounds: tuple[float, float] | None = None,
        alpha: float | None = None,
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
            intervals=intervals,
            target_bounds=target_bounds,
            fit_intercept=fit_intercept,
            method=method,
            options=options,
            ledger=ledger,
            ledger_name=ledger_name,
            group=group,
            threads=threads,
        )
        self.alpha = alpha

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        more = super()._more_settings(records_count)
        if self.alpha is None:
            return more
        alpha = required_number("alpha", self.alpha)
        if not (alpha > 0 and math.isfinite(alpha)):
            raise UsageError(f"alpha is {self.alpha}, expected a finite number > 0, or None")
        if "regularisation" in (self.options or {}):
            raise UsageError("give alpha or the option regularisation, which it sets, not both")
        method = self.method
        if method in (None, "auto") and self.unit == "item" and self.epsilon != math.inf:
            method = "limited-output"
        known = [found["options"] for found in _core.methods() if found["name"] == method]
        if known and "regularisation" not in known[0]:
            raise UsageError(f"the method {method} takes no alpha: it has no option regularisation")
        # The objective is a mean over the public number of records, of losses with parts of the weight bound.
        strength = alpha / self._public_count(records_count) / self._weight_bound
        return {**more, "method": method, "options": {"regularisation": strength}}

    def _public_count(self, records_count: int) -> float:
        """The number of records to divide by: what the certificate states must not tell a secret one."""
        stated = (self.options or {}).get("records")
        if stated is not None:
            return required_number("the option records", stated)
        if self.unit == "user":
            raise UsageError(
                "alpha is divided by the number of records, which is secret where users are protected; "
                'state options={"regularisation": ...} instead'
            )
        return records_count  # add_remove, where it is secret, is refused without a stated number


class HuberRegressor(PrivateRegressor):
    __doc__ = f"""Huber loss: squared errors up to a width, absolute ones beyond.
{PRIVACY}{TARGET}
    width: where the loss turns absolute, > 0, in units of half the target's range, or of its spread where that is
        chosen privately. (scikit-learn calls it epsilon.)

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> model = tacit.HuberRegressor(width=0.1, bounds=(0, 10), target_bounds=(0, 20)).fit(X, X.sum(axis=1))
    >>> model.predict(X).shape
    (2000,)
"""
    _loss = "huber"

    def __init__(
        self,
        *,
        epsilon: float | None = 1.0,
        delta: float | None = None,
        mu: float | None = None,
        unit: str = "item",
        neighbours: str | None = None,
        schema: str | os.PathLike[str] | dict[str, Any] | None = None,
        bounds: Any = None,
        encoder: str = "auto",
        range_share: float | None = None,
        weight_bound: float | None = None,
        intervals: float | None = None,
        target_bounds: tuple[float, float] | None = None,
        width: float = 1.0,
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
            intervals=intervals,
            target_bounds=target_bounds,
            fit_intercept=fit_intercept,
            method=method,
            options=options,
            ledger=ledger,
            ledger_name=ledger_name,
            group=group,
            threads=threads,
        )
        self.width = width

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        return {**super()._more_settings(records_count), "loss_parameter": number("width", self.width)}


class QuantileRegressor(PrivateRegressor):
    __doc__ = f"""A quantile of the target, given the features: pinball loss.
{PRIVACY}{TARGET}
    quantile: which one, between 0 and 1; 0.5 is the median.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> y = X[:, 0] + np.random.default_rng(1).uniform(0, 10, size=2000)
    >>> low, high = (tacit.QuantileRegressor(quantile=q, bounds=(0, 10), target_bounds=(0, 20), epsilon=4.0) for q in (0.1, 0.9))
    >>> bool(low.fit(X, y).predict(X).mean() < high.fit(X, y).predict(X).mean())
    True
"""
    _loss = "pinball"

    def __init__(
        self,
        *,
        epsilon: float | None = 1.0,
        delta: float | None = None,
        mu: float | None = None,
        unit: str = "item",
        neighbours: str | None = None,
        schema: str | os.PathLike[str] | dict[str, Any] | None = None,
        bounds: Any = None,
        encoder: str = "auto",
        range_share: float | None = None,
        weight_bound: float | None = None,
        target_bounds: tuple[float, float] | None = None,
        quantile: float = 0.5,
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
            target_bounds=target_bounds,
            fit_intercept=fit_intercept,
            method=method,
            options=options,
            ledger=ledger,
            ledger_name=ledger_name,
            group=group,
            threads=threads,
        )
        self.quantile = quantile

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        return {**super()._more_settings(records_count), "loss_parameter": number("quantile", self.quantile)}


class PoissonRegressor(PrivateRegressor):
    __doc__ = f"""Counts whose logarithm is linear in the features; predicts the mean count.
{PRIVACY}{TARGET}
    Counts are numbers from 0: smaller ones count as 0, and those above the target's upper bound are cut to it.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> counts = np.random.default_rng(1).poisson(1 + X[:, 0] / 2)
    >>> bool((tacit.PoissonRegressor(bounds=(0, 10), target_bounds=(0, 20)).fit(X, counts).predict(X) >= 0).all())
    True
"""
    _loss = "poisson"

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        more = super()._more_settings(records_count)
        if more.get("target_min", 0.0) != 0:
            raise UsageError(f"target_bounds begin with {more['target_min']:g}, expected 0: the target is a count")
        return more
