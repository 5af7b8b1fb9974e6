"""Draw a calibration table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.plots.theme import ACCENT, BAND, INK, PERCENT, SOFT, dressed
from penchant.text import percent

if TYPE_CHECKING:
    from penchant.metrics import CalibrationTable

_SIDE = 360


def calibration_chart(table: CalibrationTable) -> Any:
    """Draw how often things happened against how probable they were called, and how many were called so.

    Points on the diagonal are right; the bars are the intervals of the shares that happened.

    Parameters
    ----------
    table : CalibrationTable
        From `penchant.metrics.calibration_table`.

    Returns
    -------
    altair.VConcatChart

    Examples
    --------
    >>> from penchant.metrics import calibration_table
    >>> sorted(calibration_chart(calibration_table([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.6])).to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    whole = alt.Scale(domain=[0, 1], nice=False)
    percent = alt.Axis(labelExpr=PERCENT, tickCount=5, labelFlush=False)
    unlabelled = alt.Axis(labels=False, tickCount=5)
    stated = alt.X("probability:Q", title=None, scale=whole, axis=unlabelled)
    tooltip = [
        alt.Tooltip("stated:N", title="stated"),
        alt.Tooltip("happened:N", title="happened"),
        alt.Tooltip("count:Q", format=",", title="how many"),
    ]
    ideal = alt.Chart(alt.Data(values=[{"at": 0}, {"at": 1}])).encode(x="at:Q", y="at:Q")
    bins = alt.Chart(alt.Data(values=_bins(table))).encode(x=stated, tooltip=tooltip)
    shares = alt.layer(
        ideal.mark_line(color=SOFT, strokeDash=[4, 4], strokeWidth=1),
        bins.mark_rule(color=BAND, strokeWidth=5, strokeCap="round").encode(
            y="share_low:Q", y2="share_high:Q"
        ),
        bins.mark_circle(color=ACCENT, size=70, opacity=1).encode(
            y=alt.Y("share:Q", title="share that happened", scale=whole, axis=percent)
        ),
    ).properties(width=_SIDE, height=_SIDE, title=_title(table))
    counts = (
        alt.Chart(alt.Data(values=_bins(table)))
        .mark_bar(color=BAND, stroke="white")
        .encode(
            x=alt.X("low:Q", title="stated probability", scale=whole, axis=percent),
            x2="high:Q",
            y2=alt.datum(0),
            y=alt.Y("count:Q", title="how many", axis=alt.Axis(tickCount=3, tickMinStep=1, format="~s")),
            tooltip=tooltip,
        )
        .properties(width=_SIDE, height=70)
    )
    return dressed(alt.vconcat(shares, counts, spacing=8))


def _bins(table: CalibrationTable) -> list[dict[str, Any]]:
    names = ("low", "high", "probability", "share", "share_low", "share_high", "count")
    columns = [getattr(table, name).tolist() for name in names]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    level = f"{100 * table.level:g} %"
    return [
        row
        | {
            "stated": percent(row["probability"], 1),
            "happened": f"{percent(row['share'], 1)}, with {level} between {percent(row['share_low'], 1)} and "
            f"{percent(row['share_high'], 1)}",
        }
        for row in rows
    ]


def _title(table: CalibrationTable) -> Any:
    import altair as alt

    subtitle = (
        f"expected calibration error {table.expected_calibration_error:.3f}; "
        f"bars: {100 * table.level:g} % intervals"
    )
    return alt.TitleParams("Stated and happened", subtitle=subtitle, color=INK)
