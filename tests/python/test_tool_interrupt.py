"""Ctrl-C while the tool shows a bar on a terminal: the line goes, one line says so, nothing is written."""

import os
import pty
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import BUILD, write_csv

STAYS_CHARGED = b"tacit: interrupted; nothing was released, but what the ledger was charged stays charged\n"
FAREWELL = b"\r\x1b[Ktacit: interrupted; nothing was released\r\n"


def interrupted(arguments, shown):
    """Interrupts the tool once `shown` is on its terminal; returns its exit code, output and terminal."""
    terminal, its_end = pty.openpty()
    tool = subprocess.Popen([BUILD / "tacit", *map(str, arguments)], stdout=subprocess.PIPE, stderr=its_end)
    os.close(its_end)
    seen = b""
    try:
        while shown not in seen:
            seen += os.read(terminal, 4096)
        time.sleep(0.3)
        tool.send_signal(signal.SIGINT)
        while True:
            seen += os.read(terminal, 4096)
    except OSError:  # its end was closed
        pass
    finally:
        os.close(terminal)
    return tool.wait(), tool.stdout.read(), seen


def test_an_interrupt_after_the_charge_says_that_it_stays(tmp_path):
    random = np.random.default_rng(0)
    data = write_csv(tmp_path / "data.csv", random.normal(size=(2000, 3)), random.integers(2, size=2000))
    ledger = tmp_path / "l"
    terms = ["--limit", "people=3,1e-4", "--accountant", "approx", "--neighbours", "zero_out"]
    subprocess.run([BUILD / "tacit", "ledger", "create", ledger, *terms], check=True, stdout=subprocess.DEVNULL)
    fit = ["fit", data, "--target", "y", "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6"]
    fit += ["--method", "dp-sgd", "--epochs", "1e6", "--range-share", "0", "--ledger", ledger, "--model", tmp_path / "model.json"]
    tool = subprocess.Popen([BUILD / "tacit", *map(str, fit)], stderr=subprocess.PIPE)  # no terminal
    show = [BUILD / "tacit", "ledger", "show", ledger]
    while b"dp-sgd" not in subprocess.run(show, check=True, capture_output=True).stdout:
        time.sleep(0.1)
    time.sleep(0.2)
    tool.send_signal(signal.SIGINT)
    _, said = tool.communicate()
    assert tool.returncode == -signal.SIGINT
    assert said == STAYS_CHARGED
    assert not (tmp_path / "model.json").exists()


# With so many columns what comes after the charge takes seconds. An evaluation has no such part.
@pytest.mark.parametrize("command", ["schema", "describe"])
def test_an_interrupt_of_a_statement_says_so_too(command, tmp_path):
    data, ledger = tmp_path / "wide.csv", tmp_path / "l"
    np.savetxt(data, np.random.default_rng(0).normal(size=(200, 2000)), "%.2f", ",", header=",".join(f"c{j}" for j in range(2000)), comments="")
    subprocess.run([BUILD / "tacit", "ledger", "create", ledger, "--limit", "people=3"], check=True, stdout=subprocess.DEVNULL)
    release = [command, data, "--epsilon", "1", "--ledger", ledger, "--output", tmp_path / "result"]
    tool = subprocess.Popen([BUILD / "tacit", *map(str, release)], stderr=subprocess.PIPE)
    show = [BUILD / "tacit", "ledger", "show", ledger]
    while command.encode() not in subprocess.run(show, check=True, capture_output=True).stdout:
        time.sleep(0.1)
    tool.send_signal(signal.SIGINT)
    _, said = tool.communicate()
    assert tool.returncode == -signal.SIGINT
    assert said.endswith(b"\n" + STAYS_CHARGED), said
    assert not (tmp_path / "result").exists()


@pytest.mark.parametrize(
    ("command", "shown", "result"),
    [
        (["compare", "--methods", "dp-sgd", "--repeats", "1000", "--plot"], b" fits, about ", "plot.svg"),
        (["fit", "--epsilon", "1", "--method", "dp-sgd", "--epochs", "1e6", "--model"], b"] fitting, ", "model.json"),
    ],
)
def test_ctrl_c_erases_the_bar_and_says_so_once(command, shown, result, tmp_path):
    random = np.random.default_rng(0)
    data = write_csv(tmp_path / "data.csv", random.normal(size=(2000, 3)), random.integers(2, size=2000))
    name, *flags = command
    public = ["--target", "y", "--loss", "logistic", "--row-bound", "5", "--delta", "1e-6"]
    code, printed, terminal = interrupted([name, data, *public, *flags, tmp_path / result], shown)
    assert code == -signal.SIGINT
    assert printed == b""
    assert terminal.endswith(FAREWELL), terminal
    assert terminal.count(b"tacit:") == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.csv"]
