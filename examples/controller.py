"""A monotone utility for a controller: ``python -m examples.controller``.

An engineer compares step responses of a plant under PI control. Less overshoot, faster settling and less effort are
better for certain; how much each matters is learned, with a proof that the utility falls in all three, and the best of
nine hundred controllers is chosen by it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from penchant.checks import Floats
from penchant.gp import MonotoneGP
from penchant.plots import save_chart, slices_chart

STEP = 0.05
LOW, HIGH = (0.2, 0.1), (4.0, 2.5)
"""The gains that may be chosen: proportional and integral."""


def response(gains: Floats, steps: int = 400) -> pd.DataFrame:
    """Return overshoot, settling time and effort of the step response for each row of gains."""
    proportional, integral = gains.T
    y, rate, summed = np.zeros((3, len(gains)))
    path, effort = np.empty((steps, len(gains))), np.zeros(len(gains))
    for step in range(steps):
        error = 1 - y
        summed = summed + STEP * error
        push = np.clip(proportional * error + integral * summed, -5, 5)
        rate = rate + STEP * (push - y - 1.2 * rate)
        y = y + STEP * rate
        path[step], effort = y, effort + STEP * push**2
    unsettled = np.abs(path - 1) > 0.05
    settled = STEP * (steps - np.argmax(unsettled[::-1], axis=0))
    return pd.DataFrame({"overshoot": path.max(axis=0) - 1, "settling": settled, "effort": effort})


def liking(found: pd.DataFrame) -> Floats:
    """Return what the engineer feels about responses, and cannot write down."""
    late = np.maximum(found["settling"] - 4, 0)
    cost = 6 * np.maximum(found["overshoot"], 0) ** 1.5 + 0.1 * late**1.3 + 0.02 * found["effort"]
    return -cost.to_numpy()


def learn(n_tried: int, n_pairs: int, seed: int) -> tuple[MonotoneGP, Floats, int, int]:
    """Compare controllers that were tried; return the utility, the chosen gains, and their true rank of how many."""
    rng = np.random.default_rng(seed)
    tried = response(rng.uniform(LOW, HIGH, size=(n_tried, 2)))
    pairs = np.array([rng.choice(n_tried, 2, replace=False) for _ in range(n_pairs)])
    felt = liking(tried)[pairs] + rng.normal(0, 0.15, pairs.shape)
    pairs = np.where(felt[:, :1] > felt[:, 1:], pairs, pairs[:, ::-1])
    gains = np.stack(np.meshgrid(*map(np.linspace, LOW, HIGH, (30, 30))), axis=-1).reshape(-1, 2)
    candidates = response(gains)
    everything = pd.concat([tried, candidates])
    box = {name: (everything[name].min(), everything[name].max()) for name in tried}
    model = MonotoneGP(decreasing=list(tried), bounds=box).fit_pairs(tried, pairs)
    chosen = int(model.predict(candidates).argmax())
    true = liking(candidates)
    return model, gains[chosen], 1 + int((true > true[chosen]).sum()), len(gains)


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.controller", description=__doc__)
    parser.add_argument("--tried", type=int, default=40, help="controllers that are tried")
    parser.add_argument("--pairs", type=int, default=60, help="comparisons of two responses")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/controller"))
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    model, gains, rank, among = learn(typed.tried, typed.pairs, typed.seed)
    print(f"Chosen gains {gains.round(2)}: the engineer's rank {rank} of {among}\n{model.certificate_}")
    print("Picture:", save_chart(slices_chart(model), typed.out / "utility.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
