"""Searches, cross-validations and pipelines: no budget is spent twice in silence."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score, learning_curve
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)

import tacit

GRID = {"options": [{"radius": 3.0}, {"radius": 10.0}]}


def search(**parameters):
    return GridSearchCV(tacit.LogisticRegression(bounds=5.0, **parameters), GRID, cv=2)


def spent(path):
    return tacit.ledger(path)["budgets"][0]


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_a_search_without_a_ledger_is_refused(classes):
    with pytest.raises(ValueError, match="may fit the same records more than once"):
        search().fit(*classes)


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
@pytest.mark.parametrize("repeats", ["cross_val_score", "bagging"])
def test_so_is_whatever_else_fits_clones(repeats, classes):
    estimator = tacit.LogisticRegression(bounds=5.0)
    with pytest.raises(ValueError, match="may fit the same records more than once"):
        if repeats == "bagging":
            BaggingClassifier(estimator).fit(*classes)
        else:
            cross_val_score(estimator, *classes, cv=2, error_score="raise")


def test_a_refusal_that_scikit_learn_swallows_is_a_warning_too(classes):
    with pytest.warns(tacit.PrivacyWarning, match="may fit the same records more than once"):
        try:
            scores = learning_curve(tacit.LogisticRegression(bounds=5.0), *classes, cv=2)[1]
            assert np.isnan(scores).all()
        except ValueError as refusal:  # what newer versions make of it when every fit fails
            assert "may fit the same records more than once" in str(refusal)


def test_fits_without_privacy_spend_nothing(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = GridSearchCV(tacit.LogisticRegression(epsilon=np.inf), {"options": [{"regularisation": 0.1}]}, cv=2)
        assert found.fit(*classes).best_score_ > 0.75


@pytest.mark.parametrize("jobs", [None, 2])
def test_with_a_ledger_every_fit_is_charged(jobs, classes, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 3.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacit.PrivacyWarning)
        found = search(epsilon=0.5, ledger=str(ledger)).set_params(n_jobs=jobs).fit(*classes)
    # 2 settings on 2 folds, and the best one once more on all records
    assert len(spent(ledger)["charges"]) == 5
    assert found.best_estimator_.certificate_["assumptions"][-1].startswith("the fit was one of several by")


def test_what_goes_beyond_the_limit_is_not_released(classes, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 2.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tacit.PrivacyWarning)
        with pytest.warns(FitFailedWarning), pytest.raises(tacit.BudgetError):
            search(epsilon=0.7, ledger=str(ledger)).fit(*classes)
    assert len(spent(ledger)["charges"]) == 2


def test_a_ledger_counts_single_fits(classes, tmp_path):
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 1.0})
    estimator = tacit.LogisticRegression(bounds=5.0, epsilon=0.6, ledger=ledger)
    released = estimator.fit(*classes).certificate_["assumed_public"]["ledger_release"]
    assert spent(ledger)["charges"][0]["release"] == released
    with pytest.raises(tacit.BudgetError):
        estimator.fit(*classes)


def test_pipelines_of_record_wise_steps_are_covered(classes):
    X, y = classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make_pipeline(Normalizer(), FunctionTransformer(), tacit.LogisticRegression(bounds=1.0)).fit(X, y)
    assert model.predict(X).shape == y.shape
    assert not any("went through" in text for text in model[-1].certificate_["assumptions"])


def test_a_function_of_ones_own_is_named_as_assumed_to_be_record_wise(classes):
    centred = FunctionTransformer(lambda rows: rows - rows.mean(axis=0))
    with pytest.warns(tacit.PrivacyWarning, match="FunctionTransformer, which is assumed to treat each record by itself"):
        model = make_pipeline(centred, tacit.LogisticRegression(bounds=5.0)).fit(*classes)
    assert any("FunctionTransformer" in text for text in model[-1].certificate_["assumptions"])


def test_steps_that_learn_from_the_records_are_named_in_the_certificate(classes):
    with pytest.warns(tacit.PrivacyWarning, match="StandardScaler"):
        model = make_pipeline(StandardScaler(), tacit.LogisticRegression(bounds=5.0)).fit(*classes)
    assert any("StandardScaler" in text for text in model[-1].certificate_["assumptions"])


def test_a_private_choice_among_settings_needs_no_ledger(classes):
    model = tacit.LogisticRegression(
        bounds=5.0, method="tuned", options={"settings": "limited-objective:radius=3; limited-objective:radius=10"}
    ).fit(*classes)
    assert model.certificate_["guarantee"]["epsilon"] <= 1
    assert np.isfinite(model.coef_).all()


def columns(*transformers, **parameters):
    return ColumnTransformer([(str(k), *part) for k, part in enumerate(transformers)], **parameters)


@pytest.mark.parametrize(
    "step",
    [
        PolynomialFeatures(2, include_bias=False),
        columns((PolynomialFeatures(2), [0, 1]), ("passthrough", [2, 3]), ("drop", [4])),
        columns((Normalizer(), [0, 1]), remainder="passthrough"),
        columns((make_pipeline(SimpleImputer(strategy="constant", fill_value=0.0), PolynomialFeatures(2)), [0, 1])),
        make_union(PolynomialFeatures(2), FunctionTransformer(np.arctan)),
        SplineTransformer(knots=np.linspace(-4, 4, 5)[:, np.newaxis] * np.ones(5)),
        columns((OrdinalEncoder(categories=[[0.0, 1.0]], handle_unknown="use_encoded_value", unknown_value=-1), [0])),
        columns((OneHotEncoder(categories=[[0.0, 1.0]], handle_unknown="ignore"), [0]), sparse_threshold=0),
    ],
    ids=lambda step: type(step).__name__,
)
def test_fixed_steps_are_recognised_as_such(step, classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error", tacit.PrivacyWarning)
        model = make_pipeline(step, tacit.LogisticRegression(bounds=20.0)).fit(*classes)
    assert not any("went through" in text for text in model[-1].certificate_["assumptions"])
    # What the step makes of a record is the same whatever the others are.
    X, _ = classes
    rows = [clone(step).fit(part).transform(part)[0] for part in (X, X[:2], np.vstack([X[:1], 100 * X[1:]]))]
    assert all(np.array_equal(rows[0], row) for row in rows)


@pytest.mark.parametrize(
    ("step", "named"),
    [
        (columns((StandardScaler(), [0]), remainder="passthrough"), "StandardScaler"),
        (columns((make_pipeline(PolynomialFeatures(2), StandardScaler()), [0, 1])), "StandardScaler"),
        (columns(("passthrough", lambda X: [0, 1])), "ColumnTransformer"),
        (columns((OneHotEncoder(categories=[[0.0]], handle_unknown="ignore"), [0])), "ColumnTransformer"),
        (columns((OneHotEncoder(handle_unknown="ignore"), [0]), sparse_threshold=0), "OneHotEncoder"),
        (SplineTransformer(), "SplineTransformer"),
        (SimpleImputer(), "SimpleImputer"),
        (make_union(PolynomialFeatures(2), StandardScaler()), "StandardScaler"),
        (type("Poly", (PolynomialFeatures,), {})(), "Poly"),
    ],
)
def test_steps_that_learn_are_found_wherever_they_are(step, named, classes):
    with pytest.warns(tacit.PrivacyWarning, match=f"went through {named}, which may learn"):
        model = make_pipeline(step, tacit.LogisticRegression(bounds=20.0)).fit(*classes)
    assert any(named in text for text in model[-1].certificate_["assumptions"])
