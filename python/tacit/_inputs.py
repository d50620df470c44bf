"""Parameters as they are given: checked, and in the form that the compiled half takes."""

from __future__ import annotations

import json
import numbers
import operator
import os
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from . import _core
from ._tables import column_names
from .errors import UsageError


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


def schema_text(schema: Any) -> str | None:
    """The text of the schema that was given, with the certificate that one has which was found privately."""
    if schema is None:
        return None
    if isinstance(schema, (str, os.PathLike)):
        with open(schema, encoding="utf-8") as file:
            return file.read()
    return as_json("schema", schema)


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
