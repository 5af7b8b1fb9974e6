"""Which column plays which role. The names of columns in, roles out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from penchant.checks import shown
from penchant.errors import Argument, InvalidInput, Text

# Pairs of names, spelt without spaces, capitals and underscores; the first pair that is there counts.
DECIDED = (
    ("better", "worse"),
    ("winner", "loser"),
    ("winnername", "losername"),
    ("winnerid", "loserid"),
    ("chosenid", "rejectedid"),
    ("chosen", "rejected"),
    ("preferred", "dispreferred"),
    ("preferred", "other"),
)
SIDES = (
    ("left", "right"),
    ("modela", "modelb"),
    ("itema", "itemb"),
    ("optiona", "optionb"),
    ("responsea", "responseb"),
    ("item1", "item2"),
    ("option1", "option2"),
    ("first", "second"),
    ("hometeam", "awayteam"),
    ("home", "away"),
    ("team1", "team2"),
    ("player1", "player2"),
    ("modelx", "modely"),
    ("itemx", "itemy"),
    ("a", "b"),
    ("x", "y"),
)
SCORES = (
    ("homescore", "awayscore"),
    ("leftscore", "rightscore"),
    ("scorea", "scoreb"),
    ("score1", "score2"),
    ("homegoals", "awaygoals"),
)
SINGLE = {
    "outcome": ("outcome", "winner", "result", "answer", "preference", "vote", "choice"),
    "weight": ("weight", "count", "votes"),
    "tie": ("tie", "tied", "draw"),
    "judge": tuple(
        name + ending
        for name in ("judge", "user", "worker", "rater", "annotator", "voter", "labeler")
        for ending in ("", "id", "name")
    ),
    "better_on_left": ("betteronleft",),
    "period": ("period",),
}
ROLES = ("better", "worse", "left", "right", "outcome", "left_score", "right_score", *list(SINGLE)[1:])
ITEM_ROLES = ROLES[:4]
OUTCOME_IS = "outcome_is"
OPTIONS = (*ROLES, OUTCOME_IS)
_LISTED = 12


@dataclass(frozen=True)
class Columns:
    """Columns by their role, and which others might have played it.

    ``named`` has better and worse; or left, right and outcome; or left, right and the scores of both.
    """

    named: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __contains__(self, role: str) -> bool:
        return role in self.named


def plain(name: str) -> str:
    """Return a column's name without capitals, spaces and punctuation."""
    return re.sub(r"[\W_]+", "", name.lower())


def columns_among(names: Sequence[str], given: Mapping[str, str] | None = None) -> Columns | None:
    """Return the columns that say who was preferred, or None if they cannot be recognised.

    Parameters
    ----------
    names : sequence of str
        All columns.
    given : dict, optional
        Columns by role, which always win over recognition.

    Examples
    --------
    >>> columns_among(["Model A", "Model B", "Winner", "Judge"]).named
    {'left': 'Model A', 'right': 'Model B', 'outcome': 'Winner', 'judge': 'Judge'}
    """
    given = {role: str(name) for role, name in (given or {}).items() if role in ROLES}
    _check_given(names, given)
    there: dict[str, str] = {}
    for name in names:
        there.setdefault(plain(name), name)
    main, notes = _main_columns(there, given)
    if main is None:
        return None
    used = set(main.values()) | set(given.values())
    extra = {
        role: given[role] if role in given else _first(there, wanted, used)
        for role, wanted in SINGLE.items()
        if role != "outcome" and not (role in ("tie", "better_on_left") and "left" in main)
    }
    found = Columns(main | {role: name for role, name in extra.items() if name is not None}, notes)
    for role, name in found.named.items():
        if names.count(name) > 1:
            raise InvalidInput(f"column {shown(name)} must be there once, it plays {role}: rename the others")
    return found


def _check_given(names: Sequence[str], given: Mapping[str, str]) -> None:
    for role, name in given.items():
        if name not in names:
            raise InvalidInput.of(role, "name a column", shown(name), f"the file has {listed(names)}")
    for one, other in (("better", "worse"), ("left", "right"), ("left_score", "right_score")):
        if (one in given) != (other in given):
            absent = other if one in given else one
            given_alone = one if one in given else other
            raise InvalidInput.of(
                given_alone,
                "be given with its counterpart",
                "it alone",
                Text("give ", Argument(absent), " too"),
            )


def _main_columns(
    there: Mapping[str, str], given: Mapping[str, str]
) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    if "better" in given:
        return {role: given[role] for role in ("better", "worse")}, ()
    about_sides = any(role in given for role in ("left", "outcome", "left_score"))
    decided = [] if about_sides else _pairs(there, DECIDED)
    if decided:
        notes = tuple(
            Text(
                f"columns {shown(one)} and {shown(other)} are also there: name them with ",
                Argument("better"),
                " and ",
                Argument("worse"),
                " to use them",
            )
            for one, other in decided[1:]
        )
        return dict(zip(("better", "worse"), decided[0], strict=True)), notes
    sides = (given["left"], given["right"]) if "left" in given else next(iter(_pairs(there, SIDES)), None)
    if sides is None:
        return None, ()
    named = dict(zip(("left", "right"), sides, strict=True))
    scored = next(iter(_pairs(there, SCORES)), None)
    if "left_score" in given:
        scored = given["left_score"], given["right_score"]
    outcome = given.get("outcome")
    if outcome is None and "left_score" not in given:
        outcome = _first(there, SINGLE["outcome"], set(sides))
    if outcome is not None:
        return named | {"outcome": outcome}, ()
    if scored is not None:
        return named | dict(zip(("left_score", "right_score"), scored, strict=True)), ()
    return None, ()


def _pairs(there: Mapping[str, str], wanted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(there[one], there[other]) for one, other in wanted if one in there and other in there]


def _first(there: Mapping[str, str], wanted: Iterable[str], used: set[str]) -> str | None:
    return next((there[name] for name in wanted if name in there and there[name] not in used), None)


def listed(names: Sequence[str]) -> str:
    """Return the first names for a message."""
    return ", ".join(map(shown, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")


def unrecognised(names: Sequence[str]) -> Text:
    """Return the message about columns of which none says which item was preferred."""
    better, worse, left, right, outcome = map(Argument, ("better", "worse", "left", "right", "outcome"))
    return Text(
        *(
            f"columns must say who was preferred, got {listed(names)}: name them with ",
            better,
            " and ",
            worse,
        ),
        *(", or with ", left, ", ", right, " and ", outcome),
    )
