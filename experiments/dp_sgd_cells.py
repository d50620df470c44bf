#!/usr/bin/env python3
"""What the step and the clip norm of `dp-sgd` do on held-out records: the tables of docs/dp_sgd.md.

    python3 experiments/dp_sgd_cells.py --tool build/tacit --data DIR --out docs/figures [--only numbers|classes|images]

DIR holds wine_quality, california_housing, a9a and fashion_mnist. Ten fits of each setting; every fit is kept in
OUT/dp_sgd_cells.csv, so that what was stopped goes on, and OUT/dp_sgd_cells.md has their means ± deviations.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

import features_tables

FITS = 10
NUMBERS = {"red wine": "wine_red_number", "white wine": "wine_white_number", "California Housing": "houses_number"}


def numbers(data, folder):
    """(name, flags of fit, flags of evaluate, measures), one for each setting"""
    for shown, table in NUMBERS.items():
        train, test, schema = features_tables.prepare(data, table, folder)
        for step in ("0.05", "0.2", "0.5", "1", "2"):
            yield (f"{shown}, step {step}", [train, "--schema", schema, "--encoder", "linear-v1", "--method", "dp-sgd",
                   "--loss", "squared", "--epsilon", "2", "--delta", "1e-5", "--step", step], [test], ["rmse"])


def classes(data, _):
    for epsilon, steps in (("0.1", ("2", "0.35")), ("0.3", ("2", "1"))):
        for step in steps:
            file = lambda name: [data / "a9a" / name, "--format", "libsvm", "--columns", "123"]
            yield (f"a9a, epsilon {epsilon}, step {step}", [*file("a9a"), "--row-bound", "3.7417",
                   "--method", "dp-sgd", "--loss", "logistic", "--epsilon", epsilon, "--delta", "1e-6", "--step", step],
                   file("a9a.t"), ["accuracy", "log_loss"])


def images(data, _):
    folder = data / "fashion_mnist"
    files = lambda part: [folder / f"{part}-images-idx3-ubyte.gz", "--labels", folder / f"{part}-labels-idx1-ubyte.gz"]
    for shown, flags in (("auto", []), ("clip norm 1", ["--clip-norm", "1.0"])):
        yield (f"Fashion-MNIST, {shown}", [*files("train"), "--loss", "softmax", "--epsilon", "2", "--delta", "1e-5",
               *flags], files("t10k"), ["accuracy"])


def run(tool, *words):
    done = subprocess.run([tool, *map(str, words), "--threads", "1"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=["numbers", "classes", "images"])
    options = parser.parse_args()
    kept = options.out / "dp_sgd_cells.csv"
    found = {}
    if kept.exists():
        for name, fit, measure, value in csv.reader(kept.open()):
            found.setdefault((name, measure), {})[int(fit)] = float(value)
    with tempfile.TemporaryDirectory() as folder:
        for part in (classes, numbers, images):
            if options.only not in (None, part.__name__):
                continue
            for name, fit, test, measures in part(options.data, pathlib.Path(folder)):
                for number in range(1, FITS + 1):
                    if number in found.get((name, measures[0]), {}):
                        continue
                    model = pathlib.Path(folder) / "model.json"
                    run(options.tool, "fit", *fit, "--model", model)
                    result = json.loads(run(options.tool, "evaluate", model, *test, "--json"))
                    with kept.open("a", newline="") as file:
                        rows = [[name, number, m, f"{result[m]:.6g}"] for m in measures]
                        csv.writer(file, lineterminator="\n").writerows(rows)
                    for m in measures:
                        found.setdefault((name, m), {})[number] = result[m]
    lines = ["| setting | measure | fits | mean ± deviation |", "|---|---|---|---|"]
    for (name, measure), values in found.items():
        of = list(values.values())
        error = f"{statistics.stdev(of):.2g}" if len(of) > 1 else "–"
        lines.append(f"| {name} | {measure} | {len(of)} | {statistics.fmean(of):.5g} ± {error} |")
    (options.out / "dp_sgd_cells.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
