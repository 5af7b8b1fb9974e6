"""Make results of the JSON of replies. JSON of another form ends in KeyError, TypeError or ValueError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import nan
from typing import TYPE_CHECKING, Any

from penchant.client.results import (
    About,
    Answer,
    Change,
    Event,
    Feedback,
    Item,
    Presentation,
    Question,
    Reason,
    Turn,
    Undo,
    Why,
)

if TYPE_CHECKING:
    from penchant.ask import Settled
    from penchant.coactive import Interleaving
    from penchant.ranking import Ranking
    from penchant.worth.judges import Judges

_ITEM = ("id", "title", "text", "picture", "fields", "links", "retired")
_LOOKS = ("format", "size")
"""How a page shows an item of a question: no field of the item."""


def item_of(body: Any) -> Item:
    """Return an item; what is no part of every item is one of its fields."""
    parts = {name: body[name] for name in _ITEM if body.get(name) is not None}
    others = {name: value for name, value in body.items() if name not in (*_ITEM, *_LOOKS)}
    return Item(**{"title": body["id"], **parts, "fields": {**others, **dict(parts.get("fields", {}))}})


def items_of(body: Any) -> dict[str, Item]:
    """Return the items by id."""
    return {item.id: item for item in map(item_of, body["items"])}


def question_of(body: Any) -> Question:
    """Return a question."""
    left, right = item_of(body["left"]), item_of(body["right"])
    return Question(
        str(body["id"]),
        left.id,
        right.id,
        str(body["judge"]),
        left,
        right,
        str(body.get("progress", "")),
        int(body.get("answered", 0)),
    )


def answer_of(body: Any) -> Answer:
    """Return an answer that was kept."""
    kept = body["answer"]
    return Answer(str(kept["id"]), str(kept["question"]), str(kept["choice"]), bool(body.get("duplicate")))


def turn_of(body: Any) -> Turn:
    """Return an answer that was kept, with the next question."""
    following = body["next"]
    return Turn(answer_of(body), None if following is None else question_of(following))


def undo_of(body: Any) -> Undo:
    """Return an undo, with the question that it opened again."""
    opened = body.get("question")
    question = None if opened is None else question_of(opened)
    return Undo(str(body["undo"]), question, bool(body.get("duplicate")))


def presentation_of(body: Any) -> Presentation:
    """Return a presentation."""
    teams = body.get("teams")
    return Presentation(
        str(body["id"]),
        tuple(body["order"]),
        None if teams is None else tuple(teams),
        bool(body.get("learn", True)),
        bool(body.get("duplicate")),
    )


def feedback_of(body: Any) -> Feedback:
    """Return feedback that was kept."""
    return Feedback(
        str(body["id"]),
        str(body["presentation"]),
        tuple(body["order"]),
        bool(body["changed"]),
        bool(body["learned"]),
        bool(body.get("late")),
        bool(body.get("duplicate")),
    )


def ranking_of(body: Any) -> Ranking:
    """Return a ranking, equal to the one that was sent to the last bit."""
    from penchant.ranking import Ranking

    return Ranking.from_json(body)


def settled_of(body: Any) -> Settled | None:
    """Return how near the ranking is to its goal; None where it is too early to say."""
    from penchant.ask import Settled

    found = body["settled"]
    if found is None:
        return None
    given = {part.name: found[part.name] for part in fields(Settled) if part.name in found}
    return Settled(**{**given, "left_range": tuple(given["left_range"])})


def verdict_of(body: Any) -> tuple[str, ...]:
    """Return the sentences of a verdict."""
    return tuple(map(str, body["verdict"]))


def why_of(body: Any) -> Why:
    """Return an explanation."""
    groups = {name: tuple(map(_reason, body.get(name) or ())) for name in ("answers", "links", "features")}
    titles = [str(title) for title in body.get("titles") or (body["a"], body["b"])]
    return Why(
        str(body["a"]),
        str(body["b"]),
        float(body["difference"]),
        float(body.get("sd") or 0.0),
        **groups,
        titles=(titles[0], titles[1]),
    )


def _reason(row: Any) -> Reason:
    what, weight = (row["what"], row["weight"]) if isinstance(row, Mapping) else row
    return str(what), float(weight)


def weights_of(body: Any) -> dict[str, float]:
    """Return the weight of each feature."""
    return {str(name): float(weight) for name, weight in body["weights"].items()}


def interleaving_of(body: Any) -> Interleaving:
    """Return which of two orders people prefer."""
    from penchant.coactive import Interleaving

    low, high = body["interval"]
    share = nan if body["share"] is None else float(body["share"])
    wins, losses, ties = (int(body[name]) for name in ("wins", "losses", "ties"))
    level = float(body.get("level", 0.95))
    return Interleaving(wins, losses, ties, share, (float(low), float(high)), level)


def judges_of(body: Any) -> Judges:
    """Return the report of the judges."""
    import numpy as np

    from penchant.worth.judges import Judges

    rows = body["judges"]
    names = ("reliability", "reliability_error", "bias", "bias_error")
    columns = {name: np.array([float(row[name]) for row in rows]) for name in names}
    answers = np.array([row["answers"] for row in rows])
    return Judges(
        judges=tuple(str(row["judge"]) for row in rows),
        answers=answers,
        level=float(body.get("level", 0.95)),
        model=str(body.get("model", "")),
        programs=tuple(str(row["judge"]) for row in rows if row.get("program")),
        **columns,
        **_agreement(rows),
    )


def _agreement(rows: list[Any]) -> dict[str, Any]:
    """Return how judges agree with people, unless an earlier version replied, which does not say."""
    import numpy as np

    names = ("agreement", "agreement_error", "shared")
    if not all(name in row for row in rows for name in names):
        return {}
    # null is not a number here
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in names}


def about_of(body: Any) -> About:
    """Return what a study is."""
    return About(**{part.name: body[part.name] for part in fields(About)})


def settings_of(body: Any) -> dict[str, Any]:
    """Return all settings of a study."""
    return dict(body["settings"])


def events_of(body: Any) -> tuple[list[Event], int]:
    """Return a part of the log, and the number of the last event."""
    events = [Event(**{name: row[name] for name in Event._fields}) for row in body["events"]]
    return events, int(body["last"])


def change_of(body: Any) -> Change:
    """Return what a message of the stream says."""
    return Change(int(body["revision"]), tuple(map(str, body.get("kinds") or ())))


def ids_of(body: Any) -> tuple[str, ...]:
    """Return the ids of items that were added."""
    return tuple(map(str, body["items"]))


def edited_of(body: Any) -> Item:
    """Return an item as it is after a change."""
    return item_of(body["item"])


def nothing_of(body: Any) -> None:
    """Return nothing: that there was a reply says all."""
    body.keys()
