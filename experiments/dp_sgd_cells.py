#!/usr/bin/env python3
"""What the step of `dp-sgd` does on a9a: a table of docs/dp_sgd.md.

    python3 experiments/dp_sgd_cells.py --tool build/tacit --data DIR --out docs/figures

DIR holds a9a. Ten fits of each setting; every fit is kept in OUT/dp_sgd_cells.csv, so that what was stopped goes
on, and OUT/dp_sgd_cells.md has their means ± deviations.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

FITS = 10
SETTINGS = [("0.1", "2"), ("0.1", "0.35"), ("0.3", "2"), ("0.3", "1")]  # epsilon, step
MEASURES = ["accuracy", "log_loss"]


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
    options = parser.parse_args()
    kept = options.out / "dp_sgd_cells.csv"
    found = {}
    if kept.exists():
        for name, fit, measure, value in csv.reader(kept.open()):
            found.setdefault((name, measure), {})[int(fit)] = float(value)
    file = lambda name: [options.data / "a9a" / name, "--format", "libsvm", "--columns", "123"]
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.json"
        for epsilon, step in SETTINGS:
            name = f"a9a, epsilon {epsilon}, step {step}"
            for number in range(1, FITS + 1):
                if number in found.get((name, MEASURES[0]), {}):
                    continue
                run(options.tool, "fit", *file("a9a"), "--row-bound", "3.7417", "--method", "dp-sgd", "--loss", "logistic",
                    "--epsilon", epsilon, "--delta", "1e-6", "--step", step, "--model", model)
                result = json.loads(run(options.tool, "evaluate", model, *file("a9a.t"), "--json"))
                with kept.open("a", newline="") as out:
                    csv.writer(out, lineterminator="\n").writerows([name, number, m, f"{result[m]:.6g}"] for m in MEASURES)
                for m in MEASURES:
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
