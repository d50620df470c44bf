"""Fits, predictions and certificates."""

import json
import pickle
import sys
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse
from conftest import run_tool
from sklearn.base import clone

import tacit

CLASSIFIERS = [tacit.LogisticRegression, tacit.LinearSVC, tacit.SoftmaxRegression, tacit.MLPClassifier]
REGRESSORS = [tacit.LinearRegression, tacit.Ridge, tacit.HuberRegressor]


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_classifiers_learn_from_enough_records(estimator, classes):
    X, y = classes
    model = estimator(epsilon=10).fit(X, y)
    assert model.score(X, y) > 0.75
    assert model.certificate_["private"]


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_regressors_learn_from_enough_records(estimator, numbers):
    X, y = numbers
    assert estimator(epsilon=10).fit(X, y).score(X, y) > 0.8
    model = estimator(epsilon=10, range_share=0.0).fit(X, y)  # numbers as they are
    assert model.score(X, y) > 0.8
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, model.predict(X), rtol=1e-12, atol=1e-12)


def test_the_guarantee_is_the_one_asked_for(classes):
    X, y = classes
    asked = [
        ({}, {"notion": "pure", "epsilon": 1.0}),
        ({"epsilon": 2.0, "delta": 1e-5}, {"notion": "approx", "epsilon": 2.0, "delta": 1e-5}),
        ({"mu": 0.5}, {"notion": "gaussian", "mu": 0.5}),
    ]
    for parameters, guarantee in asked:
        given = tacit.LogisticRegression(**parameters).fit(X, y).certificate_["guarantee"]
        assert given.keys() == guarantee.keys()
        for key, value in guarantee.items():
            assert given[key] == value or 0.99 * value < given[key] <= value


def test_the_certificate_has_both_numbers_unless_the_record_is_replaced(classes):
    X, y = classes
    there = tacit.LogisticRegression(bounds=(-4, 4)).fit(X, y).certificate_
    assert there["neighbours"] == "zero_out"
    assert there["guarantee"]["epsilon"] < there["replaced"]["epsilon"] <= 2 * there["guarantee"]["epsilon"]
    replaced = tacit.LogisticRegression(bounds=(-4, 4), neighbours="replace_one").fit(X, y).certificate_
    assert replaced["neighbours"] == "replace_one" and "replaced" not in replaced


def test_what_the_tool_verifies_is_what_python_saved(classes, tmp_path):
    X, y = classes
    model = tacit.LogisticRegression(bounds=(-4, 4)).fit(X, y)
    model.save(tmp_path / "model.json")
    assert run_tool("verify", tmp_path / "model.json").returncode == 0
    verified = tacit.verify(tmp_path / "model.json")
    assert verified["certificate"] == model.certificate_ and not verified["signed"]
    edited = (tmp_path / "model.json").read_text().replace('"limited-objective"', '"limited-output"', 1)
    (tmp_path / "model.json").write_text(edited)
    with pytest.raises(tacit.VerificationError):
        tacit.verify(tmp_path / "model.json")


def test_what_is_read_off_the_data_is_in_the_certificate(classes):
    X, y = classes
    told = tacit.LogisticRegression(classes=[0, 1]).fit(X, y).certificate_
    read = tacit.LogisticRegression().fit(X, y).certificate_
    assert told["assumptions"] == []
    assert read["assumptions"] == ["the classes were read off the data and are taken to be public"]


def test_a_class_that_does_not_occur_changes_nothing_that_is_not_covered():
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = tacit.LogisticRegression(classes=["no", "yes"], bounds=3.0).fit(X, np.repeat("no", 500))
    assert list(model.classes_) == ["no", "yes"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("kind", ["i1", "f4", "f8", "?", "g"])
def test_entries_that_are_there_twice_are_added_up_as_float64_and_the_matrix_is_left_alone(form, kind):
    rows, columns = np.repeat(np.arange(4), 3), np.tile([1, 0, 0], 4)
    values = np.asarray([1, 100, 100] * 4).astype(kind)
    if form == "bsr":
        matrix = scipy.sparse.bsr_matrix((values.reshape(-1, 1, 1), columns, 3 * np.arange(5)), shape=(4, 2))
    elif form == "csr":
        matrix = scipy.sparse.csr_matrix((values, columns, 3 * np.arange(5)), shape=(4, 2))
    elif form == "csc":
        order = np.argsort(columns, kind="stable")
        matrix = scipy.sparse.csc_matrix((values[order], rows[order], [0, 8, 12]), shape=(4, 2))
    else:
        matrix = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(4, 2))
    before = (matrix.data.copy(), matrix.dtype, matrix.nnz)
    dense = np.tile([2.0, 1.0] if kind == "?" else [200.0, 1.0], (4, 1))
    model = tacit.LogisticRegression(epsilon=np.inf, bounds=300.0, classes=[0, 1]).fit(matrix, [0, 1, 0, 1])
    assert (model.decision_function(matrix) == model.decision_function(dense)).all()
    assert matrix.dtype == before[1] and matrix.nnz == before[2] and (matrix.data == before[0]).all()


