"""What each column of a model adds, as arrays and drawn."""

import importlib.util
import json

import numpy as np
import pandas
import pytest
from conftest import run_tool

import tacit

SCHEMA = {
    "columns": {
        "age": {"type": "numeric", "min": 0, "max": 80, "knots": 5},
        "gain": {"type": "numeric", "min": 0, "max": 1000, "knots": 3, "transform": "log1p"},
        "job": {"type": "categorical", "categories": ["clerk", "smith"]},
    },
    "pairs": [["age", "job"]],
}


@pytest.fixture
def people():
    random = np.random.default_rng(5)
    frame = pandas.DataFrame(
        {
            "age": random.uniform(0, 80, 2000),
            "gain": random.uniform(0, 1000, 2000),
            "job": random.choice(["clerk", "smith"], 2000),
        }
    )
    return frame, np.where(np.abs(frame["age"] - 40) < 20, "b", "a")


def test_curves_add_up_to_the_decision(people):
    X, y = people
    model = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA, classes=["a", "b"]).fit(X, y)
    curves = model.curves_
    assert list(curves) == ["age", "gain", "job", "age*job"]
    assert curves["age"].x.tolist() == [0, 20, 40, 60, 80] and curves["age"].y.shape == (5,)
    assert curves["job"].x.tolist() == ["clerk", "smith", "other"]
    assert curves["age*job"].y.shape == (5, 3) and curves["gain"].log1p_from == 0
    # At knots the decision differs by what the curves differ by.
    cells = pandas.DataFrame({"age": [20, 60], "gain": [0, 0], "job": ["smith", "smith"]})
    low, high = model.decision_function(cells)
    change = curves["age"].y[3] - curves["age"].y[1] + curves["age*job"].y[3, 1] - curves["age*job"].y[1, 1]
    assert high - low == pytest.approx(change)


def test_curves_speak_for_the_second_class_as_sorted(people):
    X, y = people
    swapped = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA, classes=["b", "a"]).fit(X, y)
    straight = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA, classes=["a", "b"]).fit(X, y)
    assert swapped.curves_["age"].y == pytest.approx(straight.curves_["age"].y, abs=1e-3)
    assert straight.curves_["age"].y[2] > straight.curves_["age"].y[0]


def test_several_classes_have_a_row_each(people):
    X, _ = people
    y = np.digitize(X["age"], [25, 55])
    model = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA, classes=[2, 0, 1]).fit(X, y)
    curve = model.curves_["age"]
    assert curve.y.shape == (3, 5)
    rise = curve.y[:, 3:].mean(axis=1) - curve.y[:, :2].mean(axis=1)
    assert rise[0] < 0 < rise[2]  # in the order of classes_


def test_intervals_are_there_where_the_law_of_the_noise_is_known(people):
    X, y = people
    model = tacit.LogisticRegression(epsilon=1.0, schema=SCHEMA, classes=["b", "a"], method="limited-output").fit(X, y)
    for curve in model.curves_.values():
        assert curve.interval.shape == (*curve.y.shape, 2)
        assert (curve.interval[..., 0] < curve.y).all() and (curve.y < curve.interval[..., 1]).all()
    other = tacit.LogisticRegression(epsilon=1.0, schema=SCHEMA, classes=["a", "b"], method="limited-objective").fit(X, y)
    assert other.curves_["age"].interval is None and "depends on the records" in other.curves_["age"].no_interval


def test_noise_leaves_the_interval_as_often_as_it_says():
    # Zeros without a label's influence: the minimiser is 0 for balanced labels, so y is noise alone. 400 points, each
    # outside with probability 0.05: more than 40 has a probability below 1e-4.
    X = np.zeros((400, 1))
    y = np.arange(400) % 2
    schema = {"columns": {"0": {"type": "numeric", "min": -1, "max": 1, "knots": 1}}}
    outside = 0
    for _ in range(400):
        model = tacit.LogisticRegression(epsilon=1.0, schema=schema, classes=[0, 1], method="limited-output").fit(X, y)
        low, high = model.curves_["0"].interval[0]
        outside += not low <= 0 <= high
    assert 3 <= outside <= 40


def test_the_tool_tells_the_same(people, tmp_path):
    model = tacit.LogisticRegression(schema=SCHEMA, classes=["a", "b"]).fit(*people)
    model.save(tmp_path / "model.json")
    told = json.loads(run_tool("report", tmp_path / "model.json", "--json").stdout)["curves"]
    assert told["age"]["y"] == model.curves_["age"].y.tolist()
    assert model.plot(output=tmp_path / "curves.svg") == tmp_path / "curves.svg"
    assert (tmp_path / "curves.svg").read_text() == run_tool("plot", tmp_path / "model.json").stdout


def test_plot_draws_with_and_without_matplotlib(people, monkeypatch):
    model = tacit.LogisticRegression(schema=SCHEMA, classes=["a", "b"]).fit(*people)
    if importlib.util.find_spec("matplotlib"):
        assert len(model.plot().axes) >= 4
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    drawn = model.plot("age")
    assert drawn.startswith("<svg") and drawn._repr_svg_() == drawn


def test_what_has_no_curves_says_why(classes):
    X, y = classes
    raw = tacit.LogisticRegression(bounds=5.0, classes=[0, 1]).fit(X, y)
    for ask in (lambda: raw.curves_, raw.plot):
        with pytest.raises(tacit.UsageError, match="without a schema"):
            ask()
    model = tacit.LogisticRegression(bounds=(-4, 4), classes=[0, 1]).fit(X, y)
    with pytest.raises(tacit.UsageError, match='no column "age", expected one of'):
        model.plot("age")


def test_noise_of_what_no_record_has_is_told(people):
    X, y = people
    model = tacit.LogisticRegression(epsilon=1.0, schema=SCHEMA, classes=["b", "a"], method="limited-objective").fit(X, y)
    job = model.curves_["job"]
    assert job.noise.shape == job.y.shape and (job.noise > 0).all() and job.no_noise is None
    assert job.noise[2] < job.noise[0], "what is not listed counts less"
    without = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA, classes=["a", "b"]).fit(X, y)
    assert without.curves_["job"].noise is None and "without noise" in without.curves_["job"].no_noise
