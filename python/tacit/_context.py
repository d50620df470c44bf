"""Who calls `fit`: what a certificate cannot cover is found here, and said.

A guarantee belongs to records, and Python cannot know whether two arrays hold the same people. What can be known is
that a search, a cross-validation or an ensemble of scikit-learn's is at work, because it is on the call stack: it fits
clones again and again on parts of the same records. It needs a ledger, which is a file, so that clones in this and in
other processes are charged to the same budget.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from . import _steps
from .errors import PrivacyWarning, UsageError

# These of scikit-learn's modules fit an estimator once, or serve those that do.
_FIT_ONCE = ("sklearn.pipeline", "sklearn.base", "sklearn.utils", "sklearn._config")


@dataclass
class Context:
    """What surrounds a call of `fit`."""

    repeats: str = ""  # the module of scikit-learn that fits clones; empty: none
    learnt: list[str] = field(default_factory=list)  # what the records went through that may have learnt from them
    trusted: list[str] = field(default_factory=list)  # what they went through that says it treats each by itself

    def assumptions(self) -> list[str]:
        """What the certificate must say that it does not cover."""
        texts = [f"the records went through {step}, which may learn from all of them without privacy" for step in self.learnt]
        texts += [f"the records went through {step}, which is assumed to treat each record by itself" for step in self.trusted]
        if self.repeats:
            texts.append(
                f"the fit was one of several by sklearn.{self.repeats}, whose scores, and a choice by them, are not private"
            )
        return texts


def calling_context(estimator: Any) -> Context:
    """Looks up the stack from the estimator's `fit`."""
    context = Context()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == "sklearn.pipeline":
            _look_at_steps(frame.f_locals.get("self"), estimator, context)
        elif module.startswith("sklearn.compose"):
            context.learnt.append(type(frame.f_locals.get("self")).__name__)
        elif module.startswith("sklearn.") and not module.startswith(_FIT_ONCE):
            context.repeats = context.repeats or module.removeprefix("sklearn.").split("._")[0]
        frame = frame.f_back
    return context


def require_ledger(context: Context, ledger: Any) -> None:
    """Refuses to spend the same budget once more without anybody counting."""
    if context.repeats and ledger is None:
        refusal = (
            f"sklearn.{context.repeats} may fit the same records more than once, and each fit spends its epsilon: give "
            "ledger=FILE (tacit.create_ledger), which adds them up and refuses what goes beyond its limit, or choose among "
            'settings privately with method="tuned"'
        )
        if context.repeats == "model_selection":  # some of it turns a failure into a score of NaN, and says nothing
            warnings.warn(refusal, PrivacyWarning, stacklevel=3)
        raise UsageError(refusal)


def _look_at_steps(pipeline: Any, estimator: Any, context: Context) -> None:
    for _, step in getattr(pipeline, "steps", []):
        if step is estimator:
            break
        for names, found in ((context.learnt, _steps.learning(step)), (context.trusted, _steps.trusted(step))):
            names += [name for name in dict.fromkeys(found) if name not in names]
