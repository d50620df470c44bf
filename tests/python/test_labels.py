"""Labels and classes: compared by value, predicted in the type of the stated classes; a schema's in that of the labels."""

import json
import pickle
from decimal import Decimal

import numpy as np
import pandas
import pytest
from conftest import run_tool
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score

import tacit
from tacit import _labels

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


STATED = {
    "classes as numbers": ({"classes": [0, 1]}, np.dtype(int)),
    "classes as truth": ({"classes": [False, True]}, np.dtype(bool)),
    "classes as texts": ({"classes": ["0", "1"]}, np.dtype("U1")),
    "schema": ({"schema": SCHEMA}, np.dtype(int)),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("stated", STATED)
def test_predictions_have_the_type_of_the_stated_classes(labels, stated):
    public, kind = STATED[stated]
    if stated == "schema" and labels in ("text", "texts in objects"):  # it writes all classes as texts, whatever they are
        kind = np.dtype("U1")
    if labels == "text" and stated == "classes as truth" or labels == "texts in objects" and stated == "classes as truth":
        y = np.where(Y, "True", "False")
    else:
        y = LABELS[labels]
    model = tacit.LogisticRegression(epsilon=np.inf, **public).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.classes_.dtype == kind and model.predict(X).dtype == kind


@pytest.mark.parametrize("labels", LABELS)
def test_predictions_have_the_type_of_the_labels_where_nothing_is_stated(labels):
    y = LABELS[labels]
    model = tacit.LogisticRegression(epsilon=np.inf).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.95
    assert type(model.predict(X).tolist()[0]) is type(y.tolist()[0])


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1), np.int8(1), True, "1", "1 ", b"1", Decimal("1.0")])
@pytest.mark.parametrize("public", [{"classes": [0, 1]}, {"schema": SCHEMA}])
def test_one_label_of_another_type_changes_nothing_for_the_others(one, public):
    at = int(np.flatnonzero(Y)[0])
    y = [*Y[:at].tolist(), one, *Y[at + 1 :].tolist()]
    for labels in (y, np.array(y, dtype=object), pandas.Series(y), pandas.Series(y, dtype=object)):
        if "schema" in public and isinstance(one, (str, bytes)):  # it would say of what type all predictions are
            assert refusal(labels, **public) == "the labels are not all of one kind, as texts or numbers are"
            continue
        model = tacit.LogisticRegression(epsilon=np.inf, **public).fit(X, labels)
        assert model.classes_.dtype == int and model.predict(X).dtype == int
        assert model.score(X, y) == model.score(X, Y) > 0.95


def test_floats_that_cannot_tell_labels_apart_are_refused_by_their_type():
    labels = np.where(Y, 2.0**60, 5.0)
    told = refusal(labels, classes=[5, 2**60])
    assert told.startswith("the labels are of the type float64, in which whole numbers from 2^53 on are not distinct")
    assert tacit.LogisticRegression(epsilon=np.inf, classes=[5, 2**60 + 1]).fit(X, [2**60 + 1 if y else 5 for y in Y]).score(X, Y) == 0


def test_scores_count_by_value_and_a_label_that_is_no_class_as_wrong():
    model = tacit.LogisticRegression(epsilon=np.inf, classes=[0, 1]).fit(X, Y)
    assert model.score(X, Y) == model.score(X, Y.astype(str)) == model.score(X, (Y > 0).tolist()) > 0.95
    assert model.score(X, ["none"] * 400) == 0
    with pytest.raises(tacit.DataError, match="there are 3 labels for 400 records"):
        model.score(X, Y[:3])
    found = tacit.LogisticRegression(epsilon=np.inf).fit(X, np.where(Y, "01", "1"))
    assert found.score(X, np.where(Y, "01", "1")) > 0.95


def test_a_label_is_a_class_by_its_value():
    assert tacit.LogisticRegression(epsilon=np.inf, classes=[False, True]).fit(X, Y).score(X, Y) > 0.95
    assert tacit.LogisticRegression(epsilon=np.inf, classes=["False", "True"]).fit(X, Y > 0).score(X, Y > 0) > 0.95
    model = tacit.LogisticRegression(epsilon=np.inf, classes=[1.0, 0.0]).fit(X, Y)
    assert model.classes_.tolist() == [0, 1] and model.score(X, Y) > 0.95


