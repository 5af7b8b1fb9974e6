"""`penchant rank`: from a file to a ranking."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from penchant import Preferences
from penchant.examples import pleasures
from penchant.worth import BradleyTerry, Elo, PlackettLuce
from tests.cli.typed import run, written

GAMES = "winner,loser\n" + "ann,bob\nbob,cyd\nann,cyd\ncyd,ann\n" * 5


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return written(tmp_path / "games.csv", GAMES)


def rows_of(out: str) -> list[list[str]]:
    """The cells of the printed table."""
    return [line.split() for line in out.splitlines() if line.strip()[:1].isdigit()]


def test_it_says_what_it_read_and_ranks_it(games: Path) -> None:
    """First what was read, then the model and why, then a row an item, then what to type next."""
    done = run("rank", games)
    assert done.status == 0
    assert done.out.startswith("Preferences: 20 comparisons of 3 items, connected\nModel: BradleyTerry()")
    ranking = (
        BradleyTerry().fit(Preferences.from_pairs([line.split(",") for line in GAMES.split()[1:]])).rank()
    )
    assert [row[:3] for row in rows_of(done.out)] == [
        [str(rank), item, f"{score:z.2f}"]
        for rank, item, score in zip(ranking.ranks, ranking.items, ranking.scores, strict=True)
    ]
    assert done.last == f"Next: penchant rank {games} --plot ranking.png"
    assert done.err == ""


def test_rankings_get_the_model_of_rankings(tmp_path: Path) -> None:
    """Where rows are about more than two items, Plackett–Luce is fitted, and the reason is told."""
    file = written(tmp_path / "orders.soi", "# FILE NAME: orders.soi\n")
    preferences = Preferences.from_rankings([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]] * 4)
    from penchant.formats import write_file

    write_file(preferences, file)
    done = run("rank", file)
    assert done.status == 0, done.err
    assert "Model: PlackettLuce(), since rows are about more than two items" in done.out
    assert rows_of(done.out)[0][1] == PlackettLuce().fit(preferences).rank().items[0]


def test_both_bad_answers_are_still_comparisons(tmp_path: Path) -> None:
    """The bar makes no ranking of an answer about two items; where it is, is told below the table."""
    file = written(tmp_path / "a.csv", "left,right,outcome\na,b,left\nb,a,left\nb,c,both_bad\nc,a,right\n")
    done = run("rank", file)
    assert "Model: BradleyTerry()" in done.out
    assert [row[1] for row in rows_of(done.out)] == ["a", "b", "c"]
    assert "\nthe bar of both-bad answers is at " in done.out
    assert "Intervals assume that comparisons are independent of one another" in done.out


@pytest.mark.parametrize(
    "model", ["bradley-terry", "thurstone", "plackett-luce", "glicko", "win-rate", "crowd"]
)
def test_each_model_ranks(model: str, tmp_path: Path) -> None:
    """Each model that can be typed puts the better one first."""
    file = written(
        tmp_path / "g.csv", "winner,loser,judge\n" + "ann,bob,x\nann,bob,y\nbob,ann,x\nann,bob,z\n" * 3
    )
    done = run("rank", file, "--model", model)
    assert done.status == 0, done.err
    assert [row[1] for row in rows_of(done.out)] == ["ann", "bob"]


def test_the_same_numbers_as_in_python(tmp_path: Path) -> None:
    """The bundled answers, read from their file, give the ranking that Python gives."""
    from importlib.resources import files

    file = tmp_path / "pleasures.csv"
    file.write_bytes(files("penchant.examples").joinpath("pleasures.csv").read_bytes())
    found = json.loads(run("rank", file, "--level", "0.8", "--prior", "0.3", "--json").out)
    assert found == json.loads(BradleyTerry(prior=0.3).fit(pleasures()).rank(level=0.8).to_json())


def test_json_is_all_there_is(games: Path) -> None:
    """With --json the output is JSON and nothing else; what was refused goes to the error output."""
    games.write_text(GAMES + "dan,\n")
    done = run("rank", games, "--json")
    assert json.loads(done.out)["items"][0]["item"] == "ann"
    assert "Rejected: 1 of 21 rows" in done.err


def test_csv_is_safe_in_a_spreadsheet(tmp_path: Path) -> None:
    """The whole table, numbers in full, with names that a spreadsheet would execute made harmless."""
    file = written(tmp_path / "g.csv", 'winner,loser\n"=1+1","a,b"\n"a,b","=1+1"\n"=1+1",-5\n')
    done = run("rank", file, "--csv", "-")
    rows = list(csv.DictReader(done.out.splitlines()))
    assert [row["item"] for row in rows] == ["'=1+1", "a,b", "-5"]
    assert list(rows[0]) == [
        "rank", "item", "score", "lower", "upper", "rank_low", "rank_high", "group", "answers"
    ]  # fmt: skip
    out = tmp_path / "table.csv"
    also = run("rank", file, "--csv", out, "--top", "1")
    assert out.read_text() == done.out
    assert f"Table: {out}" in also.out


def test_rejected_rows_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    """Rows that cannot be used are told by line and reason, three of them, and checking is what comes next."""
    file = written(tmp_path / "g.csv", GAMES + "dan,\n,dan\ndan,dan\n,eve\n")
    done = run("rank", file)
    assert "Rejected: 4 of 24 rows\n  line 22: loser is empty\n  line 23: " in done.out
    assert "… and 1 more" in done.out
    assert "line 25" not in done.out
    assert done.last == f"Next: penchant check {file}"


def test_strict_stops(tmp_path: Path) -> None:
    """With --strict one row that cannot be used refuses the file."""
    done = run("rank", written(tmp_path / "g.csv", GAMES + "dan,\n"), "--strict")
    assert (done.status, done.out) == (2, "")
    assert ":22: loser is empty" in done.err


def test_warnings_are_lines(tmp_path: Path) -> None:
    """Groups that were never compared are told in one line on the error output, and checking comes next."""
    file = written(tmp_path / "g.csv", "winner,loser\na,b\nb,a\nx,y\ny,x\n")
    done = run("rank", file)
    assert done.status == 0
    (line,) = done.err.splitlines()
    assert line.startswith("Warning: ")
    assert "'a', 'b' | 'x', 'y'" in line
    assert done.last == f"Next: penchant check {file}"


def test_columns_can_be_named_and_are_kept_for_the_next_command(tmp_path: Path) -> None:
    """Names that nobody could guess are typed, and the next command repeats them."""
    file = written(tmp_path / "odd name.csv", "good,bad\nann,bob\nann,bob\nbob,ann\n")
    done = run("rank", file, "--better", "good", "--worse", "bad", "--format", "pairs")
    assert [row[1] for row in rows_of(done.out)] == ["ann", "bob"]
    assert f"rank '{file}' --format pairs --better good --worse bad --plot ranking.png" in done.last


def test_the_table_shows_as_many_rows_as_asked_for(games: Path) -> None:
    """--top cuts the table, and says how to see the rest."""
    done = run("rank", games, "--top", "2")
    assert len(rows_of(done.out)) == 2
    assert "… and 1 more: --top 3 shows them, --csv keeps them" in done.out


def test_pictures_are_drawn(games: Path, tmp_path: Path) -> None:
    """--plot draws the ranking and --matrix who beats whom; both are told."""
    ranking, matrix = tmp_path / "r.svg", tmp_path / "m.png"
    done = run("rank", games, "--plot", ranking, "--matrix", matrix)
    assert done.status == 0, done.err
    assert "<svg" in ranking.read_text()
    assert matrix.read_bytes().startswith(b"\x89PNG")
    assert f"Picture: {ranking}\nPicture: {matrix}\n" in done.out


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--plot", "x.pdf"], "--plot must end in .png, .svg, .html, got 'x.pdf'"),
        (["--plot", "no/such/x.png"], "no/such must be a folder"),
        (["--csv", "games.csv"], "games.csv must be a file of its own"),
        (["--plot", "x.png", "--matrix", "./x.png"], "x.png must be a file of its own"),
        (["--json", "--csv", "-"], "--json and --csv - must not both be printed"),
        (["--level", "2"], "--level must be a number between 0 and 1, got 2"),
        (["--prior", "-1"], "--prior must be a number of at least 0, got -1"),
        (["--model", "glicko", "--prior", "1"], "--prior must not be given for glicko"),
        (["--format", "nope"], "--format must be one of pairs"),
        (["--better", "nope", "--worse", "loser"], "--better must name a column, got 'nope'"),
    ],
)
def test_it_rejects_in_one_line(
    typed: list[str], words: str, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be done is rejected before anything is printed or overwritten."""
    monkeypatch.chdir(games.parent)
    done = run("rank", "games.csv", *typed)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert games.read_text() == GAMES


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    """Names that look like markup stay whole; what a terminal would obey is made visible."""
    file = written(
        tmp_path / "g.csv", 'winner,loser\n[red]x[/red],:smile:\n"\x1b[2Jcleared","[red]x[/red]"\n'
    )
    out = run("rank", file, "--model", "win-rate").out
    assert "[red]x[/red]" in out
    assert ":smile:" in out
    assert "\\x1b[2Jcleared" in out
    assert "\x1b" not in out


