"""Text for people: tables and shares; and text that people wrote, with what a terminal obeys written as escapes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

# Control characters (Cc); line and paragraph separators; overrides and isolates of the writing direction; lone
# surrogates (Cs); and the code points that Unicode says are no characters, which no XML may hold.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(0x10000 * plane + 0xFFFE)}{chr(0x10000 * plane + 0xFFFF)}" for plane in range(1, 17))
    + "]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with control and direction-override characters written as escapes.

    Ordinary text stays as it is, including emoji joined with U+200D, variation selectors, right-to-left text and
    the plain direction marks U+200E and U+200F.

    Examples
    --------
    >>> print(visible("a\x1b[2Jb\u202ec"), visible("שלום"))
    a\x1b[2Jb\u202ec שלום
    """
    return _OBEYED.sub(_escape, text)


def visible_lines(text: str) -> str:
    r"""Return ``text`` as `visible` does, with its line breaks and tabs kept.

    Examples
    --------
    >>> visible_lines("a\n\tb\x07")
    'a\n\tb\\x07'
    """
    return text if text.isprintable() else _OBEYED.sub(_escape_but_lines, text)


def first_hidden(text: str, allowed: str = "") -> str | None:
    r"""Return the first character that `visible` would escape and that is not ``allowed``, as an escape, or None.

    Examples
    --------
    >>> print(first_hidden("one\ntwo", allowed="\n"), first_hidden("one\ttwo"))
    None \x09
    """
    if text.isprintable():  # none of these characters is printable, and this is ten times as fast
        return None
    return next((_escape(found) for found in _OBEYED.finditer(text) if found[0] not in allowed), None)


def percent(share: float, places: int = 0) -> str:
    """Return a share in percent: 12 %.

    Examples
    --------
    >>> percent(0.1234), percent(0.1234, 1)
    ('12 %', '12.3 %')
    """
    return f"{100 * share:.{places}f} %"


def text_table(rows: Sequence[Mapping[str, str]], right: Collection[str] = ()) -> list[str]:
    r"""Return the lines of a table of cells by column, the header first; columns named in ``right`` are right-aligned.

    Examples
    --------
    >>> print("\n".join(text_table([{"item": "tea", "rank": "1"}, {"item": "coffee", "rank": "12"}], right={"rank"})))
    item    rank
    tea        1
    coffee    12
    """
    names = list(rows[0])
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in names}

    def line(cells: Mapping[str, str]) -> str:
        return "  ".join(
            cells[name].rjust(widths[name]) if name in right else cells[name].ljust(widths[name])
            for name in names
        ).rstrip()

    return [line(dict(zip(names, names, strict=True))), *map(line, rows)]


def _escape_but_lines(found: re.Match[str]) -> str:
    return found[0] if found[0] in "\n\t" else _escape(found)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
