"""Bad input raises ValueError or a tacit error, with the words of the command-line tool."""

import re

import numpy as np
import pandas
import pytest
import scipy.sparse
from conftest import message_of_tool, write_csv

import tacit

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2


def refusal(estimator, *data, **more):
    with pytest.raises(ValueError) as caught:
        estimator.fit(*(data or (X, Y)), **more)
    return str(caught.value)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("-inf")])
def test_epsilon_outside_its_range(epsilon, tmp_path):
    data = write_csv(tmp_path / "data.csv", X, Y)
    told = message_of_tool("fit", data, "--target", "y", "--loss", "logistic", f"--epsilon={epsilon}")
    assert refusal(tacit.LogisticRegression(epsilon=epsilon)) == told


@pytest.mark.parametrize(
    ("parameters", "flags"),
    [
        ({"delta": 2.0}, ["--delta", "2"]),
        ({"mu": -1.0, "epsilon": None}, ["--mu=-1"]),
        ({"method": "magic"}, ["--method", "magic"]),
        ({"method": "dp-sgd"}, ["--method", "dp-sgd"]),
        ({"neighbours": "friends"}, ["--neighbours", "friends"]),
        ({"neighbours": "add_remove"}, ["--neighbours", "add_remove"]),
        ({"bounds": -1.0}, ["--row-bound=-1"]),
        ({"options": {"slope_limit": "steep"}}, ["--slope-limit", "steep"]),
        ({"options": {"radius": -1}}, ["--radius=-1"]),
    ],
)
def test_parameters_outside_their_range(parameters, flags, tmp_path):
    data = write_csv(tmp_path / "data.csv", X, Y)
    privacy = [] if "--mu=-1" in flags else ["--epsilon", "1"]
    told = message_of_tool("fit", data, "--target", "y", "--loss", "logistic", *privacy, *flags)
    assert refusal(tacit.LogisticRegression(**parameters)) == told


def test_parameters_that_are_no_numbers():
    assert refusal(tacit.LogisticRegression(epsilon="much")) == 'epsilon is "much", expected a number'
    assert "not an option" in refusal(tacit.LogisticRegression(options={"speed": 9}))
    assert refusal(tacit.LogisticRegression(threads=-1)) == "threads is -1, expected a whole number from 0 on"
    assert refusal(tacit.LogisticRegression(method=3)) == "method is 3, expected a text"
    assert refusal(tacit.LogisticRegression(options="fast")) == "options is 'fast', expected a dict"
    assert refusal(tacit.LogisticRegression(mu=1.0, epsilon=2.0)) == "expected epsilon, epsilon and delta, or mu"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_named_by_their_place(bad):
    broken = X.copy()
    broken[7, 1] = bad
    expected = f"row 7, column 1: {bad} is not a finite number (NaN and inf are not taken)"
    for matrix in (broken, scipy.sparse.csr_matrix(broken), pandas.DataFrame(broken)):
        assert refusal(tacit.LogisticRegression(), matrix, Y) == expected
    labels = X[:, 0].copy()
    labels[3] = bad
    assert refusal(tacit.LinearRegression(), X, labels) == f"record 3: the label is {bad}, expected a finite number"
    fitted = tacit.LogisticRegression(bounds=5.0).fit(X, Y)
    with pytest.raises(tacit.DataError, match="row 7, column 1"):
        fitted.predict(broken)


