"""A budget in a file, which fits are charged to: see docs/ledger.md."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from . import _core, _inputs
from .errors import Error, UsageError


def create_ledger(
    path: str | os.PathLike[str],
    limits: Mapping[str, float | tuple[float, float]],
    *,
    accountant: str = "pure",
    unit: str = "item",
    neighbours: str = "zero_out",
) -> dict[str, Any]:
    """Makes a new ledger; a file that exists is never touched.

    limits: what may be spent under each name, {"people": 3.0}: epsilon for the accountant "pure", mu or
    (epsilon, delta) for "gaussian", rho or (epsilon, delta) for "zcdp", (epsilon, delta) for "approx".

    >>> create_ledger("made.ledger", {"people": 3.0})["accountant"]
    'pure'
    """
    if not isinstance(limits, Mapping):
        raise UsageError(f'limits is {limits!r}, expected a dict, {{"people": 3.0}}')
    return _core.create_ledger(
        _inputs.file_name("path", path),
        [f"{name}={_text(limit)}" for name, limit in limits.items()],
        _inputs.text("accountant", accountant),
        _inputs.text("unit", unit),
        _inputs.text("neighbours", neighbours),
    )


def ledger(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What was spent, what is left, and every charge.

    >>> _ = create_ledger("shown.ledger", {"people": 3.0})
    >>> ledger("shown.ledger")["budgets"][0]["charges"]
    []
    """
    return _core.show_ledger(_inputs.file_name("path", path))


@contextmanager
def recording_failures(ledger: Any, name: str | None) -> Iterator[None]:
    """Around the reading of records: a failure on their content is written into the ledger before it is seen."""
    try:
        yield
    except UsageError:
        raise
    except (ValueError, TypeError, ArithmeticError, AttributeError, LookupError, NotImplementedError):  # of a value's own methods, too
        if ledger is not None:
            try:
                _core.record_failed_read(_inputs.file_name("ledger", ledger), name or "")
            except Error as refused:  # what is not recorded is not told: as a charge would have failed
                raise refused from None
        raise


def _text(limit: float | tuple[float, float]) -> str:
    return ",".join(str(part) for part in limit) if isinstance(limit, tuple) else str(limit)
