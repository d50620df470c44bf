"""Weights of records and of classes."""

import warnings

import numpy as np
import pytest
from conftest import run_tool
from independent import verifier
from sklearn.linear_model import LogisticRegression, Ridge

import tacit


@pytest.fixture
def weights(classes):
    return np.random.default_rng(4).uniform(0, 3, size=len(classes[1]))


def fit(estimator, *data, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return estimator.fit(*data, **more)


def test_a_weighted_model_states_its_bound_and_is_verified(classes, weights, tmp_path):
    for parameters in ({"bounds": 5.0}, {"delta": 1e-5, "method": "dp-sgd", "range_share": 0.0}, {"mu": 1.0, "bounds": 5.0}):
        model = fit(tacit.LogisticRegression(classes=[0, 1], weight_bound=3.0, **parameters), *classes, sample_weight=weights)
        assert model.certificate_["assumed_public"]["weight_bound"] == 3.0
        model.save(tmp_path / "model.json")
        tacit.verify(tmp_path / "model.json")
        assert run_tool("verify", tmp_path / "model.json").returncode == 0
        assert verifier.verify(str(tmp_path / "model.json"), None)["private"]


def test_without_privacy_weights_are_scikit_learns(classes, weights):
    X, y = classes
    ours = tacit.LogisticRegression(epsilon=np.inf, weight_bound=3.0, options={"regularisation": 1 / (3 * len(y))})
    theirs = LogisticRegression(solver="newton-cg", tol=1e-9).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(fit(ours, X, y, sample_weight=weights).coef_, theirs.coef_, rtol=1e-5, atol=1e-6)


def test_so_are_those_of_classes_and_their_product(classes, weights):
    X, y = classes
    by_class = {0: 0.5, 1: 2.0}
    ours = tacit.LogisticRegression(
        epsilon=np.inf, weight_bound=3.0, class_weight=by_class, options={"regularisation": 1 / (6 * len(y))}
    )
    theirs = LogisticRegression(solver="newton-cg", tol=1e-9, class_weight=by_class).fit(X, y, sample_weight=weights)
    fitted = fit(ours, X, y, sample_weight=weights)
    np.testing.assert_allclose(fitted.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    assert fitted.certificate_["assumed_public"]["weight_bound"] == 6.0


def test_ridges_alpha_is_that_of_the_weighted_sum(numbers):
    X, y = numbers
    weights = np.random.default_rng(5).uniform(0, 4, size=len(y))
    ours = fit(tacit.Ridge(alpha=50.0, epsilon=np.inf, method="plain", weight_bound=4.0), X, y, sample_weight=weights)
    theirs = Ridge(alpha=50.0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)


def test_a_class_of_more_weight_is_predicted_more_often(classes):
    X, y = classes
    settings = {"bounds": 5.0, "classes": [0, 1], "epsilon": 20.0}
    plain = fit(tacit.LogisticRegression(**settings), X, y)
    weighted = fit(tacit.LogisticRegression(class_weight={1: 10.0}, **settings), X, y)
    assert weighted.predict(X).mean() > plain.predict(X).mean() + 0.1
    assert weighted.certificate_["assumed_public"]["weight_bound"] == 10.0
    small = fit(tacit.LogisticRegression(class_weight={"0": 0.25, 1.0: 0.5}, **settings), X, y)  # by value, as labels are
    assert small.certificate_["assumed_public"]["weight_bound"] == 0.5


def test_weights_of_two_settings_beyond_the_bound_are_the_same_as_at_the_bound(classes):
    X, y = classes
    ours = [
        fit(tacit.LogisticRegression(epsilon=np.inf, weight_bound=2.0), X, y, sample_weight=np.where(y == 1, high, low)).coef_
        for high, low in ((2.0, 0.0), (1e9, -5.0), (np.inf, -np.inf))
    ]
    np.testing.assert_array_equal(ours[0], ours[1])
    np.testing.assert_array_equal(ours[0], ours[2])


def test_a_weight_beyond_float64_is_cut_without_a_word(classes):
    X, y = classes
    for given in (np.ones(len(y), dtype=np.longdouble), [1.0] * len(y)):
        given[3] = np.longdouble("1e400")
        fit(tacit.LogisticRegression(epsilon=np.inf, weight_bound=2.0), X, y, sample_weight=given)  # a warning is an error


def test_a_bound_that_nobody_states_is_warned_of(classes, weights):
    with pytest.warns(UserWarning, match="^sample_weight without weight_bound: weights are cut to \\[0, 1\\]$"):
        model = tacit.LogisticRegression(bounds=5.0).fit(*classes, sample_weight=weights)
    assert model.certificate_["assumed_public"]["weight_bound"] == 1.0


@pytest.mark.parametrize(
    ("parameters", "sample_weight", "message"),
    [
        ({"class_weight": "balanced"}, None, "which would count the records of each class; give a dict"),
        ({"class_weight": {2: 1.0}}, None, "class_weight names 2, which is not among the classes"),
        ({"class_weight": {0: -1.0}}, None, "class_weight of 0 is -1.0, expected a finite number >= 0"),
        ({"class_weight": {0: "much"}}, None, 'class_weight of 0 is "much", expected a number'),
        ({"class_weight": {0: 0.0, 1: 0.0}}, None, "class_weight has no weight above 0"),
        ({"class_weight": [1.0]}, None, "expected a dict with the weight of each class"),
        ({"weight_bound": 0.0}, "ones", "weight_bound is 0.0, expected a finite number > 0"),
        ({"weight_bound": np.inf}, "ones", "weight_bound is inf, expected a finite number > 0"),
        ({"weight_bound": 1.0}, "short", "sample_weight has the shape"),
        ({"weight_bound": 1.0}, "square", "sample_weight has the shape"),
        ({"weight_bound": 1.0}, "text", '^sample_weight is not all numbers: row 0: "heavy"$'),
        ({"weight_bound": 1.0}, "nan", "record 3: the weight is not a number"),
        ({"weight_bound": 1.0, "method": "double-output"}, "ones", "the method double-output takes no weights; these do: "),
    ],
)
def test_what_cannot_be_a_weight_is_refused_in_one_line(parameters, sample_weight, message, classes):
    X, y = classes
    given = {
        None: None,
        "ones": np.ones(len(y)),
        "short": np.ones(7),
        "square": np.ones((len(y), 2)),
        "text": ["heavy"] * len(y),
        "nan": np.where(np.arange(len(y)) == 3, np.nan, 1.0),
    }[sample_weight]
    with pytest.raises(ValueError, match=message) as refusal:
        tacit.LogisticRegression(bounds=5.0, **parameters).fit(X, y, sample_weight=given)
    assert "\n" not in str(refusal.value)


def test_a_refused_weight_is_a_failed_read_of_the_ledger(classes, tmp_path):
    X, y = classes
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 3.0})
    with pytest.raises(tacit.DataError):
        tacit.LogisticRegression(bounds=5.0, weight_bound=1.0, ledger=tmp_path / "people.ledger").fit(
            X, y, sample_weight=np.where(np.arange(len(y)) == 3, np.nan, 1.0)
        )
    shown = tacit.ledger(tmp_path / "people.ledger")
    assert shown["failed_reads"] == 1 and not shown["budgets"][0]["charges"]


