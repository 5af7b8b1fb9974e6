"""What to ask next on the command line, and linked items: answers, features and links as files in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import load
from tests.cli.typed import run, written


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Eight items, 60 answers by people who nearly always agree that an earlier letter is better."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        first, second = sorted(rng.choice(8, 2, replace=False))
        better = "left" if rng.random() < 0.9 else "right"
        rows.append(f"{'abcdefgh'[first]},{'abcdefgh'[second]},{better}")
    return written(
        tmp_path / "answers.csv", "\n".join(["left,right,outcome", *rows, "a,b,tie", "a,b,both_bad"])
    )


def test_pairs_are_suggested_with_how_settled_the_order_is(answers: Path) -> None:
    """No item twice while there are others, chances beside them; what says nothing of the order is left out, told."""
    done = run("suggest", answers, "--count", 4, "--json")
    found = json.loads(done.out)
    asked = [item for pair in found["pairs"] for item in (pair["left"], pair["right"])]
    assert sorted(asked) == list("abcdefgh")
    assert all(0 < pair["left wins"] < 1 for pair in found["pairs"])
    assert 0 < found["settled"]["value"] < 1
    assert "Left out: 1 answers that both are bad" in done.err
    shown = run("suggest", answers, "--count", 4)
    assert "of pairs are expected in the right order or nearly equal" in shown.out
    assert shown.last == f"Next: penchant rank {answers}"


def test_pairs_go_to_a_file_that_a_spreadsheet_can_open(answers: Path) -> None:
    """As CSV with two columns, on the output or in a file; what a spreadsheet would run is quoted."""
    written(answers, answers.read_text(encoding="utf-8").replace("\na,", "\n=1+1,"))

    out = answers.with_name("pairs.csv")
    assert run("suggest", answers, "--count", 28, "--csv", out).status == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith("left,right\n")
    assert "\n=1+1" not in text
    assert len(text.splitlines()) == 29
    assert run("suggest", answers, "--count", 28, "--csv", "-").out == text


def test_the_top_alone_can_be_settled(answers: Path) -> None:
    """Then pairs near its edge are asked, and the top is what is judged."""
    found = json.loads(run("suggest", answers, "--count", 2, "--top", 2, "--json").out)
    assert found["settled"]["top"] == 2


def test_linked_items_are_learned_saved_and_drawn(answers: Path) -> None:
    """An item that nobody was asked about follows what it is linked to, more so the heavier the link."""
    links = written(answers.with_name("links.csv"), "from,to,weight\na,new,5\nh,old,5\n")
    saved, picture = answers.with_name("model.penchant"), answers.with_name("ranking.svg")
    items = written(answers.with_name("items.csv"), "id\n" + "\n".join([*"abcdefgh", "new", "old"]))
    words = ("--items", items, "--links", links, "--set", "iota=3")
    done = run("fit", "linked", answers, *words, "--set", "threshold=0.1", "--save", saved, "--plot", picture)
    assert done.status == 0, done.err
    assert "fitted to 61 answers about 10 items" in done.out
    model: Any = load(saved)
    drawn = picture.read_text(encoding="utf-8")
    assert "mark-symbol role-mark" in drawn
    assert all(f"  {item}</text>" in drawn for item in model.items_)
    utility = dict(zip(model.items_, model.mean.tolist(), strict=True))
    assert utility["new"] > utility["old"]
    assert done.last == f"Next: penchant suggest {answers} --items {items} --links {links}"


def test_features_carry_over_to_items_without_answers(answers: Path) -> None:
    """A table of features names the items; one that is never asked about gets a utility by them."""
    table = pd.DataFrame({"place": range(10), "same": 1}, index=pd.Index(list("abcdefghij"), name="id"))
    items = answers.with_name("items.csv")
    table.to_csv(items)
    done = run("suggest", answers, "--items", items, "--count", 3)
    assert done.status == 0, done.err
    fitted = run("fit", "linked", answers, "--items", items, "--set", "threshold=0.1")
    assert "about 10 items" in fitted.out


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("from,to\na,\n", "row 1 of"),
        ("from\na\n", "must have 2 columns of ids, got 1"),
        ("from,to,weight\na,b,heavy\n", "two columns of ids and perhaps one of weights"),
        ("from,to,weight\na,b,-1\n", "must be a finite number of at least 0"),
        ("", "must hold at least one row, got an empty file"),
    ],
)
def test_links_that_cannot_be_are_rejected(answers: Path, links: str, message: str) -> None:
    """In one line, with what to do."""
    done = run("suggest", answers, "--links", written(answers.with_name("links.csv"), links))
    assert done.status == 2
    assert message in done.err


def test_items_of_links_alone_are_asked_about_and_reported(answers: Path) -> None:
    """Nobody has compared them yet; they are listed, since one may be misspelt, unless a table names all items."""
    links = written(answers.with_name("links.csv"), "from,to\na,bb\n")
    for words in (["suggest", answers], ["fit", "linked", answers]):
        done = run(*words, "--links", links)
        assert done.status == 0
        assert f"Note: 1 item of {links} without answers: bb" in done.err
    items = written(answers.with_name("items.csv"), "id\n" + "\n".join([*"abcdefgh", "bb"]))
    done = run("suggest", answers, "--links", links, "--items", items)
    assert (done.status, "Note" in done.err) == (0, False)


def test_an_unknown_model_of_linked_items_is_rejected(answers: Path) -> None:
    """Also where no setting is given."""
    done = run("fit", "linked", answers, "--model", "nosuch")
    assert done.status == 2
    assert "--model must be one of linked-gp, got 'nosuch'" in done.err


def test_a_link_to_an_item_without_features_is_rejected(answers: Path) -> None:
    """With the file and the item."""
    items = written(
        answers.with_name("items.csv"), "id,x\n" + "\n".join(f"{i},{n}" for n, i in enumerate("abcdefgh"))
    )
    links = written(answers.with_name("links.csv"), "from,to\na,zebra\n")
    done = run("suggest", answers, "--items", items, "--links", links)
    assert done.status == 2
    assert "links.csv" in done.err
    assert "zebra" in done.err


def test_few_answers_never_settle_an_order(tmp_path: Path) -> None:
    """A chain of answers is explained best if all items are equal, but that does not follow from it."""
    answers = written(tmp_path / "chain.csv", "winner,loser\na,b\nb,c\nc,d\nd,e\ne,f\n")
    found = json.loads(run("suggest", answers, "--json").out)
    assert found["settled"]["value"] < 0.9
    linked = written(tmp_path / "links.csv", "from,to\na,b\nc,d\n")
    found = json.loads(run("suggest", answers, "--links", linked, "--json").out)
    assert found["settled"]["value"] < 0.9


def test_pairs_are_suggested_where_the_whole_order_is_not_judged(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of too many items the pairs come all the same, and what is not judged is said, with what to do."""
    monkeypatch.setattr("penchant.ask.stopping.MOST_ITEMS", 5)
    done = run("suggest", answers, "--count", 2)
    assert done.status == 0, done.err
    assert "Settled: the whole order of 8 items is not judged: give --top, below 5" in done.out
    assert len(json.loads(run("suggest", answers, "--count", 2, "--json").out)["pairs"]) == 2
    assert json.loads(run("suggest", answers, "--json").out)["settled"] is None
    assert json.loads(run("suggest", answers, "--top", 2, "--json").out)["settled"]["top"] == 2
    assert "the top 6 of 8 items is not judged" in run("suggest", answers, "--top", 6).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--top", 8), "--top must be a whole number from 1 to 7"),
        (
            ("--links", "links.csv"),
            "learned for at most 5 items, got 10: give them, for instance --set beta=1",
        ),
        (("--set", "iota=-1"), "--set iota must be a number above 0"),
        (("--set", "scale=2"), "a tie needs a threshold above 0"),
    ],
    ids=["top", "links", "setting", "tie"],
)
def test_limits_are_checked_before_anything_is_learned(
    answers: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], message: str
) -> None:
    """An error that will come anyway comes without a prior being worked out."""
    links = written(answers.with_name("links.csv"), "from,to,weight\na,new,5\nh,old,5\n")
    monkeypatch.setattr("penchant.gp.linked.graph_prior.WRITTEN_OUT", 5)
    monkeypatch.setattr(
        "penchant.gp.linked.item_prior.ItemPrior.prior", lambda *_: pytest.fail("the prior was worked out")
    )
    done = run("suggest", answers, *(links if word == "links.csv" else word for word in words))
    assert done.status == 2
    assert message in done.err


