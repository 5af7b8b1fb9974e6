"""How sure an order is, and how many answers are left."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from penchant.ask import Settled, settled
from penchant.ask.stopping import MOST_ITEMS
from penchant.belief import NormalBelief
from penchant.errors import CannotLoad, InvalidInput
from penchant.gp import LinkedGP
from penchant.preferences import Preferences
from penchant.saving import from_bytes
from penchant.worth import BradleyTerry, Thurstone
from tests.ask.test_pairs import Believed, believed
from tests.saving.files import file_of_state


@given(st.floats(-2, 2), st.floats(0.2, 2), st.floats(0, 1))
def test_two_items_are_as_sure_as_their_difference(ahead: float, sd: float, width: float) -> None:
    """Of two items the probability is that of the better one not being more than the width behind."""
    belief = Believed(np.array([ahead, 0.0]), np.diag([sd**2 / 2, sd**2 / 2]))
    found = settled(belief, goal="exact", width=width, draws=20_000)
    assert found.value == pytest.approx(ndtr((abs(ahead) + width) / sd), abs=0.02)
    assert settled(belief, top=1, width=width, draws=20_000).value == found.value


def test_another_order_is_less_sure() -> None:
    """An order that is not that of the means can be judged, and is believed less."""
    belief = believed(5, 1)
    order = np.argsort(-belief.mean)
    assert settled(belief, order=order) == settled(belief)
    assert settled(belief, order=order[::-1]).value < settled(belief).value


def test_it_says_when_it_is_enough() -> None:
    """Known items are settled with nothing left; unknown ones are not, and more doubt takes more answers."""
    mean = np.arange(6.0)
    sure = settled(Believed(mean, 1e-6 * np.eye(6)), width=0.1)
    assert (sure.enough, sure.left, sure.left_range) == (True, 0, (0, 0))
    assert str(sure) == "100 % of pairs are expected in the right order or nearly equal: it is enough"
    exact = settled(Believed(mean, 1e-6 * np.eye(6)), goal="exact", width=0.1)
    assert str(exact) == "the order is 100 % sure: it is enough"
    less, least = (settled(Believed(mean, scale * np.eye(6)), top=2) for scale in (0.6, 3.0))
    assert not less.enough
    assert 1 <= less.left < least.left
    assert least.left_range[0] <= least.left <= least.left_range[1]
    assert str(least).startswith("the top 2 is ")


@given(st.integers(2, 6), st.integers(0, 1000), st.floats(0.3, 0.9))
def test_whether_it_is_enough_can_be_asked_alone(n_items: int, seed: int, level: float) -> None:
    """The short answer is that of the long one."""
    belief = believed(n_items, seed)
    long = settled(belief, top=1, level=level, draws=300, seed=seed)
    short = settled(belief, top=1, level=level, draws=300, seed=seed, remaining=False)
    assert (short.enough, short.value, short.left) == (long.enough, long.value, 0)


def test_a_whole_order_resists_the_more_the_surer_it_is() -> None:
    """A whole order needs more answers than its top, where what is foreseen is the same."""
    belief = Believed(np.array([0.3, -0.3]), np.eye(2))  # of two items the top is the order
    order, top = settled(belief, goal="exact"), settled(belief, top=1)
    assert order.value == top.value
    assert order.left > top.left
    assert order.left_range[1] > top.left_range[1]


def test_the_order_is_judged_by_its_correlation() -> None:
    """Two items of which the better one is ahead with probability p have the expected correlation 2p − 1."""
    belief = Believed(np.array([1.0, 0.0]), np.diag([0.5, 0.5]))
    found = settled(belief, width=0.0, draws=20_000)
    assert (found.goal, found.level) == ("order", 0.9)
    assert found.value == pytest.approx(2 * ndtr(1.0) - 1, abs=0.02)
    assert settled(Believed(belief.mean, belief.covariance() / 100), width=0.0).enough


@pytest.mark.parametrize(("goal", "top"), [("order", 1), ("exact", 1), ("top", None), ("best", None)])
def test_a_goal_and_a_top_must_agree(goal: str, top: int | None) -> None:
    """Top is for the goal of that name alone, which needs it; other goals are named."""
    with pytest.raises(InvalidInput, match=r"top must be given|goal must be one of"):
        settled(believed(3, 0), goal=goal, top=top)


def test_the_usual_width_is_sixty_percent_of_the_answers() -> None:
    """Without a width, items count as tied when the better one gets at most 60 % of the answers."""
    noise = 0.7
    width = settled(believed(3, 0), noise=noise).width
    assert ndtr(width / (np.sqrt(2) * noise)) == pytest.approx(0.6)


def test_the_border_line_needs_more_than_the_level() -> None:
    """A probability that exceeds the level by less than two standard errors is not enough yet."""
    told = {"level": 0.95, "left": 1, "left_range": (1, 2), "top": None, "width": 0.1}
    assert not Settled("exact", 0.955, 0.003, **told).enough  # type: ignore[arg-type]
    assert Settled("exact", 0.957, 0.003, **told).enough  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "left_range", "words"),
    [
        (0.4, (30, 150), "the order is 40 % sure: about 60 more answers (30 to 150) for 95 %"),
        (0.4, (30, 151), "the order is 40 % sure, 95 % is enough: far from settled"),
        (0.8, (1, 4685), "the order is 80 % sure, 95 % is enough: not settled yet, and not clear how soon"),
    ],
)
def test_a_range_that_says_little_is_not_shown(value: float, left_range: tuple[int, int], words: str) -> None:
    """How many answers are left is shown where it is known to a factor of five; otherwise words stand there."""
    assert str(Settled("exact", value, 0.01, 0.95, 60, left_range, None, 0.1)) == words


def test_answers_left_that_were_not_estimated_are_not_shown() -> None:
    """Without the estimate the text names the level and no number of answers."""
    words = str(settled(believed(3, 0), remaining=False))
    assert words.endswith("95 % is enough: not settled yet")
    assert "more answers" not in words


@pytest.mark.parametrize("top", [None, 2])
@pytest.mark.parametrize("n_ties", [1, 8, 200])
def test_ties_alone_are_named_as_what_cannot_settle_it(top: int | None, n_ties: int) -> None:
    """However many ties there are, they leave the scale of the scores open; the text says so, and what would help."""
    rows = np.arange(n_ties)
    ties = Preferences.from_pairs(
        np.column_stack([rows % 6, (rows + 1) % 6]), tie=np.ones(n_ties, dtype=bool), items=range(6)
    )
    for belief in (BradleyTerry().update(ties), BradleyTerry().live(ties), Thurstone().live(ties)):
        found = settled(belief, top=top)
        assert found.only_ties
        assert not found.enough
        assert (found.left, found.left_range) == (0, (0, 0))
        assert str(found).endswith(
            "all answers are ties, which do not show how far apart items are; decided answers would"
        )
    decided = BradleyTerry().live(ties + Preferences.from_pairs([(0, 1)], items=range(6)))
    assert not settled(decided, top=top).only_ties


def test_of_very_many_items_the_top_alone_can_be_settled() -> None:
    """Only items that may reach the top are drawn; the whole order is rejected."""
    n_items = MOST_ITEMS + 500
    model = LinkedGP(scale=1.0).fit(n_items=n_items)
    with pytest.raises(InvalidInput, match="give top"):
        settled(model)
    found = settled(Far(n_items), top=1, draws=200)
    assert found.value == 1.0


class Far(NormalBelief):
    """One item far above the others."""

    noise_ = 1.0

    def __init__(self, n_items: int) -> None:
        self.mean = np.where(np.arange(n_items) == 7, 50.0, 0.0)

    def variance(self, rows: Any = None) -> Any:
        return np.ones(len(self.mean))

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        assert len(rows) <= MOST_ITEMS
        return np.eye(len(rows))


def test_about_as_many_answers_are_left_as_it_says() -> None:
    """Two items a known distance apart: the estimate is within a factor of three of a plain sequential test."""
    found = settled(Believed(np.array([0.5, -0.5]), 4 * np.eye(2)), top=1, noise=0.5**0.5)
    needed = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        ahead = random.normal(1.0, np.sqrt(8))
        model = LinkedGP(scale=2.0).fit(n_items=2)
        count = 0
        while count < 400:
            count += 1
            first = random.random() < ndtr(ahead)
            model.update(*((0, 1) if first else (1, 0)))
            sd = float(np.sqrt(np.diff(model.covariance().dot([1, -1]) * [-1, -1]).item()))
            if ndtr((abs(np.diff(model.mean).item()) + ndtri(0.6)) / sd) >= 0.95:
                break
        needed.append(count)
    assert found.left_range[0] / 3 <= np.median(needed) <= found.left_range[1] * 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"top": 3}, "top must be a whole number from 1 to 2"),
        ({"top": 0}, "top must be a whole number from 1 to 2"),
        ({"width": -0.1}, "width must be a number of at least 0"),
        ({"width": float("nan")}, "width must be a number of at least 0"),
        ({"level": 1.0}, "level must be a number between 0 and 1"),
        ({"draws": 0}, "draws must be a whole number of at least 10"),
        ({"order": [0, 1]}, "each of the 3 items once"),
        ({"order": [0, 1, 1]}, "each of the 3 items once"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], words: str) -> None:
    """Tops, widths, levels and orders that cannot be are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        settled(believed(3, 0), **wrong)


