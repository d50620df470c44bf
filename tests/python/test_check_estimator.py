"""scikit-learn's own checks of an estimator's manners."""

import inspect
import warnings

import pytest
import sklearn.utils.estimator_checks as checks
from sklearn.exceptions import SkipTestWarning

import tacit
from tacit._checks import EXPECTED_FAILED_CHECKS

ESTIMATORS = [
    tacit.LogisticRegression,
    tacit.LinearRegression,
    tacit.Ridge,
    tacit.HuberRegressor,
    tacit.QuantileRegressor,
    tacit.PoissonRegressor,
    tacit.LinearSVC,
    tacit.SoftmaxRegression,
    tacit.MLPClassifier,
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_estimator_passes_scikit_learns_checks_at_epsilon_1(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacit.TooFewRecordsWarning)
        warnings.simplefilter("ignore", SkipTestWarning)  # those that test_noisy_checks.py runs
        warnings.filterwarnings("ignore", "sample_weight without weight_bound")
        # Since 1.6 what is expected to fail is an argument; before, a tag.
        tagged = "expected_failed_checks" not in inspect.signature(checks.check_estimator).parameters
        checks.check_estimator(estimator(), **({} if tagged else {"expected_failed_checks": EXPECTED_FAILED_CHECKS}))
