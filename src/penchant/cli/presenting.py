"""``penchant present`` and ``feedback``: the loop of a coactive study; ``present`` also serves saved learners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from penchant.checks import shown as as_shown
from penchant.cli.command import limits
from penchant.cli.inputs import STANDARD_INPUT, file_or_input, holds_study
from penchant.cli.learn import SHOWN_SETS, left_out, present_saved, sets_left_out
from penchant.cli.options import EventId, Json, Strict, StudyFile, names_typed, option
from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace, study_place
from penchant.cli.terminal import Terminal, opened, rows_table
from penchant.errors import InvalidInput, UnknownItem

if TYPE_CHECKING:
    from penchant.study.coactive import CoactiveStudy, Feedback, Presentation

_INPUT = "-"
_FORMS = ("clicked", "order", "better")

Model = Annotated[
    StudyPlace,
    typer.Argument(
        metavar="FILE",
        parser=study_place,
        help="A study, or a model that ``penchant learn`` saved.",
        show_default=False,
    ),
]
Candidates = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CANDIDATES]...",
        help="JSONL, one set of candidates a line (a log will do), or - for the input; of a study also ids of items, "
        "all that are not retired unless given.",
        show_default=False,
    ),
]
User = Annotated[str | None, option("NAME", "Who it is for (studies).")]
Interleave = Annotated[
    str | None,
    option("ORDER", "baseline, or ids with commas between them: interleave another order (studies)."),
]


class Request(NamedTuple):
    """One line of candidates: what the line is called, the context, its user and the id of its event."""

    name: str
    context: Any
    user: str | None = None
    event_id: str | None = None


def present(
    model: Model,
    candidates: Candidates = None,
    top: Annotated[int, typer.Option(min=1, help="How many items are shown.")] = 10,
    user: User = None,
    learn: Annotated[
        bool, typer.Option("--learn/--no-learn", help="Whether feedback on it is learned from (studies).")
    ] = True,
    interleave: Interleave = None,
    event_id: EventId = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Present candidates in the best order by what was learned.

    FILE is a study, which records what it presents for penchant feedback, or a saved learner.
    """
    typed = candidates or []
    if isinstance(model, Path) and not holds_study(model):
        _check_saved(typed, user=user, learn=None if learn else False, interleave=interleave, id=event_id)
        with file_or_input(Path(typed[0])) as place:
            present_saved(model, place, top=top, json=json, strict=strict)
        return
    from penchant.study.coactive import CoactiveStudy

    terminal = Terminal()
    with opened(CoactiveStudy.open, model) as study:
        options: dict[str, Any] = {"learn": learn, "interleave": _order_typed(interleave)}
        shown: Presentation | None = None
        count = 0
        for count, request in enumerate(_requests(study, typed, event_id), 1):
            shown = study.present(
                request.context, user=user or request.user, event_id=request.event_id, **options
            )
            if json:
                print_json(_presentation_json(request.name, shown))
            elif count <= SHOWN_SETS:
                terminal.say(f"{request.name}: {shown.id}" if request.name else shown.id)
                terminal.show(rows_table(_places(study, shown, top)))
                terminal.say(*left_out(len(shown.order), top))
        if not json:
            terminal.say(*sets_left_out(count))
        if shown is not None and not json:
            terminal.next(["feedback", str(model), shown.id, "--clicked", shown.order[-1]])


def _check_saved(typed: list[str], **options: Any) -> None:
    given = [
        f"--{'no-learn' if name == 'learn' else name}" for name, value in options.items() if value is not None
    ]
    if given:
        raise InvalidInput.of(given[0], "be given for a study only", "a saved learner", "leave it out")
    if len(typed) != 1:
        raise InvalidInput.of(
            "CANDIDATES", "be one file for a saved learner", f"{len(typed)}", "give JSONL, or - for the input"
        )


def _order_typed(interleave: str | None) -> Any:
    return interleave if interleave in (None, "baseline") else names_typed(interleave)


def _requests(study: CoactiveStudy, typed: list[str], event_id: str | None) -> Iterator[Request]:
    """Yield what is to be presented: the lines of a file or of the input, or one set of items by their ids."""
    if not typed:
        typed = [id for id in study.items if id not in set(study.retired)]
        if not typed:
            raise InvalidInput.of(
                "CANDIDATES", "be given for a study without items", "none", "give JSONL, or - for the input"
            )
    elif len(typed) == 1 and study.items.keys() >= set(listed := names_typed(typed[0]) or typed):
        typed = typed if typed[0] in study.items else listed
    elif len(typed) == 1 and typed[0] not in study.items:
        if typed[0] != "-" and not Path(typed[0]).exists():
            raise UnknownItem.of(
                "CANDIDATES",
                "be items of the study, or a file",
                as_shown(typed[0]),
                "list them: penchant items",
            )
        if event_id is not None:
            raise InvalidInput.of(
                "--id", "be given for one set of items", "a file", "give event_id in its lines"
            )
        with file_or_input(Path(typed[0])) as place:
            yield from _lines(place)
        return
    yield Request("", typed, event_id=event_id)


