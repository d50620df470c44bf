#!/usr/bin/env python3
"""Other rules for the step of dp-sgd on encoded tables, beside today's: a table of docs/features.md.

    python3 experiments/step_trials.py --tool build/tacit --data DIR --fits 5 --output steps.csv

zero_out, delta = 1e-6, classes. s = 0.36 sqrt(p / sum of rho^2), p features with the intercept, rho the blocks' bounds:
the rule of the encoder's shape. DIR holds the public tables, as for features.py. Plain Python.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import types

import cells
import features

TABLES = ("breast_cancer", "digits", "wine_red_class", "wine_white_class", "houses_class", "news_class", "adult")
WAYS = {  # by n·ε/blocks and s
    "as it is": lambda each, s: None,
    "s": lambda each, s: s,
    "s at most": lambda each, s: min(s, max(0.1, each / 100) if each < 60 else max(0.25, each / 1000)),
    "s by share": lambda each, s: s * (min(0.83, max(0.14, each / 72)) if each < 60 else min(1.85, max(0.3, each / 1000))),
}


def blocks_of(text):
    """(size, bound) of every block of "2*9=1,16:1,1=1"."""
    found = []
    for part in text.split(","):
        count, _, block = part.rpartition("*")
        size, bound = block.replace("=", ":").split(":")
        found += [(int(size), float(bound))] * int(count or 1)
    return found


def shape(options, table, records, epsilon):
    """n·ε/blocks, and s. A pure plan is of the same encoder, and states its blocks."""
    text = subprocess.run([options.tool, "fit", table.train, "--schema", table.schema, "--records", str(records), "--epsilon",
                           str(epsilon), "--method", "limited-objective", "--plan", "--json"],
                          check=True, capture_output=True, text=True).stdout
    blocks = blocks_of(json.loads(text)["options"]["feature_blocks"])
    s = 0.36 * math.sqrt(sum(k for k, _ in blocks) / sum(r * r for _, r in blocks))
    return records * epsilon / (len(blocks) - 1), s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data", required=True)
    parser.add_argument("--examples", default="examples/data")
    parser.add_argument("--fits", type=int, default=5)
    parser.add_argument("--tables", nargs="*", default=TABLES)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--output", type=pathlib.Path, help="a CSV file for the cells")
    options = parser.parse_args()
    rows = [["table", "epsilon", "n epsilon / blocks", "way", "step", "value"]]
    with tempfile.TemporaryDirectory() as folder:
        given = types.SimpleNamespace(data=options.data, examples=options.examples, output=pathlib.Path(folder),
                                      tool=options.tool, fits=options.fits, jobs=1)
        for name in options.tables:
            table = features.Table(name, given)
            records = len(table.labels(table.train))
            for epsilon in features.EPSILONS:
                each, s = shape(options, table, records, epsilon)
                for way in options.ways:
                    step = WAYS[way](each, s)
                    flags = ["--method", "dp-sgd", "--epsilon", str(epsilon), "--delta", "1e-6"]
                    found = features.measure(table, flags + ([] if step is None else ["--step", str(step)]), given)
                    value = ", ".join(f"{found[k]:.4f} ± {found[k + '_error']:.4f}" for k in ("accuracy", "log_loss"))
                    rows.append([name, f"{epsilon:g}", f"{each:.3g}", way, "" if step is None else f"{step:.3g}", value])
                    print(*rows[-1], sep=", ", flush=True)
    if options.output:
        cells.write(rows, options.output)


if __name__ == "__main__":
    main()
