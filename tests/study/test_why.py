"""Explanations of the difference of two items."""

from __future__ import annotations

import json
from math import fsum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.study.columns import BAR_ROW, AnswerColumns
from penchant.study.why import Why, why
from penchant.worth import BradleyTerry


class LinearBelief:
    """A normal posterior of normal observations of differences: its contributions are exact."""

    def __init__(
        self, n_items: int, pairs: list[tuple[int, int, float]], prior: list[float] | None = None
    ) -> None:
        self.items_ = tuple(f"talk-{row}" for row in range(n_items))
        self.pairs = pairs
        rows = np.array([pair[:2] for pair in pairs], dtype=np.int64).ravel()
        self.counts_ = np.bincount(rows, minlength=n_items)
        self.prior = np.zeros(n_items) if prior is None else np.array(prior)
        contrasts = np.zeros((len(pairs), n_items))
        for k, (i, j, _) in enumerate(pairs):
            contrasts[k, i], contrasts[k, j] = 1.0, -1.0
        observed = np.array([seen for *_, seen in pairs]) - contrasts @ self.prior
        self._covariance = np.linalg.inv(np.eye(n_items) + contrasts.T @ contrasts)
        self.mean = self.prior + self._covariance @ (contrasts.T @ observed)

    def variance(self, rows: Any = None) -> Any:
        return self._covariance.diagonal()

    def covariance(self, rows: Any, columns: Any) -> Any:
        return self._covariance[np.ix_(rows, columns)]

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        along = self._covariance[a] - self._covariance[b]
        return [
            (i, j, float((seen - self.prior[i] + self.prior[j]) * (along[i] - along[j])))
            for i, j, seen in self.pairs
        ]


def total(found: Why) -> float:
    return fsum(weight for group in (found.answers, found.links, found.features) for _, weight in group)


seen_pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(-3, 3)).filter(lambda row: row[0] != row[1]),
    max_size=12,
)


@given(seen_pairs, st.lists(st.floats(-2, 2), min_size=5, max_size=5), st.integers(0, 13))
def test_the_weights_add_up_to_the_difference(
    pairs: list[tuple[int, int, float]], prior: list[float], most: int
) -> None:
    """However many are named, and with what belongs to the prior as a reason of its own."""
    belief = LinearBelief(5, pairs, prior)
    found = why(belief, "talk-0", "talk-3", most=most)
    assert found.difference == belief.mean[0] - belief.mean[3]
    assert total(found) == pytest.approx(found.difference, abs=1e-9)
    named = [abs(weight) for _, weight in found.answers[:most]]
    assert named == sorted(named, reverse=True)
    weighty = sum(weight != 0 for *_, weight in belief.contributions(0, 3))
    assert len(found.answers) == min(weighty, most + 1)


def test_a_pair_counts_for_the_side_that_won() -> None:
    """Heron beat Wren 19 of 28 times, less often than the other answers predict: that counts for Heron."""
    wins = {("heron", "wren"): (19, 9), ("heron", "ibis"): (14, 1), ("ibis", "wren"): (14, 1)}
    pairs = [pair for pair, (won, _) in wins.items() for _ in range(won)]
    pairs += [pair[::-1] for pair, (_, lost) in wins.items() for _ in range(lost)]
    belief = BradleyTerry().live(Preferences.from_pairs([*pairs, ("kite", "lark")]))
    found = why(belief, "heron", "wren")
    assert set(dict(found.answers)) == {
        "compared with wren",
        "compared with ibis",
        "wren compared with ibis",
    }
    assert min(weight for _, weight in found.answers) > 0
    assert found.features == ()
    assert total(found) == pytest.approx(found.difference, abs=1e-9)
    assert (
        found.difference
        == belief.mean[belief.items_.index("heron")] - belief.mean[belief.items_.index("wren")]
    )


def test_a_difference_of_prior_means_is_named() -> None:
    """Without answers, the prior is the only reason."""
    found = why(LinearBelief(2, [], [0.5, 0.2]), "talk-0", "talk-1")
    assert found.features == (("prior mean", pytest.approx(0.3)),)
    assert found.answers == ()


def test_rounding_is_no_reason() -> None:
    """Weights that miss the difference by rounding still add up, without a reason for it."""
    belief = LinearBelief(3, [(0, 1, 1.0), (1, 2, 1.0)])
    exact = belief.contributions
    belief.contributions = lambda a, b: [(i, j, weight * (1 + 1e-8)) for i, j, weight in exact(a, b)]
    found = why(belief, "talk-0", "talk-2")
    assert found.features == ()
    assert total(found) == pytest.approx(found.difference, abs=1e-9)


def test_a_belief_that_does_not_know_single_answers_names_all_together() -> None:
    """The whole difference then belongs to them, and not to the prior."""
    belief = LinearBelief(2, [(0, 1, 1.0)])
    belief.contributions = lambda a, b: []
    found = why(belief, "talk-0", "talk-1")
    assert found.answers == (("all answers together", found.difference),)
    assert found.features == ()


def test_the_difference_has_its_standard_deviation() -> None:
    """That of the two scores together."""
    belief = LinearBelief(3, [(0, 1, 1.0), (1, 2, 1.0)])
    c = belief._covariance
    assert why(belief, "talk-0", "talk-2").sd == pytest.approx(np.sqrt(c[0, 0] + c[2, 2] - 2 * c[0, 2]))


