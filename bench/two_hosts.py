#!/usr/bin/env python3
"""Two hosts, one of which is cut off in the middle of a fit: how long until the fit ends, and what is left.

usage: two_hosts.py TOOL [--silence SECONDS]

The hosts are network namespaces of this machine, joined by a virtual cable (veth); mpirun starts its processes on the other
one through `ip netns exec` in place of ssh. The cable is cut once the fit has saved a checkpoint. Connections are not closed
then, they fall silent: Open MPI notices by keepalive, whose times are set to a few SECONDS. Then the cable is mended and the
fit goes on. Needs root, iproute2 and Open MPI.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import shards

ADDRESS = {"a": "10.213.7.1", "b": "10.213.7.2"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class TwoHosts:
    def __init__(self) -> None:
        self.name = {host: f"tacit-{os.getpid()}-{host}" for host in ADDRESS}
        self.cable = {host: f"tac{os.getpid() % 100000}{host}" for host in ADDRESS}

    def __enter__(self) -> TwoHosts:
        for host in ADDRESS:
            run("ip", "netns", "add", self.name[host])
        run("ip", "link", "add", self.cable["a"], "type", "veth", "peer", "name", self.cable["b"])
        for host, address in ADDRESS.items():
            run("ip", "link", "set", self.cable[host], "netns", self.name[host])
            run("ip", "-n", self.name[host], "addr", "add", f"{address}/24", "dev", self.cable[host])
            run("ip", "-n", self.name[host], "link", "set", "lo", "up")
            run("ip", "-n", self.name[host], "link", "set", self.cable[host], "up")
        return self

    def __exit__(self, *_: object) -> None:
        for host in ADDRESS:
            subprocess.run(["ip", "netns", "del", self.name[host]], check=False)

    def plug(self, state: str) -> None:
        run("ip", "-n", self.name["b"], "link", "set", self.cable["b"], state)

    def on(self, host: str, command: str) -> list[str]:
        """With a host name of its own, by which Open MPI tells hosts apart."""
        within = f"hostname {self.name[host]} && exec {command}"
        return ["ip", "netns", "exec", self.name[host], "unshare", "--uts", "sh", "-c", within]


def processes_of(hosts: TwoHosts) -> int:
    return sum(len(run("ip", "netns", "pids", name).split()) for name in hosts.name.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--silence", type=int, default=5)
    given = parser.parse_args()
    tool = str(pathlib.Path(given.tool).resolve())
    with tempfile.TemporaryDirectory() as name, TwoHosts() as hosts:
        folder = pathlib.Path(name)
        shards.make_schema(folder / "s.json", 5)
        for k in range(4):
            shards.make_table(folder / f"part-{k}.csv", 5000, 5)
        agent = folder / "agent"
        inner = " ".join(hosts.on("b", '$*')[:-1])
        agent.write_text(f'#!/bin/sh\nshift\nexec {inner} "hostname {hosts.name["b"]} && exec sh -c \'$*\'"\n')
        agent.chmod(0o755)
        ledger, saved, model = folder / "l.ledger", folder / "saved", folder / "model.json"
        run(tool, "ledger", "create", str(ledger), "--neighbours", "zero_out", "--limit", "people=9,1e-4", "--accountant", "approx")
        keepalive = {"time": given.silence, "intvl": 1, "probes": 3}
        settings = {"plm_rsh_agent": agent, "btl": "self,tcp", "btl_tcp_if_include": "10.213.7.0/24",
                    "oob_tcp_if_include": "10.213.7.0/24", **{f"oob_tcp_keepalive_{k}": v for k, v in keepalive.items()}}
        mca = " ".join(f"--mca {key} {value}" for key, value in settings.items())
        where = ",".join(f"{address}:2" for address in ADDRESS.values())
        fit = (f"mpirun --allow-run-as-root --bind-to none {mca} --host {where} -n 4 {tool} fit --cluster mpi '{folder}/part-*.csv' "
               f"--schema {folder}/s.json --epsilon 2 --delta 1e-6 --method dp-sgd --epochs 60 --encoder linear --threads 1 "
               f"--ledger {ledger} --checkpoint {saved} --checkpoint-every 20 --model {model}")
        began = time.perf_counter()
        running = subprocess.Popen(hosts.on("a", fit), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while running.poll() is None and not saved.exists():
            time.sleep(0.01)
        if running.poll() is not None:
            raise SystemExit(f"the fit ended before it was cut off:\n{running.communicate()[0]}")
        there = [len(run("ip", "netns", "pids", name).split()) for name in hosts.name.values()]
        print(f"processes on the two hosts, mpirun's and its daemon's among them: {there[0]} and {there[1]}")
        print(f"cut off after {time.perf_counter() - began:.1f} s, once a checkpoint was saved")
        hosts.plug("down")
        began = time.perf_counter()
        said, _ = running.communicate(timeout=600)
        print(f"ended {time.perf_counter() - began:.1f} s later with code {running.returncode}; model: {model.exists()}; "
              f"lines of tacit's: {sum(line.startswith('tacit: ') for line in said.splitlines())}")
        began = time.perf_counter()
        while processes_of(hosts) > 0 and time.perf_counter() - began < 60:
            time.sleep(0.2)
        print(f"processes left on either host after {time.perf_counter() - began:.1f} s more: {processes_of(hosts)}")
        hosts.plug("up")
        again = subprocess.run(hosts.on("a", fit), capture_output=True, text=True, timeout=600)
        charges = json.loads(run(tool, "ledger", "show", str(ledger), "--json"))["budgets"][0]["charges"]
        print(f"with the cable mended: code {again.returncode}, model: {model.exists()}, charges: {len(charges)}")
        if running.returncode == 0 or again.returncode != 0 or len(charges) != 1:
            raise SystemExit(f"not as it should be:\n{said}\n{again.stderr}")


if __name__ == "__main__":
    main()
