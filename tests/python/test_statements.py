"""tacit.schema, tacit.describe, tacit.evaluate: thin over what the tool does."""

import contextlib
import json
import math
import re
import sqlite3
import warnings

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


def test_too_few_records_for_the_columns_are_warned_of_before_the_charge(people, tmp_path):
    ledger = tmp_path / "l"
    tacit.create_ledger(ledger, {"people": 3})
    for release in (tacit.schema, tacit.describe):
        with pytest.warns(UserWarning, match=r"4000 records x epsilon .* / 5 columns = .* is below 50") as told:
            release(people, epsilon=0.01)
        assert told[0].filename == __file__
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".* is below 50")
            release(people, epsilon=0.01, neighbours="add_remove")
            with pytest.raises(UserWarning, match="is below 50"):
                release(people, epsilon=0.01, ledger=ledger)
    assert tacit.ledger(ledger)["budgets"][0]["charges"] == []


# Doubles near 2^60 are 256 apart. Taken for one person, two would hide each other's records.
@pytest.mark.parametrize("as_frame", [True, False])
def test_people_with_long_ids_stay_apart_in_a_schema(people, as_frame):
    people = people[["age", "who"]].copy()
    people["who"] = people["who"].astype(np.int64) + 2**60
    table, user = (people, "who") if as_frame else (people.to_numpy(), "1")
    found = tacit.schema(table, epsilon=4.0, user=user)
    assert found["certificate"]["assumed_public"]["users"] == 2000


def test_a_schema_is_found_in_a_frame_and_in_its_file_alike(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    for data in (people, tmp_path / "people.csv"):
        found = tacit.schema(data, epsilon=4.0, delta=1e-6, target="y", output=tmp_path / "schema.json", force=True)
        assert found["columns"]["age"]["type"] == "numeric" and found["columns"]["job"]["type"] == "categorical"
        assert found["private"] and "drafted_from_data" not in found
        assert run_tool("verify", str(tmp_path / "schema.json")).returncode == 0


def test_a_description_has_what_is_asked_for(people, tmp_path):
    known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 100}, "job": {"type": "categorical", "categories": ["Sales", "Tech"]}}, "others": "ignore"}
    people.to_csv(tmp_path / "people.csv", index=False)
    asked = {"statistics": ["quantiles", "histogram"], "quantiles": [0.1, 0.9], "bins": 10, "confidence": 0.5}
    for data, schema in ((people[["age", "job"]], known), (tmp_path / "people.csv", known), (people[["age", "job"]], None)):
        told = tacit.describe(data, schema=schema, epsilon=50.0, **asked)
        age = told["columns"]["age"]
        assert list(age["quantiles"]) == ["0.1", "0.9"] and "mean" not in age
        assert schema is None or len(age["histogram"]["counts"]) == 10  # found whole numbers have a cell each
        assert told["confidence"] == 0.5 and "job" not in told["columns"]
        assert told["certificate"]["options"]["statistics"] == "quantiles,histogram"
    for wrong in ({"statistics": ["median"]}, {"statistics": "mean"}, {"quantiles": [2.0]}, {"quantiles": 0.5}, {"bins": 1}, {"bins": 2.5}, {"confidence": None}):
        with pytest.raises(tacit.UsageError):
            tacit.describe(people, schema=known, epsilon=1.0, **wrong)


