"""A folder of results: data, pictures, tables and verdicts of each experiment as files.

Each experiment has a folder of its own. Its record is written last and atomically, so that an interrupted experiment
counts as not run.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from penchant._version import __version__
from penchant.errors import InvalidInput
from penchant.papers.experiment import Experiment
from penchant.papers.result import Claim, Estimate, Result, Size, Verdict
from penchant.papers.validity import code_hash, files_hash
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
    """A claim after the run.

    Attributes
    ----------
    claim : Claim
    verdict : {"holds", "holds in part", "does not hold here"}
    checks : tuple of JudgedCheck
    set_before : bool
        Whether its limits are those that were written down when the experiment was run.
    """

    claim: Claim
    verdict: Verdict
    checks: tuple[JudgedCheck, ...]
    set_before: bool = True


@dataclass(frozen=True)
class Kept:
    """The record of one experiment in the folder of results, judged by the claims of today.

    Attributes
    ----------
    id, title, data : str
    size : {"quick", "default", "full"}
    seed : int
    made_up : bool
        Whether the experiment ran on a stand-in because its data were missing.
    claims : tuple of JudgedClaim
    numbers : dict of name → Estimate
    cpu : dict of name → float
        Seconds of each player, all processes together.
    wall : float
        Seconds from start to end.
    pictures, tables : dict of name → Path
    version : str
        Of Penchant.
    state : str
        A hash of the code that the experiment imports and of its data.
    """

    id: str
    title: str
    data: str
    size: Size
    seed: int
    made_up: bool
    claims: tuple[JudgedClaim, ...]
    numbers: Mapping[str, Estimate]
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
            "rules": _rules(result.claims),
            "numbers": {name: _pair(number) for name, number in result.numbers.items()},
            "cpu": {name: round(seconds, 2) for name, seconds in result.seconds.items()},
            "wall": round(wall, 1),
            "pictures": pictures,
            "tables": tables,
            "version": __version__,
            "state": state(experiment, data),
        }
        replace_text(place / FOUND, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        return _kept(place, found, experiment)

    def get(self, experiment: Experiment) -> Kept | None:
        """Return the record of an experiment, or None if it was not run to its end."""
        place = self.place(experiment)
        try:
            text = (place / FOUND).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            found = json.loads(text)
            if "rules" not in found and {"id", "claims"} <= set(found):
                return None  # of an earlier version, which kept no numbers to judge by
            return _kept(place, found, experiment)
        except (ValueError, KeyError, TypeError, AttributeError) as reason:
            raise InvalidInput(
                f"{place / FOUND} must be as penchant papers run wrote it, got {reason}: "
                "delete the folder and run the experiment again"
            ) from None


def state(experiment: Experiment, data: Path | None) -> str:
    """Return a hash of the code that an experiment imports and of the files that it reads."""
    digest = sha256(code_hash(experiment.module).encode())
    if data is not None and experiment.has_data(data):
        for name in experiment.needs:
            digest.update(files_hash(data.resolve() / name).encode())
    return digest.hexdigest()[:16]


def judged(claim: Claim, numbers: Mapping[str, Estimate], rules: Sequence[str] | None = None) -> JudgedClaim:
    """Judge a claim by numbers; ``rules`` are those of the run, as text, if they are known."""
    checks = tuple(
        JudgedCheck(
            repr(check), repr(numbers[check.quantity]), check.passes(numbers), check.is_close(numbers)
        )
        for check in claim.checks
    )
    before = rules is None or list(rules) == [check.rule for check in checks]
    return JudgedClaim(claim, claim.verdict(numbers), checks, before)


def _kept(place: Path, found: dict[str, Any], experiment: Experiment) -> Kept:
    """Return a record with the verdicts on the claims of today."""
    files: dict[str, Any] = {
        kind: {name: place / Path(file).name for name, file in found[kind].items()}
        for kind in ("pictures", "tables")
    }
    numbers = {
        name: Estimate(*(float("nan") if part is None else float(part) for part in pair))
        for name, pair in found["numbers"].items()
    }
    rules = found["rules"]
    claims = tuple(judged(claim, numbers, rules.get(claim.key, [])) for claim in experiment.claims)
    parts = {name: value for name, value in found.items() if name not in ("rules", "numbers", *files)}
    return Kept(**parts, **files, numbers=numbers, claims=claims)


def _rules(claims: Sequence[Claim]) -> dict[str, list[str]]:
    return {claim.key: [repr(check) for check in claim.checks] for claim in claims}


def _pair(number: Estimate) -> list[float | str | None]:
    """Return value and standard error as JSON knows them: no infinities, None where there is no error."""
    value = number.value if math.isfinite(number.value) else str(number.value)
    return [value, number.error if math.isfinite(number.error) else None]


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
