"""The requests of a client, each with how its reply is read. Nothing here sends anything.

Every write carries an id, which is made here unless the caller gives one: sent again, it counts once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import uuid4

from penchant.checks import one_of, shown, whole
from penchant.client import reading, reading_reports
from penchant.client.candidates import candidates, encoded, listed
from penchant.client.replies import Outcome, result
from penchant.client.reports import ItemReport, Predictions, Race
from penchant.client.results import (
    About,
    Answer,
    Event,
    Feedback,
    Item,
    Presentation,
    Question,
    Turn,
    Undo,
    Why,
)
from penchant.errors import InvalidInput
from penchant.study_reports import Activity, Certainty, Checks, Entry, Upcoming

T = TypeVar("T")

CHOICES = ("left", "right", "tie", "both_bad", "skip")
PAGE = 1000
"""Events that are asked for at once."""
EXPORTS = ("events", "answers", "ranking", "presentations")
ENDINGS = (".csv", ".jsonl", ".parquet")
MOST_ANSWERS = 2000
"""So many of the last answers are predicted at most."""
_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}", re.ASCII)


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request: what is sent, and how its reply becomes a result.

    Attributes
    ----------
    method, path : str
    read : callable
        Makes the result of the JSON of a reply.
    content : bytes or None
        The body.
    params : mapping of str to str
        What stands behind the question mark of the address.
    id : str
        Of what is written.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    content: bytes | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    id: str = ""

    def result(self, outcome: Outcome, url: str, made: int) -> T:
        """Return the result of the last reply, or raise what went wrong."""
        return result(outcome, self.read, sent=self.id, url=url, made=made)


def _get(path: str, read: Callable[[Any], T], **params: object) -> Call[T]:
    given = {name: str(value) for name, value in params.items() if value is not None}
    return Call("GET", path, read, params=given)


def _write(
    method: str, path: str, read: Callable[[Any], T], body: Mapping[str, Any], id: str | None
) -> Call[T]:
    sent = uuid4().hex if id is None else _checked_id(id)
    given = {name: value for name, value in body.items() if value is not None}
    return Call(method, path, read, encoded({"id": sent, **given}), id=sent)


def _checked_id(id: object) -> str:
    if isinstance(id, str) and _ID.fullmatch(id):
        return id
    raise InvalidInput.of(
        "event_id", "have 1 to 100 of the characters A-Z a-z 0-9 . _ : -", shown(id), "leave it out"
    )


def _id_of(thing: Any) -> Any:
    """Return the id of a question or presentation, which may be a study's own, or the id itself."""
    return getattr(thing, "id", thing)


def _part(name: str, value: object) -> str:
    """Return a text as one part of a path."""
    if not isinstance(value, str) or not value:
        raise InvalidInput.of(name, "be a text", shown(value), "give ids and names as the study has them")
    return quote(value, safe="").replace(".", "%2E")  # a part of dots alone would lead elsewhere


# -- comparisons -----------------------------------------------------------------------------------------------


def ask() -> Call[Question]:
    """Ask for the open question, or the next one."""
    return Call("POST", "/v1/questions", reading.question_of, b"{}")


def tell(question: Question | str, choice: str, event_id: str | None) -> Call[Answer]:
    """Answer a question."""
    return _answer(question, choice, event_id, reading.answer_of)


def turn(question: Question | str, choice: str, event_id: str | None) -> Call[Turn]:
    """Answer a question and ask for the next."""
    return _answer(question, choice, event_id, reading.turn_of)


def _answer(question: Question | str, choice: str, event_id: str | None, read: Callable[[Any], T]) -> Call[T]:
    one_of("choice", choice, CHOICES)
    body = {"question": _id_of(question), "choice": choice}
    return _write("POST", "/v1/answers", read, body, event_id)


def undo(event_id: str | None, user: str | None, undo_id: str | None) -> Call[Undo]:
    """Take an answer or feedback back."""
    return _write("POST", "/v1/undo", reading.undo_of, {"event": event_id, "user": user}, undo_id)


def rank() -> Call[Any]:
    """Ask for the ranking."""
    return _get("/v1/ranking", reading.ranking_of)


