"""``--dask ADDRESS``: fit a model to files on the workers of a Dask cluster, with progress by partition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from penchant.cli.options import option
from penchant.cli.terminal import busy
from penchant.errors import InvalidInput, Unreachable
from penchant.progress import reported_to

Dask = Annotated[
    str | None,
    option(
        "ADDRESS",
        "Fit on the Dask cluster of this scheduler, tcp://HOST:PORT; FILE may be a pattern in quotes, of files that "
        "all workers can read.",
    ),
]


def fitted_on_cluster(model: Any, file: Any, address: str, **given: Any) -> tuple[Any, int]:
    """Return a model fitted to the files of a path or pattern, and the number of partitions."""
    from penchant.scale import fit
    from penchant.scale.partitions import partitions_of

    pattern = str(Path(file).absolute())  # workers have folders of their own
    count, doing = len(partitions_of(pattern)), f"fitting {type(model).__name__}"
    try:
        with busy(doing, steps=True) as show, reported_to(partial(show, doing)):
            return fit(model, pattern, client=address, **given), count
    except Unreachable as error:
        if error.argument != "client":
            raise
        raise Unreachable.of("--dask", error.limit, error.received, error.remedy) from error


def reject_beside_dask(given: Mapping[str, Any]) -> None:
    """Reject options, by their names, that need all rows in one place."""
    for name, value in given.items():
        if value:
            shown = value if isinstance(value, str | int) and value is not True else "it"
            raise InvalidInput.of(
                f"--{name}",
                "not be given with --dask, which keeps rows on the workers",
                str(shown),
                "leave it out",
            )
