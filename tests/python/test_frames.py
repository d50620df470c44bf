"""Data frames: names and users travel with them, into model files that the tool reads."""

import datetime
import uuid
from decimal import Decimal

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


NAMES = "the names of the columns are taken to be public"


def test_a_fit_without_a_schema_says_that_it_tells_the_names(people):
    X, y = people
    for given in ({"bounds": 5.0}, {"range_share": 0.0}, {"range_share": 0.3, "epsilon": 20.0}):
        model = tacit.LogisticRegression(classes=["no", "yes"], **given)
        assert NAMES in model.fit(X, y).certificate_["assumptions"]
        assert NAMES not in model.fit(X.to_numpy(), y).certificate_["assumptions"], "an array has no names"


def test_the_report_is_written_from_python(people, tmp_path):
    X, y = people
    tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"]).fit(X, y).save(tmp_path / "model.json")
    assert tacit.report(tmp_path / "model.json", tmp_path / "report.html") == [NAMES]
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    tacit.LogisticRegression(epsilon=np.inf, classes=["no", "yes"]).fit(X, y).save(tmp_path / "plain.json")
    with pytest.raises(tacit.VerificationError, match="without any privacy"):
        tacit.report(tmp_path / "plain.json", tmp_path / "plain.html")
    assert "without any privacy" in (tmp_path / "plain.html").read_text()
    with pytest.raises(tacit.NotFoundError):
        tacit.report(tmp_path / "none.json", tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_a_project_is_reported_from_python(people, tmp_path):
    X, y = people
    ledger, page = tmp_path / "people.ledger", tmp_path / "project.html"
    tacit.create_ledger(ledger, {"people": 3.0})
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"], ledger=ledger).fit(X, y).save(file)
    assert tacit.report(files, page, ledger=ledger) == [NAMES]
    told = page.read_text()
    assert "a.json" in told and "b.json" in told and "people" in told
    tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"]).fit(X, y).save(files[1])
    with pytest.raises(tacit.VerificationError, match="b.json"):
        tacit.report(files, page, ledger=ledger)
    with pytest.raises(tacit.UsageError, match="no file"):
        tacit.report([], page)
    with pytest.raises(tacit.UsageError, match="^path is None"):
        tacit.report([None], page)


@pytest.mark.parametrize("schema", [{}, {"columns": {}}, {"columns": {}, "others": "ignore"}])
def test_a_schema_without_columns_is_told_or_leaves_the_constant(people, schema):
    X, y = people
    model = tacit.LogisticRegression(schema=schema, classes=["no", "yes"])
    if "others" in schema:
        assert model.fit(X, y).predict(X[:1]) in ("no", "yes")
        return
    with pytest.raises(tacit.DataError, match="does not name column"):
        model.fit(X, y)


def test_few_records_are_warned_of(people):
    X, y = people
    few = tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"])
    with pytest.warns(tacit.TooFewRecordsWarning, match="^1 record is few for 4 parameters at this privacy"):
        few.fit(X[:1], y[:1])


def rows_of(X, **parameters):
    """The encoded rows of a table; with a schema and without curves each number is its place in its range, less ½."""
    encoder = "linear" if "schema" in parameters else "auto"
    estimator = tacit.LogisticRegression(epsilon=np.inf, encoder=encoder, classes=["no", "yes"], **parameters)
    return estimator.fit(X, ["no", "yes"] * (len(X) // 2))._records(X, estimator.model_.schema).scores(*identity(estimator))


def identity(estimator):
    return np.eye(len(estimator.encoded_names_)), np.zeros(len(estimator.encoded_names_))


@pytest.mark.parametrize("one", [1, 0.5, 0.0])
def test_a_fraction_does_not_change_what_a_sparse_frame_leaves_out(one):
    columns = {name: pandas.arrays.SparseArray([0, 0, 1, 0, 2, one]) for name in "ab"}
    assert rows_of(pandas.DataFrame(columns)).tolist() == [[0, 0], [0, 0], [1, 1], [0, 0], [2, 2], [one, one]]


CATEGORIES = {"a": {"type": "categorical", "categories": ["1", "10000000000000000", "2024-05-01", "True", "x"], "missing": "x"}}


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([1, 1.0, np.float32(1), np.int8(1), Decimal("1.0"), "1", " 1", b"1", 1 + 0j], 0),
        ([10**16, 1e16, np.uint64(10**16), "10000000000000000"], 1),
        ([datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1), np.datetime64("2024-05-01T00", "h"), pandas.Timestamp("2024-05-01"), "2024-05-01"], 2),
        ([True, np.bool_(True), "True"], 3),
        (["x", None, float("nan"), pandas.NA, pandas.NaT, np.datetime64("NaT"), Decimal("NaN"), "", "  "], 4),
        (["1.0", "01", 0.1, np.float32(0.1), uuid.UUID(int=1), "X", 2**53 + 1, "nan"], 5),
    ],
)
def test_a_cell_is_its_own_values_category_whatever_is_beside_it(values, place):
    for value in values:
        for beside in (1, 1.0, "1", None, True):
            column = [value, beside]
            tables = [[[cell] for cell in column], pandas.DataFrame({"a": pandas.Series(column, dtype=object)})]
            for table in tables:
                schema = {"columns": CATEGORIES if hasattr(table, "columns") else {"0": CATEGORIES["a"]}}
                assert np.flatnonzero(rows_of(table, schema=schema)[0]).tolist() == [place], (value, beside)


