"""The append-only log of what happened, and the tokens of those who may use it."""

from penchant.store.inspection import Inspection, inspect
from penchant.store.log import Appended, Event, EventLog
from penchant.store.sqlite import SQLiteLog
from penchant.store.tokens import TokenRow, TokenTable

__all__ = ["Appended", "Event", "EventLog", "Inspection", "SQLiteLog", "TokenRow", "TokenTable", "inspect"]
