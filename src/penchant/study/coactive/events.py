"""The kinds of events of a coactive study: their versions, and which fields each has."""

from __future__ import annotations

from penchant.store import Event
from penchant.study import events as shared
from penchant.study.events import Fields

PRESENTED, FEEDBACK, FORGOTTEN, ERASED = "presented", "feedback", "forgotten", "erased"
_ABSENT = type(None)

_PRESENTED: Fields = {
    "context": str,
    "order": (list, str),
    "user": (str, _ABSENT),
    "learn": (bool, _ABSENT),
    "teams": (list, str, _ABSENT),
    "opponent": (list, str, _ABSENT),
}
_FEEDBACK: Fields = {
    "presentation": str,
    "clicked": (list, _ABSENT),
    "order": (list, str, _ABSENT),
    "better": (int, _ABSENT),
}

KINDS: dict[str, dict[int, Fields]] = {
    shared.CREATED: {3: shared.KINDS[shared.CREATED][3]},
    **{
        kind: shared.KINDS[kind]
        for kind in (
            shared.CHANGED,
            shared.ITEMS,
            shared.EDITED,
            shared.RETIRED,
            shared.RETURNED,
            shared.UNDONE,
        )
    },
    PRESENTED: {1: _PRESENTED, 2: _PRESENTED},
    FEEDBACK: {1: _FEEDBACK, 2: _FEEDBACK},
    FORGOTTEN: {1: {"user": str}},
    ERASED: {1: {"before": int}},
}
"""By kind and version, the fields of an event. Those of both kinds of studies are in `penchant.study.events`.

presented
    ``context`` is the hash of the candidates, which stand outside the log; ``order`` their indices as they were shown,
    best first: a list, or where it is long a text as in `penchant.study.coactive.indices`, which in version 1 has 16 or
    32 bits each. ``user`` is a key, absent where there is none; ``learn`` is false where feedback on it is not learned
    from, and otherwise absent. Where two orders were interleaved, ``teams`` names for each candidate the order that
    added it (0: the learned one) and ``opponent`` is the other order.
feedback
    On a presentation: one of ``clicked`` (indices in the order of the clicks), ``order`` (indices of the candidates
    that a person put first) and ``better`` (the index of one).
undone
    Takes back feedback, or an earlier undo.
forgotten, erased
    The user's data, or the contexts of the presentations before the event of number ``before``, are gone; the
    checkpoint of this event holds what was learned from all feedback up to here.
"""


def newest(kind: str) -> int:
    """Return the version in which events of a kind are written."""
    return max(KINDS[kind])


def check_fields(event: Event) -> None:
    """Reject an event of a kind, version or form that this version of Penchant does not know."""
    if not _is_usual(event):
        shared.check_fields(event, KINDS)


_USUAL: dict[tuple[str, int], dict[str, tuple[type, ...]]] = {
    (PRESENTED, 2): {"context": (str,), "order": (list, str)},
    (FEEDBACK, 2): {"presentation": (str,), "clicked": (list,)},
}


def _is_usual(event: Event) -> bool:
    """Return whether an event has just the fields that nearly all have: a fast answer."""
    fields, content = _USUAL.get((event.kind, event.version)), event.content
    if fields is None or type(content) is not dict or len(content) != len(fields):
        return False
    for name, kinds in fields.items():  # noqa: SIM110 - a generator takes twice the time
        if type(content.get(name)) not in kinds:
            return False
    return True
