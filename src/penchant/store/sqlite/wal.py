"""Find out whether SQLite will read all that a write-ahead log (WAL) holds.

When SQLite opens a WAL it silently stops at the first frame that does not match its checksum. That is right
for the transaction that a crash cut short, which was never acknowledged. A damaged byte in the middle has the same
effect on everything behind it: transactions that were on disk, and acknowledged, would be gone in silence.

A frame has a header of 24 bytes and a page. The header holds the page number, the size of the database where the
frame ends a transaction (else 0), two salts that all frames of one WAL share, and the checksum of all frames so far.
See "The WAL file format" in SQLite's documentation.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER, FRAME_HEADER = 32, 24
_MAGIC = 0x377F0682  # with the lowest bit set, checksums are of big-endian words

Words = NDArray[np.uint32]


def unread_commits(wal: Path, page_size: int) -> int:
    """Return how many transactions end behind the last frame that SQLite would read.

    A crash leaves at most one: each transaction is synced before the next one is written.

    Parameters
    ----------
    wal : Path
        The WAL, which nobody is writing. It need not exist.
    page_size : int
        Of the database: the WAL's own header may be what is damaged.
    """
    raw = np.fromfile(wal, dtype=np.uint8) if wal.exists() else np.empty(0, np.uint8)
    size = FRAME_HEADER + page_size
    count = (len(raw) - HEADER) // size
    if count < 1:
        return 0
    header = raw[:HEADER].view(">u4").astype(np.uint32)
    frames = raw[HEADER : HEADER + count * size].reshape(count, size)
    heads = np.ascontiguousarray(frames[:, :FRAME_HEADER]).view(">u4").astype(np.uint32)
    # One salt is enough: a frame of an earlier use of the file shares neither, a damaged one at least one.
    ours = (heads[:, 2] == header[4]) | (heads[:, 3] == header[5])
    ends = ours & (heads[:, 1] != 0)
    return int(ends[valid_frames(header, frames, heads) :].sum())


def valid_frames(header: Words, frames: NDArray[np.uint8], heads: Words) -> int:
    """Return the number of leading frames that match their checksums and salts."""
    order = ">u4" if header[0] & 1 else "<u4"
    if header[0] & 0xFFFFFFFE != _MAGIC:
        return 0
    words = np.ascontiguousarray(header[:6].astype(">u4")).view(order).astype(np.uint32)
    checksum = _checksums(words[None, :])[0]  # the header's own begins at zero
    if (checksum != header[6:8]).any():
        return 0
    covered = np.concatenate([frames[:, :8], frames[:, FRAME_HEADER:]], axis=1)
    sums = _checksums(np.ascontiguousarray(covered).view(order).astype(np.uint32))
    onward = _powers(covered.shape[1] // 8)[-1]
    for number in range(len(frames)):
        checksum = onward @ checksum + sums[number]
        if (heads[number, 2:4] != header[4:6]).any() or (heads[number, 4:6] != checksum).any():
            return number
    return len(frames)


def _checksums(words: Words) -> Words:
    """Return the checksum of each row, begun at zero.

    For words x₀, x₁, x₂, … SQLite repeats s₀ += x₂ᵢ + s₁, s₁ += x₂ᵢ₊₁ + s₀ modulo 2³². With s = (s₀, s₁) a step is
    s ← M s + N x for M = (1 1; 1 2) and N = (1 0; 1 1), so that the sum over n steps is Σ Mⁿ⁻¹⁻ⁱ N xᵢ.
    """
    pairs = words.shape[1] // 2
    step = np.array([[1, 0], [1, 1]], dtype=np.uint32)
    weights = _powers(pairs)[pairs - 1 :: -1] @ step  # (pairs, 2, 2)
    by_word = np.ascontiguousarray(weights.transpose(0, 2, 1)).reshape(2 * pairs, 2)
    return words @ by_word


@cache
def _powers(count: int) -> Words:
    """Return M⁰, …, M^count modulo 2³²."""
    powers = np.empty((count + 1, 2, 2), dtype=np.uint32)
    powers[0] = np.eye(2, dtype=np.uint32)
    step = np.array([[1, 1], [1, 2]], dtype=np.uint32)
    for number in range(count):
        powers[number + 1] = step @ powers[number]
    return powers
