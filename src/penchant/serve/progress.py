"""How far a judge and a study are, in words that a judge reads."""

from __future__ import annotations

from dataclasses import dataclass

from penchant.ask import Settled
from penchant.study import CompareStudy, Study

FEW, MANY = 10, 500
"""Answers that are left: up to so many are a few, and from so many on no number is named."""


@dataclass(frozen=True)
class Progress:
    """How far a judge is, and the study.

    Attributes
    ----------
    answered : int
        The judge's answers that count.
    answers_each : int
        The number after which a judge is thanked; 0 where none was agreed.
    settled : bool
        Whether the study has what it needs.
    needs : str
        What it still needs, in words.
    """

    answered: int = 0
    answers_each: int = 0
    settled: bool = False
    needs: str = ""


def progress_of(study: Study, judge: str | None) -> Progress:
    """Return how far a study of comparisons is, and this judge; it waits for nothing."""
    if not isinstance(study, CompareStudy):
        return Progress()
    found = study.settled(wait=False)
    return Progress(
        answered=0 if judge is None else study.n_answers(judge),
        answers_each=study.settings["answers_each"],
        settled=found is not None and found.enough,
        needs=needs(found),
    )


def needs(found: Settled | None) -> str:
    """Return what a study still needs; None is too early to say.

    Examples
    --------
    >>> needs(None)
    'The study has just begun: every answer helps.'
    """
    if found is None:
        return "The study has just begun: every answer helps."
    if found.enough:
        return "The study has all the answers that it needs."
    if not 0 < found.left < MANY:
        return "The ranking is taking shape: every answer helps."
    if found.left <= FEW:
        return "A few more answers, from everybody together, will do."
    return f"About {_rounded(found.left)} more answers, from everybody together, will do."


def _rounded(number: int) -> int:
    """Return a number to the next ten, or from 100 on to the next fifty: more would claim to know better."""
    step = 10 if number < 100 else 50
    return -(-number // step) * step
