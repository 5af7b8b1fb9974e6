"""Clients against a real server: the same numbers as in Python, and nothing lost or doubled when it is killed."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from penchant import Client, Study
from penchant.errors import Conflict, NotAllowed, UnknownItem
from penchant.study import CompareStudy
from tests.client.both import BOTH
from tests.client.serving import PATIENT, Serving

NAMES = [f"item {number}" for number in range(8)]
ENDINGS = [signal.SIGKILL, signal.SIGTERM]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def compared(place: Path, *roles: str) -> list[str]:
    """Make a study, and a token of each role."""
    with Study.create(place, NAMES, title="Things", question="Which?", seed=4) as study:
        return [study.tokens.make(role, "ann") for role in roles]


def choice(question: Any, luck: random.Random) -> str:
    """What a judge says who knows the order and is wrong at times."""
    better = "left" if question.left < question.right else "right"
    return luck.choices([better, "tie", "both_bad", "skip"], [9, 1, 1, 1])[0]


def answer(client: Any, count: int, kept: list[str], luck: random.Random) -> None:
    """Answer so many questions; ``kept`` gets the ids of the answers."""
    question = client.ask()
    for _ in range(count):
        turn = client.turn(question, choice(question, luck))
        assert turn.question is not None
        kept.append(turn.answer.id)
        question = turn.question


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[type, Any]]]:
    """One server with a study for each of the two clients: its address, and for each the file and the tokens."""
    folder = tmp_path_factory.mktemp("waiting")
    places = {kind: folder / f"{kind.__name__}.db" for kind in BOTH}
    studies = {kind: (place, compared(place, "judge", "reader")) for kind, place in places.items()}
    with Serving(*places.values()) as server:
        yield server.url, studies


def test_a_judge_and_a_reader_see_what_python_sees(kind: Any, waiting: tuple[str, dict[type, Any]]) -> None:
    """Answers, undo and the ranking, whose numbers are those of the study to the last bit."""
    url, studies = waiting
    place, (judge, reader) = studies[kind]
    with kind(url, judge, **PATIENT) as ann, kind(url, reader, **PATIENT) as board:
        kept: list[str] = []
        answer(ann, 12, kept, random.Random(1))
        with pytest.raises(NotAllowed):
            ann.rank()
        open_question = ann.ask()
        first = ann.tell(open_question, "left", event_id="mine")
        again = ann.tell(open_question, "left", event_id="mine")
        assert (first.id, again.id) == ("mine", "mine")
        with pytest.raises(Conflict):
            ann.tell(open_question, "right", event_id="mine")
        with pytest.raises(Conflict) as caught:
            ann.turn(open_question, "right")
        assert caught.value.next == ann.ask()
        with pytest.raises(UnknownItem):
            ann.tell("q-none", "left")
        undo, again = (ann.undo(undo_id="taken-back") for _ in range(2))
        assert (undo.id, undo.duplicate, again.duplicate) == ("taken-back", False, True)
        assert undo.question.id == again.question.id == open_question.id
        ranking = board.rank()
        with Study.open(place, write=False) as study:
            assert ranking.to_json() == study.rank().to_json()
            assert [answer.id.rpartition("/")[2] for answer in study.answers()] == kept


@contextmanager
def interrupted(server: Serving, kept: list[str]) -> Iterator[threading.Event]:
    """Kill and restart the server in the middle of requests, as ``kept`` grows; the event says that it is over."""
    luck, ended, failed = random.Random(3), threading.Event(), threading.Event()

    def interrupt() -> None:
        try:
            for ending in ENDINGS:
                enough = len(kept) + luck.randrange(3, 9)
                while len(kept) < enough:
                    if failed.wait(0.001):
                        return
                time.sleep(luck.uniform(0.0, 0.02))
                server.stop(ending)
                server.start()
                server.ready()
        finally:
            ended.set()

    killer = threading.Thread(target=interrupt)
    killer.start()
    try:
        yield ended
    except BaseException:
        failed.set()
        raise
    finally:
        killer.join()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The settings of clients that ask again soon and often, so that they notice at once when the server is back."""
    monkeypatch.setattr("penchant.client.attempts.LONGEST", 0.3)
    return {"retries": 300, **PATIENT}


@pytest.mark.slow("starts the server again twice, killed and ended")
def test_no_answer_is_lost_or_doubled_when_the_server_is_killed(
    kind: Any, place: Path, impatient: dict[str, int]
) -> None:
    """The loop goes on through kills and restarts; each acknowledged answer is there, once."""
    judge, reader = compared(place, "judge", "reader")
    with Serving(place) as server:
        with kind(server.url, judge, **impatient) as ann, kind(server.url, reader, **impatient) as board:
            kept: list[str] = []
            with interrupted(server, kept) as ended:
                while not ended.is_set():
                    answer(ann, 5, kept, random.Random(len(kept)))
            ranking = board.rank()
        server.stop()
        with CompareStudy.open(place) as study:
            assert [answer.id.rpartition("/")[2] for answer in study.answers()] == kept
            assert len(set(kept)) == len(kept)
            assert ranking.to_json() == study.rank().to_json()
            assert study.check()["fold of the log"].passed


@pytest.mark.slow("starts the server again twice, killed and ended")
def test_no_click_is_lost_or_doubled_when_the_server_is_killed(
    kind: Any, place: Path, impatient: dict[str, int]
) -> None:
    """Each acknowledged presentation and click is there, once, and a stream of changes goes on to the last."""
    items = [{"id": name, "title": name, "size": number / 8} for number, name in enumerate(NAMES)]
    with Study.create(
        place, items, kind="coactive", learner="perceptron", features=["size"], seed=1
    ) as study:
        token = study.tokens.make("app", "shop")
    shown: list[str] = []
    given: list[str] = []
    with Serving(place) as server:
        with kind(server.url, token, **impatient) as app, Client(server.url, token, **impatient) as watching:
            changes = watching.changes()
            assert next(changes).revision
            with interrupted(server, given) as ended:
                while not ended.is_set():
                    presentation = app.present(NAMES)
                    shown.append(presentation.id)
                    given.append(app.feedback(presentation, clicked=[presentation.order[-1]]).id)
            weights, last = app.weights(), app.study().revision
            assert next(change.revision for change in changes if change.revision >= last) == last
            changes.close()
        server.stop()
        with Study.open(place) as study:
            assert list(study._state.presentations) == shown
            assert [id.rpartition("/")[2] for id in study._state.feedback] == given
            assert study.weights() == weights
            assert study.check().ok
