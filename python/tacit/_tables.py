"""From arrays, sparse matrices and data frames to the records that the compiled half reads."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
import scipy.sparse
import sklearn.utils.validation as validation

from . import _core
from ._arrow import Frame
from ._values import Unreadable, as_text, cell, elements, is_date, require_utf8, shown, unmasked
from .errors import CellTypeError, DataError, UsageError


_NO_TABLE = (
    "Expected 2D array, records by columns, got a 0D or 1D array instead. Reshape your data: X.reshape(-1, 1) for "
    "one feature, X.reshape(1, -1) for one record"
)
_AS_PYTHON = {False: "False", True: "True"}
_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "columns", "iloc")  # what has a type of its own


def as_table(X: Any) -> Any:
    """X with every cell as it was given: NumPy would bring a list's cells to one type, and forget what is masked."""
    if isinstance(X, np.ma.MaskedArray):
        return unmasked(X)
    if not _is_listed(X):
        return X
    X = list(X)
    if not any(_is_row(row) for row in X):
        return X  # no table, as is said elsewhere
    if not all(_is_row(row) for row in X):
        raise DataError("the rows of X are not all lists of cells")
    rows = [list(row) for row in X]
    if len({len(row) for row in rows}) > 1:
        raise DataError("the rows of X do not all have the same number of cells")
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            table[i, j] = value
    return table


def whole_table(X: Any) -> Any:
    """The same, and a list that is no table is refused: where that is not told by the type, it is told by what rows hold,
    the first one's number of cells too."""
    X = as_table(X)
    if _is_listed(X):
        raise DataError(_NO_TABLE)
    return X


def _is_listed(X: Any) -> bool:
    """Lists, and whatever NumPy would read item by item."""
    if isinstance(X, (str, bytes, memoryview, Mapping)) or _is_scipy(X) or any(hasattr(X, name) for name in _ARRAYS):
        return False
    return isinstance(X, Sequence) or (hasattr(X, "__len__") and hasattr(X, "__getitem__"))


def _is_row(row: Any) -> bool:
    return isinstance(row, Iterable) and not isinstance(row, (str, bytes, Mapping, Set))


def column_names(X: Any) -> list[str]:
    """The columns of a data frame, else "0", "1", … as in a file without a header."""
    if hasattr(X, "columns"):
        if not hasattr(X, "iloc"):
            raise UsageError(f"X is of the type {type(X).__name__}, expected an array, a data frame of pandas or an Arrow stream")
        names = [require_utf8("the column name", str(name)) for name in X.columns]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise DataError(f'the column name "{twice[0]}" appears twice')
        return names
    try:
        return [str(j) for j in range(validation._num_features(X))]
    except (TypeError, LookupError):
        raise DataError(_NO_TABLE) from None


def count(X: Any) -> int:
    """How many records there are; scikit-learn's own words where X has no length."""
    with _as_data_errors():
        return int(validation._num_samples(X))


def _is_scipy(X: Any) -> bool:
    return bool(scipy.sparse.issparse(X))


def is_sparse(X: Any) -> bool:
    """SciPy's matrices, and frames all of whose columns are sparse."""
    if _is_scipy(X):
        return True
    dtypes = list(X.dtypes) if hasattr(X, "columns") and hasattr(X, "dtypes") else []
    return bool(dtypes) and all(hasattr(kind, "fill_value") for kind in dtypes)


def plain_records(X: Any, names: list[str]) -> _core.Records:
    """Numbers as they stand. A contiguous float64 array is looked at, not copied."""
    try:
        if _is_scipy(X):
            X = _each_entry_once(X)
            records = _core.Records.sparse(X.shape[0], X.shape[1], X.indptr, X.indices, X.data)
        else:
            records = _core.Records.dense(X if X.flags.aligned else X.copy())
    except DataError as error:
        place = re.match(r"row \d+, column (\d+):", str(error))
        if place is None or not names:
            raise
        where = place[0].replace(f"column {place[1]}", f'column "{names[int(place[1])]}"')
        raise DataError(where + str(error)[place.end() :]) from None
    records.set_names([require_utf8("the column name", name) for name in names])
    return records


