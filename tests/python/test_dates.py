"""Dates, times and zones: a value has one text, whatever dtype the other rows have brought its column to."""

import datetime
import json
import warnings
import zoneinfo

import numpy as np
import pandas
import pytest
from neutrality import patched

import tacit
from tacit import _core, _labels, _tables
from tacit._values import cell

UTC = datetime.timezone.utc
EAST = datetime.timezone(datetime.timedelta(hours=2))
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
COUNT, ROW = 12, 7

# Two values of each kind, in turn.
KINDS = {
    "dates": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
    "times": [datetime.datetime(2020, 1, 1, 8, 15), datetime.datetime(2020, 1, 2)],
    "timestamps": [pandas.Timestamp("2020-01-01 08:15:00.000000001"), pandas.Timestamp("2020-01-02")],
    "datetime64": [np.datetime64("2020-01-01T08:15"), np.datetime64("2020-01-02")],
    "times in UTC": [datetime.datetime(2020, 1, 1, 8, 15, tzinfo=UTC), datetime.datetime(2020, 1, 2, tzinfo=UTC)],
    "times with an offset": [datetime.datetime(2020, 1, 1, 8, 15, tzinfo=EAST), datetime.datetime(2020, 1, 2, 2, tzinfo=EAST)],
    "times of a zone": [datetime.datetime(2020, 7, 1, 8, 15, tzinfo=BERLIN), datetime.datetime(2020, 1, 2, 1, tzinfo=BERLIN)],
    "timestamps of a zone": [pandas.Timestamp("2020-07-01 08:15", tz="Europe/Berlin"), pandas.Timestamp("2020-01-02 01:00", tz="Europe/Berlin")],
}
# What one row may hold instead: any of these, or what is no date.
STRANGE = [value for values in KINDS.values() for value in values]
STRANGE += [datetime.date(1000, 1, 1), None, float("nan"), pandas.NaT, 1.5, "x", "2020-01-01", "2020-01-01T05:00:00+05:00"]

WAYS = {
    "records": lambda values: pandas.DataFrame([{"c": value} for value in values])["c"],
    "columns": lambda values: pandas.DataFrame({"c": values})["c"],
    "rows": lambda values: pandas.DataFrame([[value, 1] for value in values])[0],
    "series": pandas.Series,
    "objects": lambda values: pandas.Series(values, dtype=object),
    "in pieces": lambda values: pandas.concat([pandas.Series([value]) for value in values], ignore_index=True),
    "inferred": lambda values: pandas.Series(values, dtype=object).infer_objects(),
    "converted": lambda values: pandas.Series(values).convert_dtypes(),
}

CATEGORIES = ["2020-01-01", "2020-01-02", "2020-01-01 08:15:00", "2020-01-01 06:15:00", "2020-07-01 06:15:00", "2020-01-01 08:15:00.000000001"]
SCHEMA = {"columns": {"c": {"type": "categorical", "categories": CATEGORIES, "missing": "other"}}}


class Stop(Exception):
    """Instead of a release: what was read is what is looked at."""


def read_by(name, release):
    """The records that come to what would release something."""
    found = []

    def spy(*arguments):
        found.extend(argument for argument in arguments if isinstance(argument, _core.Records))
        raise Stop

    with patched(_core, name, spy), warnings.catch_warnings(), pytest.raises(Stop):
        warnings.simplefilter("ignore")
        release()
    return found[0]


def rows_of(records):
    return records.scores(np.eye(len(records.names)), np.zeros(len(records.names)))


