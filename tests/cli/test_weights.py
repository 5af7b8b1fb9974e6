"""`penchant weights`, and a coactive study through files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.registry import family
from penchant.saving import load
from penchant.study.coactive import CoactiveStudy
from tests.cli.test_learn import log_lines
from tests.cli.typed import run, written

SETTINGS: dict[str, list[str]] = {
    "perceptron": ["averaged=true"],
    "perturbed": ["seed=3"],
    "exponentiated": ["bound=5"],
    "convex": ["radius=10"],
    "second-order": ["gamma=0.5"],
}


def weights(study: Path, *words: object) -> dict[str, float]:
    found: dict[str, float] = json.loads(run("weights", study, *words, "--json").out)["weights"]
    return found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Sixty presentations to two users."""
    lines = [json.loads(line) | {"user": f"user {n % 2}"} for n, line in enumerate(log_lines(60))]
    return written(tmp_path / "log.jsonl", "\n".join(map(json.dumps, lines)))


@pytest.mark.parametrize("learner", SETTINGS)
def test_python_and_commands_have_the_same_weights(learner: str, log: Path) -> None:
    """Learned from one log by `learn --save`, by `learn --into`, by `import`, and from what such a study exports."""
    assert SETTINGS.keys() == family("coactive").keys()
    typed = ["--learner", learner, *(word for one in SETTINGS[learner] for word in ("--set", one))]
    names = ["--names", "stars,fresh,price"]
    into, added, out = log.with_name("into.db"), log.with_name("added.db"), log.with_name("out.jsonl")
    done = run("learn", log, "--save", log.with_name("m"), *typed, *names, "--json")
    assert done.status == 0, done.err
    for study in (into, added):
        made = run("new", study, "--coactive", *typed, *names)
        assert made.status == 0, made.err
    learned = run("learn", log, "--into", into, "--json")
    assert json.loads(learned.out)["progress"] == json.loads(done.out)["progress"]
    assert json.loads(run("import", added, log, "--json").out)["import"] == 60
    model: Any = load(log.with_name("m"))
    assert weights(into) == weights(added) == model.weights
    with CoactiveStudy.open(into, write=False) as opened:
        assert opened.weights() == model.weights
    exported = run("export", into, out, "--what", "presentations")
    assert exported.last == f"Next: penchant learn {out} --save OUT"
    again = run("learn", out, "--save", log.with_name("again"), *typed, *names)
    assert again.status == 0
    assert load(log.with_name("again")).weights == model.weights  # type: ignore[attr-defined]
    assert run("export", into, "-", "--what", "presentations").out == out.read_text()


def test_a_study_comes_back_from_its_events(log: Path) -> None:
    """Exported and imported it has the same weights, users and settings; a log into no study is rejected."""
    first, copy, events = (log.with_name(name) for name in ("first.db", "copy.db", "events.jsonl"))
    run("new", first, "--coactive", "--per-user")
    run("learn", log, "--into", first)
    assert run("export", first, events).last == f"Next: penchant import COPY.db {events}"
    assert run("import", copy, events).last == f"Next: penchant weights {copy}"
    for user in ([], ["--user", "user 1"]):
        assert weights(copy, *user) == weights(first, *user)
    assert run("settings", copy, "--json").out == run("settings", first, "--json").out
    assert run("import", first, events).status == 2
    assert run("import", log.with_name("none.db"), log).status == 2


def test_weights_are_shown_with_how_steady_they_are(log: Path) -> None:
    """As a table, as CSV, and of one user, whose own weights differ."""
    study = log.with_name("search.db")
    run("new", study, "--coactive", "--per-user")
    assert run("weights", study).status == 0
    run("learn", log, "--into", study)
    done = run("weights", study, "--top", 2)
    lines = done.out.splitlines()
    assert lines[0] == "60 presentations, 60 with feedback; 60 rounds learned"
    assert lines[1].split() == ["feature", "weight", "share", "steadiness"]
    assert lines[2].startswith("stars ")
    assert lines[4] == "… and 1 features more (--top shows them)"
    assert lines[5].startswith("The weights have turned by ")
    assert done.last == f"Next: penchant weights {study} --user 'user 0'"
    assert weights(study, "--user", "user 0") != weights(study)
    assert run("weights", study, "--csv", "-").out.startswith(
        "feature,weight,share,deviation,steadiness\nstars,"
    )
    assert run("weights", study, "--user", "nobody").status == 2


def test_learn_needs_one_place_and_no_settings_of_its_own(log: Path, study: Path) -> None:
    """Where a study learns, it has its own settings; where it compares items, it cannot."""
    assert "give --save OUT or --into FILE.db" in run("learn", log).err
    into = log.with_name("into.db")
    run("new", into, "--coactive")
    done = run("learn", log, "--into", into, "--learner", "convex", "--model", log)
    assert "--learner, --model must not be given with --into, which has its own" in done.err
    assert run("learn", log, "--into", study).err.endswith(f"use penchant import {study} ANSWERS\n")
    piped = run("learn", "-", "--into", into, input=log.read_text())
    assert piped.out.startswith("the input: 60 presentations")
