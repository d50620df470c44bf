"""Attempts to refute a method's claim."""

from __future__ import annotations

from typing import Any

from . import _core, _inputs
from .errors import UsageError


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
    and the `checks` of the replay. runs=0 takes 50000 on each neighbour (of slow methods fewer, docs/audits.md).

    >>> audit("limited-objective", epsilon=1.0, runs=200)["violated"]
    False
    """
    return _core.audit(
        _inputs.text("method", method),
        _inputs.required_number("epsilon", epsilon),
        _inputs.number("delta", delta),
        _inputs.text("loss", loss),
        _count("runs", runs),
        _inputs.required_number("confidence", confidence),
        _inputs.options(options),
        _count("threads", threads),
    )


def _count(name: str, value: Any) -> int:
    try:
        whole = _inputs.whole_number(name, value)
    except UsageError:
        whole = -1
    if not 0 <= whole < 10**18:
        raise UsageError(f'{name}: "{value}", expected a whole number from 0 to 10^18 - 1')
    return whole
