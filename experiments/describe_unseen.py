#!/usr/bin/env python3
"""What share of epsilon a description without a schema should spend on finding one: docs/describe.md.

    python3 experiments/describe_unseen.py --tool build/tacit --data examples/data/adult.train.csv.gz --runs 10

A table is described without a schema, at several shares, and once with each column's true range and categories, which cost
nothing here. Told are how many of the columns are described at all, and for numbers how far the mean is off, over the
deviation of the column's own cells: the mean over the columns, a column that is left out counting 1. Plain Python.
"""

import argparse
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import tempfile


def columns_of(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", newline="") as file:
        names, *rows = [row for row in csv.reader(file) if row]
    return dict(zip(names, zip(*rows)))


def numbers_of(cells):
    try:
        return [float(cell) for cell in cells if cell.strip()]
    except ValueError:
        return None


def true_schema(columns):
    """As if somebody knew it; not private."""
    kinds = {}
    for name, cells in columns.items():
        numbers = numbers_of(cells)
        if numbers is None:
            kinds[name] = {"type": "categorical", "categories": sorted({cell.strip() for cell in cells} - {""})}
        else:
            kinds[name] = {"type": "numeric", "min": min(numbers), "max": max(numbers)}
    return {"columns": kinds}


def error_of(told, columns):
    errors = []
    for name, cells in columns.items():
        numbers = numbers_of(cells)
        if numbers is None:
            continue
        found = told["columns"].get(name, {}).get("mean")
        off = 1.0 if found is None else abs(found["value"] - statistics.fmean(numbers)) / statistics.pstdev(numbers)
        errors.append(min(off, 1.0))
    return statistics.fmean(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--epsilons", nargs="+", default=["0.1", "0.3", "1"])
    parser.add_argument("--shares", nargs="+", default=["0.2", "0.3", "0.5", "0.7"])
    parser.add_argument("--deltas", nargs="+", default=["", "1e-6"])
    options = parser.parse_args()
    columns = columns_of(options.data)
    print("| ε | δ | share | columns told, of", len(columns), "| error of means |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        known = pathlib.Path(folder) / "schema.json"
        known.write_text(json.dumps(true_schema(columns)))
        for epsilon in options.epsilons:
            for delta in options.deltas:
                for share in [*options.shares, "known"]:
                    how = ["--schema", known] if share == "known" else ["--range-share", share]
                    command = [options.tool, "describe", options.data, "--epsilon", epsilon, *how, "--json"]
                    command += ["--delta", delta] if delta else []
                    runs = [json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout) for _ in range(options.runs)]
                    told = statistics.fmean(len(run["columns"]) for run in runs)
                    error = statistics.fmean(error_of(run, columns) for run in runs)
                    print(f"| {epsilon} | {delta or '–'} | {share} | {told:.1f} | {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
