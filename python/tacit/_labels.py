"""From labels to the numbers of their classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ._values import is_blank, is_missing, require_utf8, without_blanks
from .errors import DataError, UsageError


class Labelled(NamedTuple):
    """Each label as its class's number, the classes in the labels' own type, and their names in a model file."""

    numbers: np.ndarray
    classes: np.ndarray
    names: list[str]


def read_off(y: np.ndarray) -> Labelled:
    """The classes are those that occur."""
    if any(is_missing(label) or is_blank(label) for label in y.tolist()):
        raise DataError("y has labels that are missing (NaN, None or blank)")
    try:
        check_classification_targets(y)
        classes, numbers = np.unique(y, return_inverse=True)
    except TypeError:
        raise DataError("the labels are not all of one kind, as texts or numbers are") from None
    names = _names(classes.tolist())
    if len(names) < 2:
        raise DataError(
            f'the target has only one class, "{names[0]}"; give classes=, or a schema that names the classes, if there are more'
        )
    return Labelled(numbers.astype(np.float64), classes, names)


def among(y: np.ndarray, public: list[Any]) -> Labelled:
    """The classes are public; each label must be one of them. A label is a class by its value: 1.0 is 1."""
    names = _names(public)
    classes = _as_type(_kind(y), public)
    places = {value: place for place, value in enumerate(classes.tolist())}
    _require_distinct(names)
    _require_distinct(classes.tolist())
    numbers = np.empty(len(y))
    for row, label in enumerate(y.tolist()):
        place = places.get(label)
        if place is None:
            expected = ", ".join(f'"{name}"' for name in names)
            raise DataError(f'row {row}: "{label}" is not a class, expected one of {expected}')
        numbers[row] = place
    return Labelled(numbers, classes, names)


def sorted_places(classes: np.ndarray) -> np.ndarray:
    """Where the smallest class is, the second one, …; texts and numbers together have no such order, and stay as they are."""
    try:
        return np.argsort(classes, kind="stable")
    except TypeError:
        return np.arange(len(classes))


def stated(classes: Any) -> list[Any]:
    """What was given as `classes`, as Python's own values."""
    try:
        values = np.asarray(classes, dtype=object)
    except ValueError:
        values = np.empty(())
    if values.ndim != 1 or len(values) == 0 or not all(np.isscalar(value) for value in values):
        raise UsageError(f"classes is {classes!r}, expected a list of at least two texts or numbers")
    if len(values) < 2:
        raise UsageError("only one class is given, expected at least two")
    if any(is_missing(value) for value in values):
        raise UsageError("one of the classes is NaN")
    return [without_blanks(value.item() if isinstance(value, np.generic) else value) for value in values]


def _kind(y: np.ndarray) -> np.dtype:
    """The type of the labels; where an array holds objects, what these are."""
    if y.dtype != object:
        return y.dtype
    present = [label for label in y.tolist() if not is_missing(label)]
    return np.asarray(present).dtype if len({type(label) for label in present}) == 1 else y.dtype


def _as_type(kind: np.dtype, public: list[Any]) -> np.ndarray:
    """The classes in the type that labels have, so that predictions are of it too; as they stand where they do not fit.

    A schema writes every class as text: "1" stands for the number where labels are numbers, and 1 for the text where
    they are texts.
    """
    if kind.kind == "U":
        return np.asarray([str(value) for value in public])
    if kind.kind not in "biuf":
        return _array(public)
    try:
        numbers = [_number(value) for value in public]
        converted = np.asarray(numbers).astype(kind)
    except (ValueError, OverflowError):
        return _array(public)
    exact = kind.kind == "f" or converted.tolist() == numbers
    return converted if exact else _array(public)


def _number(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if text in ("False", "True"):
        return text == "True"
    try:
        return int(text)
    except ValueError:
        return float(text)


def _array(values: list[Any]) -> np.ndarray:
    """Texts and numbers together stay what they are."""
    return np.asarray(values, dtype=object if len({isinstance(value, str) for value in values}) > 1 else None)


def _names(values: list[Any]) -> list[str]:
    return [require_utf8("the class", str(value)) for value in values]


def _require_distinct(values: list[Any]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise UsageError(f'classes: "{value}" appears twice')
        seen.add(value)
