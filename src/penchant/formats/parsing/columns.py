"""Recognise the roles of columns by their names, and outcomes by the words in their column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from penchant.checks import shown
from penchant.errors import Argument, InvalidInput, Text
from penchant.preferences import OUTCOMES

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
    "live": ("live",),
}
LIVE_BESIDE = frozenset(("question", "imported"))
"""The columns beside which one called live says whether an answer counts, as studies export it."""
HEADERS = (
    *(((better,), (worse,)) for better, worse in DECIDED),
    *(((left,), (right,), SINGLE["outcome"]) for left, right in SIDES),
    *(((left,), (right,), (first,), (second,)) for left, right in SIDES for first, second in SCORES),
)
"""The columns by which a table of comparisons is recognised, each with the names that it may have."""
ROLES = ("better", "worse", "left", "right", "outcome", "left_score", "right_score", *list(SINGLE)[1:])
ITEM_ROLES = ROLES[:4]
OUTCOME_IS = "outcome_is"
COVARIATES, LABELS = "covariates", "labels"
OPTIONS = (*ROLES, OUTCOME_IS, COVARIATES, LABELS)
_LISTED = 12

LEFT, RIGHT, TIE, BOTH_BAD, SKIP = range(len(OUTCOMES))
UNKNOWN_WORD = -1
_WORDS = {
    LEFT: ("left", "a", "modela", "itema", "1-0"),
    RIGHT: ("right", "b", "modelb", "itemb", "0-1"),
    TIE: ("tie", "tied", "draw", "d", "equal", "same", "both", "bothgood", "tiebothgood", "1/2-1/2", "½-½"),
    BOTH_BAD: ("bothbad", "tiebothbad", "neither"),
    SKIP: ("skip", "skipped"),
}
_GENERAL = {word: code for code, words in _WORDS.items() for word in words}


@dataclass(frozen=True)
class Columns:
    """Columns by their role, and notes on others that could have had it.

    ``named`` has better and worse; or left, right and outcome; or left, right and the scores of both.
    """

    named: Mapping[str, str]
    notes: tuple[str, ...] = ()


def plain(name: str) -> str:
    """Return a column's name without capitals, spaces and punctuation."""
    return re.sub(r"[\W_]+", "", name.lower())


def carried_role(name: str) -> str:
    """Return the role of a column that is read as it is, for covariates and labels."""
    return f"column {name}"


def columns_among(
    names: Sequence[str], given: Mapping[str, str] | None = None, wanted: Sequence[str] = ()
) -> Columns | None:
    """Return the columns that hold comparisons, or None if they are not recognised.

    Parameters
    ----------
    names : sequence of str
        All columns.
    given : dict, optional
        Columns by role, which take precedence over recognition.
    wanted : sequence of str
        Further columns to read, under `carried_role`.

    Examples
    --------
    >>> columns_among(["Model A", "Model B", "Winner", "Judge"]).named
    {'left': 'Model A', 'right': 'Model B', 'outcome': 'Winner', 'judge': 'Judge'}
    """
    given = {role: str(name) for role, name in (given or {}).items() if role in ROLES}
    if given:
        _check_given(names, given)
    by_plain_name: dict[str, str] = {}
    for name in names:
        by_plain_name.setdefault(plain(name), name)
    main, notes = _main_columns(by_plain_name, given)
    if main is None:
        return None
    used = set(main.values()) | set(given.values())
    carried = {carried_role(name): name for name in wanted}
    extra = {
        role: given[role] if role in given else _first(by_plain_name, wanted, used)
        for role, wanted in SINGLE.items()
        if role != "outcome"
        and not (role in ("tie", "better_on_left") and "left" in main)
        and (role != "live" or role in given or by_plain_name.keys() >= LIVE_BESIDE)
    }
    found = Columns(main | {role: name for role, name in extra.items() if name is not None} | carried, notes)
    for role, name in found.named.items():
        if names.count(name) > 1:
            raise InvalidInput(f"column {shown(name)} must be there once, it plays {role}: rename the others")
    return found


