"""``penchant new``, ``backup`` and ``restore``: make a study, copy it, and make one out of a copy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.coactive_settings import coactive_typed, split_typed
from penchant.cli.command import limits, report
from penchant.cli.inputs import file_or_input, not_stored, read
from penchant.cli.inputs import unused as unused_rows
from penchant.cli.kinds import reject_options
from penchant.cli.options import Json, NewStudyFile, StudyFile, option
from penchant.cli.outputs import print_json
from penchant.cli.places import ADDRESS, StudyPlace, study_place
from penchant.cli.settings import settings_typed
from penchant.cli.terminal import Terminal, opened, working, working_with
from penchant.errors import InvalidInput
from penchant.registry import MODELS

if TYPE_CHECKING:
    from penchant.formats import Reading
    from penchant.study import Item

Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing file.")]


def new(
    file: NewStudyFile,
    items: Annotated[
        Path | None,
        typer.Argument(
            metavar="[ITEMS]",
            help="A CSV or JSONL file with a column title, or one item a line; - reads the input.",
            show_default=False,
        ),
    ] = None,
    *,
    coactive: Annotated[
        bool,
        typer.Option(
            "--coactive",
            help="One that presents orders and learns from clicks and corrections; ITEMS are optional.",
        ),
    ] = False,
    settings: Mapping[str, Any],
    links: Annotated[
        Path | None,
        option("TABLE", "Links between items (.csv): two columns of ids, perhaps one of weights."),
    ] = None,
    answers: Annotated[
        Path | None, option("FILE", "Answers given elsewhere, to start from: any file that rank reads.")
    ] = None,
    seed: Annotated[
        int | None, option("SEED", "Of all that is random: the sides of items, what is interleaved.", min=0)
    ] = None,
    json: Json = False,
) -> None:
    """Make a study of ITEMS in a new file.

    It compares items two by two, or with --coactive presents candidates in an order and learns from clicks. Without
    ITEMS it is one of the items that --answers names.
    """
    from penchant.study import CompareStudy

    settings = split_typed(settings, coactive)
    if coactive:
        reject_options("presents orders", links=links, answers=answers)
        _new_coactive(file, items, settings, seed, json)
        return

    old = None if answers is None else read(answers)
    listed = _listed(items, links, old)
    given = settings_typed(settings, {item.id for item in listed})
    start = None if old is None else old.preferences
    with (
        working(f"making {file.name}"),
        CompareStudy.create(file, listed, answers=start, seed=seed, **given) as study,
    ):
        found, progress = study.settings, study.progress()
        n_answers = study.n_answers()
    if json:
        print_json({"file": str(file), "items": len(listed), "answers": n_answers, "settings": found})
        return
    terminal = Terminal()
    terminal.say(f"{file}: {len(listed)} items, {progress if n_answers else 'no answers yet'}")
    unused = _unused(listed, found)
    if unused:
        terminal.say(f"Kept, not used by the model: {', '.join(unused)} (--features names those that are)")
    for line in [] if old is None else (*unused_rows(old), *not_stored(old)):
        report(line)
    terminal.say(f"Model: {found['model']['name']}")
    terminal.next(["serve", str(file)])


def _new_coactive(
    file: StudyPlace, items: Path | None, settings: Mapping[str, Any], seed: int | None, json: bool
) -> None:
    from penchant.study import read_items
    from penchant.study.coactive import CoactiveStudy
    from penchant.study.items import field_names

    listed: list[Item] = []
    if items is not None:
        with file_or_input(items) as place:
            listed = read_items(place, limits=limits(), pictures=False)
    given = coactive_typed(settings, listed)
    with working(f"making {file.name}"), CoactiveStudy.create(file, listed, seed=seed, **given) as study:
        found, names = study.settings, study.learner().names
    if json:
        print_json({"file": str(file), "items": len(listed), "features": list(names), "settings": found})
        return
    terminal = Terminal()
    terminal.say(f"{file}: {len(listed):,} items, no presentations yet")
    learned = {name.partition("=")[0] for name in names}
    unused = [name for name in field_names(listed) if name not in learned]
    if unused:
        terminal.say(f"Kept, not learned from: {', '.join(unused)} (--features names those that are)")
    terminal.say(f"Learner: {found['learner']['name']}{', one a user' if found['per_user'] else ''}")
    terminal.next(["present", str(file), *([] if listed else ["CANDIDATES.jsonl"])])


def _unused(items: list[Item], settings: Mapping[str, Any]) -> list[str]:
    """Return what the items have and the model of the study does not learn from."""
    from penchant.study.items import field_names

    family = MODELS[settings["model"]["name"]].family
    used = () if family == "worth" else settings["features"]
    links = ["links"] if family != "linked" and any(item.links for item in items) else []
    return [*(name for name in field_names(items) if name not in used), *links]


def _listed(items: Path | None, links: Path | None, old: Reading | None) -> list[Item]:
    from penchant.study import Item, read_items, read_links

    if items is None and old is None:
        raise InvalidInput("a study needs items, got none: give a file of items, or --answers")
    if items is None:
        assert old is not None  # noqa: S101  (checked above)
        bar = old.preferences.bar
        names = [name for place, name in enumerate(old.preferences.items) if place != bar]
        listed = [Item(name, name) for name in names]
    else:
        with file_or_input(items) as place:
            listed = read_items(place, limits=limits(), pictures=items.parent)
    return listed if links is None else read_links(links, listed, limits=limits())


def backup(
    file: StudyFile,
    copy: Annotated[
        StudyPlace,
        typer.Argument(
            metavar="COPY.db", parser=study_place, help=f"Where the copy is to be: a file, or {ADDRESS}."
        ),
    ],
    replace: Replace = False,
    json: Json = False,
) -> None:
    """Copy a study to another file, also while it is served."""
    from penchant.study import Study

    with working_with(f"writing {copy.name}", Study.open, file, write=False) as study:
        study.backup(copy, replace=replace)
        progress = study.progress()
    _report(copy, progress, ["restore", str(copy), str(file), "--replace"], json)


def restore(
    copy: Annotated[
        StudyPlace,
        typer.Argument(metavar="COPY.db", parser=study_place, help="A copy that penchant backup made."),
    ],
    file: NewStudyFile,
    replace: Replace = False,
    json: Json = False,
) -> None:
    """Make a study out of a backup, after reading all of it. What --replace replaces is kept as FILE.db.replaced.

    FILE.db and COPY.db may each be a file or an address: so a study moves between files and databases.
    """
    from penchant.study import Study

    with working(f"reading {copy.name}"):
        Study.restore(copy, file, replace=replace)
        with opened(Study.open, file, write=False) as study:
            progress = study.progress()
            following = "serve" if study.kind == "compare" else "present"
    _report(file, progress, [following, str(file)], json)


def _report(file: StudyPlace, progress: str, following: list[str], json: bool) -> None:
    if json:
        print_json({"file": str(file), "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"{file}: {progress}")
    terminal.next(following)
