"""Summarise preferences: counts, connectivity, agreement of judges, share of the left side."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.counts import Count, Counts, are_whole, as_counts, counted, shown_count
from penchant.metrics.calibration import wilson_interval
from penchant.metrics.reliability import kendall_w, krippendorff_alpha
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons
from penchant.progress import part, step_done

_LEVEL = 0.95
_MOST_PAIRS = 20_000_000
_MOST_STEPS = 1_000_000_000
_NAMED = 5
_PARTS = 6  # of the work, for whoever waits


@dataclass(frozen=True)
class Spread:
    """The least, the middle and the most of some counts."""

    least: Count
    median: float
    most: Count

    @classmethod
    def of(cls, counts: Counts) -> Spread:
        """Return the spread of ``counts``, of which there is at least one."""
        return cls(counts.min().item(), float(np.median(counts)), counts.max().item())

    def __str__(self) -> str:
        middle = f"{self.median:,g}" if isinstance(self.least, int) else shown_count(self.median)
        return f"{shown_count(self.least)} at least, {middle} in the middle, {shown_count(self.most)} at most"


@dataclass(frozen=True)
class Cycles:
    """Triples of items that majorities order (``triples``), and those that run in a circle (``circular``)."""

    circular: int
    triples: int

    def __str__(self) -> str:
        if not self.triples:
            return "none: no three items all have majorities between them"
        share = f"{self.circular / self.triples:.1%}".replace("%", " %")
        return f"{self.circular:,} of {self.triples:,} triples run in a circle by majority ({share}; chance: 25 %)"


@dataclass(frozen=True)
class Agreement:
    """How often two judges who were asked about the same pair gave the same answer.

    ``kappa`` is (share − chance) / (1 − chance) as in Fleiss (1971), where chance is that of two judges who
    tie as often as these did and otherwise throw a coin: which of two items is called the first means nothing.
    """

    pairs: int
    share: float
    chance: float
    kappa: float | None

    def __str__(self) -> str:
        kappa = "" if self.kappa is None else f"; Fleiss' kappa {self.kappa:.2f}"
        return (
            f"{self.share:.0%} where two judges answered the same pair ({counted(self.pairs, 'pair')} of items; "
            f"chance: {self.chance:.0%}{kappa})"
        ).replace("%", " %")


@dataclass(frozen=True)
class RankAgreement:
    """How well the rows agree that rank all items: Kendall's W with its test, and Krippendorff's alpha of the ranks.

    Tied items share their mean rank, and alpha is the ordinal one. A row of weight 3 is three voters.
    """

    rows: int
    voters: Count
    w: float
    p: float
    alpha: float

    def __str__(self) -> str:
        p = f"p = {self.p:.3f}" if self.p >= 0.001 else f"p = {self.p:.1e}"
        return (
            f"Kendall's W {self.w:.3f} ({p}), Krippendorff's ordinal alpha {self.alpha:.3f}, of "
            f"{counted(self.voters, 'voter')} who rank all items"
        )


@dataclass(frozen=True)
class LeftShare:
    """How often the item on the left was preferred, of ``decided`` answers whose sides are known."""

    decided: Count
    share: float
    lower: float
    upper: float

    def __str__(self) -> str:
        if self.lower > 0.5:
            verdict = "it leans to the left"
        else:
            verdict = "it leans to the right" if self.upper < 0.5 else "no lean to be seen"
        text = (
            f"{self.share:.1%} of {counted(self.decided, 'decided answer')} "
            f"({_LEVEL:.0%} interval: {self.lower:.1%} to {self.upper:.1%}): {verdict}"
        )
        return text.replace("%", " %")


@dataclass(frozen=True)
class Overview:
    """A summary of preferences. Build one with `Overview.of`; `rows` gives it as text.

    A weight counts repetitions: a row of weight 3 is three answers. Counts of answers are floats, and are the total
    weight, where a weight is not whole.

    Attributes
    ----------
    statements, items : int
        Rows, and items (without the bar).
    total : int
        How many answers the rows are.
    pairs, ties : int
        The pairs that these answers say or imply.
    bar_answers : int
        How many answers lose to the bar, as both-bad answers do.
    groups : list of lists of ids
        Items that comparisons connect, largest group first.
    maximum_likelihood : bool
        Whether worth without a prior is finite and unique.
    ladder : list of lists of ids
        Where it does not exist: the groups inside which preferences lead from each item to each other.
    unbeaten, winless : list of ids
        Items that never lost or tied, and that never won or tied; the bar does not count.
    never_compared : list of ids
    cycles : Cycles, optional
        None where there are too many pairs to look at.
    answers : Spread
        In how many comparisons each item took part.
    different_pairs, repeated_pairs, most_repeats : int, optional
        How many pairs of items were compared at all, and more than once, and how often at most.
    judges : int
    answers_a_judge : Spread, optional
    agreement : Agreement, optional
        None where no two judges answered the same pair.
    left : LeftShare, optional
        None where no decided answer has a known side.
    rankings : RankAgreement, optional
        None where fewer than two voters rank all items, and with fewer than three items.

    Examples
    --------
    >>> from penchant import Preferences
    >>> found = Overview.of(Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "a"), ("d", "e")]))
    >>> found.connected, found.unbeaten, found.cycles.circular
    (False, ['d'], 1)
    """

    statements: int
    total: Count
    items: int
    pairs: Count
    ties: Count
    bar_answers: Count
    groups: list[list[str]]
    maximum_likelihood: bool
    ladder: list[list[str]]
    unbeaten: list[str]
    winless: list[str]
    never_compared: list[str]
    cycles: Cycles | None
    answers: Spread
    different_pairs: int | None
    repeated_pairs: int | None
    most_repeats: Count | None
    judges: int
    answers_a_judge: Spread | None
    agreement: Agreement | None
    left: LeftShare | None
    told_sides: bool = field(repr=False, default=False)
    rankings: RankAgreement | None = None

    @classmethod
    def of(cls, preferences: Preferences) -> Overview:
        """Look at ``preferences``; what needs more than 20 million written out pairs is left out."""
        real = np.arange(preferences.n_items - preferences.catalogue.bar)
        shown = preferences.among(real) if preferences.catalogue.bar else preferences
        won, lost, tied = shown.tallies()
        answers = preferences.compared()[real]
        whole = are_whole(preferences.weight)

        def count(total: float) -> Count:
            return round(total) if whole else float(total)

        def called(chosen: NDArray[np.bool_]) -> list[str]:
            return [preferences.items[item] for item in np.flatnonzero(chosen)]

        small = shown.statements.n_comparisons <= _MOST_PAIRS
        step_done(1, _PARTS)
        comparisons = shown.comparisons() if small else None
        times = None if comparisons is None else _times_compared(comparisons, shown.n_items)
        step_done(2, _PARTS)
        judged = _answers_of_judges(preferences)
        groups, has_maximum = _groups(preferences), shown.has_maximum_likelihood
        ladder = [] if has_maximum else _groups(shown, strong=True)
        step_done(3, _PARTS)
        with part(3, _PARTS):
            cycles = _cycles(shown) if small else None
        step_done(4, _PARTS)
        agreement = None if comparisons is None else _agreement(comparisons, shown.n_items)
        step_done(5, _PARTS)
        return cls(
            statements=len(preferences),
            total=preferences.n_answers,
            items=shown.n_items,
            pairs=count(won.sum()),
            ties=count(tied.sum() / 2),
            bar_answers=0 if preferences.bar is None else count(_weight_about(preferences, preferences.bar)),
            groups=groups,
            maximum_likelihood=has_maximum,
            ladder=ladder,
            unbeaten=called((won > 0) & (lost + tied == 0)),
            winless=called((lost > 0) & (won + tied == 0)),
            never_compared=called(answers == 0),
            cycles=cycles,
            answers=Spread.of(answers),
            different_pairs=None if times is None else len(times),
            repeated_pairs=None if times is None else int((times > 1).sum()),
            most_repeats=None if times is None else times.max(initial=0).item(),
            judges=len(judged),
            answers_a_judge=Spread.of(judged) if len(judged) else None,
            agreement=agreement,
            left=None if comparisons is None else _left_share(comparisons),
            told_sides=preferences.better_on_left is not None,
            rankings=_rank_agreement(shown),
        )

    @property
    def connected(self) -> bool:
        """Whether comparisons lead from each item to each other one."""
        return len(self.groups) == 1

    def rows(self) -> list[tuple[str, str]]:
        """Return each check and what it found, in words, whichever way it went."""
        return [
            ("rows", self._rows()),
            ("items", self._items()),
            ("connected", self._connection()),
            ("maximum likelihood", self._likelihood()),
            (
                "cycles",
                f"not counted: {counted(self.pairs, 'pair')} are too many"
                if self.cycles is None
                else str(self.cycles),
            ),
            ("answers an item", str(self.answers)),
            ("pairs", self._pairs()),
            ("judges", self._judges()),
            ("agreement", self._agreement()),
            ("rankings", self._rankings()),
            ("left side", self._left()),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as values that JSON can hold."""
        values = asdict(self)
        del values["told_sides"]
        return {"connected": self.connected, **values}

    def __repr__(self) -> str:
        return "\n".join(f"{check:<18}  {found}" for check, found in self.rows())

    def _rows(self) -> str:
        bad = f", {shown_count(self.bar_answers)} both bad" if self.bar_answers else ""
        answers = "" if self.total == self.statements else f", counting as {counted(self.total, 'answer')}"
        return (
            f"{self.statements:,}{answers}: {counted(self.pairs, 'pair')}, {counted(self.ties, 'tie')}{bad}"
        )

    def _items(self) -> str:
        never = (
            f"never compared: {_some(self.never_compared)}" if self.never_compared else "each was compared"
        )
        return f"{self.items:,}; {never}"

    def _connection(self) -> str:
        if self.connected:
            return "yes: all items can be put on one scale"
        return f"no, {len(self.groups):,} groups never compared with one another: {_apart(self.groups)}"

    def _likelihood(self) -> str:
        if self.maximum_likelihood:
            return "exists: worth is finite without a prior"
        reasons = [
            f"{what}: {_some(which)}"
            for what, which in (("unbeaten", self.unbeaten), ("winless", self.winless))
            if which
        ]
        if not reasons and self.connected:
            reasons.append(f"preference between these goes one way only: {_apart(self.ladder)}")
        return f"does not exist, worth needs a prior: {'; '.join(reasons) or 'not connected'}"

    def _pairs(self) -> str:
        if self.different_pairs is None:
            return "not counted: they are too many"
        possible = self.items * (self.items - 1) // 2
        compared = f"{self.different_pairs:,} of {possible:,} possible ones were compared"
        if not self.repeated_pairs:
            return f"{compared}, none more than once"
        most = shown_count(self.most_repeats or 0)
        return f"{compared}, {self.repeated_pairs:,} more than once ({most} times at most)"

    def _judges(self) -> str:
        return (
            "nobody is named"
            if not self.judges
            else f"{self.judges:,}; answers of each: {self.answers_a_judge}"
        )

    def _agreement(self) -> str:
        if self.agreement is not None:
            return str(self.agreement)
        if self.judges < 2:
            return "not known: it takes two judges who are named"
        return "not known: no two judges answered the same pair"

    def _rankings(self) -> str:
        if self.rankings is not None:
            return str(self.rankings)
        return "not known: it takes two voters who rank all items, three or more"

    def _left(self) -> str:
        if self.left is not None:
            return str(self.left)
        return (
            "not known: no answer is decided"
            if self.told_sides
            else "not known: the data do not say who stood where"
        )


