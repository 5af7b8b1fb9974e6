"""Read and write preferences as files, one module a format.

`read` returns the preferences, and `read_file` also the rejected rows with their lines; `write` and `write_file`
write them. `count` counts the comparisons of files that are larger than memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from warnings import warn

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import Argument, InvalidInput, PenchantWarning, Text
from penchant.formats.counting import Counted, count, count_files
from penchant.formats.frames import read_frame
from penchant.formats.parsing.reading import Reading, Refusal, Written, rejected_in_short
from penchant.formats.parsing.source import Limits, Progress, Source
from penchant.formats.parsing.tabulated import check_writable
from penchant.formats.presentations import (
    Candidates,
    Presentation,
    PresentationLog,
    read_candidates,
    read_presentations,
)
from penchant.formats.recognition import FORMATS, Format, format_named, format_of, format_to_write
from penchant.preferences import Preferences

__all__ = [
    "FORMATS",
    "Candidates",
    "Counted",
    "Format",
    "Limits",
    "Presentation",
    "PresentationLog",
    "Reading",
    "Refusal",
    "Written",
    "count",
    "count_files",
    "read",
    "read_candidates",
    "read_file",
    "read_frame",
    "read_presentations",
    "write",
    "write_file",
]


def read(
    path: str | Path,
    *,
    format: str | None = None,
    strict: bool = False,
    limits: Limits | None = None,
    **options: Any,
) -> Preferences:
    r"""Read preferences from a file of any known format.

    Rows that cannot be used are left out, with a warning that counts them and names the first few.

    Parameters
    ----------
    path : str or Path
        A file, plain or packed by gzip or zstd (which needs the package zstandard).
    format : str, optional
        One of `penchant.formats.FORMATS`; without it, it is recognised by the ending and the contents.
    strict : bool
        Reject the whole file if any row is rejected.
    limits : Limits, optional
        The most that the file may hold; `Limits` lists the defaults.
    **options
        Options of the format. For tables the names of columns by their role: ``better``, ``worse``;
        ``left``, ``right``, ``outcome``; ``left_score``, ``right_score``; ``weight``, ``tie``, ``judge``,
        ``better_on_left``, ``period``, ``live`` (rows where it is false are skipped); ``covariates``, a list of columns
        or differences such as "len_a-len_b". For tables with one voter a row ``layout``, "ranks" or "places".

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = place.write_text("winner,loser\ntea,coffee\ntea,water\n")
    >>> read(place)
    Preferences: 2 comparisons of 3 items, connected
    """
    reading = read_file(path, format=format, strict=strict, limits=limits, **options)
    if reading.refusals:
        warn(f"{reading.path}: {rejected_in_short(reading.refusals)}", PenchantWarning, stacklevel=2)
    for doubt in reading.doubts:
        warn(f"{reading.path}: {doubt}", PenchantWarning, stacklevel=2)
    return reading.preferences


def read_file(
    path: str | Path,
    *,
    format: str | None = None,
    strict: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Reading:
    r"""Read a file as `read` does, and return all findings, without a warning.

    ``progress`` is called, while a text file is read, with the number of its bytes read so far and of all.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = place.write_text("winner,loser\ntea,coffee\ntea,\n")
    >>> reading = read_file(place)
    >>> reading.format, reading.columns, reading.refusals
    ('pairs', {'better': 'winner', 'worse': 'loser'}, (Refusal(line=3, reason='loser is empty'),))
    """
    source = Source.of(path, limits, progress)
    if format is None and "layout" in options:
        format = "wide"  # which alone has layouts
    chosen = format_of(source) if format is None else format_named(format)
    for name in options:
        if name not in chosen.options:
            limit = f"not be given for the format {chosen.name}"
            raise InvalidInput.of(name, limit, shown(options[name]), _taken(chosen))
    reading = chosen.read(source, **options)
    if strict and reading.refusals:
        first = reading.refusals[0]
        raise InvalidInput(
            f"{path}:{first.line}: {first.reason} ({counted(len(reading.refusals), 'row')} rejected): "
            "repair the file, or read it without strict"
        )
    return reading


def write(preferences: Preferences, path: str | Path, *, format: str | None = None) -> Written:
    """Write preferences to a file, whole or not at all; warn of what the format cannot hold.

    Parameters
    ----------
    preferences : Preferences
    path : str or Path
        Its ending decides the format; text is gzipped if ``.gz`` follows.
    format : str, optional
        One of `penchant.formats.FORMATS`.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = write(Preferences.from_pairs([("tea", "coffee"), ("=1+1", "tea")]), place)
    >>> print(place.read_text().strip())
    better,worse
    tea,coffee
    '=1+1,tea
    """
    written = write_file(preferences, path, format=format)
    if written.lost:
        lost = "; ".join(written.lost)
        warn(
            f"{written.path}: {written.format} cannot carry everything: {lost}", PenchantWarning, stacklevel=2
        )
    return written


def write_file(preferences: Preferences, path: str | Path, *, format: str | None = None) -> Written:
    """Write preferences as `write` does, and return what was lost, without a warning.

    Examples
    --------
    >>> import tempfile
    >>> votes = Preferences.from_rankings([["a", "b", "c"]])
    >>> write_file(votes, Path(tempfile.mkdtemp()) / "votes.csv", format="pairs").lost
    ('which pairs belong together: 1 row written out as pairs',)
    """
    place = Path(path)
    if not isinstance(preferences, Preferences):
        raise InvalidInput(
            f"preferences must be a Preferences, got {type(preferences).__name__}: "
            "save models with penchant.save"
        )
    if not len(preferences):
        raise InvalidInput("preferences must have at least one row to be written, got none: add some")
    chosen = format_to_write(place) if format is None else format_named(format)
    if chosen.is_text:
        check_writable(preferences, chosen.name)
    return chosen.write(preferences, place)


def _taken(chosen: Format) -> str:
    """Return the options that a format takes, as advice."""
    listed = [part for name in chosen.options for part in (Argument(name), ", ")]
    return Text("give some of ", *listed[:-1]) if listed else "it takes none, leave it out"
