"""Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

import tacit

import tacit

LONG_FIT = """
import numpy as np, tacit
X, y = np.random.default_rng(0).normal(size=(20_000, 50)), np.arange(20_000) % 2
print("fitting", flush=True)
try:
    tacit.MLPClassifier(hidden_units=512, options={"epochs": 1e6}).fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


CHARGED_FIT = """
import sys, numpy as np, tacit
X, y = np.random.default_rng(0).normal(size=(2000, 3)), np.arange(2000) % 2
tacit.create_ledger(sys.argv[1], {"people": (3, 1e-4)}, accountant="approx")
print("working", flush=True)
settings = {"epsilon": 1, "delta": 1e-6, "bounds": 9.0, "classes": [0, 1], "ledger": sys.argv[1]}
try:
    tacit.LogisticRegression(**settings, method="dp-sgd", options={"epochs": 1e6}).fit(X, y)
except KeyboardInterrupt as stopped:
    print(stopped, flush=True)
"""


STAYS = "nothing was released, but what the ledger was charged stays charged\n"


def told_when_interrupted_after_the_charge(script, ledger, seconds):
    process = subprocess.Popen([sys.executable, "-c", script, str(ledger)], stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert process.stdout.readline() == "working\n"
        while not tacit.ledger(ledger)["budgets"][0]["charges"]:
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=60)[0]
    finally:
        process.kill()


def test_an_interrupt_after_the_charge_says_that_it_stays(tmp_path):
    assert told_when_interrupted_after_the_charge(CHARGED_FIT, tmp_path / "l", seconds=0.3) == STAYS


CHARGED_STATEMENT = """
import sys, numpy as np, pandas, tacit, warnings
table = pandas.DataFrame(np.random.default_rng(0).normal(size=(200, 2000)))
table.columns = [f"c{j}" for j in table.columns]
tacit.create_ledger(sys.argv[1], {"people": 3})
warnings.simplefilter("ignore")
print("working", flush=True)
try:
    tacit.describe(table, epsilon=1, ledger=sys.argv[1])
except KeyboardInterrupt as stopped:
    print(stopped, flush=True)
"""


def test_an_interrupt_of_a_statement_after_the_charge_says_so_too(tmp_path):
    assert told_when_interrupted_after_the_charge(CHARGED_STATEMENT, tmp_path / "l", seconds=0) == STAYS


def test_an_interrupt_stops_a_long_fit():
    process = subprocess.Popen([sys.executable, "-c", LONG_FIT], stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(1)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_a_warning_holds_a_fit_up_no_longer_than_it_takes_to_tell():
    # The fit goes on when the warning was told: at once, not when somebody looks the next time.
    X, y = np.arange(20.0)[:, None] % 2, np.arange(20) % 2
    schema = {"columns": {"0": {"type": "numeric", "min": -1, "max": 1, "knots": 1}}}
    shortest = float("inf")
    for _ in range(20):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            start = time.perf_counter()
            tacit.LogisticRegression(schema=schema, classes=[0, 1], method="limited-output").fit(X, y)
            shortest = min(shortest, time.perf_counter() - start)
        assert any(issubclass(each.category, tacit.TooFewRecordsWarning) for each in told)
    assert shortest < 0.04