# As the tool says it: the row and the column's name.
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_frames_column_is_named(bad):
    frame = pandas.DataFrame(X, columns=["age", "pay"])
    fitted = tacit.LogisticRegression(bounds=5.0, classes=[0, 1]).fit(frame, Y)
    broken = frame.copy()
    broken.iloc[7, 1] = bad
    with pytest.raises(tacit.DataError, match=f'^row 7, column "pay": {bad} is not a finite number'):
        fitted.predict(broken)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("3,5", 'row 7, column "pay": "3,5" is not a number'),
        ({}, 'row 7, column "pay": float\\(\\) argument must be a string'),
        ([1.0], 'row 7, column "pay": '),
        (10**400, 'row 7, column "pay": inf is not a finite number'),
        ("1.5", 'row 7, column "pay": "1.5" is not a number'),
        (b"1_000", 'row 7, column "pay": "1_000" is not a number'),
        ("\u0661", 'row 7, column "pay": "\u0661" is not a number'),
        ("", 'row 7, column "pay": "" is not a number'),
        (None, 'row 7, column "pay": nan is not a finite number'),
        (np.datetime64("2020-01-01", "ns"), 'row 7, column "pay": "2020-01-01" is a date, expected a number'),
        (np.timedelta64(5, "ns"), 'row 7, column "pay": float\\(\\) argument must be'),
        (2j, 'row 7, column "pay": float\\(\\) argument must be'),
    ],
)
def test_a_cell_that_is_no_number_is_named_by_row_and_column(cell, told):
    frame = pandas.DataFrame(X, columns=["age", "pay"])
    fitted = tacit.LogisticRegression(bounds=5.0, classes=[0, 1]).fit(frame, Y)
    cells = X.astype(object)
    cells[7, 1] = cell
    with pytest.raises(tacit.DataError, match="^" + told):
        fitted.predict(pandas.DataFrame(cells, columns=["age", "pay"]))
    unnamed = tacit.LogisticRegression(bounds=5.0, classes=[0, 1])
    for table in (cells, [list(row) for row in cells]):
        assert re.match(told.replace('"pay"', '"?1"?'), refusal(unnamed, table, Y))


def test_a_row_of_a_list_is_read_cell_by_cell_without_a_schema_too():
    rows = X.tolist()
    for row, told in (
        (np.ma.masked_array([7.0, 9.0], [False, True]), "row 7, column 1: nan is not a finite number"),
        (np.array(["2020-01-01"] * 2, dtype="M8[ns]"), 'row 7, column "0": "2020-01-01" is a date'),
    ):
        given = [*rows[:7], row, *rows[8:]]
        assert refusal(tacit.LogisticRegression(bounds=30.0, classes=[0, 1]), given, Y).startswith(told)
    model = tacit.LogisticRegression(bounds=30.0, classes=[0, 1]).fit(X, Y)
    assert (model.decision_function([[1 + 0j, np.float32(0.5)]]) == model.decision_function([[1.0, 0.5]])).all()
    assert (model.decision_function(memoryview(X)) == model.decision_function(X)).all()


def test_a_schema_that_is_long_is_not_printed_with_the_estimator():
    columns = {f"c{j}": {"type": "categorical", "categories": [f"v{k}" for k in range(60)]} for j in range(20)}
    model = tacit.LogisticRegression(epsilon=2.0, schema={"columns": columns})
    assert repr(model) == "LogisticRegression(epsilon=2.0, schema=<a schema of 20 columns>)"
    assert model.schema == {"columns": columns}
    short = {"columns": {"a": {"type": "ignore"}}}
    assert repr(tacit.LogisticRegression(schema=short)) == f"LogisticRegression(schema={short})"


def test_columns_that_are_missing_or_new_are_named():
    frame = pandas.DataFrame(X, columns=["age", "pay"])
    for fitted in (tacit.LogisticRegression(bounds=5.0).fit(frame, Y), tacit.LogisticRegression(bounds=(-5, 5)).fit(frame, Y)):
        with pytest.raises(tacit.DataError) as refused:
            fitted.predict(frame.rename(columns={"pay": "wage"}))
        assert str(refused.value) == (
            "The feature names should match those that were passed during fit. "
            "Feature names unseen at fit time: wage Feature names seen at fit time, yet now missing: pay"
        )
        with pytest.raises(tacit.DataError, match="now missing: pay"):
            fitted.predict(frame[["age"]])
    dates = frame.assign(pay=pandas.Timestamp("2024-05-01"))
    with pytest.raises(tacit.DataError, match='column "pay" of X has values of the type datetime64'):
        tacit.LogisticRegression(bounds=5.0).fit(frame, Y).predict(dates)


def test_wrong_shapes():
    assert "1D array" in refusal(tacit.LogisticRegression(), X[:, 0], Y)
    assert "dim" in refusal(tacit.LogisticRegression(), X[None], Y)
    assert refusal(tacit.LogisticRegression(), X, Y[:-1]) == "there are 39 labels for 40 records"
    assert "0 sample" in refusal(tacit.LogisticRegression(), X[:0], Y[:0])
    assert "shape" in refusal(tacit.LogisticRegression(), X, np.stack([Y, Y], axis=1))
    with pytest.raises(ValueError, match="3 features"):
        tacit.LogisticRegression(bounds=5.0).fit(X, Y).predict(np.ones((1, 3)))


