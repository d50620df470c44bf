"""What each column of an additive model adds: curves as arrays, and drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import UsageError


@dataclass(frozen=True)
class Curve:
    """What one column, or a pair of columns, adds to the score; its average over what the schema states is 0.

    x: numbers in the column's own units, or texts: categories, ISO dates. Of a pair, a tuple of two such arrays.
    y: what is added at each x; with more than two classes one row per class, in the order of `classes_`. Between two
        numbers it is straight (with a log1p transform: straight in log(1 + x - log1p_from)).
    interval: an array like y with one axis more, [lower, upper]: where y would be without noise, with probability 95 %
        by the noise's law alone. None where that law cannot be told from the certificate; `no_interval` says why.
    noise: an array like y: root mean square of what noise alone adds at an x that no record has, such as a category
        without records. None where the certificate does not tell; `no_noise` says why.
    """

    name: str
    kind: str  # "curve", "bars" or "surface"
    x: Any
    y: np.ndarray
    interval: np.ndarray | None
    no_interval: str | None
    noise: np.ndarray | None
    no_noise: str | None
    missing: Any  # what an empty cell of a number adds, where the schema has an indicator for it; else None
    log1p_from: Any  # of a pair, a tuple of two


def read(model: _core.Model, in_order: Callable[[np.ndarray], np.ndarray]) -> dict[str, Curve]:
    told = model.curves
    if told["curves"] is None:
        raise UsageError(told["no_curves"])
    several = len(told["outputs"]) > 1
    return {name: _curve(name, curve, told, several, in_order) for name, curve in told["curves"].items()}


def _curve(
    name: str, told: dict[str, Any], of_all: dict[str, Any], several: bool, in_order: Callable[[np.ndarray], np.ndarray]
) -> Curve:
    def ordered(values: Any) -> np.ndarray:
        numbers = np.asarray(values, dtype=float)
        return in_order(numbers) if several else in_order(numbers[np.newaxis])[0]

    surface = told["kind"] == "surface"
    interval = None
    if told["interval"] is not None:  # a change of sign exchanges the ends
        interval = np.sort(ordered(told["interval"]), axis=-1)
    missing = told.get("missing")
    return Curve(
        name=name,
        kind=told["kind"],
        x=tuple(np.asarray(axis) for axis in told["x"]) if surface else np.asarray(told["x"]),
        y=ordered(told["y"]),
        interval=interval,
        no_interval=of_all["no_interval"],
        noise=None if told["noise"] is None else np.abs(ordered(told["noise"])),
        no_noise=of_all["no_noise"],
        missing=None if missing is None else ordered(missing)[()],
        log1p_from=tuple(_log1p_from(scale) for scale in told["scale"]) if surface else _log1p_from(told["scale"]),
    )


def _log1p_from(scale: dict[str, float] | None) -> float | None:
    return None if scale is None else scale["log1p_from"]


class Svg(str):
    """An SVG as text, which notebooks show as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


def figure(estimator: Any, column: str) -> Any:
    """A matplotlib figure, or None where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    curves = [curve for name, curve in estimator.curves_.items() if column in ("", name)]
    curves.sort(key=lambda curve: -np.ptp(curve.y))
    labels = [str(label) for label in getattr(estimator, "classes_", [])]
    across = min(3, len(curves))
    down = math.ceil(len(curves) / across)
    drawn = Figure(figsize=(4.2 * across, 3 * down), layout="constrained")
    for place, curve in enumerate(curves):
        _draw(drawn, drawn.add_subplot(down, across, place + 1), curve, labels)
    return drawn


def _draw(drawn: Any, axes: Any, curve: Curve, labels: list[str]) -> None:
    axes.set_title(curve.name, fontsize="medium", loc="left", fontweight="bold")
    if curve.kind == "surface":
        _draw_surface(drawn, axes, curve)
        return
    rows = np.atleast_2d(curve.y)
    x = curve.x
    if curve.kind == "curve" and x.dtype.kind == "U":  # dates
        x = np.array([text.removesuffix("Z") for text in x], dtype="datetime64[s]")
    for number, y in enumerate(rows):
        band = None if curve.interval is None else curve.interval.reshape(*rows.shape, 2)[number]
        label = labels[number] if len(rows) > 1 and number < len(labels) else None
        if curve.kind == "bars":
            if curve.noise is not None and number == 0:
                noise = np.atleast_2d(curve.noise).max(axis=0)
                axes.barh(range(len(y)), 2 * noise, left=-noise, height=1, color="0.9")
            if label is None:
                axes.barh(range(len(y)), y)
            else:
                axes.plot(y, range(len(y)), "o", label=label)
            if band is not None:
                axes.hlines(range(len(y)), band[:, 0], band[:, 1], color="0.5")
        else:
            if curve.noise is not None and number == 0:
                noise = np.atleast_2d(curve.noise).max(axis=0)
                axes.fill_between(x, -noise, noise, color="0.9")
            axes.plot(x, y, marker="o", markersize=3, label=label)
            if band is not None:
                axes.fill_between(x, band[:, 0], band[:, 1], alpha=0.2)
    if curve.kind == "bars":
        axes.set_yticks(range(len(curve.x)), curve.x)
        axes.axvline(0, color="0.5", linewidth=0.8)
    else:
        axes.axhline(0, color="0.5", linewidth=0.8)
        if curve.log1p_from is not None:
            start = curve.log1p_from
            axes.set_xscale("function", functions=(lambda x: np.log1p(x - start), lambda t: np.expm1(t) + start))
    if len(rows) > 1:
        axes.legend(fontsize="small")


def _draw_surface(drawn: Any, axes: Any, curve: Curve) -> None:
    first, second = curve.x
    values = curve.y if curve.y.ndim == 2 else curve.y[0]
    most = np.abs(values).max() or 1.0
    picture = axes.pcolormesh(
        range(len(first)), range(len(second)), values.T, cmap="RdBu_r", vmin=-most, vmax=most, shading="nearest"
    )
    axes.set_xticks(range(len(first)), [_short(x) for x in first], rotation=45, ha="right", fontsize="small")
    axes.set_yticks(range(len(second)), [_short(x) for x in second], fontsize="small")
    drawn.colorbar(picture, ax=axes)


def _short(x: Any) -> str:
    return x if isinstance(x, str) else f"{x:.4g}"
