#!/usr/bin/env python3
"""Large inputs to the tool: what it does with them, how long it takes and how much memory.

    load.py TOOL [fits] [parameters] [columns] [categories]

fits        64 fits at once on one ledger that has room for 40: 40 models, 40 charges, 24 refusals with exit code 77
parameters  a model with 10^6 parameters from sparse records: fitted, verified, used for predictions
columns     a schema with 10^4 columns: the same
categories  a column with 10^7 categories: refused with one line

Ends with 1 where one of them is not so.
"""

import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

COLUMNS, PARAMETERS, CATEGORIES = 10_000, 1_000_000, 10_000_000


class Run:
    def __init__(self, tool, folder, *command):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        self.done = subprocess.run([tool, *command], cwd=folder, capture_output=True, text=True, errors="replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.code, self.lines = self.done.returncode, self.done.stderr.strip().splitlines()
        print(f"  {command[0]}: exit code {self.code}, {time.monotonic() - began:.1f} s, CPU {after.ru_utime - before.ru_utime:.1f} s, "
              f"largest process so far {after.ru_maxrss / 1024:.0f} MB", flush=True)

    def wrong(self):
        return [] if self.code == 0 else [f"exit code {self.code}: {self.lines[-1:]}"]


def fits(tool, folder):
    made = random.Random(1)
    rows = [f"{made.randint(20, 60)},{made.choice(['yes', 'no'])}" for _ in range(300)]
    (folder / "people.csv").write_text("age,bought\n" + "\n".join(rows) + "\n")
    (folder / "people.json").write_text(json.dumps({"columns": {"age": {"type": "numeric", "min": 20, "max": 60}},
                                                    "target": {"column": "bought", "classes": ["no", "yes"]}}))
    subprocess.run([tool, "ledger", "create", "people.ledger", "--limit", "people=20"], cwd=folder, check=True, capture_output=True)
    began = time.monotonic()
    running = [subprocess.Popen([tool, "fit", "people.csv", "--schema", "people.json", "--epsilon", "0.5", "--threads", "1", "--ledger",
                                 "people.ledger", "--model", f"model{k}.json"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True) for k in range(64)]
    ends = [(process.communicate()[1].strip(), process.returncode) for process in running]
    exported = subprocess.run([tool, "ledger", "export", "people.ledger"], cwd=folder, check=True, capture_output=True, text=True)
    charges = json.loads(exported.stdout)["budgets"][0]["charges"]
    codes = sorted(code for _, code in ends)
    models = len(list(folder.glob("model*.json")))
    print(f"  64 fits in {time.monotonic() - began:.1f} s: {codes.count(0)} done, {codes.count(77)} refused, {len(charges)} charges, {models} models")
    wrong = [] if codes == [0] * 40 + [77] * 24 else [f"exit codes {codes}: {[line for line, code in ends if code not in (0, 77)][:3]}"]
    if len(charges) != 40 or models != 40 or len({charge["release"] for charge in charges}) != 40:
        wrong.append("charges and models are not 40")
    return wrong


def parameters(tool, folder):
    made = random.Random(2)
    lines = []
    for _ in range(2000):
        at = sorted(made.sample(range(1, PARAMETERS + 1), 20))
        lines.append(made.choice(["1", "-1"]) + "".join(f" {k}:0.2" for k in at))
    (folder / "wide.svm").write_text("\n".join(lines) + "\n")
    wrong = Run(tool, folder, "fit", "wide.svm", "--format", "libsvm", "--columns", str(PARAMETERS), "--epsilon", "1", "--delta", "1e-6", "--method", "dp-sgd",
                "--row-bound", "1", "--epochs", "1", "--no-intercept", "--model", "wide.json").wrong()
    print(f"  the model's file: {(folder / 'wide.json').stat().st_size / 1e6:.0f} MB" if not wrong else "")
    wrong += Run(tool, folder, "verify", "wide.json").wrong()
    return wrong + Run(tool, folder, "predict", "wide.json", "wide.svm", "--format", "libsvm", "--columns", str(PARAMETERS), "--output", "wide.csv").wrong()


def columns(tool, folder):
    made = random.Random(3)
    names = [f"c{k}" for k in range(COLUMNS)]
    (folder / "columns.json").write_text(json.dumps({"columns": {name: {"type": "numeric", "min": 0, "max": 9} for name in names},
                                                     "target": {"column": "y", "classes": ["no", "yes"]}}))
    with (folder / "columns.csv").open("w") as table:
        table.write(",".join([*names, "y"]) + "\n")
        for _ in range(500):
            table.write("".join(f"{made.randrange(10)}," for _ in names) + made.choice(["yes", "no"]) + "\n")
    wrong = Run(tool, folder, "fit", "columns.csv", "--schema", "columns.json", "--epsilon", "1", "--delta", "1e-6", "--epochs", "1", "--method", "dp-sgd", "--encoder",
                "linear", "--model", "columns.model.json").wrong()
    wrong += Run(tool, folder, "verify", "columns.model.json").wrong()
    return wrong + Run(tool, folder, "predict", "columns.model.json", "columns.csv", "--output", "columns.out.csv").wrong()


def categories(tool, folder):
    with (folder / "many.json").open("w") as schema:
        schema.write('{"columns": {"street": {"type": "categorical", "categories": ["0"')
        for k in range(1, CATEGORIES):
            schema.write(f',"{k}"')
        schema.write(']}}, "target": {"column": "y", "classes": ["no", "yes"]}}')
    (folder / "many.csv").write_text("street,y\n5,yes\n6,no\n")
    run = Run(tool, folder, "fit", "many.csv", "--schema", "many.json", "--epsilon", "1", "--model", "many.model.json")
    print(f"  {run.lines}")
    if run.code == 0 or len(run.lines) != 1 or len(run.lines[0]) > 300 or (folder / "many.model.json").exists():
        return [f"not refused with one line: exit code {run.code}, {len(run.lines)} lines"]
    return []


def main():
    tool, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or ["fits", "parameters", "columns", "categories"]
    wrong = []
    for name in names:
        print(name, flush=True)
        with tempfile.TemporaryDirectory(prefix="tacit-load-") as folder:
            wrong += [f"{name}: {sentence}" for sentence in globals()[name](tool, pathlib.Path(folder))]
    print("\n".join(wrong) or "as it should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
