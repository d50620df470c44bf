"""Model files as estimators, and files with more columns than a model looks at."""

import json
import warnings

import numpy as np
import pandas
import pytest
from conftest import run_tool

import tacit


@pytest.fixture
def people():
    random = np.random.default_rng(6)
    frame = pandas.DataFrame({"age": random.uniform(0, 100, 2000), "pay": random.uniform(0, 10, 2000)})
    return frame, pandas.Series(np.where(frame["age"] > 50, "old", "young"), name="kind")


BOUNDS = ([0, 0], [100, 10])


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (tacit.LogisticRegression, {"classes": ["old", "young"]}),
        (tacit.SoftmaxRegression, {"classes": ["young", "old"]}),
        (tacit.LinearSVC, {"classes": ["old", "young"], "fit_intercept": False}),
        (tacit.MLPClassifier, {"classes": ["old", "young"], "hidden_units": 3, "activation": "tanh"}),
        (tacit.LinearRegression, {"target_bounds": (0, 100)}),
        (tacit.HuberRegressor, {"target_bounds": (0, 100), "width": 0.5}),
        (tacit.QuantileRegressor, {"target_bounds": (0, 100), "quantile": 0.25}),
        (tacit.PoissonRegressor, {"target_bounds": (0, 100)}),
    ],
)
def test_what_is_saved_is_loaded(estimator, parameters, people, tmp_path):
    X, kinds = people
    y = kinds if "classes" in parameters else X["age"].rename("years")
    model = estimator(bounds=BOUNDS, **parameters).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tacit.load(tmp_path / "model.json")
    assert type(loaded) is estimator
    for name in ("width", "quantile", "hidden_units", "activation", "fit_intercept"):
        if name in model.get_params():
            assert loaded.get_params()[name] == model.get_params()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.certificate_ == model.certificate_ and loaded.encoded_names_ == model.encoded_names_
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_what_intervals_took_counts_as_asked_for(people, tmp_path):
    X, kinds = people
    model = tacit.LogisticRegression(bounds=BOUNDS, classes=["old", "young"], intervals=0.9, encoder="linear").fit(X, kinds)
    model.save(tmp_path / "model.json")
    loaded = tacit.load(tmp_path / "model.json")
    assert loaded.epsilon == pytest.approx(1.0, rel=1e-12)  # of the two parts together
    assert loaded.intervals == 0.9


def test_a_model_of_the_tools_is_loaded(people, tmp_path):
    X, y = people
    table = X.assign(kind=y, note="a text")
    table.to_csv(tmp_path / "people.csv", index=False)
    schema = {
        "columns": {name: {"type": "numeric", "min": 0, "max": most} for name, most in (("age", 100), ("pay", 10))},
        "target": {"column": "kind", "classes": ["old", "young"]},
        "others": "ignore",
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    made = run_tool(
        "fit", tmp_path / "people.csv", "--schema", tmp_path / "schema.json", "--epsilon", 2, "--model", tmp_path / "model.json"
    )
    assert made.returncode == 0, made.stderr
    model = tacit.load(tmp_path / "model.json")
    assert model.score(X, y) > 0.9 and model.epsilon == pytest.approx(2) and list(model.curves_) == ["age", "pay"]
    with pytest.raises(ValueError, match='there is no column "pay"'):
        model.predict(X[["age"]])


@pytest.mark.parametrize("described", [True, False])
def test_a_file_may_have_further_columns_in_any_order(described, people, tmp_path):
    X, y = people
    settings = {"bounds": BOUNDS} if described else {"bounds": 101.0}
    model = tacit.LogisticRegression(classes=["old", "young"], epsilon=4.0, **settings).fit(X, y)
    model.save(tmp_path / "model.json")
    X.assign(kind=y, note="a text")[["note", "pay", "kind", "age"]].to_csv(tmp_path / "more.csv", index=False)
    judged = run_tool("evaluate", tmp_path / "model.json", tmp_path / "more.csv", "--json")
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)["accuracy"] == pytest.approx(model.score(X, y))
    told = run_tool("predict", tmp_path / "model.json", tmp_path / "more.csv")
    assert told.returncode == 0, told.stderr
    private = tacit.evaluate(tmp_path / "model.json", tmp_path / "more.csv", epsilon=50.0)
    assert private["accuracy"] == pytest.approx(model.score(X, y), abs=0.05)
    X[["pay"]].assign(kind=y).to_csv(tmp_path / "less.csv", index=False)
    assert run_tool("evaluate", tmp_path / "model.json", tmp_path / "less.csv").returncode == 65


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "No such file"), ("{}", "this is not a tacit model"), ("[", "the file ends in the middle")],
)
def test_what_is_no_model_is_refused(text, message, tmp_path):
    if text is not None:
        (tmp_path / "model.json").write_text(text)
    with pytest.raises(tacit.Error, match=message):
        tacit.load(tmp_path / "model.json")


def test_a_loss_without_an_estimator_is_named(people, tmp_path):
    X, _ = people
    X.to_csv(tmp_path / "data.csv", index=False)
    made = run_tool("fit", tmp_path / "data.csv", "--target", "age", "--loss", "absolute", "--epsilon", 1, "--range-share", 0,
                    "--model", tmp_path / "model.json")
    assert made.returncode == 0, made.stderr
    with pytest.raises(ValueError, match="has the loss absolute, for which there is no estimator; `tacit predict` takes it"):
        tacit.load(tmp_path / "model.json")