def test_dense_and_sparse_rows_give_the_same_fit(classes):
    X, y = classes
    X = np.where(np.abs(X) > 1, X, 0)
    dense = tacit.LogisticRegression(epsilon=np.inf).fit(X, y)
    for matrix in (scipy.sparse.csr_matrix(X), scipy.sparse.csc_matrix(X), scipy.sparse.coo_matrix(X)):
        sparse = tacit.LogisticRegression(epsilon=np.inf).fit(matrix, y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
        np.testing.assert_array_equal(sparse.predict(matrix), sparse.predict(X))


def test_other_layouts_are_converted(classes):
    X, y = classes
    expected = tacit.LogisticRegression(epsilon=np.inf).fit(X, y).coef_
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.tolist(), pandas.DataFrame(X)):
        np.testing.assert_array_equal(tacit.LogisticRegression(epsilon=np.inf).fit(same, y).coef_, expected)


def test_contiguous_float64_rows_are_looked_at_and_held():
    from tacit import _core

    X = np.ones((4, 3))
    before = sys.getrefcount(X)
    records = _core.Records.dense(X)
    assert sys.getrefcount(X) == before + 1
    X[:] = 2.0  # a view sees it
    np.testing.assert_array_equal(records.scores(np.ones((1, 3)), np.zeros(1)), np.full((4, 1), 6.0))
    del records
    assert sys.getrefcount(X) == before


SCHEMA = {
    "columns": {
        "age": {"type": "numeric", "min": 0, "max": 100, "missing": 40},
        "job": {"type": "categorical", "categories": ["clerk", "smith"], "missing": "other"},
    },
    "target": {"column": "rich", "classes": ["no", "yes"]},
}


def people():
    return pandas.DataFrame(
        {"age": [20.0, 50.0, np.nan, 70.0] * 50, "job": ["clerk", "smith", None, "painter"] * 50}
    ), np.array(["no", "yes", "no", "yes"] * 50)


def test_a_schema_encodes_a_data_frame(tmp_path):
    X, y = people()
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    for schema in (SCHEMA, tmp_path / "schema.json", str(tmp_path / "schema.json")):
        model = tacit.LogisticRegression(epsilon=np.inf, schema=schema, encoder="linear").fit(X, y)
        assert model.encoded_names_ == ["age", "job=clerk", "job=smith", "job=other"]
        np.testing.assert_array_equal(model.predict(X), y)
    encoded = np.array([[-0.3, 1, 0, 0], [0, 0, 1, 0], [-0.1, 0, 0, 1], [0.2, 0, 0, 1]])
    np.testing.assert_allclose(model.decision_function(X[:4]), (encoded @ model.coef_.T + model.intercept_).ravel())


def test_what_the_schema_leaves_open_becomes_curves_where_the_data_can_bear_them():
    X, y = people()
    names = tacit.LogisticRegression(epsilon=np.inf, schema=SCHEMA).fit(X, y).encoded_names_
    knots = [name for name in names if name.startswith("age@")]
    assert len(knots) > 2 and names == [*knots, "job=clerk", "job=smith", "job=other"]


@pytest.mark.parametrize("encoder", ["auto", "linear", "hats"])
def test_bounds_are_a_schema_of_numbers(encoder, classes):
    X, y = classes
    bounded = tacit.LogisticRegression(epsilon=np.inf, bounds=(-2, 2), encoder=encoder).fit(X, y)
    schema = {"columns": {str(j): {"type": "numeric", "min": -2, "max": 2} for j in range(5)}}
    np.testing.assert_array_equal(
        bounded.coef_, tacit.LogisticRegression(epsilon=np.inf, schema=schema, encoder=encoder).fit(X, y).coef_
    )


