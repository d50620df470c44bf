"""Cells that a model's schema does not cover, truth values as categories, and columns by their names."""

import math
import warnings

import numpy as np
import pandas
import pytest

import tacit

COUNT = 400
RANDOM = np.random.default_rng(7)
SMOKER = RANDOM.integers(0, 2, COUNT).astype(bool)
AGE = RANDOM.integers(18, 90, COUNT)
SICK = np.where(SMOKER, "yes", "no")
SCHEMA = {
    "columns": {
        "smoker": {"type": "categorical", "categories": ["false", "true"]},
        "age": {"type": "numeric", "min": 0, "max": 90},
        "name": {"type": "ignore"},
    },
    "target": {"column": "sick", "classes": ["no", "yes"]},
}
PEOPLE = pandas.DataFrame({"smoker": SMOKER, "age": AGE, "name": "x"})
AS_TEXT = PEOPLE.assign(smoker=np.where(SMOKER, "true", "false"))


@pytest.fixture(scope="module")
def model():
    return tacit.LogisticRegression(epsilon=30.0, schema=SCHEMA).fit(AS_TEXT, SICK)


def told(work):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        work()
    return [str(one.message) for one in heard]


@pytest.mark.parametrize("kind", [bool, object, "boolean"])
def test_a_truth_value_is_the_category_that_is_its_text(model, kind):
    frame = PEOPLE.astype({"smoker": kind})
    assert (model.predict(frame) == model.predict(AS_TEXT)).all()
    assert model.score(frame, SICK) > 0.95
    assert told(lambda: model.predict(frame)) == []
    fitted = tacit.LogisticRegression(epsilon=30.0, schema=SCHEMA).fit(frame, SICK)
    assert fitted.score(AS_TEXT, SICK) > 0.95


def test_of_two_categories_the_exact_text_counts():
    schema = {"columns": {"smoker": {"type": "categorical", "categories": ["True", "true", "False"]}}}
    assert tacit._tables._truth_texts(schema["columns"]["smoker"]["categories"]) == {False: "False", True: "True"}
    assert tacit._tables._truth_texts(["TRUE", "no"]) == {False: "False", True: "TRUE"}


def test_a_truth_value_is_the_class_that_is_its_text():
    schema = {"columns": SCHEMA["columns"], "target": {"column": "sick", "classes": ["false", "true"]}}
    fitted = tacit.LogisticRegression(epsilon=30.0, schema=schema).fit(PEOPLE, SMOKER)
    assert fitted.score(PEOPLE, SMOKER) > 0.95


def test_cells_that_the_schema_does_not_cover_are_told(model, tmp_path):
    other = AS_TEXT.assign(smoker=np.where(SMOKER, "TRUE", "FALSE"), age=AGE + 200)
    heard = told(lambda: model.predict(other))
    assert [text.partition(":")[0] for text in heard] == ['column "smoker"', 'column "age"']
    assert heard[0].startswith('column "smoker": none of its 400 cells is one of the categories "false", "true"')
    assert 'column "age": none of its 400 cells is within 0 to 90' in heard[1]
    labelled = other.assign(sick=SICK)
    model.save(file := tmp_path / "told.json")
    assert len(told(lambda: tacit.evaluate(file, labelled, epsilon=math.inf))) == 2
    labelled.to_csv(tmp_path / "told.csv", index=False)
    assert len(told(lambda: tacit.evaluate(file, tmp_path / "told.csv", epsilon=math.inf))) == 2
    assert not [text for text in told(lambda: tacit.evaluate(file, labelled, epsilon=5.0)) if "cells" in text]
    assert told(lambda: model.predict(other[:5])) == [], "of few cells, many may be rare ones"


def test_with_a_schema_columns_go_by_their_names(model, tmp_path):
    model.save(file := tmp_path / "named.json")
    for predicts in (model, tacit.load(file)):
        expected = predicts.predict(AS_TEXT)
        for frame in (AS_TEXT[["name", "age", "smoker"]], AS_TEXT.assign(more="y"), AS_TEXT.drop(columns="name")):
            assert (predicts.predict(frame) == expected).all()
        with pytest.raises(tacit.DataError, match='there is no column "age", which the model was fitted with'):
            predicts.predict(AS_TEXT.drop(columns="age"))


def test_an_evaluation_whose_interval_is_everything_says_so(model, tmp_path):
    labelled = AS_TEXT.assign(sick=SICK)
    heard = told(lambda: tacit.evaluate(model, labelled, epsilon=0.001))
    assert any(text.startswith("the interval of accuracy is all that there is, 0 to 1") for text in heard)
    assert not [text for text in told(lambda: tacit.evaluate(model, labelled, epsilon=50.0)) if "all that there is" in text]


def test_a_schema_that_leaves_columns_out_says_so():
    frame = pandas.DataFrame({"age": AGE, "flat": 1, "sick": SICK})
    heard = told(lambda: tacit.schema(frame, target="sick", classes=["no", "yes"], epsilon=50.0))
    assert any(text.startswith("Left out: flat (") for text in heard), heard
