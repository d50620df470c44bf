"""Every change of a number in descriptions, evaluations and schemas, by both verifiers."""

import pytest
from independent import disagreements
from test_independent_statements import FOR_ACCURACY, STATEMENTS, made


@pytest.mark.parametrize("name", STATEMENTS)
def test_all_changes_of_a_statement(name, tmp_path):
    found = disagreements(made(tmp_path, name), tmp_path, (0.9,), lambda all_of: all_of)
    assert [each for each in found if not any(name in each for name in FOR_ACCURACY)] == []
