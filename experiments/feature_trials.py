#!/usr/bin/env python3
"""What docs/features.md measured to settle its rules, and did not build. Needs numpy.

    python3 experiments/feature_trials.py weak --tool build/tacit            # little or no signal, with the tool
    python3 experiments/feature_trials.py recalibration --data DIR           # also the radius R; trial code
    python3 experiments/feature_trials.py centred --data DIR                 # recalibration, pulled towards "as it is"
    python3 experiments/feature_trials.py plane --data DIR --tool build/tacit   # knots with noise in K ∩ L, with the tool

Trial code draws noise in plain doubles: pure epsilon, zero_out, two classes. Prints the log loss over the base rate's and
the accuracy. DIR holds the public tables, as for features.py.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import tempfile

import features_tables
import numpy as np
from feature_trials_fit import encode, private

TESTED = 4000  # records of made data, beside those that are fitted


def table(data, name, seed):
    """(columns, classes, records to fit, records to test on)"""
    if name.startswith("made"):
        _, n, columns, strength = name.split("_")
        columns, target, rows = features_tables.made(f"made_{int(n) + TESTED + seed}_{columns}_{strength}")
        return columns, target["classes"], rows[: int(n)], rows[int(n) : int(n) + TESTED]
    columns, target, rows = features_tables.read(data, name)
    random.Random(17).shuffle(rows)
    return columns, target["classes"], rows[len(rows) // 5 :], rows[: len(rows) // 5]


def signs(rows, classes):
    return np.where(np.array([r[-1] for r in rows]) == classes[1], 1.0, -1.0)


def base_rate(labels):
    share = (labels > 0).mean()
    return -(share * math.log(share) + (1 - share) * math.log(1 - share))


def rule(each):
    """Knots and radius by n·ε/d."""
    if each < 60:
        return 1, 2.0
    return (5, 3.0) if each < 250 else (9, min(10, 3 * math.sqrt(each / 250)))


def as_it_is(case, epsilon, rng, radius=None, fit=private, knots=None):
    rows, blocks, tested = case.encoded(knots or case.knots)
    return tested @ fit(rows, case.labels, blocks, epsilon, radius or case.radius, rng)


def range_of(w, blocks):
    """Middle and half of the range that w gives its scores."""
    low = high = at = 0
    for size, bound in blocks:
        part, at = w[at : at + size], at + size
        low += -bound * abs(part[0]) if bound < 1 else part.min()
        high += bound * abs(part[0]) if bound < 1 else part.max()
    return (low + high) / 2, max((high - low) / 2, 1e-9)


def recalibrated(case, epsilon, rng, share=0.7):
    """w with a share of epsilon, then slope and offset over its scores, which w bounds, with the rest."""
    rows, blocks, tested = case.encoded(case.knots)
    w = private(rows, case.labels, blocks, share * epsilon, case.radius, rng)
    center, half = range_of(w, blocks)
    unit = lambda scores: (scores - center) / (2 * half)
    two = np.stack([unit(rows @ w), np.ones(len(rows))], axis=1)
    v = private(two, case.labels, [(1, 0.5), (1, 1.0)], (1 - share) * epsilon, max(3.0, 4 * half), rng)
    return v[0] * unit(tested @ w) + v[1]


def centred(case, epsilon, rng, share=0.85, radius=None):
    """The same, with a penalty on what slope and offset change: none is slope 1, offset 0. R: where the slope is 0."""
    rows, blocks, tested = case.encoded(case.knots)
    w = private(rows, case.labels, blocks, share * epsilon, case.radius, rng)
    center, half = range_of(w, blocks)
    unit = lambda scores: (scores - center) / (2 * half)
    scores = rows @ w
    two = np.stack([unit(scores), np.ones(len(rows))], axis=1)
    v = private(two, case.labels, [(1, 0.5), (1, 1.0)], (1 - share) * epsilon, radius or 2 * half, rng, scores)
    return tested @ w + v[0] * unit(tested @ w) + v[1]


def intercept_alone(case, epsilon, rng):
    w = private(np.ones((len(case.labels), 1)), case.labels, [(1, 1.0)], epsilon, 2.0, rng)
    return np.full(len(case.tested), w[0])


class Case:
    def __init__(self, data, name, epsilon, seed):
        self.columns, classes, self.rows, self.others = table(data, name, seed)
        self.labels, self.tested = signs(self.rows, classes), signs(self.others, classes)
        self.each = len(self.rows) * epsilon / len(self.columns)
        self.knots, self.radius = rule(self.each)
        self.kept = {}

    def encoded(self, knots):
        if knots not in self.kept:
            rows, blocks = encode(self.columns, self.rows, knots)
            self.kept[knots] = rows, blocks, encode(self.columns, self.others, knots)[0]
        return self.kept[knots]


def show(data, name, epsilon, ways, fits, seeds):
    found = {way: [] for way in ways}
    for seed in seeds:
        case = Case(data, name, epsilon, seed)
        for way, make in ways.items():
            rng = np.random.default_rng(seed + 7)
            for _ in range(fits):
                scores = make(case, epsilon, rng)
                loss = np.logaddexp(0, -case.tested * scores).mean() / base_rate(case.tested)
                found[way].append((loss, ((scores > 0) == (case.tested > 0)).mean()))
    cells = "; ".join(f"{way} {np.mean(runs, axis=0)[0]:.3f} ± {np.std(runs, axis=0)[0] / len(runs) ** 0.5:.3f}, "
                      f"{np.mean(runs, axis=0)[1]:.3f}" for way, runs in found.items())
    print(f"{name}, epsilon = {epsilon:g}, n·ε/d = {case.each:.3g}: {cells}", flush=True)


def recalibration(options):
    ways = {"as it is": as_it_is, "recalibrated": recalibrated, "intercept": intercept_alone}
    for radius in (1.0, 1.5, 2.0, 3.0):
        ways[f"R = {radius:g}"] = lambda case, epsilon, rng, r=radius: as_it_is(case, epsilon, rng, radius=r)
    show_all(options, ways)


def recalibration_centred(options):
    ways = {"as it is": as_it_is, "centred": centred}
    for radius in (0.3, 1.0):
        ways[f"centred, R = {radius:g}"] = lambda case, epsilon, rng, r=radius: centred(case, epsilon, rng, radius=r)
    show_all(options, ways)


def show_all(options, ways):
    for name, epsilons in (("breast_cancer", (0.3, 1, 3)), ("wine_white_class", (0.1, 0.3)),
                           ("wine_red_class", (0.1, 0.3, 1)), ("houses_class", (0.03, 0.1)), ("news_class", (0.3, 1))):
        for epsilon in epsilons:
            show(options.data, name, epsilon, ways, 4, (0,))
    for strength in (0, 0.5, 1.0):
        for each in (20, 60, 120, 200):
            show(options.data, f"made_{each * 12}_12_{strength}", 1.0, ways, 3, (0, 1))


def fitted(tool, folder, columns, target, rows, others, flags):
    """What the tool's model reaches on `others`."""
    for file, part in (("train.csv", rows), ("test.csv", others)):
        with open(folder / file, "w", newline="") as out:
            csv.writer(out).writerows([[*columns, "target"], *part])
    (folder / "schema.json").write_text(json.dumps({"columns": columns, "target": {"column": "target", **target}}))
    subprocess.run([tool, "fit", folder / "train.csv", "--schema", folder / "schema.json", "--threads", "1", "--model",
                    folder / "model.json", *flags], check=True, capture_output=True)
    return json.loads(subprocess.run([tool, "evaluate", folder / "model.json", folder / "test.csv", "--json"], check=True,
                                     capture_output=True, text=True).stdout)


