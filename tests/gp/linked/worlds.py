"""Simulated studies of items with features and links: which of them the utility depends on, and what intervals hold."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.ask import Groups, PairChooser
from penchant.checks import Floats
from penchant.study.encoding import ANSWER
from penchant.study.items import Item
from penchant.study.learning import Learning, Schedule
from penchant.study.starting import ModelStart

KINDS = ("features", "links", "both", "neither")
"""What the utility depends on; items have four features and about six links in all of them."""
_OWN = 0.1
"""1/ι² of the links that the utility depends on."""
_LINKS = 3


class World(NamedTuple):
    """Features (n, 4), links (n, n) and utilities (n,), in units of the noise of an answer."""

    features: Floats
    links: Floats
    utility: Floats


def drawn(kind: str, n_items: int, seed: int) -> World:
    """Return a world whose utilities have a standard deviation between 0.7 and 2.5.

    By features the utility is linear; by links it is drawn from the regularised Laplacian; in a world of both, each has
    half of the variance; otherwise the utilities are independent.
    """
    rng = np.random.default_rng((17, seed))
    features, own = rng.normal(size=(n_items, 4)), rng.normal(size=n_items)
    links = np.zeros((n_items, n_items))
    for row, others in enumerate(rng.integers(1, n_items, size=(n_items, _LINKS))):
        links[row, (row + others) % n_items] = links[(row + others) % n_items, row] = 1.0
    laplacian = np.diag(links.sum(axis=1)) - links + _OWN * np.eye(n_items)
    along = np.linalg.solve(np.linalg.cholesky(laplacian).T, rng.normal(size=n_items))
    by_features = _standardised(features @ [1.0, 0.7, 0.4, 0.1])
    by_links = _standardised(along)
    shapes = {
        "features": by_features,
        "links": by_links,
        "both": (by_features + by_links) / 2**0.5,
        "neither": own,
    }
    return World(features, links, float(np.exp(rng.uniform(np.log(0.7), np.log(2.5)))) * shapes[kind])


def _standardised(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / values.std())


def held_at(
    world: World, counts: tuple[int, ...], seed: int, schedule: Schedule | None = None
) -> list[float]:
    """Return which share of the 95 % intervals of differences hold after each of the numbers of adaptive answers.

    The belief is started anew at the numbers of answers of ``schedule``; None is that of a study.
    """
    start, rng = _start(world), np.random.default_rng((18, seed))
    learning = Learning(start, schedule=schedule or start.schedule)
    answers = np.zeros(max(counts), dtype=ANSWER)
    answers["weight"] = 1.0
    chooser, groups = PairChooser(), Groups(len(world.utility))
    shares = []
    for count in range(max(counts)):
        belief = learning.advance(answers[:count])
        labels = groups.labels() if groups.count > 1 else None
        pair = chooser.next_pair(belief, belief.counts_, least_answers=2, groups=labels)
        left, right = pair if rng.random() < 0.5 else pair[::-1]
        groups.join(left, right)
        won = rng.random() < ndtr(world.utility[left] - world.utility[right])
        for name, value in (("left", left), ("right", right), ("outcome", 0 if won else 1)):
            answers[name][count] = value
        if count + 1 in counts:
            shares.append(held(learning.advance(answers[: count + 1]), world.utility))
    return shares


def _start(world: World) -> ModelStart:
    items = {}
    for row, values in enumerate(world.features.tolist()):
        links = {str(other): 1.0 for other in np.flatnonzero(world.links[row]).tolist()}
        items[str(row)] = Item(str(row), str(row), fields=dict(zip("abcd", values, strict=True)), links=links)
    return ModelStart({"name": "linked-gp", "settings": {}}, items, tuple("abcd"))


def held(belief: Any, utility: Floats) -> float:
    """Return which share of the 95 % intervals of the differences of two items hold the true one."""
    first, second = np.triu_indices(len(utility), 1)
    every = np.arange(len(utility))
    covariance = belief.covariance(every, every)
    variance = covariance.diagonal()
    sd = np.sqrt(np.maximum(variance[first] + variance[second] - 2 * covariance[first, second], 0.0))
    off = belief.mean - utility
    return float((np.abs(off[first] - off[second]) <= 1.96 * sd).mean())


def main() -> None:
    """Print what intervals hold: ``python -m tests.gp.linked.worlds KIND WORLDS [ITEMS]``."""
    kind, worlds, items = sys.argv[1], int(sys.argv[2]), int([*sys.argv, "600"][3])
    for seed in range(worlds):
        shares = held_at(drawn(kind, items, seed), (300, 700, 1500), seed)
        print(f"{kind} {seed}", *(f"{share:.0%}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
