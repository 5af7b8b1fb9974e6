"""Players against users on a scene. A scene and who plays in; regrets of all, their frame, charts and ratios out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import Loss, convex_regret, utility_regret
from penchant.coactive.regret import progressive_mean
from penchant.papers.coactive_sets import Scene
from penchant.papers.parallel import Progress
from penchant.papers.result import Claim, Estimate, Result
from penchant.plots import regret_chart
from penchant.simulate import Record, User, play

if TYPE_CHECKING:
    import pandas as pd


POINTS = 60  # rounds told of each run
REGRETS = ("regret", "dcg_regret", "convex_regret")


@dataclass(frozen=True, eq=False)
class Runs:
    """What the players of one experiment did.

    Attributes
    ----------
    scene : Scene
    records : dict of name → Record
    seconds : dict of name → float
        CPU time.
    """

    scene: Scene
    records: Mapping[str, Record]
    seconds: Mapping[str, float]

    def regret(self, name: str) -> Floats:
        """Return REG_t of a player, shape (runs, rounds)."""
        record = self.records[name]
        return utility_regret(record.presented_utility, record.best_utility)

    def convex(self, name: str, loss: Loss) -> Floats:
        """Return CREG_t of a player, shape (runs, rounds)."""
        record = self.records[name]
        return convex_regret(record.presented_utility, record.best_utility, loss)

    def dcg(self, name: str) -> Floats:
        """Return the DCG* regret of a player, shape (runs, rounds)."""
        record = self.records[name]
        return progressive_mean(record.best_dcg - record.presented_dcg)

    def late(self, name: str) -> Estimate:
        """Return the mean regret of the last tenth of the rounds over that of the first round."""
        record = self.records[name]
        lost = record.best_utility - record.presented_utility
        return Estimate.ratio(lost[:, -max(1, lost.shape[1] // 10) :].mean(axis=1), lost[:, 0])

    def at(self, name: str, t: int) -> Floats:
        """Return REG_t of each run after round ``t``, or the last one."""
        return self.regret(name)[:, min(t, self.scene.rounds) - 1]

    def end(self, name: str) -> Floats:
        """Return REG_T of each run."""
        return self.at(name, self.scene.rounds)

    def fall(self, name: str) -> Estimate:
        """Return REG_T over the regret after half the rounds: 1 on a plateau, 0.71 if it falls like 1/√T."""
        return Estimate.ratio(self.end(name), self.at(name, self.scene.rounds // 2))

    def ratio(self, name: str, other: str, t: int | None = None) -> Estimate:
        """Return the mean regret of one player over that of another after round ``t``, or at the end."""
        after = self.scene.rounds if t is None else t
        return Estimate.ratio(self.at(name, after), self.at(other, after))

    def ends(self) -> dict[str, Estimate]:
        """Return REG_T of all players as numbers."""
        return {f"regret, {name}": Estimate.of(self.end(name)) for name in self.records}

    def chart(self, title: str, **settings: Any) -> Any:
        """Draw REG_t of all players."""
        return self.drawn({name: self.regret(name) for name in self.records}, title, **settings)

    def dcg_chart(self, title: str) -> Any:
        """Draw the DCG* regret of all players."""
        return self.drawn({name: self.dcg(name) for name in self.records}, f"{title}, DCG* regret")

    def drawn(self, curves: Mapping[str, Floats], title: str, **settings: Any) -> Any:
        """Draw curves under a title that names the set."""
        return regret_chart(curves, title=f"{title}: {self.scene.label}", **settings)

    def frame(self, *, loss: Loss | None = None) -> pd.DataFrame:
        """Return name, run, t and the regrets of all players at rounds that are evenly spread on a log axis."""
        import pandas as pd

        told = drawn(self.scene.rounds)
        frames = {name: record.frame(told, loss=loss) for name, record in self.records.items()}
        tidy = pd.concat(frames, names=["name"]).reset_index("name").reset_index(drop=True)
        return tidy[[name for name in ("name", "run", "t", *REGRETS) if name in tidy]]

    def result(
        self,
        title: str,
        charts: Mapping[str, Any],
        numbers: Mapping[str, Estimate],
        claims: tuple[Claim, ...],
        *,
        loss: Loss | None = None,
    ) -> Result:
        """Return all of it, with the regrets at the end before the other numbers."""
        return Result(
            title=title,
            data=f"{self.scene.told}; {self.scene.runs:,} runs of {self.scene.rounds:,} rounds",
            size=self.scene.size,
            seed=self.scene.seed,
            frame=self.frame(loss=loss),
            charts=charts,
            numbers=self.ends() | dict(numbers),
            claims=claims,
            seconds=self.seconds,
        )


def played(
    scene: Scene,
    players: Mapping[str, tuple[Any, User]],
    *,
    progress: Progress | None = None,
    before: Mapping[str, tuple[Record, float]] | None = None,
) -> Runs:
    """Let learners play against users, all with the same orders of queries or the same users.

    Parameters
    ----------
    scene : Scene
    players : dict of name → (learner, user)
    progress : callable, optional
    before : dict of name → (Record, CPU seconds), optional
        What was played elsewhere.
    """
    records: dict[str, Record] = {}
    seconds: dict[str, float] = {}
    for name, (record, took) in (before or {}).items():
        records[name], seconds[name] = record, took
    for number, (name, (learner, user)) in enumerate(players.items()):
        began = process_time()
        records[name] = play(
            learner,
            user,
            scene.setting,
            runs=scene.runs,
            rounds=scene.rounds,
            seed=scene.seed,
            progress=_part(progress, number, len(players)),
        )
        seconds[name] = process_time() - began
    return Runs(scene, records, seconds)


def drawn(rounds: int) -> Ints:
    """Return rounds that are evenly spread on a logarithmic axis.

    Examples
    --------
    >>> drawn(4)
    array([1, 2, 3, 4])
    """
    spread = np.geomspace(1, rounds, min(rounds, POINTS))
    return np.unique(np.round(spread).astype(np.int64))


def _part(progress: Progress | None, number: int, of: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, runs: progress(number * runs + done, of * runs)
