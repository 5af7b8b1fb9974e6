"""`penchant rank` of votes: covariates, sides, ties, errors, scales and boards."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant import Preferences
from penchant.worth import BradleyTerry
from tests.cli.typed import run, written


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 votes between four models: longer answers win more often, and one model is better at code."""
    rng = np.random.default_rng(0)
    names, worth = np.array(["apex", "birch", "cedar", "delta"]), np.array([0.8, 0.3, -0.2, -0.9])
    lines = ["model_a,model_b,winner,tokens_a,tokens_b,category,day,user"]
    for row in range(600):
        a, b = rng.choice(4, 2, replace=False)
        code, tokens = row % 3 == 0, rng.integers(50, 400, size=2)
        d = worth[a] - worth[b] + 1.5 * code * ((a == 3) * 1.0 - (b == 3)) + (tokens[0] - tokens[1]) / 200
        winner = rng.choice(
            ["model_a", "model_b", "tie"],
            p=np.array([np.exp(d / 2), np.exp(-d / 2), 0.5]) / (np.exp(d / 2) + np.exp(-d / 2) + 0.5),
        )
        kind, day = "code" if code else "prose", f"2024-0{1 + row // 150}-11"
        lines.append(f"{names[a]},{names[b]},{winner},{tokens[0]},{tokens[1]},{kind},{day},u{row % 40}")
    return written(tmp_path_factory.mktemp("votes") / "votes.csv", "\n".join(lines) + "\n")


def test_covariates_and_side_have_a_table_json_and_picture(votes: Path, tmp_path: Path) -> None:
    """All three say what Python says; the table shows the rank without adjustment."""
    typed = ("rank", votes, "--covariate", "length=tokens_a-tokens_b", "--side", "--errors", "judge")
    done = run(*typed, "--plot", tmp_path / "out.svg")
    assert done.status == 0, done.err
    assert "unadjusted rank" in done.out
    assert "clustered by judge" in done.out
    assert "length" in done.out
    assert "side: what standing on the left adds" in done.out
    assert (tmp_path / "out.svg").stat().st_size > 1000
    state = json.loads(run(*typed, "--json").out)
    import penchant

    prefs = penchant.read(votes, covariates=["length=tokens_a-tokens_b"])
    model = BradleyTerry(errors="judge").fit(prefs, covariates=["length"], side=True)
    assert [effect["effect"] for effect in state["effects"]] == ["length", "side"]
    assert state["effects"][0]["estimate"] == pytest.approx(model.effects_.estimate[0])
    assert state["effects"][0]["error"] == pytest.approx(model.effects_.error[0])
    assert [row["score"] for row in state["items"]] == pytest.approx(model.rank().scores.tolist())
    assert set(state["items"][0]["unadjusted"]) == {"rank", "score"}
    assert done.last.startswith("Next: penchant check")
    assert "--covariate length=tokens_a-tokens_b --side --errors judge --plot" in run(*typed).last


def test_boards_by_category_and_over_time(votes: Path, tmp_path: Path) -> None:
    """One table, one JSON, one picture, one CSV."""
    done = run("rank", votes, "--by", "category", "--plot", tmp_path / "by.svg")
    assert done.status == 0, done.err
    assert "delta in prose: -" in done.out
    assert (tmp_path / "by.svg").exists()
    state = json.loads(run("rank", votes, "--by", "category", "--json").out)
    assert [board["board"] for board in state["boards"]] == ["prose", "code"]
    assert {"item", "difference", "lower", "upper", "p", "p_adjusted", "board"} == set(
        state["differences"][0]
    )
    table = run("rank", votes, "--by", "category", "--csv", "-").out.splitlines()
    assert table[0].startswith("board,rank,item,score")
    assert len(table) == 9
    over = run("rank", votes, "--over", "day", "--scale", "elo", "--anchor", "apex=1200")
    assert "2024-01" in over.out
    assert "trend" in over.out
    assert over.out.partition("Next:")[0].count("1200") == 1  # in all rows, from which periods differ
    halves = json.loads(run("rank", votes, "--over", "day", "--periods", "2", "--ties", "half", "--json").out)
    assert len(halves["boards"]) == 2
    assert halves["ties"] == "half a win each"


