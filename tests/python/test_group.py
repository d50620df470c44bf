"""group="COLUMN=VALUE": an estimator fits the records of one group, as `tacit fit --group` does."""

import json

import numpy as np
import pandas
import pytest
from sklearn.base import clone

import tacit

KNOWN = {
    "columns": {
        "region": {"type": "categorical", "categories": ["north", "south"]},
        "age": {"type": "numeric", "min": 0, "max": 100},
    },
    "target": {"column": "y", "classes": ["no", "yes"]},
}
NUMBERS = {**KNOWN, "target": {"column": "y", "min": 0, "max": 100}}


@pytest.fixture
def people():
    random = np.random.default_rng(0)
    age = random.integers(18, 90, size=3000)
    return pandas.DataFrame({"region": np.where(np.arange(3000) % 3 == 0, "north", "south"), "age": age, "y": np.where(age > 50, "yes", "no")})


def fitted(people, y=None, model=tacit.LogisticRegression, schema=KNOWN, **more):
    return model(schema=schema, **more).fit(people[["region", "age"]], people["y"] if y is None else y)


def test_the_fit_is_that_of_the_groups_records_alone(people):
    north = people[people["region"] == "north"]
    told, alone = fitted(people, epsilon=np.inf, group="region=north"), fitted(north, epsilon=np.inf)
    assert told.encoded_names_ == alone.encoded_names_  # whose knots go by the number of records
    assert np.array_equal(told.coef_, alone.coef_) and np.array_equal(told.intercept_, alone.intercept_)
    people.loc[people["region"] == "south", "age"] = 99
    again = fitted(people, epsilon=np.inf, group="region=north")
    assert np.array_equal(again.coef_, told.coef_)  # whatever the others hold
    assert not np.array_equal(fitted(people, epsilon=np.inf).coef_, told.coef_)


def test_what_is_stated_is_of_the_group(people, tmp_path):
    model = fitted(people, epsilon=1.0, group="region=north")
    public = model.certificate_["assumed_public"]
    assert public["records"] == 1000 and public["group_of"] == "region=north"
    assert any("a neighbour keeps the column's value" in sentence for sentence in model.certificate_["assumptions"])
    model.save(tmp_path / "north.json")
    assert "one group of a public column" in json.dumps(tacit.verify(tmp_path / "north.json"))
    ridge = fitted(people, people["age"], tacit.Ridge, NUMBERS, alpha=50.0, group="region=north")
    assert ridge.certificate_["options"]["regularisation"] == 0.05  # alpha over the group's records


def test_groups_cost_a_ledger_their_maximum(people, tmp_path):
    tacit.create_ledger(tmp_path / "people.ledger", {"people": 1.0})
    for region in ("north", "south"):
        fitted(people, epsilon=1.0, group=f"region={region}", ledger=tmp_path / "people.ledger")
    (budget,) = tacit.ledger(tmp_path / "people.ledger")["budgets"]
    assert budget["spent"]["epsilon"] == 1.0 and len(budget["charges"]) == 2
    for group in ("region=north", None):
        with pytest.raises(tacit.BudgetError):
            fitted(people, epsilon=1.0, group=group, ledger=tmp_path / "people.ledger")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"group": "region=west"}, "not a category"),
        ({"group": "age=30"}, "not a column with categories"),
        ({"group": "region"}, "expected COLUMN=VALUE"),
        ({"group": 3}, "expected a text"),
        ({"group": "region=north", "schema": None, "bounds": 5.0}, "not a column with categories of a schema"),
        ({"group": "region=north", "schema": None}, "not a column with categories of a schema"),
        ({"group": "region=north", "unit": "user", "delta": 1e-6}, "groups are for records"),
    ],
)
def test_what_is_no_group_is_refused_in_the_tools_words(people, tmp_path, more, words):
    tacit.create_ledger(tmp_path / "l.ledger", {"people": 5.0})
    unit = more.get("unit")
    ledger = {} if unit else {"ledger": tmp_path / "l.ledger"}
    model = tacit.LogisticRegression(**{"schema": KNOWN, "epsilon": 1.0, **ledger, **more})
    X = people[["age"]] if "bounds" in more else people[["region", "age"]]
    with pytest.raises(tacit.UsageError, match=words):
        model.fit(X, people["y"], **({"user_ids": np.arange(3000)} if unit else {}))
    assert tacit.ledger(tmp_path / "l.ledger")["budgets"][0]["charges"] == []


def test_an_empty_group_is_a_failed_read(people, tmp_path):
    tacit.create_ledger(tmp_path / "l.ledger", {"people": 5.0})
    people["region"] = "south"
    with pytest.raises(tacit.DataError, match="no record is in the group"):
        fitted(people, epsilon=1.0, group="region=north", ledger=tmp_path / "l.ledger")
    found = tacit.ledger(tmp_path / "l.ledger")
    assert found["failed_reads"] == 1 and found["budgets"][0]["charges"] == []


def test_weights_are_those_of_the_group(people):
    weights = np.where(people["region"] == "north", 1.0, 0.25)
    known = {"epsilon": np.inf, "group": "region=north", "weight_bound": 1.0}
    model = tacit.LogisticRegression(schema=KNOWN, **known).fit(people[["region", "age"]], people["y"], sample_weight=weights)
    assert np.array_equal(model.coef_, fitted(people, epsilon=np.inf, group="region=north").coef_)


def test_a_clone_keeps_its_group():
    model = tacit.MLPClassifier(group="region=north")
    assert clone(model).group == "region=north" and model.get_params()["group"] == "region=north"
    assert all("group" in kind().get_params() for kind in (tacit.LinearSVC, tacit.Ridge, tacit.HuberRegressor, tacit.QuantileRegressor, tacit.PoissonRegressor))


def test_a_number_in_a_frame_is_in_the_group_of_its_digits():
    """A file has 7, 7.0 and 07, a frame one number: a group that only one of them could be in is none."""
    region = {"type": "categorical", "categories": ["7", "7.0", "9007199254740993"]}
    schema = {**KNOWN, "columns": {**KNOWN["columns"], "region": region}}
    people = pandas.DataFrame({"region": [7.0, 7.0, 8.5, 2.0**53] * 10, "age": 30})
    y = ["no", "yes"] * 20
    model = tacit.LogisticRegression(schema=schema, epsilon=np.inf, group="region=7").fit(people, y)
    assert model.certificate_["assumed_public"]["records"] == 20
    for value in ("7.0", "9007199254740993"):
        with pytest.raises(tacit.UsageError, match="expected a text or a whole number in digits, below 2\\^53"):
            tacit.LogisticRegression(schema=schema, group=f"region={value}").fit(people, y)
