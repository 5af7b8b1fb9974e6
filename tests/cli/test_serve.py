"""`penchant serve` and `penchant demo`: pages until they are ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.cli.typed import run


def served(*words: object, cwd: Path) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", "penchant", *map(str, words)],
        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_serving_ends_when_it_is_told_to(study: Path, end: int) -> None:
    """Without a terminal it prints where to look, answers there, and ends on SIGTERM and on Ctrl-C."""
    process = served("serve", study, "--port", 0, "--for", 60, cwd=study.parent)
    try:
        link = next(line for line in process.stdout if "/owner#" in line).split()[-1]
        with urllib.request.urlopen(f"{link.split('/owner')[0]}/v1/health", timeout=20) as answer:
            assert json.load(answer)["status"] == "ok"
        process.send_signal(end)
        rest = process.communicate(timeout=30)[0]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert "Stopped." in rest


def test_the_demo_ranks_and_draws(tmp_path: Path) -> None:
    """`penchant demo --no-page` prints a ranking of twelve things and says where the picture is."""
    done = run("demo", "--no-page", "--out", tmp_path / "new" / "folder")
    assert done.status == 0
    assert "A letter from a friend" in done.out
    picture = tmp_path / "new" / "folder" / "ranking.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"Picture: {picture}" in done.out
    assert done.last == f"Next: penchant check {tmp_path / 'new' / 'folder' / 'pleasures.csv'}"


def test_the_demo_brings_items_for_other_studies(tmp_path: Path) -> None:
    """Cars with features and papers with links become studies of the models that use them."""
    run("demo", "--no-page", "--out", tmp_path)
    cars = [tmp_path / "cars.db", tmp_path / "cars.csv", "--features", "range,price,shape"]
    papers = [tmp_path / "papers.db", tmp_path / "papers.csv", "--links", tmp_path / "citations.csv"]
    for words, model in ((cars, "preference-gp"), (papers, "linked-gp")):
        done = run("new", *words, "--json")
        assert done.status == 0, done.err
        assert json.loads(done.out)["settings"]["model"]["name"] == model


@pytest.mark.slow("starts the whole demo twice, each time with a picture")
def test_the_demo_serves_and_keeps(tmp_path: Path) -> None:
    """`penchant demo --for 1` ranks, draws, prints the links of both studies and ends; both are there the next time."""
    for _ in range(2):
        process = served("demo", "--out", "demo", "--for", 1, cwd=tmp_path)
        printed = process.communicate(timeout=120)[0]
        assert process.returncode == 0, printed
        assert "A letter from a friend" in printed
        for part in ("/owner#token=", "/#judge=me&token=", "/search#user=me&token="):
            assert re.search(rf"http://127\.0\.0\.1:\d+{re.escape(part)}", printed), part
        assert "Stopped." in printed
    assert (tmp_path / "demo" / "ranking.png").exists()
    with CompareStudy.open(tmp_path / "demo" / "pleasures.db", write=False) as kept:
        assert len(kept.items) == 12
    with CoactiveStudy.open(tmp_path / "demo" / "search.db", write=False) as search:
        assert (len(search.items), search.settings["per_user"]) == (60, True)


def test_a_time_that_is_none_is_rejected_with_the_option(study: Path) -> None:
    """The library's name of the argument is not what was typed."""
    done = run("serve", study, "--for", 0)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("penchant: --for must be a number above 0, got 0")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--host", "192.0.2.1"],
            "--host must be on this computer for plain HTTP, got '192.0.2.1': give --certificate",
        ),
        (["--host", "rank.example"], "--host must be an address of this computer, got 'rank.example'"),
        (["--host", "0.0.0.0", "--allow-http"], "--host must come with the name that links show"),
        (["--url", "rank.example"], "--url must be scheme://host or scheme://host:port, got 'rank.example'"),
        (["--url", "http://rank.example"], "--url must start with https:// beyond this computer"),
        (["--allow-origin", "*"], "--allow-origin must be scheme://host or scheme://host:port, got '*'"),
        (
            ["--allow-origin", "null"],
            "--allow-origin must be scheme://host or scheme://host:port, got 'null'",
        ),
        (["--proxy", "localhost"], "--proxy must be addresses or networks, got 'localhost'"),
        (["--certificate", "a.pem"], "--key must be given with the other, got none"),
        (
            ["--certificate", "a.pem", "--key", "b.pem"],
            "--certificate must fit its key, got a.pem: No such file",
        ),
        (["--log", "text"], "--log must be json, got 'text'"),
        (["--limit", "speed=9"], "--limit must be NAME=NUMBER with one of body_bytes,"),
        (["--limit", "depth"], "--limit must be NAME=NUMBER with one of body_bytes,"),
        (["--limit", "depth=many"], "--limit must be NAME=NUMBER with one of body_bytes,"),
        (["--limit", "depth=0"], "depth must be a whole number from 1 to"),
    ],
)
def test_an_option_that_cannot_be_is_named(study: Path, typed: list[str], message: str) -> None:
    """In one line with status 2, before anything is listened on."""
    done = run("serve", study, "--port", 0, "--for", 1, *typed)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"penchant: {message}")
    assert done.err.count("\n") == 1


def test_the_way_out_of_plain_http_is_typed_as_told(study: Path) -> None:
    """The message names the options themselves."""
    done = run("serve", study, "--host", "192.0.2.1")
    remedy = (
        "give --certificate and --key, or name a reverse proxy with --proxy and its https address with --url"
    )
    assert f"{remedy}; --allow-http sends links and answers readably" in done.err


def test_options_reach_the_server(study: Path) -> None:
    """Behind a proxy, with a limit and a log, and without links; another loopback address needs no certificate."""
    options = [
        "--host",
        "127.0.0.2",
        "--url",
        "https://rank.example",
        "--proxy",
        "127.0.0.1",
        "--proxy",
        "127.0.0.2",
    ]
    more = [
        "--allow-origin",
        "https://shop.example",
        "--limit",
        "token_rate=0.5",
        "--log",
        "json",
        "--no-links",
    ]
    done = run("serve", study, "--port", 0, "--for", 0.2, *options, *more)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Stopped. ")


def test_a_file_that_is_no_study_is_rejected(study: Path, tmp_path: Path) -> None:
    """Each of several is looked at before any is opened."""
    for other in (tmp_path / "none.db", Path(__file__)):
        done = run("serve", study, other, "--for", 1)
        assert done.status == 2
        assert done.err.startswith(f"penchant: {other} must be a study")


def test_recipes_use_options_that_exist() -> None:
    """Every command line of the docs' recipes can be typed."""
    recipes = (Path(__file__).parents[2] / "docs" / "deploying.md").read_text(encoding="utf-8")
    offered = set(re.findall(r"--[a-z-]+", run("serve", "--help").out))
    commands = re.findall(r"penchant serve (.*)", recipes)
    assert len(commands) >= 5
    typed = set(re.findall(r"--[a-z-]+", "\n".join(commands)))
    assert typed <= offered, typed - offered
    assert {"--url", "--proxy", "--certificate", "--key", "--log", "--no-links"} <= typed


def test_serving_without_its_packages_names_what_to_install(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, with status 2."""
    monkeypatch.delitem(sys.modules, "penchant.serve", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "penchant.serve.server", raising=False)
    done = run("serve", study)
    assert done.status == 2
    assert "pip install 'penchant[serve]'" in done.err
