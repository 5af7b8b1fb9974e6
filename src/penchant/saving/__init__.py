"""Save and load models and results as one file; the same state gives the same bytes.

A file is a plain zip: ``penchant.json`` holds the versions and the tree of values, ``arrays/N.npy`` the
arrays, ``foreign/N.skops`` estimators of other libraries. Nothing is ever unpickled or evaluated, every size is
checked before memory is taken for it, and every state before an object is made of it.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import IO

from penchant._version import __version__
from penchant.errors import CannotLoad, CannotSave
from penchant.saving.archive import (
    JSON_SIZE,
    JSON_VALUES,
    Archive,
    Members,
    count_values,
    parsed,
    raising_cannot_load,
    write,
)
from penchant.saving.replacing import replaced
from penchant.saving.values import Decoder, Encoder

__all__ = ["FORMAT", "MAXIMUM_SIZE", "from_bytes", "load", "save", "to_bytes"]

FORMAT = 1
MAXIMUM_SIZE = 4 * 2**30
DOCUMENT = "penchant.json"


def save(model: object, path: str | Path) -> None:
    """Write ``model`` to ``path``, whole or not at all.

    Parameters
    ----------
    model : object
        A model, learner or result of Penchant's, a scikit-learn pipeline that ends in such a model, or plain values:
        numbers, text, lists, tuples, dicts, arrays.
    path : str or Path
        An existing file is replaced only once the new one is complete on disk.

    Raises
    ------
    CannotSave
        When a part has no safe form in a file; the message names it, for instance ``kernel.callback``. Also when
        a model is in a state that no load would accept.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "scores.penchant"
    >>> save({"scores": (1.5, 2)}, place)
    >>> load(place)
    {'scores': (1.5, 2)}
    """
    members = _members(model)
    with replaced(path) as file:
        write(file, members)


def load(path: str | Path, *, limit: int = MAXIMUM_SIZE) -> object:
    """Read what `save` wrote; the file need not be trusted.

    Parameters
    ----------
    path : str or Path
    limit : int
        The largest file to read, in bytes. Nothing in it is compressed, and arrays take no more memory than the
        file has bytes.

    Raises
    ------
    CannotLoad
        When the file is damaged, newer than this version of Penchant, too large, or hostile: a model whose state
        does not satisfy what its class states in ``__saved__`` is not made.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "scores.penchant"
    >>> save((1.5, "tea"), place)
    >>> load(place)
    (1.5, 'tea')
    """
    with Path(path).open("rb") as file:
        try:
            return _read(file, limit)
        except CannotLoad as error:
            raise CannotLoad(f"{path}: {error}") from error


def to_bytes(model: object) -> bytes:
    """Return the bytes of the file that `save` would write.

    Examples
    --------
    >>> from_bytes(to_bytes([1, 2.0, "three"]))
    [1, 2.0, 'three']
    """
    file = io.BytesIO()
    write(file, _members(model))
    return file.getvalue()


def from_bytes(data: bytes, *, limit: int = MAXIMUM_SIZE) -> object:
    """Return the model whose bytes `to_bytes` gave; they are checked as `load` checks a file.

    Examples
    --------
    >>> from_bytes(to_bytes({"scores": (1.5, 2)}))
    {'scores': (1.5, 2)}
    """
    return _read(io.BytesIO(data), limit)


def _members(model: object) -> Members:
    encoder = Encoder()
    document = {"format": FORMAT, "penchant": __version__, "value": encoder.encode(model)}
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    ).encode()
    if len(text) > JSON_SIZE:
        raise CannotSave(
            f"text, lists and dicts must take at most {JSON_SIZE} bytes in a file, got {len(text)}: "
            "keep long lists in NumPy arrays"
        )
    if count_values(text) > JSON_VALUES:
        raise CannotSave(
            f"text, lists and dicts must hold at most {JSON_VALUES:,} values in a file, got up to "
            f"{count_values(text):,}: keep long lists in NumPy arrays"
        )
    return {DOCUMENT: [text], **encoder.members}


def _read(file: IO[bytes], limit: int) -> object:
    archive = Archive(file, limit)
    with raising_cannot_load("the values in the file"):
        document = parsed(archive.read(DOCUMENT, JSON_SIZE))
    tree = _checked(document)
    archive.reject_other_members(r"(arrays/\d+\.npy|foreign/\d+\.skops)")
    value = Decoder(archive).decode(tree)
    if archive.unread:
        raise CannotLoad(
            f"the file holds {min(archive.unread)}, to which nothing refers: it was altered, save it anew"
        )
    return value


def _checked(document: object) -> object:
    if not isinstance(document, dict) or not {"format", "penchant", "value"} <= document.keys():
        raise CannotLoad(
            f"{DOCUMENT} must hold format, penchant and value: the file was altered, save it anew"
        )
    written = document["format"]
    if type(written) is int and written > FORMAT:
        raise CannotLoad(
            f"the file was written by Penchant {str(document['penchant'])[:20]} with format {written}, "
            f"this version reads up to {FORMAT}: upgrade with pip install -U penchant"
        )
    if type(written) is not int or written != FORMAT:
        raise CannotLoad(
            f"the file's format must be a number from 1 to {FORMAT}: it was altered, save it anew"
        )
    return document["value"]
