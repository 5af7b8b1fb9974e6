"""Programs that judge: what each values in an answer, how carefully it reads, and one that does not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from examples.leaderboard.models import Prompt, answers_on

SENTENCE = 10
"""Words that count as one unit of length."""


class Judge(Protocol):
    """Whoever answers the questions of a study."""

    @property
    def name(self) -> str:
        """The name under which answers are kept."""
        ...

    def choice(self, left: str, right: str, prompts: tuple[Prompt, ...], random: np.random.Generator) -> str:
        """Return which of two sheets of answers is better: left, right, tie or both_bad."""
        ...


@dataclass(frozen=True)
class Reader:
    """A judge who reads the answers to one prompt, picked at random, and weighs what stands there.

    Attributes
    ----------
    name : str
    weights : mapping
        What is valued, by the names of `found_in`.
    noise : float
        The standard deviation of the error in what an answer is worth: more is less careful.
    close : float
        A smaller difference is a tie.
    strict : bool
        Whether two answers that are wrong are both bad.
    """

    name: str
    weights: Mapping[str, float] = field(hash=False)
    noise: float = 0.5
    close: float = 0.2
    strict: bool = False

    def choice(self, left: str, right: str, prompts: tuple[Prompt, ...], random: np.random.Generator) -> str:
        """Return the better sheet, by one prompt."""
        prompt = prompts[random.integers(len(prompts))]
        first, second = (found_in(answers_on(text)[prompt.prompt], prompt.key) for text in (left, right))
        if self.strict and not first["right"] and not second["right"]:
            return "both_bad"
        difference = self.worth(first) - self.worth(second) + self.noise * random.normal() * np.sqrt(2)
        if abs(difference) < self.close:
            return "tie"
        return "left" if difference > 0 else "right"

    def worth(self, found: Mapping[str, float]) -> float:
        """Return what an answer is worth to the judge."""
        return sum(weight * found[name] for name, weight in self.weights.items())


@dataclass(frozen=True)
class Coin:
    """A judge who reads nothing: each answer is left or right at random."""

    name: str

    def choice(self, left: str, right: str, prompts: tuple[Prompt, ...], random: np.random.Generator) -> str:
        """Return a side."""
        return "left" if random.random() < 0.5 else "right"


def found_in(answer: str, key: str) -> dict[str, float]:
    """Return what can be seen of an answer without knowing who wrote it."""
    text = answer.lower()
    return {
        "right": float(key in text),
        "reason": float("because" in text),
        "example": float("for instance" in text),
        "length": len(text.split()) / SENTENCE,
        "doubt": float("perhaps" in text),
        "flattery": float("!" in text),
    }


READERS = (
    Reader("careful", {"right": 2.0, "reason": 1.0, "example": 0.5, "doubt": -0.5, "flattery": -1.0}),
    Reader("curious", {"right": 1.5, "reason": 1.0, "example": 1.0, "flattery": -0.5}),
    Reader("strict", {"right": 3.0, "reason": 0.5, "doubt": -1.0, "flattery": -1.0}, strict=True),
    Reader("brief", {"right": 2.0, "reason": 1.2, "length": -0.2, "flattery": -0.5}),
    Reader("hurried", {"right": 1.5, "reason": 1.0, "example": 0.5, "flattery": -0.8}, noise=1.0),
)
"""Judges who read."""
COIN = Coin("coin")
JUDGES: tuple[Judge, ...] = (*READERS, COIN)
