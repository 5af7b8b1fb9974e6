"""Cells of a table that people open in a spreadsheet. Ids in, safe cells out, and back.

A spreadsheet runs a cell that starts with = + - @ or a tab. Such a cell gets an apostrophe in front, which
spreadsheets themselves take to mean "text, as it stands", and loses it again on reading. Cells are otherwise
read without the spaces around them, so an id with such spaces gets the apostrophe too.
"""

from __future__ import annotations

import re

_DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_QUOTED = re.compile(r'[",;\t\r\n]')


def needs_apostrophe(text: str) -> bool:
    """Whether a cell must not stand as it is.

    Examples
    --------
    >>> [needs_apostrophe(text) for text in ("=1+1", "-1", " tea", "'tis", "'=1")]
    [True, False, True, False, True]
    """
    rest = text.lstrip(
        "'"
    )  # what has apostrophes of its own gets one more, so that reading takes that one away
    return rest != rest.strip() or (rest.startswith(_DANGEROUS) and not _NUMBER.fullmatch(rest))


def protected(text: str) -> str:
    """Return a cell that no spreadsheet executes."""
    return f"'{text}" if needs_apostrophe(text) else text


def unprotected(cell: str) -> str:
    """Return what `protected` was given, of another cell its text without the spaces around it.

    Examples
    --------
    >>> unprotected("'=1+1"), unprotected(" tea "), unprotected(protected(" tea "))
    ('=1+1', 'tea', ' tea ')
    """
    if cell.startswith("'") and needs_apostrophe(cell[1:]):
        return cell[1:]
    return cell.strip()


def quoted(text: str) -> str:
    """Return a safe cell as it stands in a CSV file."""
    cell = protected(text)
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
