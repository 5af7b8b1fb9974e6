"""Large files in pieces: blocks of whole lines, and arrays that grow as the blocks are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.formats.parsing.source import Source

BLOCK = 1 << 23
"""The bytes of a block, without the end of its last line."""


class Growing:
    """An array that is appended to. It grows in place where the system can do that, without a copy beside it.

    Examples
    --------
    >>> numbers = Growing(np.int64)
    >>> numbers.extend([3, 4])
    >>> numbers.extend([5])
    >>> numbers.trimmed()
    array([3, 4, 5])
    """

    def __init__(self, dtype: type) -> None:
        self.array: NDArray[Any] = np.empty(64, dtype=dtype)
        self.size = 0

    def reserve(self, count: int) -> None:
        """Make room for ``count`` more entries; an array that was taken before must not be used any more."""
        if self.size + count > len(self.array):
            self.array.resize(self.size + count + self.size // 16, refcheck=False)

    def extend(self, values: Any) -> None:
        """Append values."""
        self.reserve(len(values))
        self.array[self.size : self.size + len(values)] = values
        self.size += len(values)

    def trimmed(self) -> NDArray[Any]:
        """Return the entries, without room for more."""
        self.array.resize(self.size, refcheck=False)
        return self.array


def line_blocks(source: Source) -> Iterator[bytes]:
    """Yield a text in blocks of whole lines, as Latin-1 if it is that and else as UTF-8 without a mark."""
    rest = b""
    for block in _encoded(source):
        whole = rest + block if rest else block
        end = whole.rfind(b"\n") + 1 or whole.rfind(b"\r", 0, -1) + 1
        if end:
            yield whole[:end]
        rest = whole[end:]
    if rest:
        yield rest


def _encoded(source: Source) -> Iterator[bytes]:
    if source.encoding in ("utf-8", "latin-1"):
        with source.open_bytes(lines=True) as file:
            while block := file.read(BLOCK):
                yield block
        return
    with source.open_text(newline="") as text:
        while part := text.read(BLOCK):
            yield part.encode()
