"""How a study asks. Wishes in; what the log keeps of them out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from penchant.errors import InvalidInput


def asking_kept(
    items: Collection[str], top: int | None, forbidden: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """Return how many items are to be found and which pairs are never asked, as the log keeps them."""
    if top is not None and not (isinstance(top, int) and 1 <= top < len(items)):
        raise InvalidInput(
            f"top must be from 1 to {len(items) - 1}, a part of the items, got {top}: leave it out for all"
        )
    known, pairs = set(items), [_names(pair) for pair in forbidden]
    for pair in pairs:
        if len(set(pair)) != 2 or len(pair) != 2 or not known.issuperset(pair):
            raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair}: correct it")
    distinct = sorted({tuple(sorted(pair)) for pair in pairs})
    if pairs and len(distinct) == len(known) * (len(known) - 1) // 2:
        raise InvalidInput("forbidden must leave a pair to ask about, got all of them: allow some")
    return {"top": top, "forbidden": [list(pair) for pair in distinct]}


def _names(pair: Any) -> tuple[str, ...]:
    if isinstance(pair, str) or not isinstance(pair, Iterable):
        raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair!r}: correct it")
    return tuple(map(str, pair))
