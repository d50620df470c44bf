"""What goes into the pairs that neutrality.py compares: values, containers, schemas."""

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import scipy.sparse

import tacit

COUNT = 8
NO_TEXT = "what this object says"

WHOLE = [0, 1, 2, 7, 10, -3]
LARGE = [2**53 - 1, 2**53 + 1, 2**60 + 3, 10**16, 10**17 + 1]
FRACTIONS = [0.5, 0.1, 1.25, -0.75]
TEXTS = ["a", "b", "zoë", "1", "1.0", "x y"]
DAYS = [datetime.datetime(2024, 5, k) for k in (1, 2, 3)]
DATES = [day.date() for day in DAYS]
EAST = datetime.timezone(datetime.timedelta(hours=2))
ZONED = [day.replace(hour=2, tzinfo=EAST) for day in DAYS]
# What one record may hold instead of what the others do.
STRANGE = [
    *WHOLE, *LARGE, *FRACTIONS, *TEXTS, *DAYS, *ZONED,
    1.0, -0.0, 1e16, 1e22, 1e308, 1e309, float("-inf"), float("nan"), None, pandas.NA, pandas.NaT, True, False,
    np.float16(0.1), np.float32(0.1), np.float64(0.1), np.longdouble("0.1"), np.longdouble("1e400"), np.int8(1), np.uint64(2**63 + 1),
    np.bool_(True), np.str_("a"), np.bytes_(b"a"), b"a", b"\xff", bytearray(b"b"), "", "  ", " a\t", "a\0", "nan", "None", "NaT", "1e309",
    "\udc80", "\ud800x", "x" * 100_000, "a\nb", 10**400, -(10**400), 2**63, 2**64, Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"),
    Decimal("1e400"), Decimal("Infinity"), Fraction(1, 3), 1 + 0j, 2j, complex("nan"), datetime.date(2024, 5, 1),
    datetime.datetime(2024, 5, 1, 12, 30), datetime.datetime(2024, 5, 1, tzinfo=datetime.timezone.utc), datetime.time(1, 2),
    datetime.timedelta(1), np.datetime64("2024-05-01"), np.datetime64("2024"), np.datetime64("2024-05-01T00:00:00.000000001"),
    np.datetime64("NaT"), np.timedelta64(1, "D"), pandas.Timestamp("2024-05-01"), pandas.Timestamp("2024-05-01", tz="UTC"),
    pandas.Timedelta(1, "s"), pandas.Interval(0, 1), pandas.Period("2024-05"), uuid.UUID(int=7), object(), [1], (1, 2), {1: 2}, {1},
    np.ma.masked, float, Ellipsis,
]  # fmt: skip


class Strange(float):
    """A number that says other things of itself."""

    def __str__(self):
        return "strange"


class Hostile:
    """Nothing that can be asked of it works."""

    def __str__(self):
        raise RuntimeError(NO_TEXT)

    __repr__ = __float__ = __eq__ = __ne__ = __bool__ = __hash__ = __len__ = __str__


STRANGE += [Strange(1.0), Hostile()]


def object_array(columns):
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        for i, value in enumerate(column):
            table[i, j] = value
    return table


def objects(values):
    return object_array([values])[:, 0]


def object_frame(columns):
    return pandas.DataFrame({str(j): pandas.Series(objects(column), dtype=object) for j, column in enumerate(columns)})


def inferred_frame(columns):
    return pandas.DataFrame({str(j): pandas.Series(list(column)) for j, column in enumerate(columns)})


def lists(columns):
    return [list(row) for row in zip(*columns)]


class Rows:
    """What NumPy reads item by item, as it does a list."""

    def __init__(self, rows):
        self._rows = rows

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, place):
        return self._rows[place]


# Ways that hold any value, and leave it as it is or bring numbers among each other to one type.
TABLES = {
    "lists": lists,
    "rows of one's own": lambda columns: Rows(lists(columns)),
    "tuples": lambda columns: tuple(zip(*columns)),
    "lists of tuples": lambda columns: list(zip(*columns)),
    "objects": object_array,
    "objects, Fortran": lambda columns: np.asfortranarray(object_array(columns)),
    "objects, strided": lambda columns: np.repeat(object_array(columns), 2, axis=0)[::2],
    "frame": inferred_frame,
    "frame of objects": object_frame,
    "converted frame": lambda columns: inferred_frame(columns).convert_dtypes(),
    "inferred frame": lambda columns: object_frame(columns).infer_objects(),
    "frame from rows": lambda columns: pandas.DataFrame(lists(columns), columns=[str(j) for j in range(len(columns))]),
}
LINES = {
    "list": list,
    "tuple": tuple,
    "objects": objects,
    "column of objects": lambda values: objects(values)[:, None],
    "series": lambda values: pandas.Series(list(values)),
    "series of objects": lambda values: pandas.Series(objects(values), dtype=object),
    "converted series": lambda values: pandas.Series(list(values)).convert_dtypes(),
    "lists of one": lambda values: [[value] for value in values],
    "frame": lambda values: pandas.DataFrame({"y": pandas.Series(objects(values), dtype=object)}),
}


