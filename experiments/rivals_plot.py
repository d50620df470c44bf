"""The table and the plots of experiments/rivals.py, from its results."""

import math

COLORS = ["#4477aa", "#228833", "#66ccee", "#ee6677", "#ccbb44", "#aa3377", "#999999"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 740, 380, 60, 480, 30, 335


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
    linear, constant = results[f"{name} | linear"], results[f"{name} | constant"]
    lines = [f"{name}: constant {constant['accuracy']:.4f}, log loss {constant['log_loss']:.3f}; linear without privacy "
             f"{linear['accuracy']:.4f}, {linear['auc']:.3f}, {linear['log_loss']:.3f}", "",
             "| accuracy, area, log loss | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
             "|---" * (len(epsilons) + 1) + "|"]
    for who in contestants(results, name):
        lines.append(f"| {who} | " + " | ".join(cell(results, name, who, e) for e in epsilons) + " |")
    steps = [f"{who}, ε = {e:g}: {found['step']}" for who in contestants(results, name) for e in epsilons
             if (found := results.get(f"{name} | {who} | {e:g}")) and found["step"]]
    return lines + [""] + (["Steps: " + "; ".join(steps), ""] if steps else [])


def plot(results, name, epsilons, path):
    """Accuracy over epsilon with two standard errors; dashed: the linear model without privacy; dotted: the constant."""
    people = contestants(results, name)
    points = {who: [(e, results[key]) for e in epsilons if (key := f"{name} | {who} | {e:g}") in results]
              for who in people}
    linear, constant = (results[f"{name} | {k}"]["accuracy"] for k in ("linear", "constant"))
    every = [f["accuracy"] for line in points.values() for _, f in line] + [linear, constant]
    low, high = max(0, math.floor(min(every) * 50) / 50), math.ceil(max(every) * 50 + 0.25) / 50
    first, last = math.log10(min(epsilons)), math.log10(max(epsilons))
    at_x = lambda e: LEFT + 12 + (math.log10(e) - first) / max(last - first, 1e-9) * (RIGHT - LEFT - 24)
    at_y = lambda a: BOTTOM - (a - low) / (high - low) * (BOTTOM - TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
             'font-size="11">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="16">{name}: accuracy on the test file, mean and two standard errors</text>']
    for k in range(6):
        a = low + (high - low) * k / 5
        parts.append(f'<path d="M{LEFT} {at_y(a):.1f}H{RIGHT}" stroke="#ddd"/>'
                     f'<text x="16" y="{at_y(a) + 4:.1f}">{a:.3f}</text>')
    for a, dash, words in ((linear, "6 4", "linear, no privacy"), (constant, "2 3", "constant")):
        parts.append(f'<path d="M{LEFT} {at_y(a):.1f}H{RIGHT}" stroke="black" stroke-dasharray="{dash}"/>'
                     f'<text x="{RIGHT + 4}" y="{at_y(a) + 4:.1f}">{words}</text>')
    for e in epsilons:
        parts.append(f'<text x="{at_x(e):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{e:g}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 36}" text-anchor="middle">epsilon</text>')
    middle = (TOP + BOTTOM) / 2
    parts.append(f'<text x="10" y="{middle}" text-anchor="middle" transform="rotate(-90 10 {middle})">accuracy</text>')
    for k, who in enumerate(people):
        color, shift = COLORS[k % len(COLORS)], 3 * (k - len(people) / 2)  # so that error bars stand side by side
        line = " ".join(f"{at_x(e) + shift:.1f},{at_y(f['accuracy']):.1f}" for e, f in points[who])
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        for e, f in points[who]:
            x, y, half = at_x(e) + shift, at_y(f["accuracy"]), 2 * f["accuracy_error"] / (high - low) * (BOTTOM - TOP)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>'
                         f'<path d="M{x:.1f} {y - half:.1f}V{y + half:.1f}" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<text x="{RIGHT + 112}" y="{BOTTOM - 15 * (len(people) - k)}" fill="{color}">{who}</text>')
    path.write_text("\n".join(parts + ["</svg>", ""]))


def write(results, options):
    lines = ["Versions: " + ", ".join(f"{k} {v}" for k, v in results["versions"].items()), ""]
    for name in options.tables:
        lines += table(results, name, options.epsilons)
        plot(results, name, options.epsilons, options.output / f"rivals_{name}.svg")
    (options.output / "rivals.md").write_text("\n".join(lines))
