"""Data made on the spot, and the tool."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ["TACIT_BUILD"])


def run_tool(*arguments, tool="tacit", **environment):
    return subprocess.run(
        [BUILD / tool, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def message_of_tool(*arguments):
    """The one line of a refusal, without the tool's name, and with parameters in place of flags."""
    outcome = run_tool(*arguments)
    assert outcome.returncode != 0
    message = outcome.stderr.removeprefix("tacit: ").removesuffix("\n")
    return re.sub(r"--([a-z]+(-[a-z]+)*)", lambda flag: flag[1].replace("-", "_"), message).replace("row_bound", "bounds")


@pytest.fixture
def classes():
    """3000 records, five features of size about 1, two classes."""
    random = np.random.default_rng(1)
    X = random.normal(size=(3000, 5))
    y = (X @ [2.0, -1.0, 0.5, 0.0, 1.0] + random.logistic(size=3000) > 0).astype(int)
    return X, y


@pytest.fixture
def numbers():
    random = np.random.default_rng(2)
    X = random.normal(size=(3000, 4))
    return X, X @ [2.0, -1.0, 0.5, 0.0] + 3 + 0.1 * random.normal(size=3000)


def write_csv(path, X, y):
    lines = [",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])]
    lines += [",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y.tolist())]
    path.write_text("\n".join(lines) + "\n")
    return path