def test_networks_take_weights(classes, weights):
    model = fit(tacit.MLPClassifier(epsilon=2.0, bounds=(-4, 4), classes=[0, 1], weight_bound=3.0, hidden_units=4), *classes, sample_weight=weights)
    assert model.certificate_["assumed_public"]["weight_bound"] == 3.0


def test_records_of_people_have_weights_too(classes, weights, tmp_path):
    X, y = classes
    settings = {"epsilon": 4.0, "delta": 1e-5, "unit": "user", "classes": [0, 1], "bounds": 5.0, "weight_bound": 3.0}
    model = tacit.LogisticRegression(**settings).fit(X, y, user_ids=np.arange(len(y)) // 2, sample_weight=weights)
    assert model.model_.method == "user-sgd" and model.certificate_["assumed_public"]["weight_bound"] == 3.0
    model.save(tmp_path / "model.json")
    assert run_tool("verify", tmp_path / "model.json").returncode == 0
    assert verifier.verify(str(tmp_path / "model.json"), None)["private"]
    heavy = tacit.LogisticRegression(**settings, class_weight={1: 10.0})
    heavy.fit(X, y, user_ids=np.arange(len(y)), sample_weight=np.ones(len(y)))
    plain = tacit.LogisticRegression(**settings).fit(X, y, user_ids=np.arange(len(y)), sample_weight=np.ones(len(y)))
    assert heavy.predict(X).mean() > plain.predict(X).mean() + 0.1
