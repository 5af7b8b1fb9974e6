"""All that a state holds, to be compared with that of another fold of the same log."""

from __future__ import annotations

from typing import Any

from penchant.study.state import State


def facts(state: State) -> dict[str, Any]:
    """Return the attributes of a state by name, without what depends on who asked for them when."""
    found = dict(vars(state))
    for name in ("live", "comparisons"):
        found[name] = found[name].answers
    found["open"] = set(found["open"]._open)
    found["counts"] = found["counts"].tolist()
    return found