def test_one_item_has_no_order() -> None:
    """A single item is rejected."""
    with pytest.raises(InvalidInput, match="at least 2 items, got 1"):
        settled(believed(1, 0))


def test_what_is_just_reached_is_said_to_be_on_the_border() -> None:
    """A value at the level, but not by the margin, does not read as a contradiction."""
    told = str(Settled("top", 0.951, 0.004, 0.95, 3, (1, 9), 2, 0.1))
    assert told == "the top 2 is 95 % sure: on the border of enough, a few more answers will tell"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"noise": float("nan")}, "noise must be a number above 0"),
        ({"noise": 0.0}, "noise must be a number above 0"),
        ({"draws": 1}, "draws must be a whole number"),
        ({"draws": 10.5}, "draws must be a whole number"),
        ({"top": True}, "top must be a whole number from 1"),
        ({"top": 1.5}, "top must be a whole number from 1"),
    ],
)
def test_nonsense_is_named(wrong: dict[str, Any], message: str) -> None:
    """An argument that makes no sense is rejected before anything is drawn."""
    with pytest.raises(InvalidInput, match=message):
        settled(believed(3, 0), **wrong)


def test_it_says_of_how_many_answers_it_speaks() -> None:
    """By default half of the answers' counts, since each counts for two items; or what the caller says."""
    model = LinkedGP(scale=3.0).fit(n_items=3).update([0, 1, 0], [1, 2, 2])
    assert settled(model).answers == 3
    assert settled(model, remaining=False, answers=7).answers == 7
    assert settled(believed(3, 0)).answers is None  # a belief that counts nothing
    with pytest.raises(InvalidInput, match="answers must be a whole number of at least 0, got -1"):
        settled(model, answers=-1)


def test_a_file_without_the_number_of_answers_loads() -> None:
    """Files of versions that did not know it are read, and a field that was always there is still required."""
    found = settled(believed(3, 0), draws=100)
    state = {field.name: getattr(found, field.name) for field in fields(found)}
    del state["answers"]
    assert from_bytes(file_of_state("penchant.ask:Settled", state)) == found
    del state["width"]
    with pytest.raises(CannotLoad, match="width"):
        from_bytes(file_of_state("penchant.ask:Settled", state))