def encoded_records(X: Any, schema: _core.Schema, names: list[str]) -> _core.Records:
    """A table as the schema says: every record by its own cells alone.

    names: of the columns when the model was fitted; a table with other names, or none, has them in that order.
    """
    return _core.Records.table(described_cells(X, schema, names), validation._num_samples(X), schema)


def described_cells(X: Any, schema: _core.Schema, names: list[str]) -> list[tuple[str, Any]]:
    """The cells of those records, column by column."""
    if _is_scipy(X):
        raise UsageError("a schema, or bounds by column, would make sparse data dense; give bounds as one number")
    own = column_names(X)
    if set(own) == set(names):
        names = own
    if hasattr(X, "columns"):
        columns = [X.iloc[:, j].to_numpy() for j in range(len(own))]
    else:
        if getattr(getattr(X, "dtype", None), "kind", "") == "c":
            _require_real(X)
        with _as_data_errors():
            columns = list(validation.check_array(X, dtype=None, estimator="X", **_finite_or_not()).T)
    kinds = _kinds(schema)
    return [(name, _described(column, name, kinds)) for name, column in zip(names, columns)]


def cells_by_name(X: Any, schema: _core.Schema) -> list[tuple[str, Any]]:
    """The same of a data frame whose columns go by their names: those that the schema uses must be there, others may."""
    own, kinds = column_names(X), _kinds(schema)
    used = [name for name, kind in kinds.items() if kind["type"] != "ignore"]
    if missing := [name for name in used if name not in own]:
        raise DataError(f'there is no column "{missing[0]}", which the model was fitted with')
    columns = [X.iloc[:, own.index(name)].to_numpy() if name in used else np.empty(count(X)) for name in kinds]
    return [(name, _described(column, name, kinds)) for name, column in zip(kinds, columns)]


def _kinds(schema: _core.Schema) -> dict[str, Any]:
    kinds: dict[str, Any] = json.loads(schema.json).get("columns", {})
    return kinds


def _described(column: np.ndarray, name: str, kinds: dict[str, Any]) -> Any:
    kind = kinds.get(name, {"type": "ignore"})
    return _cells(column, name, kind["type"], _truth_texts(kind.get("categories", [])))


def _truth_texts(categories: list[str]) -> dict[bool, str]:
    """What truth values are in a column: the one category that is their text in any letter case, by the schema alone; else
    their text as Python writes it."""
    texts = {}
    for value in (False, True):
        same = [text for text in categories if text.lower() == str(value).lower()]
        texts[value] = same[0] if len(same) == 1 else str(value)
    return texts


def count_in_group(X: Any, schema: _core.Schema, group: str) -> int:
    """How many records have the group's category, by the cell of its column alone; all, where it is no group, as is said elsewhere."""
    names = column_names(X)
    column, _, value = group.partition("=")
    about = json.loads(schema.json)
    kind = about.get("columns", {}).get(column, {})
    if column not in names or value not in kind.get("categories", ()) or _is_scipy(X):
        return count(X)
    place = names.index(column)
    only = X.iloc[:, [place]] if hasattr(X, "columns") else np.asarray(X)[:, [place]]
    more = {"unreadable": about["unreadable"]} if "unreadable" in about else {}
    alone = _core.Schema(json.dumps({"columns": {column: kind}, **more}), "schema")
    return encoded_records(only, alone, [column]).count_in_group(group)


def raw_columns(X: Any, names: list[str]) -> list[tuple[str, Any]]:
    """The cells of a table of which nothing is known but the names: each by its own value alone."""
    if _is_scipy(X):
        raise UsageError("a schema would make sparse data dense")
    if hasattr(X, "columns"):
        columns = [X.iloc[:, j].to_numpy() for j in range(len(names))]
    else:
        if getattr(getattr(X, "dtype", None), "kind", "") == "c":
            _require_real(X)
        with _as_data_errors():
            columns = list(validation.check_array(X, dtype=None, estimator="X", **_finite_or_not()).T)
    return [(name, _cells(column, name, "raw")) for name, column in zip(names, columns)]


