#!/usr/bin/env python3
"""A fit of a Dask frame on two workers, beside the tool's fit of the same records in as many shards.

usage: PYTHONPATH=build/python dask_fit.py TOOL [--rows N] [--partitions K]

Partitions are made by the workers that hold them. Both certificates must agree in everything that does not come from noise.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import dask
import distributed
import numpy as np
import pandas as pd
from dask import dataframe

import tacit.dask

COLUMNS = ["x1", "x2", "x3", "x4"]
SCHEMA = {
    "columns": {name: {"type": "numeric", "min": 0, "max": 1} for name in COLUMNS},
    "target": {"column": "y", "classes": ["0", "1"]},
}


def partition(number: int, rows: int) -> pd.DataFrame:
    random = np.random.default_rng(number)
    x = random.integers(0, 1000, (rows, len(COLUMNS))) / 1000
    frame = pd.DataFrame(x, columns=COLUMNS)
    frame["y"] = (x[:, 0] + x[:, 1] + random.normal(0, 0.2, rows) > 1).astype(int)
    return frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--partitions", type=int, default=8)
    given = parser.parse_args()
    each = given.rows // given.partitions
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
            parts = [dask.delayed(partition)(k, each) for k in range(given.partitions)]
            table = dataframe.from_delayed(parts, meta=partition(0, 1))
            began = time.perf_counter()
            model = tacit.dask.LogisticRegression(epsilon=1.0, schema=SCHEMA).fit(table[COLUMNS], table["y"])
            print(f"Dask: {time.perf_counter() - began:.1f} s for {each * given.partitions} records in {given.partitions} partitions")
        model.save(folder / "dask.json")
        subprocess.run([given.tool, "verify", folder / "dask.json"], check=True, stdout=subprocess.DEVNULL)
        (folder / "schema.json").write_text(json.dumps(SCHEMA))
        for k in range(given.partitions):
            partition(k, each).to_csv(folder / f"part-{k}.csv", index=False)
        began = time.perf_counter()
        fit = [given.tool, "fit", folder / "part-*.csv", "--shards", str(given.partitions), "--schema", folder / "schema.json"]
        subprocess.run([*fit, "--epsilon", "1", "--model", folder / "tool.json"], check=True, stdout=subprocess.DEVNULL)
        print(f"tool, {given.partitions} shards: {time.perf_counter() - began:.1f} s")
        stated = [json.loads((folder / file).read_text())["certificate"] for file in ("dask.json", "tool.json")]
        for part in ("method", "guarantee", "options", "steps", "assumed_public"):
            if stated[0][part] != stated[1][part]:
                raise SystemExit(f"the certificates differ in {part}")
        print("the certificates agree")


if __name__ == "__main__":
    main()
