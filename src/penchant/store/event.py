"""An event, as the log stores and returns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

Content = dict[str, Any]


class Event(NamedTuple):
    """An event, as the log stores it.

    Attributes
    ----------
    number : int
        Its place in the log: 1, 2, 3, … without gaps.
    id : str
        Given by the caller; no two events of a log share one.
    kind : str
        The kind of event. The log attaches no meaning to it.
    time : float
        Seconds since 1970 in UTC, as the log's clock stood when the event was written. Clocks go back at
        times: the order of events is that of their numbers.
    content : dict
        A JSON object. It is the reader's own copy: changing it changes nothing in the log.
    version : int
        The version of the kind: which fields the content has. The log attaches no meaning to it.

    Examples
    --------
    >>> event = Event(1, "e1", "answer", 0.0, {"choice": "left"})
    >>> event.id, event.content["choice"]
    ('e1', 'left')
    """

    number: int
    id: str
    kind: str
    time: float
    content: Content
    version: int = 1


@dataclass(frozen=True)
class Appended:
    """The result of an append: the stored event, and whether it is new.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> from penchant.store import create_log
    >>> with create_log(place) as events:
    ...     first = events.append("e1", "answer", {"choice": "left"})
    ...     again = events.append("e1", "answer", {"choice": "left"})
    >>> first.new, again.new
    (True, False)
    """

    event: Event
    new: bool
