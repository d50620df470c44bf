"""A plot of lines over epsilon, each named where it ends: the figures of rivals.py and features.py."""

import math

COLORS = ["#4477aa", "#228833", "#33bbee", "#ee6677", "#997700", "#aa3377", "#777777", "#ee7733", "#009988", "#882255",
          "#5544bb", "#000000"]  # fmt: skip
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 740, 420, 66, 520, 44, 362
LABEL, APART = RIGHT + 34, 17  # where names begin, and how far they are from each other


def ticks(low, high):
    """Round numbers from below low to above high, four to ten of them."""
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(k for k in (1, 2, 5, 10) if (high - low) / (k * step) <= 8)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(first, last + 1)]


def spread(heights):
    """The heights, moved as little as it takes for names to stand APART; each goes up from the lowest, then down again."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    placed = dict(enumerate(heights))
    for above, below in zip(order, order[1:]):
        placed[below] = max(placed[below], placed[above] + APART)
    floor = BOTTOM + 2
    for k in reversed(order):
        placed[k] = min(placed[k], floor)
        floor = placed[k] - APART
    return [placed[k] for k in range(len(heights))]


def draw(path, title, upwards, curves, levels=()):
    """curves: {name: [(epsilon, value, error)]}, the bars two errors long on each side; levels: [(name, value, dash)]."""
    points = [point for line in curves.values() for point in line]
    scale = ticks(min([v - 2 * e for _, v, e in points] + [v for _, v, _ in levels]),
                  max([v + 2 * e for _, v, e in points] + [v for _, v, _ in levels]))
    epsilons = sorted({e for e, _, _ in points})
    first, last = math.log10(epsilons[0]), math.log10(epsilons[-1])
    at_x = lambda e: LEFT + 16 + (math.log10(e) - first) / max(last - first, 1e-9) * (RIGHT - LEFT - 32)
    at_y = lambda v: BOTTOM - (v - scale[0]) / (scale[-1] - scale[0]) * (BOTTOM - TOP)
    middle = (TOP + BOTTOM) / 2
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="13">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="22" font-size="14" font-weight="bold">{title}</text>',
             f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{upwards}</text>']
    for v in scale:
        parts.append(f'<path d="M{LEFT} {at_y(v):.1f}H{RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{at_y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
    for e in epsilons:
        parts.append(f'<text x="{at_x(e):.1f}" y="{BOTTOM + 22}" text-anchor="middle">{e:g}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 44}" text-anchor="middle">ε</text>')
    ends = []  # name, color, where its line ends
    for name, value, dash in levels:
        parts.append(f'<path d="M{LEFT} {at_y(value):.1f}H{RIGHT}" stroke="black" stroke-dasharray="{dash}"/>')
        ends.append((name, "#000000", RIGHT, at_y(value)))
    for k, (name, line) in enumerate(curves.items()):
        color = COLORS[k % len(COLORS)]
        shift = 3 * (k - len(curves) / 2) if any(error for *_, error in line) else 0  # so that bars stand side by side
        placed = [(at_x(e) + shift, at_y(v), 2 * error / (scale[-1] - scale[0]) * (BOTTOM - TOP)) for e, v, error in line]
        parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in placed)}" fill="none" '
                     f'stroke="{color}" stroke-width="1.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y, _ in placed]
        parts += [f'<path d="M{x:.1f} {y - half:.1f}V{y + half:.1f}" stroke="{color}" stroke-width="1.5"/>'
                  for x, y, half in placed if half > 0]
        ends.append((name, color, *placed[-1][:2]))
    for (name, color, x, y), height in zip(ends, spread([end[3] for end in ends])):
        bend = max(x, RIGHT)
        parts.append(f'<path d="M{x + 4:.1f} {y:.1f}H{bend + 6:.1f}L{LABEL - 4} {height:.1f}" fill="none" stroke="{color}" '
                     'stroke-width="0.7" stroke-opacity="0.6"/>'
                     f'<text x="{LABEL}" y="{height + 4:.1f}" fill="{color}">{name}</text>')
    path.write_text("\n".join(parts + ["</svg>", ""]))
