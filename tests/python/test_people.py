"""Whose record each one is: the same people as in a file, and none that is missing."""

import numpy as np
import pandas
import pytest

import tacit

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
        np.where(WHOSE == 0, np.timedelta64("NaT"), WHOSE.astype("m8[ns]")),
        pandas.Series(np.where(WHOSE == 0, np.datetime64("NaT"), WHOSE.astype("M8[ns]"))),
        np.ma.masked_array(WHOSE, WHOSE == 0),
        np.ma.masked_array(TEXTS, WHOSE == 0),
    ],
)
def test_a_missing_id_is_refused(ids):
    with pytest.raises(tacit.DataError, match="row 0: the user id is empty"):
        fitted(ids)


def test_a_mask_that_hides_nothing_is_taken():
    assert fitted(np.ma.masked_array(WHOSE, False)).certificate_["assumed_public"]["users"] == 100


def test_texts_and_numbers_together_are_refused():
    with pytest.raises(tacit.DataError, match="not all of one kind"):
        fitted(with_first(TEXTS, 1))
