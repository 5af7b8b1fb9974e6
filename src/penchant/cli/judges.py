"""The commands ``penchant judges list``, ``set-aside`` and ``take-back``: how reliable judges are, and who counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli.command import kept_warnings, report
from penchant.cli.groups import LISTS, listing_group
from penchant.cli.inputs import holds_study, read_reported
from penchant.cli.options import File, Json, StudyFile
from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, busy, rows_table
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.worth.judges import Judges

Name = Annotated[str, typer.Argument(metavar="JUDGE", help="The name of a judge.", show_default=False)]


def list_judges(file: File, json: Json = False) -> None:
    """List the judges of a study, or of a file of answers: how reliable each is, and whether they lean to a side."""
    with kept_warnings() as warned:
        found, aside = _judges(file)
    if json:
        rows = found.to_frame().to_dict("records")
        print_json([{**row, "counts": row["judge"] not in aside} for row in rows])
    else:
        _show(file, found, aside)
    for line in warned:
        report(line)


def _show(file: StudyPlace, found: Judges, aside: tuple[str, ...]) -> None:
    terminal = Terminal()
    if not len(found):
        terminal.say("No judge is named.")
    else:
        terminal.show(
            rows_table([{**row, "": "set aside" if row["judge"] in aside else ""} for row in found.rows()])
        )
    terminal.say(*(f"Set aside: {name}" for name in aside if name not in found.judges))
    if holds_study(file) and len(found):
        terminal.next(["judges", "set-aside", str(file), found.judges[0]])
    else:
        terminal.next(["check", str(file)])


def _judges(file: StudyPlace) -> tuple[Judges, tuple[str, ...]]:
    """Return the judges, the least reliable first, and those whose answers do not count."""
    if holds_study(file):
        from penchant.study import CompareStudy

        with busy("comparing judges"), CompareStudy.open(file, write=False) as study:
            return study.judges(), study.aside
    from penchant.worth import CrowdBradleyTerry

    preferences = read_reported(file).preferences
    if not preferences.judges:
        raise InvalidInput(f"{file} must say who answered, got nobody: add a column judge")
    with busy("comparing judges"):
        return CrowdBradleyTerry().fit(preferences).judges(), ()


def set_aside(file: StudyFile, judge: Name, json: Json = False) -> None:
    """Leave a judge's answers, earlier and later ones, out of the ranking; they are kept."""
    from penchant.study import CompareStudy

    with CompareStudy.open(file) as study:
        study.set_aside(judge)
        progress = study.progress()
    _report(file, judge, f"{judge}: set aside; {progress}", "take-back", json)


def take_back(file: StudyFile, judge: Name, json: Json = False) -> None:
    """Let the answers of a judge who was set aside count again."""
    from penchant.study import CompareStudy

    with CompareStudy.open(file) as study:
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