def test_long_names_are_not_cut_where_there_is_no_terminal(tmp_path: Path) -> None:
    """Piped into a file, a row is a line however long the name is."""
    name = "a very long name " * 20 + "x"
    out = run("rank", written(tmp_path / "g.csv", f"winner,loser\n{name},b\n"), "--model", "win-rate").out
    assert any(name in line for line in out.splitlines())


def test_a_prior_can_be_learned_by_name(tmp_path: Path) -> None:
    """`--prior learned` is what the model does by itself; models that learn none reject it."""
    file = written(tmp_path / "games.csv", GAMES)
    usual = run("rank", file, "--model", "thurstone", "--json")
    assert run("rank", file, "--model", "thurstone", "--prior", "learned", "--json").out == usual.out
    assert run("rank", file, "--model", "thurstone", "--prior", "5", "--json").out != usual.out
    done = run("rank", file, "--model", "plackett-luce", "--prior", "learned")
    assert done.err.startswith("penchant: --prior must be a number of at least 0, got 'learned'")


def test_ratings_take_their_settings(tmp_path: Path) -> None:
    """--model elo and glicko2 are the models of these names, --set their settings."""
    file = written(tmp_path / "g.csv", "winner,loser,period\nann,bob,1\nbob,cyd,1\ncyd,ann,2\n")
    done = run("rank", file, "--model", "elo", "--set", "k=16", "--set", 'start={"ann": 1600}', "--json")
    model = Elo(k=16, start={"ann": 1600}).fit(
        Preferences.from_pairs([("ann", "bob"), ("bob", "cyd"), ("cyd", "ann")], period=[1, 1, 2])
    )
    assert [row["score"] for row in json.loads(done.out)["items"]] == pytest.approx(
        model.rank().scores.tolist()
    )
    assert "Model: Glicko2(tau=0.3)" in run("rank", file, "--model", "glicko2", "--set", "tau=0.3").out


