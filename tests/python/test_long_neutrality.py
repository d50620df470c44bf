"""One record changes nothing but its own row: many pairs of every way in."""

import pytest
from test_neutrality import found_in


@pytest.mark.parametrize("seed", range(100, 110))
def test_one_record_changes_only_its_own_row(seed):
    assert found_in(5000, seed) == []
