"""The licences of everything that an installation of Penchant brings: ``python -m website.licences``.

Made from the metadata of the packages that are installed here; ``docs/licences.md`` is its output.
"""

from __future__ import annotations

import re
from importlib import metadata

from packaging.requirements import Requirement

from website.repository import ROOT

PAGE = ROOT / "docs" / "licences.md"
EXTRAS = ("", "client", "pictures", "serve", "parquet", "foreign", "zstd", "postgres", "dask")
"""What users may install; what only contributors need is not listed."""


def closure() -> dict[str, bool]:
    """Return the packages that Penchant requires, directly or not; True for those that come without an extra."""
    always = _reached([("penchant", "")])
    everything = _reached([("penchant", extra) for extra in EXTRAS])
    return {name: name in always for name in sorted(everything - {"penchant"})}


def licence(name: str) -> str:
    """Return the licence that a package states: its expression, else its classifiers, else its text's first line."""
    found = metadata.metadata(name)
    if "License-Expression" in found:
        return str(found["License-Expression"])
    classifiers = [
        line.rpartition(" :: ")[2] for line in found.get_all("Classifier", []) if "License ::" in line
    ]
    named = [words for words in classifiers if words != "OSI Approved"]
    if named:
        return " or ".join(named)
    text = str(found["License"]) if "License" in found else _licence_file(name)
    return (text.strip().splitlines() or ["not stated"])[0]


def _licence_file(name: str) -> str:
    files = [file for file in metadata.files(name) or () if file.name.upper().startswith("LICEN")]
    return files[0].read_text() if files else ""


def page() -> str:
    """Return the page with a row for each package."""
    lines = [
        "# Licences of dependencies",
        "",
        "Penchant is under the Apache licence 2.0. These packages are installed beside it, and state these licences.",
        "`python -m website.licences` writes this page from what is installed.",
        "",
        "| package | licence | comes with |",
        "|---|---|---|",
    ]
    for name, always in closure().items():
        lines.append(f"| {name} | {licence(name)} | {'every installation' if always else 'an extra'} |")
    return "\n".join([*lines, ""])


def _reached(start: list[tuple[str, str]]) -> set[str]:
    waiting, seen = list(start), set(start)
    while waiting:
        name, extra = waiting.pop()
        try:
            required = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for line in required:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                for wanted in ("", *requirement.extras):
                    entry = (_normal(requirement.name), wanted)
                    if entry not in seen:
                        seen.add(entry)
                        waiting.append(entry)
    return {name for name, _ in seen if _is_installed(name)}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