def settled() -> Call[Any]:
    """Ask how near the ranking is to its goal."""
    return _get("/v1/settled", reading.settled_of)


def verdict() -> Call[tuple[str, ...]]:
    """Ask which places are certain and whether the goal is reached."""
    return _get("/v1/ranking", reading.verdict_of)


def why(a: str, b: str, most: int, user: str | None) -> Call[Why]:
    """Ask why one item stands above another."""
    return _get("/v1/why", reading.why_of, a=a, b=b, most=whole("most", most, 1), user=user)


def judges(programs: Sequence[str] = ()) -> Call[Any]:
    """Ask for the report of the judges."""
    return _get("/v1/judges", reading.judges_of, programs=",".join(programs) or None)


def aside(judge: str, is_aside: bool, event_id: str | None) -> Call[None]:
    """Let the answers of a judge count no longer, or again."""
    path = f"/v1/judges/{_part('judge', judge)}"
    return _write("PATCH", path, reading.nothing_of, {"aside": is_aside}, event_id)


def outcome_probability(a: str, b: str) -> Call[tuple[float, float, float]]:
    """Ask how probable it is that one item is preferred to another."""
    return _get("/v1/outcomes", reading_reports.outcome_of, a=a, b=b)


def upcoming() -> Call[Upcoming]:
    """Ask for the next question without asking it."""
    return _get("/v1/upcoming", reading_reports.upcoming_of)


def predictions(last: int) -> Call[Predictions]:
    """Ask how well the last answers were predicted."""
    return _get("/v1/predictions", reading_reports.predictions_of, last=whole("last", last, 1, MOST_ANSWERS))


def race(last: int) -> Call[Race]:
    """Ask which model predicts the last answers best."""
    return _get("/v1/race", reading_reports.race_of, last=whole("last", last, 1, MOST_ANSWERS))


def certainty() -> Call[Certainty]:
    """Ask how certainty grew."""
    return _get("/v1/certainty", reading_reports.certainty_of)


def activity() -> Call[tuple[Activity, ...]]:
    """Ask what each judge did."""
    return _get("/v1/activity", reading_reports.activity_of)


def item_report(id: str, most: int) -> Call[ItemReport]:
    """Ask about one item."""
    path = f"/v1/items/{_part('item', id)}"
    return _get(path, reading_reports.item_report_of, most=whole("most", most, 1, 1000))


# -- presentations ---------------------------------------------------------------------------------------------


def present(
    context: Any, user: str | None, learn: bool, interleave: Any, event_id: str | None
) -> Call[Presentation]:
    """Ask for an order of candidates."""
    other = interleave if interleave is None or isinstance(interleave, str) else listed(interleave)
    body = {"candidates": candidates(context), "user": user, "learn": learn, "interleave": other}
    return _write("POST", "/v1/presentations", reading.presentation_of, body, event_id)


def feedback(
    presentation: Presentation | str, clicked: Any, order: Any, better: Any, event_id: str | None
) -> Call[Feedback]:
    """Report what a person made of a presentation."""
    forms = {
        "clicked": None if clicked is None else listed(clicked),
        "order": None if order is None else listed(order),
        "better": better,
    }
    given = {name: value for name, value in forms.items() if value is not None}
    if len(given) != 1:
        raise InvalidInput.of(
            "feedback", "be one of clicked, order and better", ", ".join(given) or "none", "give just one"
        )
    body = {"presentation": _id_of(presentation), **given}
    return _write("POST", "/v1/feedback", reading.feedback_of, body, event_id)


def weights(user: str | None) -> Call[dict[str, float]]:
    """Ask for the weights of the features."""
    return _get("/v1/weights", reading.weights_of, user=user)


def interleaving() -> Call[Any]:
    """Ask which of two orders people prefer."""
    return _get("/v1/interleaving", reading.interleaving_of)


def weight_report() -> Call[Any]:
    """Ask how steady the weights are."""
    return _get("/v1/weights/report", reading_reports.weight_report_of)


