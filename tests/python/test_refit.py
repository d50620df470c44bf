"""A fit that fails changes nothing of what was fitted before."""

import numpy as np
import pandas
import pytest

import tacit
from tacit import _core

X = pandas.DataFrame(np.random.default_rng(0).normal(size=(3000, 3)), columns=["a", "b", "c"])
Y = np.where(X["a"] > 0, "yes", "no")


def spent(tmp_path, **parameters):
    """A model whose ledger has nothing left."""
    ledger = tmp_path / "people.ledger"
    tacit.create_ledger(ledger, {"people": 5.0})
    return tacit.LogisticRegression(epsilon=5.0, classes=["no", "yes"], ledger=ledger, **parameters).fit(X, Y)


def assert_unchanged_by(change, model):
    before, predicted = dict(vars(model)), model.predict(X)
    fitted = {name for name in before if name.endswith("_")}
    change()
    assert all(vars(model)[name] is before[name] for name in fitted)
    np.testing.assert_array_equal(model.predict(X), predicted)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize("bounds", [5.0, (-4, 4)])
def test_a_refused_refit_keeps_model_and_classes_together(bounds, tmp_path):
    model = spent(tmp_path, bounds=bounds)

    def refit():
        model.set_params(classes=["yes", "no"])
        with pytest.raises(tacit.BudgetError):
            model.fit(X, Y)

    assert_unchanged_by(refit, model)


@pytest.mark.parametrize("other", [X[["c", "b", "a"]], X[["a", "b"]], X.to_numpy()])
def test_so_it_does_the_columns(other, tmp_path):
    model = spent(tmp_path, bounds=5.0)

    def refit():
        with pytest.raises(tacit.BudgetError):
            model.fit(other, Y)

    assert_unchanged_by(refit, model)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_an_interrupt_does_not_half_replace_a_model(tmp_path, monkeypatch):
    model = tacit.LogisticRegression(epsilon=5.0, bounds=5.0).fit(X, Y)

    def interrupted(*_):
        raise KeyboardInterrupt

    def refit():
        monkeypatch.setattr(_core, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[["a", "b"]], np.where(Y == "yes", 1, 0))

    assert_unchanged_by(refit, model)


def test_records_are_encoded_as_they_were_for_the_fit():
    model = tacit.LogisticRegression(epsilon=np.inf, bounds=(-4, 4)).fit(X, Y)
    assert_unchanged_by(lambda: model.set_params(bounds=(-100, 1)), model)
    assert_unchanged_by(lambda: model.set_params(bounds=None), model)


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
def test_tables_with_and_without_names_are_read_by_position():
    named = tacit.LogisticRegression(epsilon=np.inf, bounds=(-4, 4)).fit(X, Y)
    np.testing.assert_array_equal(named.predict(X.to_numpy()), named.predict(X))
    unnamed = tacit.LogisticRegression(epsilon=np.inf, bounds=(-4, 4)).fit(X.to_numpy(), Y)
    np.testing.assert_array_equal(unnamed.predict(X.to_numpy()), unnamed.predict(X))
