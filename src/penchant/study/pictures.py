"""Pictures of items: decode files, check them and encode them anew, to be stored beside the events, which cite them.

What a file holds besides its pixels (where a photograph was taken, say) is dropped, and nothing is ever fetched from
the network. Pillow decodes; it is loaded when the first picture is read.
"""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.study.items import Item

CONTENT_TYPE = "image/webp"
"""What every stored picture is."""
KINDS = ("PNG", "JPEG", "WEBP", "GIF")
"""What a file may be, in Pillow's names; of an animation the first frame is taken."""
MOST_BYTES = 20 * 2**20
"""Bytes of a file."""
MOST_PIXELS = 40_000_000
"""Pixels of a file: checked before they are decoded, since a few bytes may stand for very many of them."""
MOST_STRETCHED = 20
"""How many times as long as its shorter side the longer one of a file may be: beyond it, little of it can be seen."""
LONGEST_SIDE = 1600
"""Pixels of the longer side of a stored picture; a larger one is made smaller."""
LARGEST_LOSSLESS = 2**20
"""Bytes up to which a drawing is stored as it is, pixel by pixel."""
QUALITY = 85
_LOSSLESS = ("PNG", "GIF")
_CITATION = re.compile(r"picture:([0-9a-f]{32}):([1-9][0-9]{0,3})x([1-9][0-9]{0,3})")
_ADDRESS = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]+:/|data:)")
_FEATURES = re.compile(rb"RIFF.{4}WEBP", re.DOTALL)


class Picture(NamedTuple):
    """A picture as it is stored: WebP, and its size in pixels."""

    content: bytes
    width: int
    height: int


class Citation(NamedTuple):
    """How an item cites its picture: by the hash under which it is stored, with its size in pixels."""

    hash: str
    width: int
    height: int

    @classmethod
    def of(cls, text: Any) -> Citation | None:
        """Return what the picture of an item cites; None where it is none, or a text of an older study.

        Examples
        --------
        >>> Citation.of("picture:00112233445566778899aabbccddeeff:640x480").width, Citation.of("tea.png")
        (640, None)
        """
        found = _CITATION.fullmatch(text) if isinstance(text, str) else None
        return None if found is None else cls(found[1], int(found[2]), int(found[3]))

    def __str__(self) -> str:
        return f"picture:{self.hash}:{self.width}x{self.height}"


def cited_pictures(items: Iterable[Item]) -> dict[str, None]:
    """Return the hashes of the pictures that items cite, in their order."""
    found = (Citation.of(item.picture) for item in items)
    return {citation.hash: None for citation in found if citation is not None}


def stored_pictures(
    items: Iterable[Item], hash: Callable[[bytes], str], is_stored: Callable[[str], bool]
) -> tuple[list[Item], dict[str, bytes]]:
    """Return items that cite their pictures, and the new pictures by hash.

    Parameters
    ----------
    items : iterable of Item
        Their pictures are paths, the bytes of files, or citations.
    hash : callable
        Returns the hash under which a content is stored.
    is_stored : callable
        Returns whether a picture of this hash is there.
    """
    listed: list[Item] = []
    contents: dict[str, bytes] = {}
    for item in items:
        text, new = stored_picture(item.picture, f"the picture of item {item.id[:60]!r}", hash, is_stored)
        contents |= new
        listed.append(item if text == item.picture else replace(item, picture=text))
    return listed, contents


def stored_picture(
    picture: object, name: str, hash: Callable[[bytes], str], is_stored: Callable[[str], bool]
) -> tuple[str, dict[str, bytes]]:
    """Return the citation of one picture, and its content by hash where it is new.

    A text is never opened as a file: it may have come over the network.
    """
    if isinstance(picture, Path | bytes):
        made = read_picture(picture, name)
        key = hash(made.content)
        return str(Citation(key, made.width, made.height)), {key: made.content}
    if not picture:
        return "", {}
    citation = Citation.of(picture)
    if citation is None or not is_stored(citation.hash):
        limit = "be a pathlib.Path of a file, or a picture that the study has"
        raise InvalidInput.of(name, limit, shown(picture), "give Path(…), or leave it out")
    return str(picture), {}


