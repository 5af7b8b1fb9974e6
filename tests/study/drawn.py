"""Small pictures as files, drawn for a test."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image


def drawn(
    kind: str = "PNG", size: tuple[int, int] = (60, 40), colour: str = "tomato", **options: Any
) -> bytes:
    """Return a file of a picture in one colour."""
    file = BytesIO()
    Image.new("RGB", size, colour).save(file, kind, **options)
    return file.getvalue()


def drawn_at(path: Path, **options: Any) -> Path:
    """Write such a file."""
    path.write_bytes(drawn(**options))
    return path


def opened(content: bytes) -> Any:
    """Return what Pillow decodes."""
    return Image.open(BytesIO(content))
