"""``penchant settings`` and ``penchant change``, and the options that set a study up."""

from __future__ import annotations

import json as json_text
from collections.abc import Collection, Mapping
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

from penchant.cli.coactive_settings import coactive_typed, split_typed
from penchant.cli.command import limits
from penchant.cli.inputs import file_or_input
from penchant.cli.kinds import editable
from penchant.cli.options import Json, Setting, StudyFile, made, names_typed, option, values_typed
from penchant.cli.outputs import print_json
from penchant.cli.terminal import Terminal, opened, working
from penchant.errors import InvalidInput
from penchant.registry import MODELS

_MONOTONE = "monotone-gp"
_STUDIED = {name: entry for name, entry in MODELS.items() if entry.in_studies}

Title = Annotated[str | None, option("TEXT", "What judges see above the questions.")]
Asked = Annotated[str | None, option("TEXT", "The question itself, for instance 'Which would you read?'.")]
Instructions = Annotated[str | None, option("TEXT", "What judges read before they begin.")]
Goal = Annotated[
    str | None,
    option("GOAL", "order: nearly the whole order; exact: exactly; top: the best K, with --top."),
]
Top = Annotated[
    int | None,
    option("K", "Ask only who belongs to the best K; the whole order unless given."),
]
Features = Annotated[
    str | None, option("COLUMNS", "Columns of the items from which the model learns, by commas.")
]
Feature = Annotated[list[str] | None, option("COLUMN", "One such column; may be given again.")]
StudyModel = Annotated[
    str | None,
    option(
        "NAME",
        "; ".join(f"{name}: {entry.summary}" for name, entry in _STUDIED.items())
        + ". Chosen by what the items have unless given.",
        "--model",
    ),
]
Increasing = Annotated[
    str | None, option("COLUMNS", "Features of which more is better, by commas (monotone-gp).")
]
Decreasing = Annotated[
    str | None, option("COLUMNS", "Features of which less is better, by commas (monotone-gp).")
]
Repeats = Annotated[
    float | None, option("SHARE", "The share of questions that repeat a pair, sides swapped; 0 to 0.5.")
]
Least = Annotated[int | None, option("N", "The answers that each item gets before others get more.")]
MostAhead = Annotated[int | None, option("N", "An item with so many answers more than another waits for it.")]
Show = Annotated[
    str | None, option("COLUMNS", "Columns of the items that judges see, by commas; '' is none.")
]
AnswersEach = Annotated[
    int | None, option("N", "The answers after which a judge is thanked; 0: until the study is settled.")
]
Forbidden = Annotated[Path | None, option("TABLE", "Pairs that are never asked (.csv): two columns of ids.")]


def settings(file: StudyFile, json: Json = False) -> None:
    """Show the settings of a study."""
    from penchant.study import Study

    with opened(Study.open, file, write=False) as study:
        found = study.settings
    if json:
        print_json(found)
        return
    terminal = Terminal()
    terminal.say(*(f"{name:13} {_shown(found[name])}" for name in _in_order(found)))
    terminal.next(["change", str(file), "--title", str(found["title"])])


def change(file: StudyFile, settings: Mapping[str, Any], json: Json = False) -> None:
    """Change settings of a study.

    Those that are not given stay. With another model or other features all answers are learned anew. Of a study that
    presents orders, title, baseline and retention can be changed.
    """
    from penchant.study import CompareStudy, Study

    with opened(Study.open, file) as study:
        before = study.settings
        compares = isinstance(study, CompareStudy)
        typed = split_typed(settings, coactive=not compares)
        given = settings_typed(typed, study.items, before["model"]) if compares else coactive_typed(typed)
        if not given:
            raise InvalidInput("change needs a setting, got none: give one, for instance --title TEXT")
        with working("changing"):
            after = editable(study).change(**given)
    if json:
        print_json(after)
        return
    changed = [name for name in _in_order(after) if before[name] != after[name]]
    terminal = Terminal()
    terminal.say(*([f"{name}: {_shown(after[name])}" for name in changed] or ["nothing changed"]))
    terminal.next(["rank" if compares else "present", str(file)])


