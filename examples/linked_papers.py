"""Linked papers: ``python -m examples.linked_papers``.

Sixty papers of three topics cite one another, mostly inside a topic, and a reader prefers one topic. Each answer about
two papers also tells about those that they cite and that cite them, so that few questions order them all: the same
questions are asked with the links and without.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from penchant.ask import next_pair
from penchant.checks import Floats
from penchant.gp import LinkedGP
from penchant.metrics import kendall_tau
from penchant.plots import answered_chart, save_chart
from penchant.simulate import ProbitJudge

N_PAPERS, N_TOPICS = 60, 3


def papers(seed: int) -> tuple[Floats, Floats]:
    """Return what each paper is worth to the reader, and the symmetric matrix of citations."""
    rng = np.random.default_rng(seed)
    topic = np.arange(N_PAPERS) % N_TOPICS
    worth = np.array([1.5, 0.0, -1.5])[topic] + rng.normal(0, 0.4, N_PAPERS)
    cites = rng.random((N_PAPERS, N_PAPERS)) < np.where(topic[:, None] == topic, 0.2, 0.01)
    links = np.triu(cites, 1).astype(float)
    return worth, links + links.T


def learned(worth: Floats, links: Floats | None, questions: int, seed: int) -> list[float]:
    """Return Kendall's correlation of the learned order with the true one, after each question."""
    judge = ProbitJudge(worth, noise=0.5**0.5, seed=seed)
    model = LinkedGP(beta=0.3, iota=2.0, nugget=0.1)
    model = model.fit(n_items=N_PAPERS) if links is None else model.fit(links=links)
    curve = [0.0]
    for number in range(questions):
        first, second = next_pair(model, rule="order", seed=seed + number)
        better = first if judge.prefers_left(first, second) else second
        model.update([better], [first + second - better])
        curve.append(kendall_tau(worth, model.mean))
    return curve


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.linked_papers", description=__doc__)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("out/linked_papers"))
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    curves: dict[str, list[list[float]]] = {"with links": [], "without links": []}
    for seed in range(typed.runs):
        worth, links = papers(seed)
        curves["with links"].append(learned(worth, links, typed.questions, seed))
        curves["without links"].append(learned(worth, None, typed.questions, seed))
    for name, runs in curves.items():
        print(
            f"{name}: Kendall's correlation {np.mean([run[-1] for run in runs]):.2f} after {typed.questions}"
        )
    chart = answered_chart(range(typed.questions + 1), curves, y="correlation with the true order")
    print("Picture:", save_chart(chart, typed.out / "learned.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
