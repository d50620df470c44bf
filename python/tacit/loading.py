"""Model files as estimators."""

from __future__ import annotations

import inspect
import json
import math
import os
from typing import Any

import numpy as np

from . import _core, _inputs, _labels, linear, network
from ._base import PrivateEstimator
from .errors import UsageError

# By the loss, with the parameter that the loss's own is.
_LINEAR: dict[str, tuple[type[PrivateEstimator], str | None]] = {
    "logistic": (linear.LogisticRegression, None),
    "softmax": (linear.SoftmaxRegression, None),
    "hinge": (linear.LinearSVC, None),
    "squared": (linear.LinearRegression, None),
    "huber": (linear.HuberRegressor, "width"),
    "pinball": (linear.QuantileRegressor, "quantile"),
    "poisson": (linear.PoissonRegressor, None),
}


def load(path: str | os.PathLike[str]) -> PrivateEstimator:
    """A fitted estimator from a model file, whether `save` or `tacit fit` wrote it.

    It predicts, draws its curves and can be saved again. Its parameters are those that the file states; no record was
    kept, so what else a new fit would need must be given anew. The file's digest is checked, its promise is not:
    `tacit.verify` does that.

    >>> import numpy as np, tacit
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(2000, 2))
    >>> tacit.LogisticRegression(bounds=(0, 10), classes=["no", "yes"]).fit(X, np.where(X[:, 0] > 5, "yes", "no")).save("m.json")
    >>> model = tacit.load("m.json")
    >>> type(model).__name__, model.epsilon, model.predict([[9.0, 1.0]])
    ('LogisticRegression', 1.0, array(['yes'], dtype='<U3'))
    """
    model = _core.load_model(_inputs.file_name("path", path))
    about = json.loads(model.json)
    if "images" in about["features"]:
        raise UsageError(f"{os.fspath(path)} is a model of images, whose features `tacit predict` makes")
    estimator = _unfitted(about, os.fspath(path))
    estimator.model_ = model
    estimator.certificate_ = model.certificate
    estimator.encoded_names_ = model.names
    _set_columns(estimator, about)
    if classes := about["target"]["classes"]:
        public = _labels.as_array(_labels.of_schema(classes))
        estimator._places = _labels.sorted_places(public)
        estimator.classes_ = public[estimator._places]
    estimator._set_coefficients(model)
    return estimator


def _unfitted(about: dict[str, Any], path: str) -> PrivateEstimator:
    """The estimator of the model's loss, with the parameters that the file states."""
    loss, certificate = about["loss"], about["certificate"]
    more: dict[str, Any] = {}
    if loss["name"] in ("tanh-network", "relu-network") and about["target"]["classes"]:
        kind: type[PrivateEstimator] = network.MLPClassifier
        more = {"activation": loss["name"].removesuffix("-network"), "hidden_units": loss["hidden"]}
    elif loss["name"] in _LINEAR:
        kind, parameter = _LINEAR[loss["name"]]
        more = {} if parameter is None else {parameter: loss["parameter"]}
    else:
        raise UsageError(f"{path} has the loss {loss['name']}, for which there is no estimator; `tacit predict` takes it")
    # What was asked for; where a share of it found ranges or intervals, what all of it came to.
    shared = any(f"{share}_{size}" in certificate["options"] for share in ("range", "interval") for size in ("epsilon", "mu"))
    stated = certificate["guarantee"] if shared else certificate["options"]
    more |= {name: stated.get(name) for name in ("epsilon", "delta", "mu")}
    if about.get("intervals"):
        more["intervals"] = about["intervals"]["level"]
    if certificate["guarantee"]["notion"] == "none":
        more["epsilon"] = math.inf
    more |= {name: certificate[name] for name in ("unit", "neighbours", "method")}
    more |= {"fit_intercept": about["intercept"] != 0, "schema": about["schema"]}
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in more.items() if name in known})


def _set_columns(estimator: PrivateEstimator, about: dict[str, Any]) -> None:
    """The columns of the table that it predicts from, as after a fit."""
    names = about["features"]["names"] if about["schema"] is None else list(about["schema"].get("columns", {}))
    estimator._column_names = names if about["schema"] is not None else []
    estimator._by_name = about["schema"] is not None
    estimator.n_features_in_ = len(names) or about["features"]["count"]
    if names and names != [str(j) for j in range(len(names))]:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
