"""The loop: ask, tell, undo, rank."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import CannotStore, Conflict, InvalidInput, Locked
from penchant.study import Item, Study
from penchant.study.compare import LEASE
from penchant.worth import BradleyTerry, Thurstone

DRINKS = ("tea", "coffee", "water", "milk", "juice")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def study(tmp_path: Path) -> Any:
    with Study.create(tmp_path / "drinks.db", DRINKS, seed=3) as made:
        yield made


def judge_by_worth(study: Study, n_answers: int, judge: str = "ann") -> None:
    """Answer as one who likes the earlier drinks better, and is sure of it."""
    for _ in range(n_answers):
        question = study.ask(judge)
        left_is_better = DRINKS.index(question.left) < DRINKS.index(question.right)
        study.tell(question, "left" if left_is_better else "right")


def test_it_finds_the_order(study: Study) -> None:
    """Twenty answers of a sure judge give that judge's order."""
    judge_by_worth(study, 20)
    assert study.rank().items == DRINKS


def test_closed_and_opened_it_goes_on(tmp_path: Path, study: Study) -> None:
    """Everything is there again: title, items, answers, the open question and the ranking."""
    judge_by_worth(study, 7)
    open_question, ranking = study.ask("ann"), study.rank().to_json()
    study.close()
    with Study.open(tmp_path / "drinks.db") as again:
        assert again.title == "drinks"
        assert tuple(again.items) == DRINKS
        assert len(again.answers()) == 7
        assert again.ask("ann") == open_question
        assert again.rank().to_json() == ranking


def test_every_item_is_seen_twice_first(study: Study) -> None:
    """After six questions about five items, each has been shown at least twice."""
    seen: Counter[str] = Counter()
    for _ in range(6):
        question = study.ask("ann")
        seen.update((question.left, question.right))
        study.tell(question, "left")
    assert min(seen[item] for item in DRINKS) >= 2


def test_a_judge_gets_the_open_question_again(study: Study) -> None:
    """Asking twice without answering gives the same question, and another judge gets another pair."""
    first = study.ask("ann")
    assert study.ask("ann") == first
    other = study.ask("bob")
    assert {other.left, other.right} != {first.left, first.right}


def test_a_lease_runs_out(tmp_path: Path) -> None:
    """A question that nobody answers is asked anew after its lease; its late answer still counts."""
    clock = Clock()
    with Study.create(tmp_path / "two.db", ["a", "b"], clock=clock, seed=1) as study:
        first = study.ask("ann")
        clock.now += LEASE + 1
        second = study.ask("ann")
        assert second.id != first.id
        study.tell(second, "left")
        study.tell(first, "left")
        assert len(study.answers()) == 2


def test_sides_are_thrown_and_kept(tmp_path: Path) -> None:
    """Each of two items stands on the left about half of the time, and the log knows which."""
    with Study.create(tmp_path / "two.db", ["a", "b"], seed=5) as study:
        for _ in range(60):
            study.tell(study.ask("ann"), "left")
        left = Counter(answer.question.left for answer in study.answers())
        assert 15 <= left["a"] <= 45
        assert (np.asarray(study.preferences().better_on_left) == 1).all()


def test_a_pair_does_not_come_back_at_once(study: Study) -> None:
    """The same judge is not asked about the same pair within three questions."""
    pairs = []
    for _ in range(25):
        question = study.ask("ann")
        pairs.append(frozenset((question.left, question.right)))
        study.tell(question, "tie")
    assert all(pair not in pairs[max(0, place - 3) : place] for place, pair in enumerate(pairs))


def test_the_five_answers_are_kept_apart(study: Study) -> None:
    """Left, right, tie and both bad teach; a skip is kept and teaches nothing."""
    for choice in ("left", "right", "tie", "both_bad", "skip"):
        study.tell(study.ask("ann"), choice)
    assert [answer.choice for answer in study.answers()] == ["left", "right", "tie", "both_bad", "skip"]
    preferences = study.preferences()
    assert len(preferences) == 4
    assert preferences.items[-1] == "(bar)"
    ranking = study.rank()
    assert ranking.bar is not None
    assert len(ranking) == len(DRINKS)


def test_undo_is_the_judges_own(study: Study) -> None:
    """With a judge named, only that judge's last answer is taken back."""
    anns = study.tell(study.ask("ann"), "left")
    bobs = study.tell(study.ask("bob"), "left")
    study.undo(judge="ann")
    assert [answer.id for answer in study.answers()] == [bobs.id]
    with pytest.raises(InvalidInput, match="own"):
        study.undo(bobs.id, judge="ann")
    with pytest.raises(Conflict, match="taken back already"):
        study.undo(anns.id)


