"""Pages of the site that lie outside ``docs/``, and links from ``docs/`` to files that are no pages."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Files at the top of the repository, and the pages that they are on the site."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def page_from(path: Path) -> str:
    """Return a file at the top of the repository as a page: its links start from ``docs/``."""
    return _LINK.sub(lambda link: _moved(link, link[3]), path.read_text(encoding="utf-8"))


def with_links(markdown: str) -> str:
    """Return a page of ``docs/`` with its links to other files of the repository (``../README.md``) resolved."""

    def moved(link: re.Match[str]) -> str:
        return _moved(link, link[3].removeprefix("../")) if link[3].startswith("../") else link[0]

    return _LINK.sub(moved, markdown)


def _moved(link: re.Match[str], target: str) -> str:
    """Return the link to a file, named from the top of the repository, as one that the site has."""
    picture, text, _, anchor = link.groups(default="")
    if target.startswith("docs/") or target in PAGES:
        return f"{picture}[{text}]({PAGES.get(target, target.removeprefix('docs/'))}{anchor})"
    return f"{text} (`{target}` in the repository)"