def fitted_loss(tool, folder, columns, target, rows, others, flags):
    """The tool's log loss on `others` over the base rate's."""
    found = fitted(tool, folder, columns, target, rows, others, flags)
    return found["log_loss"] / base_rate(signs(others, target["classes"]))


# Where the rule for knots was chosen, and where it was then looked at: (table, its epsilons).
PLANE_CHOSEN = (("wine_white_class", (0.1, 0.2, 0.3, 0.5)), ("houses_class", (0.015, 0.03, 0.06, 0.1)),
                ("breast_cancer", (3, 10)), ("wine_white_number", (0.1, 0.3)), ("houses_number", (0.03, 0.1)),
                ("made_480_12_1.0", (1,)), ("made_1080_12_1.0", (1,)), ("made_2040_12_1.0", (1,)),
                ("made_480_12_0.5", (1,)), ("made_1080_12_0.5", (1,)), ("made_2040_12_0.5", (1,)))
PLANE_HELD = (("wine_red_class", (0.3, 0.6, 1, 1.5)), ("news_class", (0.3, 0.6, 1, 1.5)), ("wine_red_number", (0.3, 1)),
              ("diabetes", (1, 3)), ("wine_color", (0.06, 0.2)), ("houses_age", (0.03, 0.06)))


def with_knots(columns, knots):
    """Numbers with this many knots, as the rule counts them; None: as the rule says."""
    if knots is None:
        return columns
    values = lambda c: c["max"] - c["min"] + 1 if c.get("integer") else math.inf
    return {name: {**c, "knots": knots if values(c) > knots else 1} if c["type"] == "numeric" and values(c) > 2 else c
            for name, c in columns.items()}


