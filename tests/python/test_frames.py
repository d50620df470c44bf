"""Data frames: names and users travel with them, into model files that the tool reads."""

import numpy as np
import pandas
import pytest
from conftest import run_tool

import tacit

COLUMNS = {name: {"type": "numeric", "min": -4, "max": 4} for name in "abc"}


@pytest.fixture
def people():
    random = np.random.default_rng(3)
    X = pandas.DataFrame(random.normal(size=(2000, 3)), columns=list("abc"))
    return X, pandas.Series(np.where(X.a > 0, "yes", "no"), name="rich")


@pytest.mark.parametrize("public", [{"bounds": 5.0}, {"bounds": (-4, 4)}, {"schema": {"columns": COLUMNS}}])
def test_the_tool_predicts_with_a_frames_model_whether_the_labels_are_there_or_not(people, public, tmp_path):
    X, y = people
    model = tacit.LogisticRegression(epsilon=5.0, classes=["no", "yes"], **public).fit(X, y)
    model.save(tmp_path / "model.json")
    X.to_csv(tmp_path / "x.csv", index=False)
    X.assign(rich=y).to_csv(tmp_path / "xy.csv", index=False)
    for file in ("x.csv", "xy.csv"):
        outcome = run_tool("predict", tmp_path / "model.json", tmp_path / file)
        assert outcome.returncode == 0, outcome.stderr
        assert [line.split(",")[0] for line in outcome.stdout.split()[1:]] == model.predict(X).tolist()
    assert run_tool("evaluate", tmp_path / "model.json", tmp_path / "xy.csv").returncode == 0


def test_labels_named_like_a_feature_do_not_hide_it(people, tmp_path):
    X, y = people
    tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"]).fit(X, y.rename("a")).save(tmp_path / "model.json")
    X.to_csv(tmp_path / "x.csv", index=False)
    assert run_tool("predict", tmp_path / "model.json", tmp_path / "x.csv").returncode == 0


def test_users_come_from_the_schemas_column(people, tmp_path):
    X, y = people
    schema = {"columns": COLUMNS, "user": {"column": "id"}, "target": {"column": "rich", "classes": ["no", "yes"]}}
    whose = np.repeat([f"p{k}" for k in range(500)], 4)
    estimator = tacit.LogisticRegression(epsilon=2.0, delta=1e-5, unit="user", schema=schema)
    by_column = estimator.fit(X.assign(id=whose), y)
    assert by_column.certificate_["unit"] == "user"
    assert by_column.certificate_["assumed_public"]["users"] == 500
    assert by_column.feature_names_in_.tolist() == list("abc")
    assert (by_column.predict(X) == by_column.predict(X.assign(id="new"))).all()

    with pytest.raises(ValueError, match='in the column "id" of X; leave out user_ids'):
        estimator.fit(X.assign(id=whose), y, user_ids=whose)
    with pytest.raises(ValueError, match="row 1: the user id is empty"):
        estimator.fit(X.assign(id=["p0", None, *whose[2:]]), y)
    with pytest.raises(ValueError, match="names users"):
        tacit.LogisticRegression(schema=schema).fit(X.assign(id=whose), y)
    with pytest.raises(ValueError, match="go together"):
        estimator.fit(X, y)


@pytest.mark.parametrize("ids", [[1.0, float("nan")], [None, "a"], ["", "a"], pandas.array([pandas.NA, "a"])])
def test_missing_user_ids_are_refused(people, ids):
    with pytest.raises(ValueError, match="the user id is empty"):
        tacit.LogisticRegression(epsilon=2.0, delta=1e-5, unit="user", bounds=5.0).fit(*people, user_ids=np.tile(np.asarray(ids), 1000))


def test_the_report_is_written_from_python(people, tmp_path):
    X, y = people
    tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"]).fit(X, y).save(tmp_path / "model.json")
    assert tacit.report(tmp_path / "model.json", tmp_path / "report.html") == []
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    tacit.LogisticRegression(epsilon=np.inf, classes=["no", "yes"]).fit(X, y).save(tmp_path / "plain.json")
    with pytest.raises(tacit.VerificationError, match="without any privacy"):
        tacit.report(tmp_path / "plain.json", tmp_path / "plain.html")
    assert "without any privacy" in (tmp_path / "plain.html").read_text()
    with pytest.raises(tacit.NotFoundError):
        tacit.report(tmp_path / "none.json", tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_few_records_are_warned_of(people):
    X, y = people
    few = tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"])
    with pytest.warns(tacit.TooFewRecordsWarning, match="^1 record is few for 4 parameters at this privacy"):
        few.fit(X[:1], y[:1])
