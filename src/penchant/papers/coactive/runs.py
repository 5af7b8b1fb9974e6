"""Simulated runs of learners with users on a set, and the regrets, charts and ratios computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import Loss, convex_regret, utility_regret
from penchant.coactive.analysis.regret import progressive_mean, slack
from penchant.papers.coactive.sets import Scene
from penchant.papers.result import Estimate, Measured
from penchant.papers.run import Run
from penchant.plots import regret_chart
from penchant.simulate import Record, User, play
from penchant.simulate.compiled_runs import compiled_run
from penchant.simulate.retrained_svm import RetrainedSVM

if TYPE_CHECKING:
    import pandas as pd


POINTS = 60  # rounds of each run that the frame holds
PARTS = 20  # tasks into which the runs of a player are split
EARLY = 10  # rounds after which errors are still large
LONG = 1_000_000  # rounds; fewer compiled ones take less time than the start of a process
REGRETS = ("regret", "dcg_regret", "convex_regret")
_DRAWING = ContextVar("drawing", default=True)


@contextmanager
def undrawn() -> Iterator[None]:
    """Leave out the charts of runs, which take longer than small runs do."""
    before = _DRAWING.set(False)
    try:
        yield
    finally:
        _DRAWING.reset(before)


@dataclass(frozen=True, eq=False)
class Runs:
    """The records of the players of one experiment; a player is a learner with a user.

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

    @property
    def description(self) -> str:
        """The data, and the number of runs and rounds."""
        return f"{self.scene.description}; {self.scene.length}"

    def only(self, names: Sequence[str]) -> Runs:
        """Return the runs of some of the players."""
        return Runs(
            self.scene,
            {name: self.records[name] for name in names},
            {name: self.seconds[name] for name in names},
        )

    def regret(self, name: str) -> Floats:
        """Return REG_t of a player, shape (runs, rounds)."""
        record = self.records[name]
        return utility_regret(record.presented_utility, record.best_utility)

    def regrets(self) -> dict[str, Floats]:
        """Return REG_t of all players."""
        return {name: self.regret(name) for name in self.records}

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

    def steadier(self, name: str) -> Estimate:
        """Return the standard error of the mean regret at the end over that after ten rounds."""
        return Estimate(float(self.end(name).std() / self.at(name, EARLY).std()))

    def slack(self, name: str, alpha: float) -> Floats:
        """Return ξ_t of a player's user, shape (runs, rounds)."""
        record = self.records[name]
        return slack(record.presented_utility, record.feedback_utility, record.best_utility, alpha=alpha)

    def settled(self, name: str) -> Estimate:
        """Return REG_T over the average slack with α = 1: 1 where nothing more is gained, eq. 6."""
        return Estimate.ratio(self.end(name), self.slack(name, 1.0).mean(axis=1))

    def ends(self) -> dict[str, Estimate]:
        """Return REG_T of all players as numbers."""
        return {f"regret, {name}": Estimate.of(self.end(name)) for name in self.records}

    def chart(self, title: str, **settings: Any) -> Any:
        """Draw REG_t of all players."""
        return self.drawn(self.regrets(), title, **settings)

    def charts(self, title: str, bounds: Mapping[str, Floats], **settings: Any) -> dict[str, Any]:
        """Draw REG_t of all players, and that of the players with a bound of shape (runs, rounds) below it."""
        mean = {name: bound.mean(axis=0) for name, bound in bounds.items()}
        bounded = {name: self.regret(name) for name in bounds}
        return {
            "utility": self.chart(title, **settings),
            "bound": self.drawn(bounded, f"{title}, with bounds", bounds=mean, log_regret=True),
        }

    def dcg_chart(self, title: str, **settings: Any) -> Any:
        """Draw the DCG* regret of all players."""
        curves = {name: self.dcg(name) for name in self.records}
        return self.drawn(curves, f"{title}, DCG* regret", **settings)

    def drawn(self, curves: Mapping[str, Floats], title: str, **settings: Any) -> Any:
        """Draw curves under a title that names the set, or nothing inside `undrawn`.

        The axis says average, or cumulative where the title does.
        """
        if not _DRAWING.get():
            return None
        cumulative = title.startswith("Cumulative")
        settings.setdefault("y", f"{'cumulative' if cumulative else 'average'} regret")
        return regret_chart(curves, title=f"{title}: {self.scene.label}", **settings)

    def frame(self, *, loss: Loss | None = None) -> pd.DataFrame:
        """Return name, run, t and the regrets of all players at rounds that are evenly spread on a log axis."""
        import pandas as pd

        rounds = drawn(self.scene.rounds)
        frames = {name: record.frame(rounds, loss=loss) for name, record in self.records.items()}
        tidy = pd.concat(frames, names=["name"]).reset_index("name").reset_index(drop=True)
        return tidy[[name for name in ("name", "run", "t", *REGRETS) if name in tidy]]

    def measured(
        self,
        charts: Mapping[str, Any],
        numbers: Mapping[str, Estimate | float],
        *,
        loss: Loss | None = None,
        tables: Mapping[str, pd.DataFrame] | None = None,
    ) -> Measured:
        """Return what was measured, with the regrets at the end before the other numbers."""
        every = {**self.ends(), **numbers}
        return Measured(self.description, every, charts, self.frame(loss=loss), self.seconds, tables or {})


def played(scene: Scene, players: Mapping[str, tuple[Any, User]], run: Run) -> Runs:
    """Run learners with simulated users, all with the same orders of queries or the same users.

    A task is one run of a player, or a twentieth of its runs. Processes share only what takes long.

    Parameters
    ----------
    scene : Scene
    players : dict of name → (learner, user)
    run : Run
    """
    most = -(-scene.runs // PARTS)
    starts = range(0, scene.runs, most)
    tasks = [
        (learner, user, scene.setting, first, min(most, scene.runs - first), scene.rounds, scene.seed)
        for learner, user in players.values()
        for first in starts
    ]
    found = run.each(_slice, tasks, alone=not _takes_long(scene, players))
    records, seconds = {}, {}
    for number, name in enumerate(players):
        own = found[number * len(starts) : (number + 1) * len(starts)]
        records[name] = Record.merged([record for record, _ in own])
        seconds[name] = sum(took for _, took in own)
    return Runs(scene, records, seconds)


def _slice(
    learner: Any, user: User, setting: Any, first: int, runs: int, rounds: int, seed: int
) -> tuple[Record, float]:
    """Return the record of some of the runs, and their CPU seconds without loading and compiling."""
    play(learner, user, setting, runs=1, rounds=min(2, rounds), seed=seed)
    began = process_time()
    record = play(learner, user, setting, runs=runs, first=first, rounds=rounds, seed=seed)
    return record, process_time() - began


def _takes_long(scene: Scene, players: Mapping[str, tuple[Any, User]]) -> bool:
    if scene.runs * scene.rounds * len(players) > LONG:
        return True
    if any(isinstance(learner, RetrainedSVM) for learner, _ in players.values()):
        return True  # each training takes longer than all rounds until the next one
    return any(compiled_run(learner, user, scene.setting) is None for learner, user in players.values())


def drawn(rounds: int) -> Ints:
    """Return rounds that are evenly spread on a logarithmic axis.

    Examples
    --------
    >>> drawn(4)
    array([1, 2, 3, 4])
    """
    spread = np.geomspace(1, rounds, min(rounds, POINTS))
    return np.unique(np.round(spread).astype(np.int64))
