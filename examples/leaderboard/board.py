"""Play the leaderboard: judges answer over HTTP at the same time, and the owner watches until it is settled.

Judges hold a judge's token and the owner an owner's; all see the study through the server alone. Which answer comes
first differs from run to run, and with it the questions and all figures: the seed fixes how judges read, not when.
"""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from examples.leaderboard.consensus import in_order, questions, shares
from examples.leaderboard.judges import JUDGES, Judge
from examples.leaderboard.models import MODELS, Prompt, read_prompts, sheet
from examples.serving import served
from penchant import AsyncClient
from penchant.ask import Settled
from penchant.client import Question
from penchant.study import CompareStudy
from penchant.worth.judges import Judges

OWNER = "owner"
MOST = 150
"""Answers of one judge, at most."""
LEAST = 50
"""Answers of a judge before the owner decides anything about the judge, or ends the study."""
LOOK = 30
"""New answers after which the owner looks again."""
EVENTS = 2
"""Events that an answer adds to the log: itself and the next question."""
SECONDS = 300.0
"""After so long it ends, whatever was found."""
EXPORTS = {"answers.csv": "answers", "ranking.csv": "ranking", "events.jsonl": "events"}
"""What the owner takes home: the files, and what each holds."""
DOUBTFUL = ("at random", "upside down")
"""Findings about a judge for which the owner sets the judge aside."""
HALF = 0.5
"""A cautious owner sets a judge aside whose reliability is surely below this: less than half of the average."""
WIDTH = 1.96
"""Standard errors on either side of a reliability, for an interval of 95 %."""


@dataclass
class Watch:
    """How the owner decides, and what the owner has seen and done.

    Attributes
    ----------
    least : int
        Comparisons of a judge before anything is decided.
    cautious : bool
        Whether only judges are set aside who are surely unreliable.
    aside : list
        The judges whom the owner set aside, each as in the report at that time.
    doubted : list
        The report of all judges when the first of them was set aside.
    """

    least: int
    cautious: bool
    aside: list[dict[str, Any]] = field(default_factory=list)
    doubted: list[dict[str, Any]] = field(default_factory=list)


def play(
    folder: Path, *, seed: int = 1, most: int = MOST, least: int = LEAST, cautious: bool = False
) -> dict[str, Any]:
    """Play until it is settled, leave the study and its exports in a folder, and return all figures.

    Parameters
    ----------
    folder : Path
        Where ``board.db`` goes, which must not exist yet.
    seed : int
        Of the study, and of how judges read.
    most, least : int
        Answers of a judge at which the judge stops, and before which the owner decides nothing.
    cautious : bool
        Whether the owner sets aside only who is surely unreliable, and not whoever may answer at random.
    """
    prompts, file = read_prompts(), folder / "board.db"
    tokens = _create(file, prompts, seed)
    with served(file, seconds=SECONDS + 60) as url:
        playing = _play(url, tokens, prompts, folder, Watch(least, cautious), seed=seed, most=most)
        return asyncio.run(playing)


def _create(file: Path, prompts: tuple[Prompt, ...], seed: int) -> dict[str, str]:
    """Make the study, and return the tokens of the owner and of the judges by their names."""
    items = [
        {"id": name, "title": name, "text": sheet(style, prompts)} for name, (_, style) in MODELS.items()
    ]
    asked = {"title": "Leaderboard", "question": "Which model answers better?", "goal": "exact"}
    with CompareStudy.create(file, items, seed=seed, **asked) as study:
        judges = {judge.name: study.tokens.make("judge", judge.name, days=1) for judge in JUDGES}
        return {OWNER: study.tokens.make("owner", OWNER, days=1), **judges}


async def _play(
    url: str,
    tokens: Mapping[str, str],
    prompts: tuple[Prompt, ...],
    folder: Path,
    watch: Watch,
    *,
    seed: int,
    most: int,
) -> dict[str, Any]:
    enough = asyncio.Event()
    async with AsyncExitStack() as stack, asyncio.timeout(SECONDS):
        clients = {
            name: await stack.enter_async_context(AsyncClient(url, token)) for name, token in tokens.items()
        }
        owner = clients[OWNER]
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(owner, watch, enough))
            counts = await asyncio.gather(
                *(
                    _judge(
                        clients[judge.name],
                        judge,
                        prompts,
                        np.random.default_rng((seed, place)),
                        enough,
                        most,
                    )
                    for place, judge in enumerate(JUDGES)
                )
            )
            watching.cancel()
        return await _reported(owner, watch, prompts, folder, sum(counts))


