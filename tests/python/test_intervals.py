"""Intervals of coefficients from Python: those of the model file, in the estimator's own order and units."""

import json

import numpy as np
import pytest
from conftest import run_tool

import tacit

X = np.random.default_rng(0).uniform(0, 1, size=(8000, 2))
NOISE = np.random.default_rng(1)


def test_they_lie_around_the_coefficients_and_are_in_the_file(tmp_path):
    y = X @ [2.0, -1.0] + NOISE.normal(size=len(X)) * 0.1
    model = tacit.LinearRegression(epsilon=8.0, bounds=(0, 1), target_bounds=(-2, 3), encoder="linear", intervals=0.9).fit(X, y)
    found = model.confidence_intervals_
    assert found.level == 0.9 and found.coef.shape == (2, 2)
    assert np.all(found.coef[:, 0] <= found.minimiser_coef[:, 0]) and np.all(found.minimiser_coef[:, 1] <= found.coef[:, 1])
    assert np.all(found.coef[:, 0] < model.coef_) and np.all(model.coef_ < found.coef[:, 1])
    assert found.intercept[0] < model.intercept_ < found.intercept[1]
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["intervals"]["level"] == 0.9
    assert run_tool("verify", str(tmp_path / "model.json")).returncode == 0
    again = tacit.load(tmp_path / "model.json")
    assert np.array_equal(again.confidence_intervals_.coef, found.coef)


def test_they_follow_the_order_of_the_classes():
    """The first class of the file is the estimator's second: signs and ends change places."""
    y = np.where(X[:, 0] + 0.5 * NOISE.normal(size=len(X)) > 0.5, "a", "b")
    model = tacit.LogisticRegression(epsilon=8.0, bounds=(0, 1), classes=["b", "a"], encoder="linear", intervals=0.95)
    found = model.fit(X, y).confidence_intervals_
    assert list(model.classes_) == ["a", "b"]
    assert found.coef.shape == (1, 2, 2)
    assert np.all(found.coef[..., 0] < model.coef_) and np.all(model.coef_ < found.coef[..., 1])
    assert found.coef[0, 0, 1] < 0, "the first feature speaks for a, the first class"


def test_without_a_level_there_are_none_and_where_they_are_unknown_one_line_says_so():
    y = X[:, 0] > 0.5
    model = tacit.LogisticRegression(epsilon=4.0, bounds=(0, 1), classes=[False, True], intervals=0.95, encoder="linear").fit(X, y)
    assert hasattr(model, "confidence_intervals_")
    assert not hasattr(model.set_params(intervals=None).fit(X, y), "confidence_intervals_")
    with pytest.raises(tacit.UsageError, match="they are for the losses"):
        tacit.LinearSVC(epsilon=4.0, bounds=(0, 1), classes=[False, True], intervals=0.95).fit(X, y)


def test_noise_that_hides_the_curvature_is_told_as_the_tool_tells_it():
    few = X[:400]
    model = tacit.LinearRegression(epsilon=0.2, bounds=(0, 1), target_bounds=(-2, 3), encoder="linear", intervals=0.9)
    with pytest.warns(UserWarning, match="noise hides the curvature in . of 3 directions"):
        model.fit(few, few @ [2.0, -1.0])