def test_an_estimator_takes_the_schema(people):
    found = tacit.schema(people, epsilon=50.0, delta=1e-6, target="y")
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
    # So much that noise does not decide whether the target has classes.
    schema = tacit.schema(people, epsilon=50.0, delta=1e-6, target="y", output=tmp_path / "schema.json")
    told = tacit.describe(tmp_path / "people.csv", schema=schema, epsilon=1.0, output=tmp_path / "d.json")
    assert told["private"] and told["count"]["value"] == 4000
    fit = run_tool("fit", str(tmp_path / "people.csv"), "--schema", str(tmp_path / "schema.json"), "--epsilon", "3",
                   "--model", str(tmp_path / "model.json"))
    assert fit.returncode == 0, fit.stderr
    score = tacit.evaluate(tmp_path / "model.json", tmp_path / "people.csv", epsilon=1.0, output=tmp_path / "e.json")
    assert score["private"] and len(score["intervals"]["accuracy"]) == 2
    for name in ("schema.json", "d.json", "e.json"):
        assert run_tool("verify", str(tmp_path / name)).returncode == 0
        verified = tacit.verify(tmp_path / name)
        assert verified["certificate"] == json.loads((tmp_path / name).read_text())["certificate"]
        assert json.loads((tmp_path / name).read_text())["private"]


KNOWN = {
    "columns": {
        "age": {"type": "numeric", "min": 0, "max": 100},
        "pay": {"type": "numeric", "min": 0, "max": 1000, "missing": 0},
        "job": {"type": "categorical", "categories": ["Sales", "Tech"]},
    },
    "target": {"column": "y", "classes": ["0", "1"]},
    "others": "ignore",
}


def close(told, also, within):
    return abs(told["value"] - also["value"]) <= within


def test_a_frame_is_described_as_its_file_is(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    told = tacit.describe(people, schema=KNOWN, epsilon=200.0, output=tmp_path / "told.json")
    also = tacit.describe(tmp_path / "people.csv", schema=KNOWN, epsilon=200.0)
    assert told["count"] == also["count"] and told["schema"] == also["schema"]
    assert set(told["columns"]) == set(also["columns"]) == {"age", "pay", "job", "y"}
    for name, within in (("age", 0.1), ("pay", 1.0)):
        assert close(told["columns"][name]["mean"], also["columns"][name]["mean"], within)
        assert close(told["columns"][name]["missing"], also["columns"][name]["missing"], 0.01)
    for name in ("job", "y"):
        for kind, cell in told["columns"][name]["categories"].items():
            assert close(cell, also["columns"][name]["categories"][kind], 20), (name, kind)
    assert run_tool("verify", str(tmp_path / "told.json")).returncode == 0


def test_people_in_a_frame_count_once(people, tmp_path):
    told = tacit.describe(people, schema=KNOWN, epsilon=100.0, user="who")
    assert told["unit"] == "user" and told["count"]["value"] == 2000
    assert tacit.describe(people, schema={**KNOWN, "user": {"column": "who"}}, epsilon=100.0)["unit"] == "user"
    with pytest.raises(tacit.UsageError, match='no column "nobody"'):
        tacit.describe(people, schema=KNOWN, epsilon=1.0, user="nobody")


def test_a_cell_that_cannot_be_read_is_recorded(people, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 5.0})
    broken = people.astype({"age": object})
    broken.loc[7, "age"] = "old"
    with pytest.raises(tacit.DataError):
        tacit.describe(broken, schema=KNOWN, epsilon=1.0, ledger=ledger)
    found = tacit.ledger(ledger)
    assert found["failed_reads"] == 1 and found["budgets"][0]["charges"] == []


