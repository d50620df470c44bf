"""Tables that offer themselves as Arrow streams: every type, chunk and missing value, and the errors."""

import ctypes
import datetime
import math

import numpy as np
import pandas
import pytest
from arrow_producer import NUMBERS, Table

import tacit
from tacit import _arrow, _users
from tacit._base import Given
from tacit._dates import elements
from tacit._values import cell

LONG = "a text of more than twelve bytes"


def column(form, values, **how):
    table = Table([("c", form, values)], **how)
    array = _arrow.as_frame(table).iloc[:, 0].to_numpy()
    assert table.open == 0, "what was handed out is let go"
    return array.tolist()


@pytest.mark.parametrize("before", [0, 3, 8, 13])
@pytest.mark.parametrize("chunk", [1, 2, 100])
@pytest.mark.parametrize(
    ("form", "values"),
    [
        *((form, [1, 0, 100, 7]) for form in NUMBERS if form not in "efg"),
        *((form, [1, None, 100, 7]) for form in NUMBERS if form not in "efg"),
        ("l", [2**63 - 1, -(2**63), None]),
        ("L", [2**64 - 1, 0, None]),
        ("b", [True, False, False, None]),
        ("u", ["", "zoë", LONG, None]),
        ("U", ["", "zoë", LONG, None]),
        ("vu", ["", "twelve bytes", LONG, None, LONG + "2"]),
        ("dict:u", ["smith", "clerk", "smith", None]),
        ("dict:vu", [LONG, "clerk", None]),
        ("z", [b"", b"\xff", None]),
        ("vz", [b"", b"\xff" * 20, None]),
        ("n", [None, None]),
    ],
)
def test_values_come_as_they_are_in_slices_and_chunks(form, values, chunk, before):
    found = column(form, values, chunk=chunk, before=before)
    assert found == values
    assert [type(a) for a in found] == [type(b) for b in values]


def test_floats_and_dates_that_are_missing_are_nan_and_nat():
    assert np.array_equal(column("g", [0.1, None, float("inf")]), [0.1, np.nan, np.inf], equal_nan=True)
    assert column("f", [0.5]) == [0.5] and column("e", [0.5, 2]) == [0.5, 2]
    assert column("tdD", [0, None, -1]) == [datetime.date(1970, 1, 1), None, datetime.date(1969, 12, 31)]
    assert column("tsu:", [10**6, None]) == [datetime.datetime(1970, 1, 1, 0, 0, 1), None]
    assert column("tsm:Europe/Vienna", [0]) == [datetime.datetime(1970, 1, 1)]
    assert [str(value) for value in column("d:10,2", [150, None, -1])] == ["1.50", "None", "-0.01"]


@pytest.mark.parametrize("chunk", [1, 2, 100])
@pytest.mark.parametrize("form", [*NUMBERS, "b", "tdD", "tss:", "tsm:", "tsu:", "tsn:", "d:38,2", "dict:tsn:", "dict:g", "dict:l"])
def test_a_missing_row_leaves_the_other_cells_as_they_were(form, chunk):
    values = [1, 0, 1, 1]
    whole, gap = (_arrow.as_frame(Table([("c", form, values)], chunk=chunk, gone=gone)).iloc[:, 0].to_numpy() for gone in ((), {2}))
    read = [[cell(value) for value in elements(array)] for array in (whole, gap)]
    assert read[0][2] == read[0][0] and math.isnan(read[1].pop(2))
    assert read[1] == [read[0][0], read[0][1], read[0][3]]


def test_ids_in_a_dictionary_of_floats_are_refused_as_floats_are():
    """One fraction would bring the others to floats, and two people be one."""
    for form in ("g", "dict:g"):
        ids = Table([("id", form, [2.0**53, 2.0**53 + 2, 0.5, None])], alone=True)
        with pytest.raises(ValueError, match="whole numbers from 2\\^53 on are not distinct"):
            _users.numbered_users(ids)
    assert _users.numbered_users(Table([("id", "dict:g", [7.0, 5.0, 7.0])], alone=True))[0].tolist() == [0, 1, 0]


def test_dates_in_a_dictionary_are_dates_of_every_unit():
    for form, second in (("tss:", 1), ("tsm:", 10**3), ("tsu:", 10**6), ("tsn:", 10**9)):
        assert column(f"dict:{form}", [second, None, 0]) == ["1970-01-01 00:00:01", None, "1970-01-01"]


