"""The append-only event log of a study, and the tokens that give access to it."""

from penchant.store.event import Appended, Event
from penchant.store.inspection import Inspection
from penchant.store.log import Closing, EventLog
from penchant.store.places import Place, create_log, exists, inspect, located, open_log
from penchant.store.postgres.address import PostgresAddress
from penchant.store.side import Checkpoint, SideRows, SideTables
from penchant.store.snapshots import Snapshot, SnapshotTable
from penchant.store.sqlite.log import SQLiteLog
from penchant.store.tokens import TokenRow, TokenTable

__all__ = [
    "Appended",
    "Checkpoint",
    "Closing",
    "Event",
    "EventLog",
    "Inspection",
    "Place",
    "PostgresAddress",
    "SQLiteLog",
    "SideRows",
    "SideTables",
    "Snapshot",
    "SnapshotTable",
    "TokenRow",
    "TokenTable",
    "create_log",
    "exists",
    "inspect",
    "located",
    "open_log",
]