def test_a_model_is_judged_on_a_frame_as_on_its_file(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    model = tmp_path / "model.json"
    X = people[["age", "pay", "job"]]
    tacit.LogisticRegression(schema=KNOWN, epsilon=5.0).fit(X, people["y"]).save(model)
    shuffled = people[["who", "y", "job", "age", "pay"]]
    told = tacit.evaluate(model, shuffled, epsilon=200.0, output=tmp_path / "told.json")
    also = tacit.evaluate(model, tmp_path / "people.csv", epsilon=200.0)
    for metric in ("accuracy", "log_loss", "auc"):
        assert abs(told[metric] - also[metric]) < 0.01, metric
    assert run_tool("verify", str(tmp_path / "told.json")).returncode == 0
    assert tacit.evaluate(model, people, epsilon=50.0, user="who")["unit"] == "user"
    with pytest.raises(tacit.UsageError, match='no column "age"'):
        tacit.evaluate(model, people.drop(columns="age"), epsilon=1.0)
    with pytest.raises(tacit.UsageError, match='no column "y" to compare with; rename the one that holds the labels to it, or name it: target='):
        tacit.evaluate(model, people.rename(columns={"y": "label"}), epsilon=1.0)
    assert tacit.evaluate(model, people.rename(columns={"y": "label"}), epsilon=1.0, target="label")["private"]
    with pytest.raises(tacit.DataError, match="not a class"):
        tacit.evaluate(model, people.assign(y=people["y"] + 1), epsilon=1.0)


def test_a_model_of_people_is_judged_on_people(people, tmp_path):
    model = tmp_path / "model.json"
    (tmp_path / "known.json").write_text(json.dumps({**KNOWN, "user": {"column": "who"}}))
    people.to_csv(tmp_path / "people.csv", index=False)
    fitted = run_tool(
        *("fit", tmp_path / "people.csv", "--schema", tmp_path / "known.json"),
        *("--epsilon", "5", "--delta", "1e-5", "--model", model),
    )
    assert fitted.returncode == 0, fitted.stderr
    for data in (people, tmp_path / "people.csv"):
        assert tacit.evaluate(model, data, epsilon=5.0)["unit"] == "user"
    with pytest.raises(tacit.UsageError, match='no column "who"'):
        tacit.evaluate(model, people.drop(columns="who"), epsilon=5.0)


def test_an_estimator_is_judged_as_its_file_is(people, tmp_path):
    X = people[["age", "pay", "job"]]
    model = tacit.LogisticRegression(schema=KNOWN, epsilon=5.0).fit(X, people["y"])
    told = tacit.evaluate(model, people, epsilon=200.0, output=tmp_path / "told.json")
    assert run_tool("verify", str(tmp_path / "told.json")).returncode == 0
    model.save(tmp_path / "model.json")
    digest = json.loads((tmp_path / "model.json").read_text())["digest"]
    assert told["certificate"]["assumed_public"]["model_digest"] == digest


def test_records_as_they_are_are_asked_for_by_name(people, tmp_path):
    X = people[["age", "pay", "job"]]
    model = tacit.LogisticRegression(schema=KNOWN, epsilon=5.0).fit(X, people["y"])
    model.save(tmp_path / "model.json")
    people.to_csv(tmp_path / "people.csv", index=False)
    told = tacit.evaluate(model, people, epsilon=math.inf)
    printed = json.loads(run_tool("evaluate", tmp_path / "model.json", tmp_path / "people.csv", "--json").stdout)
    assert told["private"] is False
    assert told == printed == tacit.evaluate(tmp_path / "model.json", tmp_path / "people.csv", epsilon=math.inf)
    with pytest.raises(tacit.UsageError, match="no privacy"):
        tacit.evaluate(model, people, epsilon=math.inf, delta=1e-6)


def test_a_table_is_described_without_a_schema(people, tmp_path):
    """A share finds one, within the same guarantee."""
    people.to_csv(tmp_path / "people.csv", index=False)
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": (16.0, 3e-6)}, accountant="approx")
    for data in (people, tmp_path / "people.csv"):
        told = tacit.describe(data, epsilon=8.0, delta=1e-6, ledger=ledger, output=tmp_path / "told.json", force=True)
        assert told["private"] and told["cost"]["schema"]["epsilon"] == 4.0
        assert told["cost"]["description"]["epsilon"] <= 4.0 and told["guarantee"]["epsilon"] <= 8.0
        assert {"age", "job"} <= set(told["columns"])
        assert abs(told["columns"]["age"]["mean"]["value"] - people["age"].mean()) < 3
        assert run_tool("verify", str(tmp_path / "told.json")).returncode == 0
    assert tacit.ledger(ledger)["budgets"][0]["spent"]["epsilon"] == 16.0
    with pytest.raises(tacit.BudgetError):
        tacit.describe(people, epsilon=8.0, delta=1e-6, ledger=ledger)


def test_the_share_that_finds_a_schema_is_stated_and_refused_beside_one(people):
    told = tacit.describe(people, epsilon=4.0, range_share=0.25, user="who")
    assert told["cost"]["schema"]["epsilon"] == 1.0 and told["unit"] == "user"
    with pytest.raises(tacit.UsageError, match="the range share is 1.5"):
        tacit.describe(people, epsilon=4.0, range_share=1.5)
    with pytest.raises(tacit.UsageError, match="the schema states the ranges"):
        tacit.describe(people, schema=KNOWN, epsilon=4.0, range_share=0.5)


def test_a_description_tells_what_its_private_schema_cost(people, tmp_path):
    found = tacit.schema(people, epsilon=0.5, delta=1e-6, output=tmp_path / "schema.json")
    for schema in (found, tmp_path / "schema.json"):
        told = tacit.describe(people, schema=schema, epsilon=1.5, output=tmp_path / "d.json", force=True)
        cost, own = told["schema_cost"], found["guarantee"]["epsilon"]
        assert cost["schema"]["epsilon"] == own <= 0.5
        assert cost["together"]["epsilon"] == pytest.approx(own + told["guarantee"]["epsilon"])
        assert "together with this description" in told["schema_cost"]["sentence"]
        assert run_tool("verify", str(tmp_path / "d.json")).returncode == 0


def test_a_regression_is_judged_on_a_frame(people, tmp_path):
    known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 100}}, "target": {"column": "y", "min": 0, "max": 1}}
    model = tmp_path / "model.json"
    tacit.LinearRegression(schema=known, epsilon=5.0).fit(people[["age"]], people["y"]).save(model)
    people.to_csv(tmp_path / "people.csv", index=False)
    told, also = (tacit.evaluate(model, data, epsilon=200.0) for data in (people, tmp_path / "people.csv"))
    assert abs(told["rmse"] - also["rmse"]) < 0.01