def test_bounds_clip_and_scale(classes):
    X, y = classes
    bounded = tacit.LogisticRegression(epsilon=np.inf, bounds=(-2, 2), encoder="linear").fit(X, y)
    clipped = (np.clip(X, -2, 2) + 2) / 4 - 0.5
    np.testing.assert_array_equal(
        bounded.predict(X), tacit.LogisticRegression(epsilon=np.inf).fit(clipped, y).predict(clipped)
    )


def test_target_bounds_are_kept(numbers):
    X, y = numbers
    options = tacit.LinearRegression(target_bounds=(-10, 10), bounds=8.0).fit(X, y).certificate_
    assert "limits" not in options["options"]


def test_too_few_records_are_fitted_with_a_warning_and_spend_no_more():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    with pytest.warns(tacit.TooFewRecordsWarning, match="30 records at epsilon 1 are too few"):
        model = tacit.LogisticRegression().fit(X, y)
    assert model.certificate_["guarantee"]["epsilon"] <= 1
    with pytest.raises(tacit.InfeasibleError, match="too few"):
        tacit.LogisticRegression(options={"moment_order": 2.0}).fit(X, y)


def test_little_to_expect_is_said_before_anything_is_spent(tmp_path):
    X, y = np.random.default_rng(0).uniform(-1, 1, size=(100, 4)), np.arange(100) % 2
    path = tmp_path / "people.ledger"
    tacit.create_ledger(path, {"people": 10.0})
    model = tacit.LogisticRegression(epsilon=0.5, bounds=(-1, 1), encoder="linear", ledger=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", tacit.TooFewRecordsWarning)
        with pytest.raises(tacit.TooFewRecordsWarning, match=r"^records x epsilon / columns = 12.5 is below 15"):
            model.fit(X, y)
    assert not hasattr(model, "coef_")
    assert not tacit.ledger(path)["budgets"][0]["charges"]
    with pytest.warns(tacit.TooFewRecordsWarning, match="expect little more than a constant") as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    assert len(tacit.ledger(path)["budgets"][0]["charges"]) == 1


def test_columns_that_records_cannot_bear_are_left_out_with_a_warning():
    X, y = np.random.default_rng(0).uniform(-1, 1, size=(100, 4)), np.arange(100) % 2
    with pytest.warns(tacit.TooFewRecordsWarning, match="= 2.5 is below 3: the model is the intercept alone, and noisy, as .* = 10 is below 30"):
        model = tacit.LogisticRegression(epsilon=0.1, bounds=(-1, 1)).fit(X, y)
    assert model.coef_.shape == (1, 0)
    assert model.encoded_names_ == []
    assert len(set(model.predict(X))) == 1


def test_models_can_be_pickled_and_estimators_cloned(classes):
    X, y = classes
    model = tacit.SoftmaxRegression(epsilon=3.0, options={"radius": 5.0}).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.certificate_ == model.certificate_
    assert clone(model).get_params() == model.get_params()


def test_probabilities_and_decisions_agree_with_predictions(classes):
    X, y = classes
    y = np.where(X[:, 3] > 1, 2, y)
    for estimator in (tacit.LogisticRegression(), tacit.SoftmaxRegression()):
        model = estimator.set_params(epsilon=10, range_share=0.0).fit(X, y)
        assert model.coef_.shape == (3, 5)
        probabilities = model.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
        np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))
        np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, atol=1e-12)


def test_a_network_has_its_layers(classes):
    X, y = classes
    model = tacit.MLPClassifier(epsilon=5, hidden_units=6, activation="tanh", range_share=0.0).fit(X, y)
    hidden = np.tanh(X @ model.coefs_[0] + model.intercepts_[0])
    logits = hidden @ model.coefs_[1] + model.intercepts_[1]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_stated_pull_goes_by_the_public_number_of_records(numbers):
    X, y = numbers
    for relation in ("add_remove", "zero_out"):
        stated = {"neighbours": relation, "options": {"records": 5000}}
        models = [tacit.Ridge(alpha=100.0, bounds=8.0, target_bounds=(-10, 10), **stated) for _ in range(2)]
        for model, rows in zip(models, (len(X), len(X) - 1)):
            model.fit(X[:rows], y[:rows])
            assert model.certificate_["options"]["regularisation"] == 0.02
    user = tacit.Ridge(alpha=100.0, bounds=8.0, target_bounds=(-10, 10), unit="user", delta=1e-5, method="user-erm")
    with pytest.raises(tacit.UsageError, match="secret where users are protected"):
        user.fit(X, y, user_ids=np.arange(len(X)) % 500)
    with pytest.raises(tacit.UsageError):
        tacit.Ridge(alpha=100.0, bounds=8.0, target_bounds=(-10, 10), neighbours="add_remove").fit(X, y)