# A file's "2.0" and a frame's 2.0 would else be two categories, and one of them `other`, without a word.
@pytest.mark.parametrize("kind", ["int64", "float64", "float32", "Int64", "category", object])
def test_typed_and_text_columns_are_the_same_categories(kind):
    schema = {"columns": {"a": {"type": "categorical", "categories": ["1.0", "2.0", "3.0"]}}}
    texts = pandas.DataFrame({"a": ["1.0", "2.0", "3.0", "2.0"]})
    typed = pandas.DataFrame({"a": pandas.Series([1, 2, 3, 2]).astype(kind)})
    assert (rows_of(typed, schema=schema) == rows_of(texts, schema=schema)).all()
    assert (rows_of(texts, schema=schema)[:3, :3] == np.eye(3)).all()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (pandas.Interval(0, 1), "Interval is not a kind of value that is taken, expected a number, a text or a date"),
        (pandas.Period("2024-05"), "Period is not a kind of value that is taken, expected a number, a text or a date"),
        (datetime.timedelta(1), "timedelta is not a kind of value that is taken, expected a number, a text or a date"),
        (2j, "complex is not a kind of value that is taken, expected a number, a text or a date"),
        ([1], "list is not a kind of value that is taken, expected a number, a text or a date"),
        (b"\xff", r"b'\xff' is not UTF-8 text"),
    ],
)
def test_a_cell_of_no_such_kind_is_named_by_its_place(value, told):
    frame = pandas.DataFrame({"a": pandas.Series(["1", "1", value, "1"], dtype=object)})
    with pytest.raises(tacit.DataError) as caught:
        rows_of(frame, schema={"columns": CATEGORIES})
    assert str(caught.value) == f'row 2, column "a": {told}'
    ignored = {"columns": {"a": {"type": "ignore"}, "b": {"type": "numeric", "min": 0, "max": 1}}}
    assert rows_of(frame.assign(b=1), schema=ignored).tolist() == [[0.5]] * 4


def test_columns_in_levels_go_by_their_text():
    frame = pandas.DataFrame(np.eye(2), columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    columns = {f"('a', '{name}')": {"type": "numeric", "min": 0, "max": 1} for name in "xy"}
    assert rows_of(frame, schema={"columns": columns, "user": {"column": "a"}}).tolist() == [[0.5, -0.5], [-0.5, 0.5]]


def test_rows_of_other_lengths_are_refused_without_naming_one():
    with pytest.raises(tacit.DataError) as caught:
        rows_of([[1], [1, 2]], bounds=(0, 1))
    assert str(caught.value) == "the rows of X do not all have the same number of cells"


def test_what_is_masked_is_missing():
    X = np.ma.masked_array([[0.5], [0.25]], [[False], [True]])
    with pytest.raises(tacit.DataError, match="^row 1, column 0: nan is not a finite number"):
        rows_of(X)
    schema = {"columns": {"0": {"type": "numeric", "min": 0, "max": 1, "missing": 1}}}
    assert rows_of(X, schema=schema).tolist() == [[0], [0.5]]


@pytest.mark.parametrize("kind", ["M8[D]", "M8[ns]", "m8[s]", "c16"])
def test_dates_and_complex_numbers_are_no_numbers(kind):
    for X in (np.zeros((2, 1), dtype=kind), pandas.DataFrame(np.zeros((2, 1), dtype=kind))):
        with pytest.raises(tacit.DataError, match="expected real numbers"):
            rows_of(X)
