"""From arrays, sparse matrices and data frames to the records that the compiled half reads."""

from __future__ import annotations

import contextlib
import json
import numbers
import operator
import os
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse
import sklearn.utils.validation as validation

from . import _core
from ._values import as_given, is_blank, is_missing, require_utf8, stripped
from .errors import CellTypeError, DataError, UsageError


def read_schema(schema: Any, bounds: Any, X: Any) -> _core.Schema | None:
    """The schema that was given as a file's name or a dict, or the one that bounds of each column are."""
    if schema is not None and bounds is not None:
        raise UsageError("give a schema or bounds, not both")
    if isinstance(schema, (str, os.PathLike)):
        return _core.load_schema(os.fspath(schema))
    if schema is not None:
        return _core.Schema(as_json("schema", schema), "schema")
    if bounds is None or isinstance(bounds, numbers.Real):
        return None
    return _core.Schema(json.dumps({"columns": _bounded_columns(bounds, column_names(X))}), "bounds")


def as_json(name: str, value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} cannot be written as JSON: {error}") from None


def number(name: str, value: Any) -> float | None:
    """What was given as a parameter, where None stands for nothing."""
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f'{name} is "{value}", expected a number') from None


def required_number(name: str, value: Any) -> float:
    """The same where None will not do."""
    found = number(name, value)
    if found is None:
        raise UsageError(f"{name} is None, expected a number")
    return found


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}, expected a text")
    return value


def file_name(name: str, value: Any) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}, expected the name of a file") from None


def options(value: Any) -> dict[str, Any]:
    """A method's options, None for none."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"options is {value!r}, expected a dict")
    return dict(value or {})


def whole_number(name: str, value: Any) -> int:
    """A count: 1000, or 1e3."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        whole = operator.index(value)
    except TypeError:
        raise UsageError(f'{name} is "{value}", expected a whole number') from None
    if abs(whole) >= 2**63:
        raise UsageError(f"{name} is {whole}, expected a whole number below 2^63")
    return whole


def row_bound(bounds: Any) -> float | None:
    """A single number bounds the 2-norm of every row."""
    return float(bounds) if isinstance(bounds, numbers.Real) else None


def _bounded_columns(bounds: Any, names: list[str]) -> dict[str, Any]:
    if isinstance(bounds, (str, Mapping, Set)) or not hasattr(bounds, "__len__") or len(bounds) != 2:
        raise UsageError(
            "bounds are a number (of every row's 2-norm) or a pair (lower, upper), each a number or one per column"
        )
    try:
        lower, upper = (np.asarray(end, dtype=float) for end in bounds)
    except (TypeError, ValueError):
        raise UsageError("bounds are not all numbers") from None
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise UsageError("bounds are not all finite")
    try:
        lower, upper = (np.broadcast_to(end, (len(names),)) for end in (lower, upper))
    except ValueError:
        raise UsageError(f"bounds have other lengths than the {len(names)} columns") from None
    return {
        name: {"type": "numeric", "min": low, "max": high}
        for name, low, high in zip(names, lower.tolist(), upper.tolist())
    }


def column_names(X: Any) -> list[str]:
    """The columns of a data frame, else "0", "1", … as in a file without a header."""
    if hasattr(X, "columns"):
        names = [require_utf8("the column name", str(name)) for name in X.columns]
        if twice := [name for name in names if names.count(name) > 1]:
            raise DataError(f'the column name "{twice[0]}" appears twice')
        return names
    try:
        return [str(j) for j in range(validation._num_features(X))]
    except TypeError:
        raise DataError("Expected 2D array, records by columns, got a 0D or 1D array instead") from None


def plain_records(X: Any, names: list[str]) -> _core.Records:
    """Numbers as they stand. A contiguous float64 array is looked at, not copied."""
    if scipy.sparse.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        records = _core.Records.sparse(X.shape[0], X.shape[1], X.indptr, X.indices, X.data)
    else:
        records = _core.Records.dense(X if X.flags.aligned else X.copy())
    records.set_names([require_utf8("the column name", name) for name in names])
    return records


