"""The examples of the book's pages, each page's in order, in one session and an empty folder; and those of the docstrings."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re

import pytest

import tacit

SOURCE = pathlib.Path(os.environ["TACIT_SOURCE"])


def examples(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)


PAGES = [page for page in sorted((SOURCE / "docs").glob("*.md")) if examples(page)]


def test_the_pages_with_examples_are_found():
    assert {"python.md", "for_data_scientists.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_the_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA", str(SOURCE / "examples" / "data"))
    session = {}
    for example in examples(page):
        exec(compile(example, str(page), "exec"), session)


def test_the_examples_of_the_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modules = [importlib.import_module(f"tacit.{module.name}") for module in pkgutil.iter_modules(tacit.__path__)]
    outcomes = [doctest.testmod(module) for module in modules]
    assert sum(outcome.attempted for outcome in outcomes) > 0
    assert sum(outcome.failed for outcome in outcomes) == 0
