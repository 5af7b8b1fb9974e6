"""The loop of a coactive study: present, feedback and undo."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from penchant.checks import Ints, shown
from penchant.errors import CannotStore, Closed, Conflict, InvalidInput, Locked, UnknownItem, Unreachable
from penchant.store import Checkpoint, EventLog, SideRows
from penchant.store.table import already_used
from penchant.study.coactive.contexts import Candidates, ItemCandidates, read_context
from penchant.study.coactive.events import FEEDBACK, PRESENTED, newest
from penchant.study.coactive.features import Matrices
from penchant.study.coactive.indices import from_json, to_json
from penchant.study.coactive.interleaving import baseline_order, interleaved
from penchant.study.coactive.learning import Models
from penchant.study.coactive.presentations import LATE, Feedback, Given, Presentation, Shown, as_list
from penchant.study.coactive.state import State
from penchant.study.events import UNDONE
from penchant.study.snapshots import arithmetic, code
from penchant.study.study import Study

SNAPSHOT = "models"
MOST_CANDIDATES = 100_000
BASELINE = "baseline"


class CoactiveLoop(Study):
    """The loop of a coactive study: present, feedback, undo."""

    kind = "coactive"
    _state: State

    def __init__(self, log: EventLog, *, clock: Callable[[], float] = time.time) -> None:
        snapshot = log.snapshots.get(SNAPSHOT)
        fits = snapshot is not None and snapshot.fingerprint == _fingerprint()
        self._snapshot = snapshot if fits else None
        super().__init__(log, clock=clock)

    def _begin(self) -> State:
        self._models_now: Models | None = None
        self._last_context: tuple[tuple[int, int], list[str], Candidates] | None = None
        self._frozen = 0  # the last erasure that is in the models
        self._users: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        return State(None if self._snapshot is None else self._snapshot.number)

    @property
    def _models(self) -> Models:
        """The models, after the rounds that `_follow` has learned."""
        if self._models_now is None:
            state = self._state
            self._matrices = Matrices(state, self._log.side.context)
            models = Models(state, self._matrices)
            checkpoint = self._checkpoint() if state.frozen else None
            if checkpoint is not None:
                models.load(checkpoint.state)
            self._frozen = state.frozen
            self._read_users()
            if self._snapshot is not None and 0 <= state.watched <= state.rounds.unchanged:
                models.load(self._snapshot.state, state.watched, base=False)
            self._snapshot = None  # it is used once
            self._models_now = models
        return self._models_now

    def _checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint of the last erasure; another process may be ahead of what was folded."""
        checkpoint = self._log.side.checkpoint()
        while checkpoint is not None and checkpoint.number != self._state.frozen and not self._log.is_writer:
            self._catch_up()
            checkpoint = self._log.side.checkpoint()
        return checkpoint

    def close(self) -> None:
        """Store a snapshot of the models and close the file."""
        try:
            with self._lock:
                if self._log.is_writer and self._models_now is not None:
                    self._catch_up()  # after a failed commit: a snapshot must hold only what is on disk
                    self._follow()
                    if self._models.count:
                        state, number = self._models.pack(), self._state.number
                        self._log.snapshots.put(SNAPSHOT, number, _fingerprint(), state)
        except (CannotStore, Closed, InvalidInput, Locked, Unreachable):  # a cache: the log has everything
            pass
        self._log.close()

    # -- the loop ------------------------------------------------------------------------------------------

    def present(
        self,
        context: Any,
        *,
        user: str | None = None,
        learn: bool = True,
        interleave: Any = None,
        event_id: str | None = None,
    ) -> Presentation:
        """Return the candidates in the order that is best by what was learned, under an id for feedback.

        Parameters
        ----------
        context : sequence of ids, mapping of ids to features, matrix or table
            Ids of items of the study; or candidates with features, ``{id: {feature: value}}`` or ``{id: [numbers]}``;
            a matrix, whose rows then have the ids "0", "1", …; or a DataFrame with the ids as its index.
        user : str, optional
            Who it is for. With ``per_user`` it is ordered by the user's own model.
        learn : bool, default True
            Whether feedback on it is learned from.
        interleave : "baseline" or a sequence of ids, optional
            Another order of the candidates, with which the learned one is interleaved by team draft.
        event_id : str, optional
            The id of the presentation; the same one with the same request again returns the first presentation.

        When this returns, the presentation is on disk.
        """
        return self._write(lambda: self._present(context, user, learn, interleave, event_id), event_id)

    def _present(
        self, context: Any, user: Any, learn: bool, interleave: Any, event_id: str | None
    ) -> Presentation:
        if not isinstance(learn, bool):
            raise InvalidInput.of("learn", "be true or false", shown(learn), "give one of the two")
        self._follow()
        again = event_id is not None and self._state.has_event(event_id)
        candidates = self._read_context(context, again)
        if candidates.size > MOST_CANDIDATES:
            raise InvalidInput.of(
                "context",
                f"hold at most {MOST_CANDIDATES:,} candidates",
                candidates.size,
                "present fewer",
            )
        key, new_users = self._key_of(user)
        stored = candidates.content
        hash = self._log.side.hash(stored)
        if again and event_id is not None:
            return self._presented_before(event_id, hash, key, learn, interleave)
        content = self._chosen(candidates, hash, key, learn, interleave)
        id = event_id or f"p-{secrets.token_hex(8)}"
        side = SideRows({hash: stored}, new_users)
        self._record([(id, PRESENTED, content, newest(PRESENTED))], side)
        if key is not None and new_users:
            self._users[key], self._keys[user] = user, key
        return _presentation(self._state.presentations[id], candidates)

    def _read_context(self, context: Any, again: bool = False) -> Candidates:
        """Return the candidates; the same ids as last time are not looked up again.

        A request that comes ``again`` may name items that were retired since.
        """
        if again:
            return read_context(context, self._state, retired=True)
        last = self._last_context
        version = len(self._state.item_versions), self._state.n_moves
        if last is not None and type(context) is list and last[0] == version and last[1] == context:
            return last[2]
        candidates = read_context(context, self._state)
        if isinstance(candidates, ItemCandidates) and type(context) is list:
            self._last_context = version, list(context), candidates
        return candidates

    def _chosen(
        self, candidates: Candidates, hash: str, key: str | None, learn: bool, interleave: Any
    ) -> dict[str, Any]:
        """Return the content of the event that presents candidates."""
        model = self._models.model(key)
        X = self._matrices.of_new(hash, candidates, self._models.shared)
        order = model.present(X)
        content: dict[str, Any] = {"context": hash}
        if key is not None:
            content["user"] = key
        if not learn:
            content["learn"] = False
        if interleave is not None:
            opponent = self._opponent(interleave, candidates, X)
            settings = self._state.settings
            order, teams = interleaved(order, opponent, settings["seed"], self._state.number + 1)
            content |= {"teams": to_json(teams), "opponent": to_json(opponent)}
        content["order"] = to_json(order)
        return content

    def _opponent(self, interleave: Any, candidates: Candidates, X: Any) -> Ints:
        if isinstance(interleave, str):
            if interleave != BASELINE:
                raise InvalidInput.of(
                    "interleave", "be an order of the candidates or 'baseline'", shown(interleave), "give one"
                )
            order = self._models.rival_order(X)
            if order is not None:
                return order
            return baseline_order(self._state.settings["baseline"], X, self._models.shared)
        return _order_of("interleave", interleave, candidates)

    def _presented_before(
        self, id: str, hash: str, key: str | None, learn: bool, interleave: Any
    ) -> Presentation:
        found = self._state.presentations.get(id)
        request = (hash, key, learn, interleave is not None)
        if found is None or request != (found.context, found.user, found.learn, found.teams is not None):
            raise already_used(id)
        candidates = self._matrices.candidates(hash)
        if interleave is not None and not isinstance(interleave, str):
            opponent = _order_of("interleave", interleave, candidates)
            if found.opponent is None or found.opponent.tolist() != opponent.tolist():
                raise already_used(id)
        return _presentation(found, candidates)

    def feedback(
        self,
        presentation: Presentation | str,
        *,
        clicked: Any = None,
        order: Any = None,
        better: Any = None,
        event_id: str | None = None,
    ) -> Feedback:
        """Learn what a person made of a presentation: give just one of clicks, an order and a better item.

        Feedback may come late, in parts and more than once: clicks add up, and an order or a better item is put before
        the order as it stands. When this returns, it is on disk, and the next presentation follows from it.

        Parameters
        ----------
        presentation : Presentation or str
            What was presented, or its id.
        clicked : ids, optional
            The candidates that were clicked, in the order of the clicks; none at all says that nothing was.
        order : ids, optional
            An improved order, or its top: what it leaves out follows as it stood.
        better : id, optional
            One candidate that is better than what stood first.
        event_id : str, optional
            The id of the feedback; the same one with the same feedback again changes nothing.
        """
        id = presentation.id if isinstance(presentation, Presentation) else presentation

        def work() -> Feedback:
            self._follow()
            found = self._presented(id)
            content = self._feedback_content(found, clicked, order, better)
            chosen = event_id or f"f-{secrets.token_hex(8)}"
            if not self._state.has_event(chosen):
                self._record([(chosen, FEEDBACK, content, newest(FEEDBACK))])
            elif not self._was_given(chosen, found, content):
                raise already_used(chosen)
            return self._feedback_of(self._state.feedback[chosen])

        return self._write(work, event_id)

    def _feedback_content(self, found: Shown, clicked: Any, order: Any, better: Any) -> dict[str, Any]:
        forms = [
            name
            for name, value in (("clicked", clicked), ("order", order), ("better", better))
            if value is not None
        ]
        if len(forms) != 1:
            raise InvalidInput.of(
                "feedback", "be one of clicked, order and better", ", ".join(forms) or "none", "give just one"
            )
        (what,) = forms
        candidates = self._matrices.candidates(found.context)
        value = {"clicked": clicked, "order": order, "better": better}[what]
        ids = as_list(value)
        if what == "better" and len(ids) != 1:
            raise InvalidInput.of("better", "be one candidate", f"{len(ids)}", "give one, or an order")
        indices = _indices_of(what, ids, candidates)
        if what == "order" and len(set(indices)) < len(indices):
            raise InvalidInput.of("order", "hold each candidate once", "one twice", "remove the repeat")
        if what == "clicked":
            indices = list(dict.fromkeys(indices))
        stored: Any = indices[0] if what == "better" else to_json(indices) if what == "order" else indices
        return {"presentation": found.id, what: stored}

    def _was_given(self, id: str, found: Shown, content: Mapping[str, Any]) -> bool:
        """Return whether the event of this id is just this feedback."""
        before = self._state.feedback.get(id)
        ((what, value),) = [(name, value) for name, value in content.items() if name != "presentation"]
        same = from_json([value] if what == "better" else value)
        return (
            before is not None
            and same is not None
            and (before.shown, before.what, before.value) == (found, what, tuple(same.tolist()))
        )

    def _feedback_of(self, given: Given) -> Feedback:
        shown = given.shown
        before, after = shown.step(given, self._models.swap)
        if not (shown.learn and given.standing):  # otherwise they are settled when they are learned from
            shown.settle()
        improved = self._matrices.candidates(shown.context).named(after)
        changed, late = bool((before != after).any()), given.time - shown.time >= LATE
        learned = shown.learn and given.standing
        return Feedback(given.id, shown.id, improved, changed, learned, late)

    def undo(
        self, event_id: str | None = None, *, user: str | None = None, undo_id: str | None = None
    ) -> str:
        """Take feedback back, or an earlier undo; the study is then as if it had never come.

        Parameters
        ----------
        event_id : str, optional
            What to take back; without it, the last feedback that counts.
        user : str, optional
            Take back only feedback of this user.
        undo_id : str, optional
            The id of the undo itself; the same one again changes nothing.

        Returns
        -------
        str
            The id of the undo.
        """

        def work() -> str:
            self._follow()
            undos = self._state.undos
            if undo_id is not None and undo_id in undos:
                given = self._state.feedback_behind(undo_id)
                others = user is not None and given.shown.user != self._existing_key(user)
                if others or event_id not in (None, undos[undo_id]):
                    raise Conflict(f"undo {undo_id!r} already took back another event: use a new id")
                return undo_id
            key = None if user is None else self._existing_key(user)
            target = event_id if event_id is not None else self._last_feedback(key)
            self._check_undo(target, key)
            chosen = undo_id or f"u-{secrets.token_hex(8)}"
            self._record([(chosen, UNDONE, {"event": target}, newest(UNDONE))])
            return chosen

        return self._write(work, undo_id)

    def _last_feedback(self, key: str | None) -> str:
        for given in reversed(self._state.feedback.values()):
            if given.standing and (key is None or given.shown.user == key):
                return given.id
        raise InvalidInput("undo needs feedback that stands, got none: give feedback first")

    def _check_undo(self, target: Any, key: str | None) -> None:
        state = self._state
        if not isinstance(target, str) or (target not in state.feedback and target not in state.undos):
            raise InvalidInput.of("event", "be the id of feedback or of an undo", shown(target), "give one")
        given = state.feedback_behind(target)
        if given.number <= state.frozen:
            raise InvalidInput(
                f"event {target!r} must be newer than what was erased to be taken back, and is older: what was learned "
                "from it can no longer be separated; it stays"
            )
        if not state.stands(target):
            raise Conflict(f"event {target!r} is taken back already: undo the undo to restore it")
        if key is not None and given.shown.user != key:
            raise InvalidInput(
                f"event {target!r} must be the user's own to be taken back, got somebody else's"
            )

    # -- state ---------------------------------------------------------------------------------------------

    def has_presentation(self, id: str) -> bool:
        """Return whether something was presented under this id."""
        with self._lock:
            self._catch_up()
            return id in self._state.presentations

    def _follow(self) -> None:
        """Learn from what was folded since; the caller holds the lock, and the state is up to date."""
        if self._models_now is not None and self._frozen != self._state.frozen:
            self._models_now = None  # another process has erased something: begin at its checkpoint
        self._models.advance()

    def _current(self) -> Models:
        """Return the models after all events; the caller holds the lock."""
        self._catch_up()
        self._follow()
        return self._models

    def _read_users(self) -> None:
        self._users = self._log.side.users()
        self._keys = {name: key for key, name in self._users.items()}

    def _take_over(self) -> None:
        if self._models_now is not None:
            self._read_users()

    def _named_users(self) -> dict[str, str]:
        """Return the names of users by key; another process may have written some since."""
        if not self._log.is_writer and not self._state.by_user.keys() <= self._users.keys():
            self._read_users()
        return self._users

    def _presented(self, presentation: Any) -> Shown:
        if not isinstance(presentation, str):
            raise InvalidInput.of(
                "presentation", "be a Presentation or its id", type(presentation).__name__, "present first"
            )
        found = self._state.presentations.get(presentation)
        if found is None:
            raise UnknownItem(
                f"presentation {presentation!r} must be one of this study, got an unknown one: present first"
            )
        if found.erased:
            raise InvalidInput(
                f"presentation {presentation!r} must have its candidates, which were erased: present them again"
            )
        return found

    def _key_of(self, user: Any) -> tuple[str | None, dict[str, str]]:
        """Return the key of a user, and its row where it is to be written."""
        if user is None:
            return None, {}
        checked_user(user)
        key = self._keys.get(user)
        return (key, {}) if key is not None else (new := secrets.token_hex(8), {new: user})

    def _existing_key(self, user: Any) -> str:
        self._named_users()
        key = self._keys.get(user) if isinstance(user, str) else None
        if key is None or key not in self._state.by_user:
            raise InvalidInput.of(
                "user", "be one to whom something was presented", shown(user), "list the users"
            )
        return key