@pytest.mark.parametrize("form", ["tts", "tDs", "tiM", "+l"])
def test_types_without_a_meaning_here_are_refused_by_their_type(form):
    with pytest.raises(ValueError, match=f'column "c" is of the Arrow type {form.replace("+", ".")}, expected numbers, texts or dates'):
        column(form if form != "+l" else "+l", [None])


def people(count=3000):
    random = np.random.default_rng(5)
    age, job = random.uniform(20, 60, size=count), random.choice(["smith", "clerk"], size=count)
    return age.tolist(), job.tolist(), np.where(age > 40, "yes", "no").tolist()


SCHEMA = {
    "columns": {
        "age": {"type": "numeric", "min": 0, "max": 100, "missing": 40},
        "job": {"type": "categorical", "categories": ["smith", "clerk"], "missing": "other"},
    },
    "target": {"column": "rich", "classes": ["no", "yes"]},
}


def encoded(X, y, schema=SCHEMA):
    """The records as they come to the fit."""
    estimator = tacit.LogisticRegression(schema=schema)
    core = tacit._core.Schema(tacit._inputs.as_json("schema", schema), "schema")
    _, records = estimator._read(Given(_arrow.as_frame(X), y, None, None), core, False)
    wide = len(records.names)
    return records.scores(np.eye(wide), np.zeros(wide)).tolist(), records.labels, records.names


def test_a_stream_is_read_as_a_frame_with_the_same_cells():
    age, job, rich = people(60)
    age[7], job[9] = None, None
    table = Table([("age", "g", age), ("job", "dict:u", job)], chunk=7, before=2)
    frame = pandas.DataFrame({"age": pandas.Series(age, dtype=float), "job": pandas.Series(job, dtype=object)})
    assert encoded(table, Table([("rich", "u", rich)], alone=True)) == encoded(frame, rich)
    assert encoded(table, Table([("rich", "u", rich)])) == encoded(frame, rich)


def test_fit_predict_and_score_take_streams():
    age, job, rich = people()
    X, y = Table([("age", "g", age), ("job", "vu", job)], chunk=500), Table([("rich", "u", rich)], alone=True)
    model = tacit.LogisticRegression(epsilon=5.0, schema=SCHEMA).fit(X, y)
    assert model.feature_names_in_.tolist() == ["age", "job"]
    assert model.score(X, y) > 0.9
    assert X.open == y.open == 0
    plain = Table([("age", "g", age)])
    model = tacit.LogisticRegression(epsilon=5.0, bounds=100.0, classes=["no", "yes"]).fit(plain, rich)
    assert model.feature_names_in_.tolist() == ["age"] and len(model.predict(plain)) == len(rich)