def test_a_repeated_undo_counts_once(study: Study) -> None:
    """The same undo id again changes nothing; for another event it is an error."""
    first, second = study.tell(study.ask("ann"), "left"), study.tell(study.ask("ann"), "right")
    assert study.undo(second.id, undo_id="u") == study.undo(second.id, undo_id="u") == "u"
    assert [answer.id for answer in study.answers()] == [first.id]
    with pytest.raises(Conflict, match="new id"):
        study.undo(first.id, undo_id="u")


def test_a_long_chain_of_undos_works(study: Study) -> None:
    """Undoing the undo of the undo … two thousand deep is no matter."""
    answer = study.tell(study.ask("ann"), "left")
    event = answer.id
    for _ in range(200):
        event = study.undo(event)
    assert [kept.id for kept in study.answers()] == [answer.id]


def test_many_threads_lose_nothing(tmp_path: Path) -> None:
    """Eight judges at once: every acknowledged answer counts, once, and no pair is asked of two at a time."""
    with Study.create(tmp_path / "many.db", [f"item {i}" for i in range(30)], seed=2) as study:
        told: list[str] = []
        wrong: list[BaseException] = []

        def judge(name: str) -> None:
            try:
                for _ in range(6):
                    told.append(study.tell(study.ask(name), "left").id)  # noqa: PERF401
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=judge, args=(f"judge {i}",)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert wrong == []
        assert sorted(answer.id for answer in study.answers()) == sorted(told)
        assert len(told) == 48


def test_a_second_writer_is_rejected_and_a_reader_is_not(tmp_path: Path, study: Study) -> None:
    """While one process writes, another may read, but not write."""
    with pytest.raises(Locked):
        Study.open(tmp_path / "drinks.db")
    judge_by_worth(study, 3)
    with Study.open(tmp_path / "drinks.db", write=False) as reader:
        assert len(reader.answers()) == 3
        judge_by_worth(study, 2)
        assert len(reader.answers()) == 5


@pytest.mark.parametrize("model", ["bradley-terry", "thurstone", Thurstone(prior=0.5)])
def test_the_model_is_kept(tmp_path: Path, model: Any) -> None:
    """The model and its settings are part of the log."""
    with Study.create(tmp_path / "s.db", DRINKS, model=model) as study:
        judge_by_worth(study, 8)
        made = repr(study.model())
    with Study.open(tmp_path / "s.db") as again:
        assert repr(again.model()) == made
    assert made.startswith("BradleyTerry" if model == "bradley-terry" else "Thurstone")


@pytest.mark.parametrize(
    ("items", "settings", "words"),
    [
        (["one"], {}, "at least 2 items, got 1"),
        (["a", "x\x1by"], {}, "id of item 1 must not hold control characters"),
        (["a", "b"], {"model": "elo"}, "one of bradley-terry, thurstone, .*got 'elo'"),
        (["a", "b"], {"model": BradleyTerry}, "got ABCMeta"),
        (["a", "b"], {"kind": "rank"}, "kind must be 'compare'"),
    ],
)
def test_impossible_studies_are_rejected(tmp_path: Path, items: Any, settings: Any, words: str) -> None:
    """Bad items and settings are named, and no file is left behind."""
    with pytest.raises(InvalidInput, match=words):
        Study.create(tmp_path / "s.db", items, **settings)
    assert list(tmp_path.iterdir()) == []


def test_wrong_answers_are_rejected(study: Study) -> None:
    """Unknown questions, choices, judges and undos are named; nothing is kept of them."""
    question = study.ask("ann")
    for wrong in (
        lambda: study.tell("nothing", "left"),
        lambda: study.tell(question, "up"),
        lambda: study.ask(""),
        lambda: study.undo(),
        lambda: study.undo("nothing"),
    ):
        with pytest.raises(InvalidInput, match=": "):
            wrong()
    assert study.answers() == []


def test_progress_is_reported(study: Study) -> None:
    """How many answers, and what has not been seen yet."""
    assert study.progress() == "0 answers; 5 of 5 items not seen yet"
    judge_by_worth(study, 1)
    assert study.progress() == "1 answer; 3 of 5 items not seen yet"
    judge_by_worth(study, 9)
    assert study.progress().startswith("10 answers; every item seen at least ")


