#!/usr/bin/env python3
"""The power goes, the clock jumps back, the disk is full or read-only: what is left behind must be whole.

    kills.py TOOL SHIM [--kills N] [--only kill,clock,full,readonly] [--seed N]

The scenarios and checks of faults.py.
- kill: `kill -9` after a random time, N times in all
- clock: from the k-th look at the clock on it is ten years earlier, for every k
- full: a file system with room for so many pages more than the input takes, from none until the command succeeds
- readonly: nothing can be written; whatever the command is, nothing changes and the message is one line
The last two mount file systems, which takes root or a user namespace; where neither is allowed they say so.
"""

import argparse
import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from faults import MAY_STAY, SCENARIOS, Lab, contents, count, faults_of

PAGE = 4096


def fresh(lab, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(lab.start, folder)
    return contents(folder)


def kill(lab, scenarios, options, tell):
    rng = random.Random(options.seed)
    longest = {}
    for scenario in scenarios:
        fresh(lab, lab.root / "run")
        began = time.monotonic()
        lab.run(lab.root / "run", scenario.command)
        longest[scenario] = time.monotonic() - began
        lab.good[scenario.output] = (lab.root / "run" / scenario.output).read_bytes()
    killed = 0
    for k in range(options.kills):
        scenario = scenarios[k % len(scenarios)]
        folder = lab.root / "run"
        before = fresh(lab, folder)
        process = subprocess.Popen([lab.tool, *scenario.command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        after = rng.uniform(0, 1.1 * longest[scenario])
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=after)
        process.send_signal(signal.SIGKILL)
        done = subprocess.CompletedProcess([], 0, stderr=process.communicate()[1])
        was_killed = process.returncode == -signal.SIGKILL
        killed += was_killed
        done.returncode = 1 if was_killed else process.returncode
        done.stderr = done.stderr or "killed"
        for sentence in faults_of(lab, scenario, folder, before, done, "kill", MAY_STAY):
            tell(f"kill {scenario.name} after {after:.4f} s: {sentence}")
    print(f"kill: {options.kills} runs, {killed} killed before their end", flush=True)
    return options.kills


def clock(lab, scenarios, options, tell):
    runs = 0
    for scenario in scenarios:
        for k in range(1, count(lab, scenario, "clock") + 1):
            folder = lab.root / "run"
            before = fresh(lab, folder)
            done = lab.run(folder, scenario.command, f"clock:{k}:back")
            runs += 1
            for sentence in faults_of(lab, scenario, folder, before, done, "clock") or ([] if done.returncode == 0 else [done.stderr.strip()]):
                tell(f"clock {scenario.name} from look {k} on: {sentence}")
    print(f"clock: {runs} runs", flush=True)
    return runs


@contextlib.contextmanager
def file_system(lab, folder, pages, read_only=False):
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True, capture_output=True)
    try:
        for name, data in contents(lab.start).items():
            (folder / name).write_bytes(data)
        used = sum(-(-len(data) // PAGE) for data in contents(folder).values())
        how = "remount,ro" if read_only else f"remount,size={(used + pages) * PAGE}"
        subprocess.run(["mount", "-o", how, folder], check=True, capture_output=True)
        yield contents(folder)
    finally:
        subprocess.run(["umount", folder], check=True, capture_output=True)


def full(lab, scenarios, options, tell):
    runs = 0
    for scenario in scenarios:
        count(lab, scenario, "write")  # knows the output
        for pages in [*range(0, 40), *range(40, 2000, 40)]:
            with file_system(lab, lab.root / "small", pages) as before:
                done = lab.run(lab.root / "small", scenario.command)
                runs += 1
                for sentence in faults_of(lab, scenario, lab.root / "small", before, done, "full"):
                    if not sentence.startswith("could not be taken up"):  # there is no more room for that either
                        tell(f"full {scenario.name} with {pages} pages left: {sentence}")
                if done.returncode == 0:
                    break
        else:
            tell(f"full {scenario.name}: never enough")
    print(f"full: {runs} runs", flush=True)
    return runs


def readonly(lab, scenarios, options, tell):
    for scenario in scenarios:
        with file_system(lab, lab.root / "small", 0, read_only=True) as before:
            done = lab.run(lab.root / "small", scenario.command)
            if done.returncode == 0 or len(done.stderr.strip().splitlines()) != 1 or contents(lab.root / "small") != before:
                tell(f"readonly {scenario.name}: exit code {done.returncode}, {done.stderr.strip()}")
    print(f"readonly: {len(scenarios)} runs", flush=True)
    return len(scenarios)


def may_mount():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--only", default="kill,clock,full,readonly")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if "TACIT_OWN_MOUNTS" not in os.environ and may_mount():  # mounts that nobody else sees
        os.execvpe("unshare", ["unshare", "-m", sys.executable, *sys.argv], dict(os.environ, TACIT_OWN_MOUNTS="1"))
    lab = Lab(options.tool.resolve(), options.shim.resolve())
    found, runs = [], 0

    def tell(sentence):
        found.append(sentence)
        print(sentence, flush=True)

    try:
        lab.prepare()
        lab.first_charges = lab.charges(lab.start)
        for name in options.only.split(","):
            if name in ("full", "readonly") and "TACIT_OWN_MOUNTS" not in os.environ:
                print(f"{name}: not tried, as nothing can be mounted here")
                continue
            runs += globals()[name](lab, SCENARIOS, options, tell)
    finally:
        shutil.rmtree(lab.root, ignore_errors=True)
    print(f"{runs} runs, {len(found)} faults")
    return 1 if found or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
