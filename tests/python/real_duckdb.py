"""Parquet read by DuckDB itself, whose library TACIT_DUCKDB names; all other tests have a stand-in for it.

The library makes the files, too. It may be libduckdb.so, or the extension module of the Python package duckdb.
"""

import ctypes
import os
import pathlib
import subprocess
import sysconfig

import pytest
from conftest import BUILD

LIBRARY = os.environ["TACIT_DUCKDB"]
EXAMPLES = pathlib.Path(os.environ["TACIT_SOURCE"]) / "examples" / "data"


class DuckDB:
    """A database in memory that runs statements."""

    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)
        database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(database)) == 0
        assert self.library.duckdb_connect(database, ctypes.byref(self.connection)) == 0

    def run(self, statement):
        assert self.library.duckdb_query(self.connection, statement.encode(), None) == 0, statement


@pytest.fixture(scope="module")
def duckdb():
    return DuckDB()


def tool(*arguments):
    """An extension module needs Python's own library, which the tool has not."""
    preload = sysconfig.get_config_var("INSTSONAME") if "cpython" in LIBRARY else ""
    return subprocess.run(
        [BUILD / "tacit", *map(str, arguments)], env={**os.environ, "LD_PRELOAD": preload}, capture_output=True, text=True, check=False
    )


def encoded(data, schema, output):
    outcome = tool("encode", data, "--schema", schema, "--output", output)
    assert outcome.returncode == 0, outcome.stderr
    return output.read_bytes()


def test_a_table_is_the_same_from_csv_and_from_parquet(duckdb, tmp_path):
    table, schema = EXAMPLES / "adult.train.csv.gz", EXAMPLES / "adult.schema.json"
    duckdb.run(f"copy (from read_csv('{table}')) to '{tmp_path}/adult.parquet' (format parquet)")
    assert encoded(tmp_path / "adult.parquet", schema, tmp_path / "b.tacit") == encoded(table, schema, tmp_path / "a.tacit")


def test_types_are_read_as_the_page_says(duckdb, tmp_path):
    duckdb.run(
        f"""copy (select * from (values
        (1::tinyint, 2.5::float, 12.25::decimal(10, 2), true, date '2024-05-01', 'a', 'yes'),
        (-7, null, -0.5, false, date '2024-05-31', 'ü', 'no')) t(n, f, d, b, w, k, y)) to '{tmp_path}/t.parquet' (format parquet)"""
    )
    (tmp_path / "t.csv").write_text("n,f,d,b,w,k,y\n1,2.5,12.25,true,2024-05-01,a,yes\n-7,,-0.50,false,2024-05-31,ü,no\n")
    number = '{"type": "numeric", "min": -100, "max": 100, "missing": "indicator"}'
    schema = tmp_path / "schema.json"
    schema.write_text(
        f"""{{"columns": {{"n": {number}, "f": {number}, "d": {{"type": "categorical", "categories": ["12.25", "-0.50"]}},
        "b": {{"type": "categorical", "categories": ["true", "false"]}},
        "w": {{"type": "date", "min": "2024-01-01", "max": "2025-01-01"}}, "k": {{"type": "hashed", "buckets": 64}}}},
        "target": {{"column": "y", "classes": ["no", "yes"]}}}}"""
    )
    assert encoded(tmp_path / "t.parquet", schema, tmp_path / "b.tacit") == encoded(tmp_path / "t.csv", schema, tmp_path / "a.tacit")


def test_errors_name_what_is_wrong(duckdb, tmp_path):
    schema = EXAMPLES / "adult.schema.json"
    duckdb.run(f"copy (select 1 as age, '<=50K' as income) to '{tmp_path}/few.parquet' (format parquet)")
    few = tool("encode", tmp_path / "few.parquet", "--schema", schema, "--output", tmp_path / "x.tacit")
    assert few.returncode == 65 and few.stderr.count("\n") == 1 and "workclass" in few.stderr, few.stderr
    (tmp_path / "none.parquet").write_text("no parquet")
    none = tool("encode", tmp_path / "none.parquet", "--schema", schema, "--output", tmp_path / "x.tacit")
    assert none.returncode == 65 and none.stderr.count("\n") == 1 and "none.parquet" in none.stderr, none.stderr
