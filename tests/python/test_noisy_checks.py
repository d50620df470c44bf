"""The checks of scikit-learn's that noise would fail, with seeded bits and little noise (see test_check_estimator.py)."""

import os
import subprocess
import sys

import numpy as np
from conftest import BUILD

import tacit

RUN = """
import sys, warnings
import sklearn.utils.estimator_checks as checks
import tacit
from tacit._checks import NOISY_CHECKS
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    print(name, file=sys.stderr)
    estimator = getattr(tacit, name)(epsilon=1e4)
    done = 0
    for check in checks._yield_all_checks(estimator):
        title = (check.func if hasattr(check, "func") else check).__name__
        if title in NOISY_CHECKS:
            check(name, estimator)
            done += 1
    assert done == 4, done
"""


ESTIMATORS = [
    "LogisticRegression",
    "LinearRegression",
    "Ridge",
    "HuberRegressor",
    "QuantileRegressor",
    "PoissonRegressor",
    "LinearSVC",
    "SoftmaxRegression",
]
NETWORKS = ["MLPClassifier"]  # half a minute of descent: test_long_noisy_checks.py


# All in one process: importing scikit-learn takes longer than a check. The last name on stderr is the one that failed.
def run(script, names):
    outcome = subprocess.run(
        [sys.executable, "-c", script, *names],
        env={**os.environ, "TACIT_TEST_SEED": "7", "PYTHONPATH": str(BUILD / "python_seeded")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr[-3000:]


def test_checks_that_compare_fits_pass_with_seeded_bits():
    run(RUN, ESTIMATORS)


# What the checks of weights ask for, as far as it can hold: weights of 1 are none, bit for bit; and with next to no
# noise a weight of 0 is a record left out, a whole one that many copies. Descent draws records by coins of their own,
# so for a network the first alone.
WEIGHTS = """
import sys, warnings
import numpy as np
import tacit
warnings.simplefilter("ignore")
def predicted(model, X, y, weights=None):
    model.fit(X, y, sample_weight=weights)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(grid)
    return model.decision_function(grid) if hasattr(model, "decision_function") else model.predict(grid)

random = np.random.default_rng(3)
X = random.uniform(-1, 1, size=(400, 2))
weights = random.integers(0, 4, size=400)
score = X @ [1.0, -2.0] + random.logistic(size=400)
grid = random.uniform(-1, 1, size=(50, 2))
for name in sys.argv[1:]:
    print(name, file=sys.stderr)
    numbers = name.endswith("Regressor") or name in ("LinearRegression", "Ridge")
    y = np.clip(score + 3, 0, 6) if numbers else (score > 0).astype(int)
    known = {"target_bounds": (0, 6)} if numbers else {"classes": [0, 1]}
    known |= {"bounds": (-1, 1), "encoder": "linear", "epsilon": 1e5}
    if name == "Ridge":
        known["alpha"] = 1.0
    kind = getattr(tacit, name)
    plain = predicted(kind(**known), X, y)
    assert (plain == predicted(kind(weight_bound=1.0, **known), X, y, np.ones(400))).all()
    if name != "MLPClassifier":
        weighted = predicted(kind(weight_bound=3.0, **known), X, y, weights)
        copies = predicted(kind(**known), np.repeat(X, weights, axis=0), np.repeat(y, weights))
        assert np.abs(weighted - copies).max() < 0.02 * np.abs(copies).max(), np.abs(weighted - copies).max()
        assert np.abs(weighted - plain).max() > 0.02 * np.abs(copies).max()
"""


def test_weights_are_copies_as_far_as_noise_allows():
    run(WEIGHTS, ESTIMATORS + NETWORKS)


def test_weights_that_are_all_zero_are_no_error(classes):
    """scikit-learn wants one; it would tell whether any record has a weight."""
    X, y = classes
    model = tacit.LogisticRegression(bounds=5.0, classes=[0, 1], weight_bound=1.0).fit(X, y, sample_weight=np.zeros(len(y)))
    assert np.isfinite(model.coef_).all()
