"""Every method against a real server of two studies, compared with what the studies say in Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from penchant import Study
from penchant.errors import Conflict, InvalidInput, NotAllowed, UnknownItem, WrongKind
from tests.client.serving import PATIENT, Serving

TALKS = [
    {"id": f"t{n}", "title": f"Talk {n}", "text": f"About {n}.", "room": "A" if n % 2 else "B"}
    for n in range(6)
]
PAGES = [{"id": f"p{n}", "title": f"Page {n}", "fresh": n / 8, "long": float(n % 3)} for n in range(8)]


class Tokens(NamedTuple):
    judge: str
    owner: str
    reader: str
    app: str


class Served(NamedTuple):
    url: str
    talks: Path
    pages: Path
    talk: Tokens
    page: Tokens


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests of this file."""
    folder = tmp_path_factory.mktemp("served")
    talks, pages = folder / "talks.db", folder / "pages.db"
    with Study.create(talks, TALKS, title="Talks", question="Which one?", seed=2) as study:
        of_talks = Tokens(*(study.tokens.make(role, role) for role in Tokens._fields))
    with Study.create(
        pages, PAGES, kind="coactive", title="Pages", seed=2, learner="perceptron", features=["fresh", "long"]
    ) as study:
        of_pages = Tokens(*(study.tokens.make(role, role) for role in Tokens._fields))
    with Serving(talks, pages) as server:
        yield Served(server.url, talks, pages, of_talks, of_pages)


def test_the_loop_of_comparisons(kind: Any, served: Served) -> None:
    """Questions, answers and reports, each as the study has it."""
    luck = random.Random(5)
    with (
        kind(served.url, served.talk.judge, **PATIENT) as judge,
        kind(served.url, served.talk.owner, **PATIENT) as owner,
    ):
        about = judge.study()
        assert (about.title, about.kind, about.question, about.role, about.name) == (
            "Talks",
            "compare",
            "Which one?",
            "judge",
            "judge",
        )
        question = judge.ask()
        assert question.left_item.text.startswith("About")
        for _ in range(20):
            better = "left" if question.left > question.right else "right"
            turn = judge.turn(question, luck.choice([better, better, "tie"]))
            question = turn.question
        ranking, why, judges = owner.rank(), owner.why("t5", "t0", most=3), owner.judges()
        with Study.open(served.talks, write=False) as study:
            assert ranking.to_json() == study.rank().to_json()
            expected = study.why("t5", "t0", most=3)
            for name in ("a", "b", "titles", "difference", "sd", "answers", "links", "features"):
                assert getattr(why, name) == getattr(expected, name)
            found = study.judges()
            assert judges.judges == found.judges
            np.testing.assert_allclose(judges.reliability, found.reliability, rtol=1e-8)
            settled = owner.settled()
            assert settled is None or settled.goal == "order"
            assert owner.verdict()[0] == study.verdict()[0]
            assert {item.id for item in owner.items().values()} == set(study.items)
            assert owner.items()["t1"].fields == study.items["t1"].fields
            settings = owner.settings()
            assert {name: settings[name] for name in ("title", "question", "top")} == {
                name: study.settings[name] for name in ("title", "question", "top")
            }
        undone = owner.undo(f"http/{_token_id(served.talks, 'judge')}/{turn.answer.id}")
        assert undone.question is None
        assert owner.rank().answers.sum() == ranking.answers.sum() - 2


def _token_id(path: Path, name: str) -> str:
    with Study.open(path, write=False) as study:
        return next(token.id for token in study.tokens.list() if token.name == name)


