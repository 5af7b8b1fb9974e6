"""Intervals of a ranking by the bootstrap: a model is fitted again to answers that are drawn with replacement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penchant.checks import Ints, check_level, one_of, whole
from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.ranking import Ranking
from penchant.worth.worth_model import WorthModel

UNITS = ("row", "judge")


def bootstrap(
    model: WorthModel,
    preferences: Preferences,
    *,
    times: int = 200,
    by: str = "row",
    level: float = 0.95,
    seed: int = 0,
    half_ties: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank the items of ``preferences``, with intervals and rank ranges by the bootstrap.

    The scores are those of ``model``, fitted to all answers; they lie inside their intervals, which are percentiles of
    the scores of the fits to answers drawn with replacement. Drawn answers keep their order, which matters to `Elo` and
    `Glicko`. An item that only a few answers are about may be absent from some draws, where it has the score of an item
    that was never compared.

    Parameters
    ----------
    model : model of `penchant.worth`
        With the settings to fit with; it stays as it is.
    preferences : Preferences
    times : int
        How often answers are drawn, at least 20; 1,000 for the last digit of an interval.
    by : {"row", "judge"}
        What is drawn: rows, or judges with all their rows, where answers of one judge go together. Rows without a judge
        are drawn one by one.
    level : float
        The probability that an interval or range holds.
    seed : int
        Of the draws.
    half_ties : bool
        Count each tie of two items as half a win for each (`Preferences.ties_as_half_wins`). Both halves are drawn
        together, since they are one answer.
    progress : callable, optional
        Is called with the number of fits that are done and with ``times``.

    Examples
    --------
    >>> from penchant.worth import Elo
    >>> games = Preferences.from_pairs([("ann", "bob"), ("bob", "cyd"), ("ann", "cyd"), ("cyd", "bob")] * 10)
    >>> bootstrap(Elo(k=16), games, times=50).items
    ('ann', 'cyd', 'bob')
    """
    whole("times", times, 20, 100_000, remedy="200 is usual")
    one_of("by", by, UNITS)
    check_level(level)

    def counted(rows: Preferences) -> Preferences:
        return rows.ties_as_half_wins() if half_ties else rows

    fitted = _fresh(model)._begin(counted(preferences))
    draw = _drawing(preferences, by)
    random = np.random.default_rng(seed)
    drawn = np.empty((times, len(fitted.scores_)))
    for number in range(times):
        drawn[number] = _fresh(model)._begin(counted(preferences[draw(random)])).scores_
        if progress is not None:
            progress(number + 1, times)
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    intervals = np.column_stack([np.minimum(low, fitted.scores_), np.maximum(high, fitted.scores_)])
    bar, n_items = (fitted.scores_[-1], len(fitted.items_)) if fitted.catalogue_.bar else (None, None)
    return Ranking.from_scores(
        fitted.items_,
        fitted.mean,
        intervals=intervals[:n_items],
        draws=drawn,
        level=level,
        answers=fitted.counts_,
        model=f"{fitted!r}, bootstrap of {times:,} draws by {by}",
        bar=None if bar is None else float(bar),
        bar_interval=None if bar is None else (float(intervals[-1, 0]), float(intervals[-1, 1])),
        caveats=fitted.caveats(),
        scale=fitted.scale_of_scores,
    )


def _fresh(model: WorthModel) -> WorthModel:
    if not isinstance(model, WorthModel):
        raise InvalidInput.of(
            "model", "be a model of penchant.worth", type(model).__name__, "give for instance Elo()"
        )
    return type(model)(**model.get_params())


def _drawing(preferences: Preferences, by: str) -> Callable[[np.random.Generator], Ints]:
    """Return a function that draws rows, in ascending order."""
    n_rows = len(preferences)
    if not n_rows:
        raise InvalidInput("preferences must have at least one row to draw from, got none: give some")
    if by == "row":
        return lambda random: np.sort(random.integers(n_rows, size=n_rows))
    if preferences.judge is None or not preferences.judges:
        raise InvalidInput.of("by", "be 'row' where no row names a judge", "'judge'", "give by='row'")
    # Each row without a judge is a cluster of its own.
    nobody = preferences.judge < 0
    cluster = np.where(nobody, len(preferences.judges) + np.cumsum(nobody), preferences.judge)
    names, number = np.unique(cluster, return_inverse=True)
    order = np.argsort(number, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(number))[:-1])

    def draw(random: np.random.Generator) -> Ints:
        chosen = random.integers(len(names), size=len(names))
        return np.sort(np.concatenate([parts[place] for place in chosen]))

    return draw
