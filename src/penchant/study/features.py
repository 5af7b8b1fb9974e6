"""Features and links of items as models take them: a table of numbers, and a symmetric matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.study.items import Item, Scalar, check_links, field_names

if TYPE_CHECKING:
    from pandas import DataFrame
    from scipy.sparse import csr_array

MOST_CATEGORIES = 100
"""A field of words with more different ones is a text or a name, not a category."""
LARGEST = 1e100
"""The largest absolute value of a feature: squares of more would not be finite."""


def feature_table(items: Iterable[Item], names: Sequence[str]) -> DataFrame:
    """Return the fields called ``names`` as numbers, indexed by the ids of the items.

    A field of numbers is one column; true and false are 1 and 0. A field of words is a category: one column
    ``name=word`` for each word, 1 for the items that have it and 0 for the others. A field that is empty for some
    item, or that holds both numbers and words, is rejected with the id of the item.

    Parameters
    ----------
    items : iterable of Item
    names : sequence of str
        Fields, each once.

    Examples
    --------
    >>> van = Item("a", "A", fields={"range": "310", "body": "van"})
    >>> coupe = Item("b", "B", fields={"range": 420, "body": "coupe"})
    >>> feature_table([van, coupe], ["range", "body"])
       range  body=coupe  body=van
    a  310.0         0.0       1.0
    b  420.0         1.0       0.0
    """
    from pandas import DataFrame

    listed = list(items)
    return DataFrame(feature_columns(listed, names), index=[item.id for item in listed], dtype=np.float64)


def feature_columns(items: Sequence[Item], names: Sequence[str]) -> dict[str, list[float]]:
    """Return the columns of `feature_table` as lists by their names.

    Examples
    --------
    >>> feature_columns([Item("a", "A", fields={"range": "310"}), Item("b", "B", fields={"range": 420})], ["range"])
    {'range': [310.0, 420.0]}
    """
    fields = field_names(items)
    columns: dict[str, list[float]] = {}
    feature_of: dict[str, str] = {}
    for place, name in enumerate(names):
        if name not in fields or name in names[:place]:
            got = "it twice" if name in fields else f"{name!r}, and fields {shown(list(fields), 200)}"
            raise InvalidInput.of("features", "name fields of the items, each once", got, "correct it")
        for column, cells in _columns(name, items).items():
            if column in columns:
                raise InvalidInput(
                    f"features must make columns of different names, got {shown(column)} of {feature_of[column]!r} "
                    f"and of {name!r}: rename one of the two fields"
                )
            columns[column], feature_of[column] = cells, name
    return columns


def standardised(table: DataFrame) -> DataFrame:
    """Return the columns with mean 0 and standard deviation 1; a column that is the same for all items is 0.

    `LinkedGP` and `PreferenceGP` need such features, since one lengthscale stands for all of them.

    Examples
    --------
    >>> import pandas as pd
    >>> standardised(pd.DataFrame({"x": [1.0, 3.0], "y": [5.0, 5.0]})).to_numpy().tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    values = table.to_numpy(dtype=np.float64)
    spread = values.std(axis=0)
    # A constant column may have a spread of rounding errors.
    varies = (np.ptp(values, axis=0) > 0) & (spread > 0)
    scaled = np.where(varies, (values - values.mean(axis=0)) / np.where(varies, spread, 1.0), 0.0)
    return table.__class__(scaled, index=table.index, columns=table.columns)


def check_features(items: Iterable[Item], names: Sequence[str]) -> None:
    """Reject features that no table can be made of, and fields that are the same for all items."""
    listed = list(items)
    feature_columns(listed, names)
    for name in names:
        if all(min(cells) == max(cells) for cells in _columns(name, listed).values()):
            raise InvalidInput(
                f"feature {name!r} must differ between items, got one value for all: leave it out"
            )


def links_matrix(items: Iterable[Item]) -> csr_array:
    """Return the weights of the links between items, a symmetric sparse matrix in the order of the items.

    A link that both of its items name counts once, with the larger weight. Links of an item to itself are left out.

    Examples
    --------
    >>> links_matrix([Item("a", "A", links={"b": 2.0}), Item("b", "B", links={"a": 1.0}), Item("c", "C")]).toarray()
    array([[0., 2., 0.],
           [2., 0., 0.],
           [0., 0., 0.]])
    """
    from scipy.sparse import coo_array

    listed = list(items)
    check_links(listed)
    row = {item.id: place for place, item in enumerate(listed)}
    links = [
        (row[item.id], row[linked], weight)
        for item in listed
        for linked, weight in item.links.items()
        if linked != item.id
    ]
    first, second, weights = (list(part) for part in zip(*links, strict=True)) if links else ([], [], [])
    shape = (len(listed), len(listed))
    places = (np.array(first, dtype=np.int64), np.array(second, dtype=np.int64))
    given = coo_array((np.array(weights, dtype=np.float64), places), shape=shape).tocsr()
    return given.maximum(given.T).tocsr()


def _columns(name: str, items: Sequence[Item]) -> dict[str, list[float]]:
    cells = [item.fields.get(name) for item in items]
    for item, cell in zip(items, cells, strict=True):
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            raise _rejected(name, item, "have a value", "none", "fill it in")
    found = [_number(cell) for cell in cells]
    numbers = [number for number in found if number is not None]
    if not numbers:
        return _categories(name, [str(cell).strip() for cell in cells])
    for item, cell, number in zip(items, cells, found, strict=True):
        if number is None:
            raise _rejected(name, item, "be a number as that of others", shown(cell), "correct it")
        if not np.isfinite(number):
            raise _rejected(name, item, "be a finite number", shown(cell), "correct it")
        if abs(number) > LARGEST:
            raise _rejected(name, item, f"be at most {LARGEST:g}", shown(cell), "take a larger unit")
    return {name: numbers}


def _number(cell: Scalar) -> float | None:
    """Return a number, perhaps not a finite one, or None for a word."""
    if isinstance(cell, str) and "_" in cell:
        return None
    try:
        return None if cell is None else float(cell)
    except ValueError:
        return None


def _categories(name: str, words: Sequence[str]) -> dict[str, list[float]]:
    different = sorted(set(words))
    if len(different) > MOST_CATEGORIES:
        raise InvalidInput(
            f"feature {name!r} must be a number or one of at most {MOST_CATEGORIES} words, "
            f"got {len(different)} different ones: leave it out"
        )
    return {f"{name}={word}": [float(cell == word) for cell in words] for word in different}


def _rejected(name: str, item: Item, limit: str, came: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"feature {name!r} of item {item.id[:60]!r} must {limit}, got {came}: {remedy}")
