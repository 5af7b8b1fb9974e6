"""How people write who won. Words of a column in; left, right, tie, both_bad or skip out."""

from __future__ import annotations

from itertools import takewhile

from penchant.formats.columns import plain
from penchant.preferences import OUTCOMES

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


class OutcomeWords:
    """The words that an outcome column may use, given the names of the two columns of items.

    What the names of the columns suggest goes before what is usual: beside ``HomeTeam`` and ``AwayTeam`` the
    letter a means away, beside ``model_a`` and ``model_b`` it means model_a.

    Examples
    --------
    >>> words = OutcomeWords("home_team", "away_team")
    >>> [OUTCOMES[words.code(text)] for text in ("Home", "A", "Draw", "tie (bothbad)")]
    ['left', 'right', 'tie', 'both_bad']
    """

    def __init__(self, left: str, right: str) -> None:
        self._own = _labels(plain(left), plain(right))

    def code(self, text: str) -> int:
        """Return the outcome that a word stands for, -1 if it is none."""
        for word in (text.strip().lower(), plain(text)):
            code = self._own.get(word, _GENERAL.get(word))
            if code is not None:
                return code
        return UNKNOWN_WORD


def _labels(left: str, right: str) -> dict[str, int]:
    """Return the names of the columns, what sets them apart, and the first letter of that."""
    start = _alike(left, right)
    end = _alike(left[start:][::-1], right[start:][::-1])
    apart = [name[start : len(name) - end] for name in (left, right)]
    both = [(left, right), (apart[0], apart[1]), (apart[0][:1], apart[1][:1])]
    return {
        word: code
        for one, other in reversed(both)
        if one and other and one != other
        for word, code in ((one, LEFT), (other, RIGHT))
    }


def _alike(one: str, other: str) -> int:
    """Return how many letters two names have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
