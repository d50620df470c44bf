#!/usr/bin/env python3
"""How long fits take by an older tool and by a newer one: CPU time of one thread, for every method that both have.

    compare_tools.py OLD NEW [--repeats 7] [--methods dp-sgd,plain] [--new-options "--encoder linear-v1"]

Fits alternate between the tools. Prints a table in Markdown: medians in milliseconds, their ratio, and the quartiles of the ratios
of neighbouring fits. Since an older tool may encode numbers otherwise, --new-options can ask the newer one for the older encoding.
Reading the table and starting the tool are part of each fit; `--help` of each, as a row, tells the least of that.
"""

import argparse
import json
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

from fit_times import cpu_milliseconds

APPROX = ["--epsilon", "1", "--delta", "1e-6"]
# The table, and what is asked for beside the method. (How often `tuned` fits is random, and so is its time.)
FITS = {
    "limited-objective": ("wide", ["--epsilon", "1"]),
    "limited-output": ("wide", ["--epsilon", "1"]),
    "double-output": ("wide", ["--epsilon", "1"]),
    "localized": ("wide", ["--epsilon", "1"]),
    "net-exponential": ("narrow", ["--epsilon", "1"]),
    "localized-exponential": ("line", ["--epsilon", "1", "--no-intercept"]),
    "dp-sgd": ("wide", APPROX),
    "dp-gd": ("wide", APPROX),
    "o2nc-single": ("wide", APPROX),
    "o2nc-multi": ("short", [*APPROX, "--steps", "16"]),
    "o2nc-sampled": ("short", [*APPROX, "--steps", "64"]),
    "o2nc-first": ("wide", APPROX),
    "posterior-exact": ("narrow", ["--mu", "1"]),
    "asap-mala": ("narrow", ["--mu", "1", "--mala-steps", "200"]),
    "user-sgd": ("users", APPROX),
    "user-phased": ("users", ["--epsilon", "8", "--delta", "1e-4"]),
    "user-erm": ("users", ["--epsilon", "8", "--delta", "1e-4"]),
    "user-group": ("users", APPROX),
    "plain": ("wide", ["--epsilon", "inf"]),
}


def write_table(folder, name, records, columns, users=0):
    """Two classes by a line and noise; columns within [0, 1]; where there are users, each has as many records."""
    made = random.Random(1)
    names = [f"x{k}" for k in range(columns)]
    schema = {"columns": {x: {"type": "numeric", "min": 0, "max": 1} for x in names}, "target": {"column": "y", "classes": ["no", "yes"]}}
    if users:
        schema["user"] = {"column": "who"}
    with open(folder / f"{name}.csv", "w") as table:
        table.write(",".join([*names, *(["who"] if users else []), "y"]) + "\n")
        for i in range(records):
            cells = [made.uniform(0, 1) for _ in names]
            label = "yes" if cells[0] - cells[-1] + 0.3 * made.gauss(0, 1) > 0 else "no"
            table.write(",".join([*(f"{cell:.4f}" for cell in cells), *([f"u{i % users}"] if users else []), label]) + "\n")
    (folder / f"{name}.schema.json").write_text(json.dumps(schema))


def methods_of(tool):
    printed = subprocess.run([tool, "methods", "--json"], capture_output=True, text=True, check=True).stdout
    return {method["name"] for method in json.loads(printed)}


def row(name, tools, commands, folder, repeats):
    refusals = []
    for tool, command in zip(tools, commands):
        tried = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if tried.returncode != 0:
            refusals.append(f"{tool}: {(tried.stderr.strip() or str(tried.returncode)).splitlines()[-1]}")
    if refusals:
        print(f"{name}: left out, {'; '.join(refusals)}", file=sys.stderr)
        return
    times = [[cpu_milliseconds(command, folder) for command in commands] for _ in range(repeats)]
    old, new = (statistics.median(column) for column in zip(*times))
    low, _, high = statistics.quantiles([b / a for a, b in times], n=4)
    print(f"| {name} | {old:.0f} | {new:.0f} | {new / old:.2f} | {low:.2f} – {high:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--methods", default=",".join(FITS))
    parser.add_argument("--new-options", default="", type=shlex.split)
    asked = parser.parse_args()
    tools = [str(pathlib.Path(tool).resolve()) for tool in (asked.old, asked.new)]
    versions = [subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout.strip() for tool in tools]
    both = methods_of(tools[0]) & methods_of(tools[1])
    with tempfile.TemporaryDirectory(prefix="tacit-tools-") as made:
        folder = pathlib.Path(made)
        write_table(folder, "wide", 20000, 10)
        write_table(folder, "short", 2000, 10)
        write_table(folder, "narrow", 20000, 2)
        write_table(folder, "line", 1000, 1)
        write_table(folder, "users", 20000, 10, users=2000)
        print(f"| method | {versions[0]}, ms | {versions[1]}, ms | ratio | quartiles |\n|---|---|---|---|---|")
        row("the tool's help", tools, [[tool, "--help"] for tool in tools], folder, asked.repeats)
        for name in asked.methods.split(","):
            if name not in both:
                continue
            table, options = FITS[name]
            commands = [[tool, "fit", f"{table}.csv", "--schema", f"{table}.schema.json", "--threads", "1", "--method", name, *options,
                         "--model", f"m{k}.json"] for k, tool in enumerate(tools)]
            commands[1] += asked.new_options
            row(name, tools, commands, folder, asked.repeats)


if __name__ == "__main__":
    main()
