"""Choose the next question of a study: the pair, the sides, and now and then a pair that was answered before."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from penchant.ask import Groups, PairChooser
from penchant.ask.wishes import Codes, pair_of
from penchant.belief import LiveBelief
from penchant.checks import Ints
from penchant.errors import InvalidInput
from penchant.study.answers import Answer, Question
from penchant.study.pair_codes import PairCodes
from penchant.study.state import State

LEAST_ANSWERS = 2
"""So many answers an item gets before the pairs of the most value are asked, unless the study wants more."""
_TRIES = 8


class _Random:
    """Random numbers that depend on the seed of the study and the number of events alone."""

    def __init__(self, *seed: int) -> None:
        self._seed = repr(seed)

    def share(self, purpose: str) -> float:
        """Return a number from 0 to below 1; another purpose gives another one."""
        digest = blake2b(f"{self._seed} {purpose}".encode(), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2**48


class NextPair(NamedTuple):
    """The items of the next question, and the question that it repeats."""

    left: str
    right: str
    repeats: str | None = None


class Asking:
    """What is kept between choices: the forbidden pairs and the groups of compared items."""

    def __init__(self) -> None:
        self._chooser: PairChooser | None = None
        self._forbidden: list[list[str]] = []
        self._revision = -1
        self._groups = Groups(0)
        self._joined = 0

    def choose(
        self, state: State, belief: LiveBelief, judge: str, taken: PairCodes, pending: PairCodes
    ) -> NextPair:
        """Return the next pair for ``judge``.

        Parameters
        ----------
        state : State
        belief : LiveBelief
            After the answers of ``state``.
        judge : str
        taken : PairCodes
            Of pairs that are not asked now if there are others.
        pending : PairCodes
            Of the pairs of open questions, whose answers are to come.
        """
        random = _Random(state.settings["seed"], state.number)
        again = self._repeated(state, judge, taken, random)
        if again is not None:
            last = state.shown_last(again.left, again.right) or again
            return NextPair(last.right, last.left, again.id)
        first, second = self._pair(state, belief, taken, pending)
        ids = belief.items_
        return NextPair(*_sides(state, ids[first], ids[second], random))

    def is_connected(self, state: State) -> bool:
        """Return whether answers lead from each item to each other one."""
        return self._labels(state) is None

    def _pair(
        self, state: State, belief: LiveBelief, taken: PairCodes, pending: PairCodes
    ) -> tuple[int, int]:
        settings, rows = state.settings, state.rows
        if self._chooser is None or self._forbidden is not settings["forbidden"]:
            self._forbidden = settings["forbidden"]
            self._chooser = PairChooser(forbidden=[(rows[low], rows[high]) for low, high in self._forbidden])
        top, counts, labels = settings["top"], state.counts, self._labels(state)
        if labels is not None and len(pending):
            counts, labels = _foreseen(state, counts, labels, pending)
        return self._chooser.next_pair(
            belief,
            counts,
            rule="order" if top is None else "top",
            top=top,
            avoid=Codes.of_sorted(taken.sorted(), len(rows)),
            excluded=[rows[item] for item in state.retired] or None,
            groups=labels,
            least_answers=max(settings["least"], LEAST_ANSWERS),
            most_ahead=settings["most_ahead"],
        )

    def _labels(self, state: State) -> Any:
        """Return the group of each item; answers connect two items."""
        comparisons = state.comparisons
        if self._revision != comparisons.revision or len(self._groups.labels()) != len(state.items):
            self._groups, self._joined = Groups(len(state.items)), 0
            self._revision = comparisons.revision
        for place in range(self._joined, len(comparisons)):
            if self._groups.count == 1:  # no answer can join more
                break
            question = comparisons.answers[place].question
            self._groups.join(state.rows[question.left], state.rows[question.right])
        self._joined = len(comparisons)
        return self._groups.labels() if self._groups.count > 1 else None

    def _repeated(self, state: State, judge: str, taken: PairCodes, random: _Random) -> Question | None:
        """Return a question that the judge answered before and that is to be asked again, or None."""
        answered, share = state.by_judge.get(judge, []), state.settings["repeats"]
        if not (answered and share) or random.share("repeat") >= share or not self.is_connected(state):
            return None
        for attempt in range(_TRIES):
            answer = answered[int(random.share(f"which {attempt}") * len(answered))]
            question = answer.question
            if self._can_repeat(state, answer) and state.code(question) not in taken:
                return question
        return None

    def _can_repeat(self, state: State, answer: Answer) -> bool:
        question = answer.question
        return (
            not answer.imported
            and answer.choice in ("left", "right", "tie")
            and question.repeats is None
            and state.counts_now(answer)
            and state.is_askable(question)
        )


def _foreseen(state: State, counts: Ints, labels: Ints, pending: PairCodes) -> tuple[Ints, Ints]:
    """Return counts and groups as the answers to open questions will leave them, unless these leave nothing to join.

    Several judges at once would otherwise be asked to join the same groups. Where open questions would join all of
    them, the groups as they are come first again: some of these questions may never be answered.
    """
    expected, joined = counts.copy(), dict[int, int]()

    def group(row: int) -> int:
        label = int(labels[row])
        while label in joined:
            label = joined[label]
        return label

    for first, second in map(pair_of, pending):
        expected[first] += 1
        expected[second] += 1
        kept, lost = group(first), group(second)
        if kept != lost:
            joined[lost] = kept
    after = np.arange(len(labels))  # the label of a group is the row of one of its items
    for label in joined:
        after[label] = group(label)
    found = after[labels]
    asked = np.ones(len(labels), dtype=np.bool_)
    asked[[state.rows[item] for item in state.retired]] = False
    if expected[asked].min() and (found[asked] == found[asked][0]).all():
        return counts, labels
    return expected, found


def _sides(state: State, first: str, second: str, random: _Random) -> tuple[str, str]:
    """Return the left and the right item: random the first time, and swapped each time the pair is asked again."""
    before = state.shown_last(first, second)
    if before is not None:
        return before.right, before.left
    return (first, second) if random.share("sides") < 0.5 else (second, first)


def check_askable(state: State) -> None:
    """Reject a study of which fewer than two items can be asked about."""
    if len(state.items) - len(state.retired) < 2:
        raise InvalidInput("asking needs at least 2 items that are not retired: add some, or return some")
