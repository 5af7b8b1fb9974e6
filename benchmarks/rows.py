"""What comes out of the harness: one row for each case, with every sample that was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.case import OURS


@dataclass(frozen=True)
class Sample:
    """What one call cost: CPU seconds over all threads, wall seconds, and MB above the start where known."""

    cpu: float
    wall: float
    memory: float | None


@dataclass(frozen=True)
class Cost:
    """What a warm call costs: medians of the seconds, the least and most of CPU, and the most MB."""

    cpu: float
    least: float
    most: float
    wall: float
    memory: float | None

    @classmethod
    def of(cls, warm: Sequence[Sample]) -> Cost:
        """Sum up the samples of one row."""
        cpu = [sample.cpu for sample in warm]
        wall = median(sample.wall for sample in warm)
        memory = max((sample.memory for sample in warm if sample.memory is not None), default=None)
        return cls(median(cpu), min(cpu), max(cpu), wall, memory)


@dataclass
class Row:
    """What was measured of one case. No cost: it could not be measured, and ``cannot`` says why."""

    who: str
    what: str = ""
    cannot: str = ""
    samples: list[Sample] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def cost(self) -> Cost | None:
        """What the calls after the first cost; the first may load and compile."""
        return Cost.of(self.samples[1:]) if len(self.samples) > 1 else None


def ratios(rows: list[Row]) -> list[float | None]:
    """Return for each row its CPU time over that of Penchant's row in the same task."""
    ours = {row.what: row.cost.cpu for row in rows if row.who == OURS and row.cost}
    return [row.cost.cpu / ours[row.what] if row.cost and ours.get(row.what) else None for row in rows]
