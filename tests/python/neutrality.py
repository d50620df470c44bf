"""Pairs of inputs that differ in one record, for every way in; and what else differs between what is made of them.

Everything but that record's own row must be the same: the other encoded rows, labels and users, the names, the classes
and their type, the certificate outside what was released. An error may come of the one record, but names no other.
"""

import contextlib
import json
import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from neutral_inputs import COUNT, NO_TEXT

import tacit
from tacit import _arrow, _core, _tables


class Pair(NamedTuple):
    name: str
    estimator: Any
    data: tuple  # (X, y, user_ids) of one, and of the other
    row: int  # in which they differ


class Seen(NamedTuple):
    """What became of one of a pair."""

    rows: Any = None
    labels: Any = None
    users: Any = None
    public: Any = None
    error: str | None = None


class Stop(Exception):
    """Instead of a fit: what was read is what is looked at."""


def seen(estimator, data, fits):
    """The records as they come to the fit, and what the fit says beside what it releases."""
    found = {}

    def spy(records, settings, assumptions, tell):
        wide = len(records.names) or estimator.n_features_in_
        found["rows"] = records.scores(np.eye(wide), np.zeros(wide))
        found["labels"], found["users"] = np.array(records.labels), np.array(records.users)
        found["public"] = [records.names, records.classes, records.rows, repr(settings), list(assumptions)]
        if fits:
            return real(records, settings, assumptions, tell)
        raise Stop

    real = _core.fit
    X, y, user_ids = data
    try:
        with patched(_core, "fit", spy), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            context = tacit._base.calling_context(estimator)
            X = _tables.whole_table(_arrow.as_frame(X))
            given = tacit._base.Given(X, y, user_ids, None)
            estimator._fit_once(given, context, unit_limits=needs_limits(estimator))
    except Stop:
        pass
    except tacit.Error as error:
        return Seen(error=f"{type(error).__name__}: {error}")
    except (ValueError, TypeError) as error:  # scikit-learn's words
        return Seen(error=f"{type(error).__name__}: {error}")
    except RuntimeError as error:
        if str(error) != NO_TEXT:
            raise
        return Seen(error=NO_TEXT)
    public = [*found.pop("public"), *classes_of(estimator)]
    if fits:
        public.append(certified(estimator.certificate_))
    return Seen(public=public, **found)


def needs_limits(estimator):
    return estimator.schema is None and estimator.bounds is None and estimator.unit == "item"


def classes_of(estimator):
    if not hasattr(estimator, "classes_"):
        return []
    return [estimator.classes_.tolist(), str(estimator.classes_.dtype), list(map(type, estimator.classes_.tolist()))]


def certified(certificate):
    """The certificate; of users what does not follow from their number, which one record may change."""
    if certificate["unit"] == "item":
        return json.loads(json.dumps(certificate))
    return {name: value for name, value in certificate["assumed_public"].items() if name not in ("users", "records")}


@contextlib.contextmanager
def patched(owner, name, value):
    """Puts something else in a name's place, which must be there."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def differences(pair, fits=False):
    """What differs beside the one record: an empty list where all is well."""
    one, other = (seen(estimator, data, fits) for estimator, data in zip((pair.estimator(), pair.estimator()), pair.data))
    if one.error is not None or other.error is not None:
        return wrong_errors(one.error, other.error, pair.row)
    others = np.arange(COUNT) != pair.row
    found = []
    if one.public != other.public:
        found.append(f"public: {one.public} and {other.public}")
    for what in ("rows", "labels"):
        a, b = getattr(one, what)[others], getattr(other, what)[others]
        if a.shape != b.shape or a.tobytes() != b.tobytes():
            found.append(f"{what}: {a.tolist()} and {b.tolist()}")
    if len(one.users) and partition(one.users[others]) != partition(other.users[others]):
        found.append(f"users: {one.users.tolist()} and {other.users.tolist()}")
    return found


def wrong_errors(one, other, row):
    """An error is one line, of the record that differs or of what is public.

    It names another record only where that is wrong in both: then either error is the same, or is about `row`.
    """
    found = []
    for error, more in ((one, other), (other, one)):
        blamed = places(error) - {row}
        if blamed and error != more and (more is None or places(more) - blamed - {row}):
            found.append(f"a record other than {row} is blamed: {error}, and: {more}")
        if error is not None and ("\n" in error or len(error) > 500):
            found.append(f"not one line: {error[:2000]}")
    return found


def places(error):
    """The records that an error names."""
    return set(map(int, re.findall(r"\b(?:row|record) (\d+)", error or "")))


def partition(users):
    """Who is whose fellow, whatever their numbers are."""
    first: dict[int, int] = {}
    return [first.setdefault(user, k) for k, user in enumerate(users.tolist())]
