"""The decorator that makes a function an experiment of a paper, and the experiments that it made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from penchant.papers.result import Claim, Estimate, Measured, Result
from penchant.papers.run import Run
from penchant.papers.sources import BY_NAME

Play = Callable[..., Measured]
Played = TypeVar("Played", bound=Play)
MADE: list[Experiment] = []
"""Every experiment of the modules that were imported; `penchant.papers.catalogue.experiments` imports them all."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """One figure or table of a paper on one set of data.

    Attributes
    ----------
    id : str
        PAPER.FIGURE, or PAPER.FIGURE/SET where there are several sets.
    shows : str
        The figure, table or example, as the paper numbers it.
    about : str
        What is compared.
    play : callable
        Takes a `Run`, the name of the set where there are several, and ``settings``; returns what was measured.
    claims : tuple of Claim
        The paper's claims about it and the rules by which they are judged.
    needs : tuple of str
        Names of `penchant.papers.sources.SOURCES`; none if the data are drawn.
    took : str
        How long the authors' own run took, if the paper reports it.
    settings : dict
        Keyword arguments of ``play``.
    """

    id: str
    shows: str
    about: str
    play: Play = field(repr=False)
    claims: tuple[Claim, ...] = field(repr=False)
    needs: tuple[str, ...] = ()
    took: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def paper(self) -> int:
        """The number of the paper."""
        return int(self.id[0])

    @property
    def on(self) -> str:
        """The data set, or an empty string if the experiment has only one."""
        return self.id.partition("/")[2]

    @property
    def title(self) -> str:
        """What is compared, and where the paper shows it."""
        return f"{self.about[0].upper()}{self.about[1:]} (paper {self.paper}, {self.shows})"

    @property
    def module(self) -> str:
        """The module of the function that plays it."""
        return self.play.__module__

    def has_data(self, data: Path | None) -> bool:
        """Whether the folder ``data`` holds all sets that the experiment reads."""
        return all(BY_NAME[name].is_in(data) for name in self.needs)

    def run(self, run: Run | None = None) -> Result:
        """Run it, on a stand-in if its data are not in the folder of the run, and judge its claims."""
        run = run or Run()
        own = run.folder if self.needs and self.has_data(run.folder) else None
        reported: list[int] = []

        def progress(done: int, of: int) -> None:
            reported.append(done)
            if run.progress is not None:
                run.progress(done, of)

        watched = replace(run, data=own, progress=progress)
        found = self.play(watched, *filter(None, [self.on]), **self.settings)
        if not reported:  # it has no tasks: it is one
            progress(1, 1)
        numbers = {
            name: number if isinstance(number, Estimate) else Estimate(float(number))
            for name, number in found.numbers.items()
        }
        return Result(
            self.id,
            self.title,
            found.data,
            run.size,
            run.seed,
            self.claims,
            numbers,
            found.charts,
            found.frame,
            found.seconds,
            found.tables,
        )


def experiment(
    id: str,
    shows: str,
    about: str,
    *,
    claims: Sequence[Claim] | Mapping[str, Sequence[Claim]],
    sets: Sequence[str] = (),
    needs: Sequence[str] = (),
    took: str = "",
    **settings: Any,
) -> Callable[[Played], Played]:
    """Make a function an experiment, or with ``sets`` one experiment on each of them.

    The function takes a `Run`, the name of the set if there are any, and ``settings``, and returns a `Measured`. It is
    returned unchanged, so that several figures can be made of it.

    Parameters
    ----------
    id : str
        PAPER.FIGURE; "/SET" is added where there are sets.
    shows, about : str
        As in `Experiment`; ``about`` may name a setting in braces.
    claims : sequence of Claim, or dict of set → sequence of Claim
    sets : sequence of str
        Names that the function takes; those of `penchant.papers.sources.SOURCES` are read from the folder of data.
    needs : sequence of str
        The sources of an experiment without sets.
    took : str
    **settings
        Keyword arguments of the function.
    """

    def decorated(play: Played) -> Played:
        own_place = next((place for place, each in enumerate(MADE) if each.play is play), len(MADE))
        made: list[Experiment] = []
        for name in sets or ("",):
            own = claims[name] if isinstance(claims, Mapping) else claims
            sources = tuple(needs) or tuple(source for source in (name,) if source in BY_NAME)
            label = f"{id}/{name}" if name else id
            what = about.format(**settings)
            made.append(Experiment(label, shows, what, play, tuple(own), sources, took, settings))
        MADE[own_place:own_place] = made  # the lowest of several decorators runs first
        return play

    return decorated
