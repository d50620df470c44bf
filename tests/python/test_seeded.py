"""With the same bits, the package and the tool release the same numbers.

Both are linked with seeded bits for this test alone; what they make says so, and what is installed has no seeds."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas
import pytest
from conftest import BUILD, run_tool, write_csv

import tacit

SEED = {"TACIT_TEST_SEED": "12345"}

FIT = """
import json, sys
import numpy as np, pandas
import tacit
estimator, parameters, data, target = json.loads(sys.argv[1])
frame = pandas.read_csv(data, float_precision="round_trip")
model = getattr(tacit, estimator)(**{"range_share": 0.0, **parameters}).fit(frame.drop(columns=target), frame[target])
print(model.model_.json)
"""


def fitted_by_python(estimator, parameters, data):
    outcome = subprocess.run(
        [sys.executable, "-c", FIT, json.dumps([estimator, parameters, str(data), "y"])],
        env={**os.environ, **SEED, "PYTHONPATH": str(BUILD / "python_seeded")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


def fitted_by_the_tool(data, *flags):
    outcome = run_tool("fit", data, "--target", "y", "--range-share", "0", *flags, tool="tacit_cli_seeded", **SEED)
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize(
    ("estimator", "parameters", "flags"),
    [
        ("LogisticRegression", {}, ["--loss", "logistic", "--epsilon", "1"]),
        ("LogisticRegression", {"bounds": 5.0}, ["--loss", "logistic", "--epsilon", "1", "--row-bound", "5"]),
        ("LogisticRegression", {"mu": 1.0}, ["--loss", "logistic", "--mu", "1"]),
        ("LinearSVC", {"epsilon": 2.0}, ["--loss", "hinge", "--epsilon", "2"]),
        ("SoftmaxRegression", {"fit_intercept": False}, ["--loss", "softmax", "--epsilon", "1", "--no-intercept"]),
        ("MLPClassifier", {"hidden_units": 8}, ["--loss", "relu-network", "--hidden", "8", "--epsilon", "1", "--delta", "1e-5"]),
    ],
)
def test_classifiers_are_the_tools(estimator, parameters, flags, classes, tmp_path):
    data = write_csv(tmp_path / "data.csv", *classes)
    ours, theirs = fitted_by_python(estimator, parameters, data), fitted_by_the_tool(data, *flags)
    assert ours["parameters"] == theirs["parameters"]
    assert ours["certificate"]["steps"] == theirs["certificate"]["steps"]
    assert ours["certificate"]["seeded"] and not ours["certificate"]["private"]


@pytest.mark.parametrize(
    ("estimator", "parameters", "flags"),
    [
        ("LinearRegression", {}, ["--loss", "squared", "--epsilon", "1"]),
        ("Ridge", {"options": {"regularisation": 0.1}}, ["--loss", "squared", "--epsilon", "1", "--regularisation", "0.1"]),
        ("HuberRegressor", {"width": 0.5}, ["--loss", "huber", "--loss-parameter", "0.5", "--epsilon", "1"]),
        ("QuantileRegressor", {"quantile": 0.3}, ["--loss", "pinball", "--loss-parameter", "0.3", "--epsilon", "1"]),
    ],
)
def test_regressors_are_the_tools(estimator, parameters, flags, numbers, tmp_path):
    data = write_csv(tmp_path / "data.csv", *numbers)
    ours, theirs = fitted_by_python(estimator, parameters, data), fitted_by_the_tool(data, *flags)
    assert ours["parameters"] == theirs["parameters"]
    for part in ("offset", "scale"):
        assert ours["target"][part] == theirs["target"][part]


@pytest.mark.parametrize("categories", [2, 12])  # rows are stored dense with few, sparse with many
def test_a_schema_means_the_same(categories, tmp_path):
    random = np.random.default_rng(3)
    names = [f"k{i}" for i in range(categories)]
    frame = pandas.DataFrame(
        {
            "age": random.integers(0, 130, size=400),
            "job": random.choice([*names, "unheard of"], size=400),
            "pay": np.round(random.lognormal(size=400), 3),
            "y": random.choice(["no", "yes"], size=400),
        }
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    schema = {
        "columns": {
            "age": {"type": "numeric", "min": 0, "max": 100},
            "job": {"type": "categorical", "categories": names},
            "pay": {"type": "numeric", "min": 0, "max": 10, "transform": "log1p"},
        },
        "target": {"column": "y", "classes": ["no", "yes"]},
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    ours = fitted_by_python("LogisticRegression", {"schema": schema}, tmp_path / "data.csv")
    theirs = fitted_by_the_tool(tmp_path / "data.csv", "--schema", tmp_path / "schema.json", "--epsilon", "1")
    assert ours["parameters"] == theirs["parameters"]
    assert ours["certificate"] == theirs["certificate"]
    assert ours["schema"] == theirs["schema"]


def test_what_is_installed_offers_no_seed(classes):
    X, y = classes
    for name in ("seed", "random_state"):
        with pytest.raises(TypeError):
            tacit.LogisticRegression(**{name: 1})
    os.environ.update(SEED)
    first, second = (tacit.LogisticRegression(bounds=5.0).fit(X, y) for _ in range(2))
    assert (first.coef_ != second.coef_).all()
    assert not first.certificate_["seeded"]
