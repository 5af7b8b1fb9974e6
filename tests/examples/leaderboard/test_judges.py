"""The judges of the leaderboard judge what stands on the sheets, and nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np

from examples.leaderboard.consensus import in_order, questions, shares
from examples.leaderboard.judges import COIN, READERS, found_in
from examples.leaderboard.models import MODELS, answers_on, read_prompts, sheet

PROMPTS = read_prompts()
SHEETS = {name: sheet(style, PROMPTS) for name, (_, style) in MODELS.items()}


def test_a_right_answer_has_its_key_and_a_mistake_has_not() -> None:
    """Of every prompt; and a sheet holds the answers to all prompts."""
    for prompt in PROMPTS:
        assert prompt.key in prompt.answer.lower()
        assert prompt.key not in prompt.mistake.lower()
    for name, (_, style) in MODELS.items():
        assert answers_on(SHEETS[name]) == {prompt.prompt: style(prompt) for prompt in PROMPTS}


def test_what_is_found_in_an_answer() -> None:
    """Reasons, examples, doubt and flattery are seen where they are."""
    prompt = PROMPTS[0]
    seen = {name: found_in(style(prompt), prompt.key) for name, (_, style) in MODELS.items()}
    assert seen["Heron"]["reason"] == seen["Heron"]["example"] == 1
    assert seen["Wren"]["reason"] == 1
    assert seen["Wren"]["example"] == 0
    assert seen["Magpie"]["flattery"] == 1
    assert seen["Finch"]["doubt"] == 1
    assert seen["Dunnock"]["right"] == 0


def test_readers_prefer_the_better_sheet_and_the_coin_does_not() -> None:
    """Whichever side it stands on."""
    random = np.random.default_rng(0)
    for judge in READERS:
        chosen = Counter(judge.choice(SHEETS["Heron"], SHEETS["Dunnock"], PROMPTS, random) for _ in range(50))
        assert chosen["left"] >= 45
        chosen = Counter(judge.choice(SHEETS["Dunnock"], SHEETS["Heron"], PROMPTS, random) for _ in range(50))
        assert chosen["right"] >= 45
    chosen = Counter(COIN.choice(SHEETS["Heron"], SHEETS["Dunnock"], PROMPTS, random) for _ in range(200))
    assert 70 <= chosen["left"] <= 130


def test_the_strict_judge_calls_two_wrong_answers_both_bad() -> None:
    """Others do not."""
    random = np.random.default_rng(0)
    for judge in READERS:
        said = {judge.choice(SHEETS["Dunnock"], SHEETS["Dunnock"], PROMPTS, random) for _ in range(20)}
        assert ("both_bad" in said) == judge.strict


def test_the_consensus_is_about_every_pair() -> None:
    """Shares are one half on average, and every pair of the consensus is in its own order."""
    wanted = shares(PROMPTS)
    assert abs(sum(wanted.values()) / len(wanted) - 0.5) < 1e-12
    assert questions(PROMPTS) == 5 * 28 * 12
    best_first = sorted(wanted, key=lambda name: -wanted[name])
    assert best_first[0] == "Heron"
    assert in_order(best_first, wanted) == 28
    assert in_order(best_first[::-1], wanted) == 0