def _check_given(names: Sequence[str], given: Mapping[str, str]) -> None:
    for role, name in given.items():
        if name not in names:
            raise InvalidInput.of(role, "name a column", shown(name), f"the file has {listed(names)}")
    for first, second in (("better", "worse"), ("left", "right"), ("left_score", "right_score")):
        if (first in given) != (second in given):
            alone, absent = (first, second) if first in given else (second, first)
            raise InvalidInput.of(
                alone,
                "be given with its counterpart",
                "it alone",
                Text("give ", Argument(absent), " too"),
            )


def _main_columns(
    names: Mapping[str, str], given: Mapping[str, str]
) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    if "better" in given:
        return {role: given[role] for role in ("better", "worse")}, ()
    about_sides = any(role in given for role in ("left", "outcome", "left_score"))
    decided = [] if about_sides else _pairs(names, DECIDED)
    if decided:
        notes = tuple(
            Text(
                f"columns {shown(first)} and {shown(second)} are also there: name them with ",
                Argument("better"),
                " and ",
                Argument("worse"),
                " to use them",
            )
            for first, second in decided[1:]
        )
        return dict(zip(("better", "worse"), decided[0], strict=True)), notes
    sides = (given["left"], given["right"]) if "left" in given else next(iter(_pairs(names, SIDES)), None)
    if sides is None:
        return None, ()
    named = dict(zip(("left", "right"), sides, strict=True))
    scored = next(iter(_pairs(names, SCORES)), None)
    if "left_score" in given:
        scored = given["left_score"], given["right_score"]
    outcome = given.get("outcome")
    if outcome is None and "left_score" not in given:
        outcome = _first(names, SINGLE["outcome"], set(sides))
    if outcome is not None:
        return named | {"outcome": outcome}, ()
    if scored is not None:
        return named | dict(zip(("left_score", "right_score"), scored, strict=True)), ()
    return None, ()


def _pairs(names: Mapping[str, str], wanted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(names[a], names[b]) for a, b in wanted if a in names and b in names]


def _first(names: Mapping[str, str], wanted: Iterable[str], used: set[str]) -> str | None:
    return next((names[name] for name in wanted if name in names and names[name] not in used), None)


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


class OutcomeWords:
    """The words that an outcome column may use, given the names of the two columns of items.

    Words derived from the names of the columns take precedence over the usual ones: beside ``HomeTeam``
    and ``AwayTeam`` the letter a means away, beside ``model_a`` and ``model_b`` it means model_a.

    Examples
    --------
    >>> words = OutcomeWords("home_team", "away_team")
    >>> [OUTCOMES[words.code(text)] for text in ("Home", "A", "Draw", "tie (bothbad)")]
    ['left', 'right', 'tie', 'both_bad']
    """

    def __init__(self, left: str, right: str) -> None:
        self._own = _labels(plain(left), plain(right))

    def code(self, text: str) -> int:
        """Return the outcome that a word stands for, -1 if it stands for none."""
        for word in (text.strip().lower(), plain(text)):
            code = self._own.get(word, _GENERAL.get(word))
            if code is not None:
                return code
        return UNKNOWN_WORD


def _labels(left: str, right: str) -> dict[str, int]:
    """Return the names of the columns, the part in which they differ, and its first letter."""
    start = _common_start(left, right)
    end = _common_start(left[start:][::-1], right[start:][::-1])
    apart = [name[start : len(name) - end] for name in (left, right)]
    both = [(left, right), (apart[0], apart[1]), (apart[0][:1], apart[1][:1])]
    return {
        word: code
        for first, second in reversed(both)
        if first and second and first != second
        for word, code in ((first, LEFT), (second, RIGHT))
    }


def _common_start(first: str, second: str) -> int:
    """Return how many letters two names have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
