"""A leaderboard with style control: ``python -m examples.style_control``.

Eight models answer; people vote, and half of what they seem to prefer is length. The board is fitted with and without
the difference in length, and both are drawn.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from penchant import Preferences, Ranking
from penchant.plots import adjusted_chart, save_chart
from penchant.worth import BradleyTerry, Effects

MODELS = tuple(f"model {letter}" for letter in "ABCDEFGH")
QUALITY = np.linspace(1.2, -1.2, len(MODELS))
VERBOSITY = np.array([0.0, -0.3, 0.4, 0.1, -0.2, 0.9, 0.2, -0.1])
"""Log of the usual length: the sixth model writes more than twice as much as the first."""
TASTE = 1.5
"""What one unit of relative length adds to the log odds of being preferred."""


def votes(n_votes: int, seed: int) -> pd.DataFrame:
    """Return votes with the number of tokens of both answers."""
    rng = np.random.default_rng(seed)
    left, right = np.array([rng.choice(len(MODELS), 2, replace=False) for _ in range(n_votes)]).T
    tokens_a, tokens_b = (
        np.exp(5 + VERBOSITY[shown] + rng.normal(0, 0.4, n_votes)).round() for shown in (left, right)
    )
    longer = (tokens_a - tokens_b) / (tokens_a + tokens_b)
    odds = QUALITY[left] - QUALITY[right] + TASTE * longer
    wins = rng.random(n_votes) < 1 / (1 + np.exp(-odds))
    names = np.array(MODELS)
    return pd.DataFrame(
        {
            "left": names[left],
            "right": names[right],
            "outcome": np.where(wins, "left", "right"),
            "tokens_a": tokens_a,
            "tokens_b": tokens_b,
        }
    )


def boards(frame: pd.DataFrame) -> tuple[Ranking, Ranking, Effects]:
    """Return the board as people voted, the board at equal length, and the effect of length."""
    prefs = Preferences.from_frame(frame, covariates=["length=(tokens_a-tokens_b)/(tokens_a+tokens_b)"])
    adjusted = BradleyTerry().fit(prefs, covariates=["length"])
    return BradleyTerry().fit(prefs).rank(), adjusted.rank(), adjusted.effects_


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.style_control", description=__doc__)
    parser.add_argument("--votes", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/style_control"))
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    plain, adjusted, effects = boards(votes(typed.votes, typed.seed))
    print(f"As people voted:\n{plain}\n\nAt equal length:\n{adjusted}\n\n{effects}")
    print("Picture:", save_chart(adjusted_chart(adjusted, effects, plain), typed.out / "board.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
