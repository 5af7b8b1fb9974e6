"""Step five: what happened, kept. Events in; the same events, in order, for ever, out."""

from penchant.store.log import Appended, Event, EventLog
from penchant.store.sqlite import SQLiteLog

__all__ = ["Appended", "Event", "EventLog", "SQLiteLog"]
