"""The answers that a live belief of a Gaussian process starts from, as rows of items, pairs and totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, Ints
from penchant.counts import Counts
from penchant.errors import InvalidInput
from penchant.frames import as_features
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.columns import Columns
from penchant.preferences import Preferences

LEAST_ANSWERS = 8
"""From so many answers between items on, hyperparameters are learned."""


@dataclass(frozen=True, eq=False)
class LiveData:
    """The items of some preferences, and the answers about them.

    Attributes
    ----------
    items : tuple of str
        Without the bar.
    answers : Answers
        All comparisons; the bar of both-bad answers has the row n_items.
    counts : array of shape (n_items,)
        The number of answers that each item took part in.
    """

    items: tuple[str, ...]
    answers: Answers
    counts: Counts

    @classmethod
    def of(cls, preferences: Preferences) -> Self:
        """Return the answers of ``preferences``."""
        catalogue, comparisons = preferences.catalogue, preferences.comparisons()
        pairs = np.column_stack([comparisons.better, comparisons.worse]).astype(np.int64)
        n_items = catalogue.count - catalogue.bar
        answers = Answers(pairs, comparisons.weight.astype(np.float64), comparisons.tie)
        return cls(catalogue.ids[:n_items], answers, preferences.compared()[:n_items])

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def between(self) -> Answers:
        """The answers that compare two items, without those that compare one with the bar."""
        return self.answers[(self.answers.pairs < self.n_items).all(axis=1)]

    def totals(self, answers: Answers | None = None) -> tuple[Ints, Floats]:
        """Return the different pairs of rows, (m, 2), the lower first, and their totals, (m, 3): won, lost and tied.

        None is all answers.
        """
        chosen = self.answers if answers is None else answers
        low, high = np.sort(chosen.pairs, axis=1).T
        codes, place = np.unique(low * (self.n_items + 1) + high, return_inverse=True)
        outcome = np.where(chosen.tie, 2, chosen.pairs[:, 0] != low)
        totals = np.bincount(3 * place + outcome, chosen.weight, 3 * len(codes)).astype(np.float64)
        pairs: Ints = np.column_stack(np.divmod(codes, self.n_items + 1))
        return pairs, totals.reshape(-1, 3)


def learned_part(answers: Answers, most: int) -> Answers:
    """Return the first answers, about at most ``most`` items, so that learning from them is bounded.

    All answers between some of the items would not do. A question is chosen for what the answers before it leave open,
    so that its answer is near to a coin's, and says that the two items are about equal to whoever does not know the
    answers before it: the spread of the items would be learned far too small.

    Examples
    --------
    >>> answers = Answers(np.array([[0, 1], [1, 0], [2, 3], [1, 0]]), np.ones(4), np.zeros(4, dtype=bool))
    >>> learned_part(answers, 2).pairs.tolist()
    [[0, 1], [1, 0]]
    """
    _, first = np.unique(answers.pairs, return_index=True)
    if len(first) <= most:
        return answers
    return answers[: np.sort(first)[most] // 2]


def item_features(features: Any, preferences: Preferences) -> tuple[Floats, tuple[str, ...]]:
    """Return the features of the items, in their order, and the names of the features.

    Parameters
    ----------
    features : DataFrame with the ids as its index, or array with a row for each item
    preferences : Preferences
    """
    features = as_features(features)
    columns = Columns.of(features)
    rows = columns.rows(features)
    catalogue = preferences.catalogue
    places = preferences.match(features)[: catalogue.count - catalogue.bar]
    if hasattr(features, "iloc") or len(rows) == len(places):
        return rows[places], columns.labels
    raise InvalidInput.of(
        "features", f"have {len(places):,} rows, one for each item", f"{len(rows):,}", "give one row an item"
    )


def check_item_count(name: str, n_items: int, most: int) -> None:
    """Raise `InvalidInput` where a live belief of a model has too many items."""
    if n_items > most:
        raise InvalidInput.of(
            "items",
            f"be at most {most:,} for a study with {name}",
            f"{n_items:,}",
            "leave items out, or use LinkedGP, which takes more",
        )
