"""Accessibility by axe-core, which comes with a package and is run in the page without loading anything."""

from __future__ import annotations

from importlib.resources import files

from playwright.sync_api import Page

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong with a page: the rule, and the first place of each."""
    page.evaluate(AXE)
    found = page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)"
    )
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:160]} {rule['nodes'][0].get('failureSummary', '')[:300]}"
        for rule in found
    ]
