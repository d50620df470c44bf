"""From labels to numbers: those of their classes, or those that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._values import Unreadable, as_text, cell, elements, exact_text, float_of, in_line, is_date, is_missing, number_in, numbered
from ._values import require_exact, require_utf8, shown
from .errors import DataError, UsageError

_SEVERAL_KINDS = "the labels are not all of one kind, as texts or numbers are"
_MOST_FOUND = 100  # classes that are read off the data, and in the model for all to see, as in a file


class Labelled(NamedTuple):
    """Each label as its class's number, the classes, and their names in a model file."""

    numbers: np.ndarray
    classes: np.ndarray
    names: list[str]


def labels_in_line(y: Any) -> np.ndarray:
    """One label for each record, in scikit-learn's words where they are not."""
    try:
        return np.asarray(column_or_1d(in_line("y", y), warn=True))
    except ValueError as error:
        raise error if isinstance(error, DataError) else DataError(str(error)) from None


def read_off(y: np.ndarray) -> Labelled:
    """The classes are those that occur, in the type that they have."""
    y = _of_one_kind(y)
    require_exact("labels", y)
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise DataError(str(error)) from None
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) > _MOST_FOUND:
        raise DataError(f"the target has more than {_MOST_FOUND} classes; more are taken only from classes=, or a schema that lists them")
    names = _names(classes.tolist())
    if len(names) < 2:
        raise DataError(
            f'the target has only one class, "{names[0]}"; give classes=, or a schema that names the classes, if there are more'
        )
    return Labelled(numbers.astype(np.float64), classes, names)


def among(y: np.ndarray, public: list[Any]) -> Labelled:
    """The classes are public, and so is their type; each label must be one of them, by its value: 1.0 is 1."""
    require_exact("labels", y)
    names = _names(public)
    _require_distinct(public, names)
    known = _places(public, names)
    expected = ", ".join(f'"{name}"' for name in names)

    def read(label: Any) -> int:
        place = _place(known, label)
        if place is None:
            if not exact_text(label):
                raise Unreadable("the label is missing; records whose label is not known must be left out")
            raise Unreadable(f"{shown(label)} is not a class, expected one of {expected}")
        return place

    numbers, places = numbered(y, read)
    return Labelled(np.asarray(places, dtype=np.float64)[numbers], as_array(public), names)


