"""Fits of Dask data frames: workers hold the partitions, and nothing but sums over records leaves them.

>>> import dask.dataframe, distributed, tacit.dask                                      # doctest: +SKIP
>>> client = distributed.Client("tls://scheduler:8786", security=...)                   # doctest: +SKIP
>>> people = dask.dataframe.read_parquet("people/")                                     # doctest: +SKIP
>>> model = tacit.dask.LogisticRegression(epsilon=1.0, schema="people.schema.json")     # doctest: +SKIP
>>> model.fit(people.drop(columns="income"), people["income"])                          # doctest: +SKIP

Each partition is a shard: the model depends on their number and on nothing else of the cluster. Noise is drawn, the
ledger charged and the certificate written where `fit` is called. Workers, scheduler and the network between them see
sums over records as they are: they are trusted (docs/clusters.md). A fit warns where
the address of the scheduler or of a worker is one that others can listen to: not encrypted, and not on this machine.
"""

from __future__ import annotations

import copy
import inspect
import ipaddress
import warnings
from typing import Any, Self

import distributed

from . import _core, _inputs, _labels, _tables, _users, linear, network
from ._base import Given, PrivateEstimator, _warn_beforehand
from ._context import calling_context, require_ledger
from .errors import Error, PrivacyWarning, UsageError

__all__ = ["HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression", "MLPClassifier", "PoissonRegressor", "QuantileRegressor", "Ridge", "SoftmaxRegression"]


class _Shard:
    """An actor on a worker: one partition, and answers to the fit's questions about it."""

    def __init__(self, estimator: OnDask, schema_json: str, X: Any, y: Any, user_ids: Any) -> None:
        schema = _core.Schema(schema_json, "schema")

        def encode(settled: _core.Schema) -> _core.Records:
            return copy.copy(estimator)._read(Given(X, y, user_ids, None), settled, False)[1]

        self._shard = _core.Shard(schema, len(X), encode, estimator.threads)

    def answer(self, question: bytes) -> bytes:
        return self._shard.answer(question)


class OnDask(PrivateEstimator):
    """What the estimators of this module share; see those of tacit for their parameters. A schema with the target is required."""

    def fit(self, X: Any, y: Any = None, user_ids: Any = None) -> Self:
        """Fits a Dask data frame; what it releases is covered by `certificate_`.

        X, y, user_ids: a data frame and series of Dask with the same partitions; a person's records must be in one of
        them. A client of the cluster must be open.
        """
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        context = calling_context(self)
        require_ledger(context, self.ledger)
        for text in context.assumptions():
            warnings.warn(f"the certificate does not cover everything: {text}", PrivacyWarning, stacklevel=2)
        schema = _inputs.read_schema(self.schema, None, X)
        if schema is None or self.bounds is not None:
            raise UsageError("records in several places need a schema, which says what they look like, and no bounds")
        self._require_target(schema)
        if getattr(self, "class_weight", None) is not None:
            raise UsageError("class_weight goes with records in one place only")
        client = distributed.get_client()
        if text := next(filter(None, (_in_clear(*place) for place in _places_of(client))), ""):
            warnings.warn(text, PrivacyWarning, stacklevel=2)
        fitted = copy.copy(self)
        fitted._remember_columns(X, schema)
        settings = {**fitted._settings(0), "schema": _inputs.schema_text(self.schema)}
        created = _shards_of(client, fitted, schema, X, y, user_ids)  # workers that are threads here drop what nobody holds
        shards = [_heard(k, shard) for k, shard in enumerate(created)]
        fitted.model_ = _core.fit_shards(schema, len(shards), lambda question: _ask(shards, question), settings, context.assumptions(), _warn_beforehand)
        fitted.certificate_ = fitted.model_.certificate
        fitted.encoded_names_ = fitted.model_.names
        fitted._set_coefficients(fitted.model_)
        self.__dict__ = vars(fitted)
        return self

    def _remember_columns(self, X: Any, schema: _core.Schema) -> None:
        """What a fit of the whole table would know of its columns, from a table without records."""
        if not hasattr(X, "to_delayed") or not hasattr(X, "_meta"):
            raise UsageError(f"X is of the type {type(X).__name__}, expected a data frame of Dask")
        empty, _ = _users.split_users(X._meta, schema)
        self._column_names = _tables.column_names(empty)
        self._by_name = True
        _tables.checked_table(self, empty, reset=True)
        if schema.classes:
            labelled = _labels.among(_labels.labels_in_line([]), _labels.of_schema(schema.classes))
            self._places = _labels.sorted_places(labelled.classes)
            self.classes_ = labelled.classes[self._places]

    def _set_users(self, records: _core.Records, user_ids: Any) -> None:
        super()._set_users(records, user_ids)
        if user_ids is not None:  # by which the fit finds out that nobody is on two shards
            records.set_user_names(_users.names_of_users(user_ids))


