"""A small producer of Arrow streams, so that the tests need no package that makes them: types are stated, not found."""

import ctypes
import struct

import numpy as np

from tacit._arrow import Array, Schema, Stream

NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}
MESSAGE = ctypes.create_string_buffer(b"the disk is gone\nsecond line")
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Table:
    """Columns (name, format, values), None for missing values; in chunks of so many rows, each a slice of something longer.

    A format "dict:u" is a dictionary's column of texts. `gone`: rows that are missing as such, whatever their cells are.
    Counts what was handed out and let go.
    """

    def __init__(self, columns, chunk=1000, before=0, fails_after=None, alone=False, gone=()):
        self.columns, self.chunk, self.before, self.fails_after, self.alone = columns, chunk, before, fails_after, alone
        self.gone = set(gone)
        self.open, self._kept = 0, []

    def __arrow_c_stream__(self, requested_schema=None):
        rows = len(self.columns[0][2])
        starts = iter(range(0, rows, self.chunk))
        handed = [0]

        def get_schema(_, out):
            self._fill_schema(out.contents)
            return 0

        def get_next(_, out):
            if self.fails_after is not None and handed[0] >= self.fails_after:
                return 5
            handed[0] += 1
            start = next(starts, None)
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            if start is not None:
                self._fill_chunk(out.contents, start, min(start + self.chunk, rows))
            return 0

        stream = Stream()
        fields = dict(Stream._fields_)
        stream.get_schema = fields["get_schema"](get_schema)
        stream.get_next = fields["get_next"](get_next)
        stream.get_last_error = fields["get_last_error"](lambda _: ctypes.addressof(MESSAGE))
        stream.release = self._released(stream)
        self._kept.append(stream)
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)

    def _released(self, held):
        """Marks what is let go, as the interface wants it, and forgets its memory by overwriting it."""
        self.open += 1

        def release(address):
            self.open -= 1
            released = type(held).from_address(address)
            released.release = type(released.release)()

        callback = dict(type(held)._fields_)["release"](release)
        self._kept.append(callback)
        return callback

    def _fill_schema(self, schema):
        if self.alone:
            return self._fill_kind(schema, *self.columns[0][:2])
        schema.format, schema.name = b"+s", b""
        children = [Schema() for _ in self.columns]
        for child, (name, form, _) in zip(children, self.columns):
            self._fill_kind(child, name, form)
        schema.n_children, schema.children = len(children), self._pointers(children, Schema)
        schema.release = self._released(schema)

    def _fill_kind(self, schema, name, form):
        if form.startswith("dict:"):
            schema.format, of_values = b"i", Schema()
            of_values.format = form[5:].encode()
            self._kept.append(of_values)
            schema.dictionary = ctypes.pointer(of_values)
        else:
            schema.format = form.encode()
        schema.name = name.encode() if isinstance(name, str) else name
        schema.release = self._released(schema) if self.alone else schema.release

    def _fill_chunk(self, array, start, end):
        if self.alone:
            self._fill_values(array, self.columns[0][1], self.columns[0][2][start:end])
        else:
            children = [Array() for _ in self.columns]
            for child, (_, form, values) in zip(children, self.columns):
                self._fill_values(child, form, values[start:end])
            array.length, array.n_buffers, array.n_children = end - start, 1, len(children)
            there = [row not in self.gone for row in range(start, end)]
            array.buffers = self._buffers([None if all(there) else np.packbits(there, bitorder="little").tobytes()])
            array.null_count = there.count(False)
            array.children = self._pointers(children, Array)
        array.release = self._released(array)

    def _fill_values(self, array, form, values):
        values = [values[0]] * self.before + list(values)
        missing = [value is None for value in values]
        buffers = [np.packbits([not gone for gone in missing], bitorder="little").tobytes() if any(missing) else None]
        if form.startswith("dict:"):
            known = sorted({value for value in values if value is not None})
            of_values = Array()
            before, self.before = self.before, 0
            self._fill_values(of_values, form[5:], known or [_nothing(form[5:])])
            self.before = before
            self._kept.append(of_values)
            array.dictionary = ctypes.pointer(of_values)
            buffers.append(np.array([0 if value is None else known.index(value) for value in values], dtype="i4").tobytes())
        else:
            buffers += _packed(form, [_nothing(form) if value is None else value for value in values])
        array.length, array.null_count, array.offset = len(values) - self.before, -1 if any(missing) else 0, self.before
        array.n_buffers, array.buffers = len(buffers), self._buffers(buffers)

    def _buffers(self, buffers):
        held = [None if one is None else ctypes.create_string_buffer(one, max(len(one), 1)) for one in buffers]
        pointers = (ctypes.c_void_p * len(held))(*(None if one is None else ctypes.addressof(one) for one in held))
        self._kept += [held, pointers]
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))

    def _pointers(self, children, kind):
        pointers = (ctypes.POINTER(kind) * len(children))(*map(ctypes.pointer, children))
        self._kept += [children, pointers]
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))


def _nothing(form):
    return 0 if form in NUMBERS or form in ("b", "n") or form[0] in "td" else b"" if "z" in form.lower() else ""


def _packed(form, values):
    """The buffers after the first, which says what is missing."""
    if form in NUMBERS:
        return [np.array(values, dtype=NUMBERS[form]).tobytes()]
    if form == "b":
        return [np.packbits(np.array(values, dtype=bool), bitorder="little").tobytes()]
    if form == "n":
        return []
    if form in ("tts", "tDs", "tiM", "+l"):
        return [bytes(8 * len(values) + 8)]
    if form.startswith(("td", "ts")):
        return [np.array(values, dtype="i4" if form == "tdD" else "i8").tobytes()]
    if form.startswith("d:"):
        return [b"".join(value.to_bytes(16, "little", signed=True) for value in values)]
    texts = [value.encode(errors="surrogateescape") if isinstance(value, str) else value for value in values]
    if form in ("vu", "vz"):
        views, far = b"", b""
        for text in texts:
            if len(text) <= 12:
                views += struct.pack("<i12s", len(text), text)
            else:
                views += struct.pack("<i4sii", len(text), text[:4], 0, len(far))
                far += text
        return [views, far, struct.pack("<q", len(far))]
    ends = np.cumsum([0, *map(len, texts)])
    return [ends.astype("i8" if form in "UZ" else "i4").tobytes(), b"".join(texts)]
