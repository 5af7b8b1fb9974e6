"""Opening, reading and writing many rows, and predicting many, reports how far it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.cli.inputs import read_table
from penchant.formats import write_file
from penchant.progress import reported_to, with_progress
from penchant.rankers import RankBoost, RankSVM
from penchant.rankers.ranker import BLOCK, predicted, predicted_in_blocks
from penchant.study import CompareStudy, Study
from penchant.study.replay import replayed
from penchant.study.starting import ModelStart

ROWS = 3000


def steps_of(work: Callable[[], Any]) -> list[tuple[int, int]]:
    """Return what work reports, after checking that it never goes back or beyond the whole."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        work()
    shares = [done / total for done, total in steps]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    return steps


@pytest.fixture(scope="module")
def answers() -> Preferences:
    """Many comparisons of few items, with both sides."""
    rng = np.random.default_rng(0)
    left = rng.integers(6, size=ROWS)
    right = (left + 1 + rng.integers(5, size=ROWS)) % 6
    choice = np.where(rng.random(ROWS) < 0.7, "left", "right").tolist()
    names = [[f"item {number}" for number in side] for side in (left, right)]
    return Preferences.from_answers(*names, choice)


@pytest.fixture(scope="module")
def file(answers: Preferences, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that has learned all of them."""
    path = tmp_path_factory.mktemp("studies") / "study.db"
    with CompareStudy.create(path, list(answers.items)) as study:
        for number in range(0, ROWS // 2, 50):
            study.tell(study.ask("ann"), "left", event_id=f"a-{number}")
        study.import_answers(answers)
    return path


def test_things_are_counted_now_and_then() -> None:
    """Every 1,024, and few of them not at all; each is yielded."""
    assert steps_of(lambda: list(with_progress(range(2049), 2049))) == [(1024, 2049), (2048, 2049)]
    assert steps_of(lambda: list(with_progress(range(1024), 1024))) == []
    assert list(with_progress(iter("abc"), 3)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "name",
    [
        "out.csv",
        "out.jsonl",
        "out.parquet",
        "out.letor.txt",
        "ratings.csv",
        "orders.soc",
        "wide.csv",
        "order.sushi",
    ],
)
def test_writing_reports_rows(answers: Preferences, tmp_path: Path, name: str) -> None:
    """Each format that can hold many rows, whichever way they are written."""
    formats = {
        "out.letor.txt": "letor",
        "ratings.csv": "movielens",
        "wide.csv": "wide",
        "order.sushi": "sushi",
    }
    if name == "orders.soc":  # equal orders are written once, so that there are few
        assert steps_of(lambda: write_file(answers, tmp_path / "orders.soi")) == []
        return
    steps = steps_of(lambda: write_file(answers, tmp_path / name, format=formats.get(name)))
    assert steps
    assert steps[-1][1] == ROWS


def test_a_study_reports_its_events_and_answers(file: Path, tmp_path: Path) -> None:
    """Opening folds events, a race learns answers, and exports write rows."""
    copy = tmp_path / "events.jsonl"
    with CompareStudy.open(file, write=False) as study:
        events = study.last_event()
        exported = steps_of(lambda: study.export(tmp_path / "answers.csv", what="answers"))
        assert exported[-1][0] == 1024 * (len(study.answers()) // 1024)
        raced = steps_of(lambda: study.race(["bradley-terry", "thurstone"], last=None))
        assert raced[0][1] == 200  # two models, of a hundred steps each
        assert raced[-1][0] > 150
        steps_of(lambda: study.export(copy))
    opened = steps_of(lambda: Study.open(file, write=False).close())
    assert opened == [(done, events) for done in range(1024, events, 1024)]
    made = steps_of(lambda: Study.from_events(tmp_path / "copy.db", copy).close())
    assert (50, 200) in made  # the file has been read


def test_learning_reports_answers(answers: Preferences, file: Path) -> None:
    """Of those that are learned one by one."""
    with CompareStudy.open(file, write=False) as study:
        start = ModelStart.of(study._state)
        encoded = start.encode(study._state.comparisons.answers)
    steps = steps_of(lambda: replayed(start.learning(), encoded, None))
    assert (1024, len(encoded)) in steps


def test_a_table_reports_bytes(tmp_path: Path) -> None:
    """The standard reader of tables too."""
    path = tmp_path / "features.csv"
    path.write_text("item,x\n" + "".join(f"i{number},{number}\n" for number in range(ROWS)))
    size = path.stat().st_size
    assert (size, size) in steps_of(lambda: read_table(path))


def test_many_rows_are_predicted_in_blocks() -> None:
    """The answers are those of all rows at once, and the rows of a query stay together."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * BLOCK + 5, 3))
    qid = np.arange(len(X)) // 100
    boosted = RankBoost(n_estimators=2).fit(X[:200], X[:200, 0], qid=qid[:200] // 10)
    ordered = RankSVM().fit(X[:200], X[:200, 0], qid=qid[:200])
    after = 100 * (-(-BLOCK // 100)), 100 * (-(-2 * BLOCK // 100))
    cases = [
        (boosted, None, [0, BLOCK, 2 * BLOCK]),
        (ordered, qid, [0, *after][: 2 + (after[1] < len(X))]),
        (ordered, None, [0]),
        (ordered, np.roll(qid, 50), [0]),
    ]
    for ranker, queries, begins in cases:
        steps: list[tuple[int, int]] = []
        with reported_to(lambda *step, steps=steps: steps.append(step)):
            found = predicted_in_blocks(ranker, X, queries)
        assert steps == [(begin, len(X)) for begin in begins]
        np.testing.assert_allclose(found, predicted(ranker, X, queries), rtol=1e-12, atol=1e-12)
