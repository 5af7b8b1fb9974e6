"""One item of a study: whom it was compared with and with what result, its last answers, and its own history."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from penchant.study.answers import SKIP, Answer
from penchant.study.history import answer_words, title_of
from penchant.study.items import Item
from penchant.study_reports import Entry, Opponent

_RESULTS = ("won", "lost", "tied", "both_bad", "skipped")


@dataclass(frozen=True)
class ItemReport:
    """One item of a study. Make one with `penchant.study.CompareStudy.item_report`.

    Attributes
    ----------
    item : Item
    retired : bool
    answers : int
        How many answers that count are about it, skips left out.
    opponents : tuple of Opponent
        Those that it was compared with, the most often first.
    last : tuple of Entry
        Its last answers that count, the newest first.
    changes : tuple of Entry
        When it was added, edited, retired or brought back, the newest first.
    """

    item: Item
    retired: bool
    answers: int
    opponents: tuple[Opponent, ...]
    last: tuple[Entry, ...]
    changes: tuple[Entry, ...]


def report_item(
    item: Item,
    answers: Sequence[Answer],
    items: Mapping[str, Item],
    *,
    retired: Collection[str] = (),
    number_of: Callable[[Answer], int],
    changes: Iterable[Entry] = (),
    most: int = 20,
) -> ItemReport:
    """Return the report of one item.

    Parameters
    ----------
    item : Item
    answers : sequence of Answer
        All that count, in the order of the log.
    items : mapping of Item
    retired : collection of ids
    number_of : callable
        The place in the log of an answer.
    changes : iterable of Entry
        Of the item, the newest first.
    most : int
        How many of the last answers are listed.

    Examples
    --------
    >>> from penchant.study.answers import Question
    >>> items = {name: Item(name, name.title()) for name in ("tea", "milk")}
    >>> answer = Answer("a-1", Question("q-1", "milk", "tea", "ann"), "right")
    >>> report_item(items["tea"], [answer], items, number_of=lambda _: 3).opponents
    (Opponent(item='milk', title='Milk', won=1, lost=0, tied=0, both_bad=0, skipped=0),)
    """
    own = [answer for answer in answers if item.id in (answer.question.left, answer.question.right)]
    counts: dict[str, list[int]] = {}
    for answer in own:
        other, result = _result(answer, item.id)
        counts.setdefault(other, [0] * len(_RESULTS))[result] += 1
    order = sorted(counts, key=lambda other: -sum(counts[other]))
    return ItemReport(
        item,
        item.id in retired,
        sum(answer.choice != SKIP for answer in own),
        tuple(Opponent(other, title_of(items, other), *counts[other]) for other in order),
        tuple(
            Entry(
                number_of(answer),
                answer.id,
                "answered",
                answer.time,
                answer.question.judge,
                answer_words(answer, items),
                True,
            )
            for answer in own[: -most - 1 : -1]
        ),
        tuple(changes),
    )


def _result(answer: Answer, item: str) -> tuple[str, int]:
    """Return the other item of an answer, and the index of the result among `_RESULTS`."""
    on_left = answer.question.left == item
    other = answer.question.right if on_left else answer.question.left
    if answer.choice in ("left", "right"):
        return other, 0 if (answer.choice == "left") == on_left else 1
    return other, {"tie": 2, "both_bad": 3, "skip": 4}[answer.choice]