def _some(names: list[str]) -> str:
    more = f", … ({len(names):,})" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _apart(groups: list[list[str]]) -> str:
    return " | ".join(map(_some, groups[:3])) + (" | …" if len(groups) > 3 else "")


def _groups(preferences: Preferences, *, strong: bool = False) -> list[list[str]]:
    groups = [group[group != preferences.bar] for group in preferences.components(strong=strong)]
    by_size = sorted(filter(len, groups), key=lambda group: (-len(group), group[0]))
    return [[preferences.items[item] for item in group] for group in by_size]


def _weight_about(preferences: Preferences, item: int) -> float:
    """Return the weight of the rows that are about an item."""
    statements = preferences.statements
    rows = np.unique(statements.rows[statements.members == item])
    return float(len(rows) if preferences.weight is None else preferences.weight[rows].sum())


def _unordered(comparisons: Comparisons, n_items: int) -> Ints:
    better, worse = comparisons.better, comparisons.worse
    return np.minimum(better, worse) * n_items + np.maximum(better, worse)


def _times_compared(comparisons: Comparisons, n_items: int) -> Counts:
    pair = np.unique(_unordered(comparisons, n_items), return_inverse=True)[1]
    return as_counts(
        np.bincount(pair, comparisons.weight).astype(np.float64), whole=are_whole(comparisons.weight)
    )


