"""Whose record each one is."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._tables import column_names
from ._values import Unreadable, exact_text, in_line, numbered, require_exact
from .errors import DataError


def split_users(X: Any, schema: _core.Schema | None) -> tuple[Any, Any]:
    """The table without the column in which the schema says whose each record is, and that column or None."""
    if schema is None or not schema.user or not hasattr(X, "columns"):
        return X, None
    names = column_names(X)
    if schema.user not in names:
        return X, None
    place = names.index(schema.user)
    return X.iloc[:, [j for j in range(len(names)) if j != place]], X.iloc[:, place]


def numbered_users(user_ids: Any) -> tuple[np.ndarray, int]:
    """A number from 0 on for every record's user, and how many users there are.

    Ids are the same user where they would be in a file: 5, 5.0, "5" and " 5" are.
    """
    numbers, users = _numbered(user_ids)
    return numbers, len(users)


def names_of_users(user_ids: Any) -> list[str]:
    """The ids, in the order of those numbers."""
    return _numbered(user_ids)[1]


def _numbered(user_ids: Any) -> tuple[np.ndarray, list[str]]:
    ids = in_line("user_ids", user_ids)
    if ids.ndim == 2 and ids.shape[1] == 1:
        ids = ids.ravel()
    if ids.ndim != 1:
        raise DataError(f"user_ids has the shape {ids.shape}, expected one id for each record")
    require_exact("user_ids", ids)
    return numbered(ids, _id)


def _id(value: Any) -> str:
    text = exact_text(value)
    if not text:
        raise Unreadable("the user id is empty")
    return text
