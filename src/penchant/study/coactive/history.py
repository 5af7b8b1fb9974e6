"""The log of a coactive study in words: what was presented, what came back, and whether it still counts."""

from __future__ import annotations

from collections.abc import Mapping

from penchant.counts import counted
from penchant.store import Event
from penchant.study.coactive.events import ERASED, FEEDBACK, FORGOTTEN, PRESENTED
from penchant.study.coactive.presentations import Given
from penchant.study.coactive.state import State
from penchant.study.events import UNDONE
from penchant.study.history import Described, shared_words


def described_presentation(state: State, names: Mapping[str, str], event: Event) -> Described:
    """Return who, what and whether it counts of an event of a coactive study.

    Parameters
    ----------
    state : State
        After the event.
    names : mapping
        The names of users by key; of those who were forgotten there is none.
    event : Event
    """
    if event.kind == PRESENTED:
        shown = state.presentations[event.id]
        interleaved = "" if shown.teams is None else ", interleaved with another order"
        return _user(names, shown.user), f"{counted(shown.size, 'candidate')} presented{interleaved}", None
    if event.kind == FEEDBACK:
        given = state.feedback[event.id]
        return _user(names, given.shown.user), _given_words(given), given.standing
    if event.kind == UNDONE:
        given = state.feedback_behind(event.id)
        done = "restored" if state.undos.restores(event.id) else "taken back"
        words = f"{done}: {_given_words(given)}"
        return _user(names, given.shown.user), words, state.stands(event.id)
    if event.kind == FORGOTTEN:
        return "", "a user was forgotten", None
    if event.kind == ERASED:
        return "", "old contexts were erased", None
    return "", shared_words(state.items, event), None


def _user(names: Mapping[str, str], key: str | None) -> str:
    return "" if key is None else names.get(key, "")


def _given_words(given: Given) -> str:
    if given.what == "clicked":
        return f"{counted(len(given.value), 'click')}" if given.value else "no click"
    return "a better order" if given.what == "order" else "a better candidate"
