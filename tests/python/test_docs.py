"""The examples of docs/python.md, in order, in one session and an empty folder."""

import os
import pathlib
import re

import pytest

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
