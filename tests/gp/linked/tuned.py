"""Tuned models that several tests are about."""

from __future__ import annotations

import numpy as np

from penchant.gp import LinkedGP

N = 12


RNG = np.random.default_rng(5)


FEATURES = RNG.normal(size=(N + 3, 2))


PAIRS = np.array([RNG.choice(N, 2, replace=False) for _ in range(50)])


SWAPPED = FEATURES[PAIRS[:, 0], 0] + RNG.normal(size=50) < FEATURES[PAIRS[:, 1], 0]


PAIRS[SWAPPED] = PAIRS[SWAPPED][:, ::-1]
KNOWN = {
    "nothing": {"n_items": N},
    "features": {"features": FEATURES[:N]},
    "links": {"links": np.roll(np.eye(N), 1, axis=0) + np.roll(np.eye(N), -1, axis=0)},
}


def tuned(what: str = "nothing", **settings: float) -> LinkedGP:
    """Return a model that learned `PAIRS` and its hyperparameters."""
    return LinkedGP(**settings).fit(**KNOWN[what]).update(*PAIRS.T).tune()
