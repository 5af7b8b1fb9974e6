"""Tokens on the command line, also while the study is served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.cli.typed import run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    CompareStudy.create(tmp_path / "drinks.db", ["tea", "coffee"]).close()
    return tmp_path / "drinks.db"


@pytest.mark.parametrize("served", [False, True])
def test_tokens_are_made_listed_and_revoked(path: Path, served: bool) -> None:
    """The link is printed once and works; the list shows whose and when; a revoked one works no more."""
    writer = CompareStudy.open(path) if served else None
    made = run("tokens", "make", path, "judge", "ann", "--days", "7", "--url", "http://127.0.0.1:9000/")
    assert made.status == 0, made.err
    token = made.out.split()[0].rpartition("token=")[2]
    assert made.out.startswith("http://127.0.0.1:9000/#judge=ann&token=")
    listed = run("tokens", "list", path)
    assert token not in listed.out
    assert "judge" in listed.out
    (known,) = json.loads(run("tokens", "list", path, "--json").out)
    assert (known["role"], known["name"], known["used"]) == ("judge", "ann", None)
    with writer or CompareStudy.open(path) as study:
        assert study.tokens.find(token) is not None
        if served:
            assert run("tokens", "revoke", path, known["id"]).status == 0
            assert study.tokens.find(token) is None
    if not served:
        assert run("tokens", "revoke", path, known["id"]).status == 0
    assert run("tokens", "list", path).out.startswith("No tokens")


def test_what_is_wrong_is_one_line(path: Path) -> None:
    """Unknown roles and ids are named, with what to do, and status 2."""
    for words in (
        ("make", path, "king", "ann"),
        ("revoke", path, "t-0"),
        ("list", path.with_name("none.db")),
    ):
        done = run("tokens", *words)
        assert done.status == 2
        assert done.err.startswith("penchant: ")
        assert done.err.count("\n") == 1


def test_an_app_of_a_coactive_study_gets_a_page(tmp_path: Path) -> None:
    """The link is that of the page on which people search, in the name that was typed."""
    CoactiveStudy.create(tmp_path / "films.db", [{"id": "up", "long": 1.0}]).close()
    made = run("tokens", "make", tmp_path / "films.db", "app", "ann")
    assert made.out.startswith("http://127.0.0.1:8000/search#user=ann&token=")