def test_a_judge_has_one_open_question_however_many_threads_ask(tmp_path: Path) -> None:
    """Ten threads that ask for one judge at once all get the same question; another judge gets another."""
    with Study.create(tmp_path / "s.db", [f"item {i}" for i in range(12)], seed=1) as study:
        for turn in range(5):
            start = threading.Barrier(12)
            got: list[tuple[str, str]] = []

            def ask(judge: str, start: threading.Barrier = start, got: list[tuple[str, str]] = got) -> None:
                start.wait()
                got.append((judge, study.ask(judge).id))

            threads = [threading.Thread(target=ask, args=("ann" if k < 10 else "bob",)) for k in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            assert len(got) == 12
            assert len(set(got)) == 2
            for judge, question in set(got):
                study.tell(question, "left", event_id=f"{judge}-{turn}")


def test_items_are_split_by_size_not_by_count(tmp_path: Path) -> None:
    """A thousand items of 1.5 KB, or three of almost 1 MB, make a study; one too large is named and leaves nothing."""
    thousand = [{"title": f"item {k}", "text": "x" * 1500} for k in range(1000)]
    with Study.create(tmp_path / "many.db", thousand) as study:
        assert len(study.items) == 1000
    with Study.open(tmp_path / "many.db") as study:
        assert study.items["item 999"].text == "x" * 1500
    large = [{"title": f"item {k}", "text": "é" * 500_000} for k in range(3)]
    Study.create(tmp_path / "large.db", large).close()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(
        InvalidInput, match=r"item 'too large' must have at most 1,047,552 bytes, got .*shorten"
    ):
        Study.create(tmp_path / "none.db", ["a", {"title": "too large", "text": "x" * 2**20}])
    assert sorted(tmp_path.iterdir()) == before


def test_control_characters_in_titles_and_names_are_rejected(tmp_path: Path, study: Study) -> None:
    """The study's title and judges' names are held to the same."""
    with pytest.raises(InvalidInput, match=r"title must not hold control characters .* got \\x1b"):
        Study.create(tmp_path / "s.db", ["a", "b"], title="a\x1b[2J")
    with pytest.raises(InvalidInput, match=r"judge must be a name without control characters, got \\u202e"):
        study.ask("a\u202eb")


def test_any_ordinary_text_will_do(tmp_path: Path) -> None:
    """Long titles, none at all, emoji and right-to-left text come back as they were; texts keep their lines."""
    items = [
        Item("long", "x" * 20_000),
        Item("none", ""),
        Item("emoji", "👩‍🚀🏳️‍🌈 e\u0301"),
        Item("rtl", "שלום \u200f!"),
        Item("lines", "lines", "one\r\ntwo\n\tthree"),
    ]
    with Study.create(tmp_path / "s.db", items, title="") as study:
        titles = [item.title for item in study.items.values()]
        assert titles == [items[0].title, "none", items[2].title, items[3].title, "lines"]
        assert study.items["lines"].text == "one\ntwo\n\tthree"
        assert study.title == "s"


def test_a_failed_commit_leaves_nothing_behind(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer and next question are folded before they are written: where writing fails, both are gone again."""
    question = study.ask("ann")
    before = study.revision(), study.belief().mean.tolist()

    def full(*_: Any, **__: Any) -> Any:
        raise CannotStore("full")

    with monkeypatch.context() as patch:
        patch.setattr(study._log, "append_all", full)
        with pytest.raises(CannotStore, match="full"):
            study.turn(question, "left", event_id="x")
    assert (study.revision(), study.belief().mean.tolist()) == before
    assert study.answers() == []
    assert study.ask("ann") == question
    assert study.turn(question, "left", event_id="x").answer.choice == "left"


def test_a_commit_that_was_kept_and_reported_as_failed_counts(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is folded from what is on disk, and the same id again returns the first answer."""
    question, append = study.ask("ann"), study._log.append_all

    def reported_as_failed(*entries: Any, **settings: Any) -> Any:
        append(*entries, **settings)
        raise CannotStore("broken off")

    with monkeypatch.context() as patch:
        patch.setattr(study._log, "append_all", reported_as_failed)
        with pytest.raises(CannotStore):
            study.tell(question, "left", event_id="x")
    assert study.tell(question, "left", event_id="x") == study.answers()[0]
    assert study.revision() == study._log.last()


def test_an_interrupt_between_answer_and_question_leaves_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded and not written is given up: the next commit does not write it."""
    question = study.ask("ann")

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(study._asking, "choose", interrupted)
        with pytest.raises(KeyboardInterrupt):
            study.turn(question, "left")
    assert study.answers() == []
    study.tell(question, "right")
    assert [answer.choice for answer in study.answers()] == ["right"]
    assert study.revision() == study._log.last()


def test_a_turn_is_an_answer_and_the_next_question(study: Study) -> None:
    """It records what `tell` and `ask` record, in one commit; the same id again repeats both results."""
    question = study.ask("ann")
    commits: list[int] = []
    end = study._log.subscribe(lambda events: commits.append(len(events)))
    turn = study.turn(question, "left", event_id="x")
    assert commits == [2]
    assert turn.question == study.ask("ann") != question
    assert study.turn(question.id, "left", event_id="x") == turn
    with pytest.raises(Conflict, match="belongs to another answer"):
        study.turn(question, "right", event_id="x")
    with pytest.raises(Conflict, match="answered already"):
        study.turn(question, "left")
    end()


def test_a_turn_without_a_next_question_keeps_the_answer(tmp_path: Path) -> None:
    """Where the only pair that is left is forbidden, the answer is recorded and there is no question."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], forbidden=[("a", "b")]) as study:
        question = study.ask()
        study.retire("c")
        turn = study.turn(question, "tie")
        assert turn.question is None
        assert study.answers() == [turn.answer]


def test_threads_that_wait_share_a_commit(study: Study) -> None:
    """Requests that come during a commit are served by the next one together; each gets its own result."""
    append, entered, go_on = study._log.append_all, threading.Event(), threading.Event()
    sizes: list[int] = []

    def slow(entries: Any, *side: Any, **settings: Any) -> Any:
        sizes.append(len(entries))
        entered.set()
        go_on.wait(30)
        return append(entries, *side, **settings)

    study._log.append_all = slow
    with ThreadPoolExecutor(9) as threads:
        first = threads.submit(study.ask, "judge 0")
        entered.wait(30)
        others = [threads.submit(study.ask, f"judge {k}") for k in range(1, 9)]
        deadline = time.monotonic() + 30
        while len(study._requests._waiting) < 8 and time.monotonic() < deadline:
            time.sleep(0.001)
        go_on.set()
        questions = [future.result(30) for future in [first, *others]]
    assert sizes == [1, 8]
    assert [question.judge for question in questions] == [f"judge {k}" for k in range(9)]
    assert len({question.id for question in questions}) == 9


def test_a_question_is_free_again_after_any_failure(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where even reading the log fails, the question can be answered once it works again."""
    question = study.ask("ann")

    def broken(*_: Any, **__: Any) -> Any:
        raise CannotStore("broken")

    with monkeypatch.context() as patch:
        patch.setattr(study._log, "append_all", broken)
        patch.setattr(study._log, "events", broken)
        with pytest.raises(CannotStore):
            study.tell(question, "left", event_id="x")
    study.tell(question, "right", event_id="y")
    assert [answer.id for answer in study.answers()] == ["y"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": -1}, "seed must be an integer from 0, got -1"),
        ({"seed": "x"}, "seed must be an integer"),
        ({"title": 5}, "title must be a string, got int"),
        ({"top": "1"}, "top must be a whole number from 1"),
        ({"forbidden": [None]}, "forbidden must hold pairs"),
        ({"forbidden": ["ab"]}, "forbidden must hold pairs"),
    ],
)
def test_settings_of_the_wrong_type_are_named(tmp_path: Path, settings: Any, words: str) -> None:
    """Each is reported before a file is made."""
    with pytest.raises(InvalidInput, match=words):
        Study.create(tmp_path / "s.db", ["a", "b", "c"], **settings)
    assert list(tmp_path.iterdir()) == []


def test_questions_ahead_are_open_and_different(study: Study) -> None:
    """The oldest first; there are fewer where a pair would come twice."""
    questions = study.ask_ahead("ann", 4)
    assert len({frozenset((asked.left, asked.right)) for asked in questions}) == 4
    assert study.ask_ahead("ann", 2) == questions[:2]
    turn = study.turn(questions[1], "left", ahead=2)
    assert (turn.question, turn.ahead) == (questions[0], questions[2:])
    with pytest.raises(InvalidInput, match="count must be a whole number of at least 1"):
        study.ask_ahead("ann", 0)


def test_a_judge_gets_other_pairs_also_where_all_are_asked_of_somebody(tmp_path: Path) -> None:
    """Of three items there are three pairs, all open: a fourth judge is asked about each of them in turn."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        for judge in ("ann", "bob", "eve"):
            study.ask_ahead(judge, 3)
        pairs = []
        for _ in range(3):
            question = study.ask("zoe")
            pairs.append(frozenset((question.left, question.right)))
            study.tell(question, "skip")
        assert len(set(pairs)) == 3
