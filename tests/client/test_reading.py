"""Replies as results."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from penchant import Preferences, Ranking
from penchant.ask import Settled
from penchant.client import reading
from penchant.client.results import Answer, Change, Event, Feedback, Item, Presentation, Turn
from penchant.coactive import Interleaving
from penchant.worth import CrowdBradleyTerry
from tests.client.fake import ITEMS, QUESTION

KEPT = {"answer": {"id": "e", "question": "q-1", "choice": "left"}, "duplicate": True}


def test_a_question_names_its_items_and_shows_them() -> None:
    """Ids as in a study, and beside them what a person reads."""
    question = reading.question_of(QUESTION)
    assert (question.id, question.left, question.right, question.judge) == ("q-1", "tea", "milk", "ann")
    assert question.left_item == Item("tea", "Tea", "hot")
    assert (question.progress, question.answered) == ("1 answer", 1)


def test_an_answer_with_and_without_a_next_question() -> None:
    """The end of the questions is None."""
    assert reading.answer_of(KEPT) == Answer("e", "q-1", "left", duplicate=True)
    assert reading.turn_of({**KEPT, "next": None}) == Turn(reading.answer_of(KEPT), None)
    assert reading.turn_of({**KEPT, "next": QUESTION}).question == reading.question_of(QUESTION)


def test_presentations_and_feedback() -> None:
    """Lists are tuples, and the improved order has its name of the study."""
    assert reading.presentation_of(
        {"id": "p", "order": ["b", "a"], "teams": [0, 1], "learn": False}
    ) == Presentation("p", ("b", "a"), (0, 1), learn=False)
    body = {
        "id": "f",
        "presentation": "p",
        "order": ["a", "b"],
        "changed": True,
        "learned": True,
        "late": True,
    }
    assert reading.feedback_of(body) == Feedback("f", "p", ("a", "b"), True, True, late=True)


def test_items_keep_every_field() -> None:
    """Fields in an object of their own or beside the others."""
    body = {
        **ITEMS["tea"],
        "price": 3,
        "fields": {"hot": True},
        "links": {"milk": 0.5},
        "retired": True,
        "picture": "",
    }
    item = Item("tea", "Tea", "hot", "", {"price": 3, "hot": True}, {"milk": 0.5}, retired=True)
    assert reading.items_of({"items": [body]}) == {"tea": item}
    assert reading.edited_of({"item": {"id": "tea"}}) == Item("tea", "tea")


def test_a_ranking_is_equal_to_the_last_bit() -> None:
    """Through JSON, with what a server adds beside it."""
    ranking = Ranking.from_scores(
        ["a", "b", "c"], [0.1, 1 / 3, 2**-40], variance=[0.1, 0.2, 0.3], answers=[1, 2, 3]
    )
    body = {**json.loads(ranking.to_json()), "study": "x", "progress": "y", "certain": [], "notes": []}
    for row in body["items"]:
        row["title"] = "t"
    again = reading.ranking_of(body)
    assert again.to_json() == ranking.to_json()
    assert again.scores.tobytes() == ranking.scores.tobytes()


def test_how_settled_it_is() -> None:
    """None, or the class that a study returns."""
    settled = Settled("order", 0.8, 0.01, 0.9, 12, (3, 40), None, 0.1, 30, False)
    body = {"settled": {**asdict(settled), "words": "…", "enough": False}}
    assert reading.settled_of(json.loads(json.dumps(body))) == settled
    assert reading.settled_of({"settled": None}) is None


def test_an_explanation() -> None:
    """Reasons as objects or as pairs."""
    body = {
        "a": "x",
        "b": "y",
        "difference": 1.0,
        "sd": 0.5,
        "titles": ["X", "Y"],
        "answers": [["beat y", 0.6]],
    }
    why = reading.why_of({**body, "links": [{"what": "link", "weight": 0.4}], "features": []})
    assert (why.answers, why.links, why.features) == ((("beat y", 0.6),), (("link", 0.4),), ())
    assert (why.titles, why.sd) == (("X", "Y"), 0.5)


def test_who_wins() -> None:
    """A share that does not exist yet is NaN, as in a study."""
    found = reading.interleaving_of(
        {"wins": 0, "losses": 0, "ties": 2, "share": None, "interval": [0, 1], "level": 0.9}
    )
    assert math.isnan(found.share)
    assert (found.ties, found.interval, found.level) == (2, (0.0, 1.0), 0.9)
    decided = Interleaving.of(60, 20, 5)
    assert reading.interleaving_of(json.loads(json.dumps(asdict(decided)))) == decided


def test_the_report_of_the_judges() -> None:
    """As the study makes it, from rows."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 4
    found = CrowdBradleyTerry().update(Preferences.from_pairs(pairs, judge=["ann", "bo"] * 6)).judges()
    rows = json.loads(found.to_frame().to_json(orient="records", double_precision=15))
    again = reading.judges_of({"judges": rows, "level": found.level, "model": found.model})
    assert again.judges == found.judges
    assert again.answers.dtype == found.answers.dtype
    np.testing.assert_allclose(again.reliability, found.reliability, rtol=1e-12)


def test_events_and_changes() -> None:
    """A part of the log, and what a stream says."""
    row = {"number": 1, "id": "c", "kind": "created", "version": 2, "time": 0.5, "content": {}}
    assert reading.events_of({"events": [row], "last": 9}) == ([Event(1, "c", "created", 0.5, {}, 2)], 9)
    assert reading.change_of({"revision": 4, "kinds": None}) == Change(4)


@pytest.mark.parametrize(
    "read",
    [
        reading.question_of,
        reading.turn_of,
        reading.undo_of,
        reading.presentation_of,
        reading.feedback_of,
        reading.ranking_of,
        reading.settled_of,
        reading.verdict_of,
        reading.why_of,
        reading.weights_of,
        reading.interleaving_of,
        reading.judges_of,
        reading.about_of,
        reading.items_of,
        reading.ids_of,
        reading.settings_of,
        reading.events_of,
        reading.nothing_of,
    ],
)
@pytest.mark.parametrize("body", [None, [], "text", 7, {"items": 3}])
def test_another_form_is_an_error_that_the_caller_knows(read: object, body: object) -> None:
    """Never a result that is half there."""
    if read is reading.nothing_of and isinstance(body, dict):
        return
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        read(body)
