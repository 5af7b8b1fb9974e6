"""Small problems on which a belief over many items is compared with dense equations."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.field_prior import FieldPrior
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.linked_parts import bar_variance
from penchant.gp.linked.posterior import Scales, full_posterior
from penchant.gp.linked.priors import MatrixPrior

N = 40
SETTINGS = Settings(1.0, 1.5, 1.3, 0.9, (1.0, 0.8), 0.1, 0.2, 1000, None)
KINDS = ("features", "links", "both", "neither")
NAMES = ("size", "weight")


def item_prior(kind: str, n_items: int = N, seed: int = 0) -> ItemPrior:
    """Two features, links to near items, both or neither."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_items, 2))
    links = np.zeros((n_items, n_items))
    near = rng.integers(0, n_items, 2 * n_items)
    links[near, (near + rng.integers(1, 5, len(near))) % n_items] = 1.0
    links = np.maximum(links, links.T)
    return ItemPrior.of(
        features if kind in ("features", "both") else None,
        links if kind in ("links", "both") else None,
        None,
        n_items,
    )


def field_prior(kind: str, most: int = N) -> FieldPrior:
    """The prior with ``most`` inducing items at most; with all of them it is exact."""
    given = item_prior(kind)
    names = NAMES if given.features is not None else ()
    return FieldPrior.through(given, SETTINGS, names, bar_variance(given, SETTINGS), most)


def answers(count: int = 120, seed: int = 1, *, bar: bool = True) -> Answers:
    """Answers about pairs, some of them repeated, tied, weighted or about the bar."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(N + bar, 2, replace=False) for _ in range(count)])
    pairs[-10:] = pairs[:10]
    weight = np.where(rng.random(count) < 0.1, 2.5, 1.0)
    tie = (rng.random(count) < 0.15) & (pairs < N).all(axis=1)
    return Answers(pairs, weight, tie)


def covariance(prior: FieldPrior) -> Floats:
    """K of all rows, written out."""
    return np.array([prior.times(unit) for unit in np.eye(prior.n_rows)])


def exact(prior: FieldPrior, given: Answers) -> tuple[Floats, Floats]:
    """Mean and covariance of full expectation propagation on the prior that is written out."""
    written = MatrixPrior(covariance(prior))
    mixture, _ = full_posterior(written, Scales(), given, Probit(1.0, SETTINGS.threshold))
    rows = np.arange(prior.n_rows)
    return mixture.components[0].mean, mixture.components[0].covariance(rows, rows)
