"""Methods, and model files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _core, _inputs


def methods() -> list[dict[str, Any]]:
    """Every method: what it guarantees, for whom, what it assumes, and its options.

    >>> [method["notions"] for method in methods() if method["name"] == "limited-objective"]
    [['pure', 'approx']]
    """
    return _core.methods()


def verify(path: str | os.PathLike[str], key: str | os.PathLike[str] = "") -> dict[str, Any]:
    """Checks a file with a certificate without the data, as `tacit verify` does: a model, or a schema,
    description or evaluation that was made with an epsilon.

    Rebuilds the steps that its method must have taken and recomputes the guarantee; with the public key (PEM)
    it checks the signature too. VerificationError says what does not hold.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> tacit.LogisticRegression(bounds=(0, 10), classes=[0, 1]).fit(X, X[:, 0] > 5).save("verified.json")
    >>> verify("verified.json")["signed"]
    False
    """
    return _core.verify(_inputs.file_name("path", path), _inputs.file_name("key", key))


def report(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    key: str | os.PathLike[str] = "",
    ledger: str | os.PathLike[str] = "",
) -> list[str]:
    """Verifies a model file and writes a page about its promise, for people, as `tacit report` does.

    A list of files that tacit wrote about the same people (descriptions, schemas, models, evaluations) gets one
    page about all of them; with the ledger that they were charged to, it says what was spent in all.

    Returns what must be true for the promise to hold, beyond the mathematics. A promise that does not hold is a
    VerificationError, and the page says so; a file that was edited is a DataError, and gets no page.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> tacit.LogisticRegression(bounds=(0, 10), classes=[0, 1]).fit(X, X[:, 0] > 5).save("reported.json")
    >>> report("reported.json", "report.html")
    []
    """
    several = list(path) if isinstance(path, (list, tuple)) else [path]
    files = [_inputs.file_name("path", each) for each in several]
    return _core.report(files, *(_inputs.file_name(*what) for what in (("output", output), ("key", key), ("ledger", ledger))))
