"""A schema, a description and an evaluation, each released under differential privacy with its certificate."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core, _inputs
from ._tables import as_table, column_names, count, raw_columns


def schema(
    data: Any,
    *,
    epsilon: float,
    delta: float | None = None,
    target: str = "",
    user: str = "",
    classes: Any = None,
    neighbours: str = "",
    ledger: str | os.PathLike[str] = "",
    ledger_name: str = "",
    output: str | os.PathLike[str] = "",
) -> dict[str, Any]:
    """A schema for a table that nobody has looked at, found privately, as `tacit schema --epsilon` does.

    data: a file's name, or a table: a data frame, an array, lists of cells. target, user: names of columns.
    classes: the target's, where they are public. What comes back is a schema for the estimators, with its
    certificate; `output` is the file for `tacit verify`.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> found = schema(people, target="old", classes=["no", "yes"], epsilon=1.0)
    >>> found["columns"]["age"]["type"], found["target"]["classes"]
    ('numeric', ['no', 'yes'])
    """
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name)
    named = [_inputs.text("a class", name) for name in classes or ()]
    roles = (_inputs.text("target", target), _inputs.text("user", user), named, asked)
    if isinstance(data, (str, os.PathLike)):
        return _released(_core.schema_of_file(os.fspath(data), *roles), output)
    table = as_table(data)
    return _released(_core.schema_of_table(raw_columns(table, column_names(table)), count(table), *roles), output)


def describe(
    path: str | os.PathLike[str],
    *,
    schema: Any,
    epsilon: float,
    delta: float | None = None,
    user: str = "",
    neighbours: str = "",
    ledger: str | os.PathLike[str] = "",
    ledger_name: str = "",
    output: str | os.PathLike[str] = "",
) -> dict[str, Any]:
    """Counts, means, quantiles and histograms of a file, as `tacit describe --json` prints them.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 120}}, "target": {"column": "old", "classes": ["no", "yes"]}}
    >>> people.to_csv("described.csv", index=False)
    >>> told = describe("described.csv", schema=known, epsilon=1.0)
    >>> 40 < told["columns"]["age"]["mean"]["value"] < 65, told["private"]
    (True, True)
    """
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name)
    known = _inputs.read_schema(schema, None, None)
    return _released(
        _core.describe(_inputs.file_name("path", path), known, _inputs.text("user", user), asked), output
    )


def evaluate(
    model: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    epsilon: float,
    delta: float | None = None,
    target: str = "",
    user: str = "",
    neighbours: str = "",
    ledger: str | os.PathLike[str] = "",
    ledger_name: str = "",
    output: str | os.PathLike[str] = "",
) -> dict[str, Any]:
    """How good the model of a file is on the records of another, as `tacit evaluate --epsilon --json` prints it.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 120}}, "target": {"column": "old", "classes": ["no", "yes"]}}
    >>> people.to_csv("judged.csv", index=False)
    >>> tacit.LogisticRegression(schema=known).fit(people[["age"]], people["old"]).save("judged.json")
    >>> found = evaluate("judged.json", "judged.csv", epsilon=1.0)
    >>> found["accuracy"] > 0.8, len(found["intervals"]["accuracy"])
    (True, 2)
    """
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name)
    files = (_inputs.file_name("model", model), _inputs.file_name("path", path))
    roles = (_inputs.text("target", target), _inputs.text("user", user))
    return _released(_core.evaluate(*files, *roles, asked), output)


def _asked(epsilon: Any, delta: Any, neighbours: str, ledger: Any, ledger_name: str) -> _core.Asked:
    return _core.Asked(
        _inputs.required_number("epsilon", epsilon),
        _inputs.number("delta", delta),
        _inputs.text("neighbours", neighbours),
        _inputs.file_name("ledger", ledger),
        _inputs.text("ledger_name", ledger_name),
    )


def _released(text: str, output: Any) -> dict[str, Any]:
    if output:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    released: dict[str, Any] = json.loads(text)
    return released
