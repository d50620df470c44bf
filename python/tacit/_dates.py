"""Dates as texts of one form, whatever unit they are counted in and whatever zone they are told in."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np

_DATE = re.compile(r"([^T]*)(?:T(\d\d:\d\d:\d\d)(?:\.(\d*))?)?")


def elements(array: np.ndarray) -> list[Any]:
    """The values, each of its own type; dates as texts, since NumPy would count some of them in their unit."""
    if array.dtype.kind == "M":
        return [None if text == "NaT" else date_text(text) for text in iso(array.ravel()).tolist()]
    return list(array.ravel()) if array.dtype.kind in "mV" else array.ravel().tolist()


def iso(dates: np.ndarray) -> np.ndarray:
    """As texts with a day, and with seconds or finer if with a time at all."""
    unit = np.datetime_data(dates.dtype)[0]
    return np.datetime_as_string(dates.astype("M8[D]" if unit in "YMWD" else "M8[s]" if unit in "hm" else dates.dtype))


def date_text(written: str) -> str:
    """In one form, whatever the unit: 2024-05-06 at midnight, else 2024-05-06 07:08:09.25."""
    parts = _DATE.fullmatch(written)
    assert parts is not None, "the pattern takes every text without an offset"
    day, time, fraction = parts.groups()
    fraction = (fraction or "").rstrip("0")
    if time in (None, "00:00:00") and not fraction:
        return day
    return f"{day} {time}{'.' if fraction else ''}{fraction}"


def moment_text(value: datetime.date) -> str:
    """The same of Python's and pandas' own, in UTC, which one without a zone is in already: pandas takes it so beside one with
    a zone, and tells it in that zone. So a value has one text, whichever zones other rows have."""
    offset = value.utcoffset() if isinstance(value, datetime.datetime) else None
    if offset is None:
        return date_text(value.isoformat())
    if hasattr(value, "to_datetime64"):  # to the nanosecond
        return date_text(str(value.to_datetime64()))
    return date_text(str(np.datetime64(value.replace(tzinfo=None), "us") - np.timedelta64(offset, "us")))