def test_an_owner_changes_a_running_study(kind: Any, served: Served) -> None:
    """Items, judges and settings; sent again under the same id, nothing changes, and another body is a conflict."""
    new = f"new-{kind.__name__}"
    with (
        kind(served.url, served.talk.owner, **PATIENT) as owner,
        kind(served.url, served.talk.judge, **PATIENT) as judge,
    ):
        assert owner.add_items([{"id": new, "title": "New"}], event_id=f"add-{new}") == (new,)
        assert owner.add_items([{"id": new, "title": "New"}], event_id=f"add-{new}") == (new,)
        with pytest.raises(Conflict):
            owner.add_items([{"id": "other", "title": "Other"}], event_id=f"add-{new}")
        edited = owner.edit_item(new, {"room": "C"}, title="Newer")
        assert (edited.title, edited.fields) == ("Newer", {"room": "C"})
        owner.retire(new)
        assert owner.items()[new].retired
        owner.bring_back(new)
        assert not owner.items()[new].retired
        owner.retire(new)
        judge.turn(judge.ask(), "skip")
        owner.set_aside("judge")
        with Study.open(served.talks, write=False) as study:
            assert study.aside == ("judge",)
        owner.take_back("judge")
        assert owner.change(instructions=f"For {new}")["instructions"] == f"For {new}"
        assert judge.study().instructions == f"For {new}"
        with pytest.raises(InvalidInput):
            owner.change(top=-1)
        with pytest.raises(UnknownItem):
            owner.edit_item("none", title="x")


