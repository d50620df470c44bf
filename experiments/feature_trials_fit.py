"""Objective perturbation with shaped noise in plain doubles, for experiments/feature_trials.py [docs/shaped_noise.md]."""

import math

import numpy as np

SLOPE = 0.55  # 1.1 times the logistic loss's slope at 0


def encode(columns, rows, knots):
    """Numbers as hats, or as centred lines where knots is 1; the intercept last. Blocks are (size, bound)."""
    parts, blocks = [], []
    for j, column in enumerate(columns.values()):
        low, high = column["min"], column["max"]
        x = np.clip([float(r[j]) for r in rows], low, high)
        u = np.log1p(x - low) / np.log1p(high - low) if column.get("transform") == "log1p" else (x - low) / (high - low)
        count = min(knots, int(high - low + 1)) if column.get("integer") else knots
        if count <= 2:
            parts.append((u - 0.5)[:, None])
            blocks.append((1, 0.5))
            continue
        at = np.minimum(np.floor(u * (count - 1)).astype(int), count - 2)
        share, all_rows, hats = u * (count - 1) - at, np.arange(len(rows)), np.zeros((len(rows), count))
        hats[all_rows, at], hats[all_rows, at + 1] = 1 - share, share
        parts.append(hats)
        blocks.append((count, 1.0))
    return np.concatenate([*parts, np.ones((len(rows), 1))], axis=1), [*blocks, (1, 1.0)]


def shaped_size(blocks):
    p = sum(k for k, _ in blocks)
    return math.sqrt((p + 1) * (p + 2) * sum(r * r * 2 * k / ((k + 1) * (k + 2)) for k, r in blocks))


def in_ball(k, rng, rows=None):
    """Uniform in the l1 ball of R^k; `rows` of them."""
    e = rng.exponential(size=(rows or 1, k + 1))
    points = e[:, :k] / e.sum(axis=1, keepdims=True) * rng.choice([-1, 1], (rows or 1, k))
    return points if rows else points[0]


def shaped_noise(blocks, rng):
    p = sum(k for k, _ in blocks)
    return rng.gamma(p + 1) * np.concatenate([r * in_ball(k, rng) for k, r in blocks])


def minimise(rows, labels, strength, b, limits, scores=0):
    """Newton's method on the logistic loss, straight beyond each record's slope limit; `scores` are there already."""
    bend = np.log((1 - limits) / limits)  # where the slope is at its limit

    def value(w):
        margin = labels * (rows @ w + scores)
        loss = np.where(margin < bend, np.logaddexp(0, -bend) + limits * (bend - margin), np.logaddexp(0, -margin))
        return loss.sum() + strength / 2 * w @ w + b @ w

    w = np.zeros(rows.shape[1])
    for _ in range(60):
        margin = labels * (rows @ w + scores)
        slope = 1 / (1 + np.exp(np.clip(margin, -500, 500)))
        curvature = np.where(margin < bend, 0, slope * (1 - slope))
        gradient = -rows.T @ (labels * np.where(margin < bend, limits, slope)) + strength * w + b
        if np.linalg.norm(gradient) < 1e-6 * strength:
            break
        hessian = (rows * curvature[:, None]).T @ rows + strength * np.eye(len(w))
        step, length = np.linalg.solve(hessian, -gradient), 1.0
        while value(w + length * step) > value(w) + 1e-4 * length * (gradient @ step) and length > 1e-8:
            length /= 2
        w = w + length * step
    return w


def perturbed(rows, labels, blocks, epsilon, radius, rng, size, noise, scores=0):
    curvature = 0.25 * sum(r * r for _, r in blocks)
    strength = max(curvature / math.expm1(0.3 * epsilon), SLOPE * size / (epsilon * radius))
    beta = SLOPE / (0.99 * epsilon - math.log(1 + curvature / strength))
    starts = np.cumsum([0] + [k for k, _ in blocks])
    gauge = np.max([np.abs(rows[:, a : a + k]).sum(axis=1) / r for a, (k, r) in zip(starts, blocks)], axis=0)
    return minimise(rows, labels, strength, beta * noise(blocks, rng), np.minimum(SLOPE / gauge, 1 - 1e-9), scores)


def private(rows, labels, blocks, epsilon, radius, rng, scores=0):
    return perturbed(rows, labels, blocks, epsilon, radius, rng, shaped_size(blocks), shaped_noise, scores)