def _answers_of_judges(preferences: Preferences) -> Counts:
    judge = preferences.judge
    if judge is None or not len(preferences.judges):
        return np.zeros(0, dtype=np.int64)
    named, weight = judge >= 0, np.ones(len(judge)) if preferences.weight is None else preferences.weight
    counts = np.bincount(judge[named], weight[named], len(preferences.judges)).astype(np.float64)
    return as_counts(counts[counts > 0], whole=are_whole(weight))


def _cycles(preferences: Preferences) -> Cycles | None:
    """Count the triples that majorities order, unless that takes too long."""
    wins = preferences.win_matrix()
    decided = ((wins - wins.T) != 0).astype(np.int64).tocsr()
    degree = np.diff(decided.indptr).astype(np.float64)
    if float((decided @ degree).sum()) > _MOST_STEPS:
        return None
    triples = 0
    for start in range(0, decided.shape[0], 512):
        block = decided[start : start + 512]
        triples += int((block @ decided).multiply(block).sum())
        step_done(start + block.shape[0], 2 * decided.shape[0])  # the other half are those in a circle
    return Cycles(preferences.count_cycles(), triples // 6)


def _agreement(comparisons: Comparisons, n_items: int) -> Agreement | None:
    """Compare each two answers of different judges to the same pair, over all pairs together."""
    if comparisons.judge is None:
        return None
    named = comparisons.judge >= 0
    asked, pair = np.unique(_unordered(comparisons, n_items)[named], return_inverse=True)
    judge, n_judges = comparisons.judge[named], int(comparisons.judge.max(initial=0)) + 1
    answer = np.where(comparisons.tie, 2, comparisons.better < comparisons.worse)[named]
    voice, weight = pair * n_judges + judge, comparisons.weight[named]
    compared = _squared(pair, weight) - _squared(voice, weight)
    shared = np.bincount(np.unique(voice) // n_judges, minlength=len(asked)) > 1
    if not shared.any():
        return None
    alike = _squared(pair * 3 + answer, weight) - _squared(voice * 3 + answer, weight)
    tie_share = float(np.average(answer[shared[pair]] == 2, weights=weight[shared[pair]]))
    share, chance = alike / compared, tie_share**2 + (1 - tie_share) ** 2 / 2
    kappa = None if chance == 1 else (share - chance) / (1 - chance)
    return Agreement(int(shared.sum()), share, chance, kappa)


def _rank_agreement(preferences: Preferences) -> RankAgreement | None:
    """Compare the rows that rank all items, each level being one rank."""
    statements, n_items = preferences.statements, preferences.n_items
    rows = np.flatnonzero(statements.sizes == n_items)
    if n_items < 3 or not 0 < len(rows) <= _MOST_PAIRS // n_items:
        return None
    weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
    places = statements.starts[rows, None] + np.arange(n_items)
    levels = np.empty((len(rows), n_items))
    np.put_along_axis(
        levels, statements.members[places], statements.levels[places].astype(np.float64), axis=1
    )
    ranked = levels.max(axis=1) > 0
    levels, weight = levels[ranked], weight[rows][ranked]
    if weight.sum() < 2:
        return None
    from scipy.stats import rankdata

    found = kendall_w(levels, weight=weight)
    alpha = krippendorff_alpha(rankdata(levels, axis=1), "ordinal", weight=weight)
    voters = round(found.raters) if are_whole(weight) else found.raters
    return RankAgreement(len(levels), voters, found.w, found.p, alpha)


def _squared(codes: Ints, weight: Floats) -> float:
    """Return the sum over codes of their squared weight.

    Of w answers with one code there are w (w − 1) / 2 couples; where two such sums over the same answers are
    subtracted, half of the difference of the squares is left.
    """
    return float((np.bincount(np.unique(codes, return_inverse=True)[1], weight) ** 2).sum())


def _left_share(comparisons: Comparisons) -> LeftShare | None:
    if comparisons.better_on_left is None:
        return None
    decisive = (comparisons.better_on_left >= 0) & ~comparisons.tie
    if not decisive.any():
        return None
    weight = comparisons.weight[decisive]
    total, left = float(weight.sum()), float(weight[comparisons.better_on_left[decisive] == 1].sum())
    low, high = wilson_interval(np.array([left / total]), np.array([total]), _LEVEL)
    count = round(total) if are_whole(weight) else total
    return LeftShare(count, left / total, float(low[0]), float(high[0]))