def test_boards_have_the_effects_of_covariates(votes: Path, tmp_path: Path) -> None:
    """The table, the JSON and the picture have those of each board and of all rows, as Python gives them."""
    typed = ("rank", votes, "--by", "category", "--covariate", "length=tokens_a-tokens_b", "--side")
    done = run(*typed, "--plot", tmp_path / "by.svg")
    assert done.status == 0, done.err
    shown = [line.split()[:2] for line in done.out.splitlines() if line.startswith(("length ", "side "))]
    boards = ["all", "prose", "code"]
    assert shown == [["length", board] for board in boards] + [["side", board] for board in boards]
    assert "Effects of covariates on each board" in (tmp_path / "by.svg").read_text()
    state = json.loads(run(*typed, "--json").out)
    prefs = penchant.read(votes, covariates=["length=tokens_a-tokens_b"])
    expected = BradleyTerry().fit(prefs, covariates=["length"], side=True).effects_
    assert [effect["effect"] for effect in state["all"]["effects"]] == ["length", "side"]
    assert [effect["estimate"] for effect in state["all"]["effects"]] == pytest.approx(expected.estimate)
    code = np.array([line.split(",")[5] == "code" for line in votes.read_text().splitlines()[1:]])
    part = BradleyTerry().fit(prefs[np.flatnonzero(code)], covariates=["length"], side=True).effects_
    found = state["boards"][1]["effects"]
    assert [effect["error"] for effect in found] == pytest.approx(part.error)
    assert [effect["p"] for effect in found] == pytest.approx(part.p)
    over = run("rank", votes, "--over", "day", "--periods", "2", "--side")
    assert sum(line.startswith("side ") for line in over.out.splitlines()) == 3
    assert "effects" not in json.loads(run("rank", votes, "--by", "category", "--json").out)["all"]


def test_scales_and_half_wins_are_stated(votes: Path) -> None:
    """Elo with an anchor; probabilities in percent; ties as half wins are those of the converted rows."""
    state = json.loads(
        run("rank", votes, "--scale", "elo", "--anchor", "birch=1100", "--ties", "half", "--json").out
    )
    assert state["scale"] == "elo"
    assert state["anchor"] == {"item": "birch", "score": 1100}
    assert state["ties"] == "half a win each"
    import penchant

    ranking = BradleyTerry().fit(penchant.read(votes).ties_as_half_wins()).rank()
    expected = ranking.on_scale("elo", anchor=("birch", 1100))
    assert [row["score"] for row in state["items"]] == pytest.approx(expected.scores.tolist())
    shown = run("rank", votes, "--scale", "probability", "--ties", "half").out
    assert "counted as half a win for each of the two" in shown
    assert " %" in shown.splitlines()[4]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--covariate", "tokens_a-tokens"], "--covariate must name columns, got 'tokens'"),
        (["--covariate", "user"], "user must be a number, got 'u0'"),
        (["--by", "kind"], "--by or --over must name columns, got 'kind'"),
        (["--by", "category", "--over", "day"], "--by and --over must not both be given"),
        (["--periods", "3"], "--periods must be given with --over"),
        (["--by", "category", "--matrix", "m.svg"], "--matrix must not be given with boards"),
        (["--ties", "third"], "--ties must be one of half, unordered, davidson-luce, got 'third'"),
        (["--scale", "inches"], "--scale must be one of log-odds, elo, probability"),
        (["--anchor", "apex"], "--anchor must be ITEM=RATING, got 'apex'"),
        (["--anchor", "oak=1000"], "--anchor must be an item of the ranking, got 'oak'"),
        (
            ["--scale", "elo", "--model", "thurstone"],
            "--scale must be given for a model whose scores are log odds",
        ),
        (["--side", "--model", "glicko"], "--side must be given for bradley-terry or thurstone, got glicko"),
        (["--errors", "judge", "--model", "win-rate"], "--errors must not be given for win-rate"),
        (["--anchor", "apex=1500", "--model", "elo"], "--anchor must be given for a model whose scores"),
        (["--errors", "source"], "--errors must not be source where no row has a source, got 'source'"),
        (["--over", "category"], "time of row 0 must be a number or a date like 2024-12-31, got 'code'"),
    ],
)
def test_what_cannot_be_done_is_explained(votes: Path, typed: list[str], message: str) -> None:
    """One line in the words of the command."""
    done = run("rank", votes, *typed)
    assert done.status == 2
    assert message in done.err


