#!/usr/bin/env python3
"""The most memory that each process of a fit had, against the records that it holds.

usage: rank_memory.py TOOL [--rows N] [--columns D] [--method M]

The same made records, in 8 files, are fitted by 1, 2, 4 and 8 processes. A process needs its program (measured on 200 records
a file), and its own records' features and labels as doubles; no process holds another's.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

import shards

FILES = 8


def peaks(command: list[str], processes: int) -> list[float]:
    """In MB, of each process; each runs within one that measures it."""
    start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(processes)]
    measured = [*start, sys.executable, __file__, "--measure", *command, "--cluster", "mpi"]
    said = subprocess.run(measured, check=True, capture_output=True, text=True).stdout
    return sorted(float(line.split()[1]) for line in said.splitlines() if line.startswith("peak "))


def measure(command: list[str]) -> None:
    code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    print(f"peak {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000:.1f}", flush=True)
    sys.exit(code)


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--method", default="dp-gd")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shards.make_schema(folder / "s.json", given.columns)
        for k in range(FILES):
            shards.make_table(folder / f"part-{k}.csv", given.rows // FILES, given.columns)
            shards.make_table(folder / f"small-{k}.csv", 200, given.columns)
        budget = ["--mu", "1"] if given.method == "posterior-exact" else ["--epsilon", "1", "--delta", "1e-6"]
        terms = ["--schema", str(folder / "s.json"), *budget, "--method", given.method, "--encoder", "linear", "--threads", "1",
                 "--model", str(folder / "m.json")]
        if given.method == "dp-gd":
            terms += ["--steps", "3"]
        records = given.rows * (given.columns + 1) * 8 / 1e6
        print(f"{given.rows} records of {given.columns} columns, {given.method}: {records:.0f} MB as doubles")
        for processes in (1, 2, 4, 8):
            program = peaks([given.tool, "fit", f"{folder}/small-*.csv", *terms], processes)
            found = peaks([given.tool, "fit", f"{folder}/part-*.csv", *terms], processes)
            print(f"  {processes} processes: {found[0]:.0f} to {found[-1]:.0f} MB each; program {program[-1]:.0f} MB, "
                  f"records of a process {records / processes:.0f} MB")


if __name__ == "__main__":
    main()
