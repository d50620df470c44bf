"""Weights of records: each by its own value and label alone, none larger than a public bound (docs/weights.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _inputs, _labels
from ._values import elements, in_line
from .errors import DataError, UsageError


class Weights(NamedTuple):
    """A weight for each record, and the public number that none exceeds; by its class alone, or altogether."""

    weights: np.ndarray
    bound: float


def of_classes(class_weight: Any, classes: np.ndarray, y: np.ndarray) -> Weights:
    """A public map from classes to weights; a class that it does not name has the weight 1."""
    if isinstance(class_weight, str):
        raise UsageError(
            f'class_weight is "{class_weight}", which would count the records of each class; '
            "give a dict with the weight of each class"
        )
    if not isinstance(class_weight, Mapping):
        raise UsageError(f"class_weight is {class_weight!r}, expected a dict with the weight of each class")
    each = np.ones(len(classes))
    places = _labels.class_places(classes)
    for label, weight in class_weight.items():
        place = places(label)
        if place is None:
            raise UsageError(f"class_weight names {label!r}, which is not among the classes")
        each[place] = _weight(f"class_weight of {label!r}", weight)
    if not each.max() > 0:
        raise UsageError("class_weight has no weight above 0")
    numbers = np.asarray([places(label) for label in elements(y)], dtype=np.intp)
    return Weights(each[numbers], float(each.max()))


def of_records(sample_weight: Any, weight_bound: Any, labels: Weights | None, count: int) -> Weights:
    """Each weight cut to [0, weight_bound], times its class's; the bound is the product of the two bounds."""
    if sample_weight is None and labels is not None:
        return labels
    bound = 1.0 if weight_bound is None else _bound(weight_bound)
    weights = np.clip(_numbers(sample_weight, count), 0.0, bound)  # what is not a number stays so, and is refused
    if labels is None:
        return Weights(weights, bound)
    return Weights(weights * labels.weights, bound * labels.bound)


def _numbers(sample_weight: Any, count: int) -> np.ndarray:
    weights = in_line("sample_weight", sample_weight)
    if weights.ndim != 1 or len(weights) != count:
        raise DataError(f"sample_weight has the shape {weights.shape}, expected a weight for each of the {count} records")
    return _labels.as_numbers(weights, "sample_weight is")


def _bound(value: Any) -> float:
    bound = _inputs.required_number("weight_bound", value)
    if not (bound > 0 and np.isfinite(bound)):
        raise UsageError(f"weight_bound is {bound}, expected a finite number > 0")
    return bound


def _weight(what: str, value: Any) -> float:
    weight = _inputs.required_number(what, value)
    if not (weight >= 0 and np.isfinite(weight)):
        raise UsageError(f"{what} is {weight}, expected a finite number >= 0")
    return weight