def test_a_study_has_a_scale_but_no_columns(study: Path) -> None:
    """Its own belief is put on the scale; a column of a file is asked for by name."""
    assert run("tell", study, "tea", "coffee", "left").status in (0, 2)
    assert run("rank", study, "--by", "category").err.startswith(
        "penchant: --by must name a column of a file"
    )
    elo = run("rank", study, "--scale", "elo")
    assert elo.status == 0, elo.err
    assert "1000" in elo.out


def test_rows_without_a_category_or_a_time_are_counted(tmp_path: Path) -> None:
    """They are on no board, and an anchor may be absent from a board."""
    rows = ["a,b,left,x,2024-01-01", "b,a,left,x,2024-01-02", "c,d,left,y,NaN", "c,d,right,nan,2024-01-02"]
    file = written(tmp_path / "votes.csv", "\n".join(["left,right,winner,kind,day", *rows]) + "\n")
    by = run("rank", file, "--by", "kind", "--anchor", "c=5")
    assert by.status == 0, by.err
    assert "Note: 1 row without kind is on no board" in by.out
    assert "items are in 2 groups that were never compared" in by.err
    over = run("rank", file, "--over", "day")
    assert "Note: 1 row without day is on no board" in over.out
    assert "on 2024-01-02 some items meet only in the prior" in over.out


def test_the_next_command_fits_the_same_model(votes: Path) -> None:
    """It has the model, the prior, the level and the draws that were typed."""
    typed = ["--model", "bradley-terry", "--prior", "0.5", "--bootstrap", "20", "--level", "0.9"]
    assert run("rank", votes, *typed, "--set", "errors=model").out.splitlines()[-1] == (
        "Next: penchant rank " + " ".join([str(votes), *typed, "--set errors=model --plot ranking.png"])
    )


def test_half_wins_keep_rows_and_labels_together() -> None:
    """Each half of a tie has the label of its row."""
    from penchant.cli.voting import with_half_wins

    prefs = Preferences.from_answers(["a", "b", "c"], ["b", "c", "a"], ["left", "tie", "right"])
    halved, labels, note = with_half_wins(prefs, {"kind": np.array(["x", "y", "z"], dtype=object)})
    assert labels["kind"].tolist() == ["x", "y", "y", "z"]
    assert len(halved) == 4
    assert halved.source is None
    paged, labels, _ = with_half_wins(
        replace(prefs, source=np.array([7, 7, 8])), {"kind": np.array(["x", "y", "z"], dtype=object)}
    )
    assert labels["kind"].tolist() == ["x", "y", "y", "z"]
    assert paged.source is not None
    assert paged.source.tolist() == [7, 7, 7, 8]
    assert note == "Ties: 1 tie counted as half a win for each of the two"


def test_ratings_of_games_count_ties_as_half_wins_by_themselves(votes: Path) -> None:
    """`--ties half` changes nothing in Elo, and says so as for other models."""
    plain, halved = (run("rank", votes, "--model", "elo", *more) for more in ((), ("--ties", "half")))
    assert halved.status == 0, halved.err
    assert "counted as half a win" in halved.out
    assert plain.out.splitlines()[2:7] == halved.out.splitlines()[3:8]


def test_the_halves_of_a_tie_are_one_row(tmp_path: Path) -> None:
    """`--errors row --ties half`: errors are those of clusters that hold both halves; weights leave them apart."""
    rows = ["a,b,a", "a,b,b", "b,c,tie", "a,c,tie", "a,b,tie", "c,a,c"] * 5
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join(["left,right,winner", *rows]) + "\n")
    found = run("rank", votes, "--ties", "half", "--errors", "row", "--json")
    halved = penchant.read(votes)
    tie = np.arange(len(halved))[[winner.endswith("tie") for winner in rows]]
    source = np.sort(np.concatenate([np.arange(len(halved)), tie]))
    together = replace(halved.ties_as_half_wins(), source=source)
    expected = BradleyTerry(errors="source").fit(together).rank()
    items = json.loads(found.out)["items"]
    assert [row["item"] for row in items] == list(expected.items)
    assert expected.lower is not None
    assert [row["lower"] for row in items] == pytest.approx(expected.lower.tolist())
    assert "a page is a row of the file" in run("rank", votes, "--ties", "half", "--errors", "row").out
