#!/usr/bin/env python3
"""How long a pass over made records takes, in threads of one process and in processes of mpirun, and what asking costs.

usage: shards.py TOOL [--rows N] [--columns D] [--steps S] [--repeats R]

A pass is a step of dp-gd: the difference between a fit of S + 1 steps and one of 1, divided by S, so that reading is not in
it. The cost of asking is that of a pass over 200 records, whose sums take no time, in two processes instead of one. From both,
what K processes would take.
"""

from __future__ import annotations

import argparse
import io
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np


def make_table(path: pathlib.Path, rows: int, columns: int) -> None:
    """At most 100 000 different records, again and again: how long a pass takes does not depend on them."""
    random = np.random.default_rng(1)
    names = [f"x{j}" for j in range(columns)]
    x = random.integers(0, 1000, size=(min(100_000, rows), columns))
    y = (x[:, 0] + x[:, 1] + random.integers(0, 500, size=len(x)) > 1250).astype(int)
    text = io.StringIO()
    np.savetxt(text, np.column_stack([x, y]), fmt="%d", delimiter=",")
    lines = text.getvalue().splitlines(keepends=True)
    with path.open("w") as file:
        file.write(",".join([*names, "y"]) + "\n")
        for begin in range(0, rows, len(lines)):
            file.write("".join(lines[: rows - begin]))


def make_schema(path: pathlib.Path, columns: int) -> None:
    numbers = {f"x{j}": {"type": "numeric", "min": 0, "max": 1000} for j in range(columns)}
    path.write_text(json.dumps({"columns": numbers, "target": {"column": "y", "classes": ["0", "1"]}}))


class Bench:
    def __init__(self, tool: str, folder: pathlib.Path, schema: pathlib.Path, repeats: int) -> None:
        self.tool, self.folder, self.schema, self.repeats = tool, folder, schema, repeats

    def seconds(self, data: pathlib.Path, steps: int, processes: int, threads: int) -> float:
        fit = ["fit", str(data), "--schema", str(self.schema), "--epsilon", "1", "--delta", "1e-6", "--method", "dp-gd",
               "--encoder", "linear", "--steps", str(steps), "--threads", str(threads), "--model", str(self.folder / "m.json")]
        command = [self.tool, *fit]
        if processes > 1:
            start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(processes)]
            command = [*start, self.tool, *fit, "--cluster", "mpi"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - began

    def a_pass(self, data: pathlib.Path, steps: int, processes: int, threads: int) -> float:
        """The least of a few: whoever else uses the machine only makes it longer."""
        long = min(self.seconds(data, steps + 1, processes, threads) for _ in range(self.repeats))
        short = min(self.seconds(data, 1, processes, threads) for _ in range(self.repeats))
        return max(long - short, 0.0) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schema, table, small = folder / "s.json", folder / "t.csv", folder / "small.csv"
        make_schema(schema, given.columns)
        make_table(table, given.rows, given.columns)
        make_table(small, 200, given.columns)
        bench = Bench(given.tool, folder, schema, given.repeats)
        print(f"{given.rows} records of {given.columns} columns, seconds a pass")
        alone = bench.a_pass(table, given.steps, 1, 1)
        print(f"  1 process, 1 thread     {alone:.4f}")
        print(f"  1 process, 2 threads    {bench.a_pass(table, given.steps, 1, 2):.4f}")
        print(f"  2 processes, 1 thread   {bench.a_pass(table, given.steps, 2, 1):.4f}")
        asking = {k: bench.a_pass(small, 2000, k, 1) for k in (1, 2, 4)}
        for k, seconds in asking.items():
            print(f"  a pass of 200 records, {k} process{'es' if k > 1 else ''}: {1e6 * seconds:.0f} us")
        each = max(asking[2] - asking[1], 0.0)  # rank 0 asks and hears the others one after the other
        print(f"  asking a further process: {1e6 * each:.0f} us (4 processes share the cores of this machine)")
        print("  predicted for K processes on as many cores: " + ", ".join(
            f"{k}: {alone / k + each * (k - 1):.4f}" for k in (2, 4, 8, 16, 32, 64)))


if __name__ == "__main__":
    main()
