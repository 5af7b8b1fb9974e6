"""The formats that are known, and the recognition of a file's format by its ending and its first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from penchant.checks import one_of
from penchant.errors import Argument, InvalidInput, Text
from penchant.formats import jsonl, letor, movielens, pairs, parquet, preflib, saved, sushi, wide
from penchant.formats.parsing.columns import HEADERS, OPTIONS, plain
from penchant.formats.parsing.csv_rows import first_cells
from penchant.formats.parsing.reading import Reading, Written
from penchant.formats.parsing.source import Source, ending_of
from penchant.preferences import Preferences


@dataclass(frozen=True)
class Format:
    """A kind of file.

    A file looks like this format if it starts with ``magic``, if its first lines match ``first_lines``, or if its first
    line names the columns of one of ``headers``.

    Attributes
    ----------
    name : str
        As `penchant.read` takes it in ``format=``.
    about : str
        A short description.
    endings : tuple of str
        Endings of file names in lower case. An ending may belong to several formats; then the contents decide, and if
        they fit none of these, the first one with the ending is taken.
    read, write : callables
    options : tuple of str
        The options of ``read``.
    is_text : bool
        Whether files are text, which cannot hold every id.
    magic : bytes, optional
    first_lines : pattern, optional
        Matched from the start of the first lines that are not blank.
    headers : tuple of headers
        Each is a tuple of columns, and each column a tuple of the `plain` names that it may have.
    recognises : callable, optional
        Whether the first lines are those of this format, where that takes more than a pattern. It is asked where no
        other format fits.

    Examples
    --------
    >>> from penchant.formats import FORMATS
    >>> pairs = FORMATS["pairs"]
    >>> pairs.name, pairs.endings
    ('pairs', ('.csv', '.tsv', '.txt', '.tab'))
    """

    name: str
    about: str
    endings: tuple[str, ...]
    read: Callable[..., Reading]
    write: Callable[[Preferences, Path], Written]
    options: tuple[str, ...] = ()
    is_text: bool = True
    magic: bytes | None = None
    first_lines: re.Pattern[str] | None = None
    headers: tuple[tuple[tuple[str, ...], ...], ...] = ()
    recognises: Callable[[Source], bool] | None = None

    def looks_like(self, source: Source) -> bool:
        """Whether the first bytes of a file are those of this format."""
        if self.magic and source.head.startswith(self.magic):
            return True
        if self.first_lines and self.first_lines.match("\n".join(source.first_lines).lstrip("\ufeff")):
            return True
        columns = set(map(plain, first_cells(source))) if self.headers else set()
        return any(all(columns.intersection(names) for names in header) for header in self.headers)


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            pairs.NAME,
            "comparisons as CSV or TSV: winner, loser; or left, right, outcome; or two items and their scores",
            (".csv", ".tsv", ".txt", ".tab"),
            pairs.read,
            pairs.write,
            (*OPTIONS, "header"),
            headers=HEADERS,
        ),
        Format(
            jsonl.NAME,
            "one JSON object a line: comparisons, chosen and rejected, rankings, choices, clicks",
            (".jsonl", ".ndjson", ".json"),
            jsonl.read,
            jsonl.write,
            OPTIONS,
            first_lines=jsonl.FIRST_LINES,
        ),
        Format(
            parquet.NAME,
            "tables in Parquet files, named as in CSV",
            (".parquet", ".pq"),
            parquet.read,
            parquet.write,
            OPTIONS,
            magic=b"PAR1",
        ),
        Format(
            letor.NAME,
            "graded documents with features (LETOR, SVMlight with qid)",
            (".letor", ".svmlight", ".svm", ".libsvm", ".txt"),
            letor.read,
            letor.write,
            ("ids",),
            first_lines=letor.FIRST_LINES,
        ),
        Format(
            preflib.NAME,
            "PrefLib's counted orders and categories, in its present and its former format",
            tuple(f".{kind}" for kind in (*preflib.KINDS, "cat", "wmd")),
            preflib.read,
            preflib.write,
            first_lines=preflib.FIRST_LINES,
        ),
        Format(
            wide.NAME,
            "one voter a row: a column an item with its rank, or a column a place with the item there",
            (".csv", ".tsv", ".txt", ".tab"),
            wide.read,
            wide.write,
            wide.OPTIONS,
            recognises=wide.looks_wide,
        ),
        Format(
            movielens.NAME,
            "ratings of users (MovieLens: u.data, ratings.dat, ratings.csv)",
            (".dat", ".data", ".csv", ".tsv", ".txt"),
            movielens.read,
            movielens.write,
            ("titles",),
            first_lines=movielens.FIRST_LINES,
            headers=(tuple(movielens.ROLES.values()),),
        ),
        Format(
            sushi.NAME,
            "Kamishima's order files of item numbers",
            (".order",),
            sushi.read,
            sushi.write,
            first_lines=sushi.FIRST_LINES,
        ),
        Format(
            saved.NAME,
            "preferences as Penchant saves them, lossless",
            (".penchant", ".zip"),
            saved.read,
            saved.write,
            is_text=False,
            magic=b"PK\x03\x04",
        ),
    )
}


def format_named(name: str) -> Format:
    """Return the format with this name."""
    one_of("format", name, FORMATS)
    return FORMATS[name]


def format_of(source: Source) -> Format:
    """Return the format of a file.

    Among the formats of its ending, the one that the contents look like is taken. Where the ending is unknown, or the
    contents look like none of these, the contents decide alone. If ending and contents belong to different formats,
    or the contents to several, `InvalidInput` is raised.
    """
    ending = ending_of(source.path)
    by_ending = [entry for entry in FORMATS.values() if ending in entry.endings]
    patterns = [entry for entry in FORMATS.values() if entry.recognises is None]
    fitting = [entry for entry in patterns if entry.looks_like(source)] or [
        entry for entry in FORMATS.values() if entry.recognises is not None and entry.recognises(source)
    ]
    both = [entry for entry in by_ending if entry in fitting]
    if len(both) == 1:
        return both[0]
    if len(both) > 1 or (fitting and by_ending):
        candidates = both or [*by_ending[:1], *fitting]
        raise InvalidInput(Text(f"{source.path} may be {_or(candidates)}: give ", _any_of(candidates)))
    if by_ending:
        return by_ending[0]
    if len(fitting) == 1:
        return fitting[0]
    what = (
        f"looks like {_or(fitting)}" if fitting else "is recognised neither by its ending nor by its contents"
    )
    raise InvalidInput(Text(f"{source.path} {what}: give ", _any_of(fitting or FORMATS.values())))


def format_to_write(path: Path) -> Format:
    """Return the format to write for the ending of ``path``."""
    ending = ending_of(path)
    found = next((entry for entry in FORMATS.values() if ending in entry.endings), None)
    if found is None:
        endings = ", ".join(entry.endings[0] for entry in FORMATS.values())
        raise InvalidInput.of(
            f"the ending of {path}",
            f"be known, for instance {endings}",
            repr(ending),
            Text("change it or give ", Argument("format")),
        )
    return found


def _or(formats: Iterable[Format]) -> str:
    return " or ".join(entry.name for entry in formats)


def _any_of(formats: Iterable[Format]) -> Text:
    first, *others = (Argument("format", entry.name) for entry in formats)
    return Text(first, *(part for argument in others for part in (" or ", argument)))