def picture_path(cell: str, folder: Path, name: str) -> Path:
    """Return the file that a cell of a table names; it is relative to ``folder``."""
    if _ADDRESS.match(cell):
        remedy = "download the pictures and name the files, or give the column another name"
        raise InvalidInput.of(name, "be a file on this computer", shown(cell), remedy)
    return folder / cell


def read_picture(source: Path | bytes, name: str = "the picture") -> Picture:
    """Decode a PNG, JPEG, WebP or GIF file, and encode its pixels as WebP.

    Parameters
    ----------
    source : Path or bytes
        A file, or what it holds.
    name : str
        What it is called in errors.
    """
    content = source if isinstance(source, bytes) else _content(source, name)
    if len(content) > MOST_BYTES:
        raise InvalidInput.of(
            name, f"have at most {MOST_BYTES:,} bytes", f"{len(content):,}", "make it smaller"
        )
    image_module = _pillow(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Pillow warns of what it decodes wrongly, and of too many pixels
        try:
            with image_module.open(BytesIO(content), formats=KINDS) as image:
                _check_pixels(image.size, name)
                return _encoded(image)
        except InvalidInput:
            raise
        except (image_module.DecompressionBombError, image_module.DecompressionBombWarning):
            raise _too_many_pixels(name, "more") from None
        except (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, Warning, MemoryError):
            limit = "be a PNG, JPEG, WebP or GIF file"
            raise InvalidInput.of(
                name, limit, "something that cannot be decoded as one", "save it again"
            ) from None


def is_webp(content: bytes) -> bool:
    """Whether bytes begin as a stored picture does."""
    return _FEATURES.match(content) is not None


def _content(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as trouble:
        reason = trouble.strerror or "an error"
        raise InvalidInput.of(
            name, "be a file that can be read", f"{shown(path.name)} ({reason})", "correct the path"
        ) from None


def _pillow(name: str) -> Any:
    try:
        from PIL import Image
    except ImportError:
        remedy = "pip install 'penchant[pictures]', or leave the pictures out"
        raise InvalidInput.of(name, "be read by Pillow", "no Pillow on this computer", remedy) from None
    return Image


def _check_pixels(size: tuple[int, int], name: str) -> None:
    received = f"{size[0]:,} × {size[1]:,}"
    if size[0] * size[1] > MOST_PIXELS:
        raise _too_many_pixels(name, received)
    if max(size) > MOST_STRETCHED * min(size):
        limit = f"be at most {MOST_STRETCHED} times as long as it is wide, or as wide as it is long"
        raise InvalidInput.of(name, limit, received, "crop it, or put it on a larger ground")


def _too_many_pixels(name: str, received: str) -> InvalidInput:
    return InvalidInput.of(name, f"have at most {MOST_PIXELS:,} pixels", received, "make it smaller")


def _encoded(image: Any) -> Picture:
    """Return the first frame, upright, without anything but its pixels."""
    from PIL import Image, ImageOps

    lossless = image.format in _LOSSLESS
    image.load()
    see_through = image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info
    upright = ImageOps.exif_transpose(image)
    pixels = upright.convert("RGBA" if see_through else "RGB")
    pixels.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    bare = Image.new(pixels.mode, pixels.size)  # which has no metadata to write
    bare.paste(pixels)
    content = _saved(bare, lossless=True) if lossless else b""
    if not content or len(content) > LARGEST_LOSSLESS:
        content = _saved(bare, quality=QUALITY)
    return Picture(content, *bare.size)


def _saved(image: Any, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, "WEBP", method=2, **options)
    return file.getvalue()