def test_the_loop_of_presentations(kind: Any, served: Served) -> None:
    """Candidates by id, with features and as a table; clicks, orders, better ones; weights as in Python."""
    ids = [page["id"] for page in PAGES]
    name = kind.__name__
    with kind(served.url, served.page.app, **PATIENT) as app:
        shown = app.present(ids, event_id=f"first-{name}")
        again = app.present(ids, event_id=f"first-{name}")
        assert (again.id, again.order, again.duplicate) == (shown.id, shown.order, True)
        click = app.feedback(shown, clicked=[shown.order[-1]])
        assert click.improved[0] == shown.order[-1]
        assert (click.changed, click.learned, click.late, click.duplicate) == (True, True, False, False)
        inline = app.present({"x": {"fresh": 2.0}, "y": {"fresh": 1.0, "long": 3}}, user="ann")
        assert app.feedback(inline, better=inline.order[-1]).improved[0] == inline.order[-1]
        table = pd.DataFrame({"fresh": [0.1, 0.9, 0.5], "long": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
        rows = app.present(table, interleave=["c", "b", "a"])
        assert sorted(rows.order) == ["a", "b", "c"]
        assert rows.teams is not None
        improved = app.feedback(rows, order=rows.order[::-1], event_id=f"order-{name}")
        assert improved.improved == rows.order[::-1]
        weights, won = app.weights(), app.interleaving()
        why = app.why("p7", "p0")
        with Study.open(served.pages, write=False) as study:
            assert weights == study.weights()
            assert (won.wins, won.losses, won.ties, won.interval) == _counts(study.interleaving())
            assert (why.difference, why.features) == (
                study.why("p7", "p0").difference,
                study.why("p7", "p0").features,
            )
        assert app.undo(f"order-{name}").question is None
        with Study.open(served.pages, write=False) as study:
            assert app.weights() == study.weights() != weights
        with pytest.raises(UnknownItem):
            app.present(["nowhere"])
        with pytest.raises(UnknownItem):
            app.feedback("p-unknown", clicked=[])


def _counts(found: Any) -> tuple:
    return found.wins, found.losses, found.ties, found.interval


def test_each_role_and_each_kind_has_its_limits(kind: Any, served: Served) -> None:
    """Errors in words: who may, and which loop it is."""
    with kind(served.url, served.talk.reader, **PATIENT) as reader, pytest.raises(NotAllowed, match="owner"):
        reader.change(title="x")
    with kind(served.url, served.page.app, **PATIENT) as app, pytest.raises(WrongKind):
        app.rank()
    with kind(served.url, served.talk.owner, **PATIENT) as owner, pytest.raises(WrongKind):
        owner.present(["t1", "t2"])
    with (
        kind(served.url, "nonsense", **PATIENT) as nobody,
        pytest.raises(NotAllowed, match="ask for a new one"),
    ):
        nobody.study()


def test_the_log_and_its_exports(kind: Any, served: Served, tmp_path: Path) -> None:
    """Events as the log has them, and files of which an equal study can be made."""
    with (
        kind(served.url, served.talk.owner, **PATIENT) as owner,
        kind(served.url, served.page.owner, **PATIENT) as other,
    ):
        events = list(owner.events(after=1))
        with Study.open(served.talks, write=False) as study:
            assert [tuple(event) for event in events] == [
                tuple(event) for event in study._log.events(after=1)
            ]
        owner.export(tmp_path / "events.jsonl")
        for ending in ("csv", "jsonl", "parquet"):
            owner.export(tmp_path / f"answers.{ending}", "answers")
            owner.export(tmp_path / f"ranking.{ending}", "ranking")
        other.export(tmp_path / "all.jsonl", "events")
        other.export(tmp_path / "log.jsonl", "presentations")
        ranking, weights = owner.rank(), other.weights()
    with Study.from_events(tmp_path / "again.db", tmp_path / "events.jsonl") as study:
        assert study.rank().to_json() == ranking.to_json()
    with Study.from_events(tmp_path / "pages.db", tmp_path / "all.jsonl") as study:
        assert study.weights() == weights
    assert len(pd.read_csv(tmp_path / "ranking.csv")) == len(ranking)


def test_changes_are_reported_as_they_happen(kind: Any, served: Served) -> None:
    """First where the study is, then each change, of both studies apart."""
    with (
        kind(served.url, served.page.app, **PATIENT) as app,
        kind(served.url, served.page.reader, **PATIENT) as board,
    ):
        changes = board.changes()
        first = next(changes)
        shown = app.present(["p1", "p2"])
        second = next(changes)
        app.feedback(shown, clicked=["p2"])
        third = next(changes)
        changes.close()
        assert first.revision < second.revision < third.revision == board.study().revision
        assert (second.kinds, third.kinds) == (("presented",), ("feedback",))
        resumed = board.changes(after=first.revision)
        assert next(resumed).kinds == ("feedback", "presented")
        resumed.close()


def test_reports_are_those_of_the_study(kind: Any, served: Served, tmp_path: Path) -> None:
    """Item by item and figure by figure; a file of items is added whole or not at all."""
    with (
        kind(served.url, served.talk.judge, **PATIENT) as judge,
        kind(served.url, served.talk.owner, **PATIENT) as owner,
    ):
        question = judge.ask()
        for _ in range(12):
            question = judge.turn(question, "left" if question.left > question.right else "right").question
        checks, entries, activity = owner.check(), owner.history(limit=5), owner.activity()
        report, upcoming, predictions = owner.item_report("t5", most=3), owner.upcoming(), owner.predictions()
        race, certainty, chances = (
            owner.race(last=10),
            owner.certainty(),
            owner.outcome_probability("t5", "t0"),
        )
        with Study.open(served.talks, write=False) as study:
            assert [vars(check) for check in checks] == [vars(check) for check in study.check()]
            assert [vars(entry) for entry in entries] == [vars(entry) for entry in study.history(limit=5)]
            assert [vars(found) for found in activity] == [vars(found) for found in study.activity()]
            own = study.item_report("t5", most=3)
            assert [vars(opponent) for opponent in report.opponents] == list(map(vars, own.opponents))
            assert [vars(entry) for entry in report.last] == list(map(vars, own.last))
            assert {upcoming.left, upcoming.right} <= set(study.items)
            assert predictions.log_loss == pytest.approx(study.predictions().log_loss)
            assert race.models == study.race(last=10).models
            assert certainty.values == pytest.approx(study.certainty().values)
            assert chances == pytest.approx(study.outcome_probability("t5", "t0"))
        place = tmp_path / "more.csv"
        name = kind.__name__
        place.write_text(f"id,title\n{name},More\nt1,Known\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match="line 3"):
            owner.import_items(place)
        assert name not in owner.items()
        place.write_text(f"id,title\n{name},More\n", encoding="utf-8")
        assert owner.import_items(place) == (name,)
        owner.retire(name)
    with kind(served.url, served.page.app, **PATIENT) as app:
        app.feedback(app.present(["p1", "p2"]), clicked=["p2"])
        weights, curve = app.weight_report(), app.learning_curve()
        with Study.open(served.pages, write=False) as study:
            expected = study.weight_report().to_frame()
            pd.testing.assert_frame_equal(weights.to_frame(), expected)
            assert curve.rounds == study.learning_curve().rounds
