"""Studies with settings that no live belief covers fit their model anew, as the model alone would."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from penchant.preferences import Preferences
from penchant.study import Study
from penchant.study.refitted import Refitted
from penchant.worth import BradleyTerry, Thurstone


def test_it_is_the_model_fitted_to_all_answers() -> None:
    """Answers that come one by one, ties, both-bad answers and weights give what a fit of all gives."""
    first = Preferences.from_answers(list("ab"), list("bc"), ["left", "right"], items="abc")
    belief = Refitted(BradleyTerry(prior=0.0), first)
    belief.answer(0, 2, 2)
    belief.answer(0, 1, 1, 2.0)
    belief.answer(1, 2, 3)
    whole = Preferences.from_answers(
        ["a", "b", "a", "a", "b"],
        ["b", "c", "c", "b", "c"],
        ["left", "right", "tie", "right", "both_bad"],
        weight=[1, 1, 1, 2, 1],
        items="abc",
    )
    fitted = BradleyTerry(prior=0.0).update(whole)
    np.testing.assert_array_equal(belief.mean, fitted.mean)
    copied = belief.copy()
    copied.answer(0, 1, 0)
    np.testing.assert_array_equal(belief.mean, fitted.mean)
    assert belief.contributions(0, 1) == []


def test_a_study_with_such_a_model_works(tmp_path: Path) -> None:
    """Without a prior, and with errors by judge: asked, answered, taken back, ranked and opened again."""
    for number, model in enumerate((Thurstone(prior=0.0), BradleyTerry(errors="judge"))):
        place = tmp_path / f"{number}.db"
        with Study.create(place, ["a", "b", "c"], model=model, seed=1) as study:
            for _ in range(9):
                question = study.ask()
                study.tell(question, "left" if question.left < question.right else "right")
            study.undo()
            expected = study.rank().to_json()
            assert study.rank().items == ("a", "b", "c")
        with Study.open(place) as study:
            assert study.rank().to_json() == expected


def test_probabilities_are_of_left_right_and_tie() -> None:
    """They are those of the model in the order of the outcomes, and a tie is possible before the first."""
    first = Preferences.from_answers(
        list("abab"), list("bcba"), ["left", "right", "left", "left"], items="abc"
    )
    belief = Refitted(BradleyTerry(prior=0.1), first)
    untied = belief.outcome_probabilities(0, 1)
    assert 0 < untied[2] < 0.05
    np.testing.assert_allclose(untied.sum(), 1)
    np.testing.assert_allclose(belief.answer(0, 1, 2), np.log(untied[2]))
    left, tie, right = (
        BradleyTerry(prior=0.1)
        .update(first + Preferences.from_answers(["a"], ["b"], ["tie"], items="abc"))
        .outcome_probability("a", "b")
    )
    np.testing.assert_allclose(belief.outcome_probabilities(0, 1), [left, right, tie])