def test_reasons_are_told_of_the_items_in_question() -> None:
    """Of the first where it took part, else of the second, by titles, with how the answers went."""
    rows = [("0", "1", "left")] * 3 + [("1", "0", "left"), ("2", "1", "right"), ("2", "1", "tie")]
    rows += [("2", "0", "left")] * 2 + [("1", "3", "left"), ("3", "1", "left"), ("3", "2", "both_bad")]
    left, right, choice = zip(*rows, strict=True)
    columns = AnswerColumns.of(left, right, choice, items="0123")
    belief = LinearBelief(4, [(0, 1, 2.0), (2, 1, 0.7), (0, 2, -1.5), (1, 3, 0.3)])
    contributions = [*belief.contributions(0, 2), (2, BAR_ROW, 0.25), (1, 3, 0.01)]
    belief.contributions = lambda a, b: contributions
    found = why(
        belief, "talk-0", "talk-2", titles={"talk-1": "One", "talk-2": "T" * 60}, totals=columns.totals
    )
    second = "T" * 39 + "…"
    reasons = {what for what, _ in found.answers}
    assert reasons == {
        "beat One 3 of 4 times",
        f"{second} lost to One 1 of 2 times, tied once",
        f"lost to {second} twice",
        f"{second} was in both-bad answers once",
        "One beat talk-3 once, lost once",
    }
    assert (
        repr(found)
        .splitlines()[0]
        .startswith(f"talk-0 {'above' if found.difference >= 0 else 'below'} {second} by ")
    )
    assert any(line.endswith("  beat One 3 of 4 times") for line in repr(found).splitlines())


def test_pairs_that_only_tied_and_without_totals_are_told() -> None:
    """A tie is called one; without totals the pair is named."""
    columns = AnswerColumns.of(["0"], ["1"], ["tie"], items="01")
    belief = LinearBelief(2, [(1, 0, 0.5)])
    assert why(belief, "talk-0", "talk-1", totals=columns.totals).answers[0][0] == "tied with talk-1 once"
    assert why(belief, "talk-0", "talk-1").answers[0][0] == "compared with talk-1"


def test_links_and_features_come_from_a_belief_that_has_them() -> None:
    """`explain` divides the difference in three; weights of 0 are left out."""
    belief = LinearBelief(3, [(0, 1, 1.0)])
    rest = float(belief.mean[0] - belief.mean[1]) - 0.4
    belief.explain = lambda a, b: SimpleNamespace(
        answers=[(0, 1, 0.1)], links=[(2, 0.3), (1, 0.0)], features=[("range", rest), ("price", 0.0)]
    )
    found = why(belief, "talk-0", "talk-1")
    assert found.links == (("link with talk-2", 0.3),)
    assert [what for what, _ in found.features] == ["range"]
    assert any(line.endswith("  feature range") for line in repr(found).splitlines())
    assert total(found) == pytest.approx(found.difference, abs=1e-9)


def test_an_explanation_is_shown_as_text_frame_and_json() -> None:
    """All with the same reasons; the text names the rest."""
    belief = LinearBelief(4, [(0, 1, 2.0), (1, 2, 1.0), (3, 0, -0.5)])
    found = why(belief, "talk-0", "talk-2", most=1)
    state = json.loads(found.to_json())
    assert [row["what"] for row in state["answers"]] == [what for what, _ in found.answers]
    assert list(found.to_frame()["weight"]) == [weight for _, weight in found.answers]
    assert found.answers[-1][0] == "2 other pairs"
    assert (state["a"], state["titles"]) == ("talk-0", ["talk-0", "talk-2"])
    nothing = why(LinearBelief(2, []), "talk-0", "talk-1")
    assert repr(nothing).endswith(": no answer says anything about them")


def test_items_must_be_two_of_the_study() -> None:
    """Unknown ones and one twice are rejected."""
    belief = LinearBelief(2, [])
    with pytest.raises(UnknownItem, match=r"^a must be an item of the study, got 'x': list the items$"):
        why(belief, "x", "talk-0")
    with pytest.raises(InvalidInput, match=r"^b must differ from a, which is 'talk-0', got the same"):
        why(belief, "talk-0", "talk-0")
    with pytest.raises(InvalidInput, match=r"^most must be a whole number of at least 0"):
        why(belief, "talk-0", "talk-1", most=-1)


def test_weights_that_cancel_are_added_up() -> None:
    """A line has the sums of both signs where both are larger than the difference, and only there."""
    both = Why("a", "b", 1.0, 0.5, answers=(("x", 4.0), ("y", -3.5), ("z", 0.5)))
    assert repr(both).endswith("\nWeights pull both ways: +4.50 and -3.50 add up to +1.00.")
    below = Why("a", "b", -1.0, 0.5, answers=(("x", 2.0),), features=(("y", -3.0),))
    assert repr(below).endswith("\nWeights pull both ways: +2.00 and -3.00 add up to -1.00.")
    assert "Weights" not in repr(Why("a", "b", 3.0, 0.5, answers=(("x", 4.0), ("y", -1.0))))
