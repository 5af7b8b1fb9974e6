"""Draw the utility that a Gaussian process learned from features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_level, numbers, shown, vector
from penchant.errors import InvalidInput
from penchant.gp.inference.columns import Columns
from penchant.plots.contours import contour_segments
from penchant.plots.theme import ACCENT, BAND, INK, LOSES, PAPER, dressed
from penchant.text import percent

if TYPE_CHECKING:
    from penchant.gp import MonotoneGP, PreferenceGP

_SIDE = 320
_CELLS = 48
_LEVELS = 9
_POINTS = 60
_MOST_ROWS = 5_000  # Altair takes no more
_MOST_ITEMS = 2_000
_WRONG = "#fca5a5"
_TRUE = LOSES
_LINES = "lines: equal utility, at equal shares of the ground"
_DOTS = "dots: items that were compared"


def utility_chart(
    model: MonotoneGP | PreferenceGP, x: str | int = 0, y: str | int = 1, *, at: ArrayLike | None = None
) -> Any:
    """Draw the utility over two features as a map with lines of equal utility; other features stay where they are.

    Parameters
    ----------
    model : MonotoneGP or PreferenceGP
        A fitted one.
    x, y : str or int
        The two features, by name or index.
    at : array-like of shape (n_features,), optional
        Where the other features stay. None: in the middle.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> utility_chart(model).to_dict()["title"]["text"]
    'Utility'
    """
    import altair as alt

    view = _View.of(model, x, y, at)
    heights = view.heights(lambda rows: model.predict(rows))
    title = alt.TitleParams("Utility", subtitle=[repr(model), *view.elsewhere, _LINES, _DOTS], color=INK)
    layers = [_map(view, heights), *_lines(view, heights, INK, 1.2), _items(view, model)]
    return dressed(alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=title))


def surface_chart(
    utility: Callable[[Floats], Floats],
    *,
    box: ArrayLike = ((0.0, 1.0), (0.0, 1.0)),
    names: tuple[str, str] = ("x₁", "x₂"),
    items: ArrayLike | None = None,
    title: str = "Utility",
    subtitle: str = "",
) -> Any:
    """Draw a utility that is known over two features, as a map with lines of equal utility.

    Parameters
    ----------
    utility : callable
        From rows (k, 2) to utilities (k,).
    box : array-like of shape (2, 2)
        From where to where each feature goes.
    names : tuple of str
        Of the two features.
    items : array-like of shape (n, 2), optional
        Points to mark.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> surface_chart(lambda rows: rows[:, 0] - rows[:, 1] ** 2).to_dict()["title"]["text"]
    'Utility'
    """
    import altair as alt

    sides = numbers("box", box)
    if sides.shape != (2, 2) or not (sides[:, 0] < sides[:, 1]).all():
        raise InvalidInput(
            f"box must hold a lower and a higher end for each of two features, got {shown(box)}: correct it"
        )
    view = _View(sides, names, (0, 1), sides.mean(axis=1))
    heights = view.heights(utility)
    layers = [_map(view, heights), *_lines(view, heights, INK, 1.2)]
    if items is not None:
        layers.append(_points(view, numbers("items", items)))
    key = [*([subtitle] if subtitle else []), _LINES, *([] if items is None else ["dots: items"])]
    heading = alt.TitleParams(title, subtitle=key, color=INK)
    return dressed(alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=heading))


def slices_chart(
    model: MonotoneGP | PreferenceGP, *, at: ArrayLike | None = None, level: float = 0.95
) -> Any:
    """Draw how the utility changes with each feature alone, with a band that claims to hold it in ``level`` of cases.

    The change is counted from the point ``at``, where it is 0 and certain: the level of a utility is arbitrary.
    The bands of a `PreferenceGP` by expectation propagation keep their word; those of Laplace's approximation
    are a little too narrow, and those of a `MonotoneGP` whose noise was learned hold less: in the case study
    of its paper 83 % for 95 %.

    Parameters
    ----------
    model : MonotoneGP or PreferenceGP
        A fitted one.
    at : array-like of shape (n_features,), optional
        Through which point the slices go. None: the middle.
    level : float
        Above 0 and below 1.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> sorted(slices_chart(model).to_dict())[:2]
    ['$schema', 'columns']
    """
    import altair as alt
    from scipy.special import ndtri

    check_level(level)
    box, columns = _box(model), _columns(model)
    point = _point(at, box)
    slices = [
        _slice(columns.labels[feature], *_changes(model, point, feature, box), float(ndtri((1 + level) / 2)))
        for feature in range(columns.count)
    ]
    start = "the middle" if at is None else _told(columns.labels, point)
    subtitle = f"change from {start}; {_promise(model, level)}"
    title = alt.TitleParams("Utility along each feature", subtitle=subtitle, color=INK)
    return dressed(
        alt.concat(*slices, columns=3, spacing=24).resolve_scale(y="shared").properties(title=title)
    )


def monotone_chart(model: MonotoneGP, truth: Callable[[Floats], Floats] | None = None) -> Any:
    """Draw f_MAP, which need not be monotone, beside the blended utility, which is: the paper's two pictures.

    Where a slope of a constrained feature has the wrong sign, the ground is red. Thick lines are the
    estimate; thin ones, where ``truth`` is known, the true utility at the same shares of the ground.

    Parameters
    ----------
    model : MonotoneGP
        A fitted one with two features.
    truth : callable, optional
        From rows (k, 2) to true utilities (k,).

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> sorted(monotone_chart(model).to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    _columns(model)
    if not hasattr(model, "certificate_"):
        raise InvalidInput(
            f"the model must be a MonotoneGP, got {type(model).__name__}: draw others with utility_chart"
        )
    if model.n_features_in_ != 2:
        raise InvalidInput(
            f"the model must have two features, got {model.n_features_in_}: draw others with utility_chart"
        )
    view = _View.of(model, 0, 1, None)
    pictures = []
    for alpha, title in ((0.0, "f_MAP: not proven monotone"), (model.alpha_, "blended: proven monotone")):
        wrong = view.heights(lambda rows, alpha=alpha: _wrong(model, rows, alpha))  # type: ignore[misc]
        heights = view.heights(lambda rows, alpha=alpha: model.predict(rows, alpha=alpha))  # type: ignore[misc]
        layers = [_ground(view, wrong)]
        if truth is not None:
            layers += _lines(view, view.heights(truth), _TRUE, 1.0)
        layers += [*_lines(view, heights, ACCENT, 2.4), _items(view, model)]
        share = f"α = {alpha:.3g}; wrong slope (red) on {percent(float(wrong.mean()), 1)} of the ground"
        key = "thick: the estimate" + ("" if truth is None else "; thin: the true utility")
        heading = alt.TitleParams(title, subtitle=[share, _LINES, key, _DOTS], color=INK)
        pictures.append(alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=heading))
    return dressed(alt.hconcat(*pictures, spacing=32))


