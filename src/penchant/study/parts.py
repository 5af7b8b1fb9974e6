"""What the parts of `Study` share: `Editing`, `Exchange` and `Reporting` are written against this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, Self

from penchant.ranking import Ranking
from penchant.store import SQLiteLog
from penchant.study.current import CurrentBelief
from penchant.study.state import State


class PartOfStudy(ABC):
    """The log of a study, its state and its belief, which are read and changed under a lock."""

    _log: SQLiteLog
    _lock: RLock
    _state: State
    _current: CurrentBelief

    @classmethod
    @abstractmethod
    def _of(cls, log: SQLiteLog, clock: Callable[[], float]) -> Self:
        """Return the study of a log, which is closed where that fails."""

    @abstractmethod
    def _append(self, kind: str, content: Mapping[str, Any], event_id: str | None = None) -> str:
        """Append one event, fold it, and return its id."""

    @abstractmethod
    def _catch_up(self) -> None:
        """Fold the events that were written since."""

    @abstractmethod
    def rank(self, *, level: float = 0.95) -> Ranking:
        """Return the ranking of the items that are not retired, from the answers that count."""