def _cells(column: np.ndarray, name: str, kind: str, truths: Mapping[bool, str] = _AS_PYTHON) -> Any:
    """Numbers where they lie if whole steps of 8 bytes lead from one to the next, or each number and text by itself."""
    if kind == "ignore":
        return np.broadcast_to(0.0, len(column))
    if column.dtype.kind in "fiu" or (kind == "numeric" and column.dtype.kind == "b"):
        with np.errstate(over="ignore"):
            column = column.astype(np.float64, copy=False)
        return column if column.flags.aligned and column.strides[0] % column.itemsize == 0 else column.copy()
    if column.dtype.kind in "mV":  # by its type alone: one value may have brought all others to it
        raise DataError(f'column "{name}" is of the type {column.dtype}, expected numbers, texts or dates')
    return [_cell(value, row, name, kind, truths) for row, value in enumerate(elements(column))]


def _cell(value: Any, row: int, name: str, kind: str, truths: Mapping[bool, str]) -> float | str:
    if isinstance(value, (bool, np.bool_)):
        return float(value) if kind == "numeric" else truths[bool(value)]
    try:
        return cell(value)
    except Unreadable as why:
        raise DataError(f'row {row}, column "{name}": {why}') from None


def _finite_or_not() -> dict[str, bool]:
    """Values that are not finite are found, with their place, by the compiled half."""
    try:
        from sklearn.utils.validation import validate_data  # noqa: F401

        return {"ensure_all_finite": False}  # scikit-learn 1.6 renamed it
    except ImportError:
        return {"force_all_finite": False}


@contextlib.contextmanager
def _as_data_errors() -> Iterator[None]:
    """What scikit-learn's checks refuse is refused as bad data as well, in one line that shows no more than one value."""
    try:
        yield
    except TypeError as error:
        raise CellTypeError(_one_line(error)) from None
    except OverflowError as error:
        raise DataError(f"X has a number that float64 cannot hold: {error}") from None
    except ValueError as error:
        raise DataError(_one_line(error)) from None


def _one_line(error: Exception) -> str:
    text = str(error)
    # Names of columns stand in lines of their own, and are public; values may.
    line = text.replace("\n- ", " ").replace("\n", " ").strip() if text.startswith("The feature names") else text.partition("\n")[0]
    return line if len(line) <= 300 else line[:300] + "…"


def checked_numbers(estimator: Any, X: Any, reset: bool) -> Any:
    """X as float64 rows, dense or CSR, with scikit-learn's checks of shape, names and number of features."""
    how: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", **_finite_or_not()}
    X = as_table(X)
    if not hasattr(X, "columns"):
        column_names(X)
    _require_real(X)
    X = _by_cells(_sparse_by_zeros(X))
    with _as_data_errors(), np.errstate(over="ignore"):
        if hasattr(validation, "validate_data"):
            return validation.validate_data(estimator, X, reset=reset, **how)
        return estimator._validate_data(X, reset=reset, **how)


def _by_cells(X: Any) -> Any:
    """What is not of numeric types alone as floats, each cell read by itself: NumPy would read texts and dates as numbers."""
    if is_sparse(X):
        return X
    if hasattr(X, "columns"):
        if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in X.dtypes):
            return X
        import pandas

        return pandas.DataFrame(numbers_of(X), index=X.index).set_axis(X.columns, axis=1)
    with _as_data_errors():
        table = np.asarray(X)
    return X if table.ndim != 2 or table.dtype.kind in "biufc" else numbers_of(table)


def numbers_of(X: Any) -> np.ndarray:
    """float64 rows, NaN where a value is missing, of a table whose columns have types of their own, or of an array."""
    _require_real(X)
    named = hasattr(X, "columns")
    rows = np.empty(X.shape, dtype=np.float64)
    for j in range(X.shape[1]):
        rows[:, j] = _numbers(_plain_array(X.iloc[:, j]) if named else X[:, j], X.columns[j] if named else j)
    return rows


def _plain_array(column: Any) -> np.ndarray:
    """pandas' own columns of numbers become objects one by one; their type says that all are numbers, or missing."""
    kind = getattr(column, "dtype", None)
    if getattr(kind, "kind", "") in "biuf" and hasattr(kind, "numpy_dtype"):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column.to_numpy())


def _numbers(column: np.ndarray, name: Any) -> np.ndarray:
    if column.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            return column.astype(np.float64, copy=False)
    return np.asarray([_plain_number(value, row, name) for row, value in enumerate(elements(column))], dtype=np.float64)


