"""A fit or a statement that fails on the content of records is counted in its ledger."""

import datetime
import traceback

import numpy as np
import pandas
import pytest

import tacit

X = np.linspace(0, 1, 200).reshape(100, 2)
Y = np.arange(100) % 2


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "people.ledger"
    tacit.create_ledger(path, {"people": 3.0})
    return path


def estimator(ledger, **more):
    return tacit.LogisticRegression(epsilon=1.0, bounds=(0, 1), ledger=ledger, **more)


def with_nan():
    rows = X.copy()
    rows[7, 1] = np.nan
    return rows


def test_content_is_counted_and_costs_nothing(ledger):
    assert tacit.ledger(ledger)["failed_reads"] == 0
    with pytest.raises(ValueError):
        estimator(ledger).fit(with_nan(), Y)
    with pytest.raises(ValueError):
        estimator(ledger, classes=[0, 1]).fit(X, np.where(np.arange(100) == 3, 7, Y))
    shown = tacit.ledger(ledger)
    assert shown["failed_reads"] == 2
    assert shown["budgets"][0]["charges"] == []


# The first row of a list says how wide a table is; what it is must be read as any other's.
@pytest.mark.parametrize("bounds", [([0, 0], [1, 1]), (0, 1), 5.0, None])
@pytest.mark.parametrize("row", [5, None, "ab", [1, 2, 3], {1, 2}])
def test_a_bad_row_of_a_list_is_counted_whichever_it_is(row, bounds, ledger):
    told = []
    for place in (0, 1):
        rows = X.tolist()
        rows[place] = row
        with pytest.raises(tacit.DataError) as failure:
            estimator(ledger, classes=[0, 1]).set_params(bounds=bounds).fit(rows, Y)
        told.append(str(failure.value))
    assert told[0] == told[1]
    assert tacit.ledger(ledger)["failed_reads"] == 2


def test_rows_that_are_all_none_are_counted(ledger):
    for rows in ([5] * 100, [{1, 2}] * 100, [{1}, *[{1, 2}] * 99]):
        with pytest.raises(tacit.DataError, match="Expected 2D array"):
            estimator(ledger, range_share=0.3).set_params(bounds=None).fit(rows, Y)
    assert tacit.ledger(ledger)["failed_reads"] == 3


def test_what_is_not_about_records_is_not_counted(ledger):
    with pytest.raises(tacit.UsageError):
        estimator(ledger, ledger_name="people", unit="nobody").fit(X, Y)
    with pytest.raises(tacit.UsageError):
        tacit.LogisticRegression(epsilon=-1.0, ledger=ledger).fit(X, Y)
    with pytest.raises(tacit.BudgetError):
        tacit.LogisticRegression(epsilon=4.0, bounds=(0, 1), ledger=ledger).fit(X, Y)
    estimator(ledger).fit(X, Y)
    assert tacit.ledger(ledger)["failed_reads"] == 0


# With bounds for each column the ledger is asked before a record is read, without them when the read has failed.
@pytest.mark.parametrize("bounds", [(0, 1), None])
def test_what_cannot_be_recorded_is_not_told(bounds, tmp_path):
    asked = tacit.LogisticRegression(epsilon=1.0, bounds=bounds, ledger=tmp_path / "missing.ledger")
    with pytest.raises(tacit.Error) as failure:
        asked.fit(with_nan(), Y)
    with pytest.raises(tacit.Error) as without:
        asked.fit(X, Y)
    assert str(failure.value) == str(without.value) and failure.type is without.type
    told = "".join(traceback.format_exception(failure.value))
    assert "cannot be opened" in told
    assert "finite number" not in told and "row 7" not in told


def with_odd_cell():
    frame = pandas.DataFrame({"age": np.arange(100), "who": [f"p{k}" for k in range(100)], "y": Y})
    frame["age"] = frame["age"].astype(object)
    frame.at[7, "age"] = [1, 2]
    return frame


def with_empty_id():
    frame = pandas.DataFrame({"age": np.arange(100), "who": [f"p{k}" for k in range(100)], "y": Y})
    frame.loc[7, "who"] = ""
    return frame


KNOWN = {"columns": {"age": {"type": "numeric", "min": 0, "max": 100}}, "target": {"column": "y", "classes": ["0", "1"]}}
STATEMENTS = {
    "schema": lambda frame, **more: tacit.schema(frame, epsilon=1.0, user="who", **more),
    "description": lambda frame, **more: tacit.describe(frame, epsilon=1.0, user="who", **more),
    "description by a schema": lambda frame, **more: tacit.describe(frame, schema=KNOWN, epsilon=1.0, user="who", **more),
    "evaluation": lambda frame, **more: tacit.evaluate(judged(), frame, epsilon=1.0, user="who", **more),
}


def judged():
    frame = pandas.DataFrame({"age": np.arange(100)})
    return tacit.LogisticRegression(epsilon=np.inf, schema=KNOWN).fit(frame, Y)


@pytest.mark.parametrize("made", [with_odd_cell, with_empty_id])
@pytest.mark.parametrize("kind", STATEMENTS)
def test_a_statement_that_cannot_read_its_records_is_counted(kind, made, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 3.0}, unit="user")
    with pytest.raises(tacit.DataError, match="row 7"):
        STATEMENTS[kind](made(), ledger=ledger)
    shown = tacit.ledger(ledger)
    assert shown["failed_reads"] == 1 and shown["budgets"][0]["charges"] == []
    with pytest.raises(tacit.Error) as unrecorded:
        STATEMENTS[kind](made(), ledger=tmp_path / "missing.ledger")
    assert "row 7" not in "".join(traceback.format_exception(unrecorded.value))


def test_a_value_whose_own_method_fails_is_counted(ledger):
    """A zone without an offset raises NotImplementedError when a time asks for it."""
    when = [datetime.datetime(2020, 1, 1)] * 100
    when[7] = datetime.datetime(2020, 1, 1, tzinfo=datetime.tzinfo())
    frame = pandas.DataFrame({"when": pandas.Series(when, dtype=object), "y": Y})
    with pytest.raises((NotImplementedError, ValueError)):
        tacit.describe(frame, schema={"columns": {"when": {"type": "categorical", "categories": ["2020-01-01"]}}, "others": "ignore"}, epsilon=1.0, ledger=ledger)
    assert tacit.ledger(ledger)["failed_reads"] == 1
