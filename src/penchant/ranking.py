"""`Ranking`: items in order of their scores, with intervals, rank ranges and groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, check_level, check_number, numbers, one_of, shown, vector
from penchant.counts import Counts, as_counts, shown_count
from penchant.errors import InvalidInput, UnknownItem
from penchant.schema import (
    Array,
    Instance,
    Maybe,
    Number,
    OneOf,
    Row,
    Schema,
    Text,
    Texts,
    TupleOf,
    Whole,
    counts,
    require,
)
from penchant.text import percent, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Ranking", "Threshold"]

LOG_ODDS, ELO, PROBABILITY = "log odds", "elo", "probability"
SCALES = (LOG_ODDS, ELO, PROBABILITY)
_UNITS = {
    "": "score",
    LOG_ODDS: "score (log odds)",
    ELO: "Elo rating",
    PROBABILITY: "probability of beating the average item",
}
ELO_POINTS = 400 / np.log(10)
_AVERAGE_ELO = 1000.0

_DRAWS = 2000
_DRAWN_NUMBERS = 20_000_000
_SHOWN = 20
_NAMED = 4


@dataclass(frozen=True)
class Threshold:
    """The bar that both items of a both-bad answer lose to, on the scale of the scores.

    A both-bad answer records that the bar was preferred to two items, and no other answer records anything about it:
    the bar never loses. So the answers say how high it is at least, and only the prior, how high it is at most; a
    weaker prior puts it higher. Items above it are so good that the model expects them to be; no answer states it.

    Attributes
    ----------
    score, lower, upper : float
        Where the bar is, and its interval at the level of the ranking; None where the uncertainty is not known.
    above : int
        How many items have a score above that of the bar.

    Examples
    --------
    >>> Threshold(score=-0.4, lower=-1.1, upper=0.2, above=3)
    Threshold(score=-0.4, lower=-1.1, upper=0.2, above=3)
    """

    __saved__: ClassVar = Schema(
        {"score": Number(), "lower": Maybe(Number()), "upper": Maybe(Number()), "above": Whole(0)}
    )

    score: float
    lower: float | None = None
    upper: float | None = None
    above: int = 0


def _in_order(state: Mapping[str, Any]) -> None:
    """Refuse a saved ranking whose parts say different things."""
    require(len(state["items"]), "items must be at least one")
    require((np.diff(state["scores"]) <= 0).all(), "scores must fall from the first item to the last")
    require((np.diff(state["ranks"]) == 1).all() and state["ranks"][0] == 1, "ranks must be 1, 2, 3 …")
    for names in (("lower", "upper"), ("rank_low", "rank_high", "groups")):
        known = [state[name] is not None for name in names]
        require(all(known) or not any(known), f"{' and '.join(names)} must be there together")
    require(
        state["lower"] is None or (state["lower"] <= state["upper"]).all(), "lower must not be above upper"
    )
    if state["groups"] is not None:
        low, high, groups = state["rank_low"], state["rank_high"], state["groups"]
        require((low <= high).all() and high.max() <= len(low), "rank_low to rank_high must be ranks")
        require(groups[0] == 1 and np.isin(np.diff(groups), (0, 1)).all(), "groups must count from 1")


_SAVED = Schema(
    {
        "items": Texts("n", distinct=False),
        "scores": Array(("n",)),
        "ranks": Array(("n",), "int64", least=1),
        "lower": Maybe(Array(("n",))),
        "upper": Maybe(Array(("n",))),
        "rank_low": Maybe(Array(("n",), "int64", least=1)),
        "rank_high": Maybe(Array(("n",), "int64", least=1)),
        "groups": Maybe(Array(("n",), "int64", least=1)),
        "answers": Maybe(counts("n")),
        "level": Number(above=0, below=1),
        "model": Text(),
        "draws": Whole(0),
        "threshold": Maybe(Instance(Threshold)),
        "caveats": TupleOf(Text()),
    },
    optional={
        "scale": OneOf(("", *SCALES)),
        "anchor": Maybe(Row((Text(), Number()))),
    },
    rules=(_in_order,),
)


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Items in order, best first, and how sure that order is. Build one with `Ranking.from_scores`.

    Each array has one entry an item, in the order of ``items``.

    Attributes
    ----------
    items : tuple of str
        Ids, best first; equal scores in the order in which the items came.
    scores, lower, upper : arrays of shape (n,)
        Worth, and its interval at ``level``; None where the uncertainty is not known.
    ranks : int array of shape (n,)
        1, 2, 3 …
    rank_low, rank_high : int arrays of shape (n,)
        The best and the worst rank that each item may have at ``level``, each item for itself.
    groups : int array of shape (n,)
        Groups of items whose order is certain at ``level``: all rank ranges of one group lie before those of the next.
        Inside a group the order is not certain as a whole, though some of its items may be. Groups count from 1.
    answers : int array of shape (n,)
        How many comparisons each item took part in, weights counting repetitions; floats where a weight is not whole,
        None where that is not known.
    level : float
        The probability that an interval or range holds, for instance 0.95.
    model : str
        The model that made it, with its settings.
    draws : int
        How many draws from the posterior the ranges and groups rest on.
    threshold : Threshold, optional
        The bar that the items of both-bad answers lost to, where there are such answers. It is not ranked.
    caveats : tuple of str
        What must be known before the order is believed, for instance that groups were never compared.
    scale : {"", "log odds", "elo", "probability"}
        What scores are; empty where they are on a scale of the model's own. `on_scale` gives others.
    anchor : pair of str and float, optional
        The item whose rating was set, and that rating.

    Examples
    --------
    >>> ranking = Ranking.from_scores(["tea", "coffee", "water"], [1.2, 0.3, -1.5], variance=[0.04, 0.04, 0.09])
    >>> print(ranking)
    rank  item    score  95 % interval   ranks  group
       1  tea     1.20   0.81 to 1.59    1          1
       2  coffee  0.30   -0.09 to 0.69   2          2
       3  water   -1.50  -2.09 to -0.91  3          3
    >>> ranking.items, ranking.ranks.tolist()
    (('tea', 'coffee', 'water'), [1, 2, 3])
    """

    __saved__: ClassVar = _SAVED

    items: tuple[str, ...]
    scores: Floats
    ranks: Ints
    lower: Floats | None
    upper: Floats | None
    rank_low: Ints | None
    rank_high: Ints | None
    groups: Ints | None
    answers: Counts | None
    level: float
    model: str
    draws: int
    threshold: Threshold | None = None
    caveats: tuple[str, ...] = ()
    scale: str = ""
    anchor: tuple[str, float] | None = None

    @classmethod
    def from_scores(
        cls,
        items: Sequence[str],
        scores: ArrayLike,
        *,
        variance: ArrayLike | None = None,
        intervals: ArrayLike | None = None,
        draws: ArrayLike | None = None,
        sample: Callable[[int, int], Floats] | None = None,
        level: float = 0.95,
        answers: ArrayLike | None = None,
        model: str = "",
        seed: int = 0,
        bar: float | None = None,
        bar_interval: tuple[float, float] | None = None,
        caveats: Sequence[str] = (),
        scale: str = "",
    ) -> Ranking:
        """Rank items by ``scores``, larger is better.

        Parameters
        ----------
        items : sequence of n ids
        scores : array-like of shape (n,)
        variance : array-like of shape (n,), optional
            Of each score: gives the intervals, and where nothing better is given also independent draws.
        intervals : array-like of shape (n, 2), optional
            The interval of each score at ``level``, where it is not that of a normal distribution.
        draws : array-like of shape (n_draws, n), optional
            Scores drawn from the posterior, which give the rank ranges and the groups (and the intervals
            where neither variance nor intervals are given). With a bar, one more column may hold the draws of the bar.
        sample : callable, optional
            ``sample(n_draws, seed)`` makes such draws; used where ``draws`` is not given.
        level : float
        answers : array-like of shape (n,), optional
        model : str
            What made the scores.
        seed : int
            Of the draws.
        bar : float, optional
            The score of the bar that both items of a both-bad answer lose to.
        bar_interval : pair of float, optional
            Its interval at ``level``; without it, that of its draws.
        caveats : sequence of str
            What must be known before the order is believed.
        scale : str
            "log odds" where the difference of two scores is the log odds that one is preferred.

        Examples
        --------
        >>> Ranking.from_scores(["a", "b", "c"], [0.0, 5.0, 4.9], variance=[0.01, 0.01, 0.01])
        rank  item  score  95 % interval  ranks  group
           1  b     5.00   4.80 to 5.20   1–2        1
           2  c     4.90   4.70 to 5.10   1–2        1
           3  a     0.00   -0.20 to 0.20  3          2
        """
        check_level(level)
        one_of("scale", scale, ("", *SCALES))
        names = [str(item) for item in items]
        values = vector("score", scores, length=len(names))
        if not names:
            raise InvalidInput("a ranking must have at least one item, got none: give some items")
        order = np.argsort(-values, kind="stable")
        ordered = values[order]
        spread = None if variance is None else _spread(variance, len(names))
        n_draws = int(np.clip(_DRAWN_NUMBERS // len(names), 200, _DRAWS))
        if draws is None and sample is not None:
            draws = sample(n_draws, seed)
        elif draws is None and spread is not None:
            draws = _independent(values, spread, n_draws, seed)
        drawn, bar_drawn = (
            (None, None) if draws is None else _checked_draws(draws, len(names), bar is not None)
        )
        drawn = None if drawn is None else drawn[:, order]
        if intervals is not None:
            lower, upper = _checked_intervals(intervals, values)[order].T
        else:
            lower, upper = _intervals(ordered, None if spread is None else spread[order], drawn, level)
        low, high, groups = (None, None, None) if drawn is None else _ranges(drawn, level)
        counts = None if answers is None else vector("answers", answers, length=len(names))
        return cls(
            items=tuple(names[i] for i in order),
            scores=ordered,
            ranks=np.arange(1, len(names) + 1),
            lower=lower,
            upper=upper,
            rank_low=low,
            rank_high=high,
            groups=groups,
            answers=None if counts is None else as_counts(counts[order]),
            level=level,
            model=model,
            draws=0 if drawn is None else len(drawn),
            threshold=None if bar is None else _threshold(bar, bar_interval, bar_drawn, values, level),
            caveats=tuple(caveats),
            scale=scale,
        )

    def on_scale(
        self, scale: str, *, anchor: tuple[str, float] | Mapping[str, float] | None = None
    ) -> Ranking:
        """Return the same ranking with its scores on another scale; order, rank ranges and groups stay.

        Parameters
        ----------
        scale : {"log odds", "elo", "probability"}
            "elo": 400 points are odds of ten to one, and the average item has 1000 unless there is an anchor.
            "probability": that of being preferred to an item of average score.
        anchor : pair of id and rating, or mapping with one, optional
            The rating that an item is given on the scale of log odds or Elo, which moves all others. Intervals move
            along: they are those of scores relative to the average item, not to the anchor.

        Examples
        --------
        >>> ranking = Ranking.from_scores(["a", "b"], [1.0, -1.0], variance=[0.01, 0.01], scale="log odds")
        >>> ranking.on_scale("elo", anchor=("b", 1000))
        rank  item  score  95 % interval  ranks  group
           1  a     1347   1313 to 1381   1          1
           2  b     1000   966 to 1034    2          2
        """
        one_of("scale", scale, SCALES)
        if self.scale != LOG_ODDS:
            raise InvalidInput.of(
                "scores",
                "be log odds to be put on another scale",
                self.scale or "those of a model with a scale of its own",
                "take the ranking of BradleyTerry, PlackettLuce or WinRate",
            )
        pinned = None if anchor is None else self._anchored(anchor, scale)
        centre = float(self.scores.mean())

        def moved(values: Any) -> Any:
            away = np.asarray(values, dtype=np.float64) - centre
            if scale == PROBABILITY:
                return 1 / (1 + np.exp(-away))
            return away * ELO_POINTS + _AVERAGE_ELO if scale == ELO else away + centre

        shift = 0.0
        if pinned is not None:
            shift = pinned[1] - float(moved(self.scores[self.items.index(pinned[0])]))
        bar = self.threshold
        return replace(
            self,
            scores=moved(self.scores) + shift,
            lower=None if self.lower is None else moved(self.lower) + shift,
            upper=None if self.upper is None else moved(self.upper) + shift,
            threshold=None
            if bar is None
            else Threshold(
                float(moved(bar.score) + shift),
                None if bar.lower is None else float(moved(bar.lower) + shift),
                None if bar.upper is None else float(moved(bar.upper) + shift),
                bar.above,
            ),
            scale=scale,
            anchor=pinned,
        )

    def _anchored(self, anchor: tuple[str, float] | Mapping[str, float], scale: str) -> tuple[str, float]:
        pairs = list(anchor.items()) if isinstance(anchor, Mapping) else [tuple(anchor)]
        if len(pairs) != 1 or len(pairs[0]) != 2:
            raise InvalidInput.of("anchor", "be one item and its rating", shown(anchor), "give ('gpt', 1000)")
        item, rating = str(pairs[0][0]), check_number("anchor", pairs[0][1], remedy="give a rating")
        if scale == PROBABILITY:
            raise InvalidInput.of("anchor", "not be given for probabilities", repr(item), "leave it out")
        if item not in self.items:
            raise UnknownItem.of("anchor", "be an item of the ranking", repr(item), "correct its name")
        return item, float(rating)

    @property
    def unit(self) -> str:
        """What a score is, for an axis or a caption."""
        return _UNITS[self.scale]

    def shown_score(self, score: float) -> str:
        """Return a score as text, with as many digits as its scale has."""
        if self.scale == PROBABILITY:
            return percent(score, 1)
        return f"{score:z.0f}" if self.scale == ELO else f"{score:z.2f}"

    def __len__(self) -> int:
        return len(self.items)

    @property
    def bar(self) -> float | None:
        """The score of the bar that both items of a both-bad answer lose to, where there are such answers."""
        return None if self.threshold is None else self.threshold.score

    def _columns(self) -> dict[str, Any]:
        columns = {
            "rank": self.ranks,
            "item": self.items,
            "score": self.scores,
            "lower": self.lower,
            "upper": self.upper,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
            "group": self.groups,
            "answers": self.answers,
        }
        return {name: column for name, column in columns.items() if column is not None}

    def to_frame(self) -> DataFrame:
        """Return the ranking as a pandas frame, one row an item, best first."""
        from pandas import DataFrame

        return DataFrame(self._columns())

    def to_json(self) -> str:
        """Return the ranking as JSON text: the level, the model, the bar, and one object an item, best first."""
        columns = {name: np.asarray(column).tolist() for name, column in self._columns().items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        state: dict[str, Any] = {
            "model": self.model,
            "level": self.level,
            "draws": self.draws,
            "bar": self.bar,
        }
        state["threshold"] = None if self.threshold is None else asdict(self.threshold)
        if self.scale in (ELO, PROBABILITY) or self.anchor is not None:
            anchor = None if self.anchor is None else dict(zip(("item", "score"), self.anchor, strict=True))
            state |= {"scale": self.scale, "anchor": anchor}
        state |= {"caveats": self.caveats, "items": rows}
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, given: str | Mapping[str, Any]) -> Ranking:
        """Return the ranking of which `to_json` gave the text, to the last bit; the parsed text will do as well.

        What else stands beside the parts of a ranking, as in the replies of a server, is left out.

        Examples
        --------
        >>> ranking = Ranking.from_scores(["a", "b"], [0.1, 0.3], variance=[0.01, 0.01])
        >>> Ranking.from_json(ranking.to_json()).scores
        array([0.3, 0.1])
        """
        try:
            state = json.loads(given) if isinstance(given, str) else given
            parts = _parts(state)
            _SAVED.check(parts)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput.of(
                "a ranking", "be what to_json gives", f"another text ({error})", "give all of it"
            ) from None
        return cls(**parts)

    def top(self, k: int) -> tuple[str, ...]:
        """Return the ids of the best ``k``."""
        if k < 0:
            raise InvalidInput(f"k must not be negative, got {k}: give the number of items to return")
        return self.items[:k]

    def rows(self, most: int | None = None) -> list[dict[str, str]]:
        """Return what a table shows of each item (or of the best ``most``), as text."""
        lines = []
        for i, item in enumerate(self.items[:most]):
            row = {"rank": str(self.ranks[i]), "item": item, "score": self.shown_score(self.scores[i])}
            if self.lower is not None and self.upper is not None:
                low, high = self.shown_score(self.lower[i]), self.shown_score(self.upper[i])
                row[f"{100 * self.level:g} % interval"] = f"{low} to {high}"
            if self.rank_low is not None and self.rank_high is not None and self.groups is not None:
                best, worst = self.rank_low[i], self.rank_high[i]
                row["ranks"] = f"{best}" if best == worst else f"{best}–{worst}"
                row["group"] = str(self.groups[i])
            if self.answers is not None:
                row["answers"] = shown_count(self.answers[i])
            lines.append(row)
        return lines

    def __repr__(self) -> str:
        lines = text_table(self.rows(_SHOWN), right={"rank", "group", "answers"})
        if len(self) > _SHOWN:
            lines.append(f"… and {len(self) - _SHOWN:,} more: to_frame() has them all")
        return "\n".join([*lines, *self.notes(), *(f"caveat: {caveat}" for caveat in self.caveats)])

    def certain(self) -> list[str]:
        """Return what is certain about the order at ``level``, as sentences: who is ahead of all others, who behind.

        Where nobody is, who belongs to the first half or less, and who to the last, each item for itself.

        Examples
        --------
        >>> Ranking.from_scores(["a", "b", "c"], [0.0, 5.0, 4.9], variance=[0.01, 0.01, 0.01]).certain()
        ['b and c are ahead of all others', 'a is the last']
        """
        if self.groups is None or self.rank_low is None or self.rank_high is None:
            return []
        if self.groups[-1] == 1:
            return _among(self.items, self.rank_low, self.rank_high)
        top, last = int((self.groups == 1).sum()), int((self.groups == self.groups[-1]).sum())
        sentences = [_standing(self.items[:top], "is the best", "are ahead of all others")]
        if self.groups[-1] > 2 or top > last:
            sentences.append(_standing(self.items[-last:], "is the last", "are behind all others"))
        if self.groups[-1] > 3:
            sentences.append(f"the order of {self.groups[-1]} groups is certain")
        return sentences

    def notes(self) -> list[str]:
        """Return the notes below a table of the ranking."""
        bar = self.threshold
        if bar is None:
            return []
        where = f"the bar of both-bad answers is at {self.shown_score(bar.score)}"
        if bar.lower is not None and bar.upper is not None:
            low, high = self.shown_score(bar.lower), self.shown_score(bar.upper)
            where += f" ({100 * self.level:g} % interval: {low} to {high})"
        found = f"{bar.above:,} of {len(self):,} items score above it"
        return [
            f"{where}, {found}: no answer puts an item above the bar, so that only the prior limits its height"
        ]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the picture that a notebook shows, also offline, with the text beside it."""
        from penchant.plots import ranking_chart, svg_text

        return {"image/svg+xml": svg_text(ranking_chart(self)), "text/plain": repr(self)}


def _parts(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a ranking from its JSON."""
    rows, bar = state["items"], state["threshold"]

    def column(name: str, kind: type | None = None) -> Any:
        return np.array([row[name] for row in rows], dtype=kind) if rows and name in rows[0] else None

    floats = {name: column(name, np.float64) for name in ("lower", "upper")}
    wholes = {name: column(name, np.int64) for name in ("rank_low", "rank_high")}
    return {
        "items": tuple(str(row["item"]) for row in rows),
        "scores": column("score", np.float64),
        "ranks": column("rank", np.int64),
        **floats,
        **wholes,
        "groups": column("group", np.int64),
        "answers": column("answers"),  # whole numbers, or weights
        "level": state["level"],
        "model": state["model"],
        "draws": state["draws"],
        "threshold": None if bar is None else Threshold(**bar),
        "caveats": tuple(state["caveats"]),
        "scale": state.get("scale", ""),
        "anchor": (str(pinned["item"]), float(pinned["score"])) if (pinned := state.get("anchor")) else None,
    }


def _among(items: Sequence[str], low: Ints, high: Ints) -> list[str]:
    """Return who is among the best few and who among the last few, where that is at most half of all items."""
    best, last = int(high.min()), len(items) + 1 - int(low.max())
    first = [item for item, rank in zip(items, high, strict=True) if rank == best]
    final = [item for item, rank in zip(items, low, strict=True) if rank == low.max()]
    ends = [(best, first, f"among the best {best:,}"), (last, final, f"among the last {last:,}")]
    return [
        _standing(names, f"is {where}", f"are {where}") for few, names, where in ends if 2 * few <= len(items)
    ]


def _standing(items: Sequence[str], alone: str, together: str) -> str:
    """Return what is certain of some items, naming at most four."""
    if len(items) == 1:
        return f"{items[0]} {alone}"
    if len(items) > _NAMED:
        return f"{', '.join(items[: _NAMED - 1])} and {len(items) - _NAMED + 1:,} more {together}"
    return f"{', '.join(items[:-1])} and {items[-1]} {together}"


def _spread(variance: ArrayLike, n_items: int) -> Floats:
    values = vector("variance", variance, length=n_items)
    low = np.flatnonzero(values < 0)
    if low.size:
        raise InvalidInput(
            f"variance of row {low[0]} must not be negative, got {values[low[0]]:g}: give squared errors"
        )
    return np.sqrt(values)


def _independent(scores: Floats, spread: Floats, n_draws: int, seed: int) -> Floats:
    draws = np.random.default_rng(seed).standard_normal((n_draws, len(scores)))
    draws *= spread
    draws += scores
    return draws


def _checked_draws(draws: ArrayLike, n_items: int, bar: bool) -> tuple[Floats, Floats | None]:
    """Return the draws of the items and, where they are there, those of the bar."""
    drawn = numbers("draw", draws)
    fits = drawn.ndim == 2 and len(drawn) and drawn.shape[1] - n_items in ((0, 1) if bar else (0,))
    if not fits:
        raise InvalidInput(
            f"draws must have shape (n_draws, {n_items}), got {drawn.shape}: one column an item"
        )
    return drawn[:, :n_items], drawn[:, n_items] if drawn.shape[1] > n_items else None


def _threshold(
    bar: float,
    interval: tuple[float, float] | None,
    bar_drawn: Floats | None,
    scores: Floats,
    level: float,
) -> Threshold:
    lower, upper = (None, None) if interval is None else interval
    if interval is None and bar_drawn is not None:
        lower, upper = (float(limit) for limit in np.quantile(bar_drawn, [(1 - level) / 2, (1 + level) / 2]))
    return Threshold(float(bar), lower, upper, above=int((scores > bar).sum()))


def _checked_intervals(intervals: ArrayLike, scores: Floats) -> Floats:
    limits = numbers("interval", intervals)
    if limits.shape != (len(scores), 2) or not (limits[:, 0] <= limits[:, 1]).all():
        raise InvalidInput(
            f"intervals must have shape ({len(scores)}, 2), lower limit first, got {limits.shape}: give both limits "
            "of each item"
        )
    return limits


def _intervals(
    scores: Floats, spread: Floats | None, draws: Floats | None, level: float
) -> tuple[Floats | None, Floats | None]:
    """Return the interval of each score: from its standard error, else from the draws, else None."""
    if spread is not None:
        from statistics import NormalDist

        width = NormalDist().inv_cdf((1 + level) / 2) * spread
        return scores - width, scores + width
    if draws is None:
        return None, None
    lower, upper = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper


def _ranges(draws: Floats, level: float) -> tuple[Ints, Ints, Ints]:
    """Return the lowest and highest plausible rank, and the group, of items that are in order of score."""
    n_draws, n_items = draws.shape
    best = np.empty((n_draws, n_items), dtype=np.int32)
    places = np.arange(1, n_items + 1, dtype=np.int32)
    worst = best
    for row, draw in enumerate(draws):
        order = np.argsort(-draw, kind="stable")
        best[row, order] = places
        equal = np.diff(draw[order]) == 0
        if equal.any():  # items that are equal in a draw may have any of their ranks there
            worst = best.copy() if worst is best else worst
            starts = np.concatenate([[True], ~equal])
            run = np.cumsum(starts) - 1
            first, last = places[starts], places[np.append(~equal, True)]
            best[row, order], worst[row, order] = first[run], last[run]
        elif worst is not best:
            worst[row] = best[row]
    best.sort(axis=0)
    if worst is not best:
        worst.sort(axis=0)
    cut = (1 - level) / 2 * (n_draws - 1)
    low, high = best[int(np.floor(cut))], worst[int(np.ceil(n_draws - 1 - cut))]
    # The best of many by their means is seldom the best in a draw: a range holds its own rank all the same.
    low, high = np.minimum(low, places), np.maximum(high, places)
    # A group ends where all rank ranges so far lie before all those that follow.
    ends = np.maximum.accumulate(high)[:-1] < np.minimum.accumulate(low[::-1])[::-1][1:]
    groups = np.concatenate([[1], 1 + np.cumsum(ends)])
    return low.astype(np.int64), high.astype(np.int64), groups.astype(np.int64)
