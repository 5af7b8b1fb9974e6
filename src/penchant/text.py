"""Make text that people wrote safe to print: characters that a terminal or a viewer obeys become escapes."""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, line and paragraph separators, bidirectional embeddings, overrides and isolates, surrogates
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


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


def first_hidden(text: str, allowed: str = "") -> str | None:
    r"""Return the first character that `visible` would escape and that is not ``allowed``, as an escape, or None.

    Examples
    --------
    >>> print(first_hidden("one\ntwo", allowed="\n"), first_hidden("one\ttwo"))
    None \x09
    """
    return next((_escape(found) for found in _OBEYED.finditer(text) if found[0] not in allowed), None)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
