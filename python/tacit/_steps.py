"""What a step of a pipeline does to records: whether it learns from all of them, by its type and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
)


def _has_categories(encoder: Any) -> bool:
    """Its categories are stated, and none is left out because it is rare."""
    rare = (getattr(encoder, name, None) for name in ("min_frequency", "max_categories"))
    return not isinstance(encoder.categories, str) and all(limit is None for limit in rare)


# Steps whose `fit` looks at the number of columns alone, given what is stated: what they make of a record is a function
# of that record. A subclass may do anything, so the type must be the very one.
_FIXED: dict[type, Callable[[Any], bool]] = {
    PolynomialFeatures: lambda step: True,
    SplineTransformer: lambda step: not isinstance(step.knots, str),
    OneHotEncoder: _has_categories,
    OrdinalEncoder: _has_categories,
    SimpleImputer: lambda step: step.strategy == "constant" and step.fill_value is not None and not step.add_indicator,
    FunctionTransformer: lambda step: step.func is None or isinstance(step.func, np.ufunc),
}


def learning(step: Any) -> Iterator[str]:
    """The names of the steps in it that may learn from all records."""
    if isinstance(step, (str, type(None))):  # "passthrough" and "drop"
        return
    if inner := _inner(step):
        for part in inner:
            yield from learning(part)
        if type(step) is ColumnTransformer and _depends_on_table(step):
            yield "ColumnTransformer"
    elif not _is_fixed(step) and not isinstance(step, FunctionTransformer):
        yield type(step).__name__


def trusted(step: Any) -> Iterator[str]:
    """The names of those that may hold any function of all records, and say that they treat each by itself."""
    for part in _inner(step):
        yield from trusted(part)
    if isinstance(step, FunctionTransformer) and not _is_fixed(step):
        yield type(step).__name__


def _inner(step: Any) -> list[Any]:
    """The steps of which it is made."""
    if type(step) is Pipeline:
        return [part for _, part in step.steps]
    if type(step) is FeatureUnion:
        return [part for _, part in step.transformer_list]
    if type(step) is ColumnTransformer:
        return [*(part for _, part, _ in step.transformers), step.remainder]
    return []


def _depends_on_table(step: ColumnTransformer) -> bool:
    """Whether which columns it takes, or whether it stores zeros, is decided by what the records hold."""
    chosen = any(callable(columns) for _, _, columns in step.transformers)  # by dtypes, say, which one cell can change
    return chosen or (step.sparse_threshold > 0 and any(_may_be_sparse(part) for part in _inner(step)))


def _may_be_sparse(step: Any) -> bool:
    if inner := _inner(step):
        return any(_may_be_sparse(part) for part in inner)
    if isinstance(step, (HashingVectorizer, FeatureHasher)):
        return True
    return any(getattr(step, name, False) is True for name in ("sparse_output", "sparse"))


def _is_fixed(step: Any) -> bool:
    if type(step) in _FIXED:
        return bool(_FIXED[type(step)](step))
    return not isinstance(step, FunctionTransformer) and _stateless(step)


def _stateless(step: Any) -> bool:
    """Whether a transformer treats every record by itself, by its own word."""
    try:
        if hasattr(step, "__sklearn_tags__"):
            return not step.__sklearn_tags__().requires_fit
        tags = step._get_tags()
        return bool(tags["stateless"]) or not tags["requires_fit"]
    except (AttributeError, KeyError, TypeError):
        return False