def _lines(place: Path) -> Iterator[Request]:
    """Yield the sets of candidates of a file; ids alone are items of the study."""
    for number, line in json_lines(place):
        given = line.get("candidates")
        context: Any = given
        if isinstance(given, list) and all(isinstance(entry, dict) for entry in given):
            pairs = [(entry.get("id"), entry.get("features")) for entry in given]
            context = dict(pairs)
            if len(context) < len(pairs):
                raise InvalidInput(f"line {number} must name each candidate once, got one twice: remove it")
        elif not isinstance(given, list) or not all(isinstance(entry, str) for entry in given):
            raise InvalidInput(
                f"line {number} must have candidates, a list of ids or of objects with id and features, got something "
                "else: correct it"
            )
        name, user, event_id = (_text(line, key, number) for key in ("id", "user", "event_id"))
        yield Request(name or str(number), context, user, event_id)


def json_lines(place: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file, one a line, with the numbers of the lines."""
    from penchant.formats.parsing.json_text import JsonDecoder
    from penchant.formats.parsing.reading import Wrong
    from penchant.formats.parsing.source import Source

    source = Source.of(place, limits())
    decoder = JsonDecoder(source.limits)
    with source.open_text() as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                value = decoder.decode(line)
            except Wrong as wrong:
                raise InvalidInput(
                    f"line {number} must be JSON, got something else ({wrong}): correct it"
                ) from None
            if not isinstance(value, dict):
                raise InvalidInput(f"line {number} must be an object, got something else: correct it")
            yield number, value


def _text(line: dict[str, Any], key: str, number: int) -> str | None:
    value = line.get(key)
    if value is not None and not isinstance(value, str | int):
        raise InvalidInput(f"{key} of line {number} must be a text, got something else: correct it")
    return None if value in (None, "") else str(value)


def _presentation_json(name: str, shown: Presentation) -> dict[str, Any]:
    found = {"presentation": shown.id, "order": shown.order, "teams": shown.teams, "learn": shown.learn}
    return {"id": name, **found} if name else found


def _places(study: CoactiveStudy, shown: Presentation, top: int) -> list[dict[str, str]]:
    rows = []
    for place, id in enumerate(shown.order[:top]):
        row = {"rank": str(place + 1), "item": id}
        if id in study.items:
            row["title"] = study.items[id].title
        if shown.teams is not None:
            row["from"] = "other" if shown.teams[place] else "learned"
        rows.append(row)
    return rows


def feedback(
    file: StudyFile,
    presentation: Annotated[
        str,
        typer.Argument(
            help="The id that ``penchant present`` gave; - reads objects with presentation, one of clicked, order and "
            "better, and perhaps id from the input, one a line."
        ),
    ],
    clicked: Annotated[
        str | None,
        option("IDS", "What was clicked, in the order of the clicks, with commas; '' for nothing."),
    ] = None,
    order: Annotated[
        str | None, option("IDS", "An improved order with commas, or its top: the rest follows as it stood.")
    ] = None,
    better: Annotated[str | None, option("ID", "One candidate that is better than the first.")] = None,
    event_id: EventId = None,
    json: Json = False,
) -> None:
    """Learn from what a person made of a presentation, or of many."""
    from penchant.study.coactive import CoactiveStudy

    typed: dict[str, Any] = {"clicked": names_typed(clicked), "order": names_typed(order), "better": better}
    given = {name: value for name, value in typed.items() if value is not None}
    if presentation == _INPUT and (given or event_id is not None):
        raise InvalidInput("feedback must come from the input or from options, got both: leave out one")
    terminal = Terminal()
    found: Feedback | None = None
    with opened(CoactiveStudy.open, file) as study:
        lines: Iterable[tuple[str, dict[str, Any], str | None]] = [(presentation, given, event_id)]
        for shown, form, id in _answers() if presentation == _INPUT else lines:
            found = study.feedback(shown, event_id=id, **form)
            if json:
                print_json(_feedback_json(found))
            else:
                terminal.say(f"{found.id}: {_sentence(found)} ({study.progress()})")
    if found is not None and not json:
        terminal.next(["weights", str(file)])


def _answers() -> Iterator[tuple[str, dict[str, Any], str | None]]:
    """Yield the feedback that the input holds, each an object."""
    with file_or_input(STANDARD_INPUT) as place:
        for number, line in json_lines(place):
            forms = {name: line[name] for name in _FORMS if line.get(name) is not None}
            is_feedback = line.keys() <= {"presentation", "id", *_FORMS}
            if not is_feedback or not isinstance(line.get("presentation"), str) or len(forms) != 1:
                raise InvalidInput(
                    f"line {number} must be an object with presentation, one of clicked, order and better, and perhaps "
                    "id, got something else: correct it"
                )
            yield line["presentation"], forms, _text(line, "id", number)


def _feedback_json(found: Feedback) -> dict[str, Any]:
    return {
        "feedback": found.id,
        "presentation": found.presentation,
        "improved": found.improved,
        "changed": found.changed,
        "learned": found.learned,
    }


def _sentence(found: Feedback) -> str:
    if not found.learned:
        return "recorded, not learned from"
    return "changes the order" if found.changed else "changes nothing"
