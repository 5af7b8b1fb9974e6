"""Logs of presentations: what is read of a line, and every line that cannot be used by its number and reason."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import Presentation, PresentationLog, read_candidates, read_presentations

NAMED = [{"id": "a", "features": {"x": 1}}, {"id": "b", "features": {"y": 0.5}}, {"id": 3, "features": {}}]
LISTED = [{"id": "a", "features": [1, 0]}, {"id": "b", "features": [0, 2.5]}]
GOOD = {"id": "q", "candidates": NAMED, "presented": ["b", "a"], "clicked": ["a"]}


def written(path: Path, *lines: object) -> Path:
    """Write each line, as JSON unless it is text already."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_a_line_becomes_a_presentation(tmp_path: Path) -> None:
    """Ids are text, what was not shown stands below in the order of the candidates, clicks count once."""
    file = written(
        tmp_path / "log.jsonl", GOOD | {"clicked": [3, "a", 3]}, "", GOOD | {"improved": ["a", "b"]}
    )
    with pytest.warns(
        PenchantWarning, match="line 3: a line must have either clicked or improved, got clicked and"
    ):
        (found,) = read_presentations(file)
    assert (found.line, found.id, found.items) == (1, "q", ("a", "b", "3"))
    assert (found.presented, found.n_shown) == (("b", "a", "3"), 2)
    assert (found.answer, found.by_clicks) == (("3", "a"), True)
    assert found.features == ({"x": 1.0}, {"y": 0.5}, {})


def test_lists_of_numbers_have_numbers_as_names(tmp_path: Path) -> None:
    """The first number is feature 1; a line without an id is called by its number."""
    file = written(tmp_path / "log.jsonl", {"candidates": LISTED, "presented": ["a", "b"], "improved": ["b"]})
    (found,) = read_presentations(file)
    assert (found.id, found.by_clicks) == ("1", False)
    assert found.features == ({"1": 1.0, "2": 0.0}, {"1": 0.0, "2": 2.5})


@pytest.mark.parametrize("kind", ["clicked", "improved"])
def test_a_round_without_change_is_logged_as_an_empty_list(tmp_path: Path, kind: str) -> None:
    """Nothing clicked and nothing improved are answers, which put nothing first."""
    file = written(tmp_path / "log.jsonl", {"candidates": NAMED, "presented": ["b", "a"], kind: []})
    (found,) = read_presentations(file, strict=True)
    assert (found.answer, found.by_clicks) == ((), kind == "clicked")


def test_values_are_numbers_flags_or_categories(tmp_path: Path) -> None:
    """true and false are 1 and 0, a text is a category, and a line may say who answered."""
    features = {"x": True, "y": False, "colour": "red", "price": 2}
    line = {"candidates": [{"id": "a", "features": features}], "presented": ["a"], "clicked": [], "user": 7}
    (found,) = read_presentations(written(tmp_path / "log.jsonl", line), strict=True)
    assert found.features == ({"x": 1.0, "y": 0.0, "colour": "red", "price": 2.0},)
    assert found.user == "7"


NAMES = st.text("abc ü", min_size=1, max_size=3).filter(str.strip)
VALUES = st.floats(-1e100, 1e100) | st.text("xyz ö", max_size=3)


@given(data=st.data(), by_clicks=st.booleans(), user=st.none() | NAMES)
def test_what_is_written_is_read_again(data: st.DataObject, by_clicks: bool, user: str | None) -> None:
    """To the last bit of each number."""
    items = tuple(data.draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)))
    features = tuple(data.draw(st.dictionaries(NAMES, VALUES, max_size=3)) for _ in items)
    shown = data.draw(st.permutations(items))[: data.draw(st.integers(1, len(items)))]
    answer = tuple(data.draw(st.lists(st.sampled_from(items), unique=True)))
    order = tuple(dict.fromkeys((*shown, *items)))
    made = Presentation(1, "q", items, features, order, len(shown), answer, by_clicks, user)
    with tempfile.TemporaryDirectory() as folder:
        (found,) = read_presentations(written(Path(folder) / "log.jsonl", made.to_json()), strict=True)
    assert found == made


def test_an_order_that_no_log_holds_is_not_written() -> None:
    """What was not shown stands in the order of the candidates."""
    made = Presentation(1, "q", ("a", "b", "c"), ({}, {}, {}), ("a", "c", "b"), 1, (), True)
    with pytest.raises(InvalidInput, match="presented must end with what was not shown"):
        made.to_json()


def test_candidates_need_no_answer(tmp_path: Path) -> None:
    """Candidates alone, and a log, are read as candidates."""
    file = written(tmp_path / "log.jsonl", {"candidates": NAMED}, GOOD)
    assert [(found.id, len(found.items)) for found in read_candidates(file)] == [("1", 3), ("q", 3)]


