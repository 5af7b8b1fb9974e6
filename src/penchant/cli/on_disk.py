"""``--on-disk``: learn from LETOR text whose features do not fit into memory, through a matrix on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from penchant.cli.command import kept_warnings, limits, limits_typed, report
from penchant.cli.documents import Documents
from penchant.cli.inputs import STANDARD_INPUT, is_table
from penchant.cli.terminal import busy
from penchant.errors import InvalidInput, NoSpace

OnDisk = Annotated[
    bool,
    typer.Option(
        "--on-disk",
        help="Write the features of LETOR text to a temporary file, in single precision, where they do not fit into "
        "memory (--model ranksvm).",
    ),
]


@contextmanager
def documents_on_disk(file: Path, ranker: Any, beside: Mapping[str, Any]) -> Iterator[Documents]:
    """Give the documents of LETOR text, whose features are in a temporary file of the folder that TMPDIR names.

    Parameters
    ----------
    file : Path
    ranker : estimator
        RankSVM with the linear kernel, which learns from such a file without a copy.
    beside : mapping
        Other options by their names, which need the features in memory or a table.
    """
    from penchant.rankers import RankSVM
    from penchant.scale.mapped import UNLIMITED, map_letor

    if not isinstance(ranker, RankSVM) or ranker.kernel != "linear":
        raise InvalidInput.of(
            "--on-disk", "be given with --model ranksvm and the linear kernel", repr(ranker), "leave it out"
        )
    if file == STANDARD_INPUT or is_table(file):
        raise InvalidInput.of("--on-disk", "be given with a file of LETOR text", str(file), "leave it out")
    for name, value in beside.items():
        if value:
            raise InvalidInput.of(f"--{name}", "not be given with --on-disk", "it", "leave one of them out")
    found = limits()
    if not any(word.startswith("bytes=") for word in limits_typed()):
        found = replace(found, bytes=UNLIMITED)
    doing = f"reading {file.name}"
    with TemporaryDirectory(prefix="penchant-") as folder:
        with kept_warnings() as warned, busy(doing) as shown:
            try:
                rows = map_letor(
                    file,
                    Path(folder) / "rows",
                    limits=found,
                    progress=lambda done, size: shown(doing, done, size),
                )
            except NoSpace as error:
                raise NoSpace.of(
                    "TMPDIR", error.limit, error.received, "free some, or name another folder"
                ) from error
        for line in warned:
            report(line)
        yield Documents(rows.X, rows.grades, rows.qid)
