"""What all estimators share."""

from __future__ import annotations

import copy
import inspect
import os
import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _arrow, _core, _curves, _inputs, _intervals, _labels, _tables, _users, _weights
from ._checks import EXPECTED_FAILED_CHECKS
from ._context import Context, calling_context, require_ledger
from .errors import PrivacyWarning, TooFewRecordsError, TooFewRecordsWarning, UsageError
from .ledgers import recording_failures


def _warn_beforehand(text: str) -> None:
    """What the fit says before it spends anything. A warning that is an error stops it there."""
    kind, _, what = text.partition(": ")
    if kind == "Warning":
        few = what.startswith("records x epsilon") or " few for " in what
        warnings.warn(what.rstrip("."), TooFewRecordsWarning if few else UserWarning, stacklevel=4)
    elif kind == "This will take long":
        warnings.warn(text.rstrip("."), UserWarning, stacklevel=4)


_LONGEST_SHOWN = 200  # characters of a schema


class _Brief(str):
    """What stands for a parameter that is too long to be shown."""

    __repr__ = str.__str__


class Given(NamedTuple):
    """What a call of `fit` was given."""

    X: Any
    y: Any
    user_ids: Any
    sample_weight: Any


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn states no types
    """The parameters, the fit and the model of every estimator; see a concrete one."""

    _loss = ""
    _weight_bound = 1.0  # of the fit's weights; without any, 1
    coef_: Any
    intercept_: Any
    classes_: np.ndarray
    model_: _core.Model
    certificate_: dict[str, Any]
    encoded_names_: list[str]
    confidence_intervals_: _intervals.Intervals
    _places: np.ndarray
    _by_name = False  # whether a data frame's columns are looked up by the names in a schema that was given

    # What a subclass makes of the labels, and what it asks for beside the common parameters.
    def _set_labels(self, records: _core.Records, y: Any, schema: _core.Schema | None) -> None:
        raise NotImplementedError

    def _require_target(self, schema: _core.Schema) -> None:
        """Refuses a schema whose target is of another kind than this estimator's."""
        raise NotImplementedError

    def _more_settings(self, records_count: int) -> dict[str, Any]:
        return {}

    def _label_weights(self, y: Any) -> _weights.Weights | None:
        """What each label's weight is by its class alone, and the most that it can be."""
        return None

    def fit(self, X: Any, y: Any = None, user_ids: Any = None, sample_weight: Any = None) -> Self:
        """Fits the model; what it releases is covered by `certificate_`.

        X: array, sparse matrix, data frame, or anything that offers an Arrow stream (polars, pyarrow, DuckDB). A contiguous
        float64 array is not copied. y: labels.
        user_ids: with unit="user", whose record each one is. sample_weight: what each record's loss is multiplied with,
        cut to [0, weight_bound].
        """
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        context = calling_context(self)
        if self.epsilon != np.inf:  # which promises nothing and spends nothing
            require_ledger(context, self.ledger)
            for text in context.assumptions():
                warnings.warn(f"the certificate does not cover everything: {text}", PrivacyWarning, stacklevel=2)
        with recording_failures(self.ledger, self.ledger_name):
            X = _tables.whole_table(_arrow.as_frame(X))  # all rows: what follows asks for the first one's width
        if sample_weight is not None and self.weight_bound is None:
            warnings.warn("sample_weight without weight_bound: weights are cut to [0, 1]", UserWarning, stacklevel=2)
        fitted = copy.copy(self)  # so that a fit that fails, or is interrupted, leaves this one as it was
        given = Given(X, y, user_ids, sample_weight)
        try:
            fitted._fit_once(given, context)
        except TooFewRecordsError as error:
            warnings.warn(
                f"{error}. The model is fitted as if records were of size 1, and will be poor",
                TooFewRecordsWarning,
                stacklevel=2,
            )
            fitted._fit_once(given, context, unit_limits=True)
        self.__dict__ = fitted.__dict__
        for told in (self.model_.halt_warning, self.model_.hidden_curvature_warning):
            if told:
                warnings.warn(told, UserWarning, stacklevel=2)
        self._warn_of_needless_bounds()
        return self

    def _fit_once(self, given: Given, context: Context, **more: Any) -> None:
        schema = _inputs.read_schema(self.schema, self.bounds, given.X)
        if schema is not None:
            self._require_unit(schema)
            self._require_target(schema)
        weighs = given.sample_weight is not None or getattr(self, "class_weight", None) is not None
        self._weight_bound = 1.0
        known = {"schema": _inputs.schema_text(self.schema)}  # with what it cost to find
        some = {**known, "weight_bound": 1.0} if weighs else known  # that there is a bound says which methods there are
        count = self._count(given.X, schema)
        if schema is not None:
            schema = _core.schema_to_fit(schema, {**self._settings(count), **some, **more}, count)
        finds = schema is None and self._finds_ranges(given.X, {**some, **more})
        with recording_failures(self.ledger, self.ledger_name):
            X, records = self._read(given, schema, finds)
            if self.schema is None and hasattr(given.X, "columns"):  # the model tells them
                records.assume_names_public()
            if weighs:
                self._weight_bound = self._set_weights(records, given)
                more["weight_bound"] = self._weight_bound
        settings = {**self._settings(count), **known, "target": _labels.target_name(X, given.y), **more}
        self.model_ = _core.fit(records, settings, context.assumptions(), _warn_beforehand)
        self.certificate_ = self.model_.certificate
        self.encoded_names_ = self.model_.names
        self._set_coefficients(self.model_)

    def _require_unit(self, schema: _core.Schema) -> None:
        if schema.user and self.unit == "item" and self.epsilon != np.inf:
            raise UsageError(
                f'the schema names users, in the column "{schema.user}", but unit="item" protects single records: '
                'give unit="user", or leave the user out of the schema'
            )

    def _count(self, X: Any, schema: _core.Schema | None) -> int:
        """How many records are fitted: all, or those of the group, whose number is public."""
        if not self.group or schema is None:  # without a schema a group is refused
            return _tables.count(X)
        group = _inputs.text("group", self.group)
        with recording_failures(self.ledger, self.ledger_name):
            table, _ = _users.split_users(_tables.as_table(X), schema)
            return _tables.count_in_group(table, schema, group)

    def _finds_ranges(self, X: Any, more: dict[str, Any]) -> bool:
        """Whether a share of the guarantee is for the columns' ranges, by public values alone."""
        if _tables.is_sparse(X):
            if self.range_share:
                raise UsageError("a range share has no effect here: sparse data is taken as it is")
            return False
        if self.unit == "user" and self.range_share is None:  # the rule is for records
            return False
        count = _tables.count(X)
        return _core.finds_ranges({**self._settings(count), **more}, count, len(_tables.column_names(X)))

    def _read(self, given: Given, schema: _core.Schema | None, finds_ranges: bool) -> tuple[Any, _core.Records]:
        """X without the users' column, and the encoded records, or their cells where ranges are to be found."""
        y, user_ids = given.y, given.user_ids
        X, users = _users.split_users(given.X, schema)
        if users is not None and user_ids is not None and schema is not None:
            raise UsageError(f'the schema names users, in the column "{schema.user}" of X; leave out user_ids')
        if users is not None and self.unit == "user":
            user_ids = users
        described = schema is not None or finds_ranges
        self._column_names = _tables.column_names(X) if described else []
        self._by_name = self.schema is not None
        records = self._raw_records(X) if finds_ranges else self._records(X, schema, reset=True)
        self._set_labels(records, y, schema)
        self._set_users(records, user_ids)
        return X, records

    def _set_weights(self, records: _core.Records, given: Given) -> float:
        """Hands the weights on, and returns their bound."""
        found = _weights.of_records(given.sample_weight, self.weight_bound, self._label_weights(given.y), records.rows)
        records.set_weights(found.weights)
        return found.bound

    def _warn_of_needless_bounds(self) -> None:
        facts = {**self.certificate_["assumed_public"], **self.certificate_["options"]}
        used = "row_norm_bound" in facts or "method_choice" in facts  # the choice of a method looks at them too
        if _inputs.row_bound(self.bounds) is not None and not used and self.epsilon != np.inf:
            told = f"what {self.model_.method} guarantees does not rest on bounds, and its certificate leaves them out"
            warnings.warn(told, UserWarning, stacklevel=3)

    def save(self, path: str | os.PathLike[str], key: str | os.PathLike[str] = "") -> None:
        """Writes the model file that `tacit verify`, `predict` and `evaluate` read.

        key: an Ed25519 private key in PEM to sign it with.
        """
        check_is_fitted(self, "model_")
        self.model_.save(_inputs.file_name("path", path), _inputs.file_name("key", key), self._input_files())

    @property
    def curves_(self) -> dict[str, _curves.Curve]:
        """What each column, or pair of columns, adds to the score: by name, each with x, y, interval and noise.

        Needs a schema, or bounds for each column; made from the model alone, no record is read.

        >>> import numpy as np, tacit
        >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
        >>> model = tacit.LogisticRegression(bounds=(0, 10), classes=[0, 1]).fit(X, X[:, 0] > 5)
        >>> list(model.curves_)
        ['0', '1']
        >>> model.curves_["0"].x[:3], model.curves_["0"].y.shape
        (array([0.  , 1.25, 2.5 ]), (9,))
        """
        check_is_fitted(self, "model_")
        return _curves.read(self.model_, self._curve_outputs)

    def _curve_outputs(self, outputs: np.ndarray) -> np.ndarray:
        """Outputs of the model along the first axis, in the estimator's own order."""
        return outputs

    def plot(self, column: str | None = None, output: str | os.PathLike[str] | None = None) -> Any:
        """Draws the curves, or that of one column, the largest first.

        With output="curves.svg" it writes an SVG file, as `tacit plot` does, and returns its path. Without, it returns
        a matplotlib figure where matplotlib is installed, which tacit does not require; else the SVG, which notebooks
        show and str() gives as text.

        >>> model.plot(output="curves.svg")              # doctest: +SKIP
        >>> model.plot("age").savefig("age.png")         # doctest: +SKIP
        """
        check_is_fitted(self, "model_")
        name = "" if column is None else _inputs.text("column", column)
        if output is not None:
            self.model_.save_curves(name, _inputs.file_name("output", output), self._input_files())
            return output
        svg = self.model_.curves_svg(name)  # refuses what cannot be drawn
        return _curves.figure(self, name) or _curves.Svg(svg)

    def _input_files(self) -> list[str]:
        return [os.fsdecode(file) for file in (self.schema, self.ledger) if isinstance(file, (str, bytes, os.PathLike))]

    def _records(self, X: Any, schema: _core.Schema | None, reset: bool = False) -> _core.Records:
        if schema is not None:
            X = _tables.as_table(X)
            _tables.checked_table(self, X, reset)
            return _tables.encoded_records(X, schema, self._column_names)
        if isinstance(X, _arrow.Frame):
            _tables.checked_table(self, X, reset)
            return _tables.plain_records(_tables.numbers_of(X), _tables.column_names(X))
        X = _tables.checked_numbers(self, X, reset)
        return _tables.plain_records(X, list(getattr(self, "feature_names_in_", [])))

    def _raw_records(self, X: Any) -> _core.Records:
        """The cells of a table that nobody described."""
        X = _tables.as_table(X)
        _tables.checked_table(self, X, reset=True)
        return _core.Records.raw(_tables.raw_columns(X, self._column_names), _tables.count(X))

    def _records_to_predict(self, X: Any, openly: bool = True) -> _core.Records:
        """Encoded as when the model was fitted, whatever the parameters were set to since.

        openly: what many cells are that the schema does not cover may be told, since nothing here is private.
        """
        check_is_fitted(self, "model_")
        schema = self.model_.schema
        X, _ = _users.split_users(_arrow.as_frame(X), schema)
        if schema is None:
            return self._records(X, None)
        X = _tables.as_table(X)
        if self._by_name and hasattr(self, "feature_names_in_") and hasattr(X, "columns"):
            cells = _tables.cells_by_name(X, schema)
        else:
            _tables.checked_table(self, X, reset=False)
            cells = _tables.described_cells(X, schema, self._column_names)
        rows = _tables.count(X)
        records = _core.Records.table(cells, rows, schema)
        for told in _core.told_of_cells(cells, rows, schema) if openly else ():
            warnings.warn(told, UserWarning, stacklevel=3)
        return records

    def _set_users(self, records: _core.Records, user_ids: Any) -> None:
        if (self.unit == "user") != (user_ids is not None):
            raise UsageError(
                'unit="user" and user_ids go together: fit(X, y, user_ids=whose record each one is), or a schema that '
                "names the users' column of a data frame"
            )
        if user_ids is not None:
            records.set_users(*_users.numbered_users(user_ids))

    def _settings(self, count: int) -> dict[str, Any]:
        more = self._more_settings(count)
        options = {**more.pop("options", {}), **_inputs.options(self.options)}
        if self.ledger_name is not None and self.ledger is None:
            raise UsageError("ledger_name needs ledger")
        ledger = None if self.ledger is None else _inputs.file_name("ledger", self.ledger)
        return {
            **self._guarantee(),
            "loss": self._loss,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "method": self.method,
            "options": options,
            "row_bound": _inputs.row_bound(self.bounds),
            "encoder": _inputs.text("encoder", self.encoder),
            "range_share": _inputs.number("range_share", self.range_share),
            "intervals": _inputs.number("intervals", self.intervals),
            "fit_intercept": bool(self.fit_intercept),
            "threads": self.threads,
            "ledger": ledger,
            "ledger_name": self.ledger_name,
            "group": None if self.group is None else _inputs.text("group", self.group),
            **more,
        }

    def _guarantee(self) -> dict[str, float | None]:
        asked = {name: _inputs.number(name, getattr(self, name)) for name in ("epsilon", "delta", "mu")}
        if asked["mu"] is not None:  # a default is no request
            for name in ("epsilon", "delta"):
                if asked[name] == inspect.signature(type(self)).parameters[name].default:
                    asked[name] = None
        return asked

    def _set_coefficients(self, model: _core.Model) -> None:
        self.coef_, self.intercept_ = self._coefficients(model.layers)
        for of_an_earlier_fit in ("coef_samples_", "intercept_samples_", "confidence_intervals_"):
            self.__dict__.pop(of_an_earlier_fit, None)
        if samples := [self._coefficients(layers) for layers in model.sample_layers]:
            self.coef_samples_, self.intercept_samples_ = (np.stack(part) for part in zip(*samples))

        if ends := [self._coefficients(layers) for layers in model.interval_layers]:
            self.confidence_intervals_ = _intervals.Intervals.between(model.interval_level, ends)

    def _coefficients(self, layers: list[_core.Layer]) -> tuple[Any, Any]:
        (layer,) = layers
        return layer.weights, layer.constant

    def _predictions(self, X: Any) -> dict[str, np.ndarray]:
        records = self._records_to_predict(X)
        return self.model_.predict(records)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """scikit-learn's, without the whole of a long schema: one that was found has its certificate in it."""
        shown = self
        if isinstance(self.schema, dict) and len(repr(self.schema)) > _LONGEST_SHOWN:
            shown = copy.copy(self)
            shown.schema = _Brief(f"<a schema of {len(self.schema.get('columns', ()))} columns>")
        return str(BaseEstimator.__repr__(shown, N_CHAR_MAX))

    def _more_tags(self) -> dict[str, Any]:
        return {"non_deterministic": True, "poor_score": True, "_xfail_checks": EXPECTED_FAILED_CHECKS}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.sparse = True
        return tags