def learning_curve() -> Call[Any]:
    """Ask how well presentations were ordered."""
    return _get("/v1/learning-curve", reading_reports.curve_of)


# -- both ------------------------------------------------------------------------------------------------------


def study() -> Call[About]:
    """Ask what the study is."""
    return _get("/v1/study", reading.about_of)


def items() -> Call[dict[str, Item]]:
    """Ask for the items."""
    return _get("/v1/items", reading.items_of)


def add_items(new: Iterable[object], event_id: str | None) -> Call[tuple[str, ...]]:
    """Add items."""
    if isinstance(new, str | bytes | Mapping):
        raise InvalidInput.of("items", "be a list of items", type(new).__name__, "put it into a list")
    body = {"items": [_columns(item) for item in new]}
    return _write("POST", "/v1/items", reading.ids_of, body, event_id)


def import_items(path: str | Path, event_id: str | None) -> Call[tuple[str, ...]]:
    """Add the items of a file here."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path} must be text in UTF-8, got something else: save it as CSV in UTF-8"
        ) from None
    except OSError as error:
        raise InvalidInput.of(str(path), "be a file that can be read", error.strerror, "correct it") from None
    body = {"name": Path(path).name, "text": text}
    return _write("POST", "/v1/items/import", reading.ids_of, body, event_id)


def check() -> Call[Checks]:
    """Ask for the checks."""
    return _get("/v1/checks", reading_reports.checks_of)


def history(before: int | None, limit: int) -> Call[list[Entry]]:
    """Ask for events in words."""
    first = None if before is None else whole("before", before, 1)
    return _get("/v1/history", reading_reports.history_of, before=first, limit=whole("limit", limit, 1, PAGE))


def _columns(item: object) -> Any:
    if not isinstance(item, Item):
        return item
    columns: dict[str, Any] = {"id": item.id, "title": item.title, "text": item.text}
    parts = (("picture", item.picture), ("fields", dict(item.fields)), ("links", dict(item.links)))
    return columns | {name: value for name, value in parts if value}


def edit_item(id: str, changes: Mapping[str, Any], event_id: str | None) -> Call[Item]:
    """Change fields of an item."""
    body = {"fields": dict(changes)}
    return _write("PATCH", f"/v1/items/{_part('item', id)}", reading.edited_of, body, event_id)


def retire(ids: Sequence[str], is_retired: bool, event_id: str | None) -> list[Call[None]]:
    """Take items out of the study, or bring them back, each with a request and an id of its own."""
    several = event_id is not None and len(ids) > 1
    sent = [f"{event_id}:{place}" if several else event_id for place in range(len(ids))]
    paths = [f"/v1/items/{_part('item', id)}" for id in ids]
    body = {"retired": is_retired}
    return [_write("PATCH", path, reading.nothing_of, body, id) for path, id in zip(paths, sent, strict=True)]


def settings() -> Call[dict[str, Any]]:
    """Ask for the settings."""
    return _get("/v1/settings", reading.settings_of)


def change(given: Mapping[str, Any], event_id: str | None) -> Call[dict[str, Any]]:
    """Change settings."""
    return _write("PATCH", "/v1/settings", reading.settings_of, {"settings": dict(given)}, event_id)


def events(after: int) -> Call[tuple[list[Event], int]]:
    """Ask for a part of the log."""
    return _get("/v1/events", reading.events_of, after=whole("after", after, 0), limit=PAGE)


def last_page(found: list[Event], last: int) -> bool:
    """Return whether no events follow those of a part of the log."""
    return not found or (len(found) < PAGE and found[-1].number >= last)


def export(path: str | Path, what: str) -> Call[None]:
    """Ask for a file; its bytes are no JSON and are not read here."""
    one_of("what", what, EXPORTS)
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InvalidInput.of(
            f"the ending of {path}", f"be one of {', '.join(ENDINGS)}", shown(ending), "change it"
        )
    return _get(f"/v1/exports/{what}{ending}", reading.nothing_of)


def changes() -> Call[None]:
    """Ask for the stream of changes; `penchant.client.stream` reads it."""
    return _get("/v1/changes", reading.nothing_of)
