#!/usr/bin/env python3
"""A model from a table that nobody has looked at, beside one with a schema written by hand: docs/private_schema.md.

    python3 experiments/private_schema.py --tool build/tacit --data DIR --examples examples/data --fits 5 --output out

Every row spends the same epsilon in all: on the fit alone, where the schema is given or numbers are taken as they are; on a
schema (0.3 of it) and a fit, by two commands with one ledger; or within one fit, by the share that finds the ranges. DIR holds the public tables of experiments/features.py; without it Adult is measured alone.
Writes out/private_schema.md, and the same as out/private_schema.csv. Plain Python.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

import cells as measured
import features_tables

TABLES = ["adult", "houses_class", "houses_number", "news_class", "wine_white_class", "wine_white_number", "breast_cancer"]
EPSILONS = ["0.3", "1", "3"]
SHARES = ["0.05", "0.1", "0.2", "0.3", "0.5"]


class Table:
    def __init__(self, name, options):
        self.name = name
        if name == "adult":
            folder = pathlib.Path(options.examples)
            self.train, self.test, self.schema = (
                folder / end for end in ("adult.train.csv.gz", "adult.test.csv.gz", "adult.schema.json"))
        else:
            self.train, self.test, self.schema = features_tables.prepare(
                pathlib.Path(options.data), name, options.output / "tables")
        schema = json.loads(pathlib.Path(self.schema).read_text())
        self.target = schema["target"]["column"]
        self.classes = ",".join(schema["target"].get("classes", []))
        self.metric = "accuracy" if "classes" in schema["target"] else "rmse"
        self.columns = len(schema["columns"])


def one_fit(table, flags, options):
    model = options.output / "model.json"
    fit = subprocess.run([options.tool, "fit", str(table.train), "--model", str(model), *flags], capture_output=True, text=True)
    if fit.returncode:
        return None, fit.stderr.strip()
    run = subprocess.run([options.tool, "evaluate", str(model), str(table.test), "--json"], capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr.strip()
    found = json.loads(run.stdout)
    if table.metric not in found:
        return None, "the target's kind was not found"
    return (found[table.metric], found["constant"][table.metric]), ""


def two_commands(table, epsilon, delta, options):
    """The accuracy of a fit with a schema that was found privately, both charged to one ledger of this epsilon."""
    ledger, schema = options.output / "people.ledger", options.output / "found.schema.json"
    for old in options.output.glob("people.ledger*"):
        old.unlink()
    limit = ["--limit", f"people={epsilon},{delta}", "--accountant", "approx"] if delta else ["--limit", f"people={epsilon}"]
    parts = [[str(share * float(epsilon))] + (["--delta", str(float(delta) / 2)] if delta else []) for share in (0.3, 0.7)]
    classes = ["--classes", table.classes] if table.classes and not delta else []
    for command in (["ledger", "create", str(ledger), *limit],
                    ["schema", str(table.train), "--target", table.target, *classes, "--epsilon", *parts[0], "--ledger", str(ledger),
                     "--output", str(schema), "--force"]):
        run = subprocess.run([options.tool, *command], capture_output=True, text=True)
        if run.returncode:
            return None, run.stderr.strip()
    return one_fit(table, ["--schema", str(schema), "--ledger", str(ledger), "--epsilon", *parts[1]], options)


def row(table, epsilon, delta, options):
    budget = ["--epsilon", epsilon] + (["--delta", delta] if delta else [])
    ways = [["--schema", str(table.schema)]] + [["--target", table.target, "--range-share", s] for s in ["0"] + SHARES]
    ways.insert(2, None)
    cells, constant = [], None
    for way in ways:
        values = []
        for _ in range(options.fits):
            found, why = one_fit(table, [*way, *budget], options) if way else two_commands(table, epsilon, delta, options)
            if found is None:
                break
            values.append(found[0])
            constant = found[1]
        cells.append(f"{statistics.fmean(values):.4g}" if values else "-")
        print(table.name, epsilon, delta, way, cells[-1], why, flush=True)
    return f"| {table.name} | {epsilon}{', ' + delta if delta else ''} | {constant:.4g} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data")
    parser.add_argument("--examples", default="examples/data")
    parser.add_argument("--fits", type=int, default=5)
    parser.add_argument("--tables", nargs="*", default=TABLES)
    parser.add_argument("--epsilons", nargs="*", default=EPSILONS)
    parser.add_argument("--deltas", nargs="*", default=[""])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    lines = ["| table | ε, δ | constant | schema by hand | numbers as they are | two commands | " + " | ".join(f"share {s}" for s in SHARES) + " |",
             "|" + "---|" * (6 + len(SHARES))]
    for name in options.tables if options.data else ["adult"]:
        table = Table(name, options)
        for epsilon in options.epsilons:
            for delta in options.deltas:
                lines.append(row(table, epsilon, delta, options))
        (options.output / "private_schema.md").write_text("\n".join(lines) + "\n")
        measured.write(measured.of_table(lines), options.output / "private_schema.csv")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