def matches(y: np.ndarray, classes: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Which predictions are the labels' classes; a label that is none is never predicted."""
    public = classes.tolist()
    known = _places(public, _names(public))
    if len(y) != len(predicted):
        raise DataError(f"there are {len(y)} labels for {len(predicted)} records")
    return np.asarray([_place(known, a) == _place(known, b) for a, b in zip(elements(y), elements(predicted))])


def class_places(classes: np.ndarray) -> Callable[[Any], int | None]:
    """Where a label's class is among these, by its value; None for a label that is none of them."""
    public = classes.tolist()
    known = _places(public, _names(public))
    return lambda label: _place(known, label)


def as_numbers(y: np.ndarray, what: str = "the labels are") -> np.ndarray:
    """The numbers that labels, or others, are or are written as; `what` begins the message where they are not."""
    if y.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # a warning would tell of a record
            return np.ascontiguousarray(y, dtype=np.float64)
    return np.asarray([_as_number(label, row, what) for row, label in enumerate(elements(y))], dtype=np.float64)


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
    if values.ndim != 1 or len(values) == 0 or not all(np.isscalar(value) or is_date(value) for value in values):
        raise UsageError(f"classes is {classes!r}, expected a list of at least two texts, numbers or dates")
    if len(values) < 2:
        raise UsageError("only one class is given, expected at least two")
    if any(is_missing(value) for value in values):
        raise UsageError("one of the classes is NaN")
    return [_stated(cell(value) if is_date(value) else value.item() if isinstance(value, np.generic) else value) for value in values]


def of_schema(classes: list[str], y: np.ndarray | None = None) -> list[Any]:
    """A schema writes every class as text: they are numbers where all of them are written as Python would and the labels of
    the fit are no texts, else texts."""
    numbers = [number_in(text) for text in classes]
    if [str(number) for number in numbers] != classes or (y is not None and _are_texts(y)):
        return list(classes)
    return numbers


def _are_texts(y: np.ndarray) -> bool:
    """Texts and others together are refused: a single label would say of what type all predictions are."""
    if y.dtype.kind != "O":
        return y.dtype.kind in "US"
    kinds = {isinstance(label, (str, bytes, bytearray)) for label in elements(y) if not is_missing(label)}
    if len(kinds) > 1:
        raise DataError(_SEVERAL_KINDS)
    return True in kinds


def target_name(X: Any, y: Any) -> str | None:
    """What the labels are called where they have a name, so that a file's column of that name is none of X."""
    name = getattr(y, "name", None)
    if hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    return name if isinstance(name, str) and name not in getattr(X, "columns", ()) else None


def _stated(value: Any) -> Any:
    """A class, without blanks around it where it is a text."""
    try:
        text = exact_text(value)
    except Unreadable as why:
        raise UsageError(f"classes: {why}") from None
    if not text:
        raise UsageError("one of the classes is blank")
    return text if isinstance(value, str) else text.encode() if isinstance(value, bytes) else value


def _places(public: list[Any], names: list[str]) -> dict[str, int]:
    """Where each class is by its name, its own text, and the number that it is written as, if no other class has these."""
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    for place, (value, name) in enumerate(zip(public, names)):
        number = int(value) if isinstance(value, bool) else number_in(value) if isinstance(value, str) else value
        for text in (exact_text(value), name if number is None else exact_text(number)):
            places.setdefault(text, place)
    return places


def _require_distinct(public: list[Any], names: list[str]) -> None:
    """No two are one by name or as numbers."""
    seen: set[str] = set()
    for value, name in zip(public, names):
        own = {name, *_places([value], [name])}
        if own & seen:
            raise UsageError(f'classes: "{name}" appears twice')
        seen |= own


def _place(places: dict[str, int], label: Any) -> int | None:
    """By its name, else as another text of the same number, as in a file: beyond 2^53 not all of them are told apart."""
    text = exact_text(label)
    if text in places:
        return places[text]
    if isinstance(label, (bool, np.bool_)):  # a class that is "true", as in a column of categories
        same = {place for name, place in places.items() if name.lower() == text.lower()}
        return same.pop() if len(same) == 1 else places.get(str(int(label)))
    number = number_in(text) if isinstance(label, (str, bytes, bytearray)) else None
    return None if number is None or abs(number) >= 2**53 else places.get(exact_text(number))


def _of_one_kind(y: np.ndarray) -> np.ndarray:
    """Objects as the texts or numbers that they all are; texts without the blanks around them, dates as texts."""
    if y.dtype.kind in "biuf" and not np.isnan(y).any():
        return y
    labels = [_label_of_its_own(label) for label in elements(y)]
    if any(is_missing(label) or label in ("", b"") for label in labels):
        raise DataError("y has labels that are missing (NaN, None or blank)")
    if any(all(isinstance(label, kind) for label in labels) for kind in (str, bytes)):
        return np.asarray(labels)
    if any(isinstance(label, (str, bytes)) for label in labels):
        raise DataError(_SEVERAL_KINDS)
    return in_line("y", np.asarray(labels)) if y.dtype == object else y


def _label_of_its_own(label: Any) -> Any:
    if is_date(label) and not is_missing(label):
        return cell(label)
    if not isinstance(label, (str, bytes)):
        return label
    try:
        text = as_text(label)
    except Unreadable as why:
        raise DataError(f"the class {why}") from None
    return text if isinstance(label, str) else text.encode()


def _as_number(label: Any, row: int, what: str) -> float:
    try:
        read = float(label) if isinstance(label, (bool, np.bool_)) else cell(label)
    except Unreadable as why:
        raise DataError(f"{what} not all numbers: row {row}: {why}") from None
    number = number_in(read) if isinstance(read, str) else read
    if number is None:
        raise DataError(f"{what} not all numbers: row {row}: {shown(read)}")
    return float_of(number)


def as_array(values: list[Any]) -> np.ndarray:
    """Texts and numbers together stay what they are, and so do numbers that no one type holds."""
    array = np.asarray(values)
    return array if array.tolist() == values else np.asarray(values, dtype=object)


def _names(values: list[Any]) -> list[str]:
    return [value.decode() if isinstance(value, bytes) else require_utf8("the class", str(value)) for value in values]
