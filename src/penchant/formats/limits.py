"""Limits on what a file may demand of its reader. All of them are here, and `Source` carries them to every reader."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from penchant.errors import Argument, InvalidInput, Text

_PYTHON_DIGITS = 4300  # CPython converts no longer text to an integer


@dataclass(frozen=True)
class Limits:
    """The most that a file may hold; files beyond it are rejected, or the row alone where that is possible.

    Attributes
    ----------
    bytes : int
        Bytes of a file, after unpacking, and of a matrix of features that a model needs written out.
    line : int
        Bytes of a line.
    field : int
        Characters of a cell, of an id and of a column's name.
    columns : int
        Columns of a table. Features of a LETOR file and items of an order file may be numbered higher only if the
        file holds enough values, see ``density``.
    density : int
        Features (items) that a LETOR (order) file may number for each value that it holds.
    values : int
        Values in one line of JSON.
    depth : int
        Lists and objects inside one another in JSON.
    digits : int
        Digits of a number.
    refused : int
        Rows that cannot be used; a file with more is taken to be in another format.

    Examples
    --------
    >>> Limits(bytes=4 * 10**9).bytes
    4000000000
    """

    bytes: int = 2**30
    line: int = 2**24
    field: int = 2**17
    columns: int = 100_000
    density: int = 10
    values: int = 1_000_000
    depth: int = 100
    digits: int = 1000
    refused: int = 1_000_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if type(value) is not int or value < 1:
                raise InvalidInput(
                    f"limit {name} must be a whole number above 0, got {value!r}: give such a number"
                )
        if self.digits > _PYTHON_DIGITS:
            raise InvalidInput(
                f"limit digits must be at most {_PYTHON_DIGITS}, got {self.digits}: Python reads no longer numbers"
            )

    def highest(self, n_values: int) -> int:
        """Return the highest number of a feature or item in a file that holds ``n_values`` values."""
        return max(self.columns, self.density * n_values)

    def reject(self, name: str, what: str, came: int | None = None) -> InvalidInput:
        """Return the error about ``what``, of which there is more than the limit called ``name`` allows.

        Parameters
        ----------
        came : int, optional
            How much there is, where that is known.
        """
        return InvalidInput(self.excess(name, what, came))

    def excess(self, name: str, what: str, came: int | None = None) -> Text:
        """Return the message of `reject`, for a row that is rejected alone."""
        limit: int = getattr(self, name)
        got = "more" if came is None else f"{came:,}"
        enough = Argument(name, 2 * limit if came is None else came, part_of="limits")
        return Text(f"{what} must be at most {limit:,}, got {got}: give less, or ", enough)


DEFAULT = Limits()
