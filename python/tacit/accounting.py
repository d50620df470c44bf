"""What steps of noise cost, and the noise that a target needs."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core
from ._inputs import as_json, number, required_number, text, whole_number


class Epsilon(NamedTuple):
    """The true epsilon lies between the two; the upper end is the one to state."""

    lower: float
    upper: float


def account(
    noise_multiplier: float,
    *,
    delta: float,
    rate: float = 1.0,
    steps: int = 1,
    neighbours: str = "zero_out",
) -> Epsilon:
    """What `steps` Poisson-sampled Gaussian steps cost together, as DP-SGD takes them.

    noise_multiplier: noise of each step over its clip norm, > 0. rate: probability that a record joins a
    step. neighbours: zero_out, add_remove or replace_one.

    >>> spent = account(1.1, rate=0.01, steps=10_000, delta=1e-5)
    >>> round(spent.lower, 3), round(spent.upper, 3)
    (5.192, 5.193)
    """
    return Epsilon(
        *_core.account(
            required_number("noise_multiplier", noise_multiplier),
            required_number("rate", rate),
            whole_number("steps", steps),
            required_number("delta", delta),
            text("neighbours", neighbours),
        )
    )


def account_events(events: list[dict[str, Any]] | dict[str, Any], *, delta: float) -> Epsilon:
    """The same for any events, as a certificate has them (docs/accounting.md).

    >>> account_events([{"kind": "pure", "epsilon": 0.5}, {"kind": "pure", "epsilon": 0.25}], delta=1e-9).upper <= 0.7501
    True
    """
    return Epsilon(*_core.account_events(as_json("events", events), required_number("delta", delta)))


def calibrate(
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    rho: float | None = None,
    rate: float = 1.0,
    steps: int = 1,
    neighbours: str = "zero_out",
) -> float:
    """The least noise multiplier that keeps a target: epsilon and delta, or mu, or rho.

    >>> round(calibrate(mu=0.5, steps=4), 6)
    4.0
    """
    return _core.calibrate(
        number("epsilon", epsilon),
        number("delta", delta),
        number("mu", mu),
        number("rho", rho),
        required_number("rate", rate),
        whole_number("steps", steps),
        text("neighbours", neighbours),
    )