def test_a_stated_pull_is_scikit_learns(numbers):
    from sklearn.linear_model import Ridge

    X, y = numbers
    ours = tacit.Ridge(epsilon=np.inf, alpha=100.0, fit_intercept=False).fit(X, y)
    theirs = Ridge(alpha=100.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert tacit.Ridge(alpha=0.01).fit(X, y).model_.method == "limited-output"
    for privacy in ({"delta": 1e-5}, {"mu": 1.0}):
        bounded = tacit.Ridge(alpha=3000.0, bounds=8.0, target_bounds=(-10, 10), **privacy).fit(X, y)
        assert bounded.certificate_["options"]["regularisation"] == 1.0


def test_every_sample_of_a_posterior_is_there(numbers):
    X, y = numbers
    model = tacit.LinearRegression(
        mu=1.0, bounds=8.0, target_bounds=(-10, 10), method="posterior-exact", options={"samples": 3}
    ).fit(X, y)
    assert model.coef_samples_.shape == (3, 4) and model.intercept_samples_.shape == (3,)
    np.testing.assert_array_equal(model.coef_samples_[-1], model.coef_)
    assert model.intercept_samples_[-1] == model.intercept_
    assert len(np.unique(model.coef_samples_[:, 0])) == 3
    assert not hasattr(model.set_params(options=None).fit(X, y), "coef_samples_")


def test_users_are_protected_with_all_their_records(classes, tmp_path):
    X, y = classes
    users = np.array([f"user {k}" for k in np.arange(3000) // 5])
    model = tacit.LogisticRegression(unit="user", epsilon=5.0, delta=1e-5, classes=[0, 1])
    model.fit(X, y, user_ids=users)
    assert model.score(X, y) > 0.7
    assert model.certificate_["unit"] == "user"
    assert model.certificate_["assumed_public"]["users"] == 600
    model.save(tmp_path / "model.json")
    assert "user" in tacit.verify(tmp_path / "model.json")["description"]


@pytest.mark.parametrize("privacy", [{"epsilon": 5.0, "delta": 1e-5}, {"mu": 2.0}])
def test_so_they_are_under_either_notion(privacy, classes):
    X, y = classes
    model = tacit.LogisticRegression(unit="user", **privacy).fit(X, y, user_ids=np.arange(3000) // 5)
    assert model.certificate_["unit"] == "user"
    assert model.certificate_["guarantee"]["notion"] == ("gaussian" if "mu" in privacy else "approx")


def test_bounds_that_a_method_has_no_use_for_are_not_claimed(classes):
    with pytest.warns(UserWarning, match="what dp-sgd guarantees does not rest on bounds"):
        model = tacit.LogisticRegression(bounds=5.0, delta=1e-5, method="dp-sgd").fit(*classes)
    assert "row_norm_bound_source" not in model.certificate_["assumed_public"]
    used = tacit.LogisticRegression(bounds=5.0).fit(*classes).certificate_["assumed_public"]
    assert used["row_norm_bound_source"] == "stated by the caller"


def test_a_quantile_lies_above_its_share_of_the_labels():
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 1, (20000, 2))
    y = 4 * X[:, 0] + rng.normal(0, 1, len(X))
    for quantile in (0.2, 0.8):
        model = tacit.QuantileRegressor(epsilon=8, bounds=(0, 1), target_bounds=(-4, 8), quantile=quantile).fit(X, y)
        assert abs(np.mean(y <= model.predict(X)) - quantile) < 0.1
    with pytest.raises(tacit.UsageError, match="quantile"):
        tacit.QuantileRegressor(bounds=(0, 1), target_bounds=(0, 1), quantile=2).fit(X, y)


def test_counts_are_predicted_by_their_mean():
    rng = np.random.default_rng(6)
    X = rng.uniform(0, 1, (20000, 2))
    mean = np.exp(1.5 * X[:, 0] - 0.5 * X[:, 1])
    model = tacit.PoissonRegressor(epsilon=8, bounds=(0, 1), target_bounds=(0, 20)).fit(X, rng.poisson(mean))
    predicted = model.predict(X)
    assert predicted.min() > 0
    assert np.mean(np.abs(predicted - mean)) < 0.5 * np.mean(np.abs(mean.mean() - mean))
    with pytest.raises(tacit.UsageError, match="expected 0"):
        tacit.PoissonRegressor(bounds=(0, 1), target_bounds=(-1, 20)).fit(X, rng.poisson(mean))
