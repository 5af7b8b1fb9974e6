"""How deep JSON is nested, by counting brackets in bytes before anything is parsed."""

from __future__ import annotations

_OTHERS = bytes(byte for byte in range(256) if byte not in b'"[]{}')


def is_deeper(body: bytes | bytearray, depth: int) -> bool:
    """Stop stack and memory exhaustion by brackets: a parser keeps an object for each that is open.

    Return whether a parser would meet more than ``depth`` arrays and objects inside one another. Every step is one
    pass in C, a few nanoseconds a byte; what is no JSON may be called too deep, and is rejected either way.

    Examples
    --------
    >>> is_deeper(b'{"a": [1, "[[["]}', 2), is_deeper(b"[[[1]]]", 2)
    (False, True)
    """
    if body.count(b"[") + body.count(b"{") <= depth:
        return False
    left = _brackets(body)
    for taken in range(depth + 1):
        # By way of a sign that is no bracket, so that an object of an empty list stays for the next step.
        inner = left.replace(b"[]", b"\0").replace(b"{}", b"\0").replace(b"\0", b"")
        if len(inner) == len(left):  # open to the end, or closed by the wrong bracket: there a parser stops
            return taken + len(left) - len(left.lstrip(b"[{")) > depth
        left = inner
    return True


def _brackets(body: bytes | bytearray) -> bytes:
    """Return the brackets outside of strings."""
    if b"\\" in body:  # pairs first, from the left: what is left before a quote is its own
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept = body.translate(None, _OTHERS)
    # Two quotes side by side are an empty string, or join two strings with nothing between them.
    return b"".join(kept.replace(b'""', b"").split(b'"')[::2])
