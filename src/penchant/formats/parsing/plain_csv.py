"""Large CSV files without escaped cells, block by block through pandas' tokeniser; anything else is left to the caller.

A block is plain if its quotes, where it has some, enclose whole cells without a separator, a quote or a line end in
them. Its lines can then be taken one by one: those with the right number of cells go to pandas, which numbers the
distinct texts of a column without making an object of each cell, and the others are rejected.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints
from penchant.counts import counted
from penchant.formats.parsing.blocks import line_blocks
from penchant.formats.parsing.reading import Findings

SMALL = 1 << 21
"""Files up to so many bytes are read row by row, which takes less time than loading pandas."""
_NEWLINE, _QUOTE, _SPACE = 10, 34, 32

Coded = dict[int, tuple[list[str], Ints]]
"""The columns of a block by their place: the distinct texts, and for each row the index of its text."""


class PlainBlocks:
    """The rows of a large file up to the first block that is not plain.

    Parameters
    ----------
    findings : Findings
        Takes the rows that have another number of cells.
    between : str
        What separates cells.
    width : int
        The number of cells of a row.
    n_header : int
        The lines up to the header.

    Attributes
    ----------
    n_lines : int
        How many lines of the file were read so far.
    is_whole : bool
        Whether that is the whole file.
    """

    def __init__(self, findings: Findings, between: str, width: int, n_header: int) -> None:
        self._findings, self._source = findings, findings.source
        self._between, self._width, self._n_header = between, width, n_header
        self.n_lines, self.is_whole = n_header, False

    def columns(self, places: Mapping[str, int]) -> Iterator[tuple[Ints, Coded]]:
        """Yield block by block the lines of the rows, and the columns at ``places``."""
        wanted = sorted(set(places.values()))
        above = self._n_header
        for block in line_blocks(self._source):
            if b"\r" in block:
                if block.count(b"\r") != block.count(b"\r\n"):
                    return
                block = block.replace(b"\r\n", b"\n")
            while above and block:
                block, above = block.partition(b"\n")[2], above - 1
            if not block:
                continue
            found = self._plain(np.frombuffer(block, dtype=np.uint8))
            if found is None:
                return
            lines, text = found
            if len(lines):
                yield lines, self._coded(text, wanted, len(lines))
        self.is_whole = True

    def _plain(self, data: NDArray[np.uint8]) -> tuple[Ints, bytes] | None:
        """Return the lines of the rows of a block and their text without quotes; None if it is not plain."""
        separators = np.flatnonzero(data == ord(self._between))
        ends = np.flatnonzero(data == _NEWLINE)
        if data[-1] != _NEWLINE:
            ends = np.append(ends, len(data))
        quotes = np.flatnonzero(data == _QUOTE)
        if len(quotes) and not _enclose_cells(data, quotes, separators, ends):
            return None
        lengths = np.diff(ends, prepend=-1)
        if lengths.max() > self._source.limits.field:
            return None
        lines = self.n_lines + np.arange(1, len(ends) + 1)
        fits = np.diff(np.searchsorted(separators, ends), prepend=0) == self._width - 1
        for row in np.flatnonzero(~fits):
            self._reject(int(lines[row]), data[ends[row] - lengths[row] + 1 : ends[row]].tobytes())
        self.n_lines += len(ends)
        kept = data != _QUOTE if len(quotes) else np.ones(len(data), dtype=np.bool_)
        if not fits.all():
            kept &= np.repeat(fits, lengths)[: len(data)]
        return lines[fits], (data if kept.all() else data[kept]).tobytes()

    def _reject(self, number: int, line: bytes) -> None:
        cells = next(csv.reader([line.decode(self._encoding)], delimiter=self._between), [])
        if cells:
            self._findings.reject(
                number, f"{counted(len(cells), 'cell')} where the first line has {self._width}"
            )

    def _coded(self, text: bytes, wanted: list[int], n_rows: int) -> Coded:
        from pandas import read_csv

        # pandas takes a column for numbers, and drops leading zeros, unless some cell is none: a row of words is added.
        # It comes first, where pandas would also drop a byte order mark.
        row_of_words = self._between.join("~" * self._width).encode()
        frame: Any = read_csv(
            BytesIO(row_of_words + b"\n" + text),
            sep=self._between,
            header=None,
            names=range(self._width),
            usecols=wanted,
            index_col=False,
            dtype="category",
            na_filter=False,
            quoting=csv.QUOTE_NONE,
            skip_blank_lines=False,
            encoding=self._encoding,
            engine="c",
            low_memory=False,
        )
        assert len(frame) == n_rows + 1  # noqa: S101  (each line has its cells and no quotes)
        return {place: _texts_and_codes(frame[place].cat) for place in wanted}

    @property
    def _encoding(self) -> str:
        return "latin-1" if self._source.encoding == "latin-1" else "utf-8"


def _texts_and_codes(column: Any) -> tuple[list[str], Ints]:
    """Return the distinct texts of all rows but the first, and for each of these rows the index of its text."""
    codes = column.codes.to_numpy()
    texts = column.categories.tolist()
    if not (codes[1:] == codes[0]).any():
        texts[codes[0]] = texts[codes[-1]]
    # The csv module, which reads the other files, drops the spaces in front of a cell.
    return [text.lstrip(" ") for text in texts], codes[1:]


def _enclose_cells(data: NDArray[np.uint8], quotes: Ints, separators: Ints, ends: Ints) -> bool:
    """Whether the quotes come in twos, each around a whole cell that has no separator or space at its start."""
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    borders = np.union1d(separators, ends)
    alone = np.searchsorted(borders, opening) == np.searchsorted(borders, closing)
    begins = np.isin(opening - 1, borders, assume_unique=True) | (opening == 0)
    finishes = np.isin(closing + 1, borders, assume_unique=True)
    return bool((alone & begins & finishes & (data[opening + 1] != _SPACE)).all())
