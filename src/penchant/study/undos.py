"""Undos: what each takes back, and whether what it took back counts again."""

from __future__ import annotations


class Undos(dict[str, str]):
    """For each undo the event that it takes back, which may be an undo in its turn.

    Examples
    --------
    >>> undos = Undos()
    >>> undos.add("u1", "answer"), undos.stands("answer")
    (('answer', False), False)
    >>> undos.add("u2", "u1"), undos.stands("answer"), undos.root("u2"), undos.restores("u2")
    (('answer', True), True, 'answer', True)
    >>> undos.add("u3", "u1")
    """

    def __init__(self) -> None:
        super().__init__()
        self._undone_by: dict[str, int] = {}  # for each event the number of undos of it that stand

    def stands(self, event_id: str) -> bool:
        """Return whether an event counts: no undo that stands takes it back."""
        return not self._undone_by.get(event_id)

    def add(self, undo_id: str, target: str) -> tuple[str, bool] | None:
        """Record an undo; return what is no undo and whether it stands from here on, None where nothing changes."""
        self[undo_id] = target
        change = 1  # an undo that comes to stand takes its target back, which may be an undo in its turn
        while True:
            stood = self.stands(target)
            self._undone_by[target] = self._undone_by.get(target, 0) + change
            if self.stands(target) == stood:
                return None
            if target not in self:
                return target, not stood
            change = -1 if stood else 1
            target = self[target]

    def root(self, event_id: str) -> str:
        """Return what is no undo and what an undo, or the undo of an undo, is about."""
        while event_id in self:
            event_id = self[event_id]
        return event_id

    def restores(self, undo_id: str) -> bool:
        """Return whether an undo takes another undo back, so that what that one took back counts again."""
        depth = 0
        while undo_id in self:
            undo_id, depth = self[undo_id], depth + 1
        return depth % 2 == 0