GROUPED = {
    "columns": {"age": {"type": "numeric", "min": 0, "max": 100}, "job": {"type": "categorical", "categories": ["Sales", "Tech"]}},
    "target": {"column": "y", "classes": ["0", "1"]},
}


def test_a_group_is_told_of_alone_and_groups_cost_their_maximum(people, tmp_path):
    people = people.drop(columns=["pay", "who"])
    people.to_csv(tmp_path / "people.csv", index=False)
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 3.0})
    model = tacit.LogisticRegression(schema=GROUPED, epsilon=4.0).fit(people[["age", "job"]], people["y"])
    model.save(tmp_path / "m.json")
    output = tmp_path / "told.json"
    for job, data in (("Sales", people), ("Tech", tmp_path / "people.csv")):
        asked = {"epsilon": 1.0, "force": True, "group": f"job={job}", "ledger": tmp_path / "people.ledger"}
        statements = (
            lambda: tacit.schema(data, target="y", classes=["0", "1"], output=tmp_path / f"{job}.json", **asked),
            lambda: tacit.describe(data, schema=GROUPED, output=output, **asked),
            lambda: tacit.evaluate(tmp_path / "m.json", data, target="y", output=tmp_path / "judged.json", **asked),
        )
        for statement, file in zip(statements, (tmp_path / f"{job}.json", output, tmp_path / "judged.json")):
            found = statement()["certificate"]["assumed_public"]
            assert found["group_of"] == f"job={job}" and found["records"] == (people["job"] == job).sum()
            assert run_tool("verify", str(file)).returncode == 0
    with pytest.raises(tacit.BudgetError):
        tacit.describe(people, schema=GROUPED, epsilon=1.0, ledger=tmp_path / "people.ledger")  # three of three are spent


