"""The five texts, their modules, and the experiments that these define."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.papers.experiment import MADE, Experiment
from penchant.papers.quotations import CHANGED, QUOTATIONS
from penchant.papers.result import Claim

PAPERS = {
    1: "Shivaswamy and Joachims: Online Learning with Preference Feedback (2011)",
    2: "Shivaswamy and Joachims: Coactive Learning (2015)",
    3: "Huusari and Rousu: Preference Learning, a lecture (2022)",
    4: "Chin, Manzie, Ira, Nešić and Shames: Gaussian Processes with Monotonicity Constraints for Preference "
    "Learning from Pairwise Comparisons (2018)",
    5: "Xu, Kersting and Joachims: Fast Active Exploration for Link-Based Preference Learning using Gaussian "
    "Processes (2010)",
}
MODULES = {
    "online": ("feedback", "extensions"),
    "coactive": (
        "clicks",
        "perceptron",
        "baselines",
        "exponentiated",
        "convex",
        "web_and_movies",
        "ranks",
        "theorems",
        "sparse",
        "lower_bound",
        "frameworks",
        "questions",
    ),
    "lecture": ("kendall", "cohen", "object_ranking", "kernels", "label_ranking", "rating", "boosting"),
    "monotone": ("experiments", "future"),
    "linked": ("six_papers", "questions", "cost", "pooled", "new_items"),
}
"""The package of each text and its modules with experiments, in the order of the text."""


STANDS_FOR = {
    "letor4-mq2008": "Yahoo!",
    "mslr-sample": "Yahoo!",
    "synthetic-web": "Yahoo!",
    "citation-graphs": "TREC",
}
"""Which set of its text one of an experiment's sets stands for, where that is not public."""
MADE_UP = ("synthetic-web",)
"""Sets that are drawn, whatever the folder of data holds."""


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return every experiment, in the order of the papers and their figures."""
    order = [f"penchant.papers.{text}.{module}" for text, modules in MODULES.items() for module in modules]
    for module in order:
        import_module(module)
    quoted = [replace(each, claims=tuple(map(_quoted, each.claims))) for each in MADE]
    return tuple(sorted(quoted, key=lambda each: (each.paper, _figure(each), order.index(each.module))))


def named(id: str) -> Experiment:
    """Return the experiment with an id.

    Examples
    --------
    >>> from penchant.papers.run import Run
    >>> named("2.lemma3").run(Run(size="quick")).verdicts["2.lower-bound"]
    'holds'
    """
    found = {each.id: each for each in experiments()}
    if id not in found:
        raise InvalidInput(
            f"experiment must be an id that penchant papers lists, got {shown(id)}: give for instance "
            f"{experiments()[0].id}"
        )
    return found[id]


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Return the experiments with the given names: an id, its part before the set, or the number of a paper.

    Examples
    --------
    >>> [experiment.id for experiment in chosen(["2.fig1", "2.lemma3"])]
    ['2.fig1', '2.lemma3']
    """
    taken: dict[str, Experiment] = {}
    for name in names:
        found = {each.id: each for each in experiments() if _has_name(each, name)}
        if not found:
            raise InvalidInput(
                f"experiment must be one that penchant papers lists, got {shown(name)}: give for instance "
                f"{experiments()[0].id}, {experiments()[0].id.partition('/')[0]} or {experiments()[0].paper}"
            )
        taken |= found
    return tuple(each for each in experiments() if not names or each.id in taken)


def _quoted(claim: Claim) -> Claim:
    """Return a claim with its section and quotation, and why its limits were changed, where they are listed apart."""
    section, quote = QUOTATIONS.get(claim.id, (claim.section, claim.quote))
    return replace(claim, section=section, quote=quote, changed=claim.changed or CHANGED.get(claim.id, ""))


def _has_name(experiment: Experiment, name: str) -> bool:
    figure = experiment.id.partition("/")[0]
    return name in (experiment.id, figure, figure.partition("-")[0], str(experiment.paper))


def _figure(experiment: Experiment) -> float:
    """Return the number of the figure; what is none comes after all figures."""
    number = re.match(r"\d\.fig(\d+)", experiment.id)
    return float(number[1]) if number else float("inf")
