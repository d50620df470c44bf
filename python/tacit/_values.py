"""Single values: which are missing, which texts are the same, which a file can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import DataError

_BLANKS = " \t\r"  # those that a file's reader drops around a cell


def as_given(values: Any) -> np.ndarray:
    """An array of the values in which one that is missing is None or NaN, where NumPy would write "nan" among texts."""
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), None, values.data) if np.ma.is_masked(values) else values.data
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        return np.where(np.isnat(array), None, array) if np.isnat(array).any() else array
    if array.dtype.kind not in "US" or hasattr(values, "__array__"):
        return array
    kept = np.empty(array.shape, dtype=object)
    kept[...] = values
    return array if all(isinstance(value, (str, bytes)) for value in kept.ravel()) else kept


def stripped(values: np.ndarray) -> np.ndarray:
    """Texts without the blanks around them, which a file's reader drops too."""
    if values.dtype.kind in "US":
        return np.char.strip(values, _BLANKS if values.dtype.kind == "U" else _BLANKS.encode())
    if values.dtype != object:
        return values
    result = np.empty(values.shape, dtype=object)
    for place, value in enumerate(values.flat):
        result.flat[place] = without_blanks(value)
    return result


def without_blanks(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip(_BLANKS)
    return value.strip(_BLANKS.encode()) if isinstance(value, bytes) else value


def is_blank(value: Any) -> bool:
    return isinstance(value, (str, bytes)) and not without_blanks(value)


def require_utf8(what: str, name: str) -> str:
    """A text that the compiled half and files can hold: one with a lone surrogate is none."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} {name!a} is not UTF-8 text") from None
    return name


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN or pandas.NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA, which compares as itself
        return True
