"""Attempts to refute a method's claim."""

from __future__ import annotations

from typing import Any

from . import _core


def audit(
    method: str = "limited-objective",
    *,
    epsilon: float = 1.0,
    delta: float | None = None,
    loss: str = "",
    runs: int = 0,
    confidence: float = 0.9999,
    options: dict[str, Any] | None = None,
    threads: int = 0,
) -> dict[str, Any]:
    """Replays the method on adversarial neighbours and runs it many times on the pair where it gives away most.

    The result has `claimed_epsilon`, `lower_bound` (epsilon is at least this, with `confidence`), `violated`,
    and the `checks` of the replay. runs=0 takes 50000 on each neighbour.
    """
    return _core.audit(method, epsilon, delta, loss, runs, confidence, options or {}, threads)
