"""Collect the rows of a LETOR file as arrays, in time and memory that are proportional to its size.

A large file is parsed by compiled code, block by block; lines that are unusual in any way, and all lines of a small
file, for which loading that code would take longer than parsing, go through `parsed_line`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.formats.parsing.blocks import Growing, line_blocks
from penchant.formats.parsing.letor_lines import document, label, parsed_line
from penchant.formats.parsing.reading import Findings, Wrong
from penchant.preferences.items import Vocabulary

SMALL = 1 << 21
"""Files up to so many bytes are parsed line by line."""
_LONGEST = 300  # characters of a number or label that compiled code takes: those beyond a limit are rejected


class GradedRows:
    """Graded documents as they are read, one row each.

    Attributes
    ----------
    n_rows : int
        The rows of the file, those rejected included.
    highest : int
        The highest number of a feature, counted from 1.
    documents : list of str or None
        The id of each row that was not rejected; None once one of them has none.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings, self._source = findings, findings.source
        self._values, self._columns = Growing(np.float64), Growing(np.int32)
        self._ends, self._grades, self._queries = Growing(np.int64), Growing(np.float64), Growing(np.int64)
        self._labels = Vocabulary()
        self.n_rows = self.highest = 0
        self.documents: list[str] | None = []

    def __len__(self) -> int:
        return self._grades.size

    @property
    def n_values(self) -> int:
        """The number of features and grades that the rows give."""
        return self._values.size + len(self)

    @property
    def grades(self) -> Floats:
        """The grades, shape (n,)."""
        return self._grades.trimmed()

    @property
    def features(self) -> Any:
        """The features, a CSR array of shape (n, highest)."""
        from scipy.sparse import csr_array

        values, columns = self._values.trimmed(), self._columns.trimmed()
        index = columns.dtype if len(values) <= np.iinfo(columns.dtype).max else np.dtype(np.int64)
        features = csr_array((len(self), self.highest))
        # The constructor would copy the values.
        features.data, features.indices = values, columns.astype(index, copy=False)
        features.indptr = np.concatenate([[0], self._ends.trimmed()]).astype(index)
        return features

    @property
    def qid(self) -> NDArray[Any]:
        """The query of each row, shape (n,): integers, or text where some label is no integer."""
        codes = self._queries.trimmed()
        if not self._labels:
            return codes
        texts = list(self._labels)
        names = [texts[-1 - code] if code < 0 else str(code) for code in codes.tolist()]
        return np.array(names, dtype=object)

    def read(self, *, small: int = SMALL) -> None:
        """Read the file; one of more than ``small`` bytes by compiled code."""
        if self._source.path.stat().st_size > small:
            self._read_blocks()
            return
        with self._source.open_text() as file:
            for number, line in enumerate(file, 1):
                self._add_line(number, line)

    def _read_blocks(self) -> None:
        from penchant.formats.parsing import _letor_kernels as kernels

        state = np.zeros(kernels.N_PLACES, dtype=np.int64)
        limits = self._source.limits
        state[kernels.LONGEST] = min(_LONGEST, limits.digits, limits.field)
        for block in line_blocks(self._source):
            n_lines = block.count(b"\n") + block.count(b"\r") + 1
            self._values.reserve(n_features := block.count(b":"))
            self._columns.reserve(n_features)
            data = np.frombuffer(block, dtype=np.uint8)
            ends, spans = np.empty(n_lines, dtype=np.int64), np.empty((n_lines, 4), dtype=np.int64)
            grades, queries = np.empty(n_lines), np.empty(n_lines, dtype=np.int64)
            state[kernels.POSITION] = 0
            while state[kernels.POSITION] < len(block):
                state[kernels.N_ROWS], state[kernels.N_VALUES] = 0, self._values.size
                arrays = self._values.array, self._columns.array, state, ends, spans, grades, queries
                kernels.parse(data, len(block), *arrays)
                self._values.size = self._columns.size = int(state[kernels.N_VALUES])
                self.highest = max(self.highest, int(state[kernels.HIGHEST]))
                found = slice(0, int(state[kernels.N_ROWS]))
                self._add_rows(block, ends[found], spans[found], grades[found], queries[found])
                if state[kernels.IS_ODD]:
                    end = int(state[kernels.ODD_END])
                    state[kernels.LINE] += 1
                    line = block[int(state[kernels.POSITION]) : end].decode(self._encoding)
                    self._add_line(int(state[kernels.LINE]), line)
                    state[kernels.POSITION] = end + (2 if block[end : end + 2] == b"\r\n" else 1)

    @property
    def _encoding(self) -> str:
        return "latin-1" if self._source.encoding == "latin-1" else "utf-8"

    def _add_rows(self, block: bytes, ends: Ints, spans: Ints, grades: Floats, queries: Ints) -> None:
        for row in np.flatnonzero(queries < 0):
            name = label(block[spans[row, 0] : spans[row, 1]].decode(self._encoding), self._source.limits)
            queries[row] = -1 - self._labels[name]
        self.n_rows += len(grades)
        for column, found in ((self._ends, ends), (self._grades, grades), (self._queries, queries)):
            column.extend(found)
        if self.documents is not None and len(spans):
            self._name(block[start:end].decode(self._encoding) for start, end in spans[:, 2:].tolist())

    def _name(self, comments: Iterator[str]) -> None:
        """Take the ids of documents from the comments of rows, or give up ids where one has none."""
        for comment in comments:
            name = document(comment)
            if name is None:
                self.documents = None
            if self.documents is None or name is None:
                return
            self.documents.append(name)

    def _add_line(self, number: int, line: str) -> None:
        text, _, comment = line.partition("#")
        if not text.strip():
            return
        self.n_rows += 1
        try:
            found = parsed_line(text, self._source.limits)
        except Wrong as reason:
            self._findings.reject(number, reason.args[0])
            return
        self._values.extend(found.values)
        self._columns.extend(found.columns)
        self._ends.extend([self._values.size])
        self._grades.extend([found.grade])
        is_text = isinstance(found.query, str)
        self._queries.extend([-1 - self._labels[found.query] if is_text else found.query])
        self.highest = max([self.highest, *(column + 1 for column in found.columns[-1:])])
        if self.documents is not None:
            self._name(iter([comment]))
