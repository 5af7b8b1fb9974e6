"""Changes that come again under the same event id: the same change changes nothing, another one is a conflict."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from penchant.store.table import already_used
from penchant.study.items import Item


def is_same(event_id: str | None, stored: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    """Return whether the event is there with the content that is wanted; with another one it is a conflict.

    Examples
    --------
    >>> is_same("e1", None, {"judge": "ann"}), is_same("e1", {"judge": "ann"}, {"judge": "ann"})
    (False, True)
    """
    if stored is not None and stored != wanted:
        raise already_used(event_id)
    return stored is not None


def is_same_list(event_id: str | None, stored: Mapping[str, Any] | None, wanted: Collection[str]) -> bool:
    """Return whether the event names items that are wanted; it holds only those that it changed."""
    if stored is not None and not all(item in wanted for item in stored["items"]):
        raise already_used(event_id)
    return stored is not None


def is_same_change(event_id: str | None, stored: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    """Return whether the settings were changed as wanted; an event holds only those that were different then."""
    if stored is None:
        return False
    settings = stored["settings"]
    if not settings.keys() <= wanted.keys() or any(wanted[name] != settings[name] for name in settings):
        raise already_used(event_id)
    return True


def same_edit(event_id: str | None, stored: Mapping[str, Any], id: str, changes: Mapping[str, Any]) -> Item:
    """Return the item that an event holds, which these changes must leave as it is."""
    item = Item.from_json(stored["item"])
    if item.id != id or item.edited(**changes) != item:
        raise already_used(event_id)
    return item
