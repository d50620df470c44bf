#!/usr/bin/env python3
"""examples/analyst_day.sh on public tables, beside a fit with a schema written by hand: docs/first_fit.md.

    python3 experiments/analyst_day.py --tool build/tacit --data DIR --examples examples/data --days 5 --output out

A day spends epsilon = 2 and delta = 1e-6 on schema, description, fit and evaluation together; the fit beside it has a schema
by hand, which costs nothing, and the same 1.2 for itself. Both are measured on the table's own test file, which neither has
seen; the day's own private accuracy, on a fifth of its records, is told beside that. Writes out/analyst_day.md. Plain Python.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess

import private_schema

TABLES = ["adult", "houses_class", "wine_white_class"]


def run(command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout


def open_accuracy(model, table, options):
    return json.loads(run([options.tool, "evaluate", model, table.test, "--json"]))["accuracy"]


def one_day(table, options):
    folder = options.output / "day"
    shutil.rmtree(folder, ignore_errors=True)
    script = pathlib.Path(__file__).parent.parent / "examples" / "analyst_day.sh"
    run(["sh", script, table.train, table.target, folder], env={**os.environ, "TACIT": options.tool})
    judged = json.loads((folder / "evaluation.json").read_text())
    return open_accuracy(folder / "model.json", table, options), judged["accuracy"], judged["intervals"]["accuracy"]


def by_hand(table, options):
    model = options.output / "model.json"
    run([options.tool, "fit", table.train, "--schema", table.schema, "--epsilon", "1.2", "--model", model])
    return open_accuracy(model, table, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data")
    parser.add_argument("--examples", default="examples/data")
    parser.add_argument("--days", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"))
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    options.output.mkdir(parents=True, exist_ok=True)
    lines = ["| table | constant | schema by hand, 1.2 | the day, 2 in all | its own word, first day |", "|---|---|---|---|---|"]
    for name in TABLES if options.data else ["adult"]:
        table = private_schema.Table(name, options)
        days = [one_day(table, options) for _ in range(options.days)]
        hand = statistics.fmean(by_hand(table, options) for _ in range(options.days))
        found = json.loads(run([options.tool, "evaluate", options.output / "model.json", table.test, "--json"]))
        mean = statistics.fmean(day[0] for day in days)
        told, (low, high) = days[0][1], days[0][2]
        lines.append(f"| {name} | {found['constant']['accuracy']:.3f} | {hand:.3f} | {mean:.3f} | {told:.3f} [{low:.3f}, {high:.3f}] |")
        (options.output / "analyst_day.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
