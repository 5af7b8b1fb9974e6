"""Make the specification of a chart safe to draw, whatever names it holds.

The renderer is compiled code that ends the whole process where text holds what no XML may hold, and takes minutes
for a label of 100,000 characters. Everything that is drawn goes through `drawable`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from penchant.errors import InvalidInput
from penchant.plots.emoji import spelled_out
from penchant.text import visible

LONGEST_VALUE = 200
"""Characters of a value in the data; no axis shows more."""
LONGEST_TEXT = 5000
"""Characters of any other text, such as a title."""
MOST_ROWS = 100_000
"""Rows of data in one picture; that many points take ten seconds and half a gigabyte."""
LONGEST_SIDE = 100_000
"""Points of an axis; each forty of them are a tick that takes the renderer's memory."""


def drawable(specification: dict[str, Any], *, spell_emoji: bool = False) -> dict[str, Any]:
    """Return ``specification`` with text that can be drawn and numbers that are finite or absent.

    Text is changed alike wherever it stands, so that data, domains and sort orders still agree, and two texts that
    were different stay different. With ``spell_emoji`` the names of emoji stand in their place.
    """
    data = _data(specification)
    n_rows = sum(len(rows) for rows in data)
    if n_rows > MOST_ROWS:
        raise InvalidInput(
            f"a picture must show at most {MOST_ROWS:,} rows of data, got {n_rows:,}: draw fewer items"
        )
    _check_sides(specification)
    values = dict.fromkeys(text for rows in data for text in _texts(rows))
    others = dict.fromkeys(text for text in _texts(specification) if text not in values)
    shown = (lambda text: spelled_out(visible(text))) if spell_emoji else visible
    wanted = {text: _short(shown(text), LONGEST_VALUE) for text in values}
    wanted |= {text: _short(shown(text), LONGEST_TEXT) for text in others}
    drawn: dict[str, Any] = _replaced(specification, _told_apart(wanted))
    return drawn


def _data(node: Any) -> list[list[Any]]:
    """Return every table of a specification: of ``datasets`` and of each ``data`` with values."""
    if isinstance(node, list):
        return [rows for child in node for rows in _data(child)]
    if not isinstance(node, dict):
        return []
    found = [rows for rows in node.get("datasets", {}).values() if isinstance(rows, list)]
    data = node.get("data")
    if isinstance(data, dict) and isinstance(data.get("values"), list):
        found.append(data["values"])
    inside = [child for name, child in node.items() if name not in ("data", "datasets")]
    return found + _data(inside)


def _check_sides(node: Any) -> None:
    if isinstance(node, list):
        for child in node:
            _check_sides(child)
    elif isinstance(node, dict):
        for name in ("width", "height"):
            side = node.get(name)
            if isinstance(side, int | float) and not side <= LONGEST_SIDE:
                raise InvalidInput(
                    f"{name} of a picture must be at most {LONGEST_SIDE:,} points, got {side:,}: draw fewer items"
                )
        _check_sides([child for name, child in node.items() if name not in ("data", "datasets")])


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from (name for name in node if isinstance(name, str))
        for child in node.values():
            yield from _texts(child)
    elif isinstance(node, list | tuple):
        for child in node:
            yield from _texts(child)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _told_apart(wanted: dict[str, str]) -> dict[str, str]:
    """Return for each text that changes what stands for it, such that no two texts become one."""
    taken = {text for text, other in wanted.items() if text == other}
    changed = {}
    for text, other in wanted.items():
        if text != other:
            chosen, number = other, 2
            while chosen in taken:
                chosen, number = f"{other} ({number})", number + 1
            taken.add(chosen)
            changed[text] = chosen
    return changed


def _replaced(node: Any, changed: dict[str, str]) -> Any:
    if isinstance(node, str):
        return changed.get(node, node)
    if isinstance(node, float):
        return node if math.isfinite(node) else None
    if isinstance(node, dict):
        return {changed.get(name, name): _replaced(child, changed) for name, child in node.items()}
    if isinstance(node, list | tuple):
        return [_replaced(child, changed) for child in node]
    return node
