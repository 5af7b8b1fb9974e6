"""A study that another process serves, over HTTP: `Client`, and `AsyncClient`, which is awaited.

Both send what `calls` builds as often as `attempts` says, and return or raise what `replies` makes of the replies.
"""

try:
    import httpx  # noqa: F401 - what the next imports need, with a message of its own
except ImportError:
    raise ModuleNotFoundError(
        "the client needs httpx, which is not installed: pip install 'penchant[client]'", name="httpx"
    ) from None

from penchant.client.asynchronous import AsyncClient
from penchant.client.reports import ItemReport, Predictions, Race
from penchant.client.results import (
    About,
    Answer,
    Change,
    Event,
    Feedback,
    Item,
    Presentation,
    Question,
    Turn,
    Undo,
    Why,
)
from penchant.client.synchronous import Client
from penchant.study_reports import Activity, Certainty, Check, Checks, Entry, Opponent, Upcoming

__all__ = [
    "About",
    "Activity",
    "Answer",
    "AsyncClient",
    "Certainty",
    "Change",
    "Check",
    "Checks",
    "Client",
    "Entry",
    "Event",
    "Feedback",
    "Item",
    "ItemReport",
    "Opponent",
    "Predictions",
    "Presentation",
    "Question",
    "Race",
    "Turn",
    "Undo",
    "Upcoming",
    "Why",
]
