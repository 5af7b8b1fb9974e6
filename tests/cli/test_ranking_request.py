"""What was asked of ``penchant rank``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penchant.cli.outputs import PRINTED
from penchant.cli.ranking_request import PACKED, Outputs, Request
from penchant.cli.voting import Voting
from penchant.errors import InvalidInput

PRINTS = Outputs(50, json=False, csv=None, plot=None, matrix=None)


def request(file: Path = Path("votes.csv"), voting: Voting | None = None, **typed: Any) -> Request:
    return Request(file, {}, voting or Voting(), PRINTS, **typed)


def test_the_words_name_what_was_typed_and_nothing_else() -> None:
    """Defaults are left out; a setting that was given twice is there twice."""
    assert request().again == ["rank", "votes.csv"]
    typed = request(voting=Voting(side=True), model="thurstone", level=0.9, setting=("a=1", "b=2"))
    assert typed.again == [
        *("rank", "votes.csv", "--model", "thurstone", "--level", "0.9"),
        *("--set", "a=1", "--set", "b=2", "--side"),
    ]


def test_a_study_answers_by_its_belief_unless_a_fit_was_asked_for() -> None:
    """Each option that needs a fit of the answers says so; a scale does not."""
    assert request().asks_only_for_the_study
    assert request(voting=Voting(scale="elo")).asks_only_for_the_study
    for typed in ({"model": "crowd"}, {"prior": "0"}, {"bootstrap": 50}, {"setting": ("a=1",)}):
        assert not request(**typed).asks_only_for_the_study
    assert not request(voting=Voting(side=True)).asks_only_for_the_study


def test_a_packed_file_is_large_sooner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is packed takes more memory than its bytes; a file that is not there is not large."""
    monkeypatch.setattr("penchant.cli.ranking_request.LARGE", 100)
    monkeypatch.setitem(PACKED, ".gz", 10)
    for name, large in (("votes.csv", False), ("votes.csv.gz", True)):
        (tmp_path / name).write_bytes(b"x" * 50)
        assert request(tmp_path / name).is_large is large
    assert not request(tmp_path / "none.csv").is_large


def test_options_that_exclude_one_another_are_rejected_before_anything_is_read() -> None:
    """The file need not be there."""
    with pytest.raises(InvalidInput, match="bootstrap must not be given with covariates or boards"):
        request(voting=Voting(by="kind"), bootstrap=50).check()


def test_a_table_on_the_standard_output_is_for_programs() -> None:
    """As JSON is; a table in a file is not."""
    printed = Outputs(50, json=False, csv=PRINTED, plot=None, matrix=None)
    assert printed.are_for_programs
    assert Outputs(50, json=True, csv=None, plot=None, matrix=None).are_for_programs
    assert not Outputs(50, json=False, csv=Path("table.csv"), plot=None, matrix=None).are_for_programs
