"""Classifiers and regressors: what they make of labels, and what they predict."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from . import _core, _inputs, _labels, _weights
from ._base import PrivateEstimator
from .errors import UsageError


class PrivateClassifier(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """Labels are classes: the schema's, those of `classes`, or else those that occur, which are then assumed public."""

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
        classes: Sequence[Any] | None = None,
        class_weight: Mapping[Any, float] | None = None,
        fit_intercept: bool = True,
        method: str | None = None,
        options: dict[str, Any] | None = None,
        ledger: str | os.PathLike[str] | None = None,
        ledger_name: str | None = None,
        group: str | None = None,
        threads: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.unit = unit
        self.neighbours = neighbours
        self.schema = schema
        self.bounds = bounds
        self.encoder = encoder
        self.range_share = range_share
        self.weight_bound = weight_bound
        self.intervals = intervals
        self.classes = classes
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.method = method
        self.options = options
        self.ledger = ledger
        self.ledger_name = ledger_name
        self.group = group
        self.threads = threads

    def _set_labels(self, records: _core.Records, y: Any, schema: _core.Schema | None) -> None:
        y = _labels.labels_in_line(y)
        public = _labels.of_schema(schema.classes, y) if schema is not None else []
        if public and self.classes is not None:
            raise UsageError("the schema lists the classes; leave out classes=")
        if self.classes is not None:
            public = _labels.stated(self.classes)
        labelled = _labels.among(y, public) if public else _labels.read_off(y)
        # Scikit-learn's scorers take classes_ to be sorted; in the model they stay in the order that was stated.
        self._places = _labels.sorted_places(labelled.classes)
        self.classes_ = labelled.classes[self._places]
        records.set_classes(labelled.numbers, labelled.names, not public)

    def _require_target(self, schema: _core.Schema) -> None:
        if self.classes is None:
            _core.require_target(schema, True)

    def _label_weights(self, y: Any) -> _weights.Weights | None:
        if self.class_weight is None:
            return None
        return _weights.of_classes(self.class_weight, self.classes_, _labels.labels_in_line(y))

    def predict(self, X: Any) -> np.ndarray:
        """The class of every record."""
        numbers = self._predictions(X)["value"].astype(np.intp)
        return np.asarray(self.classes_[np.argsort(self._places)[numbers]])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How many records are predicted right, on average. Labels are compared by value, as in a fit; not private."""
        predicted = self.predict(X)
        y = _labels.labels_in_line(y)
        right = _labels.matches(y, self.classes_, predicted)
        return float(np.average(right, weights=sample_weight))

    def _in_order(self, outputs: np.ndarray) -> np.ndarray:
        """A model's outputs, one row per class, in the order of `classes_`; a single row points at the second class."""
        if len(outputs) == len(self._places):
            return np.asarray(outputs[self._places])
        return -outputs if self._places[0] == 1 else outputs

    def _curve_outputs(self, outputs: np.ndarray) -> np.ndarray:
        return self._in_order(outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class Probabilities(PrivateClassifier):
    """For losses whose predictions are probabilities."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, one row per record, in the order of `classes_`."""
        probabilities = self._predictions(X)["probabilities"]
        return probabilities.reshape(-1, len(self.classes_))[:, self._places]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Its logarithm."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class Decision(PrivateClassifier):
    """For linear classifiers."""

    def _coefficients(self, layers: list[_core.Layer]) -> tuple[Any, Any]:
        weights, constants = super()._coefficients(layers)
        return self._in_order(weights), self._in_order(constants)

    def decision_function(self, X: Any) -> np.ndarray:
        """How far every record is on a class's side: one number for two classes, else one per class."""
        scores = self._records_to_predict(X).scores(self.coef_, self.intercept_)
        if len(self.classes_) > 2:
            return scores
        return scores.ravel() if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]


class PrivateRegressor(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Labels are numbers, within `target_bounds` where these are given."""

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
        fit_intercept: bool = True,
        method: str | None = None,
        options: dict[str, Any] | None = None,
        ledger: str | os.PathLike[str] | None = None,
        ledger_name: str | None = None,
        group: str | None = None,
        threads: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.unit = unit
        self.neighbours = neighbours
        self.schema = schema
        self.bounds = bounds
        self.encoder = encoder
        self.range_share = range_share
        self.weight_bound = weight_bound
        self.intervals = intervals
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept
        self.method = method
        self.options = options
        self.ledger = ledger
        self.ledger_name = ledger_name
        self.group = group
        self.threads = threads

    def _set_labels(self, records: _core.Records, y: Any, schema: _core.Schema | None) -> None:
        records.set_numbers(_labels.as_numbers(_labels.labels_in_line(y)))

    def _require_target(self, schema: _core.Schema) -> None:
        _core.require_target(schema, False)

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        if self.target_bounds is None:
            return {}
        if np.shape(self.target_bounds) != (2,):
            raise UsageError("target_bounds are a pair (lower, upper) of numbers")
        lower, upper = (_inputs.number("target_bounds", end) for end in self.target_bounds)
        return {"target_min": lower, "target_max": upper}

    def _coefficients(self, layers: list[_core.Layer]) -> tuple[Any, Any]:
        weights, constants = super()._coefficients(layers)
        return weights[0], float(constants[0])

    def predict(self, X: Any) -> np.ndarray:
        """The number for every record."""
        return self._predictions(X)["value"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
