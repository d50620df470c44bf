"""The pairs that neutrality.py compares."""

import warnings
from decimal import Decimal

import numpy as np
import pandas
import scipy.sparse
from arrow_producer import Table
from neutral_inputs import (
    ARROW, COUNT, DATES, DAYS, EXTENSIONS, FRACTIONS, LARGE, LAYOUTS, LINES, NO_ROWS, NUMBERS, PUBLIC, ROWS, SPARSE, STRANGE, TABLES, TEXTS,
    TEXTS_ONLY, TYPES, WHOLE, ZONED, by_users, classifier, extremes,
)  # fmt: skip
from neutrality import Pair

import tacit

LABELS = [0, 1] * (COUNT // 2)
POOLS = [WHOLE, LARGE, FRACTIONS, [*WHOLE, *FRACTIONS], TEXTS, DAYS, DATES, ZONED, [True, False], [1.0, 2.0], [*TEXTS, 1, 1.0, None]]
POOLS += [[float("nan"), 1.0], [None, "a"]]


def pick(random, values):
    return values[int(random.integers(len(values)))]


def several(random, values):
    return [pick(random, values) for _ in range(COUNT)]


def replaced(values, row, value):
    return [*values[:row], value, *values[row + 1 :]]


def built(make, *values):
    """None where the container cannot be made: pandas and NumPy refuse some values themselves."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(*values)
    except Exception:
        return None


def lost(way, values):
    """Whether pandas has rounded whole numbers before it writes them as such again: nobody can tell."""
    return way.startswith("converted") and any(isinstance(value, int) and abs(value) >= 2**53 for value in values)


def of_tables(name, public, make, tables, row):
    """Two tables that differ in a row."""
    return Pair(name, lambda: classifier(public), tuple((built(make, table), LABELS, None) for table in tables), row)


def of_labels(name, estimator, make, values, value, row):
    """The same records with one label changed."""
    return Pair(name, estimator, tuple((X, built(make, labels), None) for labels in (values, replaced(values, row, value))), row)


def cells(random):
    """A record with a cell of any kind, in a table that may hold all."""
    way, row, public = pick(random, list(TABLES)), int(random.integers(COUNT)), pick(random, PUBLIC)
    columns = [several(random, pick(random, [WHOLE, FRACTIONS, LARGE])), several(random, pick(random, POOLS))]
    at = int(random.integers(2))
    value = pick(random, STRANGE)
    others = list(columns)
    others[at] = replaced(columns[at], row, value)
    name = f"{way}, column {at}: {columns[at]} with {type(value).__name__} at {row}"
    return of_tables(name, public, TABLES[way], (columns, others), row)


def zones(random):
    """A date or time, in a zone or in none, among others."""
    way, row, pools = pick(random, list(TABLES)), int(random.integers(COUNT)), [DAYS, DATES, ZONED]
    columns = [several(random, pick(random, pools)) for _ in range(2)]
    others = [replaced(column, row, pick(random, pick(random, pools))) for column in columns]
    return of_tables(f"dates as {way}: {columns} or {others}", pick(random, TEXTS_ONLY), TABLES[way], (columns, others), row)


def whole_rows(random):
    """A record that is a row of its own kind, or none at all."""
    row, public = int(random.integers(COUNT)), pick(random, PUBLIC)
    pools = pick(random, [WHOLE, FRACTIONS]), pick(random, [TEXTS, WHOLE, FRACTIONS, DAYS])
    table = TABLES["lists"]([several(random, pool) for pool in pools])
    value = pick(random, ROWS if random.integers(4) else NO_ROWS)
    return of_tables(f"rows with {type(value).__name__} at {row}", public, list, (table, replaced(table, row, value)), row)


def plain_cells(random):
    """The same without a schema, or with bounds: what is no number is an error."""
    way, row, public = pick(random, list(TABLES)), int(random.integers(COUNT)), pick(random, NUMBERS)
    columns = [several(random, pick(random, [WHOLE, FRACTIONS, LARGE, [True, False]])) for _ in range(2)]
    others = [replaced(columns[0], row, pick(random, STRANGE)), columns[1]]
    name = f"numbers as {way}: {columns[0]} with {type(others[0][row]).__name__} at {row}"
    return of_tables(name, public, TABLES[way], (columns, others), row)


def arrays(random):
    """An array of one type in one layout, with and without a schema."""
    kind, layout, row = pick(random, TYPES), pick(random, list(LAYOUTS)), int(random.integers(COUNT))
    pool = extremes(kind)
    public = pick(random, PUBLIC + NUMBERS if pool.dtype.kind in "biuf" else TEXTS_ONLY)
    usual = pool[np.isfinite(pool)] if pool.dtype.kind == "f" else pool[:4] if pool.dtype.kind in "US" else pool[:3]
    table = usual[random.integers(len(usual), size=(COUNT, 2))]
    other = table.copy()
    other[row] = pool[random.integers(len(pool), size=2)]
    return of_tables(f"{kind} {layout}", public, LAYOUTS[layout], (table, other), row)


def frames(random):
    """A frame of a pandas type of its own."""
    kind, row = pick(random, list(EXTENSIONS)), int(random.integers(COUNT))
    of_numbers = kind[0] in "IUFbS"
    public = pick(random, PUBLIC + NUMBERS if of_numbers else TEXTS_ONLY)
    values = EXTENSIONS[kind]
    usual = TEXTS if kind == "object" else values if random.integers(3) == 0 else [value for value in values if value is not None]
    columns = [several(random, usual) for _ in range(2)]
    others = [replaced(column, row, pick(random, values)) for column in columns]

    def make(columns):
        if kind == "Sparse":  # what is left out, and the type, are found in the values
            return pandas.DataFrame({str(j): pandas.arrays.SparseArray(column) for j, column in enumerate(columns)})
        return pandas.DataFrame({str(j): pandas.Series(column).astype(kind) for j, column in enumerate(columns)})

    return of_tables(f"frame of {kind}", public, make, (columns, others), row)


def streams(random):
    """An Arrow stream: columns of one type, texts as such or by a dictionary, in chunks."""
    form, row = pick(random, list(ARROW)), int(random.integers(COUNT))
    of_numbers = form in "clLfgb"
    public = pick(random, PUBLIC + NUMBERS if of_numbers else TEXTS_ONLY)
    values, how = ARROW[form], {"chunk": pick(random, [1, 3, COUNT]), "before": pick(random, [0, 5])}
    usual = values if random.integers(3) == 0 else values[:3]
    columns = [several(random, usual) for _ in range(2)]
    others = [replaced(column, row, pick(random, values)) for column in columns]

    def make(columns):
        return Table([(str(j), form, column) for j, column in enumerate(columns)], **how)

    return of_tables(f"stream of {form}: {columns} or {others}", public, make, (columns, others), row)


def missing_rows(random):
    """An Arrow stream with a row that is missing as such, and the same with that row there."""
    form, row = pick(random, list(ARROW)), int(random.integers(COUNT))
    public = pick(random, [PUBLIC[0], *NUMBERS[:2]] if form in "clLfgb" else TEXTS_ONLY[:1])
    columns, how = [several(random, ARROW[form][:3]) for _ in range(2)], {"chunk": pick(random, [1, 3, COUNT]), "before": pick(random, [0, 5])}

    def make(gone):
        return Table([(str(j), form, column) for j, column in enumerate(columns)], gone=gone, **how)

    return of_tables(f"stream of {form} with a missing row: {columns}", public, make, ((), {row}), row)


def sparse(random):
    """A sparse matrix of one format, with zeros that are stored and entries that are there twice."""
    name, kind, row = pick(random, list(SPARSE)), pick(random, ["i1", "i4", "i8", "f4", "f8", "?"]), int(random.integers(COUNT))
    public = pick(random, NUMBERS[1:])
    pool = [0, 0, 1, 1, 3, 100]
    table = np.array([[pick(random, pool) for _ in range(3)] for _ in range(COUNT)]).astype(kind)
    other = table.copy()
    other[row] = np.array([pick(random, [*pool, np.nan, np.inf] if "f" in kind else pool) for _ in range(3)]).astype(kind)

    def make(array):
        if not name.startswith("coo"):
            return SPARSE[name](array)
        places = np.concatenate([np.indices(array.shape).reshape(2, -1)] * 2, axis=1)  # every entry twice
        return SPARSE[name]((np.tile(array.ravel(), 2), tuple(places)), shape=array.shape)

    return of_tables(f"{name} of {kind}", public, make, (table, other), row)


def several_times(random):
    """A sparse matrix with entries that are there many times, in the order of their columns but for one row."""
    name, row, each = pick(random, ["csr", "coo", "csc", "bsr"]), int(random.integers(COUNT)), 40
    kind = pick(random, ["f8", "f4", "i1"])
    values = random.normal(size=(COUNT, each)) * 10.0 ** random.integers(-8, 8, size=(COUNT, each))
    values = random.integers(-128, 128, size=(COUNT, each)).astype(kind) if kind == "i1" else values.astype(kind)
    columns = np.sort(random.integers(3, size=(COUNT, each)), axis=1)
    mixed = columns.copy()
    mixed[row] = random.permutation(columns[row])

    def make(places):
        rows = np.repeat(np.arange(COUNT), each)
        if name == "coo":
            return scipy.sparse.coo_matrix((values.ravel(), (rows, places.ravel())), shape=(COUNT, 3))
        ends = each * np.arange(COUNT + 1)
        if name == "bsr":
            return scipy.sparse.bsr_matrix((values.reshape(-1, 1, 1), places.ravel(), ends), shape=(COUNT, 3))
        if name == "csr":
            return scipy.sparse.csr_matrix((values.ravel(), places.ravel(), ends), shape=(COUNT, 3))
        order = np.argsort(places.ravel(), kind="stable")
        ends = np.concatenate([[0], np.cumsum(np.bincount(places.ravel(), minlength=3))])
        return scipy.sparse.csc_matrix((values.ravel()[order], rows[order], ends), shape=(COUNT, 3))

    return of_tables(f"{name} of {kind} with entries {each} times", pick(random, NUMBERS[1:]), make, (columns, mixed), row)


X = np.random.default_rng(0).uniform(size=(COUNT, 2))
ONES = [1, 1.0, True, "1", "1 ", b"1", 0.0, np.float32(1), np.int8(0), Decimal("1.00"), 1 + 0j]


def labels(random):
    """One label of another kind, where the classes are stated."""
    way, row = pick(random, list(LINES)), int(random.integers(COUNT))
    stated = pick(random, [[0, 1], ["0", "1"], [False, True], [0.0, 1.0], ["a", "b"], [2**60 + 1, 5], ["no", 1]])
    values = several(random, stated)
    value = pick(random, pick(random, [STRANGE, [*stated, *ONES]]))
    make = LINES["objects" if lost(way, values) else way]
    name = f"labels {values} as {way} with {type(value).__name__}"
    return of_labels(name, lambda: classifier({"bounds": 2.0, "classes": stated}), make, values, value, row)


def schema_labels(random):
    """The same where a schema states them."""
    way, row = pick(random, list(LINES)), int(random.integers(COUNT))
    stated = pick(random, [["0", "1"], ["a", "1"], ["0.5", "1.5"], ["01", "02"]])
    columns = {str(j): {"type": "numeric", "min": 0, "max": 1} for j in range(2)}
    schema = {"columns": columns, "target": {"column": "y", "classes": stated}}
    values = several(random, pick(random, [stated, [float(name) for name in stated if name != "a"]]))
    value = pick(random, pick(random, [STRANGE, [*stated, *ONES]]))
    name = f"schema's labels {values} as {way} with {type(value).__name__}"
    return of_labels(name, lambda: classifier({"schema": schema}), LINES[way], values, value, row)


def numbers(random):
    """One label of a regression."""
    way, row = pick(random, list(LINES)), int(random.integers(COUNT))
    values = several(random, pick(random, [WHOLE, LARGE, FRACTIONS]))
    value = pick(random, STRANGE)
    name = f"numbers {values} as {way} with {type(value).__name__}"
    return of_labels(name, lambda: tacit.LinearRegression(bounds=2.0, target_bounds=(-5, 20)), LINES[way], values, value, row)


def ids(random):
    """One id of another kind or size."""
    way, row = pick(random, list(LINES)), int(random.integers(COUNT))
    near = [[base + k for k in range(4)] for base in (0, 2**53, 2**62, 2**63 - 2, 2**63, 10**20, -(2**60))]
    values = several(random, pick(random, [*near, TEXTS, FRACTIONS, DAYS, DATES, ZONED, ["p1", " p1", "p2"], [b"p", "p", "q"]]))
    value = pick(random, [*STRANGE, 5, 5.0, 2**63 + 1])
    way = "objects" if lost(way, values) else way
    both = tuple((X, LABELS, built(LINES[way], whose)) for whose in (values, replaced(values, row, value)))
    name = f"ids {values} as {way} with {type(value).__name__}"
    return Pair(name, lambda: by_users({"bounds": 2.0, "classes": [0, 1]}), both, row)


def masked_ids(random):
    """Ids in a masked array, which one fraction or a complex number brings to its own type."""
    row, base = int(random.integers(COUNT)), pick(random, [0, 2**53, 2**60])
    whose = several(random, [base + k for k in range(4)])
    others = replaced(whose, row, pick(random, [5, 0.5, 1 + 0j, base, np.float32(0.5)]))
    hidden = random.integers(20, size=COUNT) == 0
    both = tuple((X, LABELS, np.ma.masked_array(ids, hidden)) for ids in (whose, others))
    return Pair(f"masked ids {whose}", lambda: by_users({"bounds": 2.0, "classes": [0, 1]}), both, row)


def user_column(random):
    """Ids in the column of a frame that the schema names."""
    way, row = pick(random, ["frame", "frame of objects", "converted frame"]), int(random.integers(COUNT))
    near = [[base + k for k in range(4)] for base in (0, 2**53, 2**62, 2**63 - 2, 2**63)]
    whose = several(random, pick(random, [*near, TEXTS]))
    way = "frame" if lost(way, whose) else way
    schema = {"columns": {"0": {"type": "numeric", "min": 0, "max": 1}}, "user": {"column": "1"}}
    schema["target"] = {"column": "y", "classes": ["0", "1"]}
    others = replaced(whose, row, pick(random, [*STRANGE, 5, 2**63 + 1]))
    both = tuple((built(TABLES[way], [X[:, 0].tolist(), ids]), LABELS, None) for ids in (whose, others))
    return Pair(f"user column {whose} as {way}", lambda: by_users({"schema": schema}), both, row)


GENERATORS = [
    cells, zones, whole_rows, plain_cells, arrays, frames, streams, missing_rows, sparse, several_times, labels, schema_labels, numbers, ids,
    masked_ids, user_column,
]  # fmt: skip


def pairs(count, seed):
    """That many pairs, of every kind in turn; of those that NumPy and pandas can make."""
    random = np.random.default_rng(seed)
    made = 0
    while made < count:
        found = GENERATORS[made % len(GENERATORS)](random)
        if all(data[0] is not None and data[1] is not None for data in found.data):
            made += 1
            yield found
