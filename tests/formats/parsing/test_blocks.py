"""Blocks of whole lines, and growing arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.formats.parsing import blocks
from penchant.formats.parsing.blocks import Growing, line_blocks
from penchant.formats.parsing.source import Source


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_are_whole_lines_and_lose_nothing(
    encoding: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined they are the text; each but the last ends where a line does, and none begins inside a line's end."""
    monkeypatch.setattr(blocks, "BLOCK", 16)
    text = end.join(["short", "é" * 40, "", "x", "yz" * 9, "last without an end"])
    path = tmp_path / "x.txt"
    path.write_bytes(text.encode(encoding))
    found = list(line_blocks(Source.of(path)))
    assert b"".join(found) == text.encode("latin-1" if encoding == "latin-1" else "utf-8")
    assert len(found) > 1
    assert all(block.endswith((b"\n", b"\r")) for block in found[:-1])
    assert not any(block.startswith(b"\n") and end == "\r\n" for block in found)


def test_an_array_grows() -> None:
    """Entries stay in order, also beyond the room that was reserved."""
    growing = Growing(np.int32)
    for start in range(0, 1000, 7):
        growing.extend(range(start, start + 7))
    assert growing.trimmed().tolist() == list(range(1001))
    growing.extend([5])
    assert growing.trimmed()[-2:].tolist() == [1000, 5]