def test_a_single_column_is_no_table():
    for column in (pandas.Series(X[:, 0]), pandas.Series(X[:, 0], dtype="Sparse[float]")):
        assert "1D array" in refusal(tacit.LogisticRegression(), column, Y)


def test_object_arrays():
    texts = np.array([["a", "b"]] * 40, dtype=object)
    assert refusal(tacit.LogisticRegression(), texts, Y).startswith('row 0, column "0": "a" is not a number; text needs schema=')
    numbers = tacit.LogisticRegression(bounds=5.0).fit(X.astype(object), Y)
    assert numbers.coef_.shape == (1, 2)


def test_labels_that_do_not_suit():
    assert refusal(tacit.LogisticRegression(), X, np.zeros(40)).startswith('the target has only one class, "0.0"; give classes=')
    assert "Unknown label type" in refusal(tacit.LogisticRegression(), X, X[:, 0])
    three = np.arange(40) % 3
    assert refusal(tacit.LinearSVC(), X, three).endswith(
        ": the loss hinge needs 2 classes, but the target has 3; softmax takes any number"
    )
    assert refusal(tacit.LogisticRegression(classes=[0, 1]), X, three) == (
        'row 2: "2" is not a class, expected one of "0", "1"'
    )
    assert "not all numbers" in refusal(tacit.LinearRegression(), X, np.repeat("a", 40))


def test_schemas_and_bounds_that_do_not_suit(tmp_path):
    assert refusal(tacit.LogisticRegression(bounds=1.0, schema={})) == "give a schema or bounds, not both"
    assert "lower, upper" in refusal(tacit.LogisticRegression(bounds=[1, 2, 3]))
    assert "2 columns" in refusal(tacit.LogisticRegression(bounds=([0, 0, 0], 1)))
    assert "min" in refusal(tacit.LogisticRegression(bounds=(1, -1)))
    assert "sparse" in refusal(tacit.LogisticRegression(bounds=(-1, 1)), scipy.sparse.csr_matrix(X), Y)
    assert "no column" in refusal(
        tacit.LogisticRegression(schema={"columns": {"age": {"type": "numeric", "min": 0, "max": 1}}})
    )
    schema = {"columns": {"0": {"type": "numeric", "min": 0, "max": 1}, "1": {"type": "numeric", "min": 0, "max": 1}}}
    broken = X.copy()
    broken[5, 1] = np.nan
    assert refusal(tacit.LogisticRegression(schema=schema), broken, Y) == (
        'row 5, column "1": the cell is empty and the schema gives no "missing" value'
    )
    with pytest.raises(tacit.NotFoundError):
        tacit.LogisticRegression(schema=tmp_path / "none.json").fit(X, Y)


def test_bounds_are_finite_numbers():
    assert refusal(tacit.LogisticRegression(bounds=(-4, np.inf))) == "bounds are not all finite"
    assert refusal(tacit.LogisticRegression(bounds=(np.nan, 1))) == "bounds are not all finite"
    assert refusal(tacit.LogisticRegression(bounds=(["a"] * 2, [4] * 2))) == "bounds are not all numbers"


    for no_pair in ({1: 2, 3: 4}, {1, 2}, "ab"):
        assert "a pair (lower, upper)" in refusal(tacit.LogisticRegression(bounds=no_pair))


def test_what_is_of_another_kind_is_named():
    assert refusal(tacit.HuberRegressor(width="a")) == 'width is "a", expected a number'
    assert refusal(tacit.LinearRegression(target_bounds=("a", 1))) == 'target_bounds is "a", expected a number'
    assert refusal(tacit.MLPClassifier(hidden_units=2.5)) == 'hidden_units is "2.5", expected a whole number'
    assert refusal(tacit.LogisticRegression(schema={"a": {1}})).startswith("schema cannot be written as JSON")
    doubled = pandas.DataFrame(X, columns=["a", "a"])
    assert refusal(tacit.LogisticRegression(bounds=(-4, 4)), doubled, Y) == 'the column name "a" appears twice'


