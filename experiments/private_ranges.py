#!/usr/bin/env python3
"""How much of a column lies inside the range that `tacit schema --epsilon` finds: docs/private_schema.md.

    python3 experiments/private_ranges.py --tool build/tacit --runs 20 [--epsilon 0.3] [--delta D] [--records 4000]

Three tables are made, the same ones at every call. Of each numeric or date column: the least and the median share of cells
inside over the runs, how often less than 0.9 are, and the median width of the range against that of the cells themselves. Plain Python.
"""

import argparse
import csv
import datetime
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

DAY = 86400.0


def date(days):
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=days)).isoformat()


def people(r):
    return {
        "age": round(min(max(r.gauss(42, 15), 18), 90)),
        "pay": round(r.lognormvariate(7.5, 0.6), 2),
        "joined": date(int(r.uniform(14600, 19700))),
        "kids": r.choices([0, 1, 2, 3], [5, 3, 2, 1])[0],
        "hours": round(min(max(r.gauss(38, 9), 1), 80)),
        "city": r.choice(["Bern", "Basel", "Chur"]),
        "rate": round(r.betavariate(2, 5), 3),
        "answer": r.choice(["yes", "no"]),
    }


def houses(r):
    return {
        "rooms": round(min(max(r.gauss(5, 1.5), 1), 12)),
        "area": round(r.lognormvariate(4.6, 0.4), 1),
        "value": round(r.lognormvariate(12.3, 0.5)),
        "latitude": round(r.gauss(46.8, 0.4), 4),
        "built": round(r.uniform(1900, 2020)),
        "garden": round(r.expovariate(1 / 300)) if r.random() < 0.6 else 0,
    }


def sensors(r):
    return {
        "temperature": round(r.gauss(20, 5), 2),
        "offset": round(r.gauss(0, 0.02), 5),
        "pressure": round(r.gauss(1013, 8), 1),
        "wind": round(r.expovariate(1 / 4), 2),
        "count": int(r.expovariate(1 / 50)),
        "signed": round(r.gauss(0, 1000)),
        "level": r.randint(0, 10),
        "seen": date(int(r.gauss(19000, 200))),
        "ratio": round(r.random(), 4),
        "heavy": round(r.paretovariate(1.5), 3),
    }


def number(cell):
    if isinstance(cell, str):
        return (datetime.date.fromisoformat(cell) - datetime.date(1970, 1, 1)).days * DAY
    return float(cell)


def end(value):
    return number(value) if isinstance(value, str) else float(value)


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--tool", required=True)
    flags.add_argument("--runs", type=int, default=20)
    flags.add_argument("--records", type=int, default=4000)
    flags.add_argument("--epsilon", default="0.3")
    flags.add_argument("--delta")
    options = flags.parse_args()
    print("| table | column | found | least inside | median inside | below 0.9 | width |\n|---|---|---|---|---|---|---|")
    low = ranges = 0
    with tempfile.TemporaryDirectory() as folder:
        for make in (people, houses, sensors):
            r = random.Random(make.__name__)
            rows = [make(r) for _ in range(options.records)]
            table = pathlib.Path(folder) / f"{make.__name__}.csv"
            with open(table, "w", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
            command = [options.tool, "schema", table, "--epsilon", options.epsilon]
            command += ["--delta", options.delta] if options.delta else []
            found = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["columns"] for _ in range(options.runs)]
            for name in rows[0]:
                ends = [(end(c[name]["min"]), end(c[name]["max"])) for c in found if "min" in c[name]]
                if not ends:
                    continue
                cells = [number(row[name]) for row in rows]
                inside = [sum(a <= x <= b for x in cells) / len(cells) for a, b in ends]
                width = statistics.median((b - a) / (max(cells) - min(cells)) for a, b in ends)
                low += sum(share < 0.9 for share in inside)
                ranges += len(ends)
                print(f"| {make.__name__} | {name} | {len(ends)} of {options.runs} | {min(inside):.2f} | {statistics.median(inside):.2f} | "
                      f"{sum(share < 0.9 for share in inside)} | {width:.2f} |")
    print(f"\nOf {ranges} ranges, {low} hold less than 0.9 of the cells.")


if __name__ == "__main__":
    main()
