"""What a question is made of: one case a row of the table. Nothing but the standard library is needed here.

A file of this folder is a question when it defines ``QUESTION``, a sentence, and ``cases(quick)``, its rows.
It is imported by every interpreter that runs one of its rows, also by a peer's own, so the libraries that it
measures are imported inside ``prepare``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

OURS = "Penchant"

Answer = Mapping[str, float | int | str]


class Cannot(Exception):
    """A row cannot be measured; the message says why. A benchmark may raise it too."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row: who does what, and how to have it done.

    Parameters
    ----------
    who : str
        The library. Ratios are to the row named ``Penchant`` of the same ``what``.
    what : str
        The task, where a question has several. The rows of one task are measured in turns.
    prepare : callable, optional
        Imports, makes the data from a seed, and returns the call to be measured, which takes no arguments.
        None: it cannot be done at all, and ``cannot`` says why.
    answer : callable, optional
        From what the call returned to the few figures that show how right it is.
    requires : tuple of str
        Requirements of a peer, which then runs in an environment of its own. Empty: the main environment.
    cannot : str
        What this row cannot do of what was asked, in words.
    fresh : bool
        Measure first calls: every repeat runs in a new process.
    threads : int
        How many threads its linear algebra and compiled loops may use.
    limit : float
        Seconds after which one step is given up.
    warm : int, optional
        The most warm calls, where one takes long. None: as many as the run makes.
    """

    who: str = OURS
    what: str = ""
    prepare: Callable[[], Callable[[], object]] | None = None
    answer: Callable[[object], Answer] | None = None
    requires: tuple[str, ...] = ()
    cannot: str = ""
    fresh: bool = False
    threads: int = 1
    limit: float = 600.0
    warm: int | None = None