class _View:
    """Two features of a box, as a grid: where the cells are, and what rows stand there."""

    def __init__(self, box: Floats, labels: tuple[str, ...], axes: tuple[int, int], point: Floats) -> None:
        self.axes, self.box = axes, box
        self.names = tuple(labels[axis] for axis in axes)
        self.ticks = [np.linspace(box[axis, 0], box[axis, 1], _CELLS) for axis in axes]
        rows = np.tile(point, (_CELLS * _CELLS, 1))
        for axis, ticks in zip(axes, np.meshgrid(*self.ticks, indexing="ij"), strict=True):
            rows[:, axis] = ticks.ravel()
        self.rows = rows
        others = [place for place in range(len(labels)) if place not in axes]
        self.elsewhere = [_told([labels[i] for i in others], point[others])] if others else []

    @classmethod
    def of(cls, model: Any, x: str | int, y: str | int, at: ArrayLike | None) -> _View:
        columns, box = _columns(model), _box(model)
        axes = columns.place(x), columns.place(y)
        if axes[0] == axes[1]:
            raise InvalidInput(
                f"x and y must be two features, got {columns.labels[axes[0]]} twice: change one"
            )
        return cls(box, columns.labels, axes, _point(at, box))

    def heights(self, utility: Callable[[Floats], Any]) -> Floats:
        return np.asarray(utility(self.rows), dtype=np.float64).reshape(_CELLS, _CELLS)

    def encodings(self, x: str, y: str) -> tuple[Any, Any]:
        import altair as alt

        scales = [alt.Scale(domain=self.box[axis].tolist(), nice=False) for axis in self.axes]
        return (
            alt.X(f"{x}:Q", title=self.names[0], scale=scales[0]),
            alt.Y(f"{y}:Q", title=self.names[1], scale=scales[1]),
        )

    def cells(self, values: Floats) -> Any:
        """Return a chart of the cells, each with its value."""
        import altair as alt

        edges = []
        for ticks in self.ticks:
            middle = (ticks[1:] + ticks[:-1]) / 2
            edges.append(np.concatenate([ticks[:1], middle, ticks[-1:]]))
        hair = [
            (axis[-1] - axis[0]) / 2000 for axis in edges
        ]  # cells overlap, or the seams between them show
        upper = [np.minimum(axis[1:] + more, axis[-1]) for axis, more in zip(edges, hair, strict=True)]
        lower = [axis[:-1] for axis in edges]
        places = [np.meshgrid(*side, indexing="ij") for side in (lower, upper)]
        names = ("left", "low", "right", "high")
        ends = [place.ravel() for pair in places for place in pair]
        data = dict(zip(names, ends, strict=True)) | {"value": values.ravel()}
        x, y = self.encodings("left", "low")
        return alt.Chart(_rows(data)).mark_rect().encode(x=x, y=y, x2="right:Q", y2="high:Q")


