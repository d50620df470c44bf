"""Measured cells as CSV, beside the tables that people read."""

import csv


def write(rows, path):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def of_table(lines):
    """The cells of a Markdown table, its header first."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [row for row in rows if not all(set(cell) <= {"-"} and cell for cell in row)]


def of_results(results):
    """The cells of a dictionary "table | who | epsilon" → numbers, as rivals.py keeps them."""
    numbers = ["fits", "step", "accuracy", "accuracy_error", "auc", "auc_error", "log_loss", "log_loss_error"]
    rows = [["table", "who", "epsilon", *numbers]]
    for key, found in results.items():
        if key != "versions":
            name = (key.split(" | ") + [""])[:3]
            rows.append([*name, *("" if found.get(n) is None else f"{found[n]:.6g}" for n in numbers)])
    return rows
