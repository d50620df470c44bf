"""Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

LONG_FIT = """
import numpy as np, tacit
X, y = np.random.default_rng(0).normal(size=(20_000, 50)), np.arange(20_000) % 2
print("fitting", flush=True)
try:
    tacit.MLPClassifier(hidden_units=512, options={"epochs": 1e6}).fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


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
