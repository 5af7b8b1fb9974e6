"""The methods of `Preferences`: subsets, pairs, counts, connected groups and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, shown
from penchant.counts import Count, Counts, are_whole, as_counts, counted
from penchant.errors import InvalidInput
from penchant.preferences import graph
from penchant.preferences.columns import UNKNOWN, Sides
from penchant.preferences.items import Items
from penchant.preferences.statements import Bools, Statements
from penchant.preferences.stored import COLUMNS, COMPARISONS, PREFERENCES, STATEMENTS, restored

if TYPE_CHECKING:
    from pandas import DataFrame
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of two items as columns of one length, which is what most models work on.

    ``better`` and ``worse`` are item indices; where ``tie`` they are equal. ``row`` is the row of the
    Preferences that says so: comparisons of one row are not independent. ``judge`` is an index into
    ``Preferences.judges`` and -1 where nobody is named, ``better_on_left`` is 1, 0, or -1 where unknown; these
    two and ``period`` are None where the Preferences have no such column.

    Examples
    --------
    >>> from penchant import Preferences
    >>> rows = Preferences.from_pairs([("tea", "water"), ("coffee", "tea")], weight=[2.0, 1.0]).comparisons()
    >>> rows.better.tolist(), rows.worse.tolist(), rows.weight.tolist()
    ([1, 0], [2, 1], [2.0, 1.0])
    """

    __saved__: ClassVar = COMPARISONS

    better: Ints
    worse: Ints
    tie: Bools
    weight: Floats
    row: Ints
    judge: Ints | None
    better_on_left: Sides | None
    period: Ints | None

    def __len__(self) -> int:
        return len(self.better)


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Statements, one a row, with the optional columns of each.

    Attributes
    ----------
    statements : Statements
        The weak orders themselves.
    catalogue : Items
        Ids outside, indices inside.
    weight : array of shape (n_rows,), optional
        How much each row counts; None is 1 for each.
    judge : int array of shape (n_rows,), optional
        Who made the statement, as an index into ``judges``; -1 where nobody is named.
    judges : tuple of str
    better_on_left : int8 array of shape (n_rows,), optional
        Whether the better item (of a tie: the first) stood on the left: 1, 0, or -1 where unknown.
    period : int array of shape (n_rows,), optional
        When the statement was made, for models in which worth may change.
    source : int array of shape (n_rows,), optional
        Rows with the same number came from one page of results.
    covariates : array of shape (n_rows, n_covariates), optional
        What else differs between the two items of each row: that of the better one (of a tie: the first) less that
        of the other; 0 in a both-bad answer.
    covariate_names : tuple of str
    """

    __saved__: ClassVar = PREFERENCES

    statements: Statements
    catalogue: Items
    weight: Floats | None = None
    judge: Ints | None = None
    judges: tuple[str, ...] = ()
    better_on_left: Sides | None = None
    period: Ints | None = None
    source: Ints | None = None
    covariates: Floats | None = None
    covariate_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (*vars(self.statements).values(), *self._columns.values()):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        return {name: column for name in COLUMNS if (column := getattr(self, name)) is not None}

    # -- items ---------------------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """The id of each item, in the order of the indices."""
        return self.catalogue.ids

    @property
    def n_items(self) -> int:
        """The number of items, the bar included where there is one."""
        return self.catalogue.count

    @property
    def bar(self) -> int | None:
        """The index of the bar that both-bad answers lose to, if there is one."""
        return self.n_items - 1 if self.catalogue.bar else None

    def index(self, item: object) -> int:
        """Return the index of an item, given its id (or its row, where the items are rows)."""
        return self.catalogue.index(item)

    def match(self, X: Any) -> Ints:
        """Return for each item its row of the features ``X``, shape (n_items,); -1 for the bar.

        A frame is matched by its index, which must hold every id; an array needs items that are rows.
        """
        return self.catalogue.rows_of(X)

    # -- rows ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.statements)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows by items."""
        return len(self), self.n_items

    def __getitem__(self, rows: Any) -> Self:
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:  # how scikit-learn selects
            rows = rows[0]
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        if chosen.ndim > 1:
            raise InvalidInput(f"rows must be a vector, got shape {chosen.shape}: select with one dimension")
        columns = {name: column[chosen] for name, column in self._columns.items()}
        return replace(self, statements=self.statements.take(chosen), **columns)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def by_judge(self, judge: str) -> Self:
        """Return the rows of one judge."""
        if judge not in self.judges or self.judge is None:
            examples = ", ".join(map(repr, self.judges[:5])) or "nobody"
            raise InvalidInput(
                f"judge {judge!r} must be one of {len(self.judges)} ({examples}): correct the name"
            )
        return self[self.judge == self.judges.index(judge)]

    def __add__(self, other: Self) -> Self:
        """Return the rows of both, one after the other; items are matched by id."""
        if not isinstance(other, Rows):
            return NotImplemented
        catalogue = self.catalogue.union(other.catalogue)
        parts = [part.on(catalogue).statements for part in (self, other)]
        judges = tuple(dict.fromkeys((*self.judges, *other.judges)))
        columns: dict[str, Any] = {"covariate_names": self.covariate_names or other.covariate_names}
        for name in {**self._columns, **other._columns}:
            named = columns["covariate_names"]
            columns[name] = np.concatenate([part._filled(name, judges, named) for part in (self, other)])
        if "source" in columns:
            columns["source"][len(self) :] += 1 + columns["source"][: len(self)].max(initial=UNKNOWN)
        return replace(
            self, statements=Statements.joined(parts), catalogue=catalogue, judges=judges, **columns
        )

    def _filled(self, name: str, judges: tuple[str, ...], names: tuple[str, ...] = ()) -> NDArray[Any]:
        """Return a column, judges renumbered, or the values that stand for its absence."""
        column: NDArray[Any] | None = getattr(self, name)
        if name == "source" and column is None:  # a row alone on its page
            return np.arange(len(self))
        if name == "covariates":
            return self._covariates_named(names)
        if name == "period" and column is None and len(self):
            raise InvalidInput(
                "period must be known for all rows or for none, got one of each: add it or drop it"
            )
        if name == "judge" and column is not None:
            place = {judge: number for number, judge in enumerate(judges)}
            codes: Ints = np.array([*(place[judge] for judge in self.judges), UNKNOWN], dtype=np.int64)[
                column
            ]
            return codes
        if column is None:
            kind = np.int8 if name == "better_on_left" else np.int64
            return np.ones(len(self)) if name == "weight" else np.full(len(self), UNKNOWN, dtype=kind)
        return column

    def _covariates_named(self, names: tuple[str, ...]) -> Floats:
        if self.covariates is None and not len(self):
            return np.zeros((0, len(names)))
        if self.covariates is None or set(self.covariate_names) != set(names):
            raise InvalidInput.of(
                "covariates",
                "have the same names in all rows",
                f"{_listed(names)} and {_listed(self.covariate_names)}",
                "add those that are missing, or drop them with without('covariates')",
            )
        return self.covariates[:, [self.covariate_names.index(name) for name in names]]

    def on(self, catalogue: Items) -> Self:
        """Return the same rows about the items of ``catalogue``, which must hold all of these."""
        if catalogue == self.catalogue:
            return self
        moved = catalogue.encode(self.items)
        return replace(self, statements=self.statements.renumbered(moved), catalogue=catalogue)

    def without(self, *columns: str) -> Self:
        """Return the same rows without ``columns``: judge, better_on_left, period, source, weight or covariates."""
        for name in columns:
            if name not in COLUMNS:
                raise InvalidInput(f"column must be one of {', '.join(COLUMNS)}, got {name!r}: correct it")
        gone: dict[str, Any] = dict.fromkeys(columns)
        if "judge" in gone:
            gone["judges"] = ()
        if "covariates" in gone:
            gone["covariate_names"] = ()
        return replace(self, **gone)

    def deduplicated(self) -> Self:
        """Return each different row once, with the summed weight, in the order of their first occurrence.

        Rows differ when anything but their weight does; drop columns that should not count with `without`.

        Examples
        --------
        >>> from penchant import Preferences
        >>> prefs = Preferences.from_pairs([(0, 1), (0, 1), (1, 0)]).deduplicated()
        >>> prefs.pairs().tolist(), prefs.weight.tolist()
        ([[0, 1], [1, 0]], [2.0, 1.0])
        """
        self = self._in_standard_form()
        code = self.statements.codes()
        for name, column in self._columns.items():
            if name != "weight":
                code = np.unique(code, return_inverse=True)[1]  # small again, so that the product stays exact
                value = np.unique(column, axis=0, return_inverse=True)[1].ravel()
                code = code * (value.max(initial=0) + 1) + value
        _, first, group = np.unique(code, return_index=True, return_inverse=True)
        weight = np.bincount(group, weights=self.weight, minlength=len(first))
        order = np.argsort(first)
        return replace(self[first[order]], weight=weight[order].astype(np.float64))

    def _in_standard_form(self) -> Self:
        """Return the rows with equal items in the order of their indices, so that equal rows look equal."""
        statements, turned = self.statements.standardised()
        side = None if self.better_on_left is None else self.better_on_left.copy()
        if side is not None:
            side[turned] = np.where(side[turned] == UNKNOWN, UNKNOWN, 1 - side[turned])
        covariates = None if self.covariates is None else self.covariates.copy()
        if covariates is not None:
            covariates[turned] = 0.0 - covariates[turned]  # 0 keeps its sign
        return replace(self, statements=statements, better_on_left=side, covariates=covariates)

    def ties_as_half_wins(self) -> Self:
        """Return the rows with each tie of two items as two rows of half its weight, one for each of the two.

        That is how Elo ratings count a draw. Models then see no ties, and give them the probability 0.

        Examples
        --------
        >>> from penchant import Preferences
        >>> prefs = Preferences.from_pairs([("a", "b"), ("b", "c")], tie=[False, True]).ties_as_half_wins()
        >>> prefs.to_frame()[["better", "worse", "weight"]].values.tolist()
        [['a', 'b', 1.0], ['b', 'c', 0.5], ['c', 'b', 0.5]]
        """
        statements = self.statements
        several = np.flatnonzero((statements.sizes > 2) & statements.tied)
        if several.size and self[several].n_ties:
            raise InvalidInput.of(
                "ties",
                "be ties of two items to be half wins",
                "rankings with ties",
                "break them into pairs first",
            )
        last = np.maximum(statements.starts[1:] - 1, 0)
        tied = (statements.sizes == 2) & statements.tied
        tied[tied] = statements.levels[last[tied]] == 0
        rows = np.repeat(np.arange(len(self)), 1 + tied)
        second = np.concatenate([[False], rows[1:] == rows[:-1]])
        halved = np.flatnonzero(tied[rows])
        result = self[rows]
        parts = result.statements
        members, levels = parts.members.copy(), parts.levels.copy()
        levels[parts.starts[halved] + 1] = 1
        turned = np.flatnonzero(second)
        first = parts.starts[turned]
        members[first], members[first + 1] = parts.members[first + 1], parts.members[first]
        weight = np.ones(len(rows)) if result.weight is None else result.weight.copy()
        weight[halved] /= 2
        columns: dict[str, Any] = {"weight": weight if halved.size else result.weight}
        if result.better_on_left is not None:
            side = result.better_on_left.copy()
            side[turned] = np.where(side[turned] == UNKNOWN, UNKNOWN, 1 - side[turned])
            columns["better_on_left"] = side
        if result.covariates is not None:
            columns["covariates"] = result.covariates * np.where(second, -1.0, 1.0)[:, None]
        return replace(result, statements=Statements(members, levels, parts.starts, parts.tied), **columns)

    # -- comparisons ---------------------------------------------------------------------------------------

    @property
    def n_pairs(self) -> int:
        """The number of pairs of a better and a worse item, stated or implied; ties are apart."""
        return self.statements.n_pairs

    @property
    def n_ties(self) -> int:
        """The number of pairs of items that were judged equal."""
        return self.statements.n_ties

    @property
    def n_answers(self) -> Count:
        """How many answers the rows are: a weight counts repetitions, and a total that is not whole is a float.

        Examples
        --------
        >>> from penchant import Preferences
        >>> Preferences.from_pairs([("tea", "coffee"), ("coffee", "tea")], weight=[5000, 1000]).n_answers
        6000
        """
        return len(self) if self.weight is None else self._count(self.weight.sum())

    def compared(self, before: Counts | None = None) -> Counts:
        """Return in how many comparisons each item takes part, stated or implied, shape (n_items,).

        Weights count repetitions: integers, or floats where some weight is not whole.

        Parameters
        ----------
        before : array of shape (n_items,), optional
            Counts to continue, so that rows in parts give the same last bit as at once.
        """
        start: Counts = np.zeros(self.n_items, dtype=np.int64) if before is None else before
        if self.weight is None and self.statements.only_comparisons:
            members, size = self.statements.members, max(self.n_items, 1 << 16)  # a part stays in the cache
            for at in range(0, len(members), size):
                start = start + np.bincount(members[at : at + size], minlength=self.n_items)
            return start
        each = np.ones(len(self)) if self.weight is None else self.weight
        counts = sum(self.statements.member_counts) * each[self.statements.rows]
        places = np.append(np.arange(self.n_items), self.statements.members)
        totals = np.bincount(places, np.append(start, counts), self.n_items).astype(np.float64)
        return as_counts(totals, whole=start.dtype.kind == "i" and are_whole(self.weight))

    def _count(self, total: float) -> Count:
        return round(total) if are_whole(self.weight) else float(total)

    def pairs(self) -> Ints:
        """Write out all pairs of indices, better first, shape (n_pairs, 2). Ties are not among them."""
        better, worse, tie, _ = self.statements.comparisons()
        return np.column_stack([better, worse])[~tie]

    def ties(self) -> Ints:
        """Write out all pairs of indices that were judged equal, shape (n_ties, 2)."""
        better, worse, tie, _ = self.statements.comparisons()
        return np.column_stack([better, worse])[tie]

    def comparisons(self) -> Comparisons:
        """Write out all pairs, ties among them, with the columns of each."""
        return self._comparisons(*self.statements.comparisons())

    def pair_blocks(self, size: int = 1_000_000) -> Iterator[Comparisons]:
        """Yield all pairs, ties among them, in blocks of at most ``size``, so that memory stays bounded."""
        for block in self.statements.blocks(size):
            yield self._comparisons(*block)

    def _comparisons(self, better: Ints, worse: Ints, tie: Bools, row: Ints) -> Comparisons:
        def of_row(column: NDArray[Any] | None) -> Any:
            return None if column is None else column[row]

        weight = np.ones(len(row)) if self.weight is None else self.weight[row]
        columns = of_row(self.judge), of_row(self.better_on_left), of_row(self.period)
        return Comparisons(better, worse, tie, weight, row, *columns)

    def tallies(self, *, weighted: bool = True) -> Floats:
        """Return how often each item was better, worse and equal, shape (3, n_items), writing out no pairs.

        Examples
        --------
        >>> from penchant import Preferences
        >>> Preferences.from_rankings([["a", "b", "c"], ["b", ["a", "c"]]]).tallies().tolist()
        [[2.0, 3.0, 0.0], [1.0, 1.0, 3.0], [1.0, 0.0, 1.0]]
        """
        return self.statements.tallies(self.weight if weighted else None, self.n_items)

    def win_matrix(self) -> csr_array:
        """Return the sparse matrix whose entry [i, j] is the weight with which i was preferred to j."""
        comparisons = self.comparisons()
        won = ~comparisons.tie
        return graph.weight_matrix(
            comparisons.better[won], comparisons.worse[won], comparisons.weight[won], self.n_items
        )

    def tie_matrix(self) -> csr_array:
        """Return the symmetric sparse matrix of the weight with which i and j were judged equal."""
        comparisons = self.comparisons()
        first, second, weight = (
            comparisons.better[comparisons.tie],
            comparisons.worse[comparisons.tie],
            comparisons.weight[comparisons.tie],
        )
        both = np.concatenate([first, second]), np.concatenate([second, first])
        return graph.weight_matrix(*both, np.tile(weight, 2), self.n_items)

    # -- the graph of who was compared with whom -----------------------------------------------------------

    def components(self, *, strong: bool = False) -> list[Ints]:
        """Return the groups of items that comparisons connect, as arrays of indices, largest first.

        Parameters
        ----------
        strong : bool
            Ask for chains of preference in both directions (a tie goes both ways). Only if all items are in
            one such group does a maximum likelihood worth exist (Ford 1957).

        Examples
        --------
        >>> from penchant import Preferences
        >>> prefs = Preferences.from_pairs([(0, 1), (1, 0), (0, 2)])
        >>> [group.tolist() for group in prefs.components()]
        [[0, 1, 2]]
        >>> [group.tolist() for group in prefs.components(strong=True)]
        [[0, 1], [2]]
        """
        labels = self._strong_labels if strong else self._labels
        order = np.argsort(labels, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        return sorted(groups, key=lambda group: (-len(group), group[0]))

    @cached_property
    def _labels(self) -> Ints:
        return graph.components(self.statements, self.n_items, strong=False)

    @cached_property
    def _strong_labels(self) -> Ints:
        return graph.components(self.statements, self.n_items, strong=True)

    @property
    def has_maximum_likelihood(self) -> bool:
        """Whether worth without a prior is finite and unique: each item leads to each other by preferences."""
        return bool(self._strong_labels.max() == 0)

    def count_cycles(self) -> int:
        """Return how many triples run in a circle by majority: a mostly beats b, b beats c, c beats a.

        Examples
        --------
        >>> from penchant import Preferences
        >>> Preferences.from_pairs([("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]).count_cycles()
        1
        """
        groups = [group for group in self.components(strong=True) if len(group) > 2]
        return sum(graph.count_circular_triads(self.among(group).win_matrix()) for group in groups)

    def among(self, items: ArrayLike) -> Self:
        """Return the rows restricted to some items, given as indices, which become all items.

        Each row stays, also one that mentions none of them. The bar, if it is among them, comes last.
        """
        chosen = np.asarray(items)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise InvalidInput(f"items must be a vector of indices, got {shown(items)}: give whole numbers")
        chosen = Items(self.n_items).encode(chosen)
        new_index = np.full(self.n_items, UNKNOWN)
        new_index[chosen] = np.arange(len(chosen))
        kept = self.statements.keep(new_index)
        return replace(self, statements=kept, catalogue=Items.named([self.items[item] for item in chosen]))

    # -- ways out ------------------------------------------------------------------------------------------

    def to_orders(self) -> list[list[Any]]:
        """Return each row as an order of ids, best first; items on one level are a nested list."""
        orders: list[list[Any]] = []
        statements = self.statements
        for start, stop in zip(statements.starts[:-1], statements.starts[1:], strict=True):
            groups: dict[int, list[str]] = {}
            for member, level in zip(
                statements.members[start:stop], statements.levels[start:stop], strict=True
            ):
                groups.setdefault(int(level), []).append(self.items[member])
            orders.append([group if len(group) > 1 else group[0] for group in groups.values()])
        return orders

    def to_frame(self) -> DataFrame:
        """Write out all pairs as a pandas frame: row, better, worse, tie, weight, and the columns that are not None."""
        from pandas import DataFrame

        comparisons = self.comparisons()
        names = np.array(self.items, dtype=object)
        columns: dict[str, Any] = {
            "row": comparisons.row,
            "better": names[comparisons.better],
            "worse": names[comparisons.worse],
            "tie": comparisons.tie,
            "weight": comparisons.weight,
        }
        if comparisons.judge is not None:
            columns["judge"] = np.array([*self.judges, None], dtype=object)[comparisons.judge]
        if comparisons.better_on_left is not None:
            columns["better_on_left"] = np.array([False, True, None], dtype=object)[
                comparisons.better_on_left
            ]
        if comparisons.period is not None:
            columns["period"] = comparisons.period
        if self.source is not None:
            columns["source"] = self.source[comparisons.row]
        if self.covariates is not None:
            for name, values in zip(self.covariate_names, self.covariates.T, strict=True):
                columns[f"covariate {name}"] = values[comparisons.row]
        return DataFrame(columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        mine, theirs = self.__save_state__(), other.__save_state__()
        same = mine.keys() == theirs.keys()
        return same and all(np.array_equal(mine[name], theirs[name]) for name in mine)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        better, _, equal = (0, 0, 0) if self.weight is None else self.tallies().sum(axis=1)
        pairs = self.statements.n_pairs if self.weight is None else self._count(better)
        ties = self.statements.n_ties if self.weight is None else self._count(equal / 2)
        items = counted(self.n_items - self.catalogue.bar, "item")
        answers = self.n_answers
        rows = [] if answers == len(self) else [f"in {counted(len(self), 'row')}"]
        if self.statements.only_comparisons:
            beside = ", ".join([counted(ties, "tie")] * bool(ties) + rows)
            what = f"{counted(answers, 'comparison')}{beside and f' ({beside})'} of {items}"
        else:
            answered = f"{counted(answers, 'answer')} ({rows[0]})" if rows else counted(len(self), "row")
            tied = f" and {counted(ties, 'tie')}" if ties else ""
            what = f"{answered} of {items} implying {counted(pairs, 'pair')}{tied}"
        n_judges = 0 if self.judge is None else int((np.bincount(self.judge + 1)[1:] > 0).sum())
        who = f" by {counted(n_judges, 'judge')}" if n_judges else ""
        groups = int(self._labels.max()) + 1
        joined = "connected" if groups == 1 else f"in {groups:,} groups never compared with one another"
        return f"Preferences: {what}{who}, {joined}"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from penchant.plots.notebook import preferences_view

        return preferences_view(self)

    # -- saving --------------------------------------------------------------------------------------------

    def __save_state__(self) -> dict[str, object]:
        state: dict[str, object] = {name: getattr(self.statements, name) for name in STATEMENTS}
        state |= {name: getattr(self, name) for name in ("judges", *COLUMNS) if name != "covariates"}
        if self.covariates is not None:
            state |= {"covariates": self.covariates, "covariate_names": self.covariate_names}
        catalogue = self.catalogue
        return state | {"count": catalogue.count, "names": catalogue.names, "bar": catalogue.bar}

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        return cls(**restored(state))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "none"
