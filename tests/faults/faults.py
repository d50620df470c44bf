#!/usr/bin/env python3
"""Every call that can fail, fails once: what is left behind must be whole.

    faults.py TOOL SHIM [--kinds write,fsync,...] [--malloc FIRST RANDOM] [--only SCENARIO] [--seed N] [--control]
                        [--scenarios NAME,NAME,...]

Each scenario runs once for each call of each kind, with that call failing in each way. After every run:
- files that were there before are as they were, and no file is left behind that the command does not make;
- an output that is there is whole; exit code 0 means that it is there;
- the ledger can be read, and has lost no charge; an output that a charge pays for has its charge;
- a failure is an exit code and a message; a crash at most where memory is out, and then abort() with a message.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

WAYS = {
    "write": ("ENOSPC", "EIO", "EINTR", "short"),
    "space": ("ENOSPC", "EIO"),
    "fsync": ("EIO",),
    "rename": ("EIO", "ENOSPC"),
    "open": ("EIO", "EINTR"),
    "mmap": ("ENOMEM",),
    "read": ("EIO", "EINTR", "short"),
    "malloc": ("ENOMEM",),
}


class Scenario:
    def __init__(self, name, command, output, whole, charges=False, again=False, beside=None, beside_whole=None):
        self.name = name
        self.command = command  # without the tool; run in a folder of its own
        self.output = output  # the file that it makes
        self.whole = whole  # (lab, folder) -> what is wrong with the output, or None
        self.charges = charges  # a charge pays for the output
        self.again = again  # a second run takes up where the first one failed
        self.beside, self.beside_whole = beside, beside_whole  # a second output, which comes first


class Lab:
    def __init__(self, tool, shim):
        self.tool, self.shim = str(tool), str(shim)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tacit-faults-"))
        self.start = self.root / "start"
        self.good = {}  # bytes of outputs that are always the same

    def run(self, folder, command, fault=None, count=None):
        environment = dict(os.environ)
        if fault is not None:
            environment.update(LD_PRELOAD=self.shim, TACIT_FAULT=fault)
        if count is not None:
            environment["TACIT_FAULT_COUNT"] = str(count)
        return subprocess.run([self.tool, *command], cwd=folder, env=environment, capture_output=True, text=True,
                              errors="replace", timeout=300)

    def prepare(self):
        self.start.mkdir()
        made = random.Random(1)
        rows = [f"{made.randint(20, 60)},{made.choice('abc')},{made.choice(['yes', 'no'])}" for _ in range(300)]
        (self.start / "people.csv").write_text("age,kind,bought\n" + "\n".join(rows) + "\n")
        (self.start / "schema.json").write_text(json.dumps({
            "columns": {"age": {"type": "numeric", "min": 20, "max": 60},
                        "kind": {"type": "categorical", "categories": ["a", "b", "c"]}},
            "target": {"column": "bought", "classes": ["no", "yes"]}}))
        for command in (["ledger", "create", "people.ledger", "--limit", "people=100,1e-3", "--accountant", "approx"],
                        [*FIT, "--model", "old.json"]):
            done = self.run(self.start, command)
            if done.returncode != 0:
                sys.exit(f"faults.py: {' '.join(command)}: {done.stderr}")

    def charges(self, folder):
        """The ids of all charges, or None where the ledger cannot be read."""
        done = self.run(folder, ["ledger", "export", "people.ledger"])
        if done.returncode != 0:
            return None
        return [charge["release"] for budget in json.loads(done.stdout)["budgets"] for charge in budget["charges"]]


FIT = ["fit", "people.csv", "--schema", "schema.json", "--epsilon", "0.1", "--threads", "1", "--ledger",
       "people.ledger"]


def verified(name):
    def whole(lab, folder):
        done = lab.run(folder, ["verify", name])
        return None if done.returncode == 0 else f"{name} does not verify: {done.stderr.strip()}"
    return whole


def always_the_same(name):
    def whole(lab, folder):
        return None if (folder / name).read_bytes() == lab.good[name] else f"{name} is not what it should be"
    return whole


def a_page(name):
    def whole(lab, folder):
        return None if (folder / name).read_text().rstrip().endswith("</html>") else f"{name} is half-written"
    return whole


def a_new_ledger(lab, folder):
    done = lab.run(folder, ["ledger", "show", "new.ledger"])
    return None if done.returncode == 0 else f"new.ledger cannot be read: {done.stderr.strip()}"


SCENARIOS = [
    Scenario("fit", [*FIT, "--model", "model.json"], "model.json", verified("model.json"), charges=True),
    Scenario("checkpoint", [*FIT, "--delta", "1e-6", "--method", "dp-sgd", "--epochs", "1", "--checkpoint", "state",
                            "--checkpoint-every", "4", "--model", "model.json"],
             "model.json", verified("model.json"), charges=True, again=True),
    Scenario("ledger", ["ledger", "create", "new.ledger", "--limit", "people=3"], "new.ledger", a_new_ledger),
    Scenario("encode", ["encode", "people.csv", "--schema", "schema.json", "--output", "people.tacit"], "people.tacit",
             always_the_same("people.tacit")),
    Scenario("report", ["report", "old.json", "--output", "report.html"], "report.html", always_the_same("report.html")),
    Scenario("describe", ["describe", "people.csv", "--schema", "schema.json", "--epsilon", "0.1", "--output",
                          "description.html", "--ledger", "people.ledger"],
             "description.html", a_page("description.html"), charges=True, beside="description.json",
             beside_whole=verified("description.json")),
    Scenario("schema", ["schema", "people.csv", "--epsilon", "0.1", "--target", "bought", "--output", "private.json",
                        "--ledger", "people.ledger"],
             "private.json", verified("private.json"), charges=True),
]


# After a kill or an abort: a draft under a name of its own, and a lock that nobody holds.
MAY_STAY = r"\..*\.tmp|state\.lock"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def faults_of(lab, scenario, folder, before, done, kind, may_stay="$"):
    """What is wrong after this run, one sentence each. Files whose names match `may_stay` may be left behind."""
    wrong = []
    after = contents(folder)
    # Without memory a library may give up (GMP, initialisers before main, destructors of JSON values): abort() with a message.
    gave_up = kind == "malloc" and -done.returncode == signal.SIGABRT and done.stderr.strip()
    may_stay = MAY_STAY if gave_up else may_stay
    own = {scenario.output, scenario.beside, "people.ledger"} | ({"state", "state.next"} if scenario.again else set())
    for name, data in before.items():
        if name not in own and after.get(name) != data:
            wrong.append(f"{name} was damaged")
    for name in after:
        if name not in before and name not in own and not re.fullmatch(may_stay, name):
            wrong.append(f"{name} was left behind")
    made = scenario.output in after
    if made and (sentence := scenario.whole(lab, folder)):
        wrong.append(sentence)
    if scenario.beside in after and (sentence := scenario.beside_whole(lab, folder)):
        wrong.append(sentence)
    if done.returncode == 0 and not (made and (scenario.beside is None or scenario.beside in after)):
        wrong.append("exit code 0 without an output")
    if done.returncode < 0 and not gave_up:
        wrong.append(f"ended by signal {-done.returncode}")
    if done.returncode > 0 and not done.stderr.strip():
        wrong.append(f"exit code {done.returncode} without a message")
    charged = lab.charges(folder)
    if charged is None:
        wrong.append("the ledger cannot be read")
    elif not set(lab.first_charges) <= set(charged):
        wrong.append("a charge was lost")
    elif scenario.charges and (made or scenario.beside in after) and len(charged) == len(lab.first_charges):
        wrong.append("an output without its charge")
    if scenario.again and not wrong and not made:
        saved = (folder / "state").exists()
        second = lab.run(folder, scenario.command)
        if second.returncode != 0:
            wrong.append(f"could not be taken up: {second.stderr.strip()}")
        else:
            new = len(lab.charges(folder)) - len(lab.first_charges)
            if new < 1 or (saved and new > 1):
                wrong.append(f"{new} charges after taking it up")
    return wrong


def one(lab, scenario, fault):
    folder = lab.root / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(lab.start, folder)
    before = contents(folder)
    done = lab.run(folder, scenario.command, fault)
    return faults_of(lab, scenario, folder, before, done, fault.split(":")[0])


def count(lab, scenario, kind):
    folder = lab.root / "count"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(lab.start, folder)
    done = lab.run(folder, scenario.command, f"{kind}:0:none", lab.root / "calls")
    if done.returncode != 0:
        sys.exit(f"faults.py: {scenario.name} fails without a fault: {done.stderr}")
    lab.good[scenario.output] = (folder / scenario.output).read_bytes()
    return int((lab.root / "calls").read_text())


def chosen_calls(kind, calls, malloc, rng):
    if kind != "malloc":
        return range(1, calls + 1)
    first, anywhere = malloc
    later = range(first + 1, calls + 1)
    return [*range(1, min(first, calls) + 1), *sorted(rng.sample(later, min(anywhere, len(later))))]


def control(lab, scenarios):
    """A disk that loses half of a write and says nothing: each scenario's checks must find that."""
    writes = {scenario: count(lab, scenario, "write") for scenario in scenarios}
    writes = {scenario: calls for scenario, calls in writes.items() if calls > 0}  # the others write by mapping
    blind = [scenario.name for scenario, calls in writes.items()
             if not any(one(lab, scenario, f"write:{k}:lost") for k in range(1, calls + 1))]
    for name in blind:
        print(f"{name}: a lost write was not noticed")
    print(f"{len(writes) - len(blind)} of {len(writes)} scenarios notice a lost write")
    return 1 if blind or not writes else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("--kinds", default=",".join(WAYS))
    parser.add_argument("--only", choices=[scenario.name for scenario in SCENARIOS])
    parser.add_argument("--malloc", nargs=2, type=int, default=(2000, 5000), metavar=("FIRST", "RANDOM"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--control", action="store_true", help="see that the checks find a fault that is there")
    parser.add_argument("--scenarios", help="only see that these are the names of all scenarios")
    options = parser.parse_args()
    if options.scenarios is not None:
        there = {scenario.name for scenario in SCENARIOS}
        missed = there.symmetric_difference(options.scenarios.split(","))
        print(f"not in both lists: {', '.join(sorted(missed))}" if missed else f"{len(there)} scenarios")
        return 1 if missed else 0
    lab = Lab(options.tool.resolve(), options.shim.resolve())
    found = runs = 0
    try:
        lab.prepare()
        lab.first_charges = lab.charges(lab.start)
        scenarios = [scenario for scenario in SCENARIOS if options.only in (None, scenario.name)]
        if options.control:
            return control(lab, scenarios)
        for scenario in scenarios:
            for kind in options.kinds.split(","):
                calls = count(lab, scenario, kind)
                tried = 0
                for k in chosen_calls(kind, calls, options.malloc, random.Random(options.seed)):
                    for way in WAYS[kind]:
                        runs, tried = runs + 1, tried + 1
                        fault = f"{kind}:{k}:{way}"
                        for sentence in one(lab, scenario, fault):
                            found += 1
                            print(f"{scenario.name} {fault}: {re.sub(re.escape(str(lab.root)), '', sentence)}", flush=True)
                print(f"{scenario.name}: {kind}, {calls} calls, {tried} runs", flush=True)
    finally:
        shutil.rmtree(lab.root, ignore_errors=True)
    print(f"{runs} runs, {found} faults")
    return 1 if found or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