def made(way, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas 1.5 takes texts for dates beside a date, and says that it will not
        return WAYS[way](values)


def replaced(values, row, value):
    return [*values[:row], value, *values[row + 1 :]]


def test_a_moment_has_one_text_in_every_type_and_zone():
    morning = [
        datetime.datetime(2020, 7, 1, 6, 15), pandas.Timestamp("2020-07-01 06:15"), np.datetime64("2020-07-01T06:15"),
        datetime.datetime(2020, 7, 1, 6, 15, tzinfo=UTC), datetime.datetime(2020, 7, 1, 8, 15, tzinfo=EAST),
        datetime.datetime(2020, 7, 1, 8, 15, tzinfo=BERLIN), pandas.Timestamp("2020-07-01 08:15", tz="Europe/Berlin"),
    ]  # fmt: skip
    assert {cell(value) for value in morning} == {"2020-07-01 06:15:00"}
    midnight = [
        datetime.date(2020, 7, 1), datetime.datetime(2020, 7, 1), np.datetime64("2020-07-01"), np.datetime64("2020-07"),
        datetime.datetime(2020, 7, 1, 2, tzinfo=EAST), pandas.Timestamp("2020-07-01", tz="UTC"), pandas.Timestamp("2020-06-30 18:00", tz="Etc/GMT+6"),
    ]  # fmt: skip
    assert {cell(value) for value in midnight} == {"2020-07-01"}
    assert cell(pandas.Timestamp("2020-07-01 08:15:00.000000001", tz="Europe/Berlin")) == "2020-07-01 06:15:00.000000001"
    hours = [datetime.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (0, 1)]  # one hour, twice
    assert [cell(hour) for hour in hours] == ["2020-10-25 00:30:00", "2020-10-25 01:30:00"]
    odd = datetime.timezone(datetime.timedelta(minutes=53, seconds=28))  # as zones were before 1900
    assert cell(datetime.datetime(1880, 1, 1, tzinfo=odd)) == "1879-12-31 23:06:32"
    assert cell(datetime.datetime(1, 1, 1, tzinfo=EAST)) == "0000-12-31 22:00:00", "which Python's own dates do not reach"


def test_an_hour_of_a_day_is_that_in_utc():
    when = {"type": "date", "min": "2020-01-01", "max": "2021-01-01", "parts": ["hour"]}
    frame = pandas.DataFrame({"when": pandas.to_datetime(["2020-07-01 08:15", "2020-01-01 08:15"]).tz_localize("Europe/Berlin")})
    records = _tables.encoded_records(frame, _core.Schema(json.dumps({"columns": {"when": when}}), "schema"), ["when"])
    hours = [name for row in rows_of(records) for name, there in zip(records.names, row) if "hour" in name and there]
    assert hours == ["when.hour=6", "when.hour=7"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_row_changes_no_other_cell(kind, way):
    values = (KINDS[kind] * COUNT)[:COUNT]
    others = np.arange(COUNT) != ROW
    for value in STRANGE:
        frame = pandas.DataFrame({"c": made(way, replaced(values, ROW, value))})
        records = read_by("describe_records", lambda: tacit.describe(frame, schema=SCHEMA, epsilon=1.0))
        expected = [[name == f"c={cell(own)}" for name in records.names] for own in values]
        assert (rows_of(records)[others] == np.asarray(expected)[others]).all(), (value, frame.dtypes["c"])
        assert np.asarray(expected).any(axis=1).all()


@pytest.fixture(scope="module")
def model():
    """One whose classes are dates."""
    schema = {**SCHEMA, "target": {"column": "y", "classes": CATEGORIES}}
    frame = pandas.DataFrame({"c": CATEGORIES})
    return tacit.SoftmaxRegression(epsilon=np.inf, schema=schema).fit(frame, CATEGORIES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_row_changes_no_other_label_or_user(kind, way, model):
    values = (KINDS[kind] * COUNT)[:COUNT]
    others = np.arange(COUNT) != ROW
    for value in (value for value in STRANGE if cell(value) in CATEGORIES):
        column = made(way, replaced(values, ROW, value))
        frame = pandas.DataFrame({"c": column, "y": column, "who": column})
        records = read_by("evaluate_records", lambda: tacit.evaluate(model, frame, epsilon=1.0, user="who"))
        expected = [CATEGORIES.index(cell(own)) for own in values]
        assert (np.asarray(records.labels)[others] == np.asarray(expected)[others]).all(), (value, column.dtype)
        assert (np.asarray(records.users)[others] == (np.arange(COUNT) % 2)[others]).all(), (value, column.dtype)
        assert (rows_of(records)[others] == rows_of(records)[np.arange(COUNT)[others] % 2]).all()


@pytest.mark.parametrize("way", WAYS)
def test_dates_are_classes_where_none_are_stated(way):
    values = (KINDS["dates"] * COUNT)[:COUNT]
    for value in (value for value in STRANGE if cell(value) in ("2020-01-01", "2020-01-02")):
        found = _labels.read_off(_labels.labels_in_line(made(way, replaced(values, ROW, value))))
        assert found.names == ["2020-01-01", "2020-01-02"] and found.classes.dtype.kind == "U"
        assert np.delete(found.numbers, ROW).tolist() == np.delete(np.arange(COUNT) % 2, ROW).tolist()


def test_stated_classes_may_be_dates_of_any_kind():
    texts = ["2020-01-01", "2020-01-02"]
    for kind in (datetime.date.fromisoformat, pandas.Timestamp, np.datetime64):
        days = [kind(text) for text in texts]
        assert _labels.stated(days) == texts
        found = _labels.among(_labels.labels_in_line(pandas.Series(days * 3)), _labels.stated(days))
        assert found.names == texts and found.numbers.tolist() == [0, 1] * 3
    with pytest.raises(tacit.UsageError, match="NaN"):
        _labels.stated([pandas.NaT, pandas.Timestamp("2020-01-01")])


def test_a_private_schema_finds_the_same_texts():
    values = (KINDS["dates"] * COUNT)[:COUNT]
    for value in STRANGE:
        frame = pandas.DataFrame({"c": made("records", replaced(values, ROW, value))})
        [(_, texts)] = _tables.raw_columns(frame, ["c"])
        assert np.delete(np.asarray(texts, dtype=object), ROW).tolist() == [cell(own) for own in np.delete(np.asarray(values), ROW)]
