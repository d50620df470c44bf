"""The table and the plots of experiments/rivals.py, from its results. The plots again, from stored cells:

    python3 experiments/rivals_plot.py --cells docs/figures/rivals_cells.csv --output docs/figures
"""

import argparse
import pathlib

import cells
import line_plot

TITLES = {"adult": "Adult", "wine_white_class": "White wine", "houses_class": "Houses"}
# In the results, on the plot, as a line: what is not private, and what has learned nothing.
WITHOUT_PRIVACY = [("curves", "tacit, no privacy", "14 3"), ("linear", "linear, no privacy", "6 4"),
                   ("constant", "constant", "2 3")]  # fmt: skip


def contestants(results, name):
    seen = []
    for key in results:
        parts = key.split(" | ")
        if len(parts) == 3 and parts[0] == name and parts[1] not in seen:
            seen.append(parts[1])
    return seen


def cell(results, name, who, epsilon):
    found = results.get(f"{name} | {who} | {epsilon:g}")
    if not found:
        return ""
    return f"{found['accuracy']:.4f} ± {found['accuracy_error']:.4f}, {found['auc']:.3f}, {found['log_loss']:.3f}"


def table(results, name, epsilons):
    curves, linear, constant = (results[f"{name} | {key}"] for key, _, _ in WITHOUT_PRIVACY)
    lines = [f"{name}: constant {constant['accuracy']:.4f}, log loss {constant['log_loss']:.3f}; without privacy, linear "
             f"{linear['accuracy']:.4f}, {linear['auc']:.3f}, {linear['log_loss']:.3f}, tacit "
             f"{curves['accuracy']:.4f}, {curves['auc']:.3f}, {curves['log_loss']:.3f}", "",
             "| accuracy, area, log loss | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
             "|---" * (len(epsilons) + 1) + "|"]
    for who in contestants(results, name):
        lines.append(f"| {who} | " + " | ".join(cell(results, name, who, e) for e in epsilons) + " |")
    steps = [f"{who}, ε = {e:g}: {found['step']}" for who in contestants(results, name) for e in epsilons
             if (found := results.get(f"{name} | {who} | {e:g}")) and found["step"]]
    return lines + [""] + (["Steps: " + "; ".join(steps), ""] if steps else [])


def plot(results, name, epsilons, path):
    """Accuracy over epsilon with two standard errors, beside what is not private and the constant."""
    curves = {who: [(e, results[key]["accuracy"], results[key]["accuracy_error"])
                    for e in epsilons if (key := f"{name} | {who} | {e:g}") in results] for who in contestants(results, name)}
    levels = [(words, results[f"{name} | {key}"]["accuracy"], dash) for key, words, dash in WITHOUT_PRIVACY]
    line_plot.draw(path, f"{TITLES.get(name, name)}: accuracy on the test file, mean and two standard errors", "accuracy",
                   curves, levels)


def plots(results, tables, epsilons, folder):
    for name in tables:
        plot(results, name, epsilons, folder / f"rivals_{name.split('_')[0]}.svg")


def write(results, options):
    lines = ["Versions: " + ", ".join(f"{k} {v}" for k, v in results["versions"].items()), ""]
    for name in options.tables:
        lines += table(results, name, options.epsilons)
    (options.output / "rivals.md").write_text("\n".join(lines))
    plots(results, options.tables, options.epsilons, options.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    results = cells.results_of(options.cells)
    keys = [key.split(" | ") for key in results]
    epsilons = sorted({float(key[2]) for key in keys if len(key) == 3})
    plots(results, dict.fromkeys(key[0] for key in keys), epsilons, options.output)


if __name__ == "__main__":
    main()