def test_an_option_is_known_by_either_spelling():
    limits = {"slope-limit": 2.0, "curvature_limit": 1.0}
    model = tacit.LogisticRegression(bounds=5.0, method="limited-output", options=limits).fit(X, Y)
    assert model.certificate_["options"]["slope_limit"] == 2.0
    both = {"slope-limit": 2.0, "slope_limit": 1.0}
    assert refusal(tacit.LogisticRegression(options=both)) == "the option slope_limit is given twice"


def test_refusals_name_parameters_and_options_and_no_flags():
    told = refusal(tacit.LogisticRegression(delta=1e-5, method="limited-output"))
    assert "give a schema, or bounds, or a slope-limit and a curvature-limit" in told
    with pytest.warns(tacit.TooFewRecordsWarning, match="or bounds, or a slope-limit") as caught:
        tacit.LogisticRegression().fit(X, Y)
    assert "--" not in str(caught[0].message)


def test_a_name_in_a_ledger_needs_the_ledger():
    assert refusal(tacit.LogisticRegression(ledger_name="people")) == "ledger_name needs ledger"


@pytest.mark.parametrize("alpha", [0, -1, np.inf, np.nan])
def test_a_pull_is_a_number_above_0(alpha):
    assert refusal(tacit.Ridge(alpha=alpha)) == f"alpha is {alpha}, expected a finite number > 0, or None"


def test_a_pull_is_given_once_and_to_a_method_that_has_it():
    assert "not both" in refusal(tacit.Ridge(alpha=1.0, options={"regularisation": 3.0}))
    assert refusal(tacit.Ridge(alpha="a")) == 'alpha is "a", expected a number'
    assert refusal(tacit.Ridge(alpha=1.0, method="dp-sgd", delta=1e-5)) == (
        "the method dp-sgd takes no alpha: it has no option regularisation"
    )


def test_bounds_by_column_need_columns():
    for flat in (X[:, 0], np.float64(3), [1.0, 2.0]):
        assert "2D array" in refusal(tacit.LogisticRegression(bounds=(0, 1)), flat, Y)


@pytest.mark.parametrize("bounds", [None, 5.0, (-4, 4)])
def test_what_no_file_can_hold_is_bad_data(bounds):
    estimator = tacit.LogisticRegression(bounds=bounds, classes=[0, 1])
    named = pandas.DataFrame(X, columns=["\ud800x", "b"])
    assert refusal(estimator, named, Y) == r"the column name '\ud800x' is not UTF-8 text"
    for strange in (np.array([[{}, 1.0]] * 40, dtype=object), np.matrix(X)):
        with pytest.raises(tacit.DataError):
            estimator.fit(strange, Y)


def test_a_cell_that_is_no_text_is_named_by_its_row():
    cells = np.array([["\ud800", "1"]] * 40, dtype=object)
    assert refusal(tacit.LogisticRegression(bounds=(-4, 4)), cells, Y) == r"""row 0, column "0": '\ud800' is not UTF-8 text"""


def test_truth_values_are_the_numbers_0_and_1():
    truth = X > 0
    for table in (truth, pandas.DataFrame(truth), pandas.DataFrame(truth).astype("boolean"), truth.astype(object)):
        model = tacit.LogisticRegression(epsilon=np.inf, bounds=(0, 1), classes=[False, True]).fit(table, truth[:, 0])
        assert model.score(table, truth[:, 0]) == 1


def test_only_the_targets_bounds_lacking_is_said():
    told = refusal(tacit.LinearRegression(bounds=5.0), X, X[:, 0])
    assert told.startswith("the target has no public range, and 40 records at epsilon 1 are too few")
    assert "target_bounds" in told


