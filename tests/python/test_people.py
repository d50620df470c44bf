"""Whose record each one is: the same people as in a file, and none that is missing."""

from decimal import Decimal

import numpy as np
import pandas
import pytest

import tacit
from tacit import _users

X = np.random.default_rng(0).normal(size=(600, 2))
Y = (X[:, 0] > 0).astype(int)
WHOSE = np.arange(600) // 6
TEXTS = [f"p{k}" for k in WHOSE]


def fitted(user_ids):
    return tacit.LogisticRegression(unit="user", epsilon=3.0, delta=1e-5, bounds=5.0, classes=[0, 1]).fit(X, Y, user_ids=user_ids)


def with_first(values, first):
    return [first, *values[1:]]


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series, lambda ids: np.array(ids, dtype=object), lambda ids: np.array(ids, dtype="S")])
def test_blanks_around_an_id_make_nobody_else(kind):
    ids = kind([" \t"[k % 2] * (k % 3) + name + "\r" * (k % 2) for k, name in enumerate(TEXTS)])
    assert fitted(ids).certificate_["assumed_public"]["users"] == 100


@pytest.mark.parametrize(
    "ids",
    [
        with_first(TEXTS, float("nan")),
        with_first(TEXTS, None),
        with_first(TEXTS, " \t"),
        np.array(with_first(TEXTS, "  ")),
        np.array(with_first([name.encode() for name in TEXTS], b"")),
        np.array(with_first([name.encode() for name in TEXTS], b" ")),
        with_first(TEXTS, pandas.NA),
        np.where(WHOSE == 0, np.datetime64("NaT"), WHOSE.astype("M8[s]")),
        np.where(WHOSE == 0, np.datetime64("NaT"), WHOSE.astype("M8[ns]")),
        pandas.Series(np.where(WHOSE == 0, np.datetime64("NaT"), WHOSE.astype("M8[ns]"))),
        np.ma.masked_array(WHOSE, WHOSE == 0),
        np.ma.masked_array(TEXTS, WHOSE == 0),
    ],
)
def test_a_missing_id_is_refused(ids):
    with pytest.raises(tacit.DataError, match="row 0: the user id is empty"):
        fitted(ids)


# One of them may have made durations of all others: no row is to blame.
@pytest.mark.parametrize("first", [np.timedelta64("NaT"), np.timedelta64(1, "ns")])
def test_durations_are_refused_by_their_type(first):
    with pytest.raises(tacit.DataError, match=r"^user_ids is of the type timedelta64\[ns\], expected numbers, texts or dates$"):
        fitted(np.where(WHOSE == 0, first, WHOSE.astype("m8[ns]")))


def test_a_mask_that_hides_nothing_is_taken():
    assert fitted(np.ma.masked_array(WHOSE, False)).certificate_["assumed_public"]["users"] == 100


def test_texts_and_numbers_together_are_people_as_in_a_file():
    people = [5, 5.0, "5", " 5", b"5", np.int8(5), np.float32(5), Decimal("5.0")]  # one person
    ids = [*people, *(f"p{k}" for k in WHOSE[len(people) :])]
    for values in (ids, np.array(ids, dtype=object), pandas.Series(ids)):
        assert fitted(values).certificate_["assumed_public"]["users"] == 100


def test_one_small_id_beside_large_ones_merges_nobody():
    ids = [2**63 + k for k in range(600)]
    assert fitted(ids).certificate_["assumed_public"]["users"] == 600
    assert fitted(with_first(ids, 5)).certificate_["assumed_public"]["users"] == 600


@pytest.mark.parametrize("other", [5, 5.0, "5", True, np.int8(5), Decimal(5)])
@pytest.mark.parametrize("kind", [list, tuple, lambda ids: np.array(ids, dtype=object), lambda ids: pandas.Series(ids, dtype=object)])
@pytest.mark.parametrize("base", [2**63, 2**53, 10**20])
def test_one_id_of_another_type_merges_nobody(base, kind, other):
    ids = [base + k for k in range(100)]
    for one in (base, other):
        numbers, count = _users.numbered_users(kind(with_first(ids, one)))
        assert count == 100 and numbers.tolist() == list(range(100))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats_that_cannot_tell_people_apart_are_refused_by_their_type(kind):
    limit = 2 ** min(np.finfo(kind).nmant + 1, 53)
    ids = (WHOSE + 1).astype(kind)
    assert fitted(ids).certificate_["assumed_public"]["users"] == 100
    ids[7] = limit
    with pytest.raises(tacit.DataError) as caught:
        fitted(ids)
    told = f"the user_ids are of the type {ids.dtype}, in which whole numbers from 2^{limit.bit_length() - 1} on are not distinct"
    assert str(caught.value) == told + "; give whole numbers or texts"


@pytest.mark.parametrize("ids", [pandas.array(WHOSE, dtype="UInt64"), pandas.Series(WHOSE, dtype="category"), WHOSE[:, None], pandas.DataFrame(WHOSE)])
def test_ids_in_other_containers(ids):
    assert fitted(ids).certificate_["assumed_public"]["users"] == 100


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ("p" * 600, "user_ids is of the type str, expected an array or a list"),
        (5, "user_ids is of the type int, expected an array or a list"),
        (set(TEXTS), "user_ids is of the type set, expected an array or a list"),
        (np.zeros((600, 2)), "user_ids has the shape (600, 2), expected one id for each record"),
        (with_first(TEXTS, object()), "row 0: object is not a kind of value that is taken, expected a number, a text or a date"),
        (with_first(TEXTS, "\udc80"), r"row 0: '\udc80' is not UTF-8 text"),
        (with_first(TEXTS, 10**5000), "row 0: the number has more than 4000 digits"),
        (TEXTS[1:], "there are 599 user ids for 600 records"),
    ],
)
def test_what_is_no_id_is_named(ids, told):
    with pytest.raises(tacit.DataError) as caught:
        fitted(ids)
    assert str(caught.value) == told


@pytest.mark.parametrize("other", [0.5, 1 + 0j])
def test_masked_ids_that_one_of_them_made_floats_are_refused(other):
    """2^53 and 2^53 + 1 are two people, and one beside a fraction."""
    assert _users.numbered_users(np.ma.array([2**53, 2**53 + 1, 5]))[1] == 3
    with pytest.raises(ValueError, match="are not distinct|Complex data not supported"):
        _users.numbered_users(np.ma.array([2**53, 2**53 + 1, other]))