def test_a_group_that_is_none_is_refused(people):
    people = people.drop(columns=["pay", "who"])
    for group in ("job", "job=Law", "age=30", "=Sales"):
        with pytest.raises(tacit.UsageError, match="group|category"):
            tacit.describe(people, schema=GROUPED, epsilon=1.0, group=group)
    with pytest.raises(tacit.UsageError, match="leave out"):
        tacit.evaluate("m.json", people, epsilon=math.inf, group="job=Sales")


def test_no_writer_replaces_a_file_of_another_kind(people, tmp_path):
    """What is there is kept, and nothing is charged for what would have gone there."""
    people = people.drop(columns=["pay", "who"])
    model = tacit.LogisticRegression(schema=GROUPED, epsilon=4.0).fit(people[["age", "job"]], people["y"])
    model.save(tmp_path / "m.json")
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 3.0})
    data, ledger = tmp_path / "people.csv", tmp_path / "people.ledger"
    people.to_csv(data, index=False)
    before = data.read_bytes()
    asked = {"epsilon": 1.0, "ledger": ledger}
    for write in (
        lambda output: model.save(output),
        lambda output: model.plot(output=output),
        lambda output: tacit.report(tmp_path / "m.json", output),
        lambda output: tacit.schema(people, target="y", output=output, **asked),
        lambda output: tacit.describe(people, schema=GROUPED, output=output, **asked),
        lambda output: tacit.evaluate(tmp_path / "m.json", people, target="y", output=output, **asked),
        lambda output: tacit.evaluate(model, people, target="y", output=output, **asked),
    ):
        with pytest.raises(tacit.UsageError, match="exists"):
            write(data)
        with pytest.raises(OSError, match="belongs to a ledger"):
            write(ledger)
    assert data.read_bytes() == before
    assert tacit.ledger(ledger)["budgets"][0]["charges"] == []


def test_a_model_is_replaced_and_a_statement_that_cost_something_only_by_force(people, tmp_path):
    people = people.drop(columns=["pay", "who"])
    model = tacit.LogisticRegression(schema=GROUPED, epsilon=4.0).fit(people[["age", "job"]], people["y"])
    for _ in range(2):
        model.save(tmp_path / "m.json")
        model.plot(output=tmp_path / "m.svg")
        tacit.report(tmp_path / "m.json", tmp_path / "m.html")
    for write in (
        lambda **more: tacit.schema(people, target="y", classes=["0", "1"], epsilon=4.0, output=tmp_path / "s.json", **more),
        lambda **more: tacit.describe(people, schema=GROUPED, epsilon=1.0, output=tmp_path / "d.json", **more),
        lambda **more: tacit.evaluate(tmp_path / "m.json", people, target="y", epsilon=1.0, output=tmp_path / "e.json", **more),
        lambda **more: tacit.evaluate(model, people, target="y", epsilon=1.0, output=tmp_path / "f.json", **more),
    ):
        write()
        with pytest.raises(tacit.UsageError, match="force=True"):
            write()
        write(force=True)


@pytest.mark.parametrize("given", ["dict", "file"])
def test_a_model_tells_what_its_private_schema_cost(people, tmp_path, given):
    found = tacit.schema(people.drop(columns="who"), epsilon=0.5, delta=1e-6, target="y", output=tmp_path / "schema.json")
    schema = found if given == "dict" else tmp_path / "schema.json"
    model = tacit.LogisticRegression(epsilon=1.5, schema=schema).fit(people[["age", "pay", "job"]], people["y"])
    told = model.certificate_["assumed_public"]["schema_cost"]
    said = re.match("epsilon = (.*), delta = 1e-06 for the schema, epsilon = (.*), delta = 1e-06 together with this model", told)
    assert [float(number) for number in said.groups()] == pytest.approx([0.5, 2.0], abs=2e-5)
    assert "the schema was found privately and is taken to be public: what that cost comes on top" in model.certificate_["assumptions"]
    assert told in model.model_.description
    model.save(tmp_path / "model.json")
    verified = tacit.verify(tmp_path / "model.json")
    assert told in str(verified)
    assert told in run_tool("verify", str(tmp_path / "model.json")).stdout


