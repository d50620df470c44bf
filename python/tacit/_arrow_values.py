"""The values of an Arrow array, each by itself. docs/python.md has the table."""

from __future__ import annotations

import ctypes
import decimal
from typing import Any

import numpy as np

from .errors import DataError

_NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64,
    "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_OFFSETS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}
_DIGITS = decimal.Context(prec=100)  # more than 256 bits have


def values_of(kind: Any, array: Any, first: int, count: int, name: str) -> np.ndarray:
    """The values from `first` on. Numbers and dates lie in arrays of their type, unless one is missing: then, like texts,
    in an array of objects, None where a value is missing. What a value is does not depend on which it is."""
    start = array.offset + first
    valid = validity(array, first, count)
    if kind.dictionary:
        return _looked_up(kind, array, start, count, valid, name)
    form = kind.format.decode()
    if form in _NUMBERS:
        return _with_missing(_buffer(array, 1, _NUMBERS[form], start, count), valid)
    if form == "b":
        return _with_missing(_bits(array.buffers[1], start, count), valid)
    if form == "n":
        return np.full(count, None, dtype=object)
    if form == "tdD":
        return _with_missing(_buffer(array, 1, np.int32, start, count).astype("M8[D]"), valid)
    if form == "tdm" or form[:2] == "ts":
        unit = "ms" if form == "tdm" else _UNITS[form[2]]
        return _with_missing(_buffer(array, 1, np.int64, start, count).view(f"M8[{unit}]"), valid)
    if form in _OFFSETS:
        texts = _texts(array, _OFFSETS[form], start, count)
    elif form in ("vu", "vz"):
        texts = _views(array, start, count, valid)
    elif form[:2] == "w:":
        width = int(form[2:])
        texts = _cut(array.buffers[1], np.arange(start, start + count + 1) * width)
    elif form[:2] == "d:":
        return _objects(_decimals(array, form, start, count), valid)
    else:
        raise DataError(f'column "{name}" is of the Arrow type {form}, expected numbers, texts or dates')
    is_text = form in ("u", "U", "vu")
    return _objects([text.decode(errors="surrogateescape") for text in texts] if is_text else texts, valid)


def validity(array: Any, first: int, count: int) -> np.ndarray | None:
    """Which values are there; none where all are."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    return _bits(array.buffers[0], array.offset + first, count)


def _buffer(array: Any, which: int, kind: Any, start: int, count: int) -> np.ndarray:
    """A copy: what the producer holds goes when the chunk does."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(_bytes(array.buffers[which], start * size, count * size), dtype=kind)


def _bytes(address: int | None, start: int, size: int) -> bytes:
    return ctypes.string_at(address + start, size) if address and size else b""


def _bits(address: int, start: int, count: int) -> np.ndarray:
    packed = np.frombuffer(_bytes(address, start // 8, (start % 8 + count + 7) // 8), dtype=np.uint8)
    return np.unpackbits(packed, bitorder="little")[start % 8 : start % 8 + count].astype(bool)


def _with_missing(values: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
    if valid is None or valid.all():
        return values
    if values.dtype.kind == "f":
        return np.where(valid, values, values.dtype.type(np.nan))
    if values.dtype.kind == "M":
        return np.where(valid, values, np.datetime64("NaT"))
    return with_gaps(values, valid)


def with_gaps(values: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Objects, of which those that are not valid are None."""
    objects = values.astype(object)
    objects[~valid] = None
    return objects


def _objects(values: list[Any], valid: np.ndarray | None) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        objects[i] = value if valid is None or valid[i] else None
    return objects


def _cut(address: int | None, ends: np.ndarray) -> list[bytes]:
    """The bytes between each offset and the next."""
    low, high = int(ends[0]), int(ends[-1])
    held = _bytes(address, low, high - low)
    places = (ends - low).tolist()
    return [held[a:b] for a, b in zip(places, places[1:])]


def _texts(array: Any, kind: Any, start: int, count: int) -> list[bytes]:
    if count == 0:
        return []
    return _cut(array.buffers[2], _buffer(array, 1, kind, start, count + 1).astype(np.int64))


def _views(array: Any, start: int, count: int, valid: np.ndarray | None) -> list[bytes]:
    """Up to 12 bytes lie in a view itself, longer texts in one of the buffers after it."""
    views = _bytes(array.buffers[1], 16 * start, 16 * count)
    texts = []
    for i in range(count):
        view = views[16 * i : 16 * i + 16]
        length = int.from_bytes(view[:4], "little", signed=True)
        if valid is not None and not valid[i]:
            texts.append(b"")
        elif length <= 12:
            texts.append(view[4 : 4 + length])
        else:
            which, at = (int.from_bytes(view[k : k + 4], "little", signed=True) for k in (8, 12))
            texts.append(_bytes(array.buffers[2 + which], at, length))
    return texts


def _decimals(array: Any, form: str, start: int, count: int) -> list[decimal.Decimal]:
    """d:precision,scale[,bits]: whole numbers of so many bits, to be divided by 10^scale."""
    numbers = [int(part) for part in form[2:].split(",")]
    size = (numbers[2] if len(numbers) > 2 else 128) // 8
    held = _bytes(array.buffers[1], start * size, count * size)
    whole = (int.from_bytes(held[i * size : (i + 1) * size], "little", signed=True) for i in range(count))
    return [decimal.Decimal(number).scaleb(-numbers[1], _DIGITS) for number in whole]


def _looked_up(kind: Any, array: Any, start: int, count: int, valid: np.ndarray | None, name: str) -> np.ndarray:
    """A dictionary's column: each value is the one that its number stands for."""
    form = kind.format.decode()
    meanings = array.dictionary.contents
    known = values_of(kind.dictionary.contents, meanings, 0, meanings.length, name).astype(object)
    numbers = _buffer(array, 1, _NUMBERS[form], start, count).tolist()
    return _objects([known[k] if valid is None or valid[i] else None for i, k in enumerate(numbers)], valid)
