"""Fits of Dask data frames on a cluster of two worker processes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import warnings

import distributed
import numpy as np
import pandas as pd
import pytest
from dask import dataframe

import tacit
import tacit.dask
from conftest import BUILD

TOOL = BUILD / "tacit"

SCHEMA = {
    "columns": {"x1": {"type": "numeric", "min": 0, "max": 1}, "kind": {"type": "categorical", "categories": ["a", "b"]}},
    "target": {"column": "y", "classes": ["no", "yes"]},
}


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as opened:
            yield opened


def people(rows=4000):
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 1, rows)
    kind = rng.choice(["a", "b", "c"], rows)
    y = np.where(x + (kind == "a") + rng.normal(0, 0.3, rows) > 0.8, "yes", "no")
    return pd.DataFrame({"x1": x, "kind": kind, "y": y, "who": np.arange(rows) // 4})


def split(frame, partitions=4):
    table = dataframe.from_pandas(frame, npartitions=partitions, sort=False)
    return table[["x1", "kind"]], table["y"]


def test_a_fit_in_partitions_has_the_certificate_of_the_tools_fit_in_shards(client, tmp_path):
    frame = people()
    model = tacit.dask.LogisticRegression(epsilon=2.0, schema=SCHEMA).fit(*split(frame))
    assert model.certificate_["assumed_public"]["shards"] == 4
    assert model.score(frame[["x1", "kind"]], frame["y"]) > 0.75
    model.save(tmp_path / "dask.json")
    assert subprocess.run([TOOL, "verify", tmp_path / "dask.json"], capture_output=True).returncode == 0

    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    for k in range(4):
        frame.iloc[1000 * k : 1000 * (k + 1), :3].to_csv(tmp_path / f"part-{k}.csv", index=False)
    command = [TOOL, "fit", tmp_path / "part-*.csv", "--shards", "4", "--schema", tmp_path / "schema.json"]
    subprocess.run([*command, "--epsilon", "2", "--model", tmp_path / "tool.json"], check=True, capture_output=True)
    stated = [json.loads((tmp_path / name).read_text())["certificate"] for name in ("dask.json", "tool.json")]
    for part in ("method", "guarantee", "options", "steps", "assumed_public"):
        assert stated[0][part] == stated[1][part], part


def test_users_stay_on_one_shard(client):
    frame = people()
    X, y = split(frame)
    who = dataframe.from_pandas(frame["who"], npartitions=4, sort=False)
    model = tacit.dask.LogisticRegression(epsilon=3.0, delta=1e-5, unit="user", schema=SCHEMA, options={"epochs": 2})
    model.fit(X, y, user_ids=who)
    assert model.certificate_["assumed_public"]["users"] == 1000
    twice = frame["who"].where(frame.index != 3999, 0)
    with pytest.raises(tacit.DataError, match="shards 0 and 3 hold records of the same user"):
        model.fit(X, y, user_ids=dataframe.from_pandas(twice, npartitions=4, sort=False))


@pytest.mark.parametrize("method,delta", [("localized", None), ("o2nc-single", 1e-5), ("posterior-exact", None)])
def test_methods_that_ask_for_more_than_gradients_do_so_in_partitions(client, tmp_path, method, delta):
    frame = people()
    model = tacit.dask.LogisticRegression(epsilon=3.0, delta=delta, schema=SCHEMA, method=method).fit(*split(frame))
    assert model.certificate_["assumed_public"]["shards"] == 4
    assert model.score(frame[["x1", "kind"]], frame["y"]) > 0.7
    model.save(tmp_path / "dask.json")
    assert subprocess.run([TOOL, "verify", tmp_path / "dask.json"], capture_output=True).returncode == 0


def test_what_cannot_be_fitted_in_shards_is_refused_with_the_reason(client):
    X, y = split(people())
    who = dataframe.from_pandas(people()["who"], npartitions=4, sort=False)
    with pytest.raises(tacit.UsageError, match="needs all records in one place"):
        tacit.dask.LogisticRegression(epsilon=1.0, delta=1e-5, unit="user", schema=SCHEMA, method="user-phased").fit(X, y, user_ids=who)
    with pytest.raises(tacit.UsageError, match="schema"):
        tacit.dask.LogisticRegression(epsilon=1.0).fit(X, y)
    with pytest.raises(tacit.UsageError, match="expected a data frame of Dask"):
        tacit.dask.LogisticRegression(epsilon=1.0, schema=SCHEMA).fit(people()[["x1", "kind"]], people()["y"])


NUMBERS = {"columns": SCHEMA["columns"], "target": {"column": "amount", "min": 0, "max": 2}}


def test_ridge_takes_alpha_by_the_stated_number_of_records(client, tmp_path):
    frame = people()
    frame["amount"] = frame["x1"] + (frame["kind"] == "a")
    table = dataframe.from_pandas(frame, npartitions=4, sort=False)
    X, y = table[["x1", "kind"]], table["amount"]
    with pytest.raises(tacit.UsageError, match=r'state it: options=\{"records"'):
        tacit.dask.Ridge(epsilon=2.0, schema=NUMBERS, alpha=40.0).fit(X, y)
    model = tacit.dask.Ridge(epsilon=2.0, schema=NUMBERS, alpha=40.0, options={"records": 5000}).fit(X, y)
    here = tacit.Ridge(epsilon=2.0, schema=NUMBERS, alpha=40.0, options={"records": 5000}).fit(frame[["x1", "kind"]], frame["amount"])
    assert model.certificate_["options"]["regularisation"] == 40.0 / 5000
    assert model.certificate_["options"] == here.certificate_["options"]
    assert model.certificate_["assumed_public"]["records"] == 5000
    assert model.score(frame[["x1", "kind"]], frame["amount"]) > 0.3
    model.save(tmp_path / "ridge.json")
    assert subprocess.run([TOOL, "verify", tmp_path / "ridge.json"], capture_output=True).returncode == 0
    tacit.dask.Ridge(epsilon=2.0, schema=NUMBERS).fit(X, y)  # without alpha nothing is divided


def test_ridge_of_users_says_that_their_records_are_secret(client):
    frame = people()
    frame["amount"] = frame["x1"] + (frame["kind"] == "a")
    table = dataframe.from_pandas(frame, npartitions=4, sort=False)
    model = tacit.dask.Ridge(epsilon=2.0, delta=1e-5, unit="user", schema=NUMBERS, alpha=40.0)
    with pytest.raises(tacit.UsageError, match=r'secret where users are protected; state options=\{"regularisation"'):
        model.fit(table[["x1", "kind"]], table["amount"], user_ids=table["who"])


def test_a_network_is_fitted_in_partitions(client, tmp_path):
    frame = people()
    model = tacit.dask.MLPClassifier(epsilon=8.0, schema=SCHEMA, hidden_units=4, options={"epochs": 20}).fit(*split(frame))
    assert model.certificate_["assumed_public"]["shards"] == 4
    assert [layer.shape[1] for layer in model.coefs_] == [4, 2]
    assert model.score(frame[["x1", "kind"]], frame["y"]) > 0.7
    model.save(tmp_path / "network.json")
    assert subprocess.run([TOOL, "verify", tmp_path / "network.json"], capture_output=True).returncode == 0


def test_every_estimator_has_its_like_in_partitions():
    fits = {name for name in tacit.__all__ if isinstance(getattr(tacit, name), type) and hasattr(getattr(tacit, name), "fit")}
    assert fits == set(tacit.dask.__all__)


@pytest.mark.parametrize(
    "address,clear",
    [
        ("tcp://10.0.0.7:8786", True),
        ("tcp://[fe80::1]:8786", True),
        ("tcp://scheduler:8786", True),
        ("ws://10.0.0.7:8786", True),
        ("ucx://10.0.0.7:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://127.9.8.7:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://localhost:8786", False),
        ("tls://10.0.0.7:8786", False),
        ("wss://10.0.0.7:8786", False),
        ("inproc://10.0.0.7/12/1", False),
    ],
)
def test_a_network_in_clear_is_warned_of(address, clear):
    assert bool(tacit.dask._in_clear(address)) == clear


def test_a_fit_over_a_network_in_clear_warns(client, monkeypatch):
    X, y = split(people())
    model = tacit.dask.LogisticRegression(epsilon=1.0, schema=SCHEMA)
    with warnings.catch_warnings():
        warnings.simplefilter("error", tacit.PrivacyWarning)
        model.fit(X, y)  # on this machine alone
    in_clear, workers = tacit.dask._in_clear, list(client.run(os.getpid))
    for place, whose in [(client.scheduler.address, "the scheduler"), *((worker, "a worker") for worker in workers)]:

        def as_if_elsewhere(address, said, place=place):
            return in_clear("tcp://10.0.0.7:8786" if address == place else address, said)

        monkeypatch.setattr(tacit.dask, "_in_clear", as_if_elsewhere)
        with pytest.warns(tacit.PrivacyWarning, match=f"{whose} is at tcp://10.0.0.7:8786: sums .* in clear.*distributed.Security"):
            model.fit(X, y)


def test_every_worker_is_looked_at():
    with distributed.Client(n_workers=7, threads_per_worker=1, processes=False, dashboard_address=None, set_as_default=False) as many:
        looked = tacit.dask._places_of(many)
        assert looked[0] == (many.scheduler.address, "the scheduler")
        assert sorted(looked[1:]) == sorted((worker, "a worker") for worker in many.run(os.getpid))
        assert len(looked) == 8


def test_a_bad_cell_is_told_with_its_shard_and_row(client):
    frame = people().astype({"x1": object})
    frame.loc[2500, "x1"] = "much"
    with pytest.raises(tacit.DataError, match="shard 2: .*much"):
        tacit.dask.LogisticRegression(epsilon=1.0, schema=SCHEMA).fit(*split(frame))


def test_workers_may_be_threads_of_this_process():
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, set_as_default=True):
        model = tacit.dask.LogisticRegression(epsilon=2.0, schema=SCHEMA).fit(*split(people()))
    assert model.certificate_["assumed_public"]["shards"] == 4


def test_a_lost_worker_ends_the_fit_and_names_the_shard(monkeypatch):
    frame = people()
    asked, ask = threading.Event(), tacit.dask._ask

    def ask_and_tell(*given):
        asked.set()
        return ask(*given)

    monkeypatch.setattr(tacit.dask, "_ask", ask_and_tell)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            X, y = split(frame)
            model = tacit.dask.LogisticRegression(epsilon=1.0, delta=1e-5, schema=SCHEMA, method="dp-sgd", options={"epochs": 3000})
            victim = next(iter(client.run(os.getpid).values()))

            def kill():
                asked.wait(300)  # a worker that is lost before it has a shard is replaced, and nothing is lost
                os.kill(victim, signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            with pytest.raises(tacit.Error, match="is lost .*nothing is released"):
                model.fit(X, y)
            killer.join()
    assert not hasattr(model, "model_")