def test_outputs_that_are_inputs_are_refused(tmp_path):
    model = tacit.LogisticRegression(bounds=5.0, classes=[0, 1]).fit(X, Y)
    saved, key, public = tmp_path / "m.json", tmp_path / "k.pem", tmp_path / "k.pub"
    model.save(saved)
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 1.0})
    key.write_text("a private key")
    public.write_text("a public key")
    (tmp_path / "link.json").symlink_to(saved)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for call in (
        lambda: tacit.report(saved, saved),
        lambda: tacit.report(saved, tmp_path / "link.json"),
        lambda: tacit.report(saved, public, key=public),
        lambda: model.save(key, key=key),
        lambda: model.set_params(schema=str(saved)).save(saved),
    ):
        with pytest.raises(tacit.UsageError, match="would overwrite an input"):
            call()
    with pytest.raises(tacit.WriteError, match="belongs to a ledger"):
        model.save(tmp_path / "people.ledger")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_users_need_their_unit():
    assert "go together" in refusal(tacit.LogisticRegression(), X, Y, user_ids=Y)
    assert "go together" in refusal(tacit.LogisticRegression(unit="user"))
    assert refusal(tacit.LogisticRegression(unit="family")) == 'the unit is "family", expected "item" (a record) or "user"'
    columns = {str(j): {"type": "numeric", "min": -3, "max": 3} for j in range(2)}
    people = {"columns": columns, "user": {"column": "id"}}
    assert 'names users, in the column "id"' in refusal(tacit.LogisticRegression(schema=people))
    tacit.LogisticRegression(schema=people, epsilon=np.inf).fit(X, Y)
    whose = np.arange(40) // 4
    asked = refusal(tacit.LogisticRegression(unit="user", method="limited-output"), X, Y, user_ids=whose)
    assert asked == "the method limited-output protects the unit item, but the unit user is asked for"


def test_accountants_refuse_as_the_tool_does():
    with pytest.raises(tacit.UsageError) as caught:
        tacit.account(0.0, delta=1e-5)
    assert str(caught.value) == message_of_tool("account", "--noise-multiplier", "0", "--delta", "1e-5")
    with pytest.raises(tacit.UsageError):
        tacit.account(1.0, delta=1.0)
    with pytest.raises(tacit.UsageError, match="one target"):
        tacit.calibrate(epsilon=1.0)
    for steps in (1.5, "many", None):
        with pytest.raises(tacit.UsageError, match="steps is .*, expected a whole number"):
            tacit.account(1.0, delta=1e-5, steps=steps)
        with pytest.raises(tacit.UsageError, match="steps is .*, expected a whole number"):
            tacit.calibrate(mu=1.0, steps=steps)
    with pytest.raises(tacit.UsageError, match='noise_multiplier is "a", expected a number'):
        tacit.account("a", delta=1e-5)
    with pytest.raises(tacit.UsageError, match="delta is None"):
        tacit.account(1.0, delta=None)


def test_a_ledger_has_limits_by_name(tmp_path):
    with pytest.raises(tacit.UsageError, match="expected a dict"):
        tacit.create_ledger(tmp_path / "people.ledger", ["people"])
    assert not (tmp_path / "people.ledger").exists()


def test_nothing_can_be_asked_of_a_model_that_was_not_fitted():
    for use in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(tacit.LogisticRegression(), use)(X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tacit.audit(runs="many"), 'runs: "many", expected a whole number from 0 to 10^18 - 1'),
        (lambda: tacit.audit(threads=-1), 'threads: "-1", expected a whole number from 0 to 10^18 - 1'),
        (lambda: tacit.audit(epsilon=None), "epsilon is None, expected a number"),
        (lambda: tacit.audit(method=3), "method is 3, expected a text"),
        (lambda: tacit.audit(options=3), "options is 3, expected a dict"),
        (lambda: tacit.create_ledger(3, {"people": 1.0}), "path is 3, expected the name of a file"),
        (lambda: tacit.create_ledger("x", {"people": 1.0}, accountant=3), "accountant is 3, expected a text"),
        (lambda: tacit.ledger(3), "path is 3, expected the name of a file"),
        (lambda: tacit.verify(None), "path is None, expected the name of a file"),
        (lambda: tacit.account(1.0, delta=1e-5, neighbours=3), "neighbours is 3, expected a text"),
        (lambda: tacit.LogisticRegression(ledger=3).fit(X, Y), "ledger is 3, expected the name of a file"),
    ],
)
def test_arguments_of_another_kind(call, message):
    with pytest.raises(tacit.UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_counts_are_refused_and_taken_as_the_tool_does():
    with pytest.raises(tacit.UsageError) as caught:
        tacit.audit(runs=1.5)
    assert str(caught.value) == message_of_tool("audit", "--epsilon", "1", "--runs", "1.5")
    assert tacit.account(1.0, delta=1e-5, steps=1e3) == tacit.account(1.0, delta=1e-5, steps=1000)
