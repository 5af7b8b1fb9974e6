"""What the parts of `CompareStudy` share: `Editing`, `Exchange` and `Reporting` are written against this."""

from __future__ import annotations

from abc import abstractmethod

from penchant.ranking import Ranking
from penchant.study.asking import Asking
from penchant.study.current import CurrentBelief
from penchant.study.state import State
from penchant.study.study import Study


class PartOfStudy(Study):
    """A study with a belief about its items, which is read and changed under the lock of the study."""

    _state: State
    _current: CurrentBelief
    _asking: Asking

    @abstractmethod
    def rank(self, *, level: float = 0.95) -> Ranking:
        """Return the ranking of the items that are not retired, from the answers that count."""
