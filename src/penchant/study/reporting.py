"""Reports about a running study: its judges, its predictions, its reasons and its checks."""

from __future__ import annotations

from threading import RLock

from penchant.study.current import CurrentBelief
from penchant.study.state import State


class Reporting:
    """The methods of `Study` that report and change nothing."""

    _lock: RLock
    _state: State
    _current: CurrentBelief

    def _catch_up(self) -> None:
        raise NotImplementedError
