"""The state of a coactive study but for its models: settings, items, presentations and feedback, folded from the log.

It depends on the log alone, and on nothing that can be erased; what is learned from the rounds that it lists is in
`penchant.study.coactive.learning`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from penchant.checks import Ints
from penchant.errors import CannotLoad, InvalidInput
from penchant.store import Event
from penchant.study.coactive.events import ERASED, FEEDBACK, FORGOTTEN, PRESENTED, check_fields
from penchant.study.coactive.indices import from_json, is_order
from penchant.study.coactive.presentations import Given, Shown
from penchant.study.coactive.settings import FIXED, check_together, checked_settings, is_complete
from penchant.study.events import CHANGED, CREATED, EDITED, ITEMS, RETIRED, RETURNED, UNDONE, unreadable
from penchant.study.items import Item
from penchant.study.undos import Undos

_KEPT = {PRESENTED, FEEDBACK, UNDONE}
WHAT = ("clicked", "order", "better")
"""The forms of feedback."""


class Rounds:
    """The feedback that is learned from, in the order of the log, since the last checkpoint."""

    def __init__(self) -> None:
        self.given: list[Given] = []
        self._numbers: list[int] = []
        self.unchanged = 0

    def __len__(self) -> int:
        return len(self.given)

    def add(self, given: Given) -> None:
        """Add feedback at its place."""
        if not self._numbers or self._numbers[-1] < given.number:
            self.given.append(given)
            self._numbers.append(given.number)
            return
        place = bisect_left(self._numbers, given.number)
        self.given.insert(place, given)
        self._numbers.insert(place, given.number)
        self.unchanged = min(self.unchanged, place)

    def remove(self, given: Given) -> None:
        """Remove feedback that was taken back."""
        place = bisect_left(self._numbers, given.number)
        del self.given[place], self._numbers[place]
        self.unchanged = min(self.unchanged, place)

    def clear(self) -> None:
        """Begin anew behind a checkpoint."""
        self.given, self._numbers, self.unchanged = [], [], 0

    def mark(self) -> int:
        """Return how many of the first rounds are unchanged since the last call."""
        unchanged, self.unchanged = self.unchanged, len(self.given)
        return unchanged


class State:
    """The state after the first ``number`` events.

    Attributes
    ----------
    number : int
    settings : dict
        By the names of `penchant.study.coactive.settings.DEFAULTS`, and kind and seed.
    items : dict of Item
        All items by id, retired ones included.
    retired : dict
        The ids of those that are not presented.
    item_versions : list of Item
        Items as they were added and edited, in the order of the log.
    joining : list of Item or baseline
        Versions of items and baselines as they came, whose features join, in the order of the log.
    joining_numbers : list of int
        The numbers of the events that brought them.
    n_moves : int
        How often items were retired or brought back.
    presentations : dict of Shown
    feedback : dict of Given
    undos : dict
        By id, the event that each takes back.
    rounds : Rounds
        What models learn from.
    frozen : int
        The number of the last event that erased something; what is before it can no longer be undone.
    forgotten : set
        The keys of forgotten users.
    citing : dict
        For each context the number of presentations that cite it and are not erased.
    """

    def __init__(self, watch: int | None = None) -> None:
        self.number = self.frozen = 0
        self.settings: dict[str, Any] = {}
        self.items: dict[str, Item] = {}
        self.retired: dict[str, None] = {}
        self.item_numbers: dict[str, int] = {}
        self.item_ids: list[str] = []
        self.item_versions: list[Item] = []
        self.joining: list[Any] = []
        self.joining_numbers: list[int] = []
        self.n_moves = 0
        self._current: list[int] = []  # for each item the place of its newest version
        self._edits: dict[int, list[tuple[int, int]]] = {}  # by item: number of the event and version
        self.last_edit = 0
        self.presentations: dict[str, Shown] = {}
        self.feedback: dict[str, Given] = {}
        self.undos = Undos()
        self.rounds = Rounds()
        self.forgotten: set[str] = set()
        self.citing: dict[str, int] = {}
        self.by_user: dict[str, list[Shown]] = {}
        self.n_rounds = self.n_standing = 0
        self._others: set[str] = set()  # ids of events of other kinds
        self._erased_before = 0
        self.watch, self.watched = watch, -1
        """A number of interest, and how many rounds there were after it."""

    def apply(self, event: Event) -> None:
        """Fold the next event."""
        if event.number != self.number + 1:
            raise InvalidInput(
                f"event {self.number + 1} must come next, got {event.number}: the log has a gap"
            )
        check_fields(event)
        _FOLDS[event.kind](self, event)
        self.number = event.number
        if event.kind not in _KEPT:
            self._others.add(event.id)
        if event.number == self.watch:
            self.watched, self.rounds.unchanged = len(self.rounds), len(self.rounds)

    def has_event(self, event_id: str) -> bool:
        """Return whether an event has this id."""
        return (
            event_id in self.presentations
            or event_id in self.feedback
            or event_id in self.undos
            or event_id in self._others
        )

    def check_whole(self) -> None:
        """Reject a log that does not hold a whole study."""
        if not self.settings:
            raise CannotLoad("the log must begin with how the study was made, got none: restore a backup")

    # -- settings and items --------------------------------------------------------------------------------

    def _created(self, event: Event) -> None:
        content = event.content
        if self.settings:
            raise unreadable(event, "a study must be made once, got a second time")
        if content["kind"] != "coactive" or content["seed"] < 0:
            raise unreadable(event, "the kind of the study must be 'coactive' and its seed at least 0")
        if not is_complete(content["settings"]):
            raise unreadable(event, "its settings must be those of a coactive study, got others")
        self.settings = {"kind": "coactive", "seed": content["seed"]}
        self._set(event, content["settings"])

    def _changed(self, event: Event) -> None:
        if event.content["settings"].keys() & set(FIXED):
            raise unreadable(event, "its settings must be those that can change, got others")
        self._set(event, event.content["settings"])

    def _set(self, event: Event, settings: dict[str, Any]) -> None:
        try:
            together = {**self.settings, **checked_settings(settings)}
            check_together(together)
        except (InvalidInput, TypeError, ValueError):
            raise unreadable(event, "its settings must be known here and go together, got others") from None
        self.settings = together
        if "baseline" in settings:
            self._joins(event, together["baseline"])

    def _items(self, event: Event) -> None:
        for columns in event.content["items"]:
            item = self._item(event, columns)
            if item.id in self.items:
                raise unreadable(event, "new items must have ids of their own, got a known one")
            self.item_numbers[item.id] = len(self.item_ids)
            self.item_ids.append(item.id)
            self._current.append(len(self.item_versions))
            self.items[item.id] = item
            self._add_version(event, item)

    def _edited(self, event: Event) -> None:
        item = self._item(event, event.content["item"])
        number = self.item_numbers.get(item.id)
        if number is None:
            raise unreadable(event, "the item must be of this study, got another")
        edits = self._edits.setdefault(number, [(0, self._current[number])])
        edits.append((event.number, len(self.item_versions)))
        self._current[number] = len(self.item_versions)
        self.last_edit = event.number
        self.items[item.id] = item
        self._add_version(event, item)

    def _add_version(self, event: Event, item: Item) -> None:
        self.item_versions.append(item)
        self._joins(event, item)

    def _joins(self, event: Event, entry: Any) -> None:
        self.joining.append(entry)
        self.joining_numbers.append(event.number)

    def _item(self, event: Event, columns: Any) -> Item:
        try:
            return Item.from_json(columns)
        except InvalidInput:
            raise unreadable(event, "an item must have the parts known here, got others") from None

    def _retired(self, event: Event) -> None:
        self.retired |= dict.fromkeys(self._known_items(event))
        self.n_moves += 1

    def _returned(self, event: Event) -> None:
        for item in self._known_items(event):
            self.retired.pop(item, None)
        self.n_moves += 1

    def _known_items(self, event: Event) -> list[str]:
        ids: list[str] = event.content["items"]
        if not all(isinstance(item, str) and item in self.items for item in ids):
            raise unreadable(event, "items must be of this study, got another")
        return ids

    def versions(self, numbers: Ints, at: int | None = None) -> Ints:
        """Return the versions of items, by number, that stood when event ``at`` was written; None: now."""
        if at is None or at > self.last_edit:
            return self._current_array()[numbers]
        return np.array([self._version(int(number), at) for number in numbers], dtype=np.int64)

    def _current_array(self) -> Ints:
        cached: tuple[int, Ints] | None = getattr(self, "_cached", None)
        if cached is None or cached[0] != len(self.item_versions):
            cached = self._cached = len(self.item_versions), np.array(self._current, dtype=np.int64)
        return cached[1]

    def _version(self, number: int, at: int) -> int:
        edits = self._edits.get(number)
        if edits is None:
            return self._current[number]
        return edits[bisect_left(edits, (at, -1)) - 1][1]

    # -- presentations and feedback ------------------------------------------------------------------------

    def _presented(self, event: Event) -> None:
        content = event.content
        order, teams, opponent = (
            _indices(event, content.get(name)) for name in ("order", "teams", "opponent")
        )
        if order is None or not is_order(order):
            raise unreadable(event, "order must hold each candidate once, and does not")
        if (teams is None) != (opponent is None) or any(
            indices is not None and indices.size != order.size for indices in (teams, opponent)
        ):
            raise unreadable(event, "teams and opponent must be about the same candidates, and are not")
        if teams is not None and (teams.max() > 1 or not is_order(opponent)):
            raise unreadable(event, "teams must be 0 or 1 and opponent hold each candidate once, and do not")
        learn, user = content.get("learn") is not False, content.get("user")
        shown = Shown(
            event.id, event.number, event.time, content["context"], order, user, learn, teams, opponent
        )
        self.presentations[event.id] = shown
        self.citing[shown.context] = self.citing.get(shown.context, 0) + 1
        if user is not None:
            self.by_user.setdefault(user, []).append(shown)

    def _feedback(self, event: Event) -> None:
        content = event.content
        shown = self.presentations.get(content["presentation"])
        what = [name for name in WHAT if content.get(name) is not None]
        if shown is None or len(what) != 1 or shown.erased:
            raise unreadable(event, "it must be on a presentation, of one form known here, and is not")
        value = content[what[0]]
        indices = _indices(event, [value] if what[0] == "better" else value)
        if indices is None or (indices.size and indices.max() >= shown.size):
            raise unreadable(event, "it must name candidates that were presented, and does not")
        given = Given(event.id, event.number, event.time, shown, what[0], tuple(indices.tolist()))
        self.feedback[event.id] = given
        shown.given.append(given)
        self._count(given)

    def _count(self, given: Given) -> None:
        if not given.standing:
            given.standing = True
            given.shown.changed()
        self.n_standing += 1
        if given.shown.learn:
            self.n_rounds += 1
            self.rounds.add(given)

    def _discount(self, given: Given) -> None:
        given.standing = False
        given.shown.changed()
        self.n_standing -= 1
        if given.shown.learn:
            self.n_rounds -= 1
            self.rounds.remove(given)

    def _undone(self, event: Event) -> None:
        target = event.content["event"]
        if target not in self.feedback and target not in self.undos:
            raise unreadable(event, "it must take back feedback or an undo, got something else")
        if self.feedback_behind(target).number <= self.frozen:
            raise unreadable(event, "it must take back what was not erased, got what was")
        changed = self.undos.add(event.id, target)
        if changed is not None:
            (self._count if changed[1] else self._discount)(self.feedback[changed[0]])

    def stands(self, event_id: str) -> bool:
        """Return whether feedback, or an undo, is not taken back."""
        return self.undos.stands(event_id)

    def feedback_behind(self, event_id: str) -> Given:
        """Return the feedback that an undo, or the undo of an undo, is about."""
        return self.feedback[self.undos.root(event_id)]

    # -- erasing -------------------------------------------------------------------------------------------

    def _forgotten(self, event: Event) -> None:
        key = event.content["user"]
        self.forgotten.add(key)
        for shown in self.by_user.pop(key, ()):
            self._erase(shown)
        self._freeze(event)

    def _erased(self, event: Event) -> None:
        before = min(event.content["before"], event.number)  # what is presented later is not erased
        for shown in self.presentations.values():
            if shown.number >= before:
                break
            if shown.number >= self._erased_before:
                self._erase(shown)
        self._erased_before = max(before, self._erased_before)
        self._freeze(event)

    def _erase(self, shown: Shown) -> None:
        if not shown.erased:
            shown.erased = True
            self.citing[shown.context] -= 1
            if not self.citing[shown.context]:
                del self.citing[shown.context]

    def _freeze(self, event: Event) -> None:
        self.frozen, self.watched = event.number, -1
        self.rounds.clear()


def _indices(event: Event, value: Any) -> Ints | None:
    if value is None:
        return None
    found = from_json(value)
    if found is None:
        raise unreadable(event, "its indices must be whole numbers from 0, and are not")
    return found


_FOLDS: dict[str, Any] = {
    CREATED: State._created,
    CHANGED: State._changed,
    ITEMS: State._items,
    EDITED: State._edited,
    RETIRED: State._retired,
    RETURNED: State._returned,
    PRESENTED: State._presented,
    FEEDBACK: State._feedback,
    UNDONE: State._undone,
    FORGOTTEN: State._forgotten,
    ERASED: State._erased,
}