def encoded_records(X: Any, schema: _core.Schema, names: list[str]) -> _core.Records:
    """A table as the schema says: every record by its own cells alone.

    names: of the columns when the model was fitted; a table with other names, or none, has them in that order.
    """
    if scipy.sparse.issparse(X):
        raise UsageError("a schema, or bounds by column, would make sparse data dense; give bounds as one number")
    own = column_names(X)
    if set(own) == set(names):
        names = own
    if hasattr(X, "columns"):
        columns = [X.iloc[:, j].to_numpy() for j in range(len(own))]
    else:
        with _as_data_errors():
            columns = list(validation.check_array(X, dtype=None, **_finite_or_not()).T)
    kinds = json.loads(schema.json)["columns"]
    numeric = [kinds.get(name, {}).get("type") == "numeric" for name in names]
    cells = [_cells(column, number) for column, number in zip(columns, numeric)]
    return _core.Records.table(list(zip(names, cells)), validation._num_samples(X), schema)


def split_users(X: Any, schema: _core.Schema | None) -> tuple[Any, Any]:
    """The table without the column in which the schema says whose each record is, and that column or None."""
    if schema is None or not schema.user or schema.user not in getattr(X, "columns", ()):
        return X, None
    return X.drop(columns=schema.user), X[schema.user].to_numpy()


def numbered_users(user_ids: Any) -> tuple[np.ndarray, int]:
    """A number from 0 on for every record's user, and how many users there are.

    Texts are the same user where a file's reader would say so: "p1" and " p1" are.
    """
    ids = stripped(as_given(user_ids))
    if ids.dtype.kind not in "biu":
        for row, value in enumerate(ids.ravel().tolist()):
            if is_missing(value) or is_blank(value):
                raise DataError(f"row {row}: the user id is empty")
    try:
        users, numbers = np.unique(ids, return_inverse=True)
    except TypeError:
        raise DataError("the user_ids are not all of one kind, as texts or numbers are") from None
    return numbers, len(users)


def target_name(X: Any, y: Any) -> str | None:
    """What the labels are called where they have a name, so that a file's column of that name is none of X."""
    name = getattr(y, "name", None)
    if hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    return name if isinstance(name, str) and name not in getattr(X, "columns", ()) else None


def _cells(column: np.ndarray, numeric: bool) -> Any:
    """Numbers where they lie if whole steps of 8 bytes lead from one to the next, or texts."""
    if column.dtype.kind in "fiu" or (numeric and column.dtype.kind == "b"):
        column = column.astype(np.float64, copy=False)
        return column if column.flags.aligned and column.strides[0] % column.itemsize == 0 else column.copy()
    return [_cell(value, row, numeric) for row, value in enumerate(column.tolist())]


def _cell(value: Any, row: int, numeric: bool) -> str:
    if is_missing(value):
        return ""
    if numeric and isinstance(value, bool):
        return str(int(value))
    return require_utf8(f"row {row}: the cell", str(value))


def _finite_or_not() -> dict[str, bool]:
    """Values that are not finite are found, with their place, by the compiled half."""
    try:
        from sklearn.utils.validation import validate_data  # noqa: F401

        return {"ensure_all_finite": False}  # scikit-learn 1.6 renamed it
    except ImportError:
        return {"force_all_finite": False}


@contextlib.contextmanager
def _as_data_errors() -> Iterator[None]:
    """What scikit-learn's checks refuse by its type is refused as bad data as well."""
    try:
        yield
    except TypeError as error:
        raise CellTypeError(str(error)) from None


def checked_numbers(estimator: Any, X: Any, reset: bool) -> Any:
    """X as float64 rows, dense or CSR, with scikit-learn's checks of shape, names and number of features."""
    how: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", **_finite_or_not()}
    with _as_data_errors():
        if hasattr(validation, "validate_data"):
            return validation.validate_data(estimator, X, reset=reset, **how)
        return estimator._validate_data(X, reset=reset, **how)


def checked_table(estimator: Any, X: Any, reset: bool) -> None:
    """The same checks of a table whose cells need not be numbers."""
    if hasattr(validation, "validate_data"):
        validation.validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
