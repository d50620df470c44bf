#!/usr/bin/env python3
"""Values that a schema does not list, and categories that no record has, on Adult: tables of docs/features.md.

    python3 experiments/unlisted.py --tool build/tacit --fits 8 --output out
    python3 experiments/unlisted.py --tool build/tacit --fits 8 --delta 1e-6 --output out

Writes out/unlisted.csv. swing: what an unlisted value adds to a score, against the mean of the listed ones, and the
probability of an income above 50 000 that records would have with an unlisted sex. empty: the same of a category that is
listed and has no records, and beside it the root mean square that the model itself tells. many: accuracy where unlisted values are many. Plain Python.
"""

import argparse
import csv
import gzip
import json
import math
import pathlib
import statistics
import subprocess

import cells

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples/data"
EPSILONS = (0.1, 0.3, 1, 3)
COLUMNS = ("sex", "race", "relationship", "marital-status", "workclass")
RECORDS = (2, 3, 4, 8)  # of the test file, counted from 1
NOBODY = "nobody"


def schema(other=None, listed=None, without=()):
    """Adult's, with what `other` is in every column of categories, and the categories of some of them."""
    found = json.loads((EXAMPLES / "adult.schema.json").read_text())
    found["others"] = "ignore"
    for name in without:
        del found["columns"][name]
    for name, column in found["columns"].items():
        if column["type"] == "categorical":
            column["categories"] = (listed or {}).get(name, column["categories"])
            if other:
                column["other"] = other
    return found


def fit(options, made, epsilon):
    """A model, and what it says of the test file."""
    (options.output / "schema.json").write_text(json.dumps(made))
    model = options.output / "model.json"
    subprocess.run([options.tool, "fit", EXAMPLES / "adult.train.csv.gz", "--schema", options.output / "schema.json", "--epsilon",
                    str(epsilon), "--threads", "1", "--model", model, *options.private], check=True, capture_output=True)
    said = subprocess.run([options.tool, "evaluate", model, EXAMPLES / "adult.test.csv.gz", "--json"], check=True,
                          capture_output=True, text=True).stdout
    return model, json.loads(said)


def probabilities(options, model, head, records):
    with open(options.output / "records.csv", "w", newline="") as out:
        csv.writer(out).writerows([head, *records])
    subprocess.run([options.tool, "predict", model, options.output / "records.csv", "--output", options.output / "said.csv"],
                   check=True, capture_output=True)
    with open(options.output / "said.csv") as said:
        return [float(row["p_>50K"]) for row in csv.DictReader(said)]


def logit(p):
    return math.log(max(p, 1e-12) / max(1 - p, 1e-12))


def table():
    with gzip.open(EXAMPLES / "adult.test.csv.gz", "rt") as text:
        rows = list(csv.reader(text))
    return rows[0], [rows[k] for k in RECORDS]


def with_value(record, head, column, value):
    return [value if name == column else cell for name, cell in zip(head, record)]


def added(options, model, made, head, record, column, value):
    """What the value adds to the record's score, against the mean of the other categories that are listed."""
    listed = [c for c in made["columns"][column]["categories"] if c != value]
    records = [with_value(record, head, column, v) for v in [*listed, value]]
    scores = [logit(p) for p in probabilities(options, model, head, records)]
    return scores[-1] - statistics.fmean(scores[:-1])


def root_mean_square(values):
    return math.sqrt(statistics.fmean(v * v for v in values))


def told(options, model, column):
    """What the model says that noise alone does to a category without records; None where it does not know."""
    said = subprocess.run([options.tool, "report", model, "--json"], check=True, capture_output=True, text=True).stdout
    curve = json.loads(said)["curves"][column]
    return curve["noise"] and curve["noise"][0]


def swing(options, name, made, columns, epsilon):
    head, records = table()
    found, shown, runs = {c: [] for c in columns}, [], []
    for _ in range(options.fits):
        model, said = fit(options, made, epsilon)
        runs.append(said)
        for column in columns:
            found[column].append(added(options, model, made, head, records[0], column, NOBODY))
        shown.append(probabilities(options, model, head, [with_value(r, head, "sex", NOBODY) for r in records]))
    for column in columns:
        yield [name, epsilon, f"{column}: added to a score", f"{root_mean_square(found[column]):.2f}"]
        noise = told(options, model, column)
        yield [name, epsilon, f"{column}: told", "" if noise is None else f"{noise:.2f}"]
    for k, record in enumerate(RECORDS):
        each = [one[k] for one in shown]
        yield [name, epsilon, f"record {record}: probability", f"{min(each):.3f}–{max(each):.3f}"]
    yield from accuracy(name, epsilon, runs)


def accuracy(name, epsilon, runs):
    each = [run["accuracy"] for run in runs]
    error = statistics.stdev(each) / math.sqrt(len(each))
    loss = statistics.fmean(run["log_loss"] for run in runs)
    yield [name, epsilon, "accuracy, log loss", f"{statistics.fmean(each):.4f} ± {error:.4f}, {loss:.4f}"]


def measured(options):
    usual = schema()["columns"]
    empty = {name: [*usual[name]["categories"], NOBODY] for name in ("sex", "race", "occupation", "native-country")}
    few = {"marital-status": ["Never-married", "Divorced", "Widowed"], "sex": ["Male"]}
    for epsilon in EPSILONS:
        yield from swing(options, "swing, other 1", schema(other=1), COLUMNS, epsilon)
        yield from swing(options, "swing, by the rules", schema(), COLUMNS, epsilon)
        yield from swing(options, "empty", schema(listed=empty), empty, epsilon)
        for other in (1, None):
            made = schema(other=other, listed=few, without=["relationship"])
            runs = [fit(options, made, epsilon)[1] for _ in range(options.fits)]
            yield from accuracy(f"many, {'other 1' if other else 'by the rules'}", epsilon, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--fits", type=int, default=8)
    parser.add_argument("--delta", help="with every epsilon; none: pure")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.private = ["--delta", options.delta] if options.delta else []
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [["what", "epsilon", "of", "value"]]
    for row in measured(options):
        print(*row, sep=", ", flush=True)
        rows.append([str(cell) for cell in row])
    cells.write(rows, options.output / "unlisted.csv")


if __name__ == "__main__":
    main()
