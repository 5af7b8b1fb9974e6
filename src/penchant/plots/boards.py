"""Draw boards side by side, rankings over time, and a ranking adjusted for the effects of covariates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.plots.theme import GROUPS, INK, LOSES, SOFT, WINS, dressed

if TYPE_CHECKING:
    from penchant.ranking import Ranking
    from penchant.worth import Boards, Effects

_ROW = 22
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
_COLOURED = 6
_MOST_BOARDS = 24
"""How many boards are drawn side by side; each has a colour and shape that no other has."""
_MOST_MARKS = 150


def boards_chart(boards: Boards, *, most: int = 25) -> Any:
    """Draw the scores on all boards: a row an item, a mark a board; or lines over time.

    Parameters
    ----------
    boards : Boards
    most : int
        How many items are drawn at most, the best overall: over time at most 12, and fewer on many boards, of which
        the largest 24 are drawn.

    Returns
    -------
    altair.Chart
        With the effects of covariates below, where the model was fitted with some.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import rank_by
    >>> prefs = Preferences.from_pairs([("a", "b")] * 6 + [("b", "a")] * 4 + [("b", "a")] * 8 + [("a", "b")] * 2)
    >>> boards_chart(rank_by(prefs, ["code"] * 10 + ["maths"] * 10)).to_dict()["title"]["text"]
    '2 items on 2 boards'
    """
    import altair as alt

    chart = _over_time(boards, min(most, 12)) if boards.over_time else _side_by_side(boards, most)
    if boards.overall_effects is None:
        return dressed(chart)
    below = _effects_by_board(boards)
    both = alt.vconcat(chart, below, spacing=26)
    return dressed(both.resolve_scale(color="independent", shape="independent", strokeDash="independent"))


def _frame(boards: Boards, most: int) -> Any:
    frame = boards.to_frame()
    shown = list(boards.overall.items[:most])
    frame = frame[frame["item"].isin(shown)].copy()
    frame["differs"] = (frame["p_adjusted"] < 1 - boards.level).map({True: "yes", False: "no"})
    return frame, shown


def _side_by_side(boards: Boards, most: int) -> Any:
    import altair as alt

    names = list(boards.names[:_MOST_BOARDS])
    frame, shown = _frame(boards, min(most, max(5, _MOST_MARKS // len(names))))
    frame = frame[frame["board"].isin(names)]
    colours = [GROUPS[place % _COLOURED] for place in range(len(names))]
    shapes = [_SHAPES[(place + place // _COLOURED) % len(_SHAPES)] for place in range(len(names))]
    step = max(8, 44 // max(2, len(names)))
    solid = alt.Legend(title="board", symbolOpacity=1)
    base = alt.Chart(frame).encode(
        y=alt.Y("item:N", sort=shown, title=None, axis=alt.Axis(labelLimit=260, grid=True)),
        yOffset=alt.YOffset("board:N", sort=names),
        color=alt.Color("board:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=solid),
    )
    score = alt.X(
        "score:Q", title=boards.overall.unit, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)
    )
    marks = base.mark_point(size=60, filled=True, opacity=1).encode(
        x=score,
        shape=alt.Shape("board:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=solid),
        tooltip=_tooltip(alt),
    )
    layers = [marks]
    if "lower" in frame:
        layers.insert(0, base.mark_rule(strokeWidth=4, opacity=0.3).encode(x="lower:Q", x2="upper:Q"))
    sure = frame[frame["differs"] == "yes"]
    if len(sure):
        ring = alt.Chart(sure).mark_point(size=190, strokeWidth=1.4, color=INK, opacity=0.9)
        layers.append(
            ring.encode(
                y=alt.Y("item:N", sort=shown), yOffset=alt.YOffset("board:N", sort=names), x="score:Q"
            )
        )
    subtitle = [
        _intervals(boards),
        f"ringed: surely different from {boards.against} (corrected for all comparisons)",
    ]
    return alt.layer(*layers).properties(
        width=460,
        height=alt.Step(step),
        title=alt.TitleParams(_title(boards, len(shown)), subtitle=subtitle, color=INK),
    )


def _over_time(boards: Boards, most: int) -> Any:
    import altair as alt

    frame, shown = _frame(boards, most)
    names = list(boards.names)
    coloured = shown[:_COLOURED]
    frame["line"] = [item if item in coloured else "others" for item in frame["item"]]
    domain = coloured + (["others"] if len(shown) > len(coloured) else [])
    colours = [*GROUPS[: len(coloured)], "#c4c9d1"][: len(domain)]
    dashes = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [1, 0]][: len(domain)]
    base = alt.Chart(frame).encode(
        x=alt.X("board:O", sort=names, title=None, axis=alt.Axis(labelAngle=0 if len(names) < 8 else -40)),
        color=alt.Color(
            "line:N",
            scale=alt.Scale(domain=domain, range=colours),
            sort=domain,
            legend=alt.Legend(title=None, symbolOpacity=1, symbolType="stroke", symbolSize=300),
        ),
        detail="item:N",
    )
    score = alt.Y("score:Q", title=boards.overall.unit, scale=alt.Scale(zero=False))
    line = base.mark_line(point=alt.OverlayMarkDef(size=45), strokeWidth=2).encode(
        y=score,
        strokeDash=alt.StrokeDash(
            "line:N", scale=alt.Scale(domain=domain, range=dashes), sort=domain, title=None
        ),
        tooltip=_tooltip(alt),
    )
    layers = [line]
    if "lower" in frame:
        band = base.transform_filter(alt.FieldOneOfPredicate(field="item", oneOf=coloured[:3]))
        layers.insert(0, band.mark_area(opacity=0.12).encode(y="lower:Q", y2="upper:Q"))
    subtitle = [
        f"bands: {100 * boards.level:g} % intervals of the best three; each period is fitted by itself"
    ]
    return alt.layer(*layers).properties(
        width=560,
        height=340,
        title=alt.TitleParams(_title(boards, len(shown)), subtitle=subtitle, color=INK),
    )


def _tooltip(alt: Any) -> list[Any]:
    number = ".2f"
    return [
        alt.Tooltip("item:N"),
        alt.Tooltip("board:N"),
        alt.Tooltip("rank:Q"),
        alt.Tooltip("score:Q", format=number),
        alt.Tooltip("lower:Q", format=number),
        alt.Tooltip("upper:Q", format=number),
        alt.Tooltip("difference:Q", format=number, title="difference"),
        alt.Tooltip("p_adjusted:Q", format=".3f", title="p, corrected"),
    ]


def _intervals(boards: Boards) -> str:
    return f"bars: {100 * boards.level:g} % intervals"


def _title(boards: Boards, drawn: int) -> str:
    total = len(boards.overall)
    n_boards = len(boards.names)
    if boards.over_time:
        return f"{_items(drawn, total)} on {n_boards} periods"
    most = (
        f"{n_boards} boards"
        if n_boards <= _MOST_BOARDS
        else f"the largest {_MOST_BOARDS} of {n_boards} boards"
    )
    return f"{_items(drawn, total)} on {most}"


def _items(drawn: int, total: int) -> str:
    return f"{total:,} items" if drawn == total else f"the best {drawn} of {total:,} items"


def adjusted_chart(
    ranking: Ranking, effects: Effects, unadjusted: Ranking | None = None, *, most: int = 30
) -> Any:
    """Draw a ranking that is adjusted for covariates, and below it their effects.

    Parameters
    ----------
    ranking : Ranking
    effects : Effects
    unadjusted : Ranking, optional
        On the same scale; its scores are hollow circles.
    most : int
        How many items are drawn at most.

    Returns
    -------
    altair.VConcatChart

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> votes = Preferences.from_answers(list("aabb") * 9, list("bcca") * 9, ["left", "left", "right", "left"] * 9)
    >>> model = BradleyTerry().fit(votes, side=True)
    >>> sorted(adjusted_chart(model.rank(), model.effects_).to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    frame = ranking.to_frame().head(most)
    frame["label"] = [f"{rank}  {item}" for rank, item in zip(frame["rank"], frame["item"], strict=True)]
    rows = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    drawn = alt.Chart(frame).encode(y=rows)
    score = alt.X("score:Q", title=ranking.unit, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
    layers = [drawn.mark_circle(size=70, color=WINS, opacity=1).encode(x=score, tooltip=["item", "score"])]
    if ranking.lower is not None:
        layers.insert(
            0, drawn.mark_rule(strokeWidth=5, opacity=0.3, color=WINS).encode(x="lower:Q", x2="upper:Q")
        )
    subtitle = [f"dots: adjusted scores with {100 * ranking.level:g} % intervals"]
    if unadjusted is not None:
        before = dict(zip(unadjusted.items, unadjusted.scores, strict=True))
        frame["before"] = [float(before[item]) for item in frame["item"]]
        hollow = drawn.mark_point(size=70, color=LOSES, strokeWidth=1.6, filled=False)
        layers.append(hollow.encode(x="before:Q", tooltip=["item", "before"]))
        subtitle[0] += "; hollow: without adjustment"
    names = " and ".join(
        [", ".join(effects.names[:-1]), effects.names[-1]] if len(effects) > 1 else effects.names
    )
    top = alt.layer(*layers).properties(
        width=460,
        height=_ROW * len(frame),
        title=alt.TitleParams(
            f"{_items(len(frame), len(ranking))}, adjusted for {names}", subtitle=subtitle, color=INK
        ),
    )
    return dressed(alt.vconcat(top, _effects(effects, ranking.level), spacing=26))


def effects_chart(effects: Effects, *, level: float = 0.95) -> Any:
    """Draw what a usual difference in each covariate adds, with intervals: those that miss 0 are effects for sure.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> votes = Preferences.from_answers(list("aabb") * 9, list("bcca") * 9, ["left", "left", "right", "left"] * 9)
    >>> effects_chart(BradleyTerry().fit(votes, side=True).effects_).to_dict()["title"]["text"]
    'Effects of covariates'
    """
    return dressed(_effects(effects, level))


def _added() -> Any:
    import altair as alt

    # Labels that nearly touch read as one number; every second one goes.
    axis = alt.Axis(labelSeparation=8)
    return alt.X("per_sd:Q", title="log odds added by one standard deviation of the covariate", axis=axis)


def _effects(effects: Effects, level: float) -> Any:
    import altair as alt

    frame = effects.to_frame(level)
    for column in ("lower", "upper"):
        frame[column] *= effects.spread
    base = alt.Chart(frame).encode(
        y=alt.Y("effect:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)),
        tooltip=[
            "effect",
            alt.Tooltip("estimate:Q", format=".4g"),
            alt.Tooltip("error:Q", format=".3g"),
            "p",
        ],
    )
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(x="zero:Q")
    )
    scale = _added()
    layers = (
        zero,
        base.mark_rule(strokeWidth=5, opacity=0.3, color=INK).encode(x="lower:Q", x2="upper:Q"),
        base.mark_point(size=70, filled=True, shape="diamond", color=INK, opacity=1).encode(x=scale),
    )
    return alt.layer(*layers).properties(
        width=460,
        height=max(30, _ROW * len(frame)),
        title=alt.TitleParams(
            "Effects of covariates", subtitle=f"bars: {100 * level:g} % intervals", color=INK
        ),
    )


def _effects_by_board(boards: Boards) -> Any:
    """Draw the effects on each board below one another, those of all rows first."""
    import altair as alt

    from penchant.worth.boards import ALL

    frame = boards.effects_frame()
    drawn = [ALL, *(boards.names if boards.over_time else boards.names[:_MOST_BOARDS])]
    frame = frame[frame["board"].isin(drawn)].copy()
    width = (frame["per_sd"] / frame["estimate"]).fillna(0.0)
    frame["lower"], frame["upper"] = frame["lower"] * width, frame["upper"] * width
    base = alt.Chart(frame).encode(
        y=alt.Y("board:N", sort=drawn, title=None, axis=alt.Axis(labelLimit=260)),
        tooltip=[
            "board",
            "effect",
            alt.Tooltip("estimate:Q", format=".4g"),
            alt.Tooltip("error:Q", format=".3g"),
            alt.Tooltip("p:Q", format=".3f"),
        ],
    )
    scale = _added()
    layers = (
        base.mark_rule(strokeWidth=5, opacity=0.3, color=INK).encode(x="lower:Q", x2="upper:Q"),
        base.mark_point(size=70, filled=True, shape="diamond", color=INK, opacity=1).encode(x=scale),
        alt.Chart(frame).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(x=alt.datum(0)),
    )
    title = alt.TitleParams(
        "Effects of covariates on each board", subtitle=f"bars: {100 * boards.level:g} % intervals", color=INK
    )
    return (
        alt.layer(*layers)
        .properties(width=460, height=alt.Step(_ROW))
        .facet(
            row=alt.Row("effect:N", sort=None, title=None, header=alt.Header(labelAngle=0, labelAlign="left"))
        )
        .properties(title=title)
    )
