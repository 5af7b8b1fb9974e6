"""Explain why one item stands above another: which answers, links and features make up the difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.belief import LiveBelief, difference_variance
from penchant.checks import whole
from penchant.counts import Count, shown_count
from penchant.errors import InvalidInput, UnknownItem
from penchant.study.columns import BAR_ROW

if TYPE_CHECKING:
    from pandas import DataFrame

Reason = tuple[str, float]
"""What speaks for the first item, and by how much of the difference; below 0, for the second."""
Totals = Callable[[int, int], tuple[Count, Count, Count]]
"""How often the item at one row was preferred to that at another, how often the other, and how often neither."""

PRIOR = "prior mean"
"""The part of a difference that belongs to no answer."""
ROUNDING = 1e-6
"""A part of the difference, relative to the sum of all weights, up to which it is the rounding of their sum."""
_LONGEST = 40


@dataclass(frozen=True, repr=False)
class Why:
    """Why item ``a`` stands above (or below) item ``b``.

    The weights of all three groups add up to ``difference``. A weight above 0 speaks for ``a``. Build one with `why`.

    Attributes
    ----------
    a, b : str
        Ids.
    difference, sd : float
        The mean score of ``a`` less that of ``b``, and the standard deviation of that difference; 0 for a learner that
        has none.
    answers, links, features : tuples of (str, float)
        Each names a reason and its weight, the largest weights first; where there are too many, the last entry of a
        group holds the rest of them.
    titles : (str, str)
        What ``a`` and ``b`` are called in text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.study import Study
    >>> with Study.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee"], seed=1) as study:
    ...     for _ in range(4):
    ...         question = study.ask("ann")
    ...         _ = study.tell(question, "left" if question.left == "tea" else "right")
    ...     why = study.why("tea", "coffee")
    >>> why.difference > 0, len(why.answers)
    (True, 1)
    """

    a: str
    b: str
    difference: float
    sd: float
    answers: tuple[Reason, ...]
    links: tuple[Reason, ...] = ()
    features: tuple[Reason, ...] = ()
    titles: tuple[str, str] = ("", "")

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"kind": kind, "what": what, "weight": weight}
            for kind in ("answers", "links", "features")
            for what, weight in getattr(self, kind)
        ]

    def to_frame(self) -> DataFrame:
        """Return the reasons as a pandas frame, one row a reason: its kind, what it is and its weight."""
        from pandas import DataFrame

        return DataFrame(self._rows(), columns=["kind", "what", "weight"])

    def to_json(self) -> str:
        """Return the explanation as JSON text."""
        groups = ("answers", "links", "features")
        state = {name: value for name, value in asdict(self).items() if name not in groups}
        for group in groups:
            state[group] = [{"what": what, "weight": weight} for what, weight in getattr(self, group)]
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    def __repr__(self) -> str:
        first, second = (title or item for title, item in zip(self.titles, (self.a, self.b), strict=True))
        place = "above" if self.difference >= 0 else "below"
        sd = f" ± {self.sd:.2f}" if self.sd else ""
        head = f"{first} {place} {second} by {abs(self.difference):.2f}{sd}"
        rows = sorted(self._rows(), key=lambda row: -abs(row["weight"]))
        if not rows:
            return f"{head}: no answer says anything about them"
        lines = [f"  {row['weight']:+z.2f}  {_spoken(row)}" for row in rows]
        return "\n".join([f"{head} because:", *lines, *self._balance(rows)])

    def _balance(self, rows: list[dict[str, Any]]) -> list[str]:
        """Return a line about weights that cancel each other, where more than the difference does."""
        above, below = (fsum(sign(row["weight"], 0.0) for row in rows) for sign in (max, min))
        if min(above, -below) <= abs(self.difference):
            return []
        return [f"Weights pull both ways: {above:+.2f} and {below:+.2f} add up to {self.difference:+z.2f}."]


def _spoken(row: Mapping[str, Any]) -> str:
    is_feature = row["kind"] == "features" and row["what"] != PRIOR
    return f"feature {row['what']}" if is_feature else str(row["what"])


def why(
    belief: LiveBelief,
    a: str,
    b: str,
    *,
    most: int = 10,
    titles: Mapping[str, str] | None = None,
    totals: Totals | None = None,
) -> Why:
    """Explain the difference of two items by what a belief has learned.

    The posterior mean is linear in what the answers contribute, whether or not they are about these two items. The
    answers about a pair count by how clearly they prefer one side, times the posterior covariance of the pair's
    difference with that of ``a`` and ``b`` (`penchant.belief.LiveBelief.contributions`): so a pair in which ``a`` was
    preferred more often counts for ``a``, also where the other answers predict more of that. A belief with features and
    links (one that has ``explain``) divides the difference among those as well; one that does not know single answers
    names all of them together.

    Parameters
    ----------
    belief : LiveBelief
    a, b : str
        Ids of two items.
    most : int
        How many reasons of each kind are named; the others are added up in one more.
    titles : mapping of ids to str, optional
        What items are called in the reasons; their ids unless given.
    totals : callable, optional
        ``totals(first, second)`` returns how often the item at row ``first`` was preferred, how often the one at row
        ``second``, and how often they tied: `penchant.study.columns.AnswerColumns.totals`.
    """
    whole("most", most, 0, remedy="10 is usual")
    rows = {item: row for row, item in enumerate(belief.items_)}
    for name, item in (("a", a), ("b", b)):
        if item not in rows:
            raise UnknownItem.of(name, "be an item of the study", repr(item), "list the items")
    if a == b:
        raise InvalidInput.of("b", f"differ from a, which is {a!r}", "the same", "name two items")
    first, second = rows[a], rows[b]
    words = _Words(belief.items_, titles or {}, first, second, totals)
    difference = float(belief.mean[first] - belief.mean[second])
    parts = _parts(belief, first, second, difference)
    variance = difference_variance(belief, np.array([first]), np.array([second]))
    return Why(
        a,
        b,
        difference,
        sqrt(float(variance[0])),
        answers=_largest(parts["answers"], most, words.pair, "other pairs"),
        links=_largest(parts["links"], most, words.link, "other links"),
        features=_largest(parts["features"], most, str, "others"),
        titles=(words.title(first), words.title(second)),
    )


Parts = dict[str, list[tuple[Any, float]]]


def _parts(belief: LiveBelief, first: int, second: int, difference: float) -> Parts:
    """Return what each pair of items, link and feature contributes; all of them add up to the difference."""
    explain = getattr(belief, "explain", None)
    found = None if explain is None else explain(first, second)
    answers = belief.contributions(first, second) if found is None else found.answers
    links, features = ((), ()) if found is None else (found.links, found.features)
    parts: Parts = {
        "answers": [((i, j), float(weight)) for i, j, weight in answers if weight != 0],
        "links": [(row, float(weight)) for row, weight in links if weight != 0],
        "features": [(name, float(weight)) for name, weight in features if weight != 0],
    }
    weights = [weight for group in parts.values() for _, weight in group]
    rest = difference - fsum(weights)
    if rest != 0 and not answers and belief.counts_.any():
        parts["answers"].append((None, rest))
    elif abs(rest) > ROUNDING * fsum(map(abs, weights)):
        parts["features"].append((PRIOR, rest))
    else:
        _add_to_largest(parts, rest)
    return parts


def _add_to_largest(parts: Parts, rest: float) -> None:
    """Add the rounding of a sum to the largest of its parts."""
    group = max(parts.values(), key=lambda each: max((abs(weight) for _, weight in each), default=0.0))
    if group:
        place = max(range(len(group)), key=lambda k: abs(group[k][1]))
        group[place] = group[place][0], group[place][1] + rest


def _largest(
    entries: list[tuple[Any, float]], most: int, describe: Callable[[Any], str], others: str
) -> tuple[Reason, ...]:
    """Return the entries of the largest weights, described, and one with the sum of all others."""
    order = sorted(range(len(entries)), key=lambda k: -abs(entries[k][1]))
    named = [(describe(entries[k][0]), entries[k][1]) for k in order[:most]]
    if len(order) > most:
        rest = fsum(entries[k][1] for k in order[most:])
        count = len(order) - most
        named.append((f"{count:,} {others}" if count > 1 else f"1 {others[:-1]}", rest))
    return tuple(named)


@dataclass(frozen=True)
class _Words:
    """The wording of reasons for the difference of the items at rows ``first`` and ``second``."""

    items: tuple[str, ...]
    titles: Mapping[str, str]
    first: int
    second: int
    totals: Totals | None

    def title(self, row: int) -> str:
        """Return what the item at ``row`` is called, shortened."""
        title = self.titles.get(self.items[row]) or self.items[row]
        return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"

    def link(self, row: int) -> str:
        """Return what the link to the item at a row is called."""
        return f"link with {self.title(row)}"

    def pair(self, rows: tuple[int, int] | None) -> str:
        """Return the result of a comparison: for ``first`` where it took part, else for ``second``, else for either."""
        if rows is None:
            return "all answers together"
        i, j = (int(row) for row in rows)
        if i == BAR_ROW or (j != BAR_ROW and self._distance(j) < self._distance(i)):
            i, j = j, i
        subject = "" if i == self.first else f"{self.title(i)} "
        if j == BAR_ROW:
            times = "" if self.totals is None else f" {_times(self.totals(i, j)[1])}"
            return f"{subject}was in both-bad answers{times}"
        if self.totals is None:
            return f"{subject}compared with {self.title(j)}"
        return f"{subject}{self._score(j, *self.totals(i, j))}"

    def _distance(self, row: int) -> int:
        return 0 if row == self.first else 1 if row == self.second else 2

    def _score(self, opponent: int, won: Count, lost: Count, tied: Count) -> str:
        """Return how often an item was preferred to the one at row ``opponent``, as a predicate."""
        name, all_times = self.title(opponent), won + lost + tied
        if not (won or lost):
            return f"tied with {name} {_times(tied)}"
        ties = f", tied {_times(tied)}" if tied else ""
        if won == lost:
            return f"beat {name} {_times(won)}, lost {_times(lost)}{ties}"
        verb, times = ("beat", won) if won > lost else ("lost to", lost)
        if times == all_times:
            return f"{verb} {name} {_times(times)}"
        return f"{verb} {name} {shown_count(times)} of {shown_count(all_times)} times{ties}"


def _times(number: Count) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{shown_count(number)} times"
