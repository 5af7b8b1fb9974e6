"""What MkDocs calls while it builds the site (``mkdocs.yml`` names this file)."""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from website import commands, events, reference, routes
from website.equations import with_mathml
from website.repository import PAGES, ROOT, page_from, with_links


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside ``docs/`` and the reference."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=page_from(ROOT / name)))
    for page, content in reference_pages().items():
        files.append(File.generated(config, page, content=content))
    return files


def reference_pages() -> dict[str, str]:
    """Return the pages that are made from the code, by path."""
    return reference.pages() | {
        "reference/commands.md": commands.page(),
        "reference/routes.md": routes.page(),
        "reference/events.md": events.page(),
    }


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Resolve links to files outside ``docs/``."""
    return with_links(markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Draw the equations."""
    return with_mathml(html)
