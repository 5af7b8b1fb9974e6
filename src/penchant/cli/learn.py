"""``penchant learn``: learn from a log of presentations; and candidates in the order of what it saved."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import limits, note_saved, report
from penchant.cli.inputs import STANDARD_INPUT, file_or_input, load_model, rejected
from penchant.cli.options import (
    Force,
    Json,
    Save,
    Setting,
    Strict,
    model_option,
    names_typed,
    option,
    values_typed,
)
from penchant.cli.outputs import check_new, check_outputs, print_json
from penchant.cli.places import StudyPlace, study_place
from penchant.cli.terminal import Terminal, opened, rows_table, working
from penchant.errors import InvalidInput
from penchant.registry import family, find
from penchant.text import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penchant.coactive import NamedLearner, Replay
    from penchant.formats import PresentationLog

_USUAL = next(iter(family("coactive")))
_NAMED = 5  # more names than that are only counted
SHOWN_SETS = 3
"""How many sets of candidates ``penchant present`` shows; a log may hold thousands."""


Log = Annotated[
    Path, typer.Argument(metavar="LOG", help="Presentations and their answers, JSONL.", show_default=False)
]


def learn(
    file: Log,
    save: Save = None,
    force: Force = False,
    into: Annotated[
        StudyPlace | None,
        option("FILE.db", "Let a study learn it, which records each line as an event.", parser=study_place),
    ] = None,
    learner: Annotated[
        str | None, model_option("coactive", "How to learn; perceptron unless given.", show_default=False)
    ] = None,
    model: Annotated[
        Path | None,
        option("MODEL", "Go on from what was saved before."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="How many places of a ranking count; 5 unless given.")
    ] = None,
    forget: Annotated[
        float | None, typer.Option(help="The share of the weights that each round takes away.")
    ] = None,
    averaged: Annotated[bool, typer.Option("--averaged", help="Rank by the mean of the weights.")] = False,
    settings: Setting = None,
    map: Annotated[
        str | None,
        option("NAME", "What is presented: ranking, or item, the first alone; ranking unless given."),
    ] = None,
    names: Annotated[
        str | None,
        option(
            "NAMES",
            "The features with commas between them; those of LOG unless given. Only perceptrons learn others later.",
        ),
    ] = None,
    scale: Annotated[
        bool, typer.Option("--scale", help="Divide each feature by its standard deviation in LOG.")
    ] = False,
    k: Annotated[int, typer.Option(min=1, help="Where NDCG is cut.")] = 10,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Learn from a log of presentations, clicks and corrections.

    Each line is predicted before it is learned from. What was learned goes to --save or --into, or both.
    """
    from penchant.formats import PresentationLog
    from penchant.saving import save as save_model

    if save is None and into is None:
        raise InvalidInput(
            "learn needs a place for what it learned, got none: give --save OUT or --into FILE.db"
        )
    from penchant.coactive import replay

    check_outputs([file, model, into], [save])
    check_new([save], force)
    typed = {"depth": depth, "forget": forget, "averaged": averaged or None, "map": map}
    chosen: dict[str, Any] = {name: value for name, value in typed.items() if value is not None}
    own = {"learner": learner, "set": settings, "names": names, "scale": scale or None}
    with file_or_input(file) as place, working(f"learning from {file.name}"), _paused_collector():
        log = PresentationLog(place, strict=strict, limits=limits())
        if into is not None:
            _check_fresh("into", chosen, **own, model=model)
            found = _learned_by(into, log, k)
        elif model is not None:
            _check_fresh("model", chosen, **own)
            found = replay(log, _loaded(model), k=k)
        else:
            chosen |= values_typed(settings, find(learner or _USUAL, "coactive").options)
            found = replay(log, _made(learner or _USUAL, log, names_typed(names), scale, chosen), k=k)
    if not found.learner.names:
        raise _without_features(log)
    if save is not None:
        save_model(found.learner, save)
        note_saved(save)
    if json:
        print_json(_figures(found, log), indent=2)
        return
    terminal = Terminal()
    name = "the input" if file == STANDARD_INPUT else file.name
    _show(terminal, name, found, log, going_on=model is not None or into is not None)
    if save is not None:
        terminal.say(f"Saved: {save}")
    if into is not None:
        terminal.next(["weights", str(into)])
    elif file != STANDARD_INPUT:
        terminal.next(["present", str(save), str(file)])


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Pause the garbage collector: the objects of a log are many, and none of them refers to itself."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _learned_by(study: StudyPlace, log: PresentationLog, k: int) -> Replay:
    """Let a study learn a log; return how its shared model predicted the lines."""
    from penchant.coactive import replay
    from penchant.study.coactive import CoactiveStudy

    with opened(CoactiveStudy.open, study) as learning:
        found = replay(log, learning.learner(), k=k)
        learning.import_presentations(log)
    return found


def left_out(n_items: int, top: int) -> list[str]:
    """Return the line below the first ``top`` of a set of candidates, if there are more."""
    return [f"… and {n_items - top:,} more: --top {n_items} shows them"] if n_items > top else []


