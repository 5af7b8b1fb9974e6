"""What ``penchant check`` reports about a coactive study: its file, its fold, its learning curve, and who wins."""

from __future__ import annotations

import json as json_text
from typing import TYPE_CHECKING, Any

from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, rows_table, working_with
from penchant.cli.weights import number

if TYPE_CHECKING:
    from penchant.coactive import Interleaving, Progress


def progress_rows(progress: Progress) -> list[dict[str, str]]:
    """Return the learning curve as rows of a table: presentations with feedback, in blocks that double."""
    table = progress.to_frame().to_dict("records")
    return [
        {
            "presentations": f"{row['from']:,} to {row['to']:,}",
            "first place": number(row["first"]),
            "NDCG@10": number(row["ndcg"]),
            "regret": number(row["regret"]),
        }
        for row in table
    ]


def progress_json(progress: Progress) -> dict[str, Any]:
    """Return the figures of all presentations with feedback, and the learning curve."""
    figures = {"first": progress.first, "ndcg": progress.ndcg, "regret": progress.regret}
    return {"rounds": progress.rounds, **figures, "curve": progress.to_frame().to_dict("records")}


def interleaving_json(found: Interleaving) -> dict[str, Any]:
    """Return who wins as other programs take it."""
    counts = {"wins": found.wins, "losses": found.losses, "ties": found.ties}
    return {**counts, "share": found.share, "interval": list(found.interval), "level": found.level}


def interleaving_sentence(found: Interleaving) -> str:
    """Return who wins in a sentence."""
    result = {1: "the learned order wins", -1: "the other order wins", 0: "it is open who wins"}[found.winner]
    low, high = found.interval
    return (
        f"Interleaved: {result}: {found.wins:,} won, {found.losses:,} lost, {found.ties:,} ties "
        f"({100 * found.level:g} % interval of the share {low:.3f} to {high:.3f})"
    )


def check_coactive(file: StudyPlace, json: bool, sound: str) -> None:
    """Report what is in a coactive study: its file, the fold of its log, its learning curve, and who wins."""
    from penchant.counts import counted
    from penchant.study.coactive import CoactiveStudy

    with working_with("checking", CoactiveStudy.open, file, write=False) as study:
        checks, progress, found = study.check(), study.learning_curve(), study.interleaving()
        sentence, items, users = study.progress(), len(study.items), len(study.users)
    decided = found.wins + found.losses + found.ties > 0
    if json:
        counts = {"kind": "coactive", "items": items, "users": users, "progress": sentence}
        results = {"learning_curve": progress_json(progress), "interleaving": interleaving_json(found)}
        print_json({**counts, **json_text.loads(checks.to_json()), **results}, indent=2)
        return
    terminal = Terminal()
    terminal.say(
        f"{file.name}: {sentence}; {counted(items, 'item')}, {counted(users, 'user')}", f"File: {sound}"
    )
    terminal.show(
        rows_table(
            [{"result": check.result, "check": check.name, "found": check.message} for check in checks]
        )
    )
    if progress.rounds:
        terminal.say("Each presentation before it was learned from:")
        terminal.show(rows_table(progress_rows(progress)))
    if decided:
        terminal.say(interleaving_sentence(found))
    terminal.next(["weights", str(file)])
