"""`penchant serve` and `penchant demo`: pages until they are ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from penchant.study import CompareStudy
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
    """`penchant demo --for 1` ranks, draws, serves and ends; the study is there the next time."""
    for _ in range(2):
        process = served("demo", "--out", "demo", "--for", 1, cwd=tmp_path)
        printed = process.communicate(timeout=120)[0]
        assert process.returncode == 0, printed
        assert "A letter from a friend" in printed
        assert "http://127.0.0.1:" in printed
        assert "Stopped." in printed
    assert (tmp_path / "demo" / "ranking.png").exists()
    with CompareStudy.open(tmp_path / "demo" / "pleasures.db", write=False) as kept:
        assert len(kept.items) == 12


def test_a_time_that_is_none_is_rejected_with_the_option(study: Path) -> None:
    """The library's name of the argument is not what was typed."""
    done = run("serve", study, "--for", 0)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("penchant: --for must be a number above 0, got 0")


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
