"""Penchant learns what people prefer from what they choose, and asks as little as it can.

The public names; each is imported when it is first used, so that ``import penchant`` stays instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from penchant._version import __version__

if TYPE_CHECKING:
    from penchant.client import AsyncClient, Client
    from penchant.formats import count, read, write
    from penchant.preferences import Preferences
    from penchant.ranking import Ranking
    from penchant.saving import load, save
    from penchant.study import Study

__all__ = [
    "AsyncClient",
    "Client",
    "Preferences",
    "Ranking",
    "Study",
    "__version__",
    "count",
    "load",
    "read",
    "save",
    "write",
]

_PACKAGES = {
    "AsyncClient": "penchant.client",
    "Client": "penchant.client",
    "Preferences": "penchant.preferences",
    "Ranking": "penchant.ranking",
    "Study": "penchant.study",
    "count": "penchant.formats",
    "load": "penchant.saving",
    "read": "penchant.formats",
    "save": "penchant.saving",
    "write": "penchant.formats",
}


def __getattr__(name: str) -> object:
    if name not in _PACKAGES:
        raise AttributeError(f"module 'penchant' has no attribute {name!r}")
    return getattr(import_module(_PACKAGES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
