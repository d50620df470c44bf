#!/usr/bin/env python3
"""What the time of a fit tells: CPU time on two neighbouring tables, many times each.

    fit_times.py TOOL [RUNS]

Two tables of 2000 records that differ in the first one: a record like the others, or the one that pulls most (all columns at the
end of their range, the other class). Fits alternate between them. Prints quartiles in milliseconds, the largest distance between
the two distribution functions, and the distance that equal laws exceed with probability 0.001 (Kolmogorov and Smirnov).
"""

import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

METHODS = {
    "limited-objective": ["--epsilon", "1"],
    "limited-output": ["--epsilon", "1"],
    "dp-sgd": ["--epsilon", "1", "--delta", "1e-6"],
    "posterior-exact": ["--mu", "1"],
}


def write_tables(folder):
    made = random.Random(1)
    rows = []
    for _ in range(2000):
        cells = [made.uniform(0, 1) for _ in range(5)]
        label = "yes" if cells[0] + 0.3 * made.gauss(0, 1) > 0.5 else "no"
        rows.append(",".join(f"{cell:.4f}" for cell in cells) + f",{label}")
    (folder / "schema.json").write_text(json.dumps({
        "columns": {f"x{k}": {"type": "numeric", "min": 0, "max": 1} for k in range(5)},
        "target": {"column": "y", "classes": ["no", "yes"]}}))
    header = ",".join(f"x{k}" for k in range(5)) + ",y"
    for name, first in (("usual", rows[0]), ("extreme", "1.0000,1.0000,1.0000,1.0000,1.0000,no")):
        (folder / f"{name}.csv").write_text("\n".join([header, first, *rows[1:]]) + "\n")


def cpu_milliseconds(command, folder):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(command)} ended with {process.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def fit_command(tool, table, method):
    return [tool, "fit", f"{table}.csv", "--schema", "schema.json", "--threads", "1", "--method", method, *METHODS[method], "--model", "m.json"]


def distance(a, b):
    return max(abs(sum(x <= t for x in a) / len(a) - sum(x <= t for x in b) / len(b)) for t in a + b)


def main():
    tool, runs = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    threshold = math.sqrt(-math.log(0.001 / 2) / 2) * math.sqrt(2 / runs)
    with tempfile.TemporaryDirectory(prefix="tacit-times-") as folder:
        write_tables(pathlib.Path(folder))
        print(f"{'method':<20}{'usual':>24}{'extreme':>24}{'distance':>10}   equal laws below {threshold:.3f}")
        for method in METHODS:
            times = {"usual": [], "extreme": []}
            for _ in range(runs):
                for table, found in times.items():
                    found.append(cpu_milliseconds(fit_command(tool, table, method), folder))
            shown = ["/".join(f"{q:.1f}" for q in statistics.quantiles(found, n=4)) for found in times.values()]
            print(f"{method:<20}{shown[0]:>24}{shown[1]:>24}{distance(times['usual'], times['extreme']):>10.3f}", flush=True)


if __name__ == "__main__":
    main()
