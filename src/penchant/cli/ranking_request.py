"""What was asked of ``penchant rank``: the options as they were typed, and the words with which to type them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penchant.cli.inputs import files_read, read_as
from penchant.cli.outputs import PRINTED, check_outputs
from penchant.cli.places import StudyPlace
from penchant.cli.voting import Voting
from penchant.errors import InvalidInput

LARGE, PACKED = 2**30, dict.fromkeys((".gz", ".zst", ".parquet"), 2**28)
"""The bytes from which on comparisons are counted, not read, since reading takes several times as much memory."""


@dataclass(frozen=True)
class Outputs:
    """What becomes of a ranking: how much of it is printed, for whom, and which files are written."""

    top: int
    json: bool
    csv: Path | None
    plot: Path | None
    matrix: Path | None

    @property
    def are_for_programs(self) -> bool:
        """Whether the output is read by a program, so that everything else goes to the error output."""
        return self.json or self.csv == PRINTED


@dataclass(frozen=True)
class Request:
    """The options of the command, as they were typed."""

    file: StudyPlace
    columns: Mapping[str, Any]
    voting: Voting
    outputs: Outputs
    format: str | None = None
    strict: bool = False
    model: str | None = None
    prior: str | None = None
    bootstrap: int | None = None
    setting: tuple[str, ...] = ()
    level: float = 0.95
    memory: str | None = None

    def check(self) -> None:
        """Reject options that exclude one another, before anything is read."""
        wanted, voting = self.outputs, self.voting
        check_outputs(
            files_read(self.file, self.columns), [wanted.csv], [wanted.plot, wanted.matrix], json=wanted.json
        )
        voting.check(self.file, wanted.matrix)
        if self.bootstrap is not None and (voting.adjusts or voting.boards):
            remedy = "leave it out, or rank without covariates and boards"
            raise InvalidInput.of(
                "bootstrap", "not be given with covariates or boards", str(self.bootstrap), remedy
            )

    @property
    def asks_only_for_the_study(self) -> bool:
        """Whether the belief of a study answers the request, without a fit of its answers."""
        typed = (self.model, self.prior, self.bootstrap, self.setting or None, self.format, self.memory)
        return all(value is None for value in typed) and not self.voting.needs_fit

    @property
    def is_large(self) -> bool:
        """Whether the file would take too much memory if it were read."""
        file = self.file
        return (
            isinstance(file, Path)
            and file.is_file()
            and file.stat().st_size >= PACKED.get(file.suffix, LARGE)
        )

    @property
    def same_file(self) -> list[str]:
        """Return the words with which another command reads the same."""
        return [str(self.file), *read_as(self.columns, self.format)]

    @property
    def again(self) -> list[str]:
        """Return the words of the command that fits the same model to the same file."""
        given = {
            "model": self.model,
            "prior": self.prior,
            "bootstrap": self.bootstrap,
            "level": None if self.level == 0.95 else self.level,
        }
        words = [
            word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))
        ]
        words += [word for text in self.setting for word in ("--set", text)]
        return ["rank", *self.same_file, *words, *self.voting.words]
