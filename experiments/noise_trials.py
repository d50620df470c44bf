#!/usr/bin/env python3
"""Other laws of noise for the same records, which docs/features.md measured and which are not built. Needs numpy.

    python3 experiments/noise_trials.py groups --data DIR     # a law for each group of blocks; pure epsilon
    python3 experiments/noise_trials.py gaussian --data DIR   # Gaussian noise with a width for each block; delta = 1e-6
    python3 experiments/noise_trials.py size --data DIR --tool build/tacit   # a loose row bound, or a size chosen privately
    python3 experiments/noise_trials.py share --data DIR --tool build/tacit  # the share of epsilon for the Jacobian's term

The first two draw noise in plain doubles: zero_out, two classes, 9 knots. DIR holds the public tables, as for features.py.
"""

import argparse
import csv
import gzip
import itertools
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
import types

import cells
import features
import features_tables
import numpy as np
from feature_trials_fit import SLOPE, encode, in_ball, minimise, shaped_noise, shaped_size

KNOTS, FITS, DELTA, SHARE = 9, 8, 1e-6, 0.3
CELLS = [["table", "epsilon", "way", "value"]]  # accuracy ± its error, log loss ± its error
EXAMPLES = pathlib.Path(__file__).parent.parent / "examples/data"


def categories(cells, column):
    """One of several; a value that is not listed counts (k + 1)/32, k the features."""
    listed = column["categories"]
    at = {c: i for i, c in enumerate(listed)}
    part = np.zeros((len(cells), len(listed) + 1))
    for i, cell in enumerate(cells):
        part[i, at.get(cell, len(listed))] = 1 if cell in at else min(1, (len(listed) + 2) / 32)
    return part


def adult():
    """(rows, labels, blocks, rows and labels to test on)"""
    columns = json.loads((EXAMPLES / "adult.schema.json").read_text())["columns"]
    columns = {n: c for n, c in columns.items() if c["type"] != "ignore"}
    made = []
    for file in ("adult.train.csv.gz", "adult.test.csv.gz"):
        with gzip.open(EXAMPLES / file, "rt") as text:
            table = list(csv.DictReader(text))
        parts, blocks = [], []
        for name, column in columns.items():
            cells = [r[name] for r in table]
            if column["type"] == "categorical":
                parts.append(categories(cells, column))
                blocks.append((parts[-1].shape[1], 1.0))
            else:
                rows, found = encode({name: column}, [[c] for c in cells], KNOTS)
                parts.append(rows[:, :-1])
                blocks += found[:-1]
        labels = np.where(np.array([r["income"] for r in table]) == ">50K", 1.0, -1.0)
        made += [np.concatenate([*parts, np.ones((len(table), 1))], axis=1), labels]
    return made[0], made[1], [*blocks, (1, 1.0)], made[2], made[3]


def of_numbers(data, name):
    columns, target, rows = features_tables.read(data, name)
    random.Random(17).shuffle(rows)
    cut = len(rows) // 5
    sign = lambda part: np.where(np.array([r[-1] for r in part]) == target["classes"][1], 1.0, -1.0)
    fitted, blocks = encode(columns, rows[cut:], KNOTS)
    return fitted, sign(rows[cut:]), blocks, encode(columns, rows[:cut], KNOTS)[0], sign(rows[:cut])


def weight(blocks):
    """E‖b‖² of a group's law at β = 1."""
    return shaped_size(blocks) ** 2


def grouped(blocks):
    """Blocks by size, cut where noise becomes shortest: (numbers of the blocks, share of the gauge) of each group."""
    order = sorted(range(len(blocks)), key=lambda j: blocks[j][0])
    sizes = sorted({k for k, _ in blocks})
    best = None
    for count in (0, 1, 2):
        for cuts in itertools.combinations(sizes[1:], count):
            ends = [0, *cuts, math.inf]
            groups = [[j for j in order if low <= blocks[j][0] < high] for low, high in zip(ends, ends[1:])]
            roots = [weight([blocks[j] for j in g]) ** (1 / 3) for g in groups]
            if best is None or sum(roots) < best[0] * (1 - 1e-9):
                best = sum(roots), [(g, r / sum(roots)) for g, r in zip(groups, roots)]
    return best[0] ** 1.5, best[1]


