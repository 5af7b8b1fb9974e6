"""Running an experiment by its id, for tests."""

from __future__ import annotations

from typing import Any

from penchant.papers.catalogue import named
from penchant.papers.result import Result
from penchant.papers.run import Run


def result_of(id: str, **options: Any) -> Result:
    """The judged result of an experiment, with the options of `Run`."""
    return named(id).run(Run(**options))
