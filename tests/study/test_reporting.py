"""Reports of a running study: reasons, predictions, races, checks and judges."""

from __future__ import annotations

from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput, UnknownItem
from penchant.gp import MonotoneGP
from penchant.preferences import Preferences
from penchant.study import Study
from penchant.worth import BradleyTerry, Thurstone

WORTH = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0, "e": -2.0}


@pytest.fixture
def study(tmp_path: Path) -> Any:
    """Five items, sixty answers of three judges, a skip and an answer about no item."""
    clock = [1e9]
    rng = np.random.default_rng(0)
    with Study.create(tmp_path / "s.db", list(WORTH), seed=1, clock=lambda: clock[0]) as study:
        for number in range(60):
            question = study.ask(f"j{number % 3}")
            clock[0] += 5.0
            left = rng.random() < 1 / (1 + np.exp(WORTH[question.right] - WORTH[question.left]))
            study.tell(
                question,
                "skip" if number == 7 else "both_bad" if number == 9 else "left" if left else "right",
            )
        yield study


def test_reasons_add_up_to_the_difference_of_the_ranking(study: Study) -> None:
    """With the answers about a pair counted, and the titles of items."""
    ranking = study.rank()
    best, last = ranking.items[0], ranking.items[-1]
    found = study.why(best, last, most=3)
    assert found.difference == pytest.approx(ranking.scores[0] - ranking.scores[-1], abs=1e-9)
    groups = (found.answers, found.links, found.features)
    assert fsum(weight for group in groups for _, weight in group) == pytest.approx(
        found.difference, abs=1e-9
    )
    assert found.answers[-1][0].endswith("other pairs")
    assert repr(found).startswith(f"{best} above {last} by ")
    with pytest.raises(UnknownItem):
        study.why("a", "x")


@pytest.mark.parametrize("model", ["bradley-terry", "thurstone", BradleyTerry(prior=0)])
def test_every_model_of_worth_gives_reasons(tmp_path: Path, model: Any) -> None:
    """One without a prior has no weights of single answers, and names all together."""
    with Study.create(tmp_path / "s.db", list("abc"), seed=1, model=model) as study:
        for _ in range(12):
            question = study.ask()
            study.tell(question, "left" if question.left < question.right else "right")
        for choice in ("left", "right"):  # so that there is a maximum of the likelihood
            study.tell(study.ask("other"), choice)
        found = study.why("a", "c")
        groups = (found.answers, found.links, found.features)
        assert fsum(weight for group in groups for _, weight in group) == pytest.approx(
            found.difference, abs=1e-9
        )
        assert found.features == ()


def test_predictions_are_of_the_answers_that_count(study: Study) -> None:
    """Recorded as they came or computed anew, all or the last; what is no comparison is counted."""
    found = study.predictions()
    assert (len(found), found.both_bad, found.skips) == (58, 1, 1)
    assert len(study.predictions(last=20)) == 20
    study._current._learning._record = None  # as after an old answer was taken back
    again = study.predictions()
    assert again.probabilities == pytest.approx(found.probabilities, abs=1e-12)
    study.set_aside("j1")
    assert len(study.predictions()) < 58


def test_a_race_compares_models_on_the_same_answers(study: Study) -> None:
    """The study's own model has the losses of its predictions; models are named, or named by their settings."""
    race = study.race()
    assert set(race.models) == {"bradley-terry", "thurstone"}
    assert (race.answers, race.left_out) == (58, 2)
    own = race.losses[race.models.index("bradley-terry")]
    assert own == pytest.approx(study.predictions().losses, abs=1e-12)
    two = study.race([Thurstone(prior=1.0), "thurstone"], last=30)
    assert set(two.models) == {"thurstone", "thurstone 2"}
    assert two.answers == 30
    named = study.race({"weak": BradleyTerry(prior=0.01), "strong": BradleyTerry(prior=10.0)})
    assert set(named.models) == {"weak", "strong"}
    assert study.rank().model.startswith("BradleyTerry")


def test_the_name_of_the_own_model_means_its_settings(tmp_path: Path) -> None:
    """In a list and in a mapping; a model itself has its own settings."""
    with Study.create(tmp_path / "own.db", list("abcd"), model=BradleyTerry(prior=2.0), seed=1) as study:
        for _ in range(12):
            study.tell(study.ask("ann"), "left")
        own = study.predictions().losses
        others = ["thurstone", "bradley-terry", BradleyTerry()]
        found = study.race(others)
        losses = dict(zip(found.models, found.losses, strict=True))
        assert losses["bradley-terry"] == pytest.approx(own, abs=1e-12)
        assert losses["bradley-terry 2"] != pytest.approx(own, abs=1e-3)
        (named,) = study.race({"mine": "bradley-terry"}).losses
        assert named == pytest.approx(own, abs=1e-12)


