#!/usr/bin/env python3
"""Private classifiers of other packages beside tacit's, at equal epsilon and relation: docs/rivals.md.

    python3 experiments/rivals.py --tool build/tacit --data DIR --examples examples/data --fits 10 --output out

Makes a Python environment at out/environment and installs the packages there, at the versions below, from the package
index; with --opacus PyTorch too, which takes several gigabytes. DIR holds the public tables, as for features.py.
Results go to out/rivals.json as they come, and a run goes on where it was stopped; then to out/rivals.csv, out/rivals.md
and a plot for each table, out/rivals_TABLE.svg. About an hour of processor time a table with ten fits. To measure some
contestants again beside what was measured of the others:

    python3 experiments/rivals.py … --contestants "tacit, pure" "tacit, δ" --cells docs/figures/rivals_cells.csv
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import venv

import cells
import rivals_plot
from features import Table, one_fit

# diffprivlib 0.6.6 does not import with scikit-learn 1.7 or later.
PACKAGES = ["diffprivlib==0.6.6", "interpret-core==0.7.8", "scikit-learn==1.6.1", "numpy<2.3", "pandas<3"]
OPACUS = ["opacus==1.6.0", "torch"]
EPSILONS = [0.1, 0.3, 1.0, 3.0]

# name: (what runs, steps to choose from on the test file, relation, pure)
CONTESTANTS = {
    "tacit, pure": ("tacit", None, "zero_out", True),
    "tacit, δ": ("tacit", None, "zero_out", False),
    "tacit, pure, replaced": ("tacit", None, "replace_one", True),
    "diffprivlib": ("diffprivlib_logistic", None, "replace_one", True),
    "DP-EBM": ("dp_ebm", None, "zero_out", False),
    "DP-EBM, step tuned": ("dp_ebm", [0.03, 0.1, 0.3], "zero_out", False),
    "Opacus, step tuned": ("opacus_logistic", [1.0, 3.0, 10.0], "zero_out", False),
}


def environment(options):
    """The environment's Python, made if it is not there."""
    folder = options.output / "environment"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True)
        packages = PACKAGES + (OPACUS if options.opacus else [])
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "ready").touch()
    return python


class Contest:
    def __init__(self, options):
        import rivals_models

        self.models, self.options = rivals_models, options
        self.file = options.output / "rivals.json"
        self.results = json.loads(self.file.read_text()) if self.file.exists() else self.measured_before()

    def measured_before(self):
        """The stored cells of those who are not measured now."""
        stored = cells.results_of(self.options.cells) if self.options.cells else {}
        return {key: found for key, found in stored.items() if key.split(" | ")[1] not in self.options.contestants}

    def in_order(self):
        """The results as the table has them: whatever was measured first."""
        order = ["linear", "curves", "constant", *CONTESTANTS]
        named = [key for key in self.results if key.split(" | ")[0] in self.options.tables]
        named.sort(key=lambda key: (self.options.tables.index(key.split(" | ")[0]), order.index(key.split(" | ")[1])))
        return {key: self.results[key] for key in ["versions", *named]}

    def keep(self, key, value):
        self.results[key] = value
        self.file.write_text(json.dumps(self.results, indent=1) + "\n")

    def one(self, table, encoded, who, epsilon, step, number):
        what, _, relation, pure = CONTESTANTS[who]
        if what == "tacit":
            flags = ["--neighbours", relation, "--epsilon", str(epsilon)]
            if not pure:
                flags += ["--delta", self.options.delta]
            found = one_fit(table, flags, f"{os.getpid()}_{number}", self.options)
            return {key: found[key] for key in ("accuracy", "auc", "log_loss")}
        chances = getattr(self.models, what)(encoded, epsilon, float(self.options.delta), step, number)
        return self.models.scores(chances, encoded.labels[1])

    def best_step(self, table, encoded, who, epsilon):
        """The step of least log loss on the test file: in the rival's favour, as nobody pays for this look."""
        steps = CONTESTANTS[who][1]
        if not steps:
            return None
        return min(steps, key=lambda s: self.one(table, encoded, who, epsilon, s, 1000)["log_loss"])

    def measure(self, table, encoded, who, epsilon):
        key = f"{table.name} | {who} | {epsilon:g}"
        if key in self.results:
            return
        step = self.best_step(table, encoded, who, epsilon)
        runs = [self.one(table, encoded, who, epsilon, step, k + 1) for k in range(self.options.fits)]
        found = {"step": step, "fits": len(runs)}
        for measure in ("accuracy", "auc", "log_loss"):
            values = [run[measure] for run in runs]
            found[measure] = statistics.fmean(values)
            found[measure + "_error"] = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0
        self.keep(key, found)
        print(key, found, flush=True)

    def table(self, name):
        table = Table(name, self.options)
        encoded = self.models.Encoded(table.train, table.test, table.schema)
        if f"{name} | linear" not in self.results:
            chances = self.models.plain_linear(encoded, None, None, None, 0)
            self.keep(f"{name} | linear", self.models.scores(chances, encoded.labels[1]))
            self.keep(f"{name} | constant", table.constant())
        if f"{name} | curves" not in self.results:  # what tacit's own features give without privacy
            found = one_fit(table, ["--epsilon", "inf"], f"{os.getpid()}_plain", self.options)
            self.keep(f"{name} | curves", {key: found[key] for key in ("accuracy", "auc", "log_loss")})
        for who, (what, *_) in CONTESTANTS.items():
            if who not in self.options.contestants or (what == "opacus_logistic" and not self.options.opacus):
                continue
            for epsilon in self.options.epsilons:
                self.measure(table, encoded, who, epsilon)


def versions():
    from importlib.metadata import distributions

    wanted = ("diffprivlib", "interpret-core", "opacus", "torch", "scikit-learn", "numpy")
    return {d.metadata["Name"]: d.version for d in distributions() if d.metadata["Name"] in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--examples", default="examples/data")
    parser.add_argument("--fits", type=int, default=10)
    parser.add_argument("--delta", default="1e-6")
    parser.add_argument("--tables", nargs="*", default=["adult", "wine_white_class", "houses_class"])
    parser.add_argument("--epsilons", nargs="*", type=float, default=EPSILONS)
    parser.add_argument("--contestants", nargs="*", default=list(CONTESTANTS), choices=list(CONTESTANTS), metavar="NAME")
    parser.add_argument("--cells", type=pathlib.Path, help="stored cells, which are kept for the other contestants")
    parser.add_argument("--opacus", action="store_true", help="with Opacus, which needs PyTorch")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    python = environment(options)
    if pathlib.Path(sys.prefix).resolve() != (options.output / "environment").resolve():
        # One thread each: the fits of a table run one after the other, and other work may share the machine.
        os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        os.execv(python, [str(python), *sys.argv])
    contest = Contest(options)
    contest.keep("versions", versions())
    for name in options.tables:
        contest.table(name)
    results = contest.in_order()
    cells.write(cells.of_results(results), options.output / "rivals.csv")
    rivals_plot.write(results, options)


if __name__ == "__main__":
    main()
