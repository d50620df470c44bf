"""Rows, labels and classes of odd kinds: refused in one line that blames nobody else."""

import numpy as np
import pytest

import tacit

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2


def refusal(estimator, *data, **more):
    with pytest.raises(tacit.Error) as caught:
        estimator.fit(*data, **more)
    return str(caught.value)


@pytest.mark.parametrize("row", [None, "ab", b"ab", 5, {"0": 1, "1": 2}, {1, 2}])
def test_a_row_that_is_no_list_of_cells_is_refused_without_naming_one(row):
    assert refusal(tacit.LogisticRegression(bounds=(0, 1)), [*X[1:].tolist(), row], Y) == "the rows of X are not all lists of cells"


@pytest.mark.parametrize("odd", [[1, 2], 1, np.zeros(2)])
def test_labels_and_ids_that_hold_lists_blame_nobody(odd):
    columns = [[label] for label in Y[1:].tolist()] + [odd]
    assert "row" not in refusal(tacit.LogisticRegression(classes=[0, 1]), X, columns)
    by_users = tacit.LogisticRegression(unit="user", delta=1e-5, classes=[0, 1])
    assert "row" not in refusal(by_users, X, Y, user_ids=columns)


def test_labels_that_are_measurements_are_no_classes():
    many = np.arange(101)
    told = "the target has more than 100 classes; more are taken only from classes=, or a schema that lists them"
    assert refusal(tacit.LogisticRegression(), np.ones((101, 1)), many) == told
    assert refusal(tacit.LogisticRegression(), np.ones((101, 1)), many.astype(str)) == told
    for public, y in (({}, np.minimum(many, 99)), ({"classes": many}, many)):
        assert len(tacit.LogisticRegression(bounds=2.0, **public).fit(np.ones((101, 1)), y).classes_) == y.max() + 1


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        ([1j, 2], "classes: complex is not a kind of value that is taken, expected a number, a text or a date"),
        ([10**5000, 5], "classes: the number has more than 4000 digits"),
        (["", "a"], "one of the classes is blank"),
        (["\udc80", "a"], r"classes: '\udc80' is not UTF-8 text"),
    ],
)
def test_what_is_no_class_is_refused_before_the_labels_are_read(classes, told):
    assert refusal(tacit.LogisticRegression(classes=classes), X, Y) == told