def test_a_target_without_classes_or_delta_is_warned_of_before_the_charge(people):
    with pytest.warns(UserWarning, match="give delta or classes"):
        tacit.schema(people, epsilon=4.0, target="y")


def test_the_tool_describes_an_answer_of_a_database_without_a_schema(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "people.db")) as database:
        database.execute("create table people (age, job)")
        rows = [(20 + k % 50, "Sales" if k % 3 else "Tech") for k in range(2000)]
        database.executemany("insert into people values (?, ?)", rows)
        database.commit()
    ledger = tmp_path / "people.ledger"
    assert run_tool("ledger", "create", ledger, "--limit", "all=20").returncode == 0
    asked = ("--query", "select * from people", "--epsilon", 9, "--ledger", ledger, "--json")
    outcome = run_tool("describe", tmp_path / "people.db", *asked)
    assert outcome.returncode == 0, outcome.stderr
    assert 0 < json.loads(outcome.stdout)["columns"]["age"]["mean"]["value"] < 100


@pytest.mark.parametrize("stated", [None, ["yes", "no"]])
def test_a_file_is_judged_by_the_names_of_the_classes(tmp_path, stated):
    draw = np.random.default_rng(0)
    frame = pandas.DataFrame(draw.uniform(-1, 1, size=(2000, 2)), columns=["a", "b"])
    y = pandas.Series(np.where(frame["a"] > 0, "yes", "no"), name="t")
    model = tacit.LogisticRegression(epsilon=20.0, bounds=(-1, 1), classes=stated).fit(frame, y)
    model.save(tmp_path / "m.json")
    labelled = frame.assign(t=y)
    yes = labelled[y == "yes"]
    for name, records in {"all": labelled, "yes": yes, "one": pandas.concat([yes, labelled[y == "no"].head(1)])}.items():
        records.to_csv(file := tmp_path / f"{name}.csv", index=False)
        right = model.score(records[["a", "b"]], records["t"])
        assert right > 0.9
        for epsilon in (math.inf, 50.0):
            for data in (records, file):
                assert tacit.evaluate(tmp_path / "m.json", data, epsilon=epsilon)["accuracy"] == pytest.approx(right, abs=0.02)
    labelled.assign(t=y.where(np.arange(len(y)) != 3, "!x")).to_csv(file := tmp_path / "none.csv", index=False)
    for epsilon in (math.inf, 1.0):
        with pytest.raises(tacit.DataError, match='none.csv:5:3: column "t": "!x" is not a class'):
            tacit.evaluate(tmp_path / "m.json", file, epsilon=epsilon)


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array([0.0, 1.0]), np.array([-1, 1]), np.array([False, True])])
def test_numbers_that_are_classes_are_found_in_a_file(tmp_path, labels):
    draw = np.random.default_rng(0)
    frame = pandas.DataFrame(draw.uniform(-1, 1, size=(2000, 2)), columns=["a", "b"])
    y = pandas.Series(labels[(frame["a"] > 0).astype(int)], name="t")
    tacit.LogisticRegression(epsilon=20.0, bounds=(-1, 1)).fit(frame, y).save(tmp_path / "m.json")
    frame.assign(t=y).to_csv(tmp_path / "t.csv", index=False)
    assert tacit.evaluate(tmp_path / "m.json", tmp_path / "t.csv", epsilon=math.inf)["accuracy"] > 0.9
    frame.assign(t=y).query("a > 0").to_csv(tmp_path / "t.csv", index=False)
    assert tacit.evaluate(tmp_path / "m.json", tmp_path / "t.csv", epsilon=math.inf)["accuracy"] > 0.9
