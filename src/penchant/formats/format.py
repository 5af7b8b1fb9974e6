"""What a format is. A name, how it is recognised, how it is read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from penchant.formats.files import Source
from penchant.formats.reading import Reading, Written
from penchant.preferences import Preferences


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        As `penchant.read` takes it in ``format=``.
    about : str
        What it is, in a few words.
    endings : tuple of str
        Endings of file names, in small letters. The same ending may belong to several formats, of which the
        contents then decide; if they fit none, the first that has the ending is taken.
    looks_like : callable
        Whether the first lines of a file are in this format.
    read, write : callables
    options : tuple of str
        What `penchant.read` may be told besides.
    is_text : bool
        Whether files are text, which cannot hold everything that an id can.
    """

    name: str
    about: str
    endings: tuple[str, ...]
    looks_like: Callable[[Source], bool]
    read: Callable[..., Reading]
    write: Callable[[Preferences, Path], Written]
    options: tuple[str, ...] = ()
    is_text: bool = True