def sets_left_out(count: int) -> list[str]:
    """Return the line below the sets of candidates that are shown, if there are more."""
    if count <= SHOWN_SETS:
        return []
    return [f"The first {SHOWN_SETS} of {count:,} sets of candidates: --json prints them all"]


def present_saved(model: Path, file: Path, *, top: int, json: bool, strict: bool) -> None:
    """Rank candidates as a saved learner would present them."""
    from penchant.formats import PresentationLog

    learner = _loaded(model)
    sets = PresentationLog(file, strict=strict, answered=False, limits=limits())
    unknown: dict[str, None] = {}
    terminal = Terminal()
    count = 0
    for count, candidates in enumerate(sets, 1):
        if learner.additive:
            unknown.update(dict.fromkeys(learner.unknown(candidates.features, candidates.items)))
        X = learner.matrix(candidates.features, candidates.items)
        order = learner.present(X).tolist()
        scores = learner.scores(X)[order].tolist()
        ranked = [(candidates.items[item], score) for item, score in zip(order, scores, strict=True)]
        if json:
            items = [{"item": item, "score": score} for item, score in ranked]
            print_json({"id": candidates.id, "items": items})
        elif count <= SHOWN_SETS:
            terminal.say(candidates.id)
            terminal.show(rows_table([_ranked(rank, *row) for rank, row in enumerate(ranked[:top], 1)]))
            terminal.say(*left_out(len(ranked), top))
    if not json:
        terminal.say(*sets_left_out(count))
    for line in _rejected(sets):
        report(line)
    if unknown:
        report(f"Note: features not in the model, which count nothing: {_listed(unknown)}")


def _made(
    learner: str, log: PresentationLog, names: list[str] | None, scale: bool, settings: dict[str, Any]
) -> NamedLearner:
    """Return a learner that has not begun; one that no feature can join learns the features of the log."""
    from penchant.coactive import Scaling, make_learner
    from penchant.coactive.encoding import entries
    from penchant.coactive.making import required

    missing = [name for name in required(learner) if name not in settings]
    if missing:
        raise InvalidInput.of(
            "--set", f"hold {missing[0]}= for {learner}", "nothing", f"give --set {missing[0]}=VALUE"
        )
    if names is None and not find(learner, "coactive").load().additive:
        names = list(dict.fromkeys(name for page in log for name in entries(page.features, page.items).names))
        if not names:
            raise _without_features(log)
    scaling = Scaling.of(values for page in log for values in page.features) if scale else None
    return make_learner(learner, names=names or (), scaling=scaling, **settings)


def _check_fresh(start: str, settings: dict[str, Any], **others: Any) -> None:
    """Reject settings of a new learner where learning goes on from one that has its own."""
    given = [name for name, value in (settings | others).items() if value is not None]
    if given:
        raise InvalidInput(
            f"{', '.join(f'--{name}' for name in given)} must not be given with --{start}, which has its own: "
            "leave out one or the other"
        )


def _without_features(log: PresentationLog) -> InvalidInput:
    path = log.source.path
    return InvalidInput(f"{path} must name at least one feature, got none: give the candidates features")


def _loaded(path: Path) -> NamedLearner:
    from penchant.coactive import NamedLearner

    learner: NamedLearner = load_model(
        path, NamedLearner, what="what penchant learn saved", saved_by="penchant learn"
    )
    return learner


def _show(terminal: Terminal, name: str, found: Replay, log: PresentationLog, *, going_on: bool) -> None:
    from penchant.counts import counted

    terminal.say(f"{name}: {counted(len(found), 'presentation')}, now {found.learner!r}")
    if going_on and found.new_names:
        terminal.say(f"New features, whose weights began at 0: {_listed(found.new_names)}")
    terminal.say(*_rejected(log))
    terminal.show(rows_table([_cells(row, found.k) for row in found.progress()]))


def _figures(found: Replay, log: PresentationLog) -> dict[str, Any]:
    rows = [
        {name: None if isnan(value) else value for name, value in row.items()} for row in found.progress()
    ]
    refused = [{"line": row.line, "reason": row.reason} for row in log.refusals]
    return {
        "presentations": len(found),
        "refused": refused,
        "features": list(found.learner.names),
        "new_features": list(found.new_names),
        "k": found.k,
        "progress": rows,
    }


def _rejected(log: PresentationLog) -> list[str]:
    from penchant.counts import counted

    return rejected(log.refusals, counted(log.n_rows, "line")) if log.refusals else []


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{len(listed):,} ({', '.join(listed[:_NAMED])}{', …' if len(listed) > _NAMED else ''})"


def _cells(row: dict[str, float], k: int) -> dict[str, str]:
    return {
        "rounds": f"{row['rounds']:,}",
        f"NDCG@{k}": _number(row["ndcg"]),
        "presented": _number(row["presented_ndcg"]),
        "pair accuracy": _number(row["pair_accuracy"]),
        "changed": percent(row["changed"]),
    }


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"


def _ranked(rank: int, item: str, score: float) -> dict[str, str]:
    return {"rank": str(rank), "item": item, "score": f"{score:.4g}"}
