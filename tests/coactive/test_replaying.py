"""Replaying a log: judged before it is learned from, against figures counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.coactive import NamedLearner, PreferencePerceptron, RankingMap, replay, replaying
from penchant.errors import InvalidInput
from penchant.formats import Presentation
from penchant.saving import to_bytes

FEATURES = ({"good": 1.0}, {"bad": 1.0}, {})


def presentation(presented: str, answer: str, *, by_clicks: bool = True, n_shown: int = 3) -> Presentation:
    """Three candidates a, b and c; only a has what is good, and only b what is bad."""
    return Presentation(1, "q", tuple("abc"), FEATURES, tuple(presented), n_shown, tuple(answer), by_clicks)


def fresh() -> NamedLearner:
    return NamedLearner(PreferencePerceptron(RankingMap(log="base2"), 1))


def test_rounds_are_judged_before_they_are_learned() -> None:
    """NDCG counts what was clicked, pairs those that the clicks turned round, with the weights of before."""
    found = replay([presentation("bca", "a"), presentation("bca", "a"), presentation("abc", "a")], fresh())
    third = 1 / np.log2(4)
    np.testing.assert_allclose(found.presented_ndcg, [third, third, 1.0])
    chance = (1 + 1 / np.log2(3) + third) / 3  # all scores are 0 at first
    np.testing.assert_allclose(found.ndcg, [chance, 1.0, 1.0])
    assert found.pairs.tolist() == [2, 2, 0]
    assert found.correct.tolist() == [0, 2, 0]
    assert found.changed.tolist() == [True, True, False]
    assert found.learner.rounds == 3
    assert found.new_names == ("good", "bad")


def test_a_correction_counts_what_it_moved_up() -> None:
    """From b, c, a to c, a, b both c and a are relevant; where nothing moves there is nothing to judge."""
    found = replay([presentation("bca", "cab", by_clicks=False)] * 2, fresh())
    assert found.pairs.tolist() == [2, 2]
    ideal = 1 + 1 / np.log2(3)
    np.testing.assert_allclose(found.presented_ndcg, (1 / np.log2(3) + 1 / np.log2(4)) / ideal)
    assert found.ndcg[1] == 1.0
    still = replay([presentation("bca", "bca", by_clicks=False), presentation("bca", "")], fresh())
    assert np.isnan(still.ndcg).all()
    assert not still.changed.any()
    assert still.progress()[-1]["changed"] == 0.0
    assert np.isnan(still.progress()[-1]["pair_accuracy"])


def test_what_was_not_shown_is_not_held_against_the_learner() -> None:
    """Only a and c were shown: b, which nobody could click, may stand anywhere."""
    learner = NamedLearner(PreferencePerceptron(RankingMap(), 2, weights=[1.0, 5.0]), ["good", "bad"])
    found = replay([presentation("cab", "a", n_shown=2)], learner)
    assert found.ndcg[0] == 1.0
    assert found.presented_ndcg[0] == pytest.approx(1 / np.log2(3))


def test_the_learner_that_was_given_stays_as_it_was() -> None:
    """A replay teaches a copy, and the same log gives the same bytes."""
    start = fresh()
    before = to_bytes(start)
    log = [presentation("bca", "a"), presentation("cba", "ab", by_clicks=False)]
    first, second = replay(log, start), replay(log, start)
    assert to_bytes(start) == before
    assert to_bytes(first.learner) == to_bytes(second.learner)
    assert first.correct.tolist() == second.correct.tolist()


def test_progress_is_told_at_powers_of_ten_and_at_the_end() -> None:
    """Averages over the first 1, 10 and all rounds; the last is what the repr says."""
    found = replay([presentation("bca", "a")] * 25, fresh())
    assert [row["rounds"] for row in found.progress()] == [1, 10, 25]
    assert [row["pair_accuracy"] for row in found.progress()] == pytest.approx([0, 18 / 20, 48 / 50])
    assert "pair accuracy 0.960, 100.0 % changed" in repr(found)
    assert len(replay([presentation("bca", "a")] * 10, fresh()).progress()) == 2


def test_rounds_are_rows_of_a_frame() -> None:
    """A table has one row a round, in the order of the log."""
    frame = replay([presentation("bca", "a"), presentation("abc", "a")], fresh()).to_frame()
    assert frame["changed"].tolist() == [True, False]
    assert list(frame) == ["ndcg", "presented_ndcg", "correct", "pairs", "changed"]


def test_a_log_that_cannot_be_learned_is_refused() -> None:
    """No presentation, numbers too large to add, and items that are none of the candidates, are named."""
    with pytest.raises(InvalidInput, match="at least one presentation"):
        replay([], fresh())
    huge = Presentation(1, "q7", ("a", "b"), ({"x": 1.7e308}, {"x": -1.7e308}), ("b", "a"), 2, ("a",), True)
    with pytest.raises(InvalidInput, match="presentation 'q7': "):
        replay([huge] * 2, fresh())
    with pytest.raises(InvalidInput, match="presentation 'q': answer must name its items, got 'z'"):
        replay([presentation("bca", "z")], fresh())
    with pytest.raises(InvalidInput, match="presentation 'q': presented must name its items, got 'z'"):
        replay([presentation("bcz", "a")], fresh())
    with pytest.raises(InvalidInput, match="presentation 'q': presented must have 3 entries"):
        replay([presentation("bc", "b")], fresh())


def learned_alone(log: list[Presentation], learner: NamedLearner) -> dict[str, float]:
    """The weights after the rounds, each learned on its own by the public methods."""
    taught = learner.copy()
    for page in log:
        place = {item: index for index, item in enumerate(page.items)}
        order = np.array([place[item] for item in page.presented])
        taught.update(page.features, order, [place[item] for item in page.answer], by_clicks=page.by_clicks)
    return taught.weights


@settings(max_examples=40, deadline=None)
@given(st.data())
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("averaged", [False, True])
def test_rounds_in_blocks_teach_what_rounds_alone_teach(averaged, scaled, data) -> None:
    """To the bit, whatever features join on the way, in blocks of any size, with a scaling that has centres or none."""
    names = st.sampled_from(["x", "y", "z", "new"])
    row = st.dictionaries(names, st.floats(-9, 9), max_size=4)
    log = []
    for line in range(data.draw(st.integers(1, 6))):
        features = tuple(data.draw(st.lists(row, min_size=1, max_size=4)))
        items = tuple("abcd"[: len(features)])
        order = tuple(data.draw(st.permutations(items)))
        answer = tuple(data.draw(st.lists(st.sampled_from(items), unique=True)))
        log.append(Presentation(line, str(line), items, features, order, len(items), answer, True))
    scaling = {"x": (1.0, 2.0), "new": (0.0, 3.0)} if scaled else None
    start = NamedLearner(PreferencePerceptron(RankingMap(), 1, averaged=averaged), scaling=scaling)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replaying, "_CANDIDATES", data.draw(st.sampled_from([1, 3, 1000])))
        patch.setattr(replaying, "_LARGEST_BLOCK", data.draw(st.sampled_from([0, 1_000_000])))
        found = replay(log, start)
    assert found.learner.weights == learned_alone(log, start)
