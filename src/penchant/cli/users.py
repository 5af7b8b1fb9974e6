"""``penchant users``, ``forget`` and ``erase``: whom a coactive study knows, and what it erases."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.coactive_settings import retention_typed
from penchant.cli.options import Csv, EventId, Json, StudyFile
from penchant.cli.outputs import PRINTED, check_outputs, print_json, table_csv, write_rows
from penchant.cli.terminal import Terminal, rows_table, working_with
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.study.coactive.users import UserActivity


def users(
    file: StudyFile,
    top: Annotated[int, typer.Option(min=1, help="How many users are shown.")] = 20,
    csv: Csv = None,
    json: Json = False,
) -> None:
    """List the users of a study that presents orders.

    Those who were presented most come first. Answered are the presentations with feedback, rounds the feedback that
    was learned from. Who was forgotten is not among them, nor what was presented to nobody in particular.
    """
    from penchant.study.coactive import CoactiveStudy

    check_outputs([file], [csv], json=json)
    with working_with("reading", CoactiveStudy.open, file, write=False) as study:
        found = study.user_activity()
    rows = [_row(activity) for activity in found]
    if csv is not None:
        head = "user,presentations,answered,rounds,last\n"
        write_rows(csv, table_csv(rows, text=("user", "last")) if rows else head)
    if json:
        print_json(rows)
        return
    if csv == PRINTED:
        return
    terminal = Terminal()
    if not rows:
        terminal.say("No user is named.")
        terminal.next(["present", str(file), "--user", "NAME"])
        return
    terminal.show(rows_table([{name: _cell(value) for name, value in row.items()} for row in rows[:top]]))
    if len(rows) > top:
        terminal.say(f"… and {len(rows) - top:,} users more (--top shows them)")
    terminal.next(["weights", str(file), "--user", rows[0]["user"]])


def _row(activity: UserActivity) -> dict[str, Any]:
    return {**asdict(activity), "last": datetime.fromtimestamp(activity.last, UTC).isoformat(" ", "seconds")}


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def forget(
    file: StudyFile,
    user: Annotated[str, typer.Argument(metavar="USER", help="The user's name.", show_default=False)],
    event_id: EventId = None,
    json: Json = False,
) -> None:
    """Erase a user's name, own model and presentations.

    Candidates that only this user was presented are erased; events stay, and say nothing about who it was. What the
    shared model learned stays. Feedback from before this can no longer be undone.
    """
    from penchant.counts import counted
    from penchant.study.coactive import CoactiveStudy

    with working_with("erasing", CoactiveStudy.open, file) as study:
        study.forget(user, event_id=event_id)
        left, progress = len(study.users), study.progress()
    if json:
        print_json({"forgotten": True, "users": left, "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"{user}: forgotten ({counted(left, 'user')} left; {progress})")
    terminal.next(["check", str(file)])


def erase(
    file: StudyFile,
    retention: Annotated[
        str,
        typer.Argument(
            metavar="HOW-LONG",
            help="What is kept: that of the last so many days, or of the last rounds=N presentations.",
            show_default=False,
        ),
    ],
    json: Json = False,
) -> None:
    """Erase the candidates of old presentations, once.

    The setting retention (penchant change) erases them whenever the study is opened to write. Events and what was
    learned stay. Feedback on these presentations is then rejected, and feedback from before this can no longer be
    undone.
    """
    from penchant.counts import counted
    from penchant.study.coactive import CoactiveStudy

    kept = retention_typed(retention)
    if kept is None:
        raise InvalidInput.of("HOW-LONG", "be a number of days or rounds=N", "none", "give one of these")
    with working_with("erasing", CoactiveStudy.open, file) as study:
        erased, progress = study.retain(kept), study.progress()
    if json:
        print_json({"erased": erased, "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"Erased: the candidates of {counted(erased, 'presentation')} ({progress})")
    terminal.next(["check", str(file)])