def noise_of_groups(blocks, groups, rng):
    drawn = [None] * len(blocks)
    for numbers, share in groups:
        part = [blocks[j] for j in numbers]
        length = rng.gamma(sum(k for k, _ in part) + 1) / share
        for j in numbers:
            drawn[j] = length * blocks[j][1] * in_ball(blocks[j][0], rng)
    return np.concatenate(drawn)


def strength_of(curvature, epsilon, size, radius):
    return max(curvature / math.expm1(SHARE * epsilon), SLOPE * size / (epsilon * radius))


def fitted(case, strength, b):
    rows, labels, blocks = case[:3]
    starts = np.cumsum([0] + [k for k, _ in blocks])
    gauge = np.max([np.abs(rows[:, a : a + k]).sum(axis=1) / r for a, (k, r) in zip(starts, blocks)], axis=0)
    scores = case[3] @ minimise(rows, labels, strength, b, np.minimum(SLOPE / gauge, 1 - 1e-9))
    return ((scores > 0) == (case[4] > 0)).mean(), np.logaddexp(0, -case[4] * scores).mean()


def radius_of(rows, columns, epsilon):
    """As the tool has it from n·ε/d = 60 on."""
    return min(10, 3 * math.sqrt(max(1, rows * epsilon / columns / 250)))


def show(name, epsilon, way, found):
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    value = f"{mean[0]:.4f} ± {error[0]:.4f}, {mean[1]:.4f} ± {error[1]:.4f}"
    print(f"{name}, epsilon = {epsilon:g}, {way}: {value}", flush=True)
    CELLS.append([name, f"{epsilon:g}", way, value])


def tables(data):
    yield "adult", 12, adult(), (0.1, 0.3, 1)
    yield "wine_white_class", 11, of_numbers(data, "wine_white_class"), (0.3, 1)
    yield "houses_class", 8, of_numbers(data, "houses_class"), (0.1, 0.3)


def groups(options):
    for name, columns, case, epsilons in tables(options.data):
        blocks = case[2]
        size, found = grouped(blocks)
        print(name, f"length {shaped_size(blocks):.1f}, in groups {size:.1f}:",
              [(sorted({blocks[j][0] for j in g}), round(share, 3)) for g, share in found])
        curvature = 0.25 * sum(r * r for _, r in blocks)
        for epsilon in epsilons:
            radius = radius_of(len(case[0]), columns, epsilon)
            for way, length, draw in (("one law", shaped_size(blocks), shaped_noise),
                                      ("groups", size, lambda b, rng: noise_of_groups(b, found, rng))):
                rng, strength = np.random.default_rng(7), strength_of(curvature, epsilon, length, radius)
                beta = SLOPE / (0.99 * epsilon - math.log1p(curvature / strength))
                show(name, epsilon, way, [fitted(case, strength, beta * draw(blocks, rng)) for _ in range(FITS)])


def hockey_stick(epsilon, mu):
    normal = statistics.NormalDist().cdf
    return normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu)


def mu_of(epsilon):
    """The largest μ with twice the hockey stick at most δ."""
    low, high = 1e-4, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * hockey_stick(epsilon, middle) <= DELTA else (low, middle)
    return low


def gaussian(options):
    for name, columns, case, epsilons in tables(options.data):
        blocks = case[2]
        each = np.array([k for k, _ in blocks for _ in range(k)], dtype=float)
        bound = np.array([r for k, r in blocks for _ in range(k)])
        squares = sum(r * r for _, r in blocks)
        # Widths at μ = 1 and slope 1: the sum of ρ²/σ² over the blocks is 1.
        alike = np.full(len(each), math.sqrt(squares))
        apart = np.sqrt(bound / np.sqrt(each) * sum(math.sqrt(k) * r for k, r in blocks))
        print(name, f"lengths at μ = 1: one width {np.linalg.norm(alike):.1f}, one for each block {np.linalg.norm(apart):.1f}")
        curvature = 0.25 * squares
        for epsilon in epsilons:
            radius = radius_of(len(case[0]), columns, epsilon)
            for way, widths in (("one width", alike), ("one for each block", apart)):
                # λ so that the noise over nλ is R long, and a share of ε for J at most.
                length = SLOPE * np.linalg.norm(widths) / mu_of((1 - SHARE) * epsilon)
                strength = max(curvature / math.expm1(SHARE * epsilon), length / radius)
                sigma = SLOPE * widths / mu_of(epsilon - math.log1p(curvature / strength))
                rng = np.random.default_rng(7)
                show(name, epsilon, way,
                     [fitted(case, strength, sigma * rng.standard_normal(len(sigma))) for _ in range(FITS)])


