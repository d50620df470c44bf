"""The checks of scikit-learn's that noise would fail, with seeded bits and little noise (see test_check_estimator.py)."""

import os
import subprocess
import sys

import pytest
from conftest import BUILD

RUN = """
import sys, warnings
import sklearn.utils.estimator_checks as checks
import tacit
from tacit._base import NOISY_CHECKS
warnings.simplefilter("ignore")
name = sys.argv[1]
estimator = getattr(tacit, name)(epsilon=1e4)
done = 0
for check in checks._yield_all_checks(estimator):
    title = (check.func if hasattr(check, "func") else check).__name__
    if title in NOISY_CHECKS:
        check(name, estimator)
        done += 1
assert done == 4, done
"""


@pytest.mark.parametrize(
    "name",
    [
        "LogisticRegression",
        "LinearRegression",
        "Ridge",
        "HuberRegressor",
        "QuantileRegressor",
        "PoissonRegressor",
        "LinearSVC",
        "SoftmaxRegression",
        "MLPClassifier",
    ],
)
def test_checks_that_compare_fits_pass_with_seeded_bits(name):
    outcome = subprocess.run(
        [sys.executable, "-c", RUN, name],
        env={**os.environ, "TACIT_TEST_SEED": "7", "PYTHONPATH": str(BUILD / "python_seeded")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr[-3000:]
