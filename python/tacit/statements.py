"""A schema, a description and an evaluation, each released under differential privacy with its certificate."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _arrow, _core, _inputs, _labels, _users
from ._base import PrivateEstimator
from ._tables import as_table, column_names, count, encoded_records, raw_columns
from .errors import UsageError
from .ledgers import recording_failures
from .loading import load


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
    group: str = "",
    output: str | os.PathLike[str] = "",
    key: str | os.PathLike[str] = "",
    force: bool = False,
) -> dict[str, Any]:
    """A schema for a table that nobody has looked at, found privately, as `tacit schema --epsilon` does.

    data: a file's name, or a table: a data frame, an array, lists of cells. target, user: names of columns.
    classes: the target's, where they are public. group: "COLUMN=VALUE", the records with this value in a public column
    alone; groups of one column cost a ledger their maximum. What comes back is a schema for the estimators, with its
    certificate; `output` is the file for `tacit verify`, and one that exists is kept unless force=True. key: an Ed25519
    private key in PEM to sign it with.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> found = schema(people, target="old", classes=["no", "yes"], epsilon=1.0)
    >>> found["columns"]["age"]["type"], found["target"]["classes"]
    ('numeric', ['no', 'yes'])
    """
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name, group)
    output, key = _required(output, key, force, data)
    named = [_inputs.text("a class", name) for name in classes or ()]
    if target and not named and delta is None:  # whether it is text is for the records to say: so it is said of any
        warnings.warn("without delta the classes of a target that is text are not found: if it is, give delta or classes", UserWarning, stacklevel=2)
    roles = (_inputs.text("target", target), _inputs.text("user", user), named, asked)
    if isinstance(data, (str, os.PathLike)):
        return _with_notes(_core.schema_of_file(os.fspath(data), *roles), output, key)
    with recording_failures(ledger or None, ledger_name or None):
        table = as_table(_arrow.as_frame(data))
        columns = _with_whole_ids(table, roles[1])
    return _with_notes(_core.schema_of_table(columns, count(table), *roles), output, key)


def _with_notes(found: tuple[str, list[str]], output: str, key: str) -> dict[str, Any]:
    """What was released, with what to look at as warnings, once it is written."""
    released = _released(found[0], output, key)
    for note in found[1]:
        warnings.warn(note.removeprefix("Note: "), UserWarning, stacklevel=3)
    return released


def _with_whole_ids(table: Any, user: str) -> list[tuple[str, Any]]:
    """The columns, users by their numbers: ids of 64 bits would lose their last digits as numbers, and two people be one."""
    names = column_names(table)
    columns = dict(raw_columns(table, names))
    if user in columns:
        ids = table.iloc[:, names.index(user)] if hasattr(table, "columns") else np.asarray(table)[:, names.index(user)]
        columns[user] = _users.numbered_users(ids)[0].astype(np.float64)
    return list(columns.items())


def describe(
    data: Any,
    *,
    epsilon: float,
    schema: Any = None,
    delta: float | None = None,
    user: str = "",
    neighbours: str = "",
    ledger: str | os.PathLike[str] = "",
    ledger_name: str = "",
    group: str = "",
    range_share: float | None = None,
    statistics: Sequence[str] = (),
    quantiles: Sequence[float] = (),
    bins: int = 20,
    confidence: float = 0.95,
    output: str | os.PathLike[str] = "",
    key: str | os.PathLike[str] = "",
    force: bool = False,
) -> dict[str, Any]:
    """Counts, means, quantiles and histograms of a table, as `tacit describe --json` prints them.

    data: a file's name, or a table: a data frame, an array, lists of cells. schema: without one, a share of the
    guarantee finds it, half or `range_share`, and the rest describes the table with it. user: the column that says whose
    a record is. group: "COLUMN=VALUE", the records with this category of the schema alone; groups of one column cost a
    ledger their maximum. statistics: some of "mean", "quantiles", "histogram" and "categories", all where none is named;
    what is not asked for costs nothing. quantiles: levels, those of the tool where none is named. bins: cells of a
    histogram, 2 to 1000. confidence: of each interval. output: the file for `tacit verify`, and one that exists is kept
    unless force=True. key: an Ed25519 private key in PEM to sign it with.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 120}}, "target": {"column": "old", "classes": ["no", "yes"]}}
    >>> told = describe(people, schema=known, epsilon=1.0)
    >>> 40 < told["columns"]["age"]["mean"]["value"] < 65, told["private"]
    (True, True)
    >>> told = describe(people, epsilon=1.0, delta=1e-6)
    >>> told["cost"]["schema"]["epsilon"], sorted(told["columns"]["old"]["categories"])
    (0.5, ['no', 'other', 'yes'])
    >>> told = describe(people, schema=known, epsilon=1.0, statistics=["quantiles", "histogram"], quantiles=[0.1, 0.9], bins=12)
    >>> list(told["columns"]["age"]["quantiles"]), len(told["columns"]["age"]["histogram"]["counts"]), list(told["columns"])
    (['0.1', '0.9'], 12, ['age'])
    """
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name, group)
    output, key = _required(output, key, force, data, schema)
    known = _inputs.read_schema(schema, None, None)
    text = _inputs.schema_text(schema)
    share = _inputs.number("range_share", range_share)
    chosen = (
        [_inputs.text("a statistic", name) for name in _listed("statistics", statistics)],
        [_inputs.required_number("a quantile", level) for level in _listed("quantiles", quantiles)],
        _inputs.whole_number("bins", bins),
        _inputs.required_number("confidence", confidence),
    )
    user = _inputs.text("user", user)
    if isinstance(data, (str, os.PathLike)):
        return _released(_core.describe(_inputs.file_name("data", data), known, user, text, share, chosen, asked), output, key)
    if known is None:
        with recording_failures(ledger or None, ledger_name or None):
            table = as_table(_arrow.as_frame(data))
            columns = _with_whole_ids(table, user)
        return _released(_core.describe_table(columns, count(table), user, share, chosen, asked), output, key)
    user = user or known.user
    with recording_failures(ledger or None, ledger_name or None):
        X, users = _split(as_table(_arrow.as_frame(data)), user)
        records = encoded_records(X, _core.schema_to_describe(known), column_names(X))
        if users is not None:
            records.set_users(*_users.numbered_users(users))
    return _released(_core.describe_records(records, known, text, share, chosen, asked), output, key)


def evaluate(
    model: str | os.PathLike[str] | PrivateEstimator,
    data: Any,
    *,
    epsilon: float,
    delta: float | None = None,
    target: str = "",
    user: str = "",
    neighbours: str = "",
    ledger: str | os.PathLike[str] = "",
    ledger_name: str = "",
    group: str = "",
    output: str | os.PathLike[str] = "",
    key: str | os.PathLike[str] = "",
    force: bool = False,
) -> dict[str, Any]:
    """How good a model is on other records, as `tacit evaluate --epsilon --json` prints it.

    model: a fitted estimator, or a model file's name. data: a file's name, or a data frame with the model's columns and
    the target's. epsilon: of the whole evaluation; math.inf: none, records as they are, and `private` is False. target: its
    column, where it is not the model's own. user: the column that says whose a record is; a model of people is judged on
    people, by the column that the fit went by. group: "COLUMN=VALUE", the records with this category of the model's
    schema alone; groups of one column cost a ledger their maximum. output: the file for `tacit verify`, and one that exists is
    kept unless force=True. key: an Ed25519 private key in PEM to sign it with.

    >>> import numpy as np, pandas, tacit
    >>> age = np.random.default_rng(0).integers(18, 90, size=2000)
    >>> people = pandas.DataFrame({"age": age, "old": np.where(age > 50, "yes", "no")})
    >>> known = {"columns": {"age": {"type": "numeric", "min": 0, "max": 120}}, "target": {"column": "old", "classes": ["no", "yes"]}}
    >>> tacit.LogisticRegression(schema=known).fit(people[["age"]], people["old"]).save("judged.json")
    >>> found = evaluate("judged.json", people, epsilon=1.0)
    >>> found["accuracy"] > 0.8, len(found["intervals"]["accuracy"])
    (True, 2)
    """
    if isinstance(model, PrivateEstimator):
        with tempfile.TemporaryDirectory() as folder:
            model.save(file := os.path.join(folder, "model.json"))
            return evaluate(
                file,
                data,
                epsilon=epsilon,
                delta=delta,
                target=target,
                user=user,
                neighbours=neighbours,
                ledger=ledger,
                ledger_name=ledger_name,
                group=group,
                output=output,
                key=key,
                force=force,
            )
    file = _inputs.file_name("model", model)
    roles = (_inputs.text("target", target), _inputs.text("user", user))
    if epsilon == math.inf:
        return _openly(file, data, *roles, refused=(delta, neighbours, ledger, ledger_name, group, output, key, user))
    asked = _asked(epsilon, delta, neighbours, ledger, ledger_name, group)
    output, key = _required(output, key, force, file, data)
    if isinstance(data, (str, os.PathLike)):
        return _with_notes(_core.evaluate(file, _inputs.file_name("data", data), *roles, asked), output, key)
    with recording_failures(ledger or None, ledger_name or None):
        records = _labelled(file, _arrow.as_frame(data), *roles)
    return _with_notes(_core.evaluate_records(file, records, asked), output, key)


def _openly(model: str, data: Any, target: str, user: str, refused: tuple[Any, ...]) -> dict[str, Any]:
    """Records as they are: what is for privacy has no effect, and is refused."""
    if any(refused):
        raise UsageError("epsilon=math.inf means no privacy: leave out delta, user, neighbours, ledger, ledger_name, group, output and key")
    if isinstance(data, (str, os.PathLike)):
        return _released(_core.open_evaluation(model, _inputs.file_name("data", data), target), "")
    records = _labelled(model, _arrow.as_frame(data), target, user, whose=False)
    return _released(_core.open_evaluation_of_records(model, records), "")


def _split(frame: Any, column: str) -> tuple[Any, Any]:
    """The table without a column, and that column; None where no column is named."""
    if not column:
        return frame, None
    names = column_names(frame)
    if column not in names:
        raise UsageError(f'there is no column "{column}"')
    place = names.index(column)
    if not hasattr(frame, "iloc"):
        return np.delete(np.asarray(frame), place, axis=1), np.asarray(frame)[:, place]
    return frame.iloc[:, [j for j in range(len(names)) if j != place]], frame.iloc[:, place]


def _labelled(model: str, frame: Any, target: str, user: str, whose: bool = True) -> _core.Records:
    """The records of a frame as the model reads them, further columns left out, with their labels and, if asked, users."""
    estimator = load(model)
    whole = json.loads(estimator.model_.json)
    about = whole["target"]
    if not (target or about["column"]):
        raise UsageError("the model does not name its target; give target=, the column that has the labels")
    table, column = as_table(frame), target or about["column"]
    if column not in column_names(table):
        raise UsageError(f'there is no column "{column}" to compare with; rename the one that holds the labels to it, or name it: target=')
    X, y = _split(table, column)
    X, users = _split(X, (user or _user_column(whole)) if whose else "")
    known = list(getattr(estimator, "feature_names_in_", []))
    names = column_names(X)
    if known and hasattr(X, "iloc"):
        unused = {name for name, kind in (whole["schema"] or {}).get("columns", {}).items() if kind["type"] == "ignore"}
        if missing := [name for name in known if name not in names and name not in unused]:
            raise UsageError(f'there is no column "{missing[0]}", which the model was fitted with')
        X = X.iloc[:, [names.index(name) for name in known if name in names]]
    records = estimator._records_to_predict(X, openly=not whose)
    y = _labels.labels_in_line(y)
    if about["classes"]:
        found = _labels.among(y, _labels.of_schema(about["classes"]))
        records.set_classes(found.numbers, found.names, False)
    else:
        records.set_numbers(_labels.as_numbers(y))
    if users is not None:
        records.set_users(*_users.numbered_users(users))
    return records


def _user_column(about: dict[str, Any]) -> str:
    """The column that told the fit whose a record is; a model of people is judged on people."""
    named = ((about["schema"] or {}).get("user") or {}).get("column", "")
    return str(named or about["certificate"]["assumed_public"].get("user_column", ""))


def _asked(epsilon: Any, delta: Any, neighbours: str, ledger: Any, ledger_name: str, group: str) -> _core.Asked:
    return _core.Asked(
        _inputs.required_number("epsilon", epsilon),
        _inputs.number("delta", delta),
        _inputs.text("neighbours", neighbours),
        _inputs.file_name("ledger", ledger),
        _inputs.text("ledger_name", ledger_name),
        _inputs.text("group", group),
    )


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UsageError(f"{name} is {values!r}, expected a list")
    return list(values)


def _required(output: Any, key: Any, force: bool, *inputs: Any) -> tuple[str, str]:
    """The file that the statement goes to and its key, before anything is spent: never an input, or, without force, one that exists."""
    file, secret = _inputs.file_name("output", output), _inputs.file_name("key", key)
    if file:
        _core.require_output(file, [os.fspath(name) for name in (*inputs, secret) if isinstance(name, (str, os.PathLike))], bool(force))
    if secret:
        _core.require_signing_key(secret)
    return file, secret


def _released(text: str, output: str, key: str = "") -> dict[str, Any]:
    text = _core.signed_statement(text, key)
    if output:
        _core.write_output(output, text)
    released: dict[str, Any] = json.loads(text)
    return released