def _plain_number(value: Any, row: int, name: Any) -> float:
    """A cell where no schema is, read as with one; but a text is no number there, and may be a code."""
    if type(value) is float:
        return value
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    place = f'row {row}, column "{name}"'
    try:
        read = as_text(value) if isinstance(value, (str, bytes, bytearray)) else cell(value)
    except Unreadable as why:
        if isinstance(value, (str, bytes, bytearray)):
            raise DataError(f"{place}: {why}") from None
        kind = type(value).__name__
        raise CellTypeError(f"{place}: float() argument must be a string or a real number, not '{kind}'") from None
    if isinstance(read, float):
        return read
    if is_date(value):
        raise CellTypeError(f"{place}: {shown(read)} is a date, expected a number; dates need a schema")
    raise DataError(
        f"{place}: {shown(read)} is not a number; text needs schema=, or records enough to find one (range_share=)"
    )


def _require_real(X: Any) -> None:
    """Dates would be counted in their container's unit, and complex numbers be shown with all the others."""
    named = hasattr(X, "columns")
    types = list(X.dtypes) if named else [getattr(X, "dtype", None)]
    for place, kind in enumerate(types):
        what = f'column "{X.columns[place]}" of X' if named else "X"
        if getattr(kind, "kind", "") == "c":
            raise DataError(f"Complex data not supported: {what} has values of the type {kind}, expected real numbers")
        if getattr(kind, "kind", "") in ("m", "M"):
            raise CellTypeError(f"{what} has values of the type {kind}, expected real numbers; dates need a schema")


def _sparse_by_zeros(X: Any) -> Any:
    """Sparse data as float64 that leaves out zeros: pandas chooses what to leave out by the values."""
    if _is_scipy(X):
        return _each_entry_once(X)
    if not (hasattr(X, "iloc") and hasattr(X, "columns") and len(X.columns) and is_sparse(X)):
        return X
    import pandas

    columns = [_numbers(X.iloc[:, j].to_numpy(), name) for j, name in enumerate(X.columns)]
    sparse = {j: pandas.arrays.SparseArray(column, fill_value=0.0) for j, column in enumerate(columns)}
    return pandas.DataFrame(sparse, index=X.index).set_axis(X.columns, axis=1)


def _each_entry_once(X: Any) -> Any:
    """As CSR of float64. Entries that are there several times are added up as such, in the order in which they are stored:
    SciPy would do it in their old type and in the caller's own matrix, and sort the entries of all rows where those of one
    are not sorted, which rounds the others' sums in another order."""
    if X.format not in ("csr", "csc", "coo", "bsr"):
        X = X.tocsr()
    if X.format in ("csr", "csc") and X.has_canonical_format and X.dtype == np.float64:
        return X.tocsr()
    stored = X.tocoo()
    values = _entries(stored)
    order = np.lexsort((stored.col, stored.row))  # keeps the order of equals
    row, column, values = stored.row[order], stored.col[order], values[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    sums = values[first]
    with np.errstate(over="ignore", invalid="ignore"):  # found, with its place, by the compiled half
        np.add.at(sums, (np.cumsum(first) - 1)[~first], values[~first])
    ends = np.concatenate([[0], np.cumsum(np.bincount(row[first], minlength=X.shape[0]))])
    return scipy.sparse.csr_matrix((sums, column[first], ends), shape=X.shape)


def _entries(stored: Any) -> np.ndarray:
    """The values of a matrix in the form COO as float64, each by itself."""
    if stored.dtype.kind in "biuf":
        return _numbers(stored.data, "")
    cells = zip(elements(stored.data), stored.row.tolist(), stored.col.tolist())
    return np.asarray([_plain_number(*where) for where in cells], dtype=np.float64)


def checked_table(estimator: Any, X: Any, reset: bool) -> None:
    """The same checks of a table whose cells need not be numbers."""
    with _as_data_errors():
        if hasattr(validation, "validate_data"):
            validation.validate_data(estimator, X, reset=reset, skip_check_array=True)
        else:
            estimator._check_feature_names(X, reset=reset)
            estimator._check_n_features(X, reset=reset)