@pytest.mark.parametrize("stated", STATED)
def test_a_text_is_also_a_class_as_another_text_of_its_number(stated):
    public, _ = STATED[stated]
    expected = tacit.LogisticRegression(epsilon=np.inf, **public).fit(X, Y)
    for zero, one in (("0.0", "1.0"), ("-0", "+1"), ("00", " 01"), (b"0e0", b"1e0")):
        texts = [one if label else zero for label in Y]
        model = tacit.LogisticRegression(epsilon=np.inf, **public).fit(X, texts)
        assert (model.coef_ == expected.coef_).all() and model.score(X, texts) == expected.score(X, Y)
    assert 'row 0: "1.5" is not a class' in refusal(["1.5", *Y.astype(str).tolist()[1:]], **public)


@pytest.mark.parametrize("dtype", [object, "string"])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "roc_auc"])
def test_scikit_learns_scorers_take_labels_that_are_texts(scoring, dtype):
    y = pandas.Series(Y.astype(str), dtype=dtype, name="y")
    model = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA)
    assert cross_val_score(model, X, y, scoring=scoring, error_score="raise").min() > 0.9
    assert model.fit(X, y).score(X, Y) > 0.95 and model.predict_proba(X).shape == (400, 2)


def test_a_missing_label_among_texts_of_a_schema_is_named_by_its_row():
    y = [None, *Y.astype(str)[1:]]
    assert refusal(y, schema=SCHEMA) == 'row 0: the label is missing; records whose label is not known must be left out'


def test_texts_of_numbers_that_are_not_told_apart_are_no_other_texts():
    large = [str(2**53), str(2**53 + 2)]
    assert tacit.LogisticRegression(epsilon=np.inf, classes=large).fit(X, [large[y] for y in Y]).score(X, [large[y] for y in Y]) > 0.95
    assert "is not a class" in refusal([f"{large[y]}.0" for y in Y], classes=large)
    small = [str(2**53 - 1), "0"]
    assert tacit.LogisticRegression(epsilon=np.inf, classes=small).fit(X, [f"{small[y]}.0" for y in Y]).score(X, [small[y] for y in Y]) > 0.95


def test_an_evaluation_reads_texts_as_the_tool_does(tmp_path):
    tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA).fit(X, Y).save(tmp_path / "model.json")
    frame = pandas.DataFrame({"0": X[:, 0], "1": X[:, 1], "y": [f"{label}.0" for label in Y]})
    frame.to_csv(tmp_path / "texts.csv", index=False)
    told = run_tool("evaluate", tmp_path / "model.json", tmp_path / "texts.csv", "--json")
    assert told.returncode == 0, told.stderr
    found = tacit.evaluate(tmp_path / "model.json", frame, epsilon=np.inf)
    assert found["accuracy"] == json.loads(told.stdout)["accuracy"] > 0.95


def test_a_class_that_the_type_of_the_labels_cannot_hold_stays_what_it_is():
    model = tacit.LogisticRegression(epsilon=np.inf, classes=[0, 1, 2.5]).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2.5] and model.score(X, Y) > 0.95


@pytest.mark.parametrize("estimator", [tacit.LogisticRegression, tacit.SoftmaxRegression, tacit.LinearSVC, tacit.MLPClassifier])
@pytest.mark.parametrize("stated", [["no", "yes"], ["yes", "no"]])
def test_classes_are_sorted_whatever_order_they_were_stated_in(estimator, stated):
    y = np.where(Y, "yes", "no")
    epsilon = 1e4 if estimator is tacit.MLPClassifier else np.inf  # no plain method fits a network
    model = estimator(epsilon=epsilon, classes=stated).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.9
    assert roc_auc_score(y, get_scores(model)) > 0.95
    if hasattr(model, "predict_proba"):
        assert (model.classes_[np.argmax(model.predict_proba(X), axis=1)] == model.predict(X)).all()
    if hasattr(model, "coef_"):
        assert (model.classes_[(model.decision_function(X) > 0).astype(int)] == model.predict(X)).all()
        assert (model.coef_[-1] @ [1, 0]) > 0


def get_scores(model):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]


