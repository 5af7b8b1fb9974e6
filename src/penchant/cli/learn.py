"""``penchant learn`` and ``present``. A log of presentations in; a learner, and what it shows, out."""

from __future__ import annotations

from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.exports import print_json
from penchant.cli.limits import limits
from penchant.cli.options import Json, Strict
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.refusals import complain
from penchant.cli.saved import load_model
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penchant.coactive import NamedLearner, Replay
    from penchant.formats import PresentationLog

_NAMED = 5  # more names than that are only counted


class LearnerName(StrEnum):
    """The learners by the names that are typed."""

    perceptron = "perceptron"
    perturbed = "perturbed"


Log = Annotated[
    Path, typer.Argument(metavar="LOG", help="Presentations and their answers, JSONL.", show_default=False)
]
Saved = Annotated[Path, typer.Argument(metavar="MODEL", help="What ``penchant learn`` saved.")]
Sets = Annotated[
    Path, typer.Argument(metavar="CANDIDATES", help="JSONL, one set of candidates a line; a log will do.")
]


def learn(
    file: Log,
    save: Annotated[Path, typer.Option(metavar="OUT", help="Where the model goes.")],
    learner: Annotated[
        LearnerName | None,
        typer.Option(
            help="How to learn; perceptron unless given. Perturbed suits logs of what it presented."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Go on from what was saved before.", show_default=False),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="How many places of a ranking count; 5 unless given.")
    ] = None,
    forget: Annotated[
        float | None, typer.Option(help="The share of the weights that each round takes away.")
    ] = None,
    averaged: Annotated[bool, typer.Option("--averaged", help="Rank by the mean of the weights.")] = False,
    k: Annotated[int, typer.Option(min=1, help="Where NDCG is cut.")] = 10,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Learn from a log of what was presented and clicked or corrected.

    Each line is judged before it is learned from.
    """
    from penchant.coactive import replay
    from penchant.formats import PresentationLog
    from penchant.saving import save as save_model

    check_outputs([file, model], [save])
    chosen = {"learner": learner, "depth": depth, "forget": forget, "averaged": averaged or None}
    settings: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    start = _made(**settings) if model is None else _going_on(model, settings)
    log = PresentationLog(file, strict=strict, limits=limits())
    with busy(f"learning from {file.name}"):
        found = replay(log, start, k=k)
    if not found.learner.names:
        raise InvalidInput(f"{file} must name at least one feature, got none: give the candidates features")
    save_model(found.learner, save)
    if json:
        print_json(_told(found, log), indent=2)
        return
    _say(found, log, going_on=model is not None)
    from penchant.cli.terminal import Terminal

    terminal = Terminal()
    terminal.say(f"Saved: {save}")
    terminal.next(["present", str(save), str(file)])


def present(
    model: Saved,
    file: Sets,
    top: Annotated[int, typer.Option(min=1, help="How many items are shown.")] = 10,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Rank candidates as a saved learner would present them."""
    from penchant.cli.terminal import Terminal, rows_table
    from penchant.formats import PresentationLog

    learner = _loaded(model)
    sets = PresentationLog(file, strict=strict, answered=False, limits=limits())
    unknown: dict[str, None] = {}
    terminal = Terminal()
    for candidates in sets:
        unknown.update(dict.fromkeys(learner.unknown(candidates.features)))
        order = learner.present(candidates.features).tolist()
        scores = learner.scores(candidates.features)[order].tolist()
        ranked = [(candidates.items[item], score) for item, score in zip(order, scores, strict=True)]
        if json:
            told = {"id": candidates.id, "items": [{"item": i, "score": s} for i, s in ranked]}
            print_json(told)
        else:
            terminal.say(candidates.id)
            terminal.show(rows_table([_ranked(rank, *row) for rank, row in enumerate(ranked[:top], 1)]))
    for line in _refused(sets):
        complain(line)
    if unknown:
        complain(f"Note: features not in the model, which count nothing: {_listed(unknown)}")


def _made(learner: LearnerName = LearnerName.perceptron, depth: int = 5, **settings: Any) -> NamedLearner:
    from penchant.coactive import NamedLearner, PerturbedPerceptron, PreferencePerceptron, RankingMap

    if learner is LearnerName.perturbed:
        return NamedLearner(PerturbedPerceptron(RankingMap(depth), 1, seed=0, **settings))
    return NamedLearner(PreferencePerceptron(RankingMap(depth), 1, **settings))


def _going_on(model: Path, settings: dict[str, Any]) -> NamedLearner:
    if settings:
        raise InvalidInput(
            f"{', '.join(f'--{name}' for name in settings)} must not be given with --model, which has its own: "
            "leave out one or the other"
        )
    return _loaded(model)


def _loaded(path: Path) -> NamedLearner:
    from penchant.coactive import NamedLearner

    loaded = load_model(path)
    if not isinstance(loaded, NamedLearner):
        raise InvalidInput(
            f"{path} must hold what penchant learn saved, got a {type(loaded).__name__}: save one with it"
        )
    return loaded


def _say(found: Replay, log: PresentationLog, *, going_on: bool) -> None:
    from penchant.cli.terminal import Terminal, rows_table
    from penchant.counts import counted

    terminal = Terminal()
    terminal.say(f"{log.source.path.name}: {counted(len(found), 'presentation')}, now {found.learner!r}")
    if going_on and found.new_names:
        terminal.say(f"New features, whose weights began at 0: {_listed(found.new_names)}")
    terminal.say(*_refused(log))
    terminal.show(rows_table([_cells(row, found.k) for row in found.progress()]))


def _told(found: Replay, log: PresentationLog) -> dict[str, Any]:
    rows = [
        {name: None if isnan(value) else value for name, value in row.items()} for row in found.progress()
    ]
    refused = [{"line": refusal.line, "reason": refusal.reason} for refusal in log.refusals]
    return {
        "presentations": len(found),
        "refused": refused,
        "features": list(found.learner.names),
        "new_features": list(found.new_names),
        "k": found.k,
        "progress": rows,
    }


def _refused(log: PresentationLog) -> list[str]:
    from penchant.cli.reading import refused
    from penchant.counts import counted

    return refused(log.refusals, counted(log.n_rows, "line"))


def _listed(names: Iterable[str]) -> str:
    told = list(names)
    return f"{len(told):,} ({', '.join(told[:_NAMED])}{', …' if len(told) > _NAMED else ''})"


def _cells(row: dict[str, float], k: int) -> dict[str, str]:
    return {
        "rounds": f"{row['rounds']:,}",
        f"NDCG@{k}": _number(row["ndcg"]),
        "presented": _number(row["presented_ndcg"]),
        "pair accuracy": _number(row["pair_accuracy"]),
        "changed": f"{row['changed']:.0%}",
    }


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"


def _ranked(rank: int, item: str, score: float) -> dict[str, str]:
    return {"rank": str(rank), "item": item, "score": f"{score:.4g}"}
