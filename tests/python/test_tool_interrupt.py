"""Ctrl-C while the tool shows a bar on a terminal: the line goes, one line says so, nothing is written."""

import os
import pty
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import BUILD, write_csv

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
