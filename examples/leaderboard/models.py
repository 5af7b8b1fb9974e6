"""The models whose answers are compared: rules that put the parts of an answer together, each in a style of its own."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROMPTS = Path(__file__).with_name("prompts.csv")
"""The prompts, a word that a right answer has, and the parts of an answer; one part is a mistake."""


@dataclass(frozen=True)
class Prompt:
    """A question, and what can be said to it."""

    number: int
    prompt: str
    key: str
    answer: str
    reason: str
    example: str
    mistake: str


Style = Callable[[Prompt], str]


def read_prompts(path: Path = PROMPTS) -> tuple[Prompt, ...]:
    """Read the prompts from a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(Prompt(number, **row) for number, row in enumerate(csv.DictReader(file)))


def sheet(style: Style, prompts: tuple[Prompt, ...]) -> str:
    """Return all prompts with a model's answers, one a paragraph: what judges see."""
    return "\n\n".join(f"{prompt.prompt}\n{style(prompt)}" for prompt in prompts)


def answers_on(text: str) -> dict[str, str]:
    """Return the answers on a sheet by their prompts."""
    return dict(part.split("\n", 1) for part in text.split("\n\n"))


def _plain(prompt: Prompt) -> str:
    return prompt.answer


def _with_reason(prompt: Prompt) -> str:
    return f"{prompt.answer} That is because {prompt.reason}"


def _with_both(prompt: Prompt) -> str:
    return f"{_with_reason(prompt)} For instance, {prompt.example}"


def _flattering(prompt: Prompt) -> str:
    return f"What a splendid question! {_with_both(prompt)} I hope that helps! Ask me more!"


def _doubting(prompt: Prompt) -> str:
    return f"I am not sure, but perhaps: {prompt.answer}"


def _evasive(prompt: Prompt) -> str:
    return "Perhaps. That depends on many things."


def _wrong_every(count: int, style: Style) -> Style:
    """Return a style that makes a mistake at each ``count``-th prompt."""
    return lambda prompt: prompt.mistake if prompt.number % count == count - 1 else style(prompt)


MODELS: Mapping[str, tuple[str, Style]] = {
    "Dunnock": ("evades every question", _evasive),
    "Finch": ("doubts, and is wrong at one prompt in two", _wrong_every(2, _doubting)),
    "Heron": ("gives a reason and an example", _with_both),
    "Lark": ("gives a reason, and is wrong at one prompt in four", _wrong_every(4, _with_reason)),
    "Magpie": ("gives a reason and an example among flattery", _flattering),
    "Plover": ("gives the answer alone, and is wrong at one prompt in three", _wrong_every(3, _plain)),
    "Siskin": ("gives the answer alone", _plain),
    "Wren": ("gives a reason", _with_reason),
}
"""What each model is like, which no judge is told, and its rule."""
