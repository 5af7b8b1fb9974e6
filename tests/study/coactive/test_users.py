"""What users were presented, and gave."""

from __future__ import annotations

from pathlib import Path

from penchant.study.coactive import CoactiveStudy


def test_activity_counts_what_stands(path: Path) -> None:
    """Presentations, those with feedback, and rounds learned; nobody's and forgotten users' are not listed."""
    now = [10.0]
    films = {"a": {"x": 1.0}, "b": {"y": 1.0}}
    with CoactiveStudy.create(path, seed=1, clock=lambda: now[0]) as study:
        assert study.user_activity() == ()
        study.present(films)
        for user in ("ann", "bob", "bob"):
            shown = study.present(films, user=user)
            study.feedback(shown, clicked=["b"])
            study.feedback(shown, better="a")
        study.undo()
        now[0] = 20.0
        silent = study.present(films, user="bob", learn=False)
        study.feedback(silent, clicked=[])
        bob, ann = study.user_activity()
        assert (bob.user, bob.presentations, bob.answered, bob.rounds, bob.last) == ("bob", 3, 3, 3, 20.0)
        assert (ann.user, ann.presentations, ann.answered, ann.rounds, ann.last) == ("ann", 1, 1, 2, 10.0)
        study.forget("bob")
        assert [activity.user for activity in study.user_activity()] == ["ann"]
