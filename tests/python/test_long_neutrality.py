"""One record changes nothing but its own row: many pairs, fits and every mutant."""

import pytest
from mutants import MUTANTS, put_back
from neutral_pairs import pairs
from test_neutrality import found_in

from neutrality import differences


@pytest.mark.parametrize("seed", range(100, 110))
def test_one_record_changes_only_its_own_row(seed):
    assert found_in(5000, seed) == []


def test_fits_say_the_same_of_both():
    assert found_in(2000, seed=200, fits=True) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_every_fault_that_is_put_back_is_found(name):
    with put_back(name):
        assert any(differences(pair) for pair in pairs(10_000, seed=300))
