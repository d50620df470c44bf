#!/usr/bin/env python3
"""Errors of `tacit describe` against OpenDP's and diffprivlib's, at equal epsilon and relation.

    python3 -m venv rivals && rivals/bin/pip install numpy opendp diffprivlib 'scikit-learn<1.7'
    rivals/bin/python experiments/describe_rivals.py --tool build/tacit [--runs 1000] [--epsilon 1] [--only mean] [--csv FILE]

Mean absolute error over the runs, with the standard error of that mean, and tacit's over each of the others' with the standard
error of that ratio. Means and quantiles are compared for replace_one, histograms for one record that comes or goes (zero_out
here, add or remove there). The CSV has the error of every run, a line for each statistic and run.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np

LOW, HIGH, BINS, RECORDS = 0.0, 100.0, 20, 1000


def tacit(tool, folder, statistic, relation, epsilon):
    out = subprocess.run(
        [tool, "describe", folder / "x.csv", "--schema", folder / "schema.json", "--epsilon", str(epsilon), "--statistics", statistic,
         "--quantiles", "0.5", "--neighbours", relation, "--bins", str(BINS), "--threads", "1", "--json"],
        check=True, capture_output=True, text=True).stdout  # fmt: skip
    column = json.loads(out)["columns"]["x"]
    if statistic == "mean":
        return column["mean"]["value"]
    if statistic == "quantiles":
        return column["quantiles"]["0.5"]["value"]
    return np.array([cell["value"] for cell in column["histogram"]["counts"]])


def diffprivlib_answers(x, epsilon):
    from diffprivlib import tools

    return {
        "mean": lambda: tools.mean(x, epsilon=epsilon, bounds=(LOW, HIGH)),
        "quantiles": lambda: tools.quantile(x, 0.5, epsilon=epsilon, bounds=(LOW, HIGH)),
        "histogram": lambda: tools.histogram(x, epsilon=epsilon, bins=BINS, range=(LOW, HIGH))[0],
    }


def opendp_answers(x, epsilon):
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point")  # newer: "idealized-numerics"
    bounded = dp.vector_domain(dp.atom_domain(bounds=(LOW, HIGH)), size=len(x)), dp.symmetric_distance()
    mean = dp.binary_search_chain(lambda s: bounded >> dp.t.then_mean() >> dp.m.then_laplace(s), d_in=2, d_out=epsilon)
    edges = list(np.linspace(LOW, HIGH, BINS + 1))
    whole = dp.vector_domain(dp.atom_domain(T=dp.usize)), dp.symmetric_distance()
    counts = whole >> dp.t.then_count_by_categories(categories=list(range(BINS)), null_category=False)
    histogram = dp.binary_search_chain(lambda s: counts >> dp.m.then_laplace(s), d_in=1, d_out=epsilon)
    cells = [int(k) for k in np.clip(np.searchsorted(edges, x, side="right") - 1, 0, BINS - 1)]
    answers = {"mean": lambda: mean(list(x)), "histogram": lambda: np.maximum(histogram(cells), 0)}
    candidates = list(np.linspace(LOW, HIGH, 4097))
    if hasattr(dp.m, "then_private_quantile"):
        plain = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
        quantile = dp.binary_search_chain(
            lambda s: plain >> dp.m.then_private_quantile(dp.max_divergence(), candidates, 0.5, s), d_in=2, d_out=epsilon
        )
        answers["quantiles"] = lambda: quantile(list(x))
    return answers


def ratio(ours, theirs):
    """Of two independent means with their standard errors."""
    value = ours[0] / theirs[0]
    return f"{value:.3f} ± {value * np.hypot(ours[1] / ours[0], theirs[1] / theirs[0]):.2g}"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--tool", default="build/tacit")
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--only", default="", help="mean, histogram or quantiles")
    options.add_argument("--csv", help="where the error of every run goes")
    asked = options.parse_args()
    stored = []
    x = np.random.default_rng(1).beta(2, 5, RECORDS) * (HIGH - LOW) + LOW
    truth = {"mean": x.mean(), "quantiles": np.median(x), "histogram": np.histogram(x, BINS, (LOW, HIGH))[0]}
    rivals = {"diffprivlib": diffprivlib_answers(x, asked.epsilon), "OpenDP": opendp_answers(x, asked.epsilon)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with open(folder / "x.csv", "w", newline="") as file:
            csv.writer(file).writerows([["x"], *([repr(float(v))] for v in x)])
        column = {"x": {"type": "numeric", "min": LOW, "max": HIGH}}
        (folder / "schema.json").write_text(json.dumps({"columns": column}))
        for statistic, relation in (("mean", "replace_one"), ("histogram", "zero_out"), ("quantiles", "replace_one")):
            if asked.only not in ("", statistic):
                continue

            def error(who, answer):
                errors[who] = [np.mean(np.abs(answer() - truth[statistic])) for _ in range(asked.runs)]
                return np.mean(errors[who]), np.std(errors[who]) / np.sqrt(asked.runs)

            errors = {}
            ours = error("tacit", lambda: tacit(asked.tool, folder, statistic, relation, asked.epsilon))
            theirs = {who: error(who, answers[statistic]) for who, answers in rivals.items() if statistic in answers}
            shown = ", ".join(f"{who} {value:.4g} ± {se:.2g}" for who, (value, se) in {"tacit": ours, **theirs}.items())
            ratios = ", ".join(f"{ratio(ours, other)} of {who}'s" for who, other in theirs.items())
            print(f"{statistic} ({relation}): {shown}; tacit's {ratios}", flush=True)
            stored.extend((statistic, run, *(f"{e:.4g}" for e in row)) for run, row in enumerate(zip(*errors.values())))
    if asked.csv:
        with open(asked.csv, "w", newline="") as file:
            csv.writer(file).writerows([("statistic", "run", "tacit", *rivals), *stored])


if __name__ == "__main__":
    main()