def size(options):
    """a9a, whose rows have a norm of at most 3.74: that bound, looser ones, and none, so that a share of ε finds the size."""
    tight, all_ones = ["--row-bound", "3.7417"], ["--row-bound", "11.1"]  # √14 and √123
    ways = {"pure, row bound 3.74": tight, "pure, row bound 11.1": all_ones, "pure, row bound 37.4": ["--row-bound", "37.4"],
            "pure, size chosen privately": [], "delta, row bound 3.74": [*tight, "--delta", str(DELTA)]}
    for epsilon in (0.1, 0.3, 1, 3):
        for way, flags in ways.items():
            show("a9a", epsilon, way, [fitted_by_tool(options, epsilon, flags) for _ in range(3)])


def fitted_by_tool(options, epsilon, flags):
    layout = ["--format", "libsvm"]
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.json"
        subprocess.run([options.tool, "fit", options.data / "a9a/a9a", *layout, "--columns", "123", "--loss", "logistic", "--epsilon",
                        str(epsilon), "--threads", "1", "--model", model, *flags], check=True, capture_output=True)
        text = subprocess.run([options.tool, "evaluate", model, options.data / "a9a/a9a.t", *layout, "--json"], check=True,
                              capture_output=True, text=True).stdout
    return json.loads(text)["accuracy"], json.loads(text)["log_loss"]


def planned(options, table, records, epsilon, flags=()):
    text = subprocess.run([options.tool, "fit", table.train, "--schema", table.schema, "--records", str(records), "--epsilon",
                           str(epsilon), *flags, "--plan", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(text)["options"]


def strength_for(options, table, records, epsilon, share):
    """λ as the tool has it, but with this share of ε for J at most; and the share that J takes then."""
    found = planned(options, table, records, epsilon)
    curvature, radius, tiny = found["curvature_limit"], found["radius"], 1e-6
    # With a tiny R nothing but R decides λ, which goes as 1/R.
    by_radius = planned(options, table, records, epsilon, ["--radius", str(tiny)])["regularisation"] * tiny / radius
    strength = max(curvature / (records * math.expm1(share * epsilon)), by_radius)
    return strength, math.log1p(curvature / (records * strength)) / epsilon


def share(options):
    """One output, pure epsilon, zero_out, with the tool: rmse, or accuracy and log loss, by the share."""
    with tempfile.TemporaryDirectory() as folder:
        given = types.SimpleNamespace(data=options.data, examples=EXAMPLES, output=pathlib.Path(folder), tool=options.tool,
                                      fits=options.fits, jobs=1)
        for name in options.tables:
            table = features.Table(name, given)
            records = len(table.labels(table.train))
            for epsilon in (0.3, 1, 3):
                for each in (0.1, 0.2, 0.3, 0.4, 0.5):
                    strength, taken = strength_for(options, table, records, epsilon, each)
                    found = features.measure(table, ["--epsilon", str(epsilon), "--regularisation", repr(strength)], given)
                    keys = ["rmse"] if "rmse" in found else ["accuracy", "log_loss"]
                    value = ", ".join(f"{found[k]:.6g} ± {found[k + '_error']:.2g}" for k in keys)
                    way = f"at most {each:g}, J takes {taken:.2f}"
                    print(f"{name}, epsilon = {epsilon:g}, {way}: {value}", flush=True)
                    CELLS.append([name, f"{epsilon:g}", way, value])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["groups", "gaussian", "size", "share"])
    parser.add_argument("--tool", default="build/tacit")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--fits", type=int, default=FITS, help="of share")
    parser.add_argument("--tables", nargs="*", help="of share",
                        default=["houses_class", "houses_number", "wine_white_class", "wine_white_number", "adult"])
    parser.add_argument("--output", type=pathlib.Path, help="a CSV file for the cells")
    options = parser.parse_args()
    {"groups": groups, "gaussian": gaussian, "size": size, "share": share}[options.what](options)
    if options.output:
        cells.write(CELLS, options.output)


if __name__ == "__main__":
    main()
