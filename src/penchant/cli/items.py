"""The commands ``penchant items list``, ``add``, ``edit``, ``retire`` and ``return``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import limits
from penchant.cli.groups import LISTS, listing_group
from penchant.cli.inputs import file_or_input
from penchant.cli.kinds import COACTIVE, editable
from penchant.cli.options import Json, StudyFile
from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, opened, rows_table
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.study import CompareStudy, Item, Study

_PARTS = ("title", "text", "picture", "links")

More = Annotated[
    Path, typer.Argument(metavar="ITEMS", help="As for penchant new; - reads the input.", show_default=False)
]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id of an item.", show_default=False)]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of items.", show_default=False)]
Changes = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME=VALUE...",
        help="title, text, picture, links or any other column; NAME= removes it.",
        show_default=False,
    ),
]


def list_items(file: StudyFile, json: Json = False) -> None:
    """List the items of a study, with their answers or features; retired ones are marked."""
    from penchant.study import CompareStudy, Study

    with opened(Study.open, file, write=False) as study:
        found = list(study.items.values())
        compares = isinstance(study, CompareStudy)
        counts = _answers(study) if isinstance(study, CompareStudy) else {}
        retired, features = set(study.retired), _features(study)
    if json:
        answers = [{"answers": counts[item.id]} if compares else {} for item in found]
        print_json(
            [
                {**item.to_dict(), **counted, "retired": item.id in retired}
                for item, counted in zip(found, answers, strict=True)
            ]
        )
        return
    terminal = Terminal()
    if found:
        rows = [_row(item, counts.get(item.id), features, item.id in retired) for item in found]
        terminal.show(rows_table(rows))
    else:
        terminal.say("The study has no items: what it presents is given with its features.")
    terminal.next(["rank" if compares else "present", str(file)])


def _features(study: Study) -> list[str]:
    """Return the columns from which a study learns."""
    from penchant.study.items import field_names

    named = study.settings["features"]
    return list(field_names(study.items.values()) if named is None else named)


def _answers(study: CompareStudy) -> dict[str, int]:
    counts = dict.fromkeys(study.items, 0)
    for answer in study.answers():
        if answer.choice != "skip":
            counts[answer.question.left] += 1
            counts[answer.question.right] += 1
    return counts


def _row(item: Item, answers: int | None, features: list[str], retired: bool) -> dict[str, str]:
    values = {name: str(item.fields.get(name, "")) for name in features}
    shown = {"id": item.id, "title": item.title, **values}
    counted = {} if answers is None else {"answers": f"{answers:,}"}
    return {**shown, **counted, "": "retired" if retired else ""}


def add_items(file: StudyFile, more: More, json: Json = False) -> None:
    """Add items to a study; they are asked about, or can be presented, from here on."""
    from penchant.study import Study, read_items

    with opened(Study.open, file) as study:
        with file_or_input(more) as place:
            pictures = False if study.kind == COACTIVE else more.parent
            new = read_items(place, limits=limits(), existing=study.items, pictures=pictures)
            added = study.add_items(new)
        total = len(study.items)
    _report(file, [item.id for item in added], "added", f"{total} items now", json)


def edit_item(file: StudyFile, item: Id, changes: Changes, json: Json = False) -> None:
    """Change what an item has; its id stays."""
    from penchant.study import Study
    from penchant.study.pictures import picture_path

    given: dict[str, Any] = {}
    for words in changes:
        name, equals, value = words.partition("=")
        if not equals or not name:
            raise InvalidInput.of("what to change", "be NAME=VALUE", repr(words), "correct it")
        given[name] = value if value or name in _PARTS else None
    with opened(Study.open, file) as study:
        if given.get("picture") and study.kind != COACTIVE:
            given["picture"] = picture_path(given["picture"], Path(), "picture")
        before = study.items.get(item)
        edited = editable(study).edit_item(item, given)
    if json:
        print_json(edited.to_dict())
        return
    terminal = Terminal()
    fields = () if before is None else before.fields
    new = [name for name in given if name in edited.fields and name not in fields]
    changed = [name for name in given if name not in new]
    done = [f"{', '.join(changed)} changed"] * bool(changed) + [f"new field {name}" for name in new]
    terminal.say(f"{edited.id}: {', '.join(done)}")
    terminal.next(["items", LISTS, str(file)])


def retire_items(file: StudyFile, items: Ids, json: Json = False) -> None:
    """Take items out of what is asked, ranked and presented; answers and feedback are kept."""
    from penchant.study import Study

    with opened(Study.open, file) as study:
        study.retire(*items)
        left = len(study.items) - len(study.retired)
    _report(file, items, "retired", f"{left} items {_use(study)}", json)


def return_items(file: StudyFile, items: Ids, json: Json = False) -> None:
    """Ask about retired items, and rank and present them again."""
    from penchant.study import Study

    with opened(Study.open, file) as study:
        study.bring_back(*items)
        left = len(study.items) - len(study.retired)
    _report(file, items, "back", f"{left} items {_use(study)}", json)


def _use(study: Study) -> str:
    return "can be presented" if study.kind == COACTIVE else "are asked about"


def _report(file: StudyPlace, ids: list[str], what: str, total: str, json: bool) -> None:
    if json:
        print_json({what: ids})
        return
    terminal = Terminal()
    terminal.say(f"{', '.join(ids)}: {what}; {total}")
    terminal.next(["items", LISTS, str(file)])


items = listing_group(
    "List, add, edit and retire the items of a study.",
    {
        LISTS: list_items,
        "add": add_items,
        "edit": edit_item,
        "retire": retire_items,
        "return": return_items,
    },
    limited=True,
)
