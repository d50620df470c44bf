#!/usr/bin/env python3
"""examples/analyst_day.sh on public tables, beside a fit with a schema written by hand: docs/analyst_day.md.

    python3 experiments/analyst_day.py --tool build/tacit --data DIR --days 20 --runs docs/figures/analyst_day.csv

A day spends epsilon = 2 and delta = 1e-6 on schema, description, fit and evaluation together. Beside it are fits with a schema
by hand, which costs nothing here: with 1.2, what the day's own fit has, and with all of 2. All are measured on the table's own
test file, which none of them has seen. The day's private accuracy, on the fifth of its records that it kept, is compared
with the true one there: how often its interval holds it. That the ledger's total is within its limit is checked for every day.
Days that are in the CSV are not run again, so that it can be stopped at any time. Prints a table in Markdown. Plain Python.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess

import private_schema

TABLES = ["adult", "houses_class", "wine_white_class"]
FIELDS = ["table", "day", "constant", "hand_1.2", "hand_2", "accuracy", "told", "low", "high", "true", "epsilon", "delta"]


def run(command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout


def score(model, data, options):
    return json.loads(run([options.tool, "evaluate", model, data, "--json"]))


def kept_apart(table, options):
    """The records that the script keeps for the test: every fifth line."""
    opened = gzip.open if str(table.train).endswith(".gz") else open
    with opened(table.train, "rt") as file:
        lines = file.read().splitlines(keepends=True)
    kept = options.output / "kept.csv"
    kept.write_text("".join(line for number, line in enumerate(lines, 1) if number == 1 or number % 5 == 0))
    return kept


def by_hand(table, epsilon, options):
    model = options.output / "model.json"
    run([options.tool, "fit", table.train, "--schema", table.schema, "--epsilon", epsilon, "--model", model])
    return score(model, table.test, options)["accuracy"]


def one_day(table, options):
    folder = options.output / "day"
    shutil.rmtree(folder, ignore_errors=True)
    script = pathlib.Path(__file__).parent.parent / "examples" / "analyst_day.sh"
    run(["sh", script, table.train, table.target, folder], env={**os.environ, "TACIT": options.tool})
    told = json.loads((folder / "evaluation.json").read_text())
    budget = json.loads(run([options.tool, "ledger", "show", folder / "people.ledger", "--json"]))["budgets"][0]
    spent = budget["spent"]
    assert len(budget["charges"]) == 4 and spent["epsilon"] <= 2 and spent["delta"] <= 1e-6, spent
    low, high = told["intervals"]["accuracy"]
    final = score(folder / "model.json", table.test, options)
    return {
        "constant": final["constant"]["accuracy"], "accuracy": final["accuracy"], "told": told["accuracy"], "low": low,
        "high": high, "true": score(folder / "model.json", kept_apart(table, options), options)["accuracy"],
        "hand_1.2": by_hand(table, "1.2", options), "hand_2": by_hand(table, "2", options),
        "epsilon": spent["epsilon"], "delta": spent["delta"],
    }  # fmt: skip


def shown(rows, field):
    values = [float(row[field]) for row in rows]
    return f"{statistics.fmean(values):.4f} ± {statistics.stdev(values) if len(values) > 1 else 0:.4f}"


def table_of(done):
    lines = [
        "| table | days | constant | by hand, ε = 1.2 | by hand, ε = 2 | the day, ε = 2 in all | its own word, mean | holds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in TABLES:
        rows = [row for row in done if row["table"] == name]
        if not rows:
            continue
        width = statistics.fmean(float(row["high"]) - float(row["low"]) for row in rows) / 2
        held = sum(float(row["low"]) <= float(row["true"]) <= float(row["high"]) for row in rows)
        told = statistics.fmean(float(row["told"]) for row in rows)
        cells = [shown(rows, field) for field in ("hand_1.2", "hand_2", "accuracy")]
        lines.append(f"| {name} | {len(rows)} | {float(rows[0]['constant']):.4f} | {' | '.join(cells)} "
                     f"| {told:.4f} ± {width:.4f} | {held} of {len(rows)} |")  # fmt: skip
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data")
    parser.add_argument("--examples", default="examples/data")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--runs", type=pathlib.Path, default=pathlib.Path("docs/figures/analyst_day.csv"))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"), help="a folder for what is thrown away")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    options.output.mkdir(parents=True, exist_ok=True)
    done = list(csv.DictReader(options.runs.open())) if options.runs.exists() else []
    if not done:
        options.runs.write_text(",".join(FIELDS) + "\n")
    for name in TABLES if options.data else ["adult"]:
        table = private_schema.Table(name, options)
        for day in range(options.days):
            if any(row["table"] == name and int(row["day"]) == day for row in done):
                continue
            row = {"table": name, "day": day, **one_day(table, options)}
            with options.runs.open("a", newline="") as file:
                csv.DictWriter(file, FIELDS, lineterminator="\n").writerow(row)
            done.append({field: str(value) for field, value in row.items()})
    print(table_of(done))


if __name__ == "__main__":
    main()
