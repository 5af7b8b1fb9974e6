"""The kinds of events of a study: their versions, and which fields each has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from penchant.errors import CannotLoad
from penchant.store import Event

CREATED, CHANGED = "created", "changed"
ITEMS, EDITED, RETIRED, RETURNED = "items", "edited", "retired", "returned"
ASKED, ANSWERED, UNDONE, IMPORTED = "asked", "answered", "undone", "imported"
SET_ASIDE, TAKEN_BACK = "set_aside", "taken_back"

Fields = dict[str, type | tuple[type, ...]]
_OPTIONAL = type(None)
"""Among the types of a field: it may be absent."""

KINDS: dict[str, dict[int, Fields]] = {
    CREATED: {
        # In version 1 the settings of the model are those that differed from the defaults of that time.
        1: {"kind": str, "title": str, "model": dict, "asking": (dict, _OPTIONAL), "seed": int},
        2: {"kind": str, "title": str, "model": dict, "asking": dict, "seed": int},
        3: {"kind": str, "seed": int, "settings": dict},
    },
    CHANGED: {1: {"settings": dict}},
    ITEMS: {1: {"items": list}, 2: {"items": list}},
    EDITED: {1: {"item": dict}},
    RETIRED: {1: {"items": list}},
    RETURNED: {1: {"items": list}},
    ASKED: {
        1: {"left": str, "right": str, "judge": str},
        2: {"left": str, "right": str, "judge": str, "repeats": str},
    },
    ANSWERED: {1: {"question": str, "choice": str}},
    IMPORTED: {
        1: {"source": str, "sides": int, "answers": list},
        2: {"source": str, "sides": int, "answers": list, "import": str},
    },
    UNDONE: {1: {"event": str}},
    SET_ASIDE: {1: {"judge": str}},
    TAKEN_BACK: {1: {"judge": str}},
}
"""By kind and version, the fields of an event.

created
    The study and all its settings, by the names of `penchant.study.settings.SETTINGS`.
changed
    New values of some settings.
items
    Items that are new from here on, each an object as `Item.to_json` returns it.
edited
    An item as it is from here on, whole.
retired, returned
    Ids of items that are not asked about or ranked from here on, or again.
asked
    ``repeats`` is the question whose pair is shown again with sides swapped; version 1 where there is none.
imported
    Answers that were given elsewhere: ``[left, right, choice, judge, weight]`` each; ``sides`` is 1 where left and
    right are where the items stood. An import may take several events: ``import`` is the id of the first of them; an
    event of version 1 is an import of its own.
undone
    Takes back an answer, all answers of an import, or an earlier undo.
set_aside, taken_back
    From here on the judge's answers, earlier and later ones, do not count, or count again.
"""


class ItemChange(NamedTuple):
    """An event that added, edited, retired or brought back an item."""

    number: int
    id: str
    kind: str
    time: float


def items_named(event: Event) -> list[str]:
    """Return the ids of the items that an event adds, edits, retires or brings back."""
    content = event.content
    if event.kind == EDITED:
        return [content["item"]["id"]]
    return [item["id"] if isinstance(item, Mapping) else item for item in content["items"]]


def newest(kind: str) -> int:
    """Return the version in which events of a kind are written."""
    return max(KINDS[kind])


def check_fields(event: Event, kinds: Mapping[str, Mapping[int, Fields]] = KINDS) -> None:
    """Reject an event of a kind, version or form that this version of Penchant does not know."""
    if kinds is KINDS and _has_exactly(event.content, _EXACT.get((event.kind, event.version))):
        return
    versions = kinds.get(event.kind)
    if versions is None:
        raise unreadable(event, f"its kind must be one of {', '.join(kinds)}, got another")
    if event.version not in versions:
        raise unreadable(event, f"its version must be at most {max(versions)}, got {event.version}")
    check_object(event, event.content, versions[event.version])


def _exact(fields: Fields) -> tuple[tuple[str, type], ...] | None:
    """Return names and types where each field must be there and has one type."""
    if any(isinstance(kinds, tuple) for kinds in fields.values()):
        return None
    return tuple((name, kind) for name, kind in fields.items() if isinstance(kind, type))


_EXACT = {
    (kind, version): _exact(fields)
    for kind, versions in KINDS.items()
    for version, fields in versions.items()
}


def _has_exactly(content: Any, fields: tuple[tuple[str, type], ...] | None) -> bool:
    """Return whether a content has these fields and no others: a fast answer for nearly all events of a log."""
    if fields is None or type(content) is not dict or len(content) != len(fields):
        return False
    for name, kind in fields:  # noqa: SIM110 - a generator takes twice the time
        if type(content.get(name)) is not kind:
            return False
    return True


def check_object(event: Event, content: Any, fields: Fields) -> None:
    """Reject a JSON object of an event that has other fields than these, or of another type."""
    if not isinstance(content, dict):
        raise unreadable(event, f"an object with {', '.join(fields)} must be there, got none")
    for name in content.keys() - fields.keys():
        raise unreadable(event, f"its fields must be {', '.join(fields)}, got also {name[:40]!a}")
    for name, kinds in fields.items():
        allowed = kinds if isinstance(kinds, tuple) else (kinds,)
        value = content.get(name)
        if name not in content and _OPTIONAL not in allowed:
            raise unreadable(event, f"{name} must be there, got none")
        fits = bool in allowed if isinstance(value, bool) else isinstance(value, allowed)
        if name in content and not fits:
            wanted = " or ".join(kind.__name__ for kind in allowed)
            raise unreadable(event, f"{name} must be of type {wanted}, got {type(value).__name__}")


def unreadable(event: Event, why: str) -> CannotLoad:
    """Return the error for an event that cannot be understood. It names the event and quotes nothing of it."""
    return CannotLoad(
        f"event {event.number} of the log cannot be read: {why}; it was written by a newer version or by something "
        "else, upgrade Penchant to open it"
    )
