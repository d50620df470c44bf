"""The accountant, audits, methods: what the tool has as commands."""

import json
import threading

import numpy as np
import pytest
from conftest import run_tool

import tacit


def test_accounts_are_the_tools():
    told = json.loads(
        run_tool(
            "account", "--noise-multiplier", "1.1", "--rate", "0.01", "--steps", "1000", "--delta", "1e-5", "--json"
        ).stdout
    )
    found = tacit.account(1.1, rate=0.01, steps=1000, delta=1e-5)
    assert (found.lower, found.upper) == (told["epsilon_lower"], told["epsilon_upper"])


def test_calibrated_noise_keeps_its_target():
    noise = tacit.calibrate(epsilon=2.0, delta=1e-5, rate=0.01, steps=1000)
    assert 2.0 / 1.001 <= tacit.account(noise, rate=0.01, steps=1000, delta=1e-5).upper <= 2.0
    assert tacit.calibrate(mu=0.5) == pytest.approx(2.0, rel=1e-3)


def test_events_of_a_certificate_can_be_accounted(classes):
    model = tacit.LogisticRegression(epsilon=0.7, bounds=5.0).fit(*classes)
    events = [step["event"] for step in model.certificate_["steps"]]
    found = tacit.account_events({"neighbours": "replace_one", "events": events}, delta=1e-6)
    assert 0 < found.lower <= found.upper <= 0.7 + 1e-6


def test_an_audit_does_not_refute_what_holds():
    held = tacit.audit("limited-objective", epsilon=1.0, runs=500)
    assert not held["violated"] and held["replay_ok"] and held["lower_bound"] <= 1.0


def test_methods_are_listed_with_their_options():
    table = {method["name"]: method for method in tacit.methods()}
    assert "radius" in table["limited-objective"]["options"]
    assert table["dp-sgd"]["notions"] == ["approx", "gaussian"]


def test_other_threads_run_while_a_model_is_fitted():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200_000, 20)), np.arange(200_000) % 2
    counted, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    tacit.LogisticRegression(bounds=20.0, threads=1).fit(X, y)
    stop.set()
    thread.join()
    assert counted[0] >= 5