def checked_user(user: Any) -> None:
    """Reject what cannot be the name of a user."""
    if not isinstance(user, str) or not 0 < len(user) <= 200 or not user.strip():
        raise InvalidInput.of("user", "be a name of 1 to 200 characters", shown(user), "give a name")
    if not user.isprintable():
        raise InvalidInput.of("user", "be a name of printable characters", shown(user), "remove the others")


def _presentation(found: Shown, candidates: Candidates) -> Presentation:
    order, teams = found.order, found.teams
    by_place = None if teams is None else tuple(teams[order].tolist())
    return Presentation(found.id, candidates.named(order), by_place, found.learn)


def _indices_of(name: str, ids: Sequence[Any], candidates: Candidates) -> list[int]:
    try:
        return candidates.indices(ids)
    except (KeyError, TypeError):
        presented = set(candidates.ids)
        unknown = next(id for id in ids if not isinstance(id, str) or id not in presented)
        raise UnknownItem.of(
            name, "name candidates of the presentation", shown(unknown), "give ids that were presented"
        ) from None


def _order_of(name: str, ids: Any, candidates: Candidates) -> Ints:
    indices = _indices_of(name, as_list(ids), candidates)
    n, different = candidates.size, len(set(indices))
    if not n == different == len(indices):
        received = f"{different} of them" if different < n else f"{len(indices)}, some of them again"
        raise InvalidInput.of(
            name, f"hold each of the {n} candidates once", received, "give an order of them all"
        )
    return np.array(indices, dtype=np.int64)


def _fingerprint() -> str:
    return f"{code()} {arithmetic()}"