def test_errors_and_the_bootstrap_go_by_judges(tmp_path: Path) -> None:
    """--errors judge clusters the errors of Bradley–Terry, and draws judges where --bootstrap is given."""
    rows = "".join(f"{'a,b' if judge < 7 else 'b,a'},j{judge}\n" * 5 for judge in range(10))
    file = written(tmp_path / "j.csv", f"winner,loser,judge\n{rows}")
    assert "clustered by judge" in run("rank", file, "--errors", "judge").out
    drawn = run("rank", file, "--model", "win-rate", "--errors", "judge", "--bootstrap", "20")
    assert "bootstrap of 20 draws by judge" in drawn.out
    assert "Errors:" not in drawn.out
    assert (
        "--errors must not be given for elo alone"
        in run("rank", file, "--model", "elo", "--errors", "row").err
    )
    assert (
        "be row or judge with --bootstrap" in run("rank", file, "--errors", "page", "--bootstrap", "20").err
    )


def test_ties_are_read_as_asked(tmp_path: Path) -> None:
    """plackett-luce takes the option, and other models have none."""
    votes = written(tmp_path / "votes.jsonl", '{"order": ["a", ["b", "c"]]}\n{"order": ["b", "a", "c"]}\n')
    assert "PlackettLuce(ties='davidson-luce')" in run("rank", votes, "--ties", "davidson-luce").out
    done = run("rank", votes, "--ties", "davidson-luce", "--model", "win-rate")
    assert done.err.startswith("penchant: --ties must not be given for win-rate, got davidson-luce")
