"""Single values: each is read by itself, whatever it lies in. docs/python.md has the table."""

from __future__ import annotations

import datetime
import math
import numbers
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Mapping, Set
from decimal import Decimal
from typing import Any

import numpy as np

from ._arrow import Column, as_column, is_stream
from ._dates import date_text, elements, iso, moment_text
from .errors import DataError

_BLANKS = " \t\r"  # those that a file's reader drops around a cell
_MOST_DIGITS = 4000  # of a whole number that is an id; Python itself writes up to 4300
_TOO_LARGE = 10**_MOST_DIGITS


class Unreadable(Exception):
    """Why a value is not taken; whoever knows its row says so."""


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN, NaT, pandas.NA or masked."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (float, complex, np.inexact)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    pandas = sys.modules.get("pandas")  # not needed, but known where it is in use
    return pandas is not None and (value is pandas.NaT or value is pandas.NA)


def is_date(value: Any) -> bool:
    """Whether it is a date or a time, with a day; NaT is one."""
    return isinstance(value, (datetime.date, np.datetime64))


def is_number(value: Any) -> bool:
    """A truth value is none, nor is a duration, which NumPy takes for a whole number."""
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.bool_, np.timedelta64))


def cell(value: Any) -> float | str:
    """What the compiled half takes for a cell: a number as float64, NaN if it is missing, or a text."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes, bytearray)):
        return as_text(value)
    if is_missing(value):
        return math.nan
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (complex, np.complexfloating)) and value.imag == 0:  # as a real number among complex ones is
        value = value.real
    if is_number(value):
        return float_of(value)
    if isinstance(value, np.datetime64):
        return date_text(str(iso(np.asarray(value))))
    if isinstance(value, datetime.date):
        return moment_text(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    raise Unreadable(f"{type(value).__name__} is not a kind of value that is taken, expected a number, a text or a date")


def exact_text(value: Any) -> str:
    """The same for ids and labels, as in a file: whole numbers keep all their digits. "" if it is missing."""
    if type(value) is str:
        return as_text(value)
    if type(value) is int and -_TOO_LARGE < value < _TOO_LARGE:
        return str(value)
    if is_number(value) and not is_missing(value):
        return _digits(value)
    read = cell(value)
    if isinstance(read, str):
        return read
    return "" if math.isnan(read) else _digits(read)


def number_in(text: str) -> int | float | None:
    """The finite number that a text is, as a file's reader would say."""
    if re.fullmatch(r"[+-]?[0-9]{1,400}", text):
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) and math.isfinite(float(text)):
        return float(text)
    return None


def as_text(value: str | bytes | bytearray) -> str:
    """Without the blanks around it, and the zeros that NumPy's texts lose at their ends; bytes are UTF-8."""
    try:
        text = str.__str__(value) if isinstance(value, str) else bytes(value).decode()
        text.encode()  # a lone surrogate cannot be written
    except UnicodeError:
        raise Unreadable(f"{cut(ascii(value))} is not UTF-8 text") from None
    return text.rstrip("\0").strip(_BLANKS)


