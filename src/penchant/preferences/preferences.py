"""Build `Preferences`, the data type that every model learns from, from arrays, tables and lists.

Nothing else translates ids into indices. This module holds the constructors; `rows` holds the methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, Unpack
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Ints, same_length, vector
from penchant.errors import InvalidInput, PenchantWarning
from penchant.frames import as_column, as_frame
from penchant.preferences.columns import (
    OUTCOMES,
    UNKNOWN,
    Covariates,
    RowColumns,
    attributes,
    cells,
    changed_pairs,
    flags,
    indexed,
    one_a_row,
    outcome_codes,
    reject_repeats,
    split_levels,
    two_columns,
)
from penchant.preferences.items import Column, Items, as_integers
from penchant.preferences.rows import Rows
from penchant.preferences.statements import Statements

if TYPE_CHECKING:
    from pandas import DataFrame


class Preferences(Rows):
    """Stated preferences: one row a statement, which is a comparison, a ranking or a query's grades.

    Build one with `from_pairs`, `from_frame`, `from_answers`, `from_rankings`, `from_choices`,
    `from_grades`, `from_ratings` or `from_clicks`. Rows are what scikit-learn's splitters split: a ranking,
    a query or a user's ratings stay whole.

    Examples
    --------
    >>> Preferences.from_pairs([("tea", "coffee"), ("tea", "water"), ("coffee", "water")])
    Preferences: 3 comparisons of 3 items, connected
    """

    @classmethod
    def from_pairs(
        cls,
        pairs: ArrayLike | Sequence[Sequence[object]],
        *,
        weight: ArrayLike | None = None,
        tie: ArrayLike | None = None,
        judge: Column | None = None,
        better_on_left: Column | None = None,
        period: ArrayLike | None = None,
        items: Iterable[object] | None = None,
        covariates: Covariates | None = None,
    ) -> Self:
        """Build from comparisons, better first.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Ids, or indices: whole numbers are indices unless ``items`` is given.
        weight : array-like of shape (m,), optional
            Numbers above 0; a row of weight 2 counts as two equal rows.
        tie : bool array-like of shape (m,), optional
            Where the two are equal, whichever stands first.
        judge : sequence of shape (m,), optional
            Who made the statement; None where unknown.
        better_on_left : sequence of shape (m,), optional
            Whether the first of the pair was shown on the left; None where unknown.
        period : whole numbers of shape (m,), optional
            When the statement was made, for models in which worth may change.
        items : iterable, optional
            All ids in the order of their indices, also of items that were never compared. Without it the
            items are those that occur, sorted.
        covariates : mapping of names to numbers of shape (m,), optional
            What else may have decided a comparison, such as the length of a text: that of the better one less that of
            the worse one (of a tie: of the first less that of the second). Models use those that `fit` is told to.

        Examples
        --------
        >>> prefs = Preferences.from_pairs([("b", "a"), ("c", "a")], tie=[False, True])
        >>> prefs.items, prefs.pairs().tolist(), prefs.ties().tolist()
        (('a', 'b', 'c'), [[1, 0]], [[2, 0]])
        """
        catalogue, (better, worse) = indexed([*two_columns(pairs)], items)
        return cls._from_indices(
            catalogue,
            better,
            worse,
            tie,
            weight=weight,
            judge=judge,
            better_on_left=better_on_left,
            period=period,
            covariates=covariates,
        )

    @classmethod
    def _from_indices(
        cls, catalogue: Items, better: Ints, worse: Ints, tie: ArrayLike | None = None, **columns: Any
    ) -> Self:
        alike = np.flatnonzero(better == worse)
        if alike.size:
            name = catalogue.ids[better[alike[0]]]
            raise InvalidInput(f"row {alike[0]} must compare two items, got {name!r} twice: remove the row")
        statements = Statements.of_pairs(better, worse, flags("tie", tie, len(better)))
        return cls(statements, catalogue, **attributes(len(better), **columns))

    @classmethod
    def from_frame(
        cls,
        frame: DataFrame | Mapping[str, Column],
        *,
        better: str | None = None,
        worse: str | None = None,
        weight: str | None = None,
        tie: str | None = None,
        judge: str | None = None,
        better_on_left: str | None = None,
        period: str | None = None,
        items: Iterable[object] | None = None,
        covariates: Sequence[str] = (),
        **columns_by_role: str,
    ) -> Self:
        """Build from a table with one comparison a row.

        Without ``better`` and ``worse`` the columns are found by their names, as `penchant.read` finds those of a file
        (model_a, model_b and winner, for instance), and rows that cannot be used are left out with a warning.

        Parameters
        ----------
        frame : table of pandas, polars or pyarrow, or mapping of names to columns
            Columns are sequences of one length.
        better, worse : str, optional
            The columns of the preferred items and of the others. Their cells are ids, also where they are
            numbers, unless ``items`` is a range of indices.
        weight, tie, judge, better_on_left, period : str, optional
            The columns that hold what `from_pairs` takes under these names.
        items : iterable, optional
            As in `from_pairs`.
        covariates : sequence of str
            Columns, or differences of two such as "len_a-len_b", that become covariates.
        left, right, outcome, … : str
            Other columns by their role, as `penchant.read` takes them.

        Examples
        --------
        >>> import pandas as pd
        >>> games = pd.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "cyd"]})
        >>> Preferences.from_frame(games, better="winner", worse="loser").items
        ('ann', 'bob', 'cyd')
        >>> Preferences.from_frame({"winner": ["ann", "bob"], "loser": ["bob", "cyd"]}, better="winner", worse="loser")
        Preferences: 2 comparisons of 3 items, connected
        >>> votes = {"model_a": ["gpt", "llama"], "model_b": ["llama", "gpt"], "winner": ["model_a", "tie"]}
        >>> Preferences.from_frame(votes)
        Preferences: 2 comparisons (1 tie) of 2 items, connected
        """
        if (better is None and worse is None) or covariates or columns_by_role:
            typed = {"better": better, "worse": worse, "weight": weight, "tie": tie, "judge": judge}
            typed |= {"better_on_left": better_on_left, "period": period}
            given = {role: name for role, name in typed.items() if name is not None}
            found = cls._recognised(frame, covariates=tuple(covariates), **given, **columns_by_role)
            return found if items is None else found.on(Items.named(items))
        if better is None or worse is None:
            raise InvalidInput.of("better", "be given together with worse", "one alone", "give both or none")
        names = {
            "weight": weight,
            "tie": tie,
            "judge": judge,
            "better_on_left": better_on_left,
            "period": period,
        }
        frame = as_frame(frame)
        columns = {role: cells(frame, name) for role, name in names.items() if name is not None}
        first, second = cells(frame, better), cells(frame, worse)
        same_length(f"column {worse!r}", second, len(first))
        catalogue, both = Items.found_in(first, second) if items is None else indexed([first, second], items)
        return cls._from_indices(catalogue, *both, **columns)

    @classmethod
    def _recognised(cls, frame: Any, **options: Any) -> Self:
        """Return the rows of a table whose columns are found by their names."""
        from penchant.formats.frames import read_frame

        reading = read_frame(frame, **options)
        if reading.refusals:
            first, number = reading.refusals[0], len(reading.refusals)
            rows = "1 row was" if number == 1 else f"{number:,} rows were"
            warn(
                f"{rows} left out, the first is row {first.line}: {first.reason}",
                PenchantWarning,
                stacklevel=3,
            )
        return cls(**vars(reading.preferences))

    @classmethod
    def from_answers(
        cls,
        left: Column,
        right: Column,
        outcome: Sequence[str],
        *,
        items: Iterable[object] | None = None,
        covariates: Covariates | None = None,
        **columns: Unpack[RowColumns],
    ) -> Self:
        """Build from questions as they were shown and answered.

        Parameters
        ----------
        left, right : sequences of shape (m,)
            Ids or indices of what was shown.
        outcome : sequence of {"left", "right", "tie", "both_bad", "skip"}
            Which one is better; or that they are equal; or that both lose to the bar, a virtual item that
            comes last; or nothing, and then the row is left out.
        weight, judge, period, items
            As in `from_pairs`, one an answer.
        covariates : mapping of names to numbers of shape (m,), optional
            As in `from_pairs`, but that of the left item less that of the right one.

        Examples
        --------
        >>> Preferences.from_answers(["a", "b"], ["b", "c"], ["left", "both_bad"]).to_orders()
        [['a', 'b'], ['(bar)', ['b', 'c']]]
        """
        same_length("right", right, len(left))
        one_a_row("outcome", outcome, len(left))
        catalogue, (first, second) = indexed([left, right], items)
        codes = outcome_codes(outcome)
        return cls.from_answer_codes(catalogue, first, second, codes, covariates=covariates, **columns)

    @classmethod
    def from_answer_codes(
        cls,
        catalogue: Items,
        first: Ints,
        second: Ints,
        codes: NDArray[np.int8],
        *,
        covariates: Covariates | None = None,
        **columns: Unpack[RowColumns],
    ) -> Self:
        """Build from answers whose items and outcomes are indices already.

        Parameters
        ----------
        catalogue : Items
            Without the bar, unless it was there before.
        first, second : int arrays of shape (m,)
            Indices of what was shown left and right.
        codes : int8 array of shape (m,)
            Indices into `penchant.preferences.OUTCOMES`.
        covariates, weight, judge, period
            As in `from_answers`.

        Examples
        --------
        >>> from penchant.preferences.items import Items
        >>> tea_or_water = Items.named(["tea", "water"]), np.array([0, 1]), np.array([1, 0])
        >>> Preferences.from_answer_codes(*tea_or_water, np.array([0, 2], dtype=np.int8)).to_orders()
        [['tea', 'water'], [['water', 'tea']]]
        """
        bad, skip, tie, right_better = (
            codes == OUTCOMES.index(name) for name in ("both_bad", "skip", "tie", "right")
        )
        if bad.any():
            catalogue = catalogue.with_bar()
        bar = catalogue.count - 1
        winner, loser = np.where(right_better, second, first), np.where(right_better, first, second)
        statements = Statements.of_answers(winner, loser, tie, bad, skip, bar)
        if (~skip & (first == second) | bad & ((first == bar) | (second == bar))).any():
            reject_repeats(statements, catalogue)
        about = attributes(len(first), better_on_left=None, covariates=covariates, **columns)
        if about["covariates"] is not None:
            side = np.where(bad | skip, 0.0, np.where(right_better, -1.0, 1.0))
            about["covariates"] *= side[:, None]
        about["better_on_left"] = np.where(bad | skip, UNKNOWN, ~right_better).astype(np.int8)
        answers = cls(statements, catalogue, **about)
        return answers[~skip] if skip.any() else answers

    @classmethod
    def from_rankings(
        cls,
        orders: Iterable[Sequence[object]],
        *,
        items: Iterable[object] | None = None,
        **columns: Unpack[RowColumns],
    ) -> Self:
        """Build from orders, best first: one row a ranking, which keeps its pairs together.

        Parameters
        ----------
        orders : sequence of orders
            Each is a sequence of ids (or indices); a nested list is a tie. Items that an order does not
            mention were not ranked by it.
        weight, judge, period, items
            As in `from_pairs`, one a ranking.

        Examples
        --------
        >>> prefs = Preferences.from_rankings([["a", "b", "c"], ["b", ["a", "c"]]])
        >>> prefs.n_pairs, prefs.n_ties
        (5, 1)
        """
        return cls._from_levels(
            [split_levels(order, row) for row, order in enumerate(orders)], True, items, columns
        )

    @classmethod
    def from_choices(
        cls,
        chosen: Column,
        offered: Sequence[Sequence[object]],
        *,
        items: Iterable[object] | None = None,
        **columns: Unpack[RowColumns],
    ) -> Self:
        """Build from choices of one out of several: the chosen one is better than each other one offered.

        Parameters
        ----------
        chosen : sequence of shape (m,)
        offered : sequence of m sequences
            All items that were offered; the chosen one may be among them.
        weight, judge, period, items
            As in `from_pairs`, one a choice.

        Examples
        --------
        >>> Preferences.from_choices(["b"], [["a", "b", "c"]]).to_frame()[["better", "worse"]].values.tolist()
        [['b', 'a'], ['b', 'c']]
        """
        same_length("offered", offered, len(chosen))
        orders: list[list[list[Any]]] = []
        for row, (choice, options) in enumerate(zip(chosen, offered, strict=True)):
            others = [option for option in options if option != choice]
            if not others:
                raise InvalidInput(
                    f"row {row} must offer more than the chosen {choice!r}: add what else was offered"
                )
            orders.append([[choice], others])
        return cls._from_levels(orders, False, items, columns)

    @classmethod
    def from_grades(
        cls, grades: ArrayLike, qid: Column | None = None, *, items: Iterable[object] | None = None
    ) -> Self:
        """Build from graded items: inside a query, the one with the higher grade is better.

        Equal grades imply no pair. The implied pairs are counted and iterated over, and written out only by `pairs`
        and `to_frame`.

        Parameters
        ----------
        grades : array-like of shape (n,)
            Larger is better; one for each item.
        qid : sequence of shape (n,), optional
            The query of each item; without it, all are of one query.
        items : iterable of shape (n,), optional
            The ids; without it, item i is row i.

        Examples
        --------
        >>> Preferences.from_grades([2, 0, 1, 1], qid=["x", "x", "y", "y"])
        Preferences: 2 rows of 4 items implying 1 pair, in 3 groups never compared with one another
        """
        values = vector("grade", grades)
        if not len(values):
            raise InvalidInput("grades must hold at least one item, got none: give one grade an item")
        catalogue = Items.named(range(len(values)) if items is None else items)
        same_length("grade", values, catalogue.count)
        same_length("qid", values if qid is None else qid, len(values))
        qid = as_column(qid)
        queries, (rows,) = (
            Items.found_in(qid, noun="qid")
            if qid is not None
            else (Items(1), [np.zeros(len(values), dtype=np.int64)])
        )
        return cls(
            Statements.of_levels(rows, np.arange(len(values)), -values, queries.count, False), catalogue
        )

    @classmethod
    def from_ratings(
        cls, user: Column, item: Column, rating: ArrayLike, *, items: Iterable[object] | None = None
    ) -> Self:
        """Build from ratings of many users: of two items that one user rated, the higher rated is better.

        Each user is one row and its judge. Equal ratings imply no pair. The entries of ``item`` are ids, also where
        they are numbers.

        Examples
        --------
        >>> Preferences.from_ratings(["ann", "ann", "bob"], ["x", "y", "x"], [5, 3, 4])
        Preferences: 2 rows of 2 items implying 1 pair by 2 judges, connected
        """
        values = vector("rating", rating)
        same_length("user", user, len(values))
        same_length("item", item, len(values))
        user, item = as_column(user), as_column(item)
        catalogue, (rated,) = Items.found_in(item) if items is None else indexed([item], items)
        users, (rows,) = Items.found_in(user, noun="user")
        statements = Statements.of_levels(rows, rated, -values, users.count, False)
        reject_repeats(statements, catalogue, [f"user {name!r}" for name in users.ids])
        return cls(statements, catalogue, judge=np.arange(users.count), judges=users.ids)

    @classmethod
    def from_clicks(
        cls,
        presented: Sequence[Any],
        clicked: Sequence[Any],
        *,
        judge: Column | None = None,
        items: Iterable[object] | None = None,
    ) -> Self:
        """Build from pages of results and the clicks on them.

        A page gives the pairs whose order changes when the clicked results are put first (`penchant.orders.prepend`):
        each clicked one is better than those that were above it and now are below. A clicked result that is not on the
        page counts as if it were below the whole page. One row a pair; ``source`` is its page.

        Parameters
        ----------
        presented, clicked : sequence of ids, or sequence of such sequences
            One page, or one for each page. Clicks come in the order of clicking; repeated ones count once.
        judge : sequence, optional
            Who looked at each page.

        Examples
        --------
        >>> prefs = Preferences.from_clicks("ABCDE", "CD")
        >>> [(prefs.items[a], prefs.items[b]) for a, b in prefs.pairs()]
        [('C', 'A'), ('C', 'B'), ('D', 'A'), ('D', 'B')]
        """
        if len(presented) and np.ndim(next(iter(presented))) == 0:
            presented, clicked = [presented], [clicked]
        same_length("clicked", clicked, len(presented))
        if judge is not None:
            one_a_row("judge", judge, len(presented))
        pages = enumerate(zip(presented, clicked, strict=True))
        changed = [changed_pairs(shown, clicks, page) for page, (shown, clicks) in pages]
        source = np.repeat(np.arange(len(changed)), [len(pairs) for pairs in changed])
        if items is None:
            seen = list(chain(*presented, *clicked))
            numbers = as_integers(seen)
            items = (
                Items.found_in(seen)[0].ids if numbers is None or not seen else range(int(numbers.max()) + 1)
            )
        catalogue, both = indexed([*two_columns(list(chain(*changed)))], items, rows=source)
        by_page = None if judge is None else np.array([*judge, None], dtype=object)[source]
        return replace(cls._from_indices(catalogue, *both, judge=by_page), source=source)

    @classmethod
    def _from_levels(
        cls,
        orders: list[list[list[Any]]],
        tied: bool,
        items: Iterable[object] | None,
        columns: RowColumns,
    ) -> Self:
        groups = [
            (row, level, group) for row, order in enumerate(orders) for level, group in enumerate(order)
        ]
        sizes = [len(group) for _, _, group in groups]
        rows = np.repeat([row for row, _, _ in groups], sizes).astype(np.int64)
        flat = [member for _, _, group in groups for member in group]
        catalogue, (members,) = indexed([flat], items, rows=rows)
        levels = np.repeat([level for _, level, _ in groups], sizes)
        statements = Statements.of_levels(rows, members, levels, len(orders), tied)
        reject_repeats(statements, catalogue)
        return cls(statements, catalogue, **attributes(len(orders), better_on_left=None, **columns))
