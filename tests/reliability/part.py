"""A part of the reliability run: numbered trials of one guarantee.

A part is a module in ``tests/reliability/parts`` that defines ``PART``. The test suite runs a few of its trials, or a
brief one where they are long, and ``make reliability`` all of them.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tests.postgresql import programs

Trial = Callable[[int, Path], Mapping[str, int]]
PARTS = Path(__file__).with_name("parts")


@dataclass(frozen=True)
class Part:
    """One guarantee and the trials that test it.

    Attributes
    ----------
    name : str
        The module's name; what ``make reliability NAME=…`` selects it by.
    claim : str
        The guarantee, in one sentence for the docs.
    unit : str
        What one trial is, in the plural: "kills", "flipped bytes".
    full : int
        The number of trials in a full run.
    trial : callable
        ``trial(number, folder)`` runs trial ``number`` in an empty folder of its own and counts what happened, for
        instance ``{"rejected": 1}``. It depends on ``number`` alone, and raises AssertionError where the guarantee
        is broken.
    brief : callable, optional
        What the test suite runs instead of ``trial`` where that takes minutes.
    needs : tuple of str
        Programs without which no trial can run.
    root : bool
        Whether only root can run it: it mounts a file system.
    """

    name: str
    claim: str
    unit: str
    full: int
    trial: Trial
    brief: Trial | None = None
    needs: tuple[str, ...] = ()
    root: bool = False

    def missing(self) -> str | None:
        """Return what keeps the trials from running here, and what to do, or None."""
        for program in self.needs:
            if (programs() if program == "postgres" else shutil.which(program)) is None:
                return f"program {program} is not on the path: install it"
        return (
            "only root may mount a file system: run it as root" if self.root and os.geteuid() != 0 else None
        )

    def run(self, numbers: range, folder: Path, *, brief: bool = False) -> Counter[str]:
        """Run the trials with these numbers, or brief ones where there are such, and return their counts together."""
        trial = self.brief if brief and self.brief else self.trial
        counts: Counter[str] = Counter()
        for number in numbers:
            place = folder / f"{self.name}-{number}"
            place.mkdir()
            counts.update(trial(number, place))
        return counts


def discover() -> dict[str, Part]:
    """Return every part by name."""
    names = sorted(module.name for module in iter_modules([str(PARTS)]))
    return {name: import_module(f"tests.reliability.parts.{name}").PART for name in names}
