"""Tables and columns of polars, pyarrow and others as pandas', where everything else takes them from.

Nothing else knows of other libraries of tables. They are read through narwhals, which imports none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from pandas import DataFrame

_OWN = ("builtins", "numpy", "pandas", "scipy", "penchant")
"""The libraries whose objects are taken as they are."""


def as_frame(table: Any) -> Any:
    """Return a table of another library as a pandas frame, and anything else as it is.

    The order of the categories that a polars Enum or an ordered dictionary of pyarrow declares is kept.

    Examples
    --------
    >>> as_frame([[1, 2]])
    [[1, 2]]
    """
    found = _recognised(table)
    if found is None or not hasattr(found, "columns"):
        return table
    from pandas import DataFrame

    names = list(found.columns)
    columns = {place: _converted(found[name]) for place, name in enumerate(names)}
    frame = DataFrame(columns)
    frame.columns = names
    return frame


def as_features(table: Any) -> Any:
    """Return a table as `as_frame` does; its ids, the only column that holds text, become the index.

    Tables of polars and pyarrow have no index. One of pandas stays as it is.
    """
    frame = as_frame(table)
    if frame is table:
        return table
    return _indexed(frame)


def as_column(values: Any) -> Any:
    """Return a column of another library as a pandas series, and anything else as it is."""
    if _is_own(values) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return values
    from narwhals.stable import v1 as nw

    found = nw.from_native(values, pass_through=True, series_only=True)
    if not isinstance(found, nw.Series):
        return values
    from pandas import Series

    return Series(_converted(found))


def _is_own(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in _OWN


def _recognised(table: Any) -> Any:
    """Return a table of another library in the form of narwhals; None for anything else."""
    if _is_own(table):
        return None
    from narwhals.stable import v1 as nw

    found = nw.from_native(table, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        raise InvalidInput.of("a table", "be in memory", type(table).__name__, "call its method collect()")
    return found if isinstance(found, nw.DataFrame) else None


def _converted(column: Any) -> Any:
    """Return a column as a NumPy array of numbers, a categorical with its declared order, or a list."""
    from narwhals.stable import v1 as nw
    from pandas import Categorical

    kind = column.dtype
    if kind == nw.Enum or kind == nw.Categorical:
        categories = _declared(column)
        if categories is not None:
            return Categorical(column.to_list(), categories=categories, ordered=True)
        return column.to_list()
    if kind.is_numeric() or kind == nw.Boolean:
        return column.to_numpy()
    return column.to_list()


def _declared(column: Any) -> list[Any] | None:
    """Return the categories in the order that was declared; None where no order was."""
    native = column.to_native()
    dictionary = getattr(native, "type", None)
    if dictionary is not None:  # pyarrow's
        if not dictionary.ordered:
            return None
        parts = native.unify_dictionaries().chunks
        return parts[0].dictionary.to_pylist() if parts else []
    categories = getattr(
        native.dtype, "categories", None
    )  # an Enum of polars has them, a Categorical has no order
    is_enum = type(native.dtype).__name__ == "Enum"
    return list(categories) if is_enum and categories is not None else None


def _indexed(frame: DataFrame) -> DataFrame:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    text = [
        name for name in frame.columns if not is_numeric_dtype(frame[name]) and not is_bool_dtype(frame[name])
    ]
    return frame.set_index(text[0]) if len(text) == 1 else frame
