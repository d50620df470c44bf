"""A fit that fails on the content of records is counted in its ledger."""

import traceback

import numpy as np
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
