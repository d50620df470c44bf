#!/usr/bin/env python3
"""How far a private accuracy and AUC are from the true ones, over epsilon and the number of test records: docs/evaluate.md.

    python3 experiments/evaluate_error.py --tool build/tacit --runs 40

A model of Adult (epsilon = 1) is judged on the first n records of its test file, privately and as they are. Every release is a
line of docs/figures/evaluate_error.csv; those that are there are not made again. Writes evaluate_error.svg beside it and prints
a table in Markdown. Plain Python.
"""

import argparse
import csv
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

SIZES = [200, 1000, 4000, 16000]
EPSILONS = [0.03, 0.1, 0.3, 1.0, 3.0]
METRICS = ["accuracy", "auc"]
COLORS = ["#4477aa", "#228833", "#ee6677", "#aa3377"]
FIELDS = ["records", "epsilon", "run", "metric", "value", "low", "high", "true"]


def told(command):
    return json.loads(subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout)


def run_all(options, folder):
    rows = list(csv.DictReader(options.csv.open())) if options.csv.exists() else []
    seen = {(int(row["records"]), float(row["epsilon"]), int(row["run"])) for row in rows}
    if not rows:
        options.csv.write_text(",".join(FIELDS) + "\n")
    model, examples = folder / "model.json", options.examples
    subprocess.run([options.tool, "fit", examples / "adult.train.csv.gz", "--schema", examples / "adult.schema.json",
                    "--epsilon", "1", "--model", model], check=True, capture_output=True)  # fmt: skip
    lines = gzip.open(examples / "adult.test.csv.gz", "rt").read().splitlines(keepends=True)
    for size in SIZES:
        test = folder / f"{size}.csv"
        test.write_text("".join(lines[: size + 1]))
        true = told([options.tool, "evaluate", model, test, "--json"])
        for epsilon in EPSILONS:
            for run in range(options.runs):
                if (size, epsilon, run) in seen:
                    continue
                found = told([options.tool, "evaluate", model, test, "--epsilon", epsilon, "--json"])
                made = [dict(zip(FIELDS, [size, epsilon, run, metric, found[metric], *found["intervals"][metric], true[metric]]))
                        for metric in METRICS]  # fmt: skip
                with options.csv.open("a", newline="") as file:
                    csv.DictWriter(file, FIELDS, lineterminator="\n").writerows(made)
                rows += made
    return rows


def cells(rows, metric):
    """Mean absolute error, mean half width and share of intervals that hold, by size and epsilon."""
    found = {}
    for size in SIZES:
        for epsilon in EPSILONS:
            part = [[float(row[k]) for k in ("value", "low", "high", "true")] for row in rows
                    if row["metric"] == metric and int(row["records"]) == size and float(row["epsilon"]) == epsilon]  # fmt: skip
            if part:
                found[size, epsilon] = (
                    statistics.fmean(abs(value - true) for value, _, _, true in part),
                    statistics.fmean((high - low) / 2 for _, low, high, _ in part),
                    statistics.fmean(low <= true <= high for _, low, high, true in part),
                )
    return found


def panel(found, title, left):
    top, bottom, width, low, high = 44, 300, 250, -5.0, 0.0
    at_x = lambda e: left + 12 + (math.log10(e) - math.log10(EPSILONS[0])) / 2 * (width - 24)
    at_y = lambda a: bottom - (max(math.log10(max(a, 1e-9)), low) - low) / (high - low) * (bottom - top)
    parts = [f'<text x="{left}" y="30" font-weight="bold">{title}</text>']
    for k in range(6):
        y = at_y(10.0 ** (low + k))
        parts.append(f'<path d="M{left} {y:.1f}H{left + width}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** (low + k):g}</text>')
    for e in EPSILONS:
        parts.append(f'<text x="{at_x(e):.1f}" y="{bottom + 17}" text-anchor="middle">{e:g}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{bottom + 35}" text-anchor="middle">epsilon of the evaluation</text>')
    for k, size in enumerate(SIZES):
        for which, dash in ((0, ""), (1, ' stroke-dasharray="5 4"')):
            points = " ".join(f"{at_x(e):.1f},{at_y(found[size, e][which]):.1f}" for e in EPSILONS if (size, e) in found)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{COLORS[k]}" stroke-width="1.6"{dash}/>')
    return parts


def plot(rows, path):
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 350" font-family="sans-serif" font-size="11" role="img">',
             "<title>Private accuracy and AUC: error against epsilon</title>", '<rect width="760" height="350" fill="white"/>']
    for metric, left in (("accuracy", 60), ("auc", 380)):
        parts += panel(cells(rows, metric), metric if metric == "accuracy" else "AUC", left)
    for k, size in enumerate(SIZES):
        parts.append(f'<text x="650" y="{70 + 18 * k}" fill="{COLORS[k]}">n = {size}</text>')
    parts += ['<text x="650" y="160">full: mean error</text>', '<text x="650" y="176">dashed: mean half</text>',
              '<text x="650" y="190">of the interval</text>', "</svg>", ""]  # fmt: skip
    path.write_text("\n".join(parts))


def table(rows):
    lines = ["| n | " + " | ".join(f"ε = {e:g}" for e in EPSILONS) + " |", "|---" * (len(EPSILONS) + 1) + "|"]
    for metric in METRICS:
        found = cells(rows, metric)
        for size in SIZES:
            row = [f"{error:.2g}, ±{half:.2g}, {share:.3g}" for e in EPSILONS for error, half, share in [found[size, e]]]
            lines.append(f"| {metric}, {size} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", type=pathlib.Path, default=pathlib.Path("build/tacit"))
    parser.add_argument("--examples", type=pathlib.Path, default=pathlib.Path("examples/data"))
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--csv", type=pathlib.Path, default=pathlib.Path("docs/figures/evaluate_error.csv"))
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    with tempfile.TemporaryDirectory() as name:
        rows = run_all(options, pathlib.Path(name))
    plot(rows, options.csv.with_suffix(".svg"))
    print(table(rows))


if __name__ == "__main__":
    main()
