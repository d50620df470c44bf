"""Models trained under differential privacy, each with a certificate that anyone can check again.

    from tacit import LogisticRegression
    model = LogisticRegression(epsilon=1.0, bounds=(lower, upper)).fit(X, y)
    model.predict(X_new)
    model.certificate_["guarantee"]
    model.save("model.json")            # and, without the data: tacit verify model.json

The estimators follow scikit-learn's manners; docs/python.md is their page.
"""

from . import errors
from ._core import version as __version__
from .accounting import Epsilon, account, account_events, calibrate
from .auditing import audit
from .errors import (
    BudgetError,
    DataError,
    Error,
    InfeasibleError,
    NotFoundError,
    PrivacyWarning,
    TooFewRecordsWarning,
    UsageError,
    VerificationError,
    WriteError,
)
from .ledgers import create_ledger, ledger
from .linear import (
    HuberRegressor,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    SoftmaxRegression,
)
from .loading import load
from .models import methods, report, verify
from .network import MLPClassifier
from .statements import describe, evaluate, schema

__all__ = [
    "BudgetError",
    "DataError",
    "Epsilon",
    "Error",
    "HuberRegressor",
    "InfeasibleError",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "NotFoundError",
    "PoissonRegressor",
    "PrivacyWarning",
    "QuantileRegressor",
    "Ridge",
    "SoftmaxRegression",
    "TooFewRecordsWarning",
    "UsageError",
    "VerificationError",
    "WriteError",
    "account",
    "account_events",
    "audit",
    "calibrate",
    "create_ledger",
    "describe",
    "errors",
    "evaluate",
    "ledger",
    "load",
    "methods",
    "report",
    "schema",
    "verify",
]
