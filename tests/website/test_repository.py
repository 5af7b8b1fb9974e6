"""Files outside docs/ as pages of the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from website.repository import page_from, with_links


@pytest.mark.parametrize(
    ("written", "on_the_site"),
    [
        ("[Files](docs/files.md#limits)", "[Files](files.md#limits)"),
        ("![A page](docs/owner.png)", "![A page](owner.png)"),
        ("[How](CONTRIBUTING.md)", "[How](contributing.md)"),
        ("[it](LICENSE)", "it (`LICENSE` in the repository)"),
        ("[there](https://example.org/a) [here](#top)", "[there](https://example.org/a) [here](#top)"),
    ],
)
def test_links_of_a_file_at_the_top_lead_to_pages(written: str, on_the_site: str, tmp_path: Path) -> None:
    """Links to pages and pictures lead there; other files are named, since the site does not have them."""
    (tmp_path / "README.md").write_text(written, encoding="utf-8")
    assert page_from(tmp_path / "README.md") == on_the_site


@pytest.mark.parametrize(
    ("written", "on_the_site"),
    [
        ("[a](../README.md)", "[a](index.md)"),
        ("[a](../examples/x.py)", "a (`examples/x.py` in the repository)"),
        ("[a](files.md)", "[a](files.md)"),
    ],
)
def test_links_out_of_docs_lead_to_pages(written: str, on_the_site: str) -> None:
    """A page of docs/ may link to what lies above it."""
    assert with_links(written) == on_the_site
