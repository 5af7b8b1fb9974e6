"""A coactive study as files: all of it as JSONL, and its rounds as a log that other programs learn from, and back."""

from __future__ import annotations

import json
import secrets
import time
import warnings
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from penchant.checks import one_of
from penchant.coactive.encoding import entries
from penchant.coactive.replaying import Presented
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.source import Limits, Source, replaced_text
from penchant.store import Event, PostgresAddress, SideRows, create_log
from penchant.store.side import context_hash
from penchant.study.coactive.contexts import NamedCandidates, decoded
from penchant.study.coactive.events import FEEDBACK, PRESENTED, newest
from penchant.study.coactive.features import Matrices
from penchant.study.coactive.indices import to_json
from penchant.study.coactive.learning import Models
from penchant.study.coactive.loop import CoactiveLoop, checked_user
from penchant.study.coactive.presentations import Given
from penchant.study.coactive.state import State
from penchant.study.exporting import check_jsonl, event_line, event_of, named

EXPORTS = ("events", "presentations")
_AT_ONCE = 500
"""Rounds that are imported in one batch."""


class CoactiveExchange(CoactiveLoop):
    """The methods of `CoactiveStudy` that write it to files and make it from files."""

    @classmethod
    def from_events(
        cls,
        path: str | Path | PostgresAddress,
        events: str | Path | Iterable[Event],
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a study in a new file from what `export` wrote; both have the same weights.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The file, which must not exist yet, or the address of a new study in a PostgreSQL database.
        events : str, Path or iterable of Event
            A file that `export` wrote; or events alone, which cite no contexts.
        limits : Limits, optional
            The most that the file may hold.
        """
        exported = _ExportReader()
        if isinstance(events, str | Path):
            exported.read(events, limits)
        else:
            for event in events:
                exported.add_event(event)
        side, salt = exported.side()
        log = create_log(path, exported.events.values(), side, salt=salt, clock=clock)
        return cls._of(log, clock)

    def export(self, path: str | Path, what: str = "events") -> None:
        """Write the study, or the rounds that it learned from, to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Ends with ``.jsonl``; gzipped if ``.gz`` follows.
        what : {"events", "presentations"}
            "events" is all that the study is, users' names and contexts included: `from_events` makes an equal one of
            it. "presentations" is a log that `penchant learn` reads, one line for each feedback that counts, with the
            name of the user: a new learner with the settings of the study then has the same weights, unless contexts
            were erased.
        """
        one_of("what", what, EXPORTS)
        place = Path(path)
        check_jsonl(place)
        with self._lock:
            self._current()
            lines = self._event_lines() if what == "events" else self._round_lines()
            with replaced_text(place) as file:
                file.writelines(lines)

    def _event_lines(self) -> Iterator[str]:
        side = self._log.side
        yield _line({"side": "salt", "value": side.salt.hex()})
        for key, name in side.users().items():
            yield _line({"side": "user", "key": key, "name": name})
        for hash in self._state.citing:
            content = side.context(hash)
            if content is not None:
                yield _line({"side": "context", "hash": hash, "content": b64encode(content).decode()})
        checkpoint = side.checkpoint()
        if checkpoint is not None:
            state = b64encode(checkpoint.state).decode()
            yield _line({"side": "checkpoint", "number": checkpoint.number, "state": state})
        yield from map(event_line, self._log.events())

    def _round_lines(self) -> Iterator[str]:
        n_erased = 0
        for given in self._state.feedback.values():
            if given.standing and given.shown.learn:
                if given.shown.erased:
                    n_erased += 1
                else:
                    yield self._round_line(given)
        if n_erased:
            warnings.warn(
                f"{n_erased} rounds are left out, whose contexts were erased: the log does not give all that was "
                "learned",
                PenchantWarning,
                stacklevel=2,
            )

    def _round_line(self, given: Given) -> str:
        shown = given.shown
        ids = self._matrices.candidates(shown.context).ids
        rows = self._matrices.named_values(shown)
        before, after = shown.step(given, self._models.swap)
        candidates = [{"id": id, "features": row} for id, row in zip(ids, rows, strict=True)]
        user = None if shown.user is None else self._named_users().get(shown.user)
        line: dict[str, Any] = {"id": shown.id} | ({} if user is None else {"user": user})
        line |= {"candidates": candidates, "presented": _named(ids, before)}
        first = next(each for each in shown.given if each.standing)
        if given is first and given.what == "clicked":
            line["clicked"] = [ids[index] for index in given.value]
        else:
            line["improved"] = _named(ids, after)
        return _line(line)

    def import_presentations(self, log: Iterable[Presented], *, user: str | None = None) -> int:
        """Add the rounds of a log that another system wrote, and learn from them; return how many there were.

        Parameters
        ----------
        log : iterable of presentations
            For instance from `penchant.formats.read_presentations`. Each is checked before it is written; they are
            written some hundred at a time, each hundred whole or not at all.
        user : str, optional
            Whose they are; default: of each the user that it names, if any.
        """
        total = 0
        batch: list[Presented] = []
        for presentation in log:
            batch.append(presentation)
            if len(batch) == _AT_ONCE:
                total += self._import(batch, user)
                batch = []
        return total + (self._import(batch, user) if batch else 0)

    def _import(self, batch: list[Presented], user: str | None) -> int:
        with self._changing():
            self._follow()
            keys: dict[str, str] = {}  # of users who are new
            contexts: dict[str, bytes] = {}
            events: list[tuple[str, str, dict[str, Any], int]] = []
            name = secrets.token_hex(8)
            for number, presentation in enumerate(batch):
                with named(f"presentation {presentation.id!r}"):
                    candidates = self._candidates(presentation)
                hash = self._log.side.hash(candidates.content)
                contexts[hash] = candidates.content
                place = {id: index for index, id in enumerate(candidates.ids)}
                order = [place[id] for id in presentation.presented]
                content: dict[str, Any] = {"context": hash, "order": to_json(order)}
                name_of_user = user or getattr(presentation, "user", None)
                key, row = (keys[name_of_user], {}) if name_of_user in keys else self._key_of(name_of_user)
                keys |= {name: key for key, name in row.items()}
                if key is not None:
                    content["user"] = key
                answer = list(dict.fromkeys(place[id] for id in presentation.answer))
                given = {"clicked": answer} if presentation.by_clicks else {"order": to_json(answer)}
                shown = f"p-{name}-{number}"
                events.append((shown, PRESENTED, content, newest(PRESENTED)))
                feedback = {"presentation": shown, **given}
                events.append((f"f-{name}-{number}", FEEDBACK, feedback, newest(FEEDBACK)))
            users = {key: name for name, key in keys.items()}
            self._record(events, SideRows(contexts, users))
            self._commit()
            self._users |= users
            self._keys |= keys
            self._follow()
        return len(batch)

    def _candidates(self, presentation: Presented) -> NamedCandidates:
        """Return the candidates of a line, or reject one that this study cannot learn from."""
        ids = list(presentation.items)
        unknown = [id for id in (*presentation.presented, *presentation.answer) if id not in set(ids)]
        if unknown or len(set(presentation.presented)) != len(ids):
            raise InvalidInput("presented must hold each candidate once: repair the line")
        candidates = NamedCandidates.of(ids, entries(presentation.features, ids))
        if not self._models.shared.additive:
            self._models.shared.matrix(candidates.features(), ids)
        return candidates


class _ExportReader:
    """The lines of an exported study, checked one by one."""

    def __init__(self) -> None:
        self.events: dict[str, Event] = {}
        self._state = State()
        self._salt: bytes | None = None
        self._users: dict[str, str] = {}
        self._contexts: dict[str, bytes] = {}
        self._checkpoint: tuple[int, bytes] | None = None

    def read(self, path: str | Path, limits: Limits | None) -> None:
        source = Source.of(path, limits)
        decoder = JsonDecoder(source.limits)
        with source.open_text(newline="\n") as file:
            for line, text in enumerate(file, 1):
                if text.strip():
                    with named(f"{path}:{line}"):
                        self._add(decoder.decode(text))

    def _add(self, value: Any) -> None:
        if not isinstance(value, dict) or "side" not in value:
            self.add_event(event_of(value))
            return
        try:
            if value["side"] == "salt":
                self._salt = bytes.fromhex(value["value"])
            elif value["side"] == "user":
                self._users[str(value["key"])] = str(value["name"])
            elif value["side"] == "context":
                self._contexts[str(value["hash"])] = b64decode(value["content"], validate=True)
            elif value["side"] != "checkpoint":
                raise ValueError
            else:
                self._checkpoint = int(value["number"]), b64decode(value["state"], validate=True)
        except (KeyError, TypeError, ValueError, Error):
            raise InvalidInput(
                "what stands beside the events must be as it was exported: export the study anew"
            ) from None

    def add_event(self, event: Event) -> None:
        if event.id in self.events:
            raise InvalidInput("ids of events must be different, got one again: export the study anew")
        self._state.apply(event)
        self.events[event.id] = event

    def side(self) -> tuple[SideRows, bytes | None]:
        """Return what stands beside the events, all of which is cited, and the salt."""
        self._state.check_whole()
        self._check_users()
        missing = [hash for hash in self._state.citing if hash not in self._contexts]
        if missing:
            raise InvalidInput(
                f"events must come with the contexts that they cite, got {len(missing)} without: export the study anew"
            )
        self._check_contexts()
        checkpoint = self._checkpoint
        if (checkpoint is None) != (not self._state.frozen) or (
            checkpoint is not None and checkpoint[0] != self._state.frozen
        ):
            raise InvalidInput(
                "events that erased something must come with their checkpoint: export the study anew"
            )
        if checkpoint is not None:
            matrices = Matrices(self._state, self._contexts.get)
            Models(self._state, matrices).load(checkpoint[1])
        number, state = checkpoint or (None, None)
        return SideRows(self._contexts, self._users, state, number=number), self._salt

    def _check_users(self) -> None:
        """Reject names that no event cites, which could never be forgotten, and those that no user can have."""
        for key, name in self._users.items():
            checked_user(name)
            if key not in self._state.by_user:
                raise InvalidInput(
                    "names of users must be cited by events, got others: export the study anew"
                )
        if len(set(self._users.values())) < len(self._users):
            raise InvalidInput("users must have different names, got one twice: export the study anew")

    def _check_contexts(self) -> None:
        """Reject contexts that no event cites, which could never be erased, and those that were not presented."""
        if self._contexts.keys() != self._state.citing.keys():
            raise InvalidInput("contexts must be cited by events, got others: export the study anew")
        sizes: dict[str, int] = {}
        for hash, content in self._contexts.items():
            if self._salt is None or context_hash(self._salt, content) != hash:
                raise InvalidInput("contexts must match their hashes, and do not: export the study anew")
            sizes[hash] = decoded(content, self._state).size
        for shown in self._state.presentations.values():
            if not shown.erased and shown.size != sizes[shown.context]:
                raise InvalidInput(
                    "presentations must order all candidates of their contexts, and do not: export the study anew"
                )


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _named(ids: Any, order: np.ndarray[Any, Any]) -> list[str]:
    return [ids[index] for index in order.tolist()]
