"""A folder of results: data, pictures, tables and verdicts of each experiment as files.

Each experiment has a folder of its own. Its record is written last and atomically, so that an interrupted experiment
counts as not run.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from penchant._version import __version__
from penchant.errors import InvalidInput
from penchant.papers.catalogue import Experiment
from penchant.papers.result import Claim, Estimate, Result, Size, Verdict
from penchant.plots.saving import save_chart, svg_text
from penchant.saving.replacing import replace_text

FOUND = "found.json"
MOST_SVG = 200_000
_LINE = re.compile(r' d="[^"]*"')
_UNUSED = re.compile(r' (?:class|role|pointer-events|aria-[a-z]+)="[^"]*"')


@dataclass(frozen=True)
class JudgedCheck:
    """A check of a claim after the run.

    Attributes
    ----------
    rule, found : str
    passed : bool
    close : bool
        Whether the number is within two standard errors of a limit.
    """

    rule: str
    found: str
    passed: bool
    close: bool


@dataclass(frozen=True)
class JudgedClaim:
    """A claim after the run."""

    says: str
    source: str
    verdict: Verdict
    checks: tuple[JudgedCheck, ...]


@dataclass(frozen=True)
class Kept:
    """The record of one experiment in the folder of results.

    Attributes
    ----------
    id, title, data : str
    size : {"quick", "default", "full"}
    seed : int
    made_up : bool
        Whether the experiment ran on a stand-in because its data were missing.
    claims : tuple of JudgedClaim
    numbers : dict of name → str
        With standard errors.
    cpu : dict of name → float
        Seconds of each player, all processes together.
    wall : float
        Seconds from start to end.
    pictures, tables : dict of name → Path
    version : str
        Of Penchant.
    state : str
        A hash of the code and of the names and sizes of the data files.
    """

    id: str
    title: str
    data: str
    size: Size
    seed: int
    made_up: bool
    claims: tuple[JudgedClaim, ...]
    numbers: Mapping[str, str]
    cpu: Mapping[str, float]
    wall: float
    pictures: Mapping[str, Path]
    tables: Mapping[str, Path]
    version: str
    state: str


class Results:
    """A folder of results.

    Parameters
    ----------
    folder : Path
        Created with the first result.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, experiment: Experiment) -> Path:
        """Return the folder of one experiment."""
        return self.folder / experiment.id.replace("/", "-on-")

    def has(self, experiment: Experiment, *, size: Size, seed: int, data: Path | None) -> bool:
        """Whether the folder holds this run: with the same size, seed, code and data."""
        kept = self.get(experiment)
        return kept is not None and (kept.size, kept.seed, kept.state) == (
            size,
            seed,
            state(experiment, data),
        )

    def put(self, experiment: Experiment, result: Result, *, data: Path | None, wall: float) -> Kept:
        """Write a result, in place of an earlier one; ``data`` is the folder of the data that it was run on."""
        place = self.place(experiment)
        if place.exists():
            (place / FOUND).unlink(missing_ok=True)  # first, so that nothing half new counts
            shutil.rmtree(place)
        place.mkdir(parents=True)
        result.frame.to_csv(place / "data.csv", index=False)
        pictures = {name: _drawn(chart, place / _slug(name)).name for name, chart in result.charts.items()}
        tables = {name: f"table-{_slug(name)}.csv" for name in result.tables}
        for name, table in result.tables.items():
            table.to_csv(
                place / tables[name], index=table.index.nlevels > 1 or table.index.dtype.kind not in "iu"
            )
        found = {
            "id": experiment.id,
            "title": result.title,
            "data": result.data,
            "size": result.size,
            "seed": result.seed,
            "made_up": not experiment.has_data(data),
            "claims": [_judged(claim, result.numbers) for claim in result.claims],
            "numbers": {name: repr(number) for name, number in result.numbers.items()},
            "cpu": {name: round(seconds, 2) for name, seconds in result.seconds.items()},
            "wall": round(wall, 1),
            "pictures": pictures,
            "tables": tables,
            "version": __version__,
            "state": state(experiment, data),
        }
        replace_text(place / FOUND, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        return _kept(place, found)

    def get(self, experiment: Experiment) -> Kept | None:
        """Return the record of an experiment, or None if it was not run to its end."""
        place = self.place(experiment)
        try:
            text = (place / FOUND).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            return _kept(place, json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as reason:
            raise InvalidInput(
                f"{place / FOUND} must be as penchant papers run wrote it, got {reason}: "
                "delete the folder and run the experiment again"
            ) from None


def state(experiment: Experiment, data: Path | None) -> str:
    """Return a hash of the code of Penchant and of the files that an experiment reads."""
    digest = sha256(_code())
    if data is not None and experiment.has_data(data):
        for name in experiment.needs:
            for path in sorted((data / name).rglob("*.*")):
                digest.update(f"{path.relative_to(data)} {path.stat().st_size}".encode())
    return digest.hexdigest()[:16]


@cache
def _code() -> bytes:
    root = Path(__file__).parents[1]
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*.py")))


def _kept(place: Path, found: dict[str, Any]) -> Kept:
    claims = tuple(
        JudgedClaim(**claim | {"checks": tuple(JudgedCheck(**check) for check in claim["checks"])})
        for claim in found["claims"]
    )
    files = {
        kind: {name: place / Path(file).name for name, file in found[kind].items()}
        for kind in ("pictures", "tables")
    }
    return Kept(**found | files | {"claims": claims})


def _judged(claim: Claim, numbers: Mapping[str, Estimate]) -> dict[str, Any]:
    checks = [
        {
            "rule": repr(check),
            "found": repr(numbers[check.quantity]),
            "passed": bool(check.passes(numbers)),
            "close": bool(check.is_close(numbers)),
        }
        for check in claim.checks
    ]
    return {
        "says": claim.says,
        "source": claim.source,
        "verdict": claim.verdict(numbers),
        "checks": checks,
    }


def _slug(name: str) -> str:
    """Return a name for a file.

    Examples
    --------
    >>> _slug("T·CREG"), _slug("step 2: c leaves")
    ('t-creg', 'step-2-c-leaves')
    """
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def _drawn(chart: Any, place: Path) -> Path:
    """Write a picture, as SVG unless it has so many marks that PNG is much smaller."""
    svg = _light(svg_text(chart))
    if len(svg) > MOST_SVG:
        return save_chart(chart, place.with_suffix(".png"))
    target = place.with_suffix(".svg")
    target.write_text(svg, encoding="utf-8")
    return target


def _light(svg: str) -> str:
    """Return a picture of half the size: lines to a tenth of a pixel, without unused attributes."""
    return re.sub(r"<[^>]*>", lambda tag: _UNUSED.sub("", _LINE.sub(_to_tenths, tag[0])), svg)


def _to_tenths(line: re.Match[str]) -> str:
    return re.sub(r"(\d\.\d)\d+", r"\1", line[0])
