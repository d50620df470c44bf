"""Labels and classes: compared by value, predicted in the labels' own type."""

import numpy as np
import pandas
import pytest

import tacit

X = np.random.default_rng(0).normal(size=(400, 2))
Y = (X[:, 0] > 0).astype(int)
SCHEMA = {
    "columns": {str(j): {"type": "numeric", "min": -3, "max": 3} for j in range(2)},
    "target": {"column": "y", "classes": ["0", "1"]},
}
LABELS = {
    "int": Y,
    "float": Y.astype(float),
    "float32": Y.astype(np.float32),
    "bool": Y.astype(bool),
    "text": Y.astype(str),
    "object": Y.astype(object),
    "texts in objects": Y.astype(str).astype(object),
    "series": pandas.Series(Y),
}


def refusal(y, **parameters):
    with pytest.raises(ValueError) as caught:
        tacit.LogisticRegression(**parameters).fit(X, y)
    assert isinstance(caught.value, tacit.Error)
    return str(caught.value)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("public", [{"classes": [0, 1]}, {"classes": ["0", "1"]}, {"schema": SCHEMA}, {}])
def test_predictions_have_the_type_of_the_labels(labels, public):
    y = LABELS[labels]
    if labels == "object" and not public:
        pytest.raises(ValueError, tacit.LogisticRegression().fit, X, y)  # scikit-learn takes them for nothing it knows
        return
    model = tacit.LogisticRegression(epsilon=np.inf, **public).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.95
    assert type(model.predict(X).tolist()[0]) is type(y.tolist()[0])


def test_a_label_is_a_class_by_its_value():
    assert tacit.LogisticRegression(epsilon=np.inf, classes=[False, True]).fit(X, Y).score(X, Y) > 0.95
    assert tacit.LogisticRegression(epsilon=np.inf, classes=["False", "True"]).fit(X, Y > 0).score(X, Y > 0) > 0.95
    model = tacit.LogisticRegression(epsilon=np.inf, classes=[1.0, 0.0]).fit(X, Y)
    assert model.classes_.tolist() == [1, 0] and model.score(X, Y) > 0.95


def test_a_class_that_the_type_of_the_labels_cannot_hold_stays_what_it_is():
    model = tacit.LogisticRegression(epsilon=np.inf, classes=[0, 1, 2.5]).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2.5] and model.score(X, Y) > 0.95


def test_a_missing_label_is_named_by_its_row():
    broken = Y.astype(float)
    broken[3] = np.nan
    told = 'row 3: "nan" is not a class, expected one of "0", "1"'
    assert refusal(broken, classes=[0, 1]) == told
    assert refusal(broken, schema=SCHEMA) == told
    for y in (broken, np.where(np.isnan(broken), None, Y.astype(object))):
        assert "missing" in refusal(y)


@pytest.mark.parametrize("classes", ["01", 3, b"01", {0, 1}, {0: 1}, [[0, 1]], [0, None], []])
def test_classes_are_a_list(classes):
    assert refusal(Y, classes=classes).startswith("classes is ")


def test_classes_differ():
    assert refusal(Y, classes=[0, 0, 1]) == 'classes: "0" appears twice'
    assert "appears twice" in refusal(Y, classes=[0, 1, 1.0])
    assert "appears twice" in refusal(Y, classes=["0", "1", "01"])
    assert refusal(Y, classes=[0]) == "only one class is given, expected at least two"
    assert "NaN" in refusal(Y, classes=[0, 1, np.nan])


def test_labels_that_no_file_can_hold():
    assert refusal(np.where(Y, "\udc80", "a")) == r"the class '\udc80' is not UTF-8 text"
    assert "not all of one kind" in refusal(np.array(["a", 0] * 200, dtype=object))
