"""Check the answers of a study: sides, repeats, ties, skips, cycles, connectivity, judges and times."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.counts import counted
from penchant.metrics.calibration import wilson_interval
from penchant.preferences.graph import connected_labels
from penchant.study.columns import LEFT, RIGHT, SKIP, TIE, AnswerColumns
from penchant.study.cycles import circular_triples
from penchant.study.disagreement import LEAST_JUDGES, Disagreement, disagreement
from penchant.study.significance import holm, p_at_least, p_of_half
from penchant.study_reports import Check, Checks
from penchant.text import percent

ALPHA = 0.01
"""The level of each test: with about ten checks, fewer than one in ten studies without faults has a false alarm."""
LEAST_ANSWERS = 20
"""Fewer answers (of a study or of a judge) are not enough for a test of a share: a share of 20 has an error of 11 %."""
LEAN = 0.02
"""A share of left answers within this distance of one half passes however sure it is: it moves worth by less than a
tenth in log odds, less than the interval of any item in studies of usual size."""
CHANCE_CORRECTED = 0.2
"""The least agreement of repeated answers, of what is possible beyond chance (Cohen's κ): Landis and Koch (1977) call
less than this slight. At one half by chance it is an agreement of 60 %. It holds for questions that the study repeats
on purpose; pairs that are asked again because they are close must only agree as often as by chance."""
MOST_TIES = 0.5
"""A larger share of ties: more than half of the answers say nothing about the order, and the question or the items
should be changed."""
MOST_SKIPS = 0.2
"""A larger share of skips: judges lack what they need to answer, and those who skip decide what is counted."""
CYCLE_EXCESS = 1.1
"""Circular triples up to this factor of what noise explains pass however sure the excess is."""
LEAST_TRIPLES = 20
"""Fewer triples with majorities say nothing about cycles: by chance a quarter of them runs in a circle."""
LEAST_RELIABILITY = 0.5
"""A judge whose agreement beyond chance is at least this part of that of the others passes however sure it is: judges
differ, and only one who hardly agrees with anybody is a fault."""
FASTEST = 0.4
"""Seconds that an answer takes at least, with nothing to read: the time of a choice between two keys."""
READING = 100.0
"""Characters a second that nobody reads faster: about 1,000 words a minute, four times the usual speed."""
MOST_READ = 500
"""Characters of an item that have to be read at most: of longer texts people read the beginning."""
MOST_FAST = 0.1
"""The share of a judge's answers that may be faster: slips, double clicks, and items known from elsewhere."""


def check_answers(
    columns: AnswerColumns, *, retired: Collection[str] = (), fold: Check | None = None
) -> Checks:
    """Run every check of the answers of a study.

    Parameters
    ----------
    columns : AnswerColumns
        The answers that stand, in the order of the log.
    retired : collection of ids
        Items that need no more comparisons.
    fold : Check, optional
        Whether the state of the study is the fold of its log, which only the study can check.

    Examples
    --------
    >>> columns = AnswerColumns.of(["a", "b"], ["b", "c"], ["left", "skip"], items="abc")
    >>> checks = check_answers(columns)
    >>> checks.ok, checks["connected"].passed
    (True, None)
    """
    found = [
        _left_share(columns),
        _left_share_of_judges(columns),
        _repeat_agreement(columns),
        _ties(columns),
        _skips(columns),
        _cycles(columns),
        _connected(columns, retired),
        _judges_agree(columns),
        _time_to_read(columns),
    ]
    return Checks((*([] if fold is None else [fold]), *found))


def _too_few(name: str, limit: float | None, message: str) -> Check:
    return Check(name, None, None, limit, f"not enough data: {message}")


# -- sides ---------------------------------------------------------------------------------------------------


def _left_share(columns: AnswerColumns) -> Check:
    name = "left share"
    left, decided = (int((rows & columns.sides).sum()) for rows in (columns.choice == LEFT, columns.decided))
    if decided < LEAST_ANSWERS:
        return _too_few(name, 0.5 + LEAN, f"{decided} of {LEAST_ANSWERS} decided answers")
    share, p = left / decided, float(p_of_half([left], [decided])[0])
    found = f"{percent(share, 1)} of {counted(decided, 'decided answer')} ({_p(p)})"
    failed = p < ALPHA and abs(share - 0.5) > LEAN
    remedy = ": check that sides are thrown at random, and tell judges that they are" if failed else ""
    return Check(name, not failed, share, 0.5 + np.sign(share - 0.5) * LEAN, found + remedy)


def _left_share_of_judges(columns: AnswerColumns) -> Check:
    name = "left share of judges"
    left, decided = (
        _per_judge(columns, rows & columns.sides) for rows in (columns.choice == LEFT, columns.decided)
    )
    judges = _enough(decided)
    if not len(judges):
        return _too_few(name, 0.5 + LEAN, f"no judge has {LEAST_ANSWERS} decided answers")
    p = holm(p_of_half(left[judges], decided[judges]))
    share = left[judges] / decided[judges]
    failed = (p < ALPHA) & (np.abs(share - 0.5) > LEAN)
    worst = int(np.lexsort((-np.abs(share - 0.5), p, ~failed))[0])
    found = (
        f"{columns.judges[judges[worst]]}: {percent(share[worst])} of "
        f"{counted(int(decided[judges[worst]]), 'decided answer')} ({_p(p[worst])} among "
        f"{counted(len(judges), 'judge')})"
    )
    remedy = f": {_some(columns, judges[failed])} may answer without looking" if failed.any() else ""
    limit = 0.5 + float(np.sign(share[worst] - 0.5)) * LEAN
    return Check(name, not failed.any(), float(share[worst]), limit, found + remedy)


# -- repeats, ties, skips ------------------------------------------------------------------------------------


def _repeat_agreement(columns: AnswerColumns) -> Check:
    name = "repeat agreement"
    before, again = repeated_answers(columns)
    if len(again) < LEAST_ANSWERS:
        return _too_few(name, None, f"{len(again)} of {LEAST_ANSWERS} pairs were asked again, sides swapped")
    first, second = columns.choice[before], columns.choice[again]
    mirrored = np.where(second <= RIGHT, RIGHT - second, second)
    share = float((first == mirrored).mean())
    # Chance: sides by a coin, and ties and both-bad answers as often as they are there.
    shares = np.bincount(np.concatenate([first, second]), minlength=5) / (2 * len(again))
    chance = float((shares[:2].sum() ** 2) / 2 + (shares[2:] ** 2).sum())
    on_purpose = bool((columns.repeats >= 0).any())
    limit = chance + (CHANCE_CORRECTED * (1 - chance) if on_purpose else 0.0)
    low, high = (
        float(bound[0]) for bound in wilson_interval(np.array([share]), np.array([len(again)]), 1 - ALPHA)
    )
    found = (
        f"{percent(share)} of {counted(len(again), 'pair')} asked again with sides swapped were answered the same "
        f"({percent(1 - ALPHA)} interval: {percent(low)} to {percent(high)}; chance: {percent(chance)})"
    )
    if high < limit:
        return Check(name, False, share, limit, f"{found}: answers hardly depend on the items")
    if low <= chance:
        return Check(name, None, share, limit, f"not enough data: {found}")
    return Check(name, True, share, limit, found)


def repeated_answers(columns: AnswerColumns) -> tuple[Ints, Ints]:
    """Return the rows of answers that were asked again with sides swapped, and the rows of the answers to that.

    These are the questions that the study marked as repeats; where it marked none, each judge's next answer about the
    same pair. Skips, and answers whose sides are not known, are left out.
    """
    answered = (columns.choice != SKIP) & columns.sides
    again = np.flatnonzero(answered & (columns.repeats >= 0))
    before = columns.repeats[again]
    if not (columns.repeats >= 0).any():
        rows = np.flatnonzero(answered & (columns.judge >= 0))
        rows = rows[np.lexsort((rows, columns.pair[rows], columns.judge[rows]))]
        same = (np.diff(columns.pair[rows]) == 0) & (np.diff(columns.judge[rows]) == 0)
        before, again = rows[:-1][same], rows[1:][same]
    swapped = (columns.left[before] == columns.right[again]) & (columns.right[before] == columns.left[again])
    kept = swapped & answered[before]
    return before[kept], again[kept]


def _ties(columns: AnswerColumns) -> Check:
    compared = columns.choice <= TIE
    remedy = "ask a question that separates the items, or compare fewer alike"
    return _share_check("ties", columns.choice == TIE, compared, MOST_TIES, "comparison", remedy)


def _skips(columns: AnswerColumns) -> Check:
    every = np.ones(len(columns), dtype=np.bool_)
    return _share_check(
        "skips", columns.choice == SKIP, every, MOST_SKIPS, "answer", "find out what judges miss"
    )


def _share_check(
    name: str, rows: NDArray[np.bool_], among: NDArray[np.bool_], limit: float, noun: str, remedy: str
) -> Check:
    count, total = int(rows.sum()), int(among.sum())
    if total < LEAST_ANSWERS:
        return _too_few(name, limit, f"{total} of {LEAST_ANSWERS} {noun}s")
    share = count / total
    failed = share > limit and float(p_at_least([count], [total], limit)[0]) < ALPHA
    found = f"{percent(share, 1)} of {counted(total, noun)}, at most {percent(limit)}"
    return Check(name, not failed, share, limit, found + (f": {remedy}" if failed else ""))


# -- order ---------------------------------------------------------------------------------------------------


def _cycles(columns: AnswerColumns) -> Check:
    name = "cycles"
    if not columns.decided.any():
        return _too_few(name, None, "no decided answer")
    found = circular_triples(columns, ALPHA)
    if found.triples < LEAST_TRIPLES:
        return _too_few(
            name, None, f"{found.triples} of {LEAST_TRIPLES} triples have majorities between them"
        )
    limit = max(found.upper, CYCLE_EXCESS * found.expected)
    failed = found.circular > limit
    among = "" if found.items == len(columns.items) else f" of the {found.items} most compared items"
    text = (
        f"{found.circular:,} of {found.triples:,} triples{among} run in a circle, noise explains "
        f"{found.expected:,.0f} (at most {limit:,.0f})"
    )
    remedy = ": no one order fits; judges or criteria may differ" if failed else ""
    return Check(name, not failed, float(found.circular), limit, text + remedy)


def _connected(columns: AnswerColumns, retired: Collection[str]) -> Check:
    name, n_items = "connected", len(columns.items)
    linking = columns.choice != SKIP
    labels = connected_labels(columns.left[linking], columns.right[linking], n_items, strong=False)
    active = np.array([item not in retired for item in columns.items], dtype=np.bool_)
    seen = np.zeros(n_items, dtype=np.bool_)
    seen[columns.left[linking]] = seen[columns.right[linking]] = True
    groups, unseen = len(np.unique(labels[active & seen])), int((active & ~seen).sum())
    apart = f"{counted(groups, 'group')} never compared with one another" if groups > 1 else ""
    never = f"{counted(unseen, 'item')} without an answer" if unseen else ""
    found = " and ".join(filter(None, (apart, never)))
    if groups + unseen <= 1:
        return Check(name, True, 1.0, 1.0, "comparisons lead from each item to each other one")
    if int(linking.sum()) < int(active.sum()) - 1:
        return _too_few(name, 1.0, found)
    remedy = ": compare items of different groups" if groups > 1 else ": ask about them"
    return Check(name, False, float(groups + unseen), 1.0, found + remedy)


# -- judges --------------------------------------------------------------------------------------------------


def _judges_agree(columns: AnswerColumns) -> Check:
    name = "judges agree"
    found = disagreement(columns)
    if found is None:
        message = f"it takes {LEAST_JUDGES} judges with {LEAST_ANSWERS} decided answers each"
        return _too_few(name, LEAST_RELIABILITY, message)
    failed = (found.p < ALPHA) & (found.reliability < LEAST_RELIABILITY)
    worst = int(np.lexsort((found.reliability, found.p, ~failed))[0])
    text = _agreement(columns, found, worst)
    remedy = f": look at the answers of {_some(columns, found.judge[failed])}" if failed.any() else ""
    return Check(name, not failed.any(), float(found.reliability[worst]), LEAST_RELIABILITY, text + remedy)


def _agreement(columns: AnswerColumns, found: Disagreement, worst: int) -> str:
    others = np.delete(found.agreement, worst)
    return (
        f"{columns.judges[found.judge[worst]]} agrees with the others in {percent(found.agreement[worst])} of "
        f"{counted(int(found.answers[worst]), 'answer')}, other judges in {percent(float(np.median(others)))} "
        f"({_p(found.p[worst])} among {counted(len(found.judge), 'judge')})"
    )


def _time_to_read(columns: AnswerColumns) -> Check:
    name = "time to read"
    timed = ~np.isnan(columns.seconds)
    if not timed.any():
        return _too_few(name, MOST_FAST, "no answer has a time")
    fast = timed & (np.nan_to_num(columns.seconds, nan=np.inf) < least_seconds(columns))
    # One more group holds the answers without a named judge.
    count, total = (_per_judge(columns, rows, unnamed=True) for rows in (fast, timed))
    judges = _enough(total)
    if not len(judges):
        return _too_few(name, MOST_FAST, f"no judge has {LEAST_ANSWERS} answers with a time")
    share, p = count[judges] / total[judges], holm(p_at_least(count[judges], total[judges], MOST_FAST))
    failed = (share > MOST_FAST) & (p < ALPHA)
    worst = int(np.argmax(share + failed))
    text = (
        f"{_name(columns, judges[worst])} answered {percent(share[worst])} of "
        f"{counted(int(total[judges[worst]]), 'question')} faster than they can be read, at most {percent(MOST_FAST)}"
    )
    remedy = f": look at the answers of {_some(columns, judges[failed])}" if failed.any() else ""
    return Check(name, not failed.any(), float(share[worst]), MOST_FAST, text + remedy)


def least_seconds(columns: AnswerColumns) -> Floats:
    """Return the least time in which each question can be read and answered, shape (m,).

    An item has to be read the first time that a judge sees it; see `FASTEST`, `READING` and `MOST_READ`.
    """
    shown = np.stack([columns.left, columns.right], axis=1)
    codes = (columns.judge[:, None] + 1) * len(columns.items) + shown
    new = np.zeros(codes.size, dtype=np.bool_)
    new[np.unique(codes.reshape(-1), return_index=True)[1]] = True
    characters = np.minimum(columns.lengths, MOST_READ)[shown] * new.reshape(codes.shape)
    seconds: Floats = FASTEST + characters.sum(axis=1) / READING
    return seconds


def _per_judge(columns: AnswerColumns, rows: NDArray[np.bool_], *, unnamed: bool = False) -> Ints:
    """Return the number of ``rows`` of each judge, and perhaps, as the last entry, of nobody."""
    named = columns.judge >= 0
    counts = np.bincount(columns.judge[rows & named], minlength=len(columns.judges))
    return np.append(counts, int((rows & ~named).sum())) if unnamed else counts


def _enough(counts: Ints) -> Ints:
    return np.flatnonzero(counts >= LEAST_ANSWERS)


def _name(columns: AnswerColumns, judge: int) -> str:
    return columns.judges[judge] if judge < len(columns.judges) else "somebody unnamed"


def _some(columns: AnswerColumns, judges: Ints, most: int = 5) -> str:
    names = [_name(columns, judge) for judge in judges[:most]]
    return ", ".join(names) + (f" and {len(judges) - most:,} more" if len(judges) > most else "")


def _p(value: float) -> str:
    return f"p = {value:.2g}" if value >= 0.001 else "p < 0.001"
