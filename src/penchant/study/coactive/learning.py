"""The models of a coactive study: learned from the rounds of its state, one after the other.

What is learned is a function of the standing feedback in the order of the log, and of the checkpoint that it starts
from. Copies along the way bound the cost of an undo.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from penchant.checks import Floats, Ints
from penchant.coactive import NamedLearner, PerturbedPerceptron, WeightTracker, swap_clicked
from penchant.errors import Damaged, InvalidInput
from penchant.study.coactive.copies import DAMAGES, Copy
from penchant.study.coactive.features import Matrices, check_items, in_columns
from penchant.study.coactive.presentations import Given, Swap, prepended
from penchant.study.coactive.settings import make_learner
from penchant.study.coactive.state import State
from penchant.study.items import Item

EVERY = 32
"""Rounds between two copies, and more where there are many users."""
COPIES = 24
"""Copies that are kept at most."""
COPIED = 2**26
"""Bytes of users' models above which few copies are kept."""


class Models:
    """The shared model, each user's own, and a second learner where the baseline is one.

    Attributes
    ----------
    shared : NamedLearner
    rival : NamedLearner or None
    users : dict of arrays
        By key, the state of the user's own model; arrays are replaced and never written to.
    count : int
        How many rounds since the checkpoint were learned.
    unlearned : int
        Rounds that would have left weights that are not finite: they changed nothing.
    """

    def __init__(self, state: State, matrices: Matrices) -> None:
        self._state, self._matrices = state, matrices
        settings, seed = state.settings, state.settings["seed"]
        self.shared = make_learner(settings, seed=seed)
        baseline = settings["baseline"]
        self.rival = None
        if isinstance(baseline, Mapping) and "name" in baseline:
            self.rival = make_learner({**settings, "learner": baseline}, seed=seed)
        self._own = self.shared.copy() if settings["per_user"] else None
        self.swap: Swap = _swap(self.shared)
        """What makes an improved order of clicks."""
        self._rival_swap: Swap = prepended if self.rival is None else _swap(self.rival)
        self.users: dict[str, Floats] = {}
        self.count = self.unlearned = 0
        self.steadiness = WeightTracker()
        self._joined = 0  # entries of `State.joining` whose features have joined
        if self.rival is not None:
            self._join(self.rival.names)
            self._join(self.shared.names)
        self._first = self.shared.names
        self._base = self._copied()
        self._copies = [self._base]

    # -- presenting ----------------------------------------------------------------------------------------

    def model(self, user: str | None) -> NamedLearner:
        """Return the user's own model, or the shared one where there is none."""
        row = None if user is None else self.users.get(user)
        if row is None or self._own is None:
            return self.shared
        return (
            self._own.join(self.shared.names).load_row(row) if self._own.additive else self._own.load_row(row)
        )

    def rival_order(self, X: Any) -> Ints | None:
        """Return the second learner's order of candidates in the shared columns; None without one."""
        if self.rival is None:
            return None
        return self.rival.present(in_columns(X, self.shared.names, self.rival.names))

    # -- learning ------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Learn the rounds that came since, and those behind one that was taken back anew."""
        rounds = self._state.rounds
        unchanged = min(rounds.mark(), self.count)
        if unchanged < self.count or self._is_ahead(self.count, self._joined):
            self._rewind(unchanged)
        for given in rounds.given[self.count :]:
            self._join_before(given.number)
            self._learn(given)
            self.count += 1
            if self.count % (EVERY + len(self.users) // 64) == 0:
                self._copies.append(self._copied())
                self._thin()
        self._join_before(self._state.number + 1)

    def _join_before(self, number: int) -> None:
        """Let the features of items and baselines join that came before an event: columns depend on the log alone."""
        numbers = self._state.joining_numbers
        if self._joined < len(numbers) and numbers[self._joined] < number:
            end = bisect_left(numbers, number)
            for are_items, group in groupby(self._state.joining[self._joined : end], _is_item):
                if not are_items:
                    self._join([name for baseline in group for name in baseline_names(baseline)])
                elif self.shared.additive:
                    self._join(check_items(group, self._state.settings))
            self._joined = end

    def _join(self, names: Sequence[str]) -> None:
        for learner in (self.shared, self.rival, self._own):
            if learner is not None and learner.additive:
                learner.join(names)

    def _learn(self, given: Given) -> None:
        shown = given.shown
        before, after = shown.step(given, self.swap)
        key = shown.user
        own = self._own if key is not None and key not in self._state.forgotten else None
        start = self.users.get(key or "")
        if own is not None and start is None:
            start = self.shared.state_row()
        names = self._matrices.names(self._matrices.candidates(shown.context))
        if names:
            self._join(names)
        try:
            X, rows = self._matrices.rows_of_shown(shown, self.shared)
            difference = self.shared.difference(X, before, after, rows)
            self.shared.learn_difference(difference)
            self.steadiness.add(self.shared.vector)
            if own is not None and key is not None and start is not None:
                self.users[key] = own.load_row(start).learn_difference(difference).state_row()
        except InvalidInput:  # weights that would not be finite: the same whenever it is folded
            self.unlearned += 1
        if self.rival is not None:
            self._learn_rival(given, self.rival)
        shown.settle()

    def _learn_rival(self, given: Given, rival: NamedLearner) -> None:
        before, after = given.shown.step(given, self._rival_swap)
        try:
            X = self._matrices.of_shown(given.shown, self.shared)
            rival.learn(in_columns(X, self.shared.names, rival.names), before, after)
        except InvalidInput:
            self.unlearned += 1

    # -- copies --------------------------------------------------------------------------------------------

    def _copied(self) -> Copy:
        rival = None if self.rival is None else self.rival.state_row()
        row = self.shared.state_row()
        return Copy(
            self.count,
            self.shared.names,
            row,
            rival,
            dict(self.users),
            self.unlearned,
            self._joined,
            self.steadiness.copy(),
        )

    def _thin(self) -> None:
        """Keep few copies: the last ones, and before them ever fewer; the first is never dropped."""
        most = COPIES if sum(map(len, self.users.values())) * 8 < COPIED else 2
        copies = self._copies
        while len(copies) > most:
            # Drop the copy whose neighbours are nearest, in proportion to how far back they are.
            gaps = [
                (copies[k + 1].count - copies[k - 1].count) / (1 + self.count - copies[k].count)
                for k in range(1, len(copies) - 1)
            ]
            del copies[1 + gaps.index(min(gaps))]

    def _rewind(self, count: int) -> None:
        """Go back to the last copy with no more than ``count`` rounds, and no columns from behind the next one."""
        copies = self._copies
        while len(copies) > 1 and (
            copies[-1].count > count or self._is_ahead(copies[-1].count, copies[-1].joined)
        ):
            copies.pop()
        self._restore(self._copies[-1])

    def _is_ahead(self, count: int, joined: int) -> bool:
        """Return whether features have joined that came after the next round: an undo of it was taken back."""
        following = self._state.rounds.given[count : count + 1]
        return bool(joined and following and self._state.joining_numbers[joined - 1] > following[0].number)

    def _restore(self, copy: Copy) -> None:
        if self.shared.names != copy.names:
            settings, seed = self._state.settings, self._state.settings["seed"]
            self.shared = make_learner(settings, seed=seed)
            if self.shared.additive:
                self.shared.join(copy.names)
            if self.rival is not None:
                self.rival = make_learner({**settings, "learner": settings["baseline"]}, seed=seed)
                self.rival.join(copy.names) if self.rival.additive else None
            self._own = None if self._own is None else self.shared.copy()
            self._matrices.clear()
        self.shared.load_row(copy.shared)
        if self.rival is not None and copy.rival is not None:
            self.rival.load_row(copy.rival)
        self.users, self.count, self.unlearned = dict(copy.users), copy.count, copy.unlearned
        self._joined, self.steadiness = copy.joined, copy.steadiness.copy()

    # -- checkpoints and snapshots -------------------------------------------------------------------------

    def pack(self) -> bytes:
        """Return the models as bytes."""
        return self._copied().pack()

    def kept(self, *, without: str | None = None) -> Copy:
        """Return what a checkpoint keeps: the models without a user's own, and without what nothing was learned from.

        A column that is 0 in every model says only that its feature was once presented. Those that the settings, the
        items and the baseline name are needed for what is presented later.
        """
        copy = self._copied().without(without)
        if not self.shared.additive:
            return copy
        names = None if self.rival is None else self.rival.names
        used = copy.used(names)
        if len(used) == len(copy.names):
            return copy
        return copy.cut([*used, *self._named()], names)

    def _named(self) -> set[str]:
        """Return the features that the settings, the items and the baselines so far name."""
        found = set(self._first)
        for are_items, group in groupby(self._state.joining[: self._joined], _is_item):
            if are_items:
                found.update(check_items(group, self._state.settings))
            else:
                found.update(name for baseline in group for name in baseline_names(baseline))
        return found

    def load(self, content: bytes, count: int = 0, *, base: bool = True) -> None:
        """Take over the models that `pack` wrote, after so many rounds; ``base``: nothing before them is known."""
        try:
            copy = Copy.unpacked(content, count)
            self._restore(copy)
        except DAMAGES:
            raise Damaged(
                "the checkpoint must hold the models of the study, and does not: restore a backup"
            ) from None
        if base:
            self._base, self._copies = copy, [copy]
        else:
            self._copies.append(copy)

    def rebase(self, copy: Copy) -> None:
        """Let what a checkpoint keeps be the start."""
        self._base = replace(copy, count=0)
        self._copies = [self._base]
        self._restore(self._base)

    def weights(self, user: str | None = None) -> dict[str, float]:
        """Return the weights that the next order is made with."""
        return self.model(user).weights

    def memory(self) -> int:
        """Return the bytes of the users' own models."""
        return sum(row.nbytes for row in self.users.values())


def _swap(learner: NamedLearner) -> Swap:
    if isinstance(learner.learner, PerturbedPerceptron):
        return swap_clicked
    return prepended


def _is_item(entry: Any) -> bool:
    return isinstance(entry, Item)


def baseline_names(baseline: Any) -> list[str]:
    """Return the features that a baseline orders by."""
    if not isinstance(baseline, Mapping) or "name" in baseline:
        return []
    return [baseline["feature"]] if "feature" in baseline else list(baseline["weights"])