async def _judge(
    client: AsyncClient,
    judge: Judge,
    prompts: tuple[Prompt, ...],
    random: np.random.Generator,
    enough: asyncio.Event,
    most: int,
) -> int:
    """Answer questions until it is enough, and return how many."""
    question: Question | None = await client.ask()
    for count in range(most):
        if question is None or enough.is_set():
            return count
        choice = judge.choice(question.left_item.text, question.right_item.text, prompts, random)
        question = (await client.turn(question, choice)).question
    return most


async def _watch(owner: AsyncClient, watch: Watch, enough: asyncio.Event) -> None:
    """Look at the study again and again as it changes, set judges aside, and say when it is enough."""
    due, before = 0, None
    async with aclosing(owner.changes()) as changes:
        async for change in changes:
            if change.revision < due:
                continue
            due = change.revision + EVENTS * LOOK
            settled, judges = await owner.settled(), await owner.judges()
            doubtful = _doubtful(judges, watch.least, cautious=watch.cautious)
            if doubtful:
                await owner.set_aside(doubtful["judge"])
                watch.aside.append(doubtful)
                watch.doubted = watch.doubted or _rows(judges)
                before = None
                continue
            if _is_enough(before, settled, judges, watch.least):
                enough.set()
                return
            before = settled


def _doubtful(judges: Judges, least: int, *, cautious: bool) -> dict[str, Any] | None:
    """Return what is known of the least reliable judge whom the owner does not trust, if there is one."""
    for row in _rows(judges):
        found = row["finding"].startswith(DOUBTFUL)
        surely = row["reliability"] + WIDTH * row["error"] < HALF
        if row["comparisons"] >= least and (surely if cautious else found):
            return row
    return None


def _is_enough(before: Settled | None, settled: Settled | None, judges: Judges, least: int) -> bool:
    """Return whether two looks in a row found the order sure, from different answers, and judges are known.

    The server evaluates it in the background: what it returns may still count answers of a judge set aside since.
    """
    if before is None or settled is None or before.answers == settled.answers:
        return False
    return before.enough and settled.enough and min(judges.answers) >= least


async def _reported(
    owner: AsyncClient, watch: Watch, prompts: tuple[Prompt, ...], folder: Path, answers: int
) -> dict[str, Any]:
    """Return all figures, read by the owner after the last answer."""
    ranking, settled, judges = await owner.rank(), await owner.settled(), await owner.judges()
    first, second = ranking.items[:2]
    why = await owner.why(first, second, most=4)
    for name, what in EXPORTS.items():
        await owner.export(folder / name, what)
    wanted = shares(prompts)
    return {
        "models": len(MODELS),
        "prompts": len(prompts),
        "answers": answers,
        "counted": _counted(folder / "answers.csv"),
        "everything": questions(prompts),
        "settled": str(settled),
        "enough": settled is not None and settled.enough,
        "board": [
            {
                "rank": place,
                "model": row["item"],
                "style": MODELS[row["item"]][0],
                **{key: _round(row[key]) for key in ("score", "lower", "upper")},
                "ranks": [int(row["rank_low"]), int(row["rank_high"])],
                "answers": int(row["answers"]),
                "share": _round(wanted[row["item"]]),
            }
            for place, row in enumerate(ranking.to_frame().to_dict("records"), 1)
        ],
        "pairs in order": in_order(list(ranking.items), wanted),
        "aside": watch.aside,
        "doubted": watch.doubted,
        "judges": _rows(judges),
        "why": {
            "a": why.a,
            "b": why.b,
            "difference": _round(why.difference),
            "sd": _round(why.sd),
            "reasons": [[what, _round(weight)] for what, weight in why.answers],
        },
        "exports": {name: _lines(folder / name) for name in EXPORTS},
    }


def _rows(judges: Judges) -> list[dict[str, Any]]:
    return [
        {
            "judge": row["judge"],
            "comparisons": int(row["answers"]),
            "reliability": _round(row["reliability"]),
            "error": _round(row["reliability_error"]),
            "finding": row["finding"],
        }
        for row in judges.to_frame().to_dict("records")
    ]


def _counted(path: Path) -> int:
    """Return how many answers of an exported table count."""
    with path.open(encoding="utf-8", newline="") as file:
        return sum(row["live"] == "true" for row in csv.DictReader(file))


def _lines(path: Path) -> int:
    """Return how many records a file has; the first line of a table is its head."""
    count = len(path.read_text(encoding="utf-8").splitlines())
    return count - (path.suffix == ".csv")


def _round(value: Any) -> float:
    return round(float(value), 4)
