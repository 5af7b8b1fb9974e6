"""A small experiment with every kind of verdict, picture and table, for tests of results and reports."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from penchant.papers.catalogue import Experiment
from penchant.papers.result import Check, Claim, Estimate, Result

CLAIMS = (
    Claim("it is small", (Check("size", below=2),)),
    Claim("it is <b>small</b> & old", (Check("size", below=2), Check("age", above=50))),
    Claim("it is old", (Check("age", above=50),)),
)


def played(*, size: str = "default", seed: int = 0, data: Any = None, **_: Any) -> Result:
    frame = pd.DataFrame({"t": [1, 2], "regret": [0.5, 0.25 + seed]})
    return Result(
        title="A made-up experiment",
        data="two rounds" if data is not None else "a made-up stand-in for ml-1m: two rounds",
        size=size,  # type: ignore[arg-type]
        seed=seed,
        frame=frame,
        charts={"T·REG": alt.Chart(frame).mark_line().encode(x="t:Q", y="regret:Q")},
        numbers={"size": Estimate(1.0, 0.1), "age": Estimate(10.0)},
        claims=CLAIMS,
        seconds={"perceptron": 1.5},
        tables={"accuracy": pd.DataFrame({"who": ["y", "<i>"], "percent": ["94.4 ± 0.1", "90"]})},
    )


def experiment(name: str = "2.fig0/ml-1m", needs: tuple[str, ...] = ("ml-1m",)) -> Experiment:
    return Experiment(name, "Figure 0", "small and old", played, CLAIMS, needs, took="the authors took a day")
