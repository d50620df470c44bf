#!/usr/bin/env python3
"""The expected error of tacit's and diffprivlib's private median, without a run: docs/describe.md.

    python3 experiments/describe_expected.py [--epsilon 1] [--stored docs/figures/describe_rivals.csv ...]

Both are exponential mechanisms for replace_one on the 1000 numbers of experiments/describe_rivals.py, so that the law of each answer is
known. tacit chooses among 4097 points, a point with probability in proportion to exp(score * epsilon / 2); diffprivlib 0.6.6 an interval
between neighbouring records, in proportion to its length times exp(-|rank - n/2| * epsilon / 2), and a uniform number in it. Prints the
expected absolute error of each, its deviation in one run, the ratio, what so many runs know of it, and where stored runs lie.
"""

import argparse
import csv
import math
import statistics

import numpy as np

LOW, HIGH, RECORDS, POINTS = 0.0, 100.0, 1000, 4097


def tacits(x, epsilon):
    """First and second moment of the error."""
    points = np.linspace(LOW, HIGH, POINTS)
    below, at_most = np.searchsorted(x, points, "left"), np.searchsorted(x, points, "right")
    score = -np.maximum.reduce([below - len(x) / 2, len(x) / 2 - at_most, np.zeros(POINTS)])
    weight = np.exp(score * epsilon / 2)
    error = np.abs(points - np.median(x))
    return [float(np.sum(weight * error**power) / np.sum(weight)) for power in (1, 2)]


def diffprivlibs(x, epsilon):
    edges, median = np.concatenate([[LOW], x, [HIGH]]), np.median(x)
    weight = np.exp(-np.abs(np.arange(len(x) + 1) - len(x) / 2) * epsilon / 2)

    def integral(power):  # of |t - median|^power over each interval
        whole = np.sign(edges - median) * np.abs(edges - median) ** (power + 1) / (power + 1)
        return np.diff(whole)

    return [float(np.sum(weight * integral(power)) / np.sum(weight * np.diff(edges))) for power in (1, 2)]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--stored", nargs="*", default=[])
    asked = options.parse_args()
    x = np.sort(np.random.default_rng(1).beta(2, 5, RECORDS) * (HIGH - LOW) + LOW)
    law = {"tacit": tacits(x, asked.epsilon), "diffprivlib": diffprivlibs(x, asked.epsilon)}
    deviation = {who: math.sqrt(second - first**2) for who, (first, second) in law.items()}
    for who, (mean, _) in law.items():
        print(f"{who}: expected error {mean:.5f}, deviation of one run {deviation[who]:.5f}")
    ratio = law["tacit"][0] / law["diffprivlib"][0]
    one_run = ratio * math.hypot(*(deviation[who] / law[who][0] for who in law))
    print(f"expected ratio {ratio:.4f}")
    for runs in (1000, 5000, 100000):
        error = one_run / math.sqrt(runs)
        above = 1 - statistics.NormalDist(ratio, error).cdf(1.05)
        print(f"{runs} runs: ratio known to {error:.4f}, seen above 1.05 with probability {above:.2g}")
    for path in asked.stored:
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["statistic"] == "quantiles"]
        for who, (mean, _) in law.items():
            seen = statistics.fmean(float(row[who]) for row in rows)
            print(f"{path}: {who} {seen:.4f}, {(seen - mean) / deviation[who] * math.sqrt(len(rows)):+.2f} standard errors from expected")


if __name__ == "__main__":
    main()
