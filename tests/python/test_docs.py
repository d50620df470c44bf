"""The examples of docs/python.md, in order, in one session and an empty folder, and those of the docstrings."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re

import pytest

import tacit

PAGE = pathlib.Path(os.environ["TACIT_SOURCE"]) / "docs" / "python.md"


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 6
    session = {}
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), session)


def test_the_examples_of_the_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modules = [importlib.import_module(f"tacit.{module.name}") for module in pkgutil.iter_modules(tacit.__path__)]
    outcomes = [doctest.testmod(module) for module in modules]
    assert sum(outcome.attempted for outcome in outcomes) > 0
    assert sum(outcome.failed for outcome in outcomes) == 0