def _places_of(client: distributed.Client) -> list[tuple[str, str]]:
    """The addresses that sums go to and come from, and whose they are."""
    every = {"n_workers": -1} if "n_workers" in inspect.signature(client.scheduler_info).parameters else {}  # else a few
    workers = client.scheduler_info(**every)["workers"]
    return [(client.scheduler.address, "the scheduler"), *((address, "a worker") for address in workers)]


def _in_clear(address: str, whose: str = "the scheduler") -> str:
    """What to say of an address that others on the network can listen to; empty: nothing.

    >>> _in_clear("tls://10.0.0.7:8786"), _in_clear("tcp://127.0.0.1:8786"), _in_clear("inproc://10.0.0.7/1/1")
    ('', '', '')
    >>> _in_clear("tcp://10.0.0.7:8786")[:39]
    'the scheduler is at tcp://10.0.0.7:8786'
    """
    protocol, _, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if here or protocol in ("tls", "wss", "inproc"):
        return ""
    return (
        f"{whose} is at {address}: sums over records as they are go over the network in clear, and whoever listens "
        "sees them. Start the cluster with TLS and give distributed.Client a distributed.Security "
        "(docs/clusters.md, What is trusted)"
    )


def _shards_of(client: distributed.Client, estimator: OnDask, schema: _core.Schema, X: Any, y: Any, user_ids: Any) -> list[Any]:
    """An actor to come for each partition, on a worker that holds it."""
    columns = [client.compute(part.to_delayed()) for part in (X, y, user_ids) if part is not None]
    if len({len(column) for column in columns}) > 1:
        raise UsageError("X, y and user_ids have not the same number of partitions")
    if user_ids is None:
        columns.append([None] * len(columns[0]))
    return [client.submit(_Shard, estimator, schema.json, *parts, actor=True, pure=False) for parts in zip(*columns)]


def _ask(shards: list[Any], question: bytes) -> list[bytes]:
    """All answers, in the order of the partitions: of all, or none."""
    return [_heard(k, answer) for k, answer in enumerate([shard.answer(question) for shard in shards])]


def _heard(shard: int, future: Any) -> Any:
    try:
        return future.result()
    except Exception as error:
        raise Error(f"shard {shard} is lost ({type(error).__name__}: {error}); nothing is released") from None


class LogisticRegression(OnDask, linear.LogisticRegression):
    __doc__ = linear.LogisticRegression.__doc__


class SoftmaxRegression(OnDask, linear.SoftmaxRegression):
    __doc__ = linear.SoftmaxRegression.__doc__


class LinearSVC(OnDask, linear.LinearSVC):
    __doc__ = linear.LinearSVC.__doc__


class LinearRegression(OnDask, linear.LinearRegression):
    __doc__ = linear.LinearRegression.__doc__


class Ridge(OnDask, linear.Ridge):
    __doc__ = linear.Ridge.__doc__

    def _public_count(self, records_count: int) -> float:
        if self.unit != "user" and (self.options or {}).get("records") is None:
            raise UsageError(
                "alpha is divided by the number of records, which nobody has counted where they are in several places; "
                'state it: options={"records": ...}'
            )
        return super()._public_count(records_count)


class HuberRegressor(OnDask, linear.HuberRegressor):
    __doc__ = linear.HuberRegressor.__doc__


class QuantileRegressor(OnDask, linear.QuantileRegressor):
    __doc__ = linear.QuantileRegressor.__doc__


class PoissonRegressor(OnDask, linear.PoissonRegressor):
    __doc__ = linear.PoissonRegressor.__doc__


class MLPClassifier(OnDask, network.MLPClassifier):
    __doc__ = network.MLPClassifier.__doc__
