"""A small experiment with every kind of verdict, picture and table, for tests of results and reports."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from penchant.papers.experiment import Experiment
from penchant.papers.result import Check, Claim, Estimate, Measured, Result
from penchant.papers.run import Run

CLAIMS = (
    Claim("2.small", "it is small", (Check("size", below=2),)),
    Claim("2.both", "it is <b>small</b> & old", (Check("size", below=2), Check("age", above=50))),
    Claim("2.old", "it is old", (Check("age", above=50),)),
)


def play(run: Run, name: str = "") -> Measured:
    frame = pd.DataFrame({"t": [1, 2], "regret": [0.5, 0.25 + run.seed]})
    return Measured(
        data="two rounds" if run.data is not None else "a made-up stand-in for ml-1m: two rounds",
        frame=frame,
        charts={"T·REG": alt.Chart(frame).mark_line().encode(x="t:Q", y="regret:Q")},
        numbers={"size": Estimate(1.0, 0.1), "age": Estimate(10.0)},
        seconds={"perceptron": 1.5},
        tables={"accuracy": pd.DataFrame({"who": ["y", "<i>"], "percent": ["94.4 ± 0.1", "90"]})},
    )


def experiment(name: str = "2.fig0/ml-1m", needs: tuple[str, ...] = ("ml-1m",)) -> Experiment:
    return Experiment(name, "Figure 0", "small and old", play, CLAIMS, needs, took="the authors took a day")


def played(**options: Any) -> Result:
    return experiment().run(Run(**options))
