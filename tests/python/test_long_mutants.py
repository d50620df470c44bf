"""Every fault that is put back is found; and fits say the same of both of many pairs."""

import pytest
from mutants import MUTANTS, put_back
from neutral_pairs import pairs
from neutrality import differences
from test_neutrality import found_in


@pytest.mark.parametrize("name", MUTANTS)
def test_every_fault_that_is_put_back_is_found(name):
    with put_back(name):
        assert any(differences(pair) for pair in pairs(10_000, seed=300))


def test_fits_say_the_same_of_both():
    assert found_in(2000, seed=200, fits=True) == []
