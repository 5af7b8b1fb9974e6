"""A thread that takes over the writing of a study when the process that wrote it has ended."""

from __future__ import annotations

import logging
from threading import Event, Thread, current_thread

from penchant.errors import PenchantError
from penchant.store import table
from penchant.store.postgres.committer import PostgresCommitter
from penchant.store.postgres.session import Session

PAUSE = 0.25
"""Seconds between two looks."""

_log = logging.getLogger("penchant.store")


class Standby:
    """Tries again and again to take the lock, and gives subscribers what the process that has it appends.

    While the session holds the lock it looks whether the server has ended it. One statement a look, in a session of its
    own, is all that it costs; a server that cannot be reached is tried again at the next look.
    """

    def __init__(self, session: Session, committer: PostgresCommitter) -> None:
        self._session, self._committer = session, committer
        self._over = Event()
        self._thread = Thread(target=self._run, name="standby", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the thread has ended, unless the garbage collector calls this in the thread itself."""
        self._over.set()
        if self._thread.ident is not None and self._thread is not current_thread():
            self._thread.join()

    def _run(self) -> None:
        reachable = True
        while not self._over.wait(PAUSE):
            try:
                self.look()
                reachable = True
            except PenchantError as error:
                if reachable:  # once, not at every look
                    _log.warning("a standby waits: %s", error)
                reachable = False

    def look(self) -> None:
        """Take the lock if it is free, and deliver what others have appended."""
        session = self._session
        if session.holds():
            return
        with session.using:
            if session.acquire():
                _log.info("study %s is written by this process from here on", session.address.name)
                return
            with session.kept_or_lost():
                connection = session.connected()
                with connection.begin():
                    self._committer.deliver(connection, table.last(connection))
