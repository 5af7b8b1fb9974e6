"""`penchant check` of a coactive study."""

from __future__ import annotations

import json
from pathlib import Path

from penchant.study.coactive import CoactiveStudy
from tests.cli.typed import run


def test_it_reports_the_fold_the_learning_curve_and_who_wins(search: Path) -> None:
    """The figures are those of Python."""
    assert "Interleaved" not in run("check", search).out
    with CoactiveStudy.open(search) as study:
        for _ in range(20):
            shown = study.present(list(study.items), user="ann", interleave="baseline")
            study.feedback(shown, clicked=["up"])
        curve, winner = study.learning_curve(), study.interleaving()
    done = run("check", search)
    assert "20 presentations, 20 with feedback; 20 rounds learned; 3 items, 1 user" in done.out
    assert "state and models are those of 42 events, folded again" in done.out
    assert "17 to 20" in done.out
    assert "Interleaved: the learned order wins" in done.out
    assert done.last == f"Next: penchant weights {search}"
    found = json.loads(run("check", search, "--json").out)
    assert (found["kind"], found["ok"], found["users"]) == ("coactive", True, 1)
    assert found["learning_curve"]["first"] == curve.first
    assert found["interleaving"]["interval"] == list(winner.interval)
    assert found["interleaving"]["wins"] == winner.wins
