"""Text that people wrote, made safe to show."""

from __future__ import annotations

import unicodedata

_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that reorder the text around them: a title could be read as another one."""
_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""Return ``text`` with control characters and direction overrides written as backslash escapes.

    Emoji, also those that are joined from several, and text that is written from right to left stay as they are.

    Examples
    --------
    >>> print(visible("tea\x1b[2J"), visible("green tea"), visible("\u202eaet"))
    tea\x1b[2J green tea \u202eaet
    """
    if text.isprintable():
        return text
    return "".join(_escaped(sign) if is_hidden(sign) else sign for sign in text)


def is_hidden(sign: str) -> bool:
    """Return whether a character controls how text is shown instead of being shown."""
    return sign in _DIRECTIONS or unicodedata.category(sign) in _HIDDEN


def first_hidden(text: str, allowed: str = "") -> str | None:
    r"""Return the first character of ``text`` that is hidden and not ``allowed``, as an escape, or None.

    Examples
    --------
    >>> print(first_hidden("one\ntwo", allowed="\n"), first_hidden("one\ntwo"))
    None \n
    """
    if text.isprintable():
        return None
    return next((_escaped(sign) for sign in text if is_hidden(sign) and sign not in allowed), None)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
