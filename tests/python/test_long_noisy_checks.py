"""The checks of test_noisy_checks.py for the estimators that take long."""

from test_noisy_checks import NETWORKS, RUN, run


def test_checks_that_compare_fits_pass_with_seeded_bits():
    run(RUN, NETWORKS)