def test_a_network_has_the_weights_of_its_classes_in_their_order():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = tacit.MLPClassifier(epsilon=1e4, activation="tanh", classes=[2, 0, 1], range_share=0.0).fit(X, y)
    hidden = np.tanh(X @ model.coefs_[0] + model.intercepts_[0])
    scores = hidden @ model.coefs_[1] + model.intercepts_[1]
    assert (model.classes_[np.argmax(scores, axis=1)] == model.predict(X)).all()


def test_three_classes_in_any_order_score_alike(tmp_path):
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    models = [tacit.LogisticRegression(epsilon=np.inf, classes=stated).fit(X, y) for stated in ([0, 1, 2], [2, 0, 1])]
    for name in ("roc_auc_ovr", "neg_log_loss", "accuracy"):
        scores = [get_scorer(name)(model, X, y) for model in models]
        assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    models[1].save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["target"]["classes"] == ["2", "0", "1"]  # as stated
    for model in models:
        assert (model.classes_[np.argmax(model.decision_function(X), axis=1)] == model.predict(X)).all()
    again = pickle.loads(pickle.dumps(models[1]))
    assert (again.predict_proba(X) == models[1].predict_proba(X)).all()


@pytest.mark.parametrize("missing", [float("nan"), None, "", "  "])
def test_a_missing_label_among_texts_is_no_class(missing):
    y = [missing, *np.where(Y, "yes", "no")[1:]]
    assert "missing" in refusal(y)
    assert refusal(y, classes=["no", "yes"]).startswith("row 0: ")


def test_a_masked_label_is_missing():
    assert "missing" in refusal(np.ma.masked_array(Y, np.arange(400) == 0))
    with pytest.raises(tacit.DataError):
        tacit.LinearRegression().fit(X, np.ma.masked_array(X[:, 0], np.arange(400) == 0))


def test_blanks_around_a_label_make_no_other_class():
    y = [" " * (k % 2) + label for k, label in enumerate(np.where(Y, "yes", "no"))]
    assert tacit.LogisticRegression(epsilon=np.inf).fit(X, y).classes_.tolist() == ["no", "yes"]
    assert tacit.LogisticRegression(epsilon=np.inf, classes=["no ", "yes"]).fit(X, y).classes_.tolist() == ["no", "yes"]


def test_a_missing_label_is_named_by_its_row():
    broken = Y.astype(float)
    broken[3] = np.nan
    told = 'row 3: the label is missing; records whose label is not known must be left out'
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
    assert "not all of one kind" in refusal(np.array(["é", "ä".encode()] * 200, dtype=object))


def test_a_number_beyond_floats_is_infinite_as_in_a_file():
    assert _labels.as_numbers(_labels.labels_in_line(["1", "9" * 399, "-" + "9" * 399])).tolist() == [1.0, np.inf, -np.inf]


@pytest.mark.parametrize(
    ("estimator", "target", "loss", "refusal"),
    [
        (tacit.LogisticRegression, {"min": 0, "max": 9}, "logistic", "classes are wanted, but the schema gives the target bounds"),
        (tacit.SoftmaxRegression, {"min": 0, "max": 9}, "softmax", "classes are wanted, but the schema gives the target bounds"),
        (tacit.LinearRegression, {"classes": ["0", "1"]}, "squared", "a numeric target is wanted, but the schema gives the target classes"),
    ],
)
def test_a_schema_of_the_other_kind_is_refused_as_by_the_tool(estimator, target, loss, refusal, tmp_path):
    schema = {"columns": {"x": {"type": "numeric", "min": 0, "max": 1}}, "target": {"column": "y", **target}}
    frame = pandas.DataFrame({"x": np.linspace(0, 1, 400), "y": np.arange(400) % 2})
    frame.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps(schema))
    refused = run_tool("fit", str(tmp_path / "d.csv"), "--schema", str(tmp_path / "s.json"), "--loss", loss, "--epsilon", "9", "--model", str(tmp_path / "m.json"))
    assert refused.returncode == 64 and refusal in refused.stderr
    with pytest.raises(tacit.UsageError, match=refusal):
        estimator(epsilon=9.0, schema=schema).fit(frame[["x"]], frame["y"])
