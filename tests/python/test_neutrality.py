"""One record changes nothing but its own row: some pairs of every way in. test_long_neutrality.py has many more."""

import pytest
from mutants import MUTANTS, put_back
from neutral_pairs import GENERATORS, pairs
from neutrality import differences, patched, seen


def found_in(count, seed, fits=False):
    return [(pair.name, found) for pair in pairs(count, seed) if (found := differences(pair, fits))]


def test_one_record_changes_only_its_own_row():
    assert found_in(2000, seed=1) == []


def test_a_fit_says_the_same_of_both():
    assert found_in(100, seed=2, fits=True) == []


def test_enough_pairs_are_read_for_the_comparison_to_mean_something():
    read = {generator.__name__: 0 for generator in GENERATORS}
    for k, pair in enumerate(pairs(480, seed=3)):
        outcomes = [seen(pair.estimator(), data, fits=False) for data in pair.data]
        read[GENERATORS[k % len(GENERATORS)].__name__] += all(outcome.error is None for outcome in outcomes)
    assert min(read.values()) >= 6, read  # of 30 each


@pytest.mark.parametrize(
    "name",
    [
        "ids of one type", "cells by their container", "classes of the labels' type", "objects beside a missing row",
        "masked floats as objects", "entries added up by SciPy", "entries added up in their own type", "times in another row's zone",
    ],
)  # fmt: skip
def test_a_fault_that_is_put_back_is_found(name):
    with put_back(name):
        assert any(differences(pair) for pair in pairs(2000, seed=4))


def test_a_mutant_of_a_name_that_is_gone_is_an_error():
    assert all(hasattr(owner, attribute) for parts in MUTANTS.values() for owner, attribute, _ in parts)
    with pytest.raises(AttributeError), patched(pytest, "a name that is not there", None):
        pass
