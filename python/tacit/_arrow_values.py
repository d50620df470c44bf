"""The values of an Arrow array, each by itself. docs/python.md has the table."""

from __future__ import annotations

import ctypes
import decimal
from typing import Any

import numpy as np

from ._dates import elements
from .errors import DataError

_NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64,
    "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_OFFSETS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}
_DIGITS = decimal.Context(prec=100)  # more than 256 bits have


class _Malformed(Exception):
    """What a producer must not hand out, as far as a reader can see: buffers come without their sizes."""


def values_of(kind: Any, array: Any, first: int, count: int, name: str) -> np.ndarray:
    """The values from `first` on. Floats and dates lie in arrays of their type, NaN or NaT where one is missing. So do whole
    numbers, unless one is missing: then, like texts, in an array of objects, with None there. What a value is does not
    depend on which others there are."""
    try:
        if min(first, count, array.offset) < 0 or array.length < first + count:
            raise _Malformed(f"it has {array.length} values from {array.offset} on, and {first + count} are asked for")
        return _values_of(kind, array, first, count, name)
    except _Malformed as malformed:
        raise DataError(f'column "{name}" of the Arrow stream is malformed: {malformed}') from None


def _values_of(kind: Any, array: Any, first: int, count: int, name: str) -> np.ndarray:
    start = array.offset + first
    valid = validity(array, first, count)
    form = (kind.format or b"").decode(errors="replace")
    if kind.dictionary:
        return _looked_up(kind, array, start, count, valid, name)
    if form in _NUMBERS:
        return with_missing(_buffer(array, 1, _NUMBERS[form], start, count), valid)
    if form == "b":
        return with_missing(_bits(array, 1, start, count), valid)
    if form == "n":
        return np.full(count, None, dtype=object)
    if form == "tdD":
        return with_missing(_buffer(array, 1, np.int32, start, count).astype("M8[D]"), valid)
    if form == "tdm" or (form[:2] == "ts" and form[2:3] in _UNITS):
        unit = "ms" if form == "tdm" else _UNITS[form[2]]
        return with_missing(_buffer(array, 1, np.int64, start, count).view(f"M8[{unit}]"), valid)
    if form in _OFFSETS:
        texts = _texts(array, _OFFSETS[form], start, count)
    elif form in ("vu", "vz"):
        texts = _views(array, start, count, valid)
    elif form[:2] == "w:" and form[2:].isdecimal():
        texts = _cut(array, 1, np.arange(start, start + count + 1) * int(form[2:]))
    elif form[:2] == "d:" and (layout := _decimal_layout(form)):
        return _objects(_decimals(array, layout, start, count), valid)
    else:
        raise DataError(f'column "{name}" is of the Arrow type {form}, expected numbers, texts or dates')
    is_text = form in ("u", "U", "vu")
    return _objects([text.decode(errors="surrogateescape") for text in texts] if is_text else texts, valid)


def validity(array: Any, first: int, count: int) -> np.ndarray | None:
    """Which values are there; none where all are."""
    if array.null_count == 0 or _address(array, 0) is None:
        return None
    return _bits(array, 0, array.offset + first, count)


def _address(array: Any, which: int) -> int | None:
    return array.buffers[which] if array.buffers and 0 <= which < array.n_buffers else None


def _bytes(array: Any, which: int, start: int, size: int) -> bytes:
    """A copy: what the producer holds goes when the chunk does."""
    if size == 0:
        return b""
    address = _address(array, which)
    if address is None:
        raise _Malformed(f"there is no buffer {which}")
    return ctypes.string_at(address + start, size)


def _buffer(array: Any, which: int, kind: Any, start: int, count: int) -> np.ndarray:
    size = np.dtype(kind).itemsize
    return np.frombuffer(_bytes(array, which, start * size, count * size), dtype=kind)


