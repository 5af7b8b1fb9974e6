"""``penchant --version``: what a report of a bug should name."""

from __future__ import annotations

import json
import os
import platform
import re
from importlib import metadata

from penchant._version import __version__

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def versions() -> dict[str, object]:
    """Return the versions of Penchant, Python and every dependency, and the machine; no path and no name of a person.

    Examples
    --------
    >>> found = versions()
    >>> sorted(found)
    ['cpus', 'dependencies', 'machine', 'penchant', 'python', 'system']
    """
    return {
        "penchant": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.system() + " " + platform.release(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "dependencies": {name: _version(name) for name in _dependencies()},
    }


def shown(as_json: bool) -> str:
    """Return the text that the command prints."""
    return json.dumps(versions(), indent=1) if as_json else f"penchant {__version__}"


def _dependencies() -> list[str]:
    """Return the names of everything that Penchant or one of its extras for users requires."""
    try:
        required = metadata.requires("penchant") or []
    except metadata.PackageNotFoundError:  # run from a source tree
        return []
    names = {
        found[0].lower()
        for line in required
        if (found := _NAME.match(line)) and not re.search(r"extra == ['\"](dev|docs)['\"]", line)
    }
    return sorted(names - {"penchant"})


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
