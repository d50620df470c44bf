"""tacit.schema, tacit.describe, tacit.evaluate: thin over what the tool does."""

import json

import numpy as np
import pandas
import pytest
from conftest import run_tool

import tacit


@pytest.fixture
def people():
    k = np.arange(4000)
    return pandas.DataFrame(
        {
            "age": 20 + k % 50,
            "pay": np.where(k % 11 == 0, np.nan, 100.5 + k % 700),
            "job": np.where(k % 3 == 0, "Sales", "Tech"),
            "who": k % 2000,
            "y": (k % 50 >= 25).astype(int),
        }
    )


def test_a_schema_is_found_in_a_frame_and_in_its_file_alike(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    for data in (people, tmp_path / "people.csv"):
        found = tacit.schema(data, epsilon=4.0, delta=1e-6, target="y", output=tmp_path / "schema.json")
        assert found["columns"]["age"]["type"] == "numeric" and found["columns"]["job"]["type"] == "categorical"
        assert found["private"] and "drafted_from_data" not in found
        assert run_tool("verify", str(tmp_path / "schema.json")).returncode == 0


def test_an_estimator_takes_the_schema(people):
    found = tacit.schema(people, epsilon=4.0, delta=1e-6, target="y")
    model = tacit.LogisticRegression(epsilon=4.0, schema=found).fit(people.drop(columns="y"), people["y"])
    assert not any("drafted" in sentence for sentence in model.certificate_["assumptions"])


def test_a_cell_is_read_by_its_own_value(people):
    """A text among numbers, a missing value among whole ones: every other cell stays what it was."""
    whole, mixed = people[["age"]].copy(), people[["age"]].astype(object)
    mixed.iloc[0, 0] = "unknown"
    gaps = people[["age"]].astype(float)
    gaps.iloc[0, 0] = np.nan
    for frame in (whole, mixed, gaps):
        assert tacit.schema(frame, epsilon=50.0)["columns"]["age"]["type"] == "numeric"


def test_people_are_protected_and_the_ledger_charged(people, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 5.0}, unit="user")
    found = tacit.schema(people, epsilon=4.0, user="who", ledger=ledger)
    assert found["unit"] == "user" and found["user"] == {"column": "who"}
    with pytest.raises(tacit.BudgetError):
        tacit.schema(people, epsilon=4.0, user="who", ledger=ledger)


def test_what_is_wrong_is_said(people):
    with pytest.raises(tacit.UsageError, match="no column"):
        tacit.schema(people, epsilon=1.0, target="nothing")
    with pytest.raises(tacit.UsageError, match="epsilon"):
        tacit.schema(people, epsilon=None)
    with pytest.raises(tacit.UsageError):
        tacit.schema(people, epsilon=1.0, classes=["a", "b"])


def test_descriptions_and_evaluations_are_the_tools(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    schema = tacit.schema(people, epsilon=4.0, delta=1e-6, target="y", output=tmp_path / "schema.json")
    told = tacit.describe(tmp_path / "people.csv", schema=schema, epsilon=1.0, output=tmp_path / "d.json")
    assert told["private"] and told["count"]["value"] == 4000
    fit = run_tool("fit", str(tmp_path / "people.csv"), "--schema", str(tmp_path / "schema.json"), "--epsilon", "3",
                   "--model", str(tmp_path / "model.json"))
    assert fit.returncode == 0, fit.stderr
    score = tacit.evaluate(tmp_path / "model.json", tmp_path / "people.csv", epsilon=1.0, output=tmp_path / "e.json")
    assert score["private"] and len(score["intervals"]["accuracy"]) == 2
    for name in ("d.json", "e.json"):
        assert run_tool("verify", str(tmp_path / name)).returncode == 0
        assert json.loads((tmp_path / name).read_text())["private"]
