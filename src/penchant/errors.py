"""The few ways in which Penchant says no.

A message says what was wrong, what the limit is, what came, and what to do:
``weight of row 14 must be above 0, got -1: remove the row or give a positive weight``.
"""


class PenchantError(Exception):
    """Anything that Penchant itself refuses."""


class InvalidInput(PenchantError, ValueError):
    """What came in cannot be used as it is."""


class UnknownItem(InvalidInput, LookupError):
    """An id or index names no item."""


class NotFitted(PenchantError, ValueError, AttributeError):
    """A model was asked before it was taught."""


class CannotSave(PenchantError, TypeError):
    """A value has no safe form in a file."""


class CannotLoad(PenchantError, ValueError):
    """A file is damaged, newer than this version, or not to be trusted."""


class Damaged(CannotLoad):
    """A file does not hold what was written to it."""


class Conflict(InvalidInput):
    """An event's id is taken by another event."""


class Locked(PenchantError):
    """Somebody else is writing."""


class Closed(PenchantError):
    """A log was used after it was closed, or in a process that did not open it."""


class CannotStore(PenchantError):
    """An event could not be written; it may or may not have been kept."""


class NoSpace(CannotStore):
    """The disk is full."""


class PenchantWarning(UserWarning):
    """An answer stands, but not without a word about it."""