WRONG = [
    ("nope", "not JSON"),
    ('{"candidates": [], "candidates": []}', "'candidates' stands twice"),
    ('{"candidates": [{"id": "a", "features": {"x": 1, "x": 2}}]}', "'x' stands twice"),
    ('{"candidates": [{"id": "http://a", "features": {"x" : 1, "x":2}}]}', "'x' stands twice"),
    ('{"candidates": [], "more": {"a": [{"x": 1, "x": 2}]}}', "'x' stands twice"),
    ("[1]", "an object must stand on each line"),
    ({"presented": ["a"]}, "candidates must be a list of objects"),
    (GOOD | {"candidates": []}, "candidates must be a list of objects"),
    (GOOD | {"candidates": [{"id": "a"}]}, "a candidate must have an id and features"),
    (GOOD | {"candidates": [*NAMED, NAMED[0]]}, "'a' twice"),
    (GOOD | {"candidates": [{"id": "a", "features": 1}]}, "must be named or a list of numbers"),
    (GOOD | {"candidates": [{"id": "a", "features": {"x": None}}]}, "feature 'x' of 'a' must be a number"),
    (GOOD | {"candidates": [{"id": "a", "features": {"x=y": "z"}}]}, "must have no = in its name"),
    (GOOD | {"candidates": [{"id": "a", "features": {"x": "z" * 201}}]}, "at most 200 characters"),
    (GOOD | {"candidates": [{"id": "a", "features": {"x": "z", "x=z": 1}}]}, "beside a feature 'x=z'"),
    (GOOD | {"candidates": [{"id": "a", "features": ["z"]}]}, "features of 'a' must be numbers within"),
    (GOOD | {"user": [1]}, "user must hold ids"),
    ('{"candidates": [{"id": "a", "features": {"x": NaN}}]}', "NaN is no number in JSON"),
    (
        '{"candidates": [{"id": "a", "features": {"x": 1e999}}]}',
        "must be a number within ±1e+100, true, false or a category, got inf",
    ),
    (GOOD | {"candidates": [{"id": "a", "features": {"x": 10**400}}]}, "must be a number within"),
    (GOOD | {"candidates": [{"id": "a", "features": {"x": -1e101}}]}, "must be a number within"),
    (GOOD | {"candidates": [NAMED[0], LISTED[1]]}, "got both or several"),
    (GOOD | {"candidates": [{"id": None, "features": {}}]}, "ids that are text or whole numbers"),
    (GOOD | {"presented": ["a", "z"]}, "presented must name candidates, got 'z': add it to them"),
    (GOOD | {"presented": ["a", "a"]}, "presented must name each item once"),
    (GOOD | {"presented": []}, "presented must be a list of items"),
    (GOOD | {"clicked": ["z"]}, "clicked must name candidates, got 'z'"),
    (GOOD | {"clicked": "a"}, "clicked must be a list of items"),
    ({"candidates": NAMED, "presented": ["a"]}, "either clicked or improved, got neither: give [] where"),
    (
        {"candidates": NAMED, "presented": ["a"], "improved": None},
        "empty where nothing was improved, got None",
    ),
    (
        {"candidates": LISTED, "presented": ["a"], "clicked": []},
        "features must be named as in the lines before",
    ),
]


@pytest.mark.parametrize(("line", "reason"), WRONG)
def test_a_line_that_cannot_be_used_is_named(line: object, reason: str, tmp_path: Path) -> None:
    """It is left out with its number and the reason; strict stops there; alone, it is no log."""
    log = PresentationLog(written(tmp_path / "log.jsonl", GOOD, line, GOOD))
    assert [found.line for found in log] == [1, 3]
    (refusal,) = log.refusals
    assert refusal.line == 2
    assert reason in refusal.reason
    with pytest.raises(InvalidInput, match=r"log.jsonl:2: .*: repair the line"):
        list(PresentationLog(log.source.path, strict=True))


def test_a_rejected_line_does_not_say_how_features_are_written(tmp_path: Path) -> None:
    """The first line that can be used decides; going through the log again finds the same."""
    bad = {"candidates": LISTED, "presented": ["z"], "clicked": []}
    other = {"candidates": [{"id": "a", "features": [1.0]}], "presented": ["a"], "clicked": []}
    log = PresentationLog(written(tmp_path / "log.jsonl", bad, GOOD, other))
    for _ in range(2):
        assert [found.line for found in log] == [2]
        assert [refusal.line for refusal in log.refusals] == [1, 3]
    assert log.refusals[1].reason.endswith("got a list of 1 numbers")


def test_no_usable_line_is_no_log(tmp_path: Path) -> None:
    """A file of which nothing can be used is rejected, with the first reasons."""
    with pytest.raises(
        InvalidInput, match=r"at least one usable line, got none \(2 rows rejected: line 1: not JSON"
    ):
        list(read_presentations(written(tmp_path / "log.jsonl", "nope", "nope")))
    with pytest.raises(InvalidInput, match="got nothing there"):
        list(read_presentations(tmp_path / "nothing.jsonl"))