def _bits(array: Any, which: int, start: int, count: int) -> np.ndarray:
    packed = np.frombuffer(_bytes(array, which, start // 8, (start % 8 + count + 7) // 8 if count else 0), dtype=np.uint8)
    return np.unpackbits(packed, bitorder="little")[start % 8 : start % 8 + count].astype(bool)


def with_missing(values: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
    """The values that are there as they are; dates must not become objects, which for some units are whole numbers."""
    if valid is None or valid.all():
        return values
    if values.dtype.kind == "f":
        return np.where(valid, values, values.dtype.type(np.nan))
    if values.dtype.kind == "M":
        return np.where(valid, values, np.datetime64("NaT"))
    objects = values.astype(object)
    objects[~valid] = None
    return objects


def _objects(values: list[Any], valid: np.ndarray | None) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        objects[i] = value if valid is None or valid[i] else None
    return objects


def _cut(array: Any, which: int, ends: np.ndarray) -> list[bytes]:
    """The bytes between each offset and the next."""
    low, high = int(ends[0]), int(ends[-1])
    if low < 0 or (np.diff(ends) < 0).any():
        raise _Malformed("its offsets fall")
    held = _bytes(array, which, low, high - low)
    places = (ends - low).tolist()
    return [held[a:b] for a, b in zip(places, places[1:])]


def _texts(array: Any, kind: Any, start: int, count: int) -> list[bytes]:
    if count == 0:
        return []
    return _cut(array, 2, _buffer(array, 1, kind, start, count + 1).astype(np.int64))


def _views(array: Any, start: int, count: int, valid: np.ndarray | None) -> list[bytes]:
    """Up to 12 bytes lie in a view itself, longer texts in one of the buffers after it."""
    views = _bytes(array, 1, 16 * start, 16 * count)
    texts = []
    for i in range(count):
        view = views[16 * i : 16 * i + 16]
        length = int.from_bytes(view[:4], "little", signed=True)
        which, at = (int.from_bytes(view[k : k + 4], "little", signed=True) for k in (8, 12))
        if valid is not None and not valid[i]:
            texts.append(b"")
        elif 0 <= length <= 12:
            texts.append(view[4 : 4 + length])
        elif length < 0 or which < 0 or at < 0:
            raise _Malformed("a text has a place or a length below 0")
        else:
            texts.append(_bytes(array, 2 + which, at, length))
    return texts


def _decimal_layout(form: str) -> tuple[int, int] | None:
    """d:precision,scale[,bits]: whole numbers of so many bytes, to be divided by 10^scale."""
    try:
        _, scale, *bits = (int(part) for part in form[2:].split(","))
    except ValueError:
        return None
    return (bits[0] // 8 if bits else 16, scale) if bits in ([], [32], [64], [128], [256]) and abs(scale) <= 1000 else None


def _decimals(array: Any, layout: tuple[int, int], start: int, count: int) -> list[decimal.Decimal]:
    size, scale = layout
    held = _bytes(array, 1, start * size, count * size)
    whole = (int.from_bytes(held[i * size : (i + 1) * size], "little", signed=True) for i in range(count))
    return [decimal.Decimal(number).scaleb(-scale, _DIGITS) for number in whole]


def _looked_up(kind: Any, array: Any, start: int, count: int, valid: np.ndarray | None, name: str) -> np.ndarray:
    """A dictionary's column: each value is the one that its number stands for."""
    form = (kind.format or b"").decode(errors="replace")
    if not array.dictionary or form not in _NUMBERS or form in "efg":
        raise _Malformed("it has no numbers into a dictionary, or no dictionary")
    meanings = array.dictionary.contents
    values = values_of(kind.dictionary.contents, meanings, 0, meanings.length, name)
    known = elements(values)
    numbers = _buffer(array, 1, _NUMBERS[form], start, count)
    there = np.ones(count, dtype=bool) if valid is None else valid
    if ((numbers < 0) | (numbers >= len(known)))[there].any():
        raise _Malformed(f"a number is outside of its dictionary of {len(known)} values")
    if values.dtype.kind == "f":  # which stay floats: ids among floats are looked at as such
        return np.asarray([known[k] if there[i] else np.nan for i, k in enumerate(numbers.tolist())], dtype=values.dtype)
    return _objects([known[k] if there[i] else None for i, k in enumerate(numbers.tolist())], valid)
