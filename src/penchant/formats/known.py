"""Which formats there are, and which one a file has. A path in, its format out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from penchant.checks import one_of
from penchant.errors import Argument, InvalidInput, Text
from penchant.formats import jsonl, letor, movielens, pairs, parquet, preflib, saved, sushi
from penchant.formats.files import Source, ending_of
from penchant.formats.format import Format

_MODULES = (pairs, jsonl, parquet, letor, preflib, movielens, sushi, saved)
FORMATS: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in _MODULES}


def format_named(name: str) -> Format:
    """Return the format with this name."""
    one_of("format", name, FORMATS)
    return FORMATS[name]


def format_of(source: Source) -> Format:
    """Return the format that a file has, by its ending and its contents.

    The formats of the ending are asked first; where that is not one, or none of them fits, what the contents
    look like decides. If ending and contents speak of different formats, or the contents of several, it is
    refused.
    """
    by_ending = formats_of_ending(source.ending)
    fitting = [known for known in FORMATS.values() if known.looks_like(source)]
    both = [known for known in by_ending if known in fitting]
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
    by_ending = formats_of_ending(ending_of(path))
    if not by_ending:
        endings = ", ".join(known.endings[0] for known in FORMATS.values())
        raise InvalidInput.of(
            f"the ending of {path}",
            f"be known, for instance {endings}",
            repr(ending_of(path)),
            Text("change it or give ", Argument("format")),
        )
    return by_ending[0]


def formats_of_ending(ending: str) -> list[Format]:
    """Return the formats whose files may have this ending, the likeliest first."""
    return [known for known in FORMATS.values() if ending in known.endings]


def _or(formats: Iterable[Format]) -> str:
    return " or ".join(known.name for known in formats)


def _any_of(formats: Iterable[Format]) -> Text:
    first, *others = (Argument("format", known.name) for known in formats)
    return Text(first, *(part for argument in others for part in (" or ", argument)))