def _map(view: _View, heights: Floats) -> Any:
    import altair as alt

    colour = alt.Color(
        "value:Q",
        title="utility",
        scale=alt.Scale(range=[PAPER, BAND, ACCENT], interpolate="lab"),
        legend=alt.Legend(gradientLength=120, tickCount=4),
    )
    return view.cells(heights).encode(color=colour)


def _ground(view: _View, wrong: Floats) -> Any:
    import altair as alt

    return view.cells(wrong).encode(
        color=alt.condition("datum.value > 0", alt.value(_WRONG), alt.value(PAPER))
    )


def _lines(view: _View, heights: Floats, colour: str, width: float) -> list[Any]:
    """Return lines of equal height at equal shares of the ground: utilities are ordinal.

    A surface so rough that the lines have too many pieces gets fewer lines.
    """
    import altair as alt

    across, up = view.ticks
    for n_levels in range(_LEVELS, 0, -1):
        levels = np.quantile(heights, np.linspace(0, 1, n_levels + 2)[1:-1])
        pieces = np.concatenate([contour_segments(across, up, heights, level) for level in levels])
        if len(pieces) <= _MOST_ROWS:
            break
    if not len(pieces):
        return []
    data = _rows(dict(zip(("x", "y", "x2", "y2"), pieces.T, strict=True)))
    x, y = view.encodings("x", "y")
    chart = alt.Chart(data).mark_rule(color=colour, strokeWidth=width, strokeCap="round")
    return [chart.encode(x=x, y=y, x2="x2:Q", y2="y2:Q")]


def _items(view: _View, model: Any) -> Any:
    return _points(view, _compared(model)[:_MOST_ITEMS, list(view.axes)])


def _points(view: _View, rows: Floats) -> Any:
    import altair as alt

    across, up = rows.T
    x, y = view.encodings("x", "y")
    return (
        alt.Chart(_rows({"x": across, "y": up})).mark_circle(color=INK, size=14, opacity=0.7).encode(x=x, y=y)
    )


def _slice(label: str, ticks: Floats, change: Floats, deviation: Floats, wide: float) -> Any:
    import altair as alt

    rows = {
        "x": ticks,
        "change": change,
        "low": change - wide * deviation,
        "high": change + wide * deviation,
    }
    chart = alt.Chart(_rows(rows)).encode(
        x=alt.X("x:Q", title=label, scale=alt.Scale(domain=[float(ticks[0]), float(ticks[-1])], nice=False))
    )
    y = alt.Y("change:Q", title="change of utility")
    return alt.layer(
        chart.mark_area(color=BAND, opacity=0.8).encode(
            y=alt.Y("low:Q", title="change of utility"), y2="high:Q"
        ),
        chart.mark_line(color=ACCENT, strokeWidth=2).encode(y=y),
    ).properties(width=220, height=200)


def _promise(model: Any, level: float) -> str:
    """Say what the bands hold, as far as that was measured."""
    if getattr(model, "inference", None) == "ep":
        return f"bands hold it with {100 * level:g} %"
    learned = hasattr(model, "certificate_") and model.noise is None
    return f"bands of {100 * level:g} %, " + (
        "too narrow where the noise was learned" if learned else "if the settings are right"
    )


def _changes(model: Any, point: Floats, feature: int, box: Floats) -> tuple[Floats, Floats, Floats]:
    """Return places along a feature, how the utility changes there from ``point``, and the sd of that."""
    ticks = np.linspace(box[feature, 0], box[feature, 1], _POINTS)
    rows = np.tile(point, (_POINTS, 1))
    rows[:, feature] = ticks
    if hasattr(model, "difference"):
        return ticks, *model.difference(rows, point)
    mean, covariance = model.predict(np.vstack([rows, point]), return_cov=True)
    own = np.diagonal(covariance)
    variance = own[:-1] + own[-1] - 2 * covariance[:-1, -1]
    return ticks, mean[:-1] - mean[-1], np.sqrt(np.maximum(variance, 0))


def _rows(columns: dict[str, Floats]) -> Any:
    """Return a frame, which Altair takes without looking at each cell."""
    from pandas import DataFrame

    return DataFrame(columns)


def _wrong(model: MonotoneGP, rows: Floats, alpha: float) -> Any:
    return (model.gradient(rows, alpha=alpha) * model.direction_ < 0).any(axis=1)


def _columns(model: Any) -> Columns:
    if not hasattr(model, "n_features_in_"):
        model.predict([])  # says that it must be fitted first
    return Columns(model.n_features_in_, getattr(model, "feature_names_in_", None))


def _compared(model: Any) -> Floats:
    return np.asarray(model.features_)


def _box(model: Any) -> Floats:
    if hasattr(model, "box_"):
        return np.asarray(model.box_)
    rows = _compared(model)
    return np.column_stack([rows.min(axis=0), rows.max(axis=0)])


def _point(at: ArrayLike | None, box: Floats) -> Floats:
    return box.mean(axis=1) if at is None else vector("at", at, length=len(box))


def _told(labels: Any, values: Floats) -> str:
    return ", ".join(f"{label} = {value:.3g}" for label, value in zip(labels, values, strict=True))
