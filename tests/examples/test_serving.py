"""The server of the examples runs in a process of its own, and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.serving import served
from penchant import Client, Study
from penchant.errors import Unreachable


def test_studies_are_served_until_the_block_ends(tmp_path: Path) -> None:
    """Each token reaches its study; afterwards nobody replies, and the study can be written to."""
    drinks, dishes = tmp_path / "drinks.db", tmp_path / "dishes.db"
    with Study.create(drinks, ["tea", "coffee"]) as first, Study.create(dishes, ["soup", "bread"]) as second:
        tokens = [study.tokens.make("owner", "me") for study in (first, second)]
    with served(drinks, dishes) as url, Client(url, tokens[0]) as one, Client(url, tokens[1]) as other:
        assert set(one.items()) == {"tea", "coffee"}
        other.add_items(["cake"])
    with pytest.raises(Unreachable), Client(url, tokens[0], retries=0) as one:
        one.items()
    with Study.open(dishes) as study:
        assert "cake" in study.items


def test_a_server_that_cannot_start_is_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its own message says why."""
    with pytest.raises(RuntimeError, match="got its end with status 1"), served(tmp_path / "missing.db"):
        pass
    assert "missing.db" in capfd.readouterr().err
