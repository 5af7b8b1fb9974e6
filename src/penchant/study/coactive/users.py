"""What each user of a coactive study was presented, and gave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from penchant.study.coactive.presentations import Shown


@dataclass(frozen=True)
class UserActivity:
    """The presentations to one user.

    Attributes
    ----------
    user : str
        The name.
    presentations : int
    answered : int
        Those with feedback that stands.
    rounds : int
        The feedback that was learned from, since the last erasure and before it.
    last : float
        When the last one was presented, in seconds since 1970.
    """

    user: str
    presentations: int
    answered: int
    rounds: int
    last: float

    @classmethod
    def of(cls, user: str, presentations: Iterable[Shown]) -> UserActivity:
        """Return what a user's presentations add up to; there is at least one."""
        listed = list(presentations)
        standing = [[given for given in shown.given if given.standing] for shown in listed]
        rounds = sum(len(given) for shown, given in zip(listed, standing, strict=True) if shown.learn)
        return cls(user, len(listed), sum(map(bool, standing)), rounds, max(shown.time for shown in listed))
