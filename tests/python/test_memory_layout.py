"""Where numbers lie in memory does not matter: each record is encoded from its own cells."""

import numpy as np
import pandas
import pytest

from tacit import DataError, _core, _inputs, _tables

COUNT = 200


def records_of(kind):
    random = np.random.default_rng(0)
    records = np.zeros(COUNT, dtype=kind)
    for name in records.dtype.names:
        records[name] = random.uniform(size=records[name].shape)
    return records


def encoded(table):
    schema = _inputs.read_schema(None, (0, 1), table)
    count = len(_tables.column_names(table))
    return _tables.encoded_records(table, schema, _tables.column_names(table)).scores(np.eye(count), np.zeros(count))


KINDS = [[("a", "f8"), ("b", "f4")], [("b", "f4"), ("a", "f8", (3,))], [("b", "i1"), ("a", "f8")]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [lambda cells: cells, lambda cells: pandas.DataFrame(cells, copy=False), lambda cells: cells[::-1]])
def test_a_field_of_a_structured_array_is_encoded_as_its_copy(kind, table):
    cells = records_of(kind)["a"].reshape(COUNT, -1)
    assert cells.strides[0] % 8 != 0
    assert np.array_equal(encoded(table(cells)), encoded(np.ascontiguousarray(table(cells))))


@pytest.mark.parametrize("kind", KINDS)
def test_one_record_changes_one_encoded_row(kind):
    records = records_of(kind)
    before = encoded(records["a"].reshape(COUNT, -1))
    records["a"][101], records["b"][101] = 1 / 3, 1
    after = encoded(records["a"].reshape(COUNT, -1))
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == [101]


def test_the_compiled_half_refuses_steps_that_are_no_whole_numbers():
    schema = _core.Schema('{"columns": {"a": {"type": "numeric", "min": 0, "max": 1}}}', "test")
    column = records_of(KINDS[0])["a"]
    with pytest.raises(DataError, match="is not aligned in memory"):
        _core.Records.table([("a", column)], COUNT, schema)
    with pytest.raises(DataError, match="must have one number for each of the 7 records"):
        _core.Records.table([("a", column.copy())], 7, schema)