def test_settings_that_are_given_are_not_learned(answers: Path) -> None:
    """As with penchant fit, so that linked items of any number can be suggested."""
    links = written(answers.with_name("links.csv"), "from,to,weight\na,new,5\nh,old,5\n")
    given = ("--set", "iota=2", "--set", "beta=0.5", "--set", "threshold=0.1")
    items = written(answers.with_name("items.csv"), "id\n" + "\n".join([*"abcdefgh", "new", "old"]))
    done = run("suggest", answers, "--items", items, "--links", links, *given)
    assert done.status == 0, done.err
    assert "Model: LinkedGP(beta=0.5, iota=2, threshold=0.1)" in done.out
    wrong = run("suggest", answers, "--set", "kappa=2")
    assert wrong.status == 2
    assert "--set must be NAME=VALUE with one of scale, lengthscale" in wrong.err


def test_weights_of_answers_count(tmp_path: Path) -> None:
    """An item whose few answers weigh much is not asked about as if it had few."""
    rows = ["winner,loser,weight", "a,b,9", "b,c,9", "c,d,1", "a,d,9"]
    found = json.loads(run("suggest", written(tmp_path / "answers.csv", "\n".join(rows)), "--json").out)
    first = found["pairs"][0]
    assert {first["left"], first["right"]} & {"c", "d"}


def test_options_that_would_be_ignored_are_rejected(answers: Path) -> None:
    """Two things on one output, and a column of a table that was not given."""
    for words, message in (
        (("--json", "--csv", "-"), "must not both be printed"),
        (("--without", "x"), "--without must be given with --items"),
    ):
        done = run("suggest", answers, *words)
        assert done.status == 2
        assert message in done.err
