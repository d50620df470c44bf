"""The digest of a model file, recomputed from the recipe in docs/certificate.md alone."""

import base64
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pandas
import pytest
from conftest import run_tool

import tacit

PAGE = pathlib.Path(os.environ["TACIT_SOURCE"]) / "docs" / "certificate.md"


@pytest.fixture(scope="module")
def recipe():
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    session = {}
    exec(compile(code, str(PAGE), "exec"), session)
    return session


# Names that need every rule of the recipe: quotes, controls, order of keys, letters beyond ASCII and beyond 16 bits.
NAMES = ['a "quoted" \\ name', "tab\tand\x01", "Zebra", "ärger", "\U0001f600", "\ufb01"]


def people():
    random = np.random.default_rng(0)
    X = pandas.DataFrame(random.uniform(size=(300, len(NAMES))), columns=NAMES)
    return X, pandas.Series(random.integers(2, size=300), name="größer")


@pytest.mark.parametrize("bounds", [None, (0, 1), 3.0, (-1e-7, 12345678901234567.0)])
@pytest.mark.parametrize("privacy", [{"epsilon": 1.0}, {"epsilon": 1 / 3, "delta": 1e-6}, {"mu": 0.7}])
@pytest.mark.filterwarnings("ignore::tacit.TooFewRecordsWarning")
def test_the_documented_recipe_gives_the_digest(recipe, bounds, privacy, tmp_path):
    X, y = people()
    path = tmp_path / "model.json"
    tacit.LogisticRegression(**privacy, bounds=bounds, classes=[0, 1]).fit(X, y).save(path)
    assert recipe["digest"](path) == json.loads(path.read_text())["digest"]


def test_the_recipe_finds_a_changed_digit(recipe, tmp_path):
    X, y = people()
    path = tmp_path / "model.json"
    tacit.LogisticRegression(bounds=(0, 1), classes=[0, 1], options={"radius": 10.0}).fit(X, y).save(path)
    text = path.read_text()
    assert '"radius": 10.0' in text
    path.write_text(text.replace('"radius": 10.0', '"radius": 10.1'))
    assert recipe["digest"](path) != json.loads(text)["digest"]


def test_the_signature_is_of_the_documented_bytes(recipe, tmp_path):
    key, public, path = tmp_path / "key.pem", tmp_path / "public.pem", tmp_path / "model.json"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    X, y = people()
    tacit.LogisticRegression(bounds=(0, 1), classes=[0, 1]).fit(X, y).save(path, key)
    assert run_tool("verify", path, "--key", public).returncode == 0
    scheme, text = json.loads(path.read_text())["signature"].split(":")
    assert scheme == "ed25519"
    (tmp_path / "signature").write_bytes(base64.b64decode(text))
    (tmp_path / "signed").write_bytes(b"tacit-model signature, version 1\n" + recipe["sealed_bytes"](path))
    check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin"]
    files = ["-in", tmp_path / "signed", "-sigfile", tmp_path / "signature"]
    assert subprocess.run([*check, *files], capture_output=True, check=False).returncode == 0
