"""The data of the gallery: published votes, matches and graded documents, or made-up ones where those are absent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from penchant import Preferences
from penchant.formats import read_file
from penchant.papers.sources import unpacked

MADE_UP = "made-up data"
VOTES, MACHINE, MATCHES, GRADED = "pairwise-llmfao", "pairwise-llmfao", "pairwise-tennis", "letor4-mq2008"


@dataclass(frozen=True)
class Sample:
    """Some data, and what it is: a published set, or made up."""

    source: str
    preferences: Preferences


@dataclass(frozen=True)
class Graded:
    """Documents with features and grades, and what they are."""

    source: str
    X: pd.DataFrame
    y: np.ndarray
    qid: np.ndarray


def has(data: Path | None, name: str) -> bool:
    """Whether a data set is in a folder."""
    return data is not None and (data / name / f"{name}.tar.xz").exists()


def votes(data: Path | None, n_items: int, *, machine: bool = False) -> Sample:
    """Return votes for language models, by people or by a language model, about the ``n_items`` compared most."""
    if data is None or not has(data, VOTES):
        return _made_up(n_items, seed=1 + machine)
    with unpacked(data, VOTES) as folder:
        name = "gpt4-crowd-comparisons.csv" if machine else "crowd-comparisons.csv"
        table = pd.read_csv(folder / name)
    judge = None if machine else table["worker"].astype(str).tolist()
    found = Preferences.from_answers(
        table["left"].tolist(), table["right"].tolist(), table["winner"].tolist(), judge=judge
    )
    return Sample("8,931 votes for language models (LLMFAO)", _most_compared(found, n_items))


def matches(data: Path | None, n_items: int) -> Sample:
    """Return tennis matches of the ``n_items`` players who played most."""
    if data is None or not has(data, MATCHES):
        return _made_up(n_items, seed=3)
    with unpacked(data, MATCHES) as folder:
        table = pd.read_csv(next(folder.glob("*.csv")), usecols=["winner_name", "loser_name"]).dropna()
        table = table[table["winner_name"] != table["loser_name"]]
    found = Preferences.from_pairs(table.to_numpy().tolist())
    return Sample("ATP tennis matches, 1968 to 2024", _most_compared(found, n_items))


def graded(data: Path | None) -> Graded:
    """Return graded documents of 120 queries."""
    if data is None or not has(data, GRADED):
        rng = np.random.default_rng(4)
        X = pd.DataFrame(rng.normal(size=(600, 5)), columns=[f"feature {k}" for k in range(1, 6)])
        y = np.clip(np.round(X["feature 1"] - X["feature 3"] + rng.normal(0, 1, 600)), 0, 2)
        return Graded(MADE_UP, X, y.to_numpy(), np.repeat(np.arange(60), 10))
    with unpacked(data, GRADED) as folder:
        reading = read_file(sorted(folder.glob("S1*"))[0], format="letor")
    X = pd.DataFrame(reading.features.toarray(), columns=[f"feature {k}" for k in range(1, 47)])
    return Graded("web search, LETOR 4.0 (MQ2008)", X, reading.grades, reading.qid)


def _most_compared(preferences: Preferences, n_items: int) -> Preferences:
    """Return the comparisons between the items that were compared most."""
    frame = preferences.to_frame()
    counts = pd.concat([frame["better"], frame["worse"]]).value_counts()
    kept = set(counts.index[:n_items])
    rows = frame[frame["better"].isin(kept) & frame["worse"].isin(kept)]
    return Preferences.from_pairs(rows[["better", "worse"]].to_numpy().tolist(), tie=rows["tie"].tolist())


def _made_up(n_items: int, *, seed: int) -> Sample:
    """Return answers between items of normal worth, each item compared about twenty times."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n_items)
    first, second = rng.integers(n_items, size=(2, 10 * n_items))
    first, second = first[first != second], second[first != second]
    wins = rng.random(len(first)) < 1 / (1 + np.exp(worth[second] - worth[first]))
    names = np.array([f"item {k}" for k in range(1, n_items + 1)])
    pairs = np.where(
        wins[:, None], names[np.column_stack([first, second])], names[np.column_stack([second, first])]
    )
    return Sample(MADE_UP, Preferences.from_pairs(pairs.tolist()))
