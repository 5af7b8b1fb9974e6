"""The log of a coactive study in words."""

from __future__ import annotations

from pathlib import Path

from penchant.study import Study


def test_presentations_clicks_and_what_was_taken_back(tmp_path: Path) -> None:
    """Who, what and whether it counts; of a user who was forgotten there is no name."""
    films = [{"id": name, "long": float(number)} for number, name in enumerate("abc")]
    with Study.create(tmp_path / "s.db", films, kind="coactive", seed=1) as study:
        shown = study.present(["a", "b", "c"], user="zoe", interleave="baseline")
        given = study.feedback(shown, clicked=["c", "b"])
        undo = study.undo(given.id)
        study.undo(undo)
        study.feedback(study.present(["a", "b"]), better="b")
        found = {entry.id: entry for entry in study.history()}
        assert found[shown.id].words == "3 candidates presented, interleaved with another order"
        assert (found[given.id].who, found[given.id].words, found[given.id].stands) == (
            "zoe",
            "2 clicks",
            True,
        )
        assert found[undo].words == "taken back: 2 clicks"
        assert found[undo].stands is False
        newest = study.history(limit=1)[0]
        assert (newest.words, newest.who) == ("a better candidate", "")
        study.forget("zoe")
        assert {entry.who for entry in study.history()} == {""}
        assert study.history(limit=1)[0].words == "a user was forgotten"