def require_utf8(what: str, name: str) -> str:
    """A text that the compiled half and files can hold: one with a lone surrogate is none."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} {cut(ascii(name))} is not UTF-8 text") from None
    return name


def shown(value: Any) -> str:
    """In quotes, for a message of one line."""
    return '"' + cut("".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value)[:50])) + '"'


def cut(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"


def in_line(what: str, values: Any) -> np.ndarray:
    """Ids or labels as an array: of the type that it has, or of objects where NumPy would bring a list to one type."""
    array = _array_of(what, values)
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {what} is of the type {array.dtype}, expected texts or real numbers")
    if array.dtype.kind in "mV":  # by its type alone: one value may have brought all others to it
        raise DataError(f"{what} is of the type {array.dtype}, expected numbers, texts or dates")
    return array


def _array_of(what: str, values: Any) -> np.ndarray:
    if isinstance(values, np.ma.MaskedArray):
        return unmasked(values)
    if is_stream(values):
        return as_column(what, values)
    if isinstance(values, Column):
        return values.to_numpy()
    if hasattr(values, "iloc") and len(getattr(values, "columns", ())) == 1:
        values = values.iloc[:, 0]
    if hasattr(values, "to_numpy") and hasattr(values, "dtype"):
        array: np.ndarray = values.to_numpy()
        floats = getattr(values.dtype, "kind", "") == "f" and array.dtype == object  # pandas' own, which hide their type
        if floats:
            array = values.to_numpy(getattr(values.dtype, "numpy_dtype", np.float64), na_value=np.nan)
        return array
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise DataError(f"{what} is of the type {type(values).__name__}, expected an array or a list")
    try:
        array = np.array(list(values), dtype=object)
    except (TypeError, ValueError):
        array = np.array([[]], dtype=object)
    if array.ndim == 1 and any(isinstance(value, (list, tuple, np.ndarray)) for value in array) or array.ndim > 2:
        raise DataError(f"{what} holds lists, expected one value for each record")
    return array


def unmasked(values: np.ma.MaskedArray) -> np.ndarray:
    """Floats, of which those that were masked are NaN; else objects, None there. What a float is among floats shows in its
    type: one fraction may have rounded the others, and `require_exact` has to see it."""
    if values.dtype.kind in "fc":
        return np.where(np.ma.getmaskarray(values), values.dtype.type(np.nan), values.data)
    objects = np.empty(values.shape, dtype=object)
    hidden = np.ma.getmaskarray(values).ravel()
    for place, value in enumerate(elements(values.data)):
        objects.flat[place] = None if hidden[place] else value
    return objects


def require_exact(what: str, values: np.ndarray) -> None:
    """Whole numbers that lie among floats beyond 2^53 are rounded, perhaps because of a single other one."""
    if values.dtype.kind != "f":
        return
    bits = min(np.finfo(values.dtype).nmant, 52) + 1
    if (np.abs(values[np.isfinite(values)]) >= 2.0**bits).any():
        raise DataError(
            f"the {what} are of the type {values.dtype}, in which whole numbers from 2^{bits} on are not distinct; give whole numbers or texts"
        )


def numbered(values: np.ndarray, read: Callable[[Any], Any]) -> tuple[np.ndarray, list[Any]]:
    """Every value's number among the distinct things that `read` makes of them, and these, in order of appearance."""
    if values.dtype.kind not in "iuf":
        return _number_each(enumerate(elements(values)), read)
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    numbers, found = _number_each(zip(first[order].tolist(), distinct[order].tolist()), read)
    places = np.empty(len(order), dtype=np.intp)
    places[order] = numbers
    return places[inverse.ravel()], found


def _number_each(rows: Iterable[tuple[int, Any]], read: Callable[[Any], Any]) -> tuple[np.ndarray, list[Any]]:
    known: dict[Any, int] = {}
    numbers = []
    for row, value in rows:
        try:
            numbers.append(known.setdefault(read(value), len(known)))
        except Unreadable as why:
            raise DataError(f"row {row}: {why}") from None
    return np.asarray(numbers, dtype=np.intp), list(known)


def float_of(value: Any) -> float:
    """The nearest float64; infinite where none is near."""
    with np.errstate(over="ignore"):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf


def _digits(value: Any) -> str:
    if isinstance(value, np.generic):
        value = int(value) if isinstance(value, np.integer) else float_of(value)
    if value in (math.inf, -math.inf):
        return repr(float(value))
    if value.adjusted() >= _MOST_DIGITS if isinstance(value, Decimal) else not -_TOO_LARGE < value < _TOO_LARGE:
        raise Unreadable(f"the number has more than {_MOST_DIGITS} digits")
    return str(int(value)) if int(value) == value else repr(float_of(value))
