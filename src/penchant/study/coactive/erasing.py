"""Erase what is somebody's, and what is old: names, contexts and users' own models."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from penchant.checks import whole
from penchant.errors import Conflict
from penchant.store import SideRows
from penchant.study.coactive.events import ERASED, FORGOTTEN, newest
from penchant.study.coactive.loop import CoactiveLoop
from penchant.study.coactive.presentations import Shown
from penchant.study.coactive.settings import checked_settings
from penchant.study.recording import check_ids

DAY = 86_400.0


class CoactiveErasing(CoactiveLoop):
    """The methods of `CoactiveStudy` that erase."""

    def forget(self, user: str, *, event_id: str | None = None) -> None:
        """Erase a user: the name, the user's own model, and the contexts that only the user's presentations cite.

        What the shared model has learned from the user stays in it. Events stay too; they say nothing about who it was.
        Feedback from before can then no longer be undone, and feedback on the user's presentations is rejected. When
        this returns, no byte of what was erased is in the file.

        Parameters
        ----------
        user : str
        event_id : str, optional
            The same one again changes nothing.
        """
        check_ids(event_id)
        with self._changing():
            self._follow()
            if event_id is not None and self._state.has_event(event_id):
                self._check_forgotten(event_id, user)
                return
            key = self._existing_key(user)
            contexts = self._only_cited_by(self._state.by_user[key])
            kept = self._models.kept(without=key)
            side = SideRows(checkpoint=kept.pack(), erased_contexts=contexts, erased_users=[key])
            id = event_id or f"x-{secrets.token_hex(8)}"
            self._erase([(id, FORGOTTEN, {"user": key}, newest(FORGOTTEN))], side)
            self._models.rebase(kept)
            self._keys.pop(self._users.pop(key))

    def _check_forgotten(self, event_id: str, user: str) -> None:
        event = self._log.get(event_id)
        if event is None or event.kind != FORGOTTEN or user in self._keys:
            raise Conflict(f"event {event_id!r} is in the log already, with another content: use a new id")

    def erase(self, before: int, *, event_id: str | None = None) -> int:
        """Erase the contexts of all presentations before the event of this number; return how many were erased.

        What was learned from them stays. Feedback on them is rejected from here on, and feedback from before this can
        no longer be undone.
        """
        whole("before", before, 1)
        check_ids(event_id)
        with self._changing():
            self._follow()
            old = [
                shown
                for shown in self._state.presentations.values()
                if shown.number < before and not shown.erased
            ]
            if not old:
                return 0
            contexts = self._only_cited_by(old)
            kept = self._models.kept()
            side = SideRows(checkpoint=kept.pack(), erased_contexts=contexts)
            id = event_id or f"x-{secrets.token_hex(8)}"
            self._erase([(id, ERASED, {"before": before}, newest(ERASED))], side)
            self._models.rebase(kept)
            return len(old)

    def _erase(self, events: list[tuple[str, str, dict[str, Any], int]], side: SideRows) -> None:
        """Write an erasure in a transaction of its own; the models are then those of its checkpoint."""
        models = self._models
        self._record(events, side)
        self._commit()
        self._frozen, self._models_now = self._state.frozen, models
        self._matrices.forget(side.erased_contexts)

    def retain(self, retention: Any = None) -> int:
        """Erase what is older than the setting ``retention`` allows; return how many presentations that were.

        It is called when the study is opened for writing. Call it once a day where the study stays open.

        Parameters
        ----------
        retention : number of days, {"days": d} or {"rounds": n}, optional
            What is kept this once; default: the setting.
        """
        checked = checked_settings({"retention": retention})["retention"]
        retention = checked or self._state.settings["retention"]
        if retention is None or not self._log.is_writer:
            return 0
        with self._changing():
            standing = [shown for shown in self._state.presentations.values() if not shown.erased]
            if "days" in retention:
                latest = self._clock() - DAY * retention["days"]
                old = [shown for shown in standing if shown.time < latest]
            else:
                old = standing[: max(0, len(standing) - int(retention["rounds"]))]
            return self.erase(max(shown.number for shown in old) + 1) if old else 0

    def _only_cited_by(self, presentations: Iterable[Shown]) -> list[str]:
        """Return the contexts that no other presentation cites."""
        counts: dict[str, int] = {}
        for shown in presentations:
            if not shown.erased:
                counts[shown.context] = counts.get(shown.context, 0) + 1
        return [hash for hash, count in counts.items() if self._state.citing.get(hash) == count]
