#!/usr/bin/env python3
"""Arrow streams whose producer is wrong, to the reader of the Python package.

    fuzz_arrow.py SECONDS [SEED]        with the package and tests/python on PYTHONPATH

The interface hands over addresses without sizes, so that a producer can always lead a reader out of its memory. What a reader can
see is tried: types that do not exist, buffers, children and dictionaries that are not there, counts below zero or not alike,
offsets that fall, numbers that no dictionary has. Each stream is refused with one line, or read as columns that have a value for
each row; whatever was handed out is let go. Ends at the first finding, with the seed that shows it.
"""

import ctypes
import random
import sys
import time

from arrow_producer import NUMBERS, Table

from tacit import _arrow
from tacit.errors import Error

FORMS = [*NUMBERS, "b", "u", "U", "z", "Z", "vu", "vz", "dict:u", "dict:vu", "n", "tdD", "tdm", "tsu:", "tsn:UTC", "d:10,2"]
WRONG = ["", "q", "ts", "tsx", "tsq:", "td", "tdx", "w", "w:", "w:-3", "w:two", "w:0", "w:4", "d:", "d:1", "d:x,y", "d:5,2,7", "d:5,2,0", "d:9,2,64",
         "+s", "+l", "\u00e9", "b2", "vU", "zz"]
ROOM = 4096  # behind each buffer, so that a type wider than the values finds memory


def value(rng, form):
    if form in ("e", "f", "g"):
        return rng.choice([0.5, -1.0, 2.0])
    if form in NUMBERS or form.startswith(("td", "ts", "d:")):
        return rng.randrange(100)
    if form == "b":
        return rng.random() < 0.5
    if form == "n":
        return None
    text = "".join(rng.choice("ab\u00e9") for _ in range(rng.choice([0, 3, 12, 13, 40])))
    return text.encode() if "z" in form.lower() else text


class Wrong(Table):
    """A table of which some things are not as they should be."""

    def __init__(self, rng):
        rows = rng.choice([1, 2, 9, 17])
        columns = []
        for j in range(rng.choice([1, 1, 2, 3])):
            form = rng.choice(FORMS)
            gaps = rng.random() < 0.5
            columns.append((f"c{j}", form, [None if gaps and rng.random() < 0.3 else value(rng, form) for _ in range(rows)]))
        super().__init__(columns, chunk=rng.choice([1, 4, 100]), before=rng.choice([0, 0, 3, 8]), alone=len(columns) == 1 and rng.random() < 0.3)
        self.rng, self.lies = rng, rng.choice([0, 1, 1, 1, 2])

    def _buffers(self, buffers):
        return super()._buffers([None if one is None else one + bytes(ROOM) for one in buffers])

    def _fill_schema(self, schema):
        super()._fill_schema(schema)
        parts = [schema] if self.alone else [schema, *([schema.children[j].contents for j in range(schema.n_children)] * 4)]
        for _ in range(self.lies):
            part = self.rng.choice(parts)
            lie = self.rng.randrange(8)
            if lie == 0:
                part.format = self.rng.choice([*WRONG, *(form for form in FORMS if not form.startswith(("dict", "u", "U", "z", "Z", "v")))]).encode()
            elif lie == 1:
                part.format = None
            elif lie == 2:
                part.name = self.rng.choice([None, b"\xff", b""])
            elif lie == 3 and not self.alone:
                schema.n_children = self.rng.choice([-1, 0])

    def _fill_chunk(self, array, start, end):
        super()._fill_chunk(array, start, end)
        parts = [array] if self.alone else [array, *([array.children[j].contents for j in range(array.n_children)] * 4)]
        for _ in range(self.lies):
            self._lie(self.rng.choice(parts), array)

    def _lie(self, part, array):
        lie = self.rng.randrange(10)
        if lie == 0:
            part.length = self.rng.choice([-1, -(2**40), 0, 1, part.length + 1])
        elif lie == 1:
            part.offset = self.rng.choice([-1, -(2**40)])
        elif lie == 2:
            part.n_buffers = self.rng.choice([-1, 0, 1])
        elif lie == 3 and part.n_buffers > 1 and part.buffers:
            part.buffers[self.rng.randrange(1, part.n_buffers)] = None
        elif lie == 4:
            part.buffers = ctypes.POINTER(ctypes.c_void_p)()
        elif lie == 5:
            part.null_count = self.rng.choice([-1, 5, 2**40])
        elif lie == 6 and not self.alone:
            array.n_children = self.rng.choice([-1, 0, array.n_children - 1])
        elif lie == 7:
            array.children = ctypes.POINTER(ctypes.POINTER(_arrow.Array))()
        elif lie == 8:
            part.dictionary = ctypes.POINTER(_arrow.Array)()
        elif lie == 9 and part.n_buffers > 1 and part.buffers and part.buffers[1]:
            # Whole numbers anywhere in what holds numbers, indices or offsets; offsets stay where there is memory.
            number = self.rng.choice([255, 127, 0])
            ctypes.memset(part.buffers[1] + self.rng.randrange(8), number, 1) if part.dictionary else ctypes.memset(part.buffers[1], self.rng.randrange(2), 1)


def fault(table):
    """What is wrong with how this stream was taken, or None."""
    try:
        names, arrays, count = _arrow._read(table)
    except Error as error:
        if not str(error) or "\n" in str(error):
            return f"a message that is not one line: {error!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    else:
        for array in arrays:
            if len(array) != count:
                return f"a column of {len(array)} values for {count} rows"
        if names is not None and len(names) != len(arrays):
            return "names and columns are not alike"
    return None if table.open == 0 else f"{table.open} of what was handed out were not let go"


def main():
    sys.unraisablehook = lambda failed: sys.exit(f"the producer failed: {failed.exc_value}")
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None
    ends = time.monotonic() + seconds
    runs = 0
    while seed is not None or time.monotonic() < ends:
        which = runs if seed is None else seed
        found = fault(Wrong(random.Random(which)))
        runs += 1
        if found:
            print(f"seed {which}: {found}")
            return 1
        if seed is not None:
            break
    print(f"{runs} streams, no finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
