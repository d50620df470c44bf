"""Measured cells as CSV, beside the tables that people read."""

import csv


def write(rows, path):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def of_table(lines):
    """The cells of a Markdown table, its header first."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [row for row in rows if not all(set(cell) <= {"-"} and cell for cell in row)]


NUMBERS = ["fits", "step", "accuracy", "accuracy_error", "auc", "auc_error", "log_loss", "log_loss_error"]


def of_results(results):
    """The cells of a dictionary "table | who | epsilon" → numbers, as rivals.py keeps them."""
    rows = [["table", "who", "epsilon", *NUMBERS]]
    for key, found in results.items():
        if key != "versions":
            name = (key.split(" | ") + [""])[:3]
            rows.append([*name, *("" if found.get(n) is None else f"{found[n]:.6g}" for n in NUMBERS)])
    return rows


def results_of(path):
    """The dictionary whose cells were written there."""
    with open(path, newline="") as file:
        return {" | ".join(filter(None, (row["table"], row["who"], row["epsilon"]))):
                {n: float(row[n]) if row[n] else None for n in NUMBERS} for row in csv.DictReader(file)}
