"""Faults that were once here, each put back under the name of what replaced it: neutrality must find every one.

A name that is gone makes `put_back` fail: then the mutant has to follow the code that took over its work.
"""

import contextlib

import numpy as np
from neutrality import patched

from tacit import _arrow, _kinds, _labels, _tables, _users, _values


def brought_to_one_type(what, values):
    """All ids or labels as one NumPy array: whole numbers beyond 2^53 become floats beside a small one."""
    return values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)


def taken_as_they_are(what, values):
    """Floats that cannot tell ids apart are not refused."""


def cells_of_their_container(column, name, kind, truths=None):
    """Numbers are numbers in a column of numbers, and Python's texts of them beside a text."""
    if column.dtype.kind in "fiu" or (kind == "numeric" and column.dtype.kind == "b"):
        return column.astype(np.float64)
    return ["" if _values.is_missing(value) else _values.require_utf8("the cell", str(value)) for value in column.tolist()]


def table_of_one_type(X):
    """A list of rows as NumPy makes an array of it."""
    return np.asarray(X) if isinstance(X, (list, tuple)) else X


def objects_beside_a_gap(values, valid):
    """A missing row makes objects of its chunk: dates in nanoseconds become whole numbers."""
    if valid is None:
        return values
    objects = values.astype(object)
    objects[~valid] = None
    return objects


def unmasked_as_objects(values):
    """Masked floats become objects, and nobody sees that they were floats."""
    objects = np.empty(values.shape, dtype=object)
    for place, (value, gone) in enumerate(zip(_values.elements(values.data), np.ma.getmaskarray(values).ravel())):
        objects.flat[place] = None if gone else value
    return objects


def summed_by_scipy(X):
    """SciPy adds up entries that are there several times, in an order that one row decides for all."""
    X = X.tocsr().copy()
    X.sum_duplicates()
    return X


def summed_in_its_own_type(real):
    """SciPy adds them up before they are float64, and in the caller's matrix."""

    def each_entry_once(X):
        return real(X.astype(np.float64) if X.dtype.kind in "biuf" and X.dtype != np.float64 else X)

    return each_entry_once


def classes_of_the_labels_type(real):
    """The stated classes take the type that the labels happen to have."""

    def among(y, public):
        found = real(y, public)
        kind = np.asarray(y.tolist()).dtype
        numbers = kind.kind in "iuf" and found.classes.dtype.kind in "iuf"
        return found._replace(classes=found.classes.astype(kind)) if numbers else found

    return among


def labels_by_identity(real):
    """Labels are looked up as they are, so that objects of two types are not found."""

    def among(y, public):
        if y.dtype == object and len({type(label) for label in y.tolist()}) > 1:
            raise _labels.DataError(f'row 0: "{y[0]}" is not a class')
        return real(y, public)

    return among


def told_in_their_zone(value):
    """A time keeps the offset in which it comes: that of another row where pandas took a date for a time of that zone."""
    text = value.isoformat().replace("T", " ")
    return text.removesuffix(" 00:00:00")


MUTANTS = {
    "ids of one type": [(_users, "in_line", brought_to_one_type), (_users, "require_exact", taken_as_they_are)],
    "ids among floats": [(_users, "require_exact", taken_as_they_are)],
    "cells by their container": [(_tables, "_cells", cells_of_their_container)],
    "tables of one type": [(_tables, "as_table", table_of_one_type)],
    "classes of the labels' type": [(_labels, "among", classes_of_the_labels_type(_labels.among))],
    "only lists are lists": [(_tables, "_is_listed", lambda X: isinstance(X, (list, tuple)))],
    "labels by identity": [(_labels, "among", labels_by_identity(_labels.among))],
    "objects beside a missing row": [(_arrow, "with_missing", objects_beside_a_gap)],
    "masked floats as objects": [(_values, "unmasked", unmasked_as_objects)],
    "entries added up by SciPy": [(_tables, "_each_entry_once", summed_by_scipy)],
    "entries added up in their own type": [(_tables, "_each_entry_once", summed_in_its_own_type(_tables._each_entry_once))],
    "times in another row's zone": [(_values, "moment_text", told_in_their_zone)],
    "dates in their container's unit": [(_tables, "_require_real", lambda X: None), (_tables, "elements", np.ndarray.tolist)],
}


@contextlib.contextmanager
def put_back(name):
    with contextlib.ExitStack() as stack:
        for owner, attribute, fault in MUTANTS[name]:
            stack.enter_context(patched(owner, attribute, fault))
        yield


assert _kinds._labels is _labels  # the estimators look `among` up where it is replaced
