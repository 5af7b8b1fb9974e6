"""The commands ``penchant judges list``, ``set-aside`` and ``take-back``: how reliable judges are, and who counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import kept_warnings, naming, report
from penchant.cli.groups import LISTS, listing_group
from penchant.cli.inputs import file_or_input, holds_study, read_reported, read_table
from penchant.cli.options import Csv, File, Json, Level, StudyFile, option, picture_option
from penchant.cli.outputs import PRINTED, check_outputs, print_json, table_csv, write_rows
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, drawn, opened, rows_table, working, working_with
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.formats import Reading
    from penchant.worth.judges import Judges

Name = Annotated[str, typer.Argument(metavar="JUDGE", help="The name of a judge.", show_default=False)]


def list_judges(
    file: File,
    program: Annotated[
        list[str] | None,
        option("NAME", "A judge that is a program; may be given again. Agreement is then with people alone."),
    ] = None,
    seconds: Annotated[
        str | None,
        option("COLUMN", "The column of FILE (.csv, .tsv) that says how many seconds an answer took."),
    ] = None,
    level: Level = 0.95,
    csv: Csv = None,
    plot: Annotated[Path | None, picture_option("Draw the judges")] = None,
    json: Json = False,
) -> None:
    """List the judges of a study, or of a file of answers.

    How reliable each is, whether they lean to a side, how often they agree with other people about the same pair, how
    fast they answer, and who to look at.
    """
    check_outputs([file], [csv], [plot], json=json)
    with kept_warnings() as warned, naming(programs="--program"):
        found, aside = _judges(file, tuple(program or ()), seconds, level)
    frame = found.to_frame()
    records = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
    rows = [{**row, "counts": row["judge"] not in aside} for row in records]
    if csv is not None and rows:
        write_rows(csv, table_csv(rows, text=("judge", "finding")))
    picture = None if plot is None else drawn(lambda: _chart(found), plot)
    if json:
        print_json(rows)
    elif csv != PRINTED:
        _show(file, found, aside, [f"Table: {csv}"] if csv else [], picture)
    for line in warned:
        report(line)


def _chart(found: Judges) -> Any:
    from penchant.plots import judges_chart

    return judges_chart(found)


def _show(
    file: StudyPlace, found: Judges, aside: tuple[str, ...], written: list[str], picture: Path | None
) -> None:
    terminal = Terminal()
    if not len(found):
        terminal.say("No judge is named.")
    else:
        marks = dict.fromkeys(aside, "set aside")
        terminal.show(rows_table([{**row, "": marks.get(row["judge"], "")} for row in found.rows()]))
        terminal.say(*found.notes())
    terminal.say(*(f"Set aside: {name}" for name in aside if name not in found.judges))
    terminal.say(*written, *([] if picture is None else [f"Picture: {picture}"]))
    doubtful = [name for name, why in zip(found.judges, found.findings, strict=True) if why]
    if holds_study(file) and doubtful:
        terminal.next(["judges", "set-aside", str(file), doubtful[0]])
    else:
        terminal.next(["check", str(file)])


def _judges(
    file: StudyPlace, programs: tuple[str, ...], seconds: str | None, level: float
) -> tuple[Judges, tuple[str, ...]]:
    """Return the judges, the least reliable first, and those whose answers do not count."""
    if not isinstance(file, Path) or holds_study(file):
        from penchant.study import CompareStudy

        if seconds is not None:
            raise InvalidInput.of(
                "--seconds", "be given for a file", "a study", "leave it out: a study knows it"
            )
        with working_with("comparing judges", CompareStudy.open, file, write=False) as study:
            found = study.judges(level=level, programs=programs)
            pace = {activity.judge: activity.seconds for activity in study.activity()}
            return _paced(found, pace), study.aside
    from penchant.worth import CrowdBradleyTerry

    with file_or_input(file) as place:
        reading = read_reported(place)
        if not reading.preferences.judges:
            raise InvalidInput(f"{file} must say who answered, got nobody: add a column judge")
        with working("comparing judges"):
            found = CrowdBradleyTerry().fit(reading.preferences).judges(level=level, programs=programs)
        return (found if seconds is None else _paced(found, _seconds(place, reading, seconds))), ()


def _seconds(file: Path, reading: Reading, column: str) -> dict[str, float | None]:
    """Return the median of a column of seconds for each judge."""
    from pandas import to_numeric

    table = read_table(file)
    if column not in table:
        raise InvalidInput.of("--seconds", f"name a column of {file}", repr(column), "correct it")
    numbers = to_numeric(table[column], errors="coerce")
    if not numbers.notna().any():
        raise InvalidInput.of(
            "--seconds",
            f"name a column of numbers of {file}",
            f"{column!r}, which holds none",
            "name the column of the seconds that each answer took",
        )
    by_judge = numbers.groupby(table[reading.columns["judge"]].astype(str))
    return dict(by_judge.median().items())  # type: ignore[arg-type]


def _paced(found: Judges, pace: Mapping[str, float | None]) -> Judges:
    """Return judges with the median seconds of their answers, where any are known."""
    import numpy as np

    seconds = np.array([pace.get(judge) for judge in found.judges], dtype=np.float64)
    return replace(found, seconds=seconds) if np.isfinite(seconds).any() else found


def set_aside(file: StudyFile, judge: Name, json: Json = False) -> None:
    """Leave a judge's answers, earlier and later ones, out of the ranking; they are kept."""
    from penchant.study import CompareStudy

    with opened(CompareStudy.open, file) as study:
        study.set_aside(judge)
        progress = study.progress()
    _report(file, judge, f"{judge}: set aside; {progress}", "take-back", json)


def take_back(file: StudyFile, judge: Name, json: Json = False) -> None:
    """Let the answers of a judge who was set aside count again."""
    from penchant.study import CompareStudy

    with opened(CompareStudy.open, file) as study:
        study.take_back(judge)
        progress = study.progress()
    _report(file, judge, f"{judge}: counts again; {progress}", "set-aside", json)


def _report(file: StudyPlace, judge: str, line: str, back: str, json: bool) -> None:
    if json:
        print_json({"judge": judge, "counts": back == "set-aside"})
        return
    terminal = Terminal()
    terminal.say(line)
    terminal.next(["judges", back, str(file), judge])


judges = listing_group(
    "List judges and how reliable they are; set one aside.",
    {LISTS: list_judges, "set-aside": set_aside, "take-back": take_back},
    limited=True,
)
