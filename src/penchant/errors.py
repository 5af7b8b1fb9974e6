"""The exceptions that Penchant raises.

A message names what was wrong, its limit, what was received and what to do:
``weight of row 14 must be above 0, got -1: remove the row or give a positive weight``. `PenchantError.of` keeps
the four apart, so that each interface can name an argument in its own words: ``level``, ``--level``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self


class Argument(NamedTuple):
    """An argument that a text recommends, with the value it should get: ``header=False``.

    ``part_of`` names the argument that holds this one as a field: ``limits=Limits(bytes=2000)``.
    """

    name: str
    value: object = ""
    part_of: str = ""

    def __str__(self) -> str:
        given = f"{self.name}={self.value!r}" if self.value != "" else f"{self.name}="
        return f"{self.part_of}={self.part_of.capitalize()}({given})" if self.part_of else given


class Text(str):
    """A text that names arguments as Python calls them; `worded` names them as another interface does.

    Examples
    --------
    >>> print(Text("name it with ", Argument("better"), " or give ", Argument("header", False)))
    name it with better= or give header=False
    """

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Self:
        """Join ``parts``, of which each may be a `Text` itself."""
        text = super().__new__(cls, "".join(map(str, parts)))
        text.parts = tuple(
            inner for part in parts for inner in (part.parts if isinstance(part, Text) else [part])
        )
        return text

    def __reduce__(self) -> tuple[type[Self], tuple[str | Argument, ...]]:
        return type(self), self.parts


def worded(text: str, word: Callable[[Argument], str]) -> str:
    """Return ``text`` with every argument that it names as ``word`` words it.

    Examples
    --------
    >>> text = Text("name it with ", Argument("better"), " or give ", Argument("header", False))
    >>> worded(text, lambda argument: f"--{argument.name}")
    'name it with --better or give --header'
    """
    parts = text.parts if isinstance(text, Text) else (text,)
    return "".join(word(part) if isinstance(part, Argument) else part for part in parts)


class PenchantError(Exception):
    """Any error that Penchant itself raises.

    Attributes
    ----------
    argument : str
        What is wrong: the name of an argument where it is one. Empty, as are the next three, in an error that was
        made from a message and not by `of`.
    limit : str
        What it must be or do, as the words after "must".
    received : str
    remedy : str
        What to do; a `Text` where it names arguments.
    """

    argument: str = ""
    limit: str = ""
    received: str = ""
    remedy: str = ""

    @classmethod
    def of(cls, argument: str, limit: str, received: object, remedy: str) -> Self:
        """Return the error "ARGUMENT must LIMIT, got RECEIVED: REMEDY", its parts kept apart.

        Examples
        --------
        >>> error = InvalidInput.of("level", "be a number between 0 and 1", 2, "0.95 is usual")
        >>> print(error)
        level must be a number between 0 and 1, got 2: 0.95 is usual
        >>> error.argument, error.received
        ('level', '2')
        """
        error = cls(f"{argument} must {limit}, got {received}: {remedy}")
        error.argument, error.limit, error.received, error.remedy = argument, limit, str(received), remedy
        return error

    def worded(self, word: Callable[[Argument], str]) -> str:
        """Return the message with the arguments that it names as ``word`` words them."""
        if not self.argument:
            return worded(self.args[0] if self.args else "", word)
        subject = word(Argument(self.argument)).removesuffix("=")
        return f"{subject} must {self.limit}, got {self.received}: {worded(self.remedy, word)}"


class InvalidInput(PenchantError, ValueError):
    """An input that cannot be used as it is."""


class UnknownItem(InvalidInput, LookupError):
    """An id or index of no item."""


class NotFitted(PenchantError, ValueError, AttributeError):
    """A model was used before it was fitted."""


class CannotSave(PenchantError, TypeError):
    """A value that no file format holds safely."""


class CannotLoad(PenchantError, ValueError):
    """A file that is damaged, newer than this version, or not trusted."""


class Damaged(CannotLoad):
    """A file that does not hold what was written to it."""


class Conflict(InvalidInput):
    """An event's id belongs to another event, or a question was answered already.

    Attributes
    ----------
    next : Question or None
        From a server, where a question was answered already: what it asks instead.
    """

    next: Any = None


class WrongKind(InvalidInput):
    """A study of another kind than the one that was needed; ``argument`` is its file, ``received`` its kind."""


class Locked(PenchantError):
    """Another process is writing."""


class Closed(PenchantError):
    """A log was used after it was closed, or in a process that did not open it."""


class CannotStore(PenchantError):
    """An event could not be written; it may or may not be on disk.

    Attributes
    ----------
    event_id : str
        From a client: the id under which it was sent. The same call with this id again counts once.
    """

    event_id: str = ""


class NoSpace(CannotStore):
    """The disk is full."""


class NotAllowed(PenchantError, PermissionError):
    """A token that is missing, does not work, or is not allowed to do what was asked of the server."""


class Unreachable(PenchantError, ConnectionError):
    """A server that did not reply, or was too busy to, as often as it was asked.

    Attributes
    ----------
    event_id : str
        The id under which a write was sent, which may or may not have arrived. The same call with this id again counts
        once.
    """

    event_id: str = ""


class ServerFailed(PenchantError):
    """A server that replied, but with a failure of its own or with something that is no reply of Penchant's."""


class PenchantWarning(UserWarning):
    """A result that stands, with a reservation."""