def extremes(kind):
    """Values that an array of the type can hold."""
    kind = np.dtype(kind)
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        return np.array([0, 1, 2, 7, ends.min, ends.max, ends.max // 2], dtype=kind)
    if kind.kind == "f":
        ends = np.finfo(kind)
        return np.array([0, 1, 2, 0.5, 0.1, ends.max, ends.min, ends.tiny, np.inf, -np.inf, np.nan, -0.0], dtype=kind)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "mM":
        return np.array(["2024-05-01", "2024-05-02", "1969-12-31", "NaT"], dtype="M8[D]").astype(kind)
    return np.array(["a", "b", "1", "1.0", "", " a", "nan"], dtype=kind)


# A row of a list of rows, of types of its own; and what is no row.
ROWS = [(1, "a"), [1.0, 1.0], np.array([1.0, 2.0]), np.array([1, 2], dtype="u8"), np.array(["1", "a"]), np.array([2, "a"], dtype=object),
        pandas.Series([1, "b"]), pandas.array([1, 2]), np.array([True, False]), pandas.Series([1.0, None])]  # fmt: skip
NO_ROWS = [None, "ab", b"ab", 5, {"0": 1, "1": 2}, {1, 2}, [1], [1, 2, 3], [], [[1], 2], np.zeros((2, 2)), object(), iter([1])]

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", ">f8", ">f4", ">i4", ">u8", ">i2", "U5", ">U5", "S5",
         "M8[Y]", "M8[D]", "M8[h]", "M8[s]", "M8[us]", "M8[ns]"]  # fmt: skip


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def unaligned(array):
    held = np.zeros(array.shape, dtype=[("before", "i1"), ("cell", array.dtype)])
    held["cell"] = array
    return held["cell"]


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda array: np.repeat(array, 3, axis=0)[::3],
    "backwards": lambda array: array[::-1].copy()[::-1],
    "of a wider one": lambda array: np.hstack([array, array])[:, : array.shape[1]],
    "read-only": read_only,
    "unaligned": unaligned,
    "masked": lambda array: np.ma.masked_array(array, False),
    "frame": lambda array: pandas.DataFrame(array, columns=[str(j) for j in range(array.shape[1])]),
    "frame without copy": lambda array: pandas.DataFrame(array, columns=[str(j) for j in range(array.shape[1])], copy=False),
}
EXTENSIONS = {
    "Int64": [*WHOLE, *LARGE, None], "UInt64": [1, 2, 2**63 + 1, 2**64 - 1, None], "Int8": [0, 1, 2, -128, None],
    "Float64": [*FRACTIONS, 1.0, None],
    "Float32": [0.5, 0.1, 1.0, None], "boolean": [True, False, None], "string": [*TEXTS, "", None], "category": [*TEXTS, *WHOLE, 0.5, None],
    "datetime64[ns]": [*DAYS, None], "datetime64[ns, UTC]": [*DAYS, None], "Sparse[float64]": [*FRACTIONS, 0.0, 1.0, None],
    "Sparse[int64]": [0, 1, 2, 7], "Sparse": [0, 0, 1, 2, 0.5], "object": STRANGE,
}  # fmt: skip
ARROW = {
    "l": [0, 1, 7, *LARGE, None], "c": [0, 1, 2, -128, None], "L": [1, 2, 7, 2**64 - 1, None], "g": [0.5, 1.0, 0.1, 1e308, float("nan"), float("inf"), None],
    "f": [0.5, 1.0, 0.1, None], "b": [True, False, True, None], "u": ["a", "b", "1", "", " a", "zo\udcff", "nan", "x" * 20, None],
    "vu": ["a", "b", "1", "", "x" * 20, "zo\udcff", None], "dict:u": ["a", "b", "1", "", "x" * 20, None], "z": [b"a", b"b", b"1", b"", b"\xff", None],
    "tdD": [0, 1, 19844, -(2**31), None], "tsu:": [0, 1, 10**6, -(2**63), 2**63 - 1, None],
    "tsn:": [1714521600 * 10**9, 1, 10**18, -(2**63), 2**63 - 1, None], "dict:tsn:": [1714521600 * 10**9, 1, 2, None], "d:38,2": [0, 1, 250, 10**37, None],
}  # fmt: skip
FORMATS = ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"]
SPARSE = {name: getattr(scipy.sparse, name) for form in FORMATS for name in (f"{form}_matrix", f"{form}_array")}

CATEGORIES = ["a", "b", "1", "2", "0.5", "True", "10000000000000000", "2024-05-01"]
COLUMNS = {
    "0": {"type": "numeric", "min": -5, "max": 20, "missing": 3},
    "1": {"type": "categorical", "categories": CATEGORIES, "missing": "other"},
}
STRICT = {"0": {"type": "numeric", "min": -5, "max": 20}, "1": {"type": "categorical", "categories": CATEGORIES}}
PUBLIC = [
    {"schema": {"columns": COLUMNS, "target": {"column": "y", "classes": ["0", "1"]}}},
    {"schema": {"columns": COLUMNS}, "classes": [0, 1]},
    {"schema": {"columns": STRICT}, "classes": ["0", "1"]},
]
TEXTS_ONLY = [{"schema": {"columns": {name: columns["1"] for name in "01"}}, "classes": [0, 1]} for columns in (COLUMNS, STRICT)]
NUMBERS = [{"bounds": (-5, 20), "classes": [0, 1]}, {"bounds": 30.0, "classes": [0, 1]}, {"classes": [False, True]}]


def classifier(public, **more):
    return tacit.LogisticRegression(epsilon=1.0, **public, **more)


def by_users(public):
    return classifier(public, delta=1e-5, unit="user")
