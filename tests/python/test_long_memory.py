"""A fit from Python allocates hardly more than one from C++."""

import os
import pathlib
import re
import subprocess
import sys

from conftest import BUILD

SCRIPT = pathlib.Path(os.environ["TACIT_SOURCE"]) / "bench" / "fit_memory.py"


def test_a_fit_of_a_million_rows_allocates_at_most_a_fifth_more_than_from_cpp():
    outcome = subprocess.run(
        [sys.executable, SCRIPT, BUILD / "bench_fit_memory", "1000000", "100"],
        capture_output=True,
        text=True,
        check=True,
    )
    ratio = float(re.search(r"without it ([0-9.]+)", outcome.stdout).group(1))
    assert ratio <= 1.2, outcome.stdout
