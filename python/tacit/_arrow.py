"""Tables of polars, pyarrow, DuckDB and others, by the Arrow C data interface: three structs, and no other package."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._arrow_values import validity, values_of, with_missing
from .errors import DataError


class Schema(ctypes.Structure):
    """ArrowSchema: the type of a column, or of a table and the types of its columns."""


class Array(ctypes.Structure):
    """ArrowArray: the values of a column, or of a table's columns."""


class Stream(ctypes.Structure):
    """ArrowArrayStream: a table chunk by chunk."""


_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class Frame:
    """The columns of a table as arrays, each value of its own kind; it answers what is asked of a data frame here."""

    def __init__(self, names: list[str], arrays: list[np.ndarray], count: int) -> None:
        self.columns, self._arrays, self._count = names, arrays, count

    def __len__(self) -> int:
        return self._count

    @property
    def shape(self) -> tuple[int, int]:
        return self._count, len(self.columns)

    @property
    def dtypes(self) -> list[np.dtype]:
        return [array.dtype for array in self._arrays]

    @property
    def iloc(self) -> _Places:
        return _Places(self)


class _Places:
    """frame.iloc[:, j] is a column's array, frame.iloc[:, [j, k]] a frame of some columns."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __getitem__(self, places: tuple[slice, int | list[int]]) -> Any:
        frame, which = self._frame, places[1]
        if isinstance(which, int):
            return Column(frame._arrays[which])
        return Frame([frame.columns[j] for j in which], [frame._arrays[j] for j in which], len(frame))


class Column:
    """One column, as a series of pandas gives it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def to_numpy(self) -> np.ndarray:
        return self._array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self._array if dtype is None else self._array.astype(dtype)


def is_stream(data: Any) -> bool:
    """Whether the Arrow interface is the way in. pandas' own frames and series are read as such."""
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc")


def as_frame(data: Any) -> Any:
    """A table that offers itself as an Arrow stream; anything else as it is."""
    if not is_stream(data):
        return data
    names, arrays, count = _read(data)
    if names is None:
        raise DataError(f"X is of the type {type(data).__name__}, one column, expected a table")
    return Frame(names, arrays, count)


def as_column(what: str, data: Any) -> np.ndarray:
    """The only column of what offers itself as an Arrow stream."""
    names, arrays, _ = _read(data)
    if len(arrays) != 1:
        raise DataError(f"{what} is a table with {len(arrays)} columns, expected one column")
    return arrays[0]


def _read(data: Any) -> tuple[list[str] | None, list[np.ndarray], int]:
    """Names (none of a column alone), arrays, number of rows. Chunks are let go one by one."""
    capsule = data.__arrow_c_stream__()
    stream = Stream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
    schema = Schema()
    try:
        _check(stream, stream.get_schema(stream, schema))
        table = schema.format == b"+s"
        if table and not (schema.n_children == 0 or (schema.n_children > 0 and schema.children)):
            raise DataError(f"the Arrow stream is malformed: a table with {schema.n_children} columns")
        kinds = [schema.children[j].contents for j in range(schema.n_children)] if table else [schema]
        names = [kind.name.decode(errors="surrogateescape") if kind.name else "" for kind in kinds]
        pieces: list[list[np.ndarray]] = [[] for _ in kinds]
        count = 0
        for chunk in _chunks(stream):
            if chunk.length < 0 or chunk.offset < 0 or (table and (chunk.n_children != len(kinds) or (kinds and not chunk.children))):
                raise DataError(f"the Arrow stream is malformed: {chunk.length} rows of {chunk.n_children} columns, expected {len(kinds)} columns")
            count += chunk.length
            for j, kind in enumerate(kinds):
                pieces[j].append(_column(kind, chunk, j, names[j]) if table else values_of(kind, chunk, 0, chunk.length, names[j]))
        return names if table else None, [_joined(of_column) for of_column in pieces], count
    finally:
        for held in (schema, stream):
            _release(held)


def _column(kind: Schema, table: Array, j: int, name: str) -> np.ndarray:
    """A column of a chunk; a row that is itself missing has no values."""
    values = values_of(kind, table.children[j].contents, table.offset, table.length, name)
    return with_missing(values, validity(table, 0, table.length))


def _chunks(stream: Stream) -> Iterator[Array]:
    while True:
        chunk = Array()
        _check(stream, stream.get_next(stream, chunk))
        if not chunk.release:
            return
        try:
            yield chunk
        finally:
            _release(chunk)


def _joined(pieces: list[np.ndarray]) -> np.ndarray:
    """Values, not types: what one chunk lacks does not bring the others to another type."""
    if len({piece.dtype for piece in pieces}) > 1:
        pieces = [piece.astype(object) for piece in pieces]
    return np.concatenate(pieces) if pieces else np.empty(0)


def _check(stream: Stream, code: int) -> None:
    if code != 0:
        told = stream.get_last_error(stream)
        message = ctypes.string_at(told) if told else b"unknown cause"
        line = message.decode(errors="replace").partition("\n")[0]
        raise DataError(f"the Arrow stream cannot be read: {line}")


def _release(held: Schema | Array | Stream) -> None:
    release: Callable[[int], None] | None = held.release
    if release:
        release(ctypes.addressof(held))