def test_an_own_model_that_needs_settings_races_by_its_name(tmp_path: Path) -> None:
    """A monotone GP has no usual settings for the columns that increase."""
    cars = [{"title": name, "speed": speed} for name, speed in zip("abcd", (1.0, 2.0, 3.0, 4.0), strict=True)]
    model = MonotoneGP(increasing=["speed"])
    with Study.create(tmp_path / "cars.db", cars, features=["speed"], model=model, seed=1) as study:
        for _ in range(4):
            study.tell(study.ask("ann"), "left")
        assert study.race(["monotone-gp", "thurstone"]).answers == 4


def test_models_that_cannot_race_are_rejected(study: Study) -> None:
    """One that needs features where none are named, an unknown one, and a name instead of a list."""
    with pytest.raises(
        InvalidInput, match=r"^features must name the features that preference-gp learns from"
    ):
        study.race(["preference-gp"])
    with pytest.raises(InvalidInput, match=r"^model must be one of bradley-terry"):
        study.race(["elo"])
    with pytest.raises(InvalidInput, match=r"^models must be a list of models, got 'thurstone': put it into"):
        study.race("thurstone")
    with pytest.raises(InvalidInput, match=r"^models must be at least one"):
        study.race([])


def test_all_checks_of_a_study_are_reported(study: Study) -> None:
    """The fold of the log first; a study that went well has no failed check."""
    checks = study.check()
    assert checks.checks[0].name == "fold of the log"
    assert len(checks) == 10
    assert checks.ok
    assert checks["skips"].value == pytest.approx(1 / 60)
    assert checks["time to read"].passed


def test_repeats_and_retired_items_reach_the_checks(tmp_path: Path) -> None:
    """Questions asked again on purpose are compared, and a retired item needs no comparison."""
    with Study.create(tmp_path / "s.db", list("abcdef"), seed=1, repeats=0.5) as study:
        for _ in range(100):
            question = study.ask()
            study.tell(question, "left" if question.left < question.right else "right")
        study.add_items(["new"])
        assert study.check()["connected"].passed is False
        study.retire("new")
        checks = study.check()
        assert checks["connected"].passed
        assert checks["repeat agreement"].passed
        assert checks["repeat agreement"].value == 1.0


def test_imported_answers_have_no_times_and_perhaps_no_sides(tmp_path: Path) -> None:
    """They count by their weight in reasons, and are not checked for what is not known of them."""
    answers = Preferences.from_pairs([("a", "b"), ("b", "c"), ("a", "c")] * 10, weight=[2.0] * 30)
    with Study.create(tmp_path / "s.db", list("abc"), answers=answers) as study:
        checks = study.check()
        assert checks["time to read"].passed is None
        assert checks["left share"].passed is None
        assert any("20 times" in what for what, _ in study.why("a", "c").answers)
        assert len(study.judges()) == 0


def test_judges_are_those_whose_answers_count(study: Study) -> None:
    """With the confidence level that is asked for."""
    assert set(study.judges().judges) == {"j0", "j1", "j2"}
    study.set_aside("j1")
    found = study.judges(level=0.9)
    assert set(found.judges) == {"j0", "j2"}
    assert found.level == 0.9


def test_an_answer_that_both_are_bad_is_one_answer(study: Study) -> None:
    """Though it compares both items with the bar; skips are not counted."""
    found = study.judges()
    given = dict.fromkeys(found.judges, 0)
    for answer in study.answers():
        given[answer.question.judge] += answer.choice != "skip"
    assert dict(zip(found.judges, found.answers.tolist(), strict=True)) == given
    assert sum(given.values()) == 59


def test_reports_change_nothing(study: Study) -> None:
    """The number of events and the ranking are as before, and the study goes on."""
    before = study.revision(), study.rank().to_json()
    study.check()
    study.race(last=10)
    study.why("a", "b")
    assert (study.revision(), study.rank().to_json()) == before
    study.tell(study.ask(), "left")
    assert study.revision() == before[0] + 2


def test_a_model_with_features_and_links_divides_the_difference_among_them(tmp_path: Path) -> None:
    """Reasons of all three kinds add up, and models that need features race with the others."""
    rng = np.random.default_rng(0)
    items = [
        {"title": f"car {row}", "id": f"i{row}", "range": float(value), "links": {f"i{(row + 1) % 8}": 1.0}}
        for row, value in enumerate(rng.uniform(1, 5, 8))
    ]
    longer = {item["id"]: item["range"] for item in items}
    with Study.create(tmp_path / "s.db", items, seed=1, features=["range"]) as study:
        for _ in range(16):
            question = study.ask()
            study.tell(question, "left" if longer[question.left] > longer[question.right] else "right")
        found = study.why("i0", "i4")
        assert [what for what, _ in found.features] == ["range"]
        assert found.links
        assert all(what.startswith("link with car ") for what, _ in found.links)
        groups = (found.answers, found.links, found.features)
        assert fsum(weight for group in groups for _, weight in group) == pytest.approx(
            found.difference, abs=1e-9
        )
        assert set(study.race().models) == {"linked-gp", "preference-gp", "bradley-terry", "thurstone"}
        assert study.check()["fold of the log"].passed
