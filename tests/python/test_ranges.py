"""Tables that nobody described: a share of the guarantee finds their ranges, as within the tool's fit."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas
import pytest
from conftest import BUILD, run_tool
from independent import verifier

import tacit
from tacit import _tables

STATED = "no ranges are stated, so 0.3 of the guarantee is spent on finding them"


@pytest.fixture
def people():
    random = np.random.default_rng(7)
    age = random.integers(18, 90, size=4000)
    return pandas.DataFrame(
        {
            "age": age,
            "pay": np.where(random.random(4000) < 0.05, np.nan, np.round(random.uniform(0, 5e4, size=4000)) + 0.5),  # no file would write it in digits alone
            "job": random.choice(["clerk", "smith", "baker"], size=4000),
            "years": age * 40 + 500.5 + random.integers(-2, 2, size=4000),
            "old": np.where(age > 50, "yes", "no"),
        }
    )


def quiet(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(*data)


def test_ranges_are_found_and_the_warning_comes_before_anything_is_spent(people, tmp_path):
    X, y = people[["age", "pay", "job"]], people["old"]
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 4.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(UserWarning, match=STATED):
            tacit.LogisticRegression(epsilon=4.0, classes=["no", "yes"], ledger=tmp_path / "people.ledger").fit(X, y)
    assert not tacit.ledger(tmp_path / "people.ledger")["budgets"][0]["charges"]
    with pytest.warns(UserWarning, match=STATED):
        model = tacit.LogisticRegression(epsilon=4.0, classes=["no", "yes"], ledger=tmp_path / "people.ledger").fit(X, y)
    assert len(tacit.ledger(tmp_path / "people.ledger")["budgets"][0]["charges"]) == 1
    assert model.score(X, y) > 0.9 and list(model.curves_) == ["age", "pay", "job"]
    assert model.certificate_["guarantee"]["epsilon"] <= 4.0
    assert [step["mechanism"] for step in model.certificate_["steps"]] == ["private-ranges", "fit"]
    model.save(tmp_path / "model.json")
    tacit.verify(tmp_path / "model.json")
    assert verifier.verify(str(tmp_path / "model.json"), None)["private"]
    people.to_csv(tmp_path / "people.csv", index=False)
    judged = run_tool("evaluate", tmp_path / "model.json", tmp_path / "people.csv", "--json")
    assert json.loads(judged.stdout)["accuracy"] == pytest.approx(model.score(X, y))
    np.testing.assert_array_equal(tacit.load(tmp_path / "model.json").predict(X), model.predict(X))


FIT = """
import sys, warnings
import pandas
import tacit
from tacit import _tables
warnings.simplefilter("ignore")
frame = pandas.read_csv(sys.argv[1], float_precision="round_trip")
X = frame[["age", "pay", "job"]]
model = getattr(tacit, sys.argv[2])(epsilon=4.0, delta=eval(sys.argv[4])).fit(X, frame[sys.argv[3]])
print(model.model_.json)
"""


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize(("estimator", "target", "loss"), [("LogisticRegression", "old", "logistic"), ("LinearRegression", "years", "squared")])
def test_with_the_same_bits_they_are_the_tools(estimator, target, loss, delta, people, tmp_path):
    others = [name for name in ("old", "years") if name != target]
    data = tmp_path / "people.csv"
    people.drop(columns=others).to_csv(data, index=False)
    seed = {"TACIT_TEST_SEED": "77"}
    outcome = subprocess.run(
        [sys.executable, "-c", FIT, data, estimator, target, repr(delta)],
        env={**os.environ, **seed, "PYTHONPATH": str(BUILD / "python_seeded")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    flags = ["--delta", delta] if delta else []
    tool = run_tool("fit", data, "--target", target, "--loss", loss, "--epsilon", 4, *flags, tool="tacit_cli_seeded", **seed)
    assert tool.returncode == 0, tool.stderr
    ours, theirs = json.loads(outcome.stdout), json.loads(tool.stdout)
    assert STATED in tool.stderr
    for part in ("parameters", "schema", "ranges", "target"):
        assert ours[part] == theirs[part], part
    assert ours["certificate"]["steps"] == theirs["certificate"]["steps"]


def test_a_numeric_target_has_a_range_too_and_a_model(people):
    X = people[["age", "pay"]].to_numpy()
    model = quiet(tacit.LinearRegression(epsilon=4.0), X, people["years"].to_numpy())
    error = np.abs(model.predict(X) - people["years"]).mean()
    assert error < 150, "a constant has 720"


def test_a_range_that_noise_hides_is_warned_of_in_both(people, tmp_path):
    few = people.head(60)
    hidden = 'the target "years" is hidden by the noise, and its values are cut to [0, 1]: give its min and max, or more epsilon'
    # Noise alone shows a range in one of 50 searches: in all of three by chance once in 10^5.
    told = []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tacit.LinearRegression(epsilon=0.01, range_share=0.3).fit(few[["age", "pay"]], few["years"])
        told.append(any(hidden in str(warning.message) for warning in caught))
    assert any(told)
    few[["age", "pay", "years"]].to_csv(tmp_path / "few.csv", index=False)
    arguments = ("fit", tmp_path / "few.csv", "--target", "years", "--epsilon", 0.01, "--range-share", 0.3)
    runs = [run_tool(*arguments) for _ in range(3)]
    assert all(run.returncode == 0 for run in runs)
    assert any("Warning: " + hidden in run.stderr for run in runs)
    constant = "Warning: all columns are left out, and the model is a constant"
    assert any(constant in run.stderr and "(the noise hides what it holds; more epsilon would tell)" in run.stderr for run in runs)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"bounds": 5.0}, "a row bound is for numbers as they are"),
        ({"epsilon": np.inf}, "ranges are found under epsilon, or epsilon and delta"),
        ({"mu": 1.0}, "ranges are found under epsilon, or epsilon and delta"),
    ],
)
def test_a_share_without_effect_is_refused(parameters, why, classes):
    with pytest.raises(ValueError, match=f"a range share has no effect here: {why}"):
        tacit.LogisticRegression(range_share=0.2, **parameters).fit(*classes)


def test_numbers_are_taken_as_they_are_where_that_is_asked_for_or_records_are_few(classes):
    X, y = classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tacit.LogisticRegression(range_share=0.0).fit(X, y).coef_.shape == (1, 5)
    assert quiet(tacit.LogisticRegression(), X[:200], y[:200]).coef_.shape == (1, 5)
    assert quiet(tacit.LogisticRegression(), X, y).coef_.shape[1] > 5  # a curve for each


def test_text_without_a_schema_is_found_or_refused_in_one_line(people):
    X, y = people[["age", "job"]], people["old"]
    assert quiet(tacit.LogisticRegression(epsilon=4.0), X, y).score(X, y) > 0.9
    message = 'row 0, column "(job|1)": "[a-z]+" is not a number; text needs schema=, or records enough to find one'
    for table in (X.head(20), X.head(20).to_numpy(), X.head(20).astype({"job": "category"})):
        with pytest.raises(tacit.DataError, match=message) as refusal:
            tacit.LogisticRegression().fit(table, y.head(20))
        assert "\n" not in str(refusal.value)


def test_users_are_protected_with_a_share_that_is_asked_for(people):
    model = quiet_users(people)
    assert model.certificate_["unit"] == "user"
    assert model.certificate_["steps"][0]["mechanism"] == "private-ranges"


def quiet_users(people):
    estimator = tacit.LogisticRegression(epsilon=6.0, delta=1e-5, unit="user", range_share=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(people[["age", "pay"]], people["old"], user_ids=np.arange(len(people)) // 2)


@pytest.mark.parametrize("what", ["label", "weight"])
def test_what_is_wrong_with_a_record_is_found_before_the_charge(what, people, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 4.0})
    years, weights = people["years"].to_numpy(copy=True), np.ones(len(people))
    (years if what == "label" else weights)[5] = np.nan
    estimator = tacit.LinearRegression(epsilon=4.0, weight_bound=1.0, ledger=ledger)
    with pytest.raises(tacit.DataError, match="record 5: the (label is nan, expected a finite|weight is not a) number"):
        estimator.fit(people[["age", "pay"]], years, sample_weight=weights)
    shown = tacit.ledger(ledger)
    assert shown["failed_reads"] == 1 and not shown["budgets"][0]["charges"]


@pytest.mark.parametrize("share", [None, 0.3])
def test_a_refusal_that_tells_of_the_number_of_records_is_counted(share, people, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 4.0})
    options = {"records": len(people) - 1}
    estimator = tacit.LogisticRegression(epsilon=4.0, method="limited-output", range_share=share, options=options, ledger=ledger)
    with pytest.raises(tacit.UsageError, match="the data has more records"):
        estimator.fit(people[["age", "pay"]], people["old"])
    shown = tacit.ledger(ledger)
    assert shown["failed_reads"] == 1 and not shown["budgets"][0]["charges"]


@pytest.mark.parametrize("other", ["x", None, np.nan, 2.5, 10**30, True, b"y", pandas.Timestamp("2024-05-06")])
@pytest.mark.parametrize(
    "column",
    [[1, 2, 3], [1.5, 2.0, -0.0], ["1", "a", " b"], [True, False, True], [None, 1, "1.0"], pandas.to_datetime(["2024-01-01"] * 3)],
    ids=str,
)
def test_one_record_does_not_change_how_the_cells_of_others_are_read(column, other):
    def cells(values):
        read = [list(part) for table in tables(values) for _, part in _tables.raw_columns(table, ["c"])]
        return [[str(value) if value == value else "" for value in part[:2]] for part in read]

    def tables(values):
        yield pandas.DataFrame({"c": pandas.Series(list(values))})
        yield _tables.as_table([[value] for value in values])

    whole = cells(column)
    assert whole[0] == whole[1]
    assert cells([column[0], column[1], other]) == whole


@pytest.mark.parametrize(
    ("method", "options", "why"),
    [
        ("dp-gd", {"steps": 0}, "steps is 0"),
        ("dp-gd", {"records": 0}, "records is 0"),
        ("dp-sgd", {"batch": 5000.0}, "batch is 5000, expected at most the 4000 records"),
        ("auto", {"clip_norm": "0.1", "regularisation": 10.0}, "times regularisation"),
    ],
)
def test_a_bad_option_costs_nothing(method, options, why, people, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": (4.0, 1e-5)}, accountant="approx")
    before = ledger.read_bytes()
    estimator = tacit.LogisticRegression(epsilon=4.0, delta=1e-6, method=method, options=options, ledger=ledger)
    with pytest.raises(tacit.Error, match=why):
        estimator.fit(people[["age", "pay"]], people["old"])
    assert ledger.read_bytes() == before


def test_few_records_are_warned_of_before_the_ranges_are_charged(people, tmp_path):
    few = people.head(1000)
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": (4.0, 1e-5)}, accountant="approx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", tacit.TooFewRecordsWarning)
        with pytest.raises(tacit.TooFewRecordsWarning, match="limited-objective loses less than dp-sgd"):
            tacit.LogisticRegression(epsilon=1.0, delta=1e-6, ledger=ledger).fit(few[["age", "pay"]], few["old"])
    assert not tacit.ledger(ledger)["budgets"][0]["charges"]
