"""Learning from a log on the command line, and presenting what was learned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.coactive import NamedLearner, NamedMatrix, make_learner
from penchant.formats import read_presentations
from penchant.registry import family
from penchant.saving import load
from tests.cli.typed import run

TRUE = {"stars": 2.0, "fresh": 1.0, "price": -0.5}


def log_lines(n: int, seed: int = 0) -> list[str]:
    """Shuffled pages of six of eight candidates, on which people click what is best by stars, fresh and price."""
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(n):
        features = [{name: round(rng.normal(), 3) for name in TRUE} for _ in range(8)]
        worth = [sum(TRUE[name] * value for name, value in values.items()) for values in features]
        shown = rng.permutation(8)[:6].tolist()
        best = max(shown, key=lambda item: worth[item])
        candidates = [{"id": f"d{item}", "features": values} for item, values in enumerate(features)]
        line = {"id": f"q{number}", "candidates": candidates, "presented": [f"d{item}" for item in shown]}
        lines.append(json.dumps(line | {"clicked" if number % 2 else "improved": [f"d{best}"]}))
    return lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "log.jsonl", log_lines(120))


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "words", [[], ["--averaged"], ["--forget", "0.01", "--depth", "3"], ["--learner", "perturbed"]]
)
def test_it_learns_what_people_click(words: list[str], log: Path) -> None:
    """The learner ranks clicked items higher than the log did, and its weights have the right signs."""
    saved = log.with_name("model.penchant")
    done = run("learn", log, "--save", saved, *words, "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    last = found["progress"][-1]
    assert (found["presentations"], last["rounds"], found["refused"]) == (120, 120, [])
    assert found["features"] == found["new_features"] == ["stars", "fresh", "price"]
    assert last["ndcg"] > 0.85 > 0.65 > last["presented_ndcg"]
    assert last["pair_accuracy"] > 0.85
    model: Any = load(saved)
    assert isinstance(model, NamedLearner)
    assert {name: value > 0 for name, value in model.weights.items()} == {
        name: TRUE[name] > 0 for name in TRUE
    }


def test_in_two_parts_is_as_at_once(log: Path) -> None:
    """Cut anywhere, and gone on with --model, the saved bytes are those of one replay; again, the same."""
    lines = log.read_text().splitlines()
    lines[70] = lines[70].replace('"fresh"', '"a feature of later"')
    whole, part, rest = written(log, lines), log.with_name("part.jsonl"), log.with_name("rest.jsonl")
    saved = [log.with_name(f"{name}.penchant") for name in ("whole", "part", "both", "again")]
    run("learn", whole, "--save", saved[0])
    run("learn", whole, "--save", saved[3])
    run("learn", written(part, lines[:50]), "--save", saved[1])
    done = run("learn", written(rest, lines[50:]), "--model", saved[1], "--save", saved[2])
    assert "New features, whose weights began at 0: 1 (a feature of later)" in done.out
    assert saved[2].read_bytes() == saved[0].read_bytes() == saved[3].read_bytes()
    assert saved[1].read_bytes() != saved[0].read_bytes()


def test_a_report_is_a_table(log: Path) -> None:
    """Progress in rows, refused lines by number, and what to type next."""
    saved = log.with_name("model.penchant")
    written(log, [*log_lines(12), "nope", '{"candidates": []}'])
    out = run("learn", log, "--save", saved, "--k", 3).out.splitlines()
    assert (
        out[0]
        == "log.jsonl: 12 presentations, now NamedLearner(PreferencePerceptron of 3 features, 12 rounds)"
    )
    assert out[1] == "Rejected: 2 of 14 lines"
    assert out[2].startswith("  line 13: not JSON")
    assert out[4].split("  ")[:2] == ["rounds", "NDCG@3"]
    assert [line.split()[0] for line in out[5:8]] == ["1", "10", "12"]
    assert out[8:] == [f"Saved: {saved}", f"Next: penchant present {saved} {log}"]


def test_strict_stops_and_leaves_what_was_saved(log: Path) -> None:
    """At the first bad line nothing is written, and an older model stays as it was."""
    saved = log.with_name("model.penchant")
    run("learn", log, "--save", saved)
    before = saved.read_bytes()
    written(log, [*log_lines(3, seed=1), "nope"])
    done = run("learn", log, "--save", saved, "--strict", "--force")
    assert done.status == 2
    assert f"{log}:4: not JSON" in done.err
    assert saved.read_bytes() == before
    assert sorted(path.name for path in log.parent.iterdir()) == ["log.jsonl", "model.penchant"]


def test_present_ranks_as_the_model_does(log: Path) -> None:
    """Each set of candidates is a table, or a JSON line; what the model does not know is said and counts nothing."""
    saved, sets = log.with_name("model.penchant"), log.with_name("candidates.jsonl")
    run("learn", log, "--save", saved)
    candidates = [{"id": "plain", "features": {}}, {"id": "good", "features": {"stars": 1, "colour": 3}}]
    candidates += [{"id": f"poor {i}", "features": {"stars": -1.0 - i}} for i in range(3)]
    written(
        sets,
        [json.dumps({"id": "one", "candidates": candidates}), json.dumps({"candidates": candidates[:1]})],
    )
    done = run("present", saved, sets, "--top", 2)
    assert done.err == "Note: features not in the model, which count nothing: 1 (colour)\n"
    lines = done.out.splitlines()
    assert lines[0] == "one"
    assert [line.split()[:2] for line in lines[1:4]] == [["rank", "item"], ["1", "good"], ["2", "plain"]]
    assert lines[4:6] == ["… and 3 more: --top 5 shows them", "2"]
    model: Any = load(saved)
    found = [json.loads(line) for line in run("present", saved, sets, "--json").out.splitlines()]
    assert [item["item"] for item in found[0]["items"]] == ["good", "plain", "poor 0", "poor 1", "poor 2"]
    assert found[0]["items"][0]["score"] == pytest.approx(model.weights["stars"])


def test_a_long_log_is_presented_in_part(log: Path) -> None:
    """The first few sets are shown with how many there are, and JSON holds them all."""
    saved, sets = log.with_name("model.penchant"), log.with_name("candidates.jsonl")
    run("learn", log, "--save", saved)
    candidates = [{"id": "good", "features": {"stars": 1}}, {"id": "poor", "features": {"stars": -1}}]
    written(sets, [json.dumps({"id": f"set {k}", "candidates": candidates}) for k in range(1200)])
    lines = run("present", saved, sets).out.splitlines()
    assert [line for line in lines if line.startswith("set")] == ["set 0", "set 1", "set 2"]
    assert lines[-1] == "The first 3 of 1,200 sets of candidates: --json prints them all"
    assert len(run("present", saved, sets, "--json").out.splitlines()) == 1200


def test_wrong_words_are_rejected(log: Path) -> None:
    """A log over itself, settings beside a model, another model, no features, a depth of 0: one line each."""
    saved, other = log.with_name("model.penchant"), log.with_name("other.penchant")
    run("learn", log, "--save", saved)
    bare = written(
        log.with_name("bare.jsonl"),
        ['{"candidates": [{"id": "a", "features": {}}], "presented": ["a"], "clicked": []}'],
    )
    from penchant.saving import save

    save({"not": "a learner"}, other)
    for words, message in (
        (["learn", log, "--save", log], "must be a file of its own"),
        (
            ["learn", log, "--model", saved, "--depth", 3, "--save", other],
            "--depth must not be given with --model",
        ),
        (
            ["learn", log, "--model", other, "--save", saved],
            "must hold what penchant learn saved, got a dict",
        ),
        (["learn", bare, "--save", log.with_name("none")], "must name at least one feature"),
        (["learn", log, "--depth", 0, "--save", saved], "depth must be a whole number of at least 1"),
        (["learn", log.with_name("nothing"), "--save", saved], "got nothing there"),
        (["present", other, log], "must hold what penchant learn saved"),
    ):
        done = run(*words, *(["--force"] if words[0] == "learn" else []))
        assert done.status == 2
        assert done.out == ""
        assert message in done.err
        assert done.err.count("\n") == 1
    assert not log.with_name("none").exists()


# -- every learner -------------------------------------------------------------------------------------------

SETTINGS = {
    "exponentiated": ["--set", "bound=4"],
    "second-order": ["--set", "radius=2", "--set", "gamma=0.5"],
}


@pytest.mark.parametrize("map", ["ranking", "item"])
@pytest.mark.parametrize("learner", family("coactive"))
def test_every_learner_learns_what_a_live_one_does(learner: str, map: str, log: Path) -> None:
    """The weights of a replayed log are those of rounds learned one by one from dense matrices, to the last bit."""
    if (learner, map) == ("perturbed", "item"):
        return
    saved = log.with_name("model.penchant")
    words = ["--learner", learner, "--map", map, *SETTINGS.get(learner, [])]
    done = run("learn", log, "--save", saved, *words)
    assert (done.status, done.err) == (0, "")
    settings = {"exponentiated": {"bound": 4}, "second-order": {"radius": 2, "gamma": 0.5}}.get(learner, {})
    live = make_learner(learner, names=TRUE, map=map, **settings)
    for page in read_presentations(log):
        X = live.matrix(
            NamedMatrix(np.array([[values[n] for n in TRUE] for values in page.features]), list(TRUE))
        )
        order, answer = (
            [page.items.index(item) for item in items] for items in (page.presented, page.answer)
        )
        live.learn(X, order, live.feedback(order, answer, by_clicks=page.by_clicks))
    model: Any = load(saved)
    assert model.weights == live.weights
    assert model.state_row().tobytes() == live.state_row().tobytes()


def test_settings_scaling_and_categories_are_typed(log: Path) -> None:
    """--set, --names and --scale make the learner, which the file keeps; texts in the log are categories."""
    saved = log.with_name("model.penchant")
    lines = [
        line.replace('"id": "d0", "features": {', '"id": "d0", "features": {"kind": "first", ')
        for line in log_lines(20)
    ]
    written(log, lines)
    names = "stars,fresh,price,kind=first,later"
    words = ["--learner", "convex", "--set", "radius=3", "--set", "forget=0.1", "--names", names, "--scale"]
    assert run("learn", log, "--save", saved, *words).status == 0
    model: Any = load(saved)
    assert model.names == tuple(names.split(","))
    assert (model.learner.radius, model.learner.forget) == (3, 0.1)
    assert set(model.scaling.names) == {*TRUE, "kind=first"}
    rest = written(log.with_name("rest.jsonl"), [log_lines(1)[0].replace("stars", "moons")])
    done = run("learn", rest, "--model", saved, "--save", log.with_name("next.penchant"))
    assert done.status == 2
    assert "presentation 'q0': feature 'moons' of candidate 'd0' must be one of the 5" in done.err
    done = run("present", saved, rest)
    assert done.status == 2
    assert "feature 'moons' of candidate 'd0' must be one of the 5" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--learner", "exponentiated"], "--set must hold bound= for exponentiated, got nothing"),
        (
            ["--learner", "convex", "--set", "speed=1"],
            "--set must be NAME=VALUE with one of radius, forget, averaged",
        ),
        (["--map", "list"], "--map must be one of ranking, item"),
        (
            ["--learner", "glicko"],
            "--learner must be one of perceptron, perturbed, exponentiated, convex, second-order",
        ),
        (["--learner", "perturbed", "--map", "item"], "must be a RankingMap"),
        (
            ["--learner", "convex", "--names", "stars"],
            "feature 'fresh' of candidate 'd0' must be one of the 1",
        ),
    ],
)
def test_settings_that_do_not_fit_are_rejected(words: list[str], said: str, log: Path) -> None:
    """By the name of the option."""
    done = run("learn", log, "--save", log.with_name("model.penchant"), *words)
    assert done.status == 2
    assert said in " ".join(done.err.split())
