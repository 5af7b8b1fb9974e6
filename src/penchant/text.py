"""Text from strangers, safe to show: names that may hold control characters in, names that only print out."""

from __future__ import annotations

import re

__all__ = ["visible"]

# Control characters (Cc); line and paragraph separators; overrides and isolates of the writing direction; lone
# surrogates (Cs); and the code points that Unicode says are no characters, which no XML may hold.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(0x10000 * plane + 0xFFFE)}{chr(0x10000 * plane + 0xFFFF)}" for plane in range(1, 17))
    + "]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with every character that would act instead of being shown as a backslash escape.

    Those are control characters, line and paragraph separators, overrides of the writing direction, lone
    surrogates and noncharacters. Letters of any script, right-to-left text and emoji, with their joiners and
    variation selectors, stay as they are.

    Examples
    --------
    >>> print(visible("tea\x1b[2J\u202e"))
    tea\x1b[2J\u202e
    >>> visible("żółw שלום 👩‍🚀") == "żółw שלום 👩‍🚀"
    True
    """
    return _HIDDEN.sub(lambda found: _escape(ord(found[0])), text)


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