def test_users_come_from_the_schemas_column():
    age, job, rich = people()
    whose = [2**60 + k // 3 for k in range(len(age))]
    schema = {**SCHEMA, "user": {"column": "id"}}
    X = Table([("age", "g", age), ("job", "u", job), ("id", "l", whose)])
    model = tacit.LogisticRegression(epsilon=2.0, delta=1e-5, unit="user", schema=schema).fit(X, rich)
    assert model.certificate_["assumed_public"]["users"] == 1000


def test_errors_name_the_cell_and_count_as_failed_reads(tmp_path):
    age, job, rich = people(50)
    tacit.create_ledger(tmp_path / "l", {"people": 1.0})
    estimator = tacit.LogisticRegression(epsilon=0.5, schema=SCHEMA, ledger=tmp_path / "l")
    cells = [str(a) for a in age]
    cells[3] = "old"
    with pytest.raises(ValueError, match='^row 3, column "age": "old" is not a number, expected one .*"missing"'):
        estimator.fit(Table([("age", "u", cells), ("job", "u", job)]), rich)
    with pytest.raises(ValueError, match="^the Arrow stream cannot be read: the disk is gone$"):
        estimator.fit(Table([("age", "g", age), ("job", "u", job)], chunk=10, fails_after=2), rich)
    cells[3] = "\udcff"
    with pytest.raises(ValueError, match='^row 3, column "age": .* is not UTF-8 text$'):
        estimator.fit(Table([("age", "u", cells), ("job", "u", job)]), rich)
    shown = tacit.ledger(tmp_path / "l")
    assert shown["failed_reads"] == 3 and shown["budgets"][0]["charges"] == []


def test_what_is_no_table_of_numbers_is_refused_in_one_line():
    estimator = tacit.LogisticRegression(bounds=5.0, classes=["no", "yes"])
    with pytest.raises(ValueError, match='^row 0, column "a": "1" is not a number; text needs schema=, or records enough to find one'):
        estimator.fit(Table([("a", "u", ["1", "x"])]), ["no", "yes"])
    with pytest.raises((ValueError, TypeError), match="dates need a schema"):
        estimator.fit(Table([("a", "tdD", [1, 2])]), ["no", "yes"])
    with pytest.raises(ValueError, match="one column, expected a table"):
        estimator.fit(Table([("a", "g", [1, 2])], alone=True), ["no", "yes"])
    with pytest.raises(ValueError, match='the column name "a" appears twice'):
        tacit.LogisticRegression(bounds=(0, 1)).fit(Table([("a", "g", [1, 2]), ("a", "g", [1, 2])]), ["no", "yes"])
    with pytest.raises(ValueError, match="y is a table with 2 columns, expected one column"):
        estimator.fit(Table([("a", "g", [1, 2])]), Table([("a", "g", [1, 2]), ("b", "g", [1, 2])]))


class Spoiled(Table):
    """A table of one column whose producer is wrong, in its type or in its values."""

    def __init__(self, form, values, of_kind=None, of_values=None):
        super().__init__([("c", form, values)])
        self.of_kind, self.of_values = of_kind, of_values

    def _fill_schema(self, schema):
        super()._fill_schema(schema)
        if self.of_kind:
            self.of_kind(schema, schema.children[0].contents)

    def _fill_chunk(self, array, start, end):
        super()._fill_chunk(array, start, end)
        if self.of_values:
            self.of_values(array, array.children[0].contents)


def put(field, value, of_table=False):
    return lambda table, column: setattr(table if of_table else column, field, value)


def no_buffer(which):
    def spoil(_, column):
        column.buffers[which] = None
    return spoil


def overwrite(which, number, at=0):
    return lambda _, column: ctypes.memset(column.buffers[which] + at, number, 1)


@pytest.mark.parametrize(
    ("form", "values", "of_kind", "of_values", "why"),
    [
        ("l", [1, 2], put("format", b"tsx"), None, "of the Arrow type tsx, expected numbers"),
        ("l", [1, 2], put("format", None), None, "of the Arrow type , expected numbers"),
        ("l", [1, 2], put("format", b"w:two"), None, "of the Arrow type w:two, expected"),
        ("l", [1, 2], put("format", b"d:5,x"), None, "of the Arrow type d:5,x, expected"),
        ("l", [1, 2], put("n_children", -1, of_table=True), None, "malformed: a table with -1 columns"),
        ("l", [1, 2], None, put("length", -1, of_table=True), "malformed: -1 rows"),
        ("l", [1, 2], None, put("n_children", 0, of_table=True), "malformed: 2 rows of 0 columns"),
        ("l", [1, 2], None, put("length", 1), "malformed: it has 1 values from 0 on, and 2 are asked for"),
        ("l", [1, 2], None, put("offset", -1), "malformed: it has 2 values from -1 on"),
        ("l", [1, 2], None, put("n_buffers", 1), "malformed: there is no buffer 1"),
        ("l", [1, 2], None, no_buffer(1), "malformed: there is no buffer 1"),
        ("u", ["a", "b"], None, no_buffer(2), "malformed: there is no buffer 2"),
        ("u", ["a", "b"], None, overwrite(1, 9), "malformed: its offsets fall"),
        ("dict:u", ["a", "b"], None, overwrite(1, 9), "malformed: a number is outside of its dictionary of 2 values"),
        ("dict:u", ["a", "b"], None, put("dictionary", None), "malformed: it has no numbers into a dictionary"),
        ("vu", ["a" * 20, "b"], None, overwrite(1, 7, at=8), "malformed: there is no buffer 9"),
    ],
)
def test_what_a_producer_must_not_hand_out_is_one_line(form, values, of_kind, of_values, why):
    table = Spoiled(form, values, of_kind, of_values)
    with pytest.raises(tacit.errors.DataError, match=why) as caught:
        _arrow.as_frame(table)
    assert "\n" not in str(caught.value)
    assert table.open == 0, "what was handed out is let go"


def test_a_private_schema_is_found_in_a_stream():
    age, job, rich = people()
    stream = Table([("age", "g", age), ("job", "dict:u", job), ("rich", "u", rich)], chunk=700)
    found = tacit.schema(stream, epsilon=50.0, delta=1e-6, target="rich")
    assert found["columns"]["age"]["type"] == "numeric" and set(found["columns"]["job"]["categories"]) == {"smith", "clerk"}
    assert set(found["target"]["classes"]) == {"no", "yes"}
