"""scripts/verify_independent.py and the tool on every method, notion and relation, and on every change of a number."""

import pytest
from independent import OLD, disagreements, every_offer, fitted, variants, verdicts

FITS = {**dict(every_offer()), **variants()}


@pytest.mark.parametrize("name", FITS)
def test_a_fresh_model_and_all_changes(name, tmp_path):
    path = fitted(tmp_path, name, FITS[name])
    if path is None:
        assert name not in variants()  # the method does not offer this notion or relation
        return
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    assert disagreements(path, tmp_path, (0.9, 1.1), lambda all_of: all_of) == []


@pytest.mark.parametrize("path", sorted(OLD.glob("*.*.*.json")), ids=lambda path: path.stem)
def test_an_old_model_and_all_changes(path, tmp_path):
    assert disagreements(path, tmp_path, (0.9,), lambda all_of: all_of) == []