def plane(options):
    for name, epsilons in PLANE_HELD if options.held_out else PLANE_CHOSEN:
        if options.tables and name not in options.tables:
            continue
        for epsilon in epsilons:
            cells = []
            for knots in options.knots:
                runs = []
                with tempfile.TemporaryDirectory() as folder:
                    for fit in range(options.fits):
                        if name.startswith("made"):
                            _, n, count, strength = name.split("_")
                            made = f"made_{int(n) + TESTED + fit % 2}_{count}_{strength}"
                            columns, target, rows = features_tables.made(made)
                            rows, others = rows[: int(n)], rows[int(n) : int(n) + TESTED]
                        else:
                            columns, target, rows = features_tables.read(options.data, name)
                            random.Random(17).shuffle(rows)
                            rows, others = rows[len(rows) // 5 :], rows[: len(rows) // 5]
                        found = fitted(options.tool, pathlib.Path(folder), with_knots(columns, knots), target, rows, others,
                                       ["--epsilon", str(epsilon)])
                        if "classes" in target:
                            runs.append((found["log_loss"] / base_rate(signs(others, target["classes"])), found["accuracy"]))
                        else:
                            y = np.array([float(r[-1]) for r in others])
                            runs.append((found["rmse"] / math.sqrt(np.mean((y - y.mean()) ** 2)),))
                mean, error = np.mean(runs, axis=0), np.std(runs, axis=0) / len(runs) ** 0.5
                cells.append(f"{knots or 'rule'}: {mean[0]:.3f} ± {error[0]:.3f}" + "".join(f", {m:.3f}" for m in mean[1:]))
            print(f"{name}, epsilon = {epsilon:g}, n·ε/d = {len(rows) * epsilon / len(columns):.3g}: " + "; ".join(cells), flush=True)


def weak(options):
    for flags in [options.flags.split()] if options.flags else (["--epsilon", "1"], ["--epsilon", "1", "--delta", "1e-6"]):
        for strength in (0, 0.5):
            for each in (10, 30, 60, 120, 240, 400, 800, 1600):
                losses = []
                with tempfile.TemporaryDirectory() as name:
                    for seed in (0, 0, 1, 1):
                        made = f"made_{each * 10 + TESTED + seed}_10_{strength}"
                        columns, target, rows = features_tables.made(made)
                        rows, others = rows[: each * 10], rows[each * 10 : each * 10 + TESTED]
                        losses.append(fitted_loss(options.tool, pathlib.Path(name), columns, target, rows, others, flags))
                print(" ".join(flags), f"strength {strength}, n·ε/d = {each}: {np.mean(losses):.3f}, at most "
                      f"{max(losses):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["weak", "recalibration", "centred", "plane"])
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--flags", default="", help='of weak, such as "--epsilon 1 --delta 1e-6 --method dp-sgd"')
    parser.add_argument("--fits", type=int, default=8, help="of plane")
    parser.add_argument("--knots", nargs="*", type=lambda k: None if k == "rule" else int(k), default=[None, 1, 3, 5])
    parser.add_argument("--held-out", action="store_true", help="the tables that the rule for knots was not chosen on")
    parser.add_argument("--tables", nargs="*")
    options = parser.parse_args()
    modes = {"weak": weak, "recalibration": recalibration, "centred": recalibration_centred, "plane": plane}
    modes[options.what](options)


if __name__ == "__main__":
    main()
