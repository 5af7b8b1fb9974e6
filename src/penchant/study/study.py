"""A study: a file in which everything that happens is an event, and whose state is the fold of those events.

It can be closed, or be ended by a crash, at any moment, and be opened again. There are two kinds: `CompareStudy` asks
which of two items is better, and `CoactiveStudy` presents an order and learns from clicks and corrections.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from penchant.errors import InvalidInput, WrongKind
from penchant.formats.parsing.source import Limits, Source
from penchant.progress import part
from penchant.store import (
    Event,
    EventLog,
    Inspection,
    PostgresAddress,
    SideRows,
    create_log,
    inspect,
    open_log,
)
from penchant.store.copying import back_up, restore
from penchant.study.events import RETIRED, RETURNED
from penchant.study.exporting import Exported, checked_events, read_exported
from penchant.study.item_files import usable_items
from penchant.study.items import Item, item_of
from penchant.study.recording import Recording
from penchant.study.repeating import is_same_list
from penchant.study.tokens import Tokens

KINDS = {
    "compare": "penchant.study.compare:CompareStudy",
    "coactive": "penchant.study.coactive.study:CoactiveStudy",
}
"""For each kind of study its class, imported when it is needed."""
_LOOPS = {"compare": "ask and tell", "coactive": "present and feedback"}


class Study(Recording):
    """A study in a file: its items, its settings, and the log of what happened.

    Make one with `Study.create`, or open an existing one with `Study.open`: both return the study of the right kind.
    Close it, or use it in a ``with`` statement. One process writes to a study at a time; its threads may share it.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
    >>> Study.create(place, ["tea", "coffee", "water"], seed=1).close()
    >>> with Study.open(place) as study:
    ...     type(study).__name__, study.progress()
    ('CompareStudy', '0 answers; 3 of 3 items not seen yet')
    """

    kind: ClassVar[str]
    """The kind of the study, as the log names it."""

    def __init__(self, log: EventLog, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(log, clock=clock)
        self.tokens = Tokens(log.tokens, clock)
        """Who may use the study over HTTP: see `Tokens`."""

    @classmethod
    def create(
        cls,
        path: str | Path | PostgresAddress,
        items: Iterable[object] = (),
        *,
        kind: str = "compare",
        **settings: Any,
    ) -> Any:
        """Make a new study; its settings are those of `CompareStudy.create` or `CoactiveStudy.create`.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The file, which must not exist yet, or the address of a new study in a PostgreSQL database,
            ``postgresql://USER@HOST/DATABASE?study=NAME``.
        items : iterable
            Texts, `Item`s, or mappings with title (or name, or item) and perhaps id, text, picture, links and others.
        kind : {"compare", "coactive"}
            What people do: "compare" asks them which of two items is better, "coactive" presents an order and learns
            from their clicks and corrections.
        """
        if kind not in KINDS:
            kinds = " or ".join(map(repr, KINDS))
            raise InvalidInput(f"kind must be {kinds}, got {kind!r}: choose one of these")
        return _class_of(kind).create(path, items, **settings)

    @classmethod
    def open(
        cls,
        path: str | Path | PostgresAddress,
        *,
        write: bool = True,
        standby: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open an existing study.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            Its file, or its address in a PostgreSQL database, ``postgresql://USER@HOST/DATABASE?study=NAME``.
        write : bool, default True
            Whether to change it: one process at a time does. False: only to read, also while another process writes.
        standby : bool, default False
            In a database: to read while another process writes, and to write as soon as that one has ended. Until
            then, what would change the study raises `Locked`.
        """
        return cls._of(open_log(path, write=write, standby=standby, clock=clock), clock)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from penchant.plots.notebook import study_view

        return study_view(self)

    @staticmethod
    def kind_of(path: str | Path | PostgresAddress) -> str:
        """Return the kind of a study, "compare" or "coactive", without opening all of it."""
        with open_log(path, write=False) as log:
            return _kind_of(log)

    @classmethod
    def _of(cls, log: EventLog, clock: Callable[[], float]) -> Self:
        """Return the study of a log, which is closed where that fails."""
        try:
            kind = _kind_of(log)
            found = _class_of(kind)
            if not issubclass(found, cls):
                remedy = f"open it with Study.open, and use {_LOOPS[kind]}"
                raise WrongKind.of(log.place, f"be a study of the kind {cls.kind}", kind, remedy)
            return found(log, clock=clock)
        except BaseException:
            log.close()
            raise

    @classmethod
    def from_events(
        cls,
        path: str | Path | PostgresAddress,
        events: str | Path | Iterable[Event],
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a study in a new file from the events of another one; both rank the same.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The file, which must not exist yet, or the address of a new study in a PostgreSQL database.
        events : str, Path or iterable of Event
            A file that `export` wrote, or the events themselves, in order. Each is checked before the file is made.
        limits : Limits, optional
            The most that the file may hold.
        """
        if cls is Study:
            events = events if isinstance(events, str | Path) else list(events)
            found = _class_of(_exported_kind(events, limits))
            return cast("Self", found.from_events(path, events, limits=limits, clock=clock))
        if isinstance(events, str | Path):
            with part(0, 2):
                listed, salt, pictures = read_exported(events, limits=limits)
        else:
            listed, salt, pictures = Exported(checked_events(events))
        log = create_log(path, listed, SideRows(pictures), salt=salt, clock=clock)
        with part(1, 2):
            return cls._of(log, clock)

    def backup(self, path: str | Path | PostgresAddress, *, replace: bool = False) -> None:
        """Copy the study to another file or database while it is used; links to the study work with the copy too.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The copy, which appears whole or not at all.
        replace : bool, default False
            Whether an existing file may be replaced.
        """
        back_up(self._log, path, replace=replace)

    @staticmethod
    def restore(
        backup: str | Path | PostgresAddress, path: str | Path | PostgresAddress, *, replace: bool = False
    ) -> None:
        """Make a study from a backup, after reading every event of the backup.

        Parameters
        ----------
        backup : str, Path or PostgresAddress
            A copy made by `backup`.
        path : str, Path or PostgresAddress
            Where the study is to be.
        replace : bool, default False
            Whether an existing study may be replaced; it is kept beside the new one as ``PATH.replaced``, in a database
            as the study ``NAME_replaced``.
        """
        with Study.open(backup, write=False):
            restore(backup, path, replace=replace)

    @staticmethod
    def inspect(path: str | Path | PostgresAddress) -> Inspection:
        """Report what can be read of a study, even if it is damaged and cannot be opened."""
        return inspect(path)

    def problem(self) -> str | None:
        """Return why nothing can be written now (the disk is full, say), or None where it can."""
        return self._log.problem()

    @property
    def is_standby(self) -> bool:
        """Whether the study is open to be written, and another process is writing it now."""
        return self._log.is_standby

    @property
    def title(self) -> str:
        """What people see above the study."""
        return str(self._state.settings["title"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the study, as the log stores them."""
        with self._lock:
            self._catch_up()
            return dict(self._state.settings)

    @property
    def items(self) -> dict[str, Item]:
        """The items by id, retired ones included, in the order in which they were given."""
        return self._state.items

    @property
    def retired(self) -> tuple[str, ...]:
        """The ids of the items that are not used."""
        return tuple(self._state.retired)

    @abstractmethod
    def add_items(self, items: Iterable[object], *, event_id: str | None = None) -> tuple[Item, ...]:
        """Add items."""

    def retire(self, *ids: str, event_id: str | None = None) -> None:
        """Take items out of what is asked, ranked and presented; answers and feedback about them still count.

        Parameters
        ----------
        *ids : str
        event_id : str, optional
            The id of the event; the same one with the same items again changes nothing.
        """
        with self._changing():
            named = self._named(ids)
            if is_same_list(event_id, self._recorded(event_id, RETIRED), named):
                return
            leaving = [id for id in named if id not in self._state.retired]
            if leaving:
                self._check_leaving(leaving)
                self._append(RETIRED, {"items": leaving}, event_id)

    def bring_back(self, *ids: str, event_id: str | None = None) -> None:
        """Ask about retired items, rank them and present them again.

        Parameters
        ----------
        *ids, event_id
            As in `retire`.
        """
        with self._changing():
            named = self._named(ids)
            if is_same_list(event_id, self._recorded(event_id, RETURNED), named):
                return
            coming = [id for id in named if id in self._state.retired]
            if coming:
                self._append(RETURNED, {"items": coming}, event_id)

    def _named(self, ids: Iterable[str]) -> dict[str, None]:
        """Return ids of items of the study, each once and in their order, or reject one that is none."""
        return dict.fromkeys(item_of(self._state.items, id).id for id in ids)

    def _check_leaving(self, ids: Sequence[str]) -> None:
        """Reject items that must not be retired."""

    def import_items(
        self, path: str | Path, *, event_id: str | None = None, limits: Limits | None = None
    ) -> tuple[Item, ...]:
        """Add the items of a file, which `read_items` describes: all of them or, where a row is wrong, none.

        The error names every row that is wrong by the number of its line.
        """
        existing = () if event_id is not None and self.has_event(event_id) else self.items
        pictures = self.kind == "compare"  # the others keep the column as text
        items = usable_items(path, existing, limits=limits, pictures=pictures)
        return self.add_items(items, event_id=event_id)

    @abstractmethod
    def progress(self) -> str:
        """Return a sentence about what happened so far."""


def _kind_of(log: EventLog) -> str:
    """Return the kind of the study of a log; "compare" where its first event does not name one known here."""
    first = next(iter(log.events()), None)
    kind = None if first is None else first.content.get("kind")
    return kind if isinstance(kind, str) and kind in KINDS else "compare"


def _exported_kind(events: str | Path | list[Event], limits: Limits | None) -> str:
    """Return the kind of an exported study: what stands beside its events comes first in that of a coactive one."""
    if isinstance(events, str | Path):
        with Source.of(events, limits).open_text(newline="\n") as file:
            return "coactive" if file.readline().startswith('{"side":') else "compare"
    kind = events[0].content.get("kind") if events and isinstance(events[0].content, dict) else None
    return kind if isinstance(kind, str) and kind in KINDS else "compare"


def _class_of(kind: str) -> type[Study]:
    module, name = KINDS[kind].split(":")
    found: type[Study] = getattr(import_module(module), name)
    return found