def _in_order(settings: Mapping[str, Any]) -> list[str]:
    from penchant.study.coactive.settings import DEFAULTS as OF_COACTIVE
    from penchant.study.settings import DEFAULTS

    usual = DEFAULTS if "model" in settings else OF_COACTIVE
    return sorted(settings, key=[*usual, *settings].index)


def _options(
    title: Title = None,
    question: Asked = None,
    instructions: Instructions = None,
    goal: Goal = None,
    top: Top = None,
    features: Features = None,
    feature: Feature = None,
    model: StudyModel = None,
    setting: Setting = None,
    increasing: Increasing = None,
    decreasing: Decreasing = None,
    repeats: Repeats = None,
    least: Least = None,
    most_ahead: MostAhead = None,
    forbidden: Forbidden = None,
    show: Show = None,
    answers_each: AnswersEach = None,
) -> None:
    """Declare the options of ``new`` and ``change`` for settings of a study."""


OPTIONS = dict(signature(_options, eval_str=True).parameters)
"""The options for settings of a study, as parameters of a command."""


def settings_typed(
    typed: Mapping[str, Any], items: Collection[str], present: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the settings that were typed, as `Study.create` and `change` take them.

    Parameters
    ----------
    typed : mapping
        The values of `OPTIONS`, None for those that were not typed.
    items : collection of str
        The ids of the items of the study.
    present : mapping, optional
        Name and settings of the study's model.
    """
    plain = (
        "title",
        "question",
        "instructions",
        "goal",
        "top",
        "repeats",
        "least",
        "most_ahead",
        "answers_each",
    )
    directions = {name: typed[name] for name in ("increasing", "decreasing")}
    return _given(
        **{name: typed[name] for name in plain},
        features=features_typed(typed["features"], typed["feature"]),
        model=model_typed(typed["model"], typed["setting"], present, **directions),
        forbidden=read_forbidden(typed["forbidden"], items),
        show=names_typed(typed["show"]),
    )


def _given(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def features_typed(features: str | None, feature: list[str] | None) -> list[str] | None:
    """Return the columns that ``--features`` and ``--feature`` name; None where neither was given."""
    if features is None and not feature:
        return None
    return [*(names_typed(features) or ()), *(feature or ())]


def model_typed(
    name: str | None,
    setting: list[str] | None,
    present: Mapping[str, Any] | None = None,
    **directions: str | None,
) -> Any:
    """Return the model that was typed, or None where nothing was.

    Parameters
    ----------
    present : mapping, optional
        Name and settings of a study's model, which stay as they are unless they are typed.
    directions : str or None
        The columns that ``--increasing`` and ``--decreasing`` name.
    """
    named = _given(**{direction: names_typed(columns) for direction, columns in directions.items()})
    if name is None and not setting and not named:
        return None
    chosen = name or (present or {}).get("name") or (_MONOTONE if named else None)
    if chosen is None:
        raise InvalidInput("--set must be given with --model, got it alone: name the model")
    entry = _STUDIED.get(chosen)
    if entry is None:
        raise InvalidInput.of(
            "model", f"be one of {', '.join(_STUDIED)}", repr(chosen), "choose one of these"
        )
    for direction in named:
        if direction not in entry.options:
            raise InvalidInput.of(
                f"--{direction}", f"be given with {_MONOTONE} only", chosen, "take that model"
            )
    if present is None or chosen != present["name"]:
        return made(entry, setting).set_params(**named)
    values = values_typed(setting, present["settings"])
    return {"name": chosen, "settings": {**present["settings"], **values, **named}}


def read_forbidden(path: Path | None, items: Collection[str]) -> list[tuple[str, str]] | None:
    """Return the pairs of a table of two columns of ids; None where no table was given."""
    if path is None:
        return None
    from penchant.study.item_files import read_pairs

    with file_or_input(path) as place:
        return read_pairs(place, items, limits=limits())


def _shown(value: Any) -> str:
    if isinstance(value, Mapping) and "settings" not in value:
        return json_text.dumps(value, ensure_ascii=False) if value else "–"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name}={inner!r}" for name, inner in value["settings"].items())
        return f"{value['name']} ({inner})"
    if isinstance(value, list):
        parts = [" and ".join(part) if isinstance(part, list) else str(part) for part in value]
        return ", ".join(parts) or "–"
    return "–" if value in (None, "") else str(value)
