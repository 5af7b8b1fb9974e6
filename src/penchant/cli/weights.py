"""``penchant weights``: what a coactive study has learned."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.options import Csv, Json, StudyFile, option
from penchant.cli.outputs import PRINTED, check_outputs, print_json, table_csv, write_rows
from penchant.cli.terminal import Terminal, rows_table, working_with

if TYPE_CHECKING:
    from penchant.coactive import WeightReport


def weights(
    file: StudyFile,
    user: Annotated[str | None, option("NAME", "Those of this user's own model.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many features are shown.")] = 20,
    csv: Csv = None,
    json: Json = False,
) -> None:
    """Show the weight of each feature and how steady it is.

    They are those of the next order, the largest first. Share is the weight divided by the norm of all weights. A
    steadiness of 1 is that of a share that never changed.
    """
    from penchant.study.coactive import CoactiveStudy

    check_outputs([file], [csv], json=json)
    with working_with("learning", CoactiveStudy.open, file, write=False) as study:
        report = study.weight_report() if user is None else None
        found = study.weights(user)
        progress, users = study.progress(), study.users if study.settings["per_user"] else ()
    rows = _rows(found, report)
    if csv is not None:
        write_rows(csv, table_csv(rows, text=("feature",)) if rows else "feature,weight\n")
    if json:
        print_json({"user": user, "weights": found, "report": _report_json(report), "users": list(users)})
        return
    if csv == PRINTED:
        return
    terminal = Terminal()
    terminal.say(progress if user is None else f"{user}: {progress}")
    if rows:
        terminal.show(rows_table([_cells(row) for row in rows[:top]]))
    if len(rows) > top:
        terminal.say(f"… and {len(rows) - top:,} features more (--top shows them)")
    if report is not None and not isnan(report.angle):
        terminal.say(f"The weights have turned by {report.angle:.1f}° since round {report.since:,}.")
    others = [name for name in users if name != user]
    terminal.next(
        ["weights", str(file), "--user", others[0]] if others and user is None else ["check", str(file)]
    )


def _rows(weights: dict[str, float], report: WeightReport | None) -> list[dict[str, Any]]:
    """Return one row a feature, the largest weight in size first."""
    if report is None:
        order = sorted(weights, key=lambda name: -abs(weights[name]))
        return [{"feature": name, "weight": weights[name]} for name in order]
    rows: Any = report.to_frame().to_dict("records")
    return list(rows)


def _cells(row: dict[str, Any]) -> dict[str, str]:
    cells = {"feature": row["feature"], "weight": f"{row['weight']:.4g}"}
    if "share" in row:
        cells |= {"share": f"{row['share']:.3f}", "steadiness": number(row["steadiness"], 2)}
    return cells


def number(value: float, digits: int = 3) -> str:
    """Return a number with so many digits, a dash where it is not known."""
    return "–" if isnan(value) else f"{value:.{digits}f}"


def _report_json(report: WeightReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    rows = report.to_frame().to_dict("records")
    return {"features": rows, "rounds": report.rounds, "since": report.since, "angle": report.angle}
