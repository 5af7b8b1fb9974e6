"""What the judges who read would say if all of them were asked about every pair at every prompt."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

from examples.leaderboard.judges import READERS, found_in
from examples.leaderboard.models import MODELS, Prompt


def questions(prompts: tuple[Prompt, ...]) -> int:
    """Return how many answers that would take."""
    return len(READERS) * len(prompts) * len(list(combinations(MODELS, 2)))


def shares(prompts: tuple[Prompt, ...]) -> dict[str, float]:
    """Return the share of its comparisons that each model is expected to win; ties are ignored."""
    won = dict.fromkeys(MODELS, 0.0)
    for first, second in combinations(MODELS, 2):
        share = _share(first, second, prompts)
        won[first] += share
        won[second] += 1 - share
    return {name: value / (len(MODELS) - 1) for name, value in won.items()}


def in_order(order: list[str], wanted: dict[str, float]) -> int:
    """Return how many pairs stand in the order of their shares."""
    return sum(wanted[upper] >= wanted[lower] for upper, lower in combinations(order, 2))


def _share(first: str, second: str, prompts: tuple[Prompt, ...]) -> float:
    """Return the mean probability, over judges and prompts, that the first model is preferred."""
    total = 0.0
    for judge in READERS:
        error = NormalDist(sigma=judge.noise * 2**0.5)
        for prompt in prompts:
            one, other = (
                judge.worth(found_in(MODELS[name][1](prompt), prompt.key)) for name in (first, second)
            )
            total += error.cdf(one - other)
    return total / len(prompts) / len(READERS)
