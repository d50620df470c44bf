"""Methods, and model files."""

from __future__ import annotations

import os
from typing import Any

from . import _core


def methods() -> list[dict[str, Any]]:
    """Every method: what it guarantees, for whom, what it assumes, and its options."""
    return _core.methods()


def verify(path: str | os.PathLike[str], key: str | os.PathLike[str] = "") -> dict[str, Any]:
    """Checks a model file without the data, as `tacit verify` does.

    Rebuilds the steps that its method must have taken and recomputes the guarantee; with the public key (PEM)
    it checks the signature too. VerificationError says what does not hold.
    """
    return _core.verify(os.fspath(path), os.fspath(key))
