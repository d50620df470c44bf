#!/usr/bin/env python3
"""Looks up the measured cells of docs/features.md, rivals.md and choosing.md in the stored ones.

    python3 experiments/check_cells.py

Prints each "accuracy ± error, …" of these pages that no stored cell has, with its line, and ends with 1 if there is
any. Plain Python.
"""

import csv
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).parent.parent / "docs"
NUMBER = r"-?\d*\.?\d+"
CELL = re.compile(rf"({NUMBER}) ± ({NUMBER})((?:, {NUMBER})*)")


def rows(name):
    with open(DOCS / "figures" / name, newline="") as file:
        return list(csv.DictReader(file))


def stored():
    """All stored cells, as tuples of numbers: mean, error, and what is beside them on a page."""
    found = []
    for row in rows("features_cells.csv"):
        mean, error = (float(part) for part in row["accuracy_or_rmse"].split(" ± "))
        found.append((mean, error, float(row["log_loss"] or "nan")))
        found.append((mean / 1000, error / 1000))  # prices are shown in thousands
    for row in rows("rivals_cells.csv"):
        if row["accuracy"]:
            found.append(tuple(float(row[key] or "nan") for key in ("accuracy", "accuracy_error", "auc", "log_loss")))
    for name in ("unlisted_cells.csv", "noise_trials_cells.csv", "step_trials_cells.csv"):
        for row in rows(name):
            if "±" in row["value"]:
                numbers = [float(part) for part in re.findall(NUMBER, row["value"])]
                found.append(tuple(numbers[:3]))
    return found


def shown(text, number):
    """Whether a number, rounded as the text is, is what the text says."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - number) <= 0.5000001 * 10**-digits


def has(cell, parts):
    """Whether a stored cell has the parts, in their order; what a page leaves out at the end may differ."""
    return len(parts) <= len(cell) and all(shown(text, number) for text, number in zip(parts, cell))


def main():
    cells, missing, looked_up = stored(), 0, 0
    for page in ("features.md", "rivals.md", "choosing.md"):
        for number, line in enumerate((DOCS / page).read_text().splitlines(), 1):
            if not line.startswith("|"):
                continue
            for match in CELL.finditer(line):
                parts = [match[1], match[2], *re.findall(NUMBER, match[3])]
                looked_up += 1
                if not any(has(cell, parts) for cell in cells):
                    missing += 1
                    print(f"docs/{page}:{number}: no stored cell has {match[0]}")
    print(f"{looked_up} cells looked up, {missing} not found")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
