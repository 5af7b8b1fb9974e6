"""Real sets, end to end: every file is read, with the counts that are known of it."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

from penchant.formats import read_file
from tests.conftest import DATA


def unpacked(name: str, folder: Path, ending: str = "") -> Path:
    with tarfile.open(DATA / name / f"{name}.tar.xz") as archive:
        wanted = [member for member in archive if member.name.endswith(ending)]
        archive.extractall(folder, wanted, filter="data")
    return folder / name


@pytest.mark.slow("unpacks and reads 194,996 matches")
@pytest.mark.needs("data:pairwise-tennis")
def test_tennis(tmp_path: Path) -> None:
    """194,996 matches; the three of an unknown player against an unknown one are rejected."""
    path = unpacked("pairwise-tennis", tmp_path) / "atp_matches_1968_2024.csv"
    reading = read_file(path)
    assert (reading.n_rows, len(reading.preferences)) == (194_996, 194_993)
    assert {refusal.reason for refusal in reading.refusals} == {"'U Unknown' is compared with itself"}
    by_id = read_file(path, better="winner_id", worse="loser_id", period="tourney_date")
    assert by_id.preferences.shape == (194_993, 7_556)
    assert by_id.preferences.period is not None
    assert by_id.preferences.period[0] == 19_680_708


@pytest.mark.needs("data:pairwise-football")
def test_football(tmp_path: Path) -> None:
    """49,520 matches decided by their scores, and the shootouts by the name of the winner."""
    folder = unpacked("pairwise-football", tmp_path)
    reading = read_file(folder / "results.csv", strict=True, period="date")
    assert len(reading.preferences) == 49_520
    assert reading.preferences.n_ties == 11_258
    shootouts = read_file(folder / "shootouts.csv", strict=True).preferences
    assert (len(shootouts), shootouts.n_ties) == (683, 0)


@pytest.mark.needs("data:pairwise-llmfao")
def test_llmfao(tmp_path: Path) -> None:
    """8,931 votes of 124 people about 59 models, with the known shares of left, right and tie."""
    preferences = read_file(
        unpacked("pairwise-llmfao", tmp_path) / "crowd-comparisons.csv", strict=True
    ).preferences
    assert preferences.shape == (8_931, 59)
    assert len(preferences.judges) == 124
    assert preferences.n_ties == 3_471
    assert preferences.better_on_left is not None
    decided = preferences.statements.levels[1::2] == 1
    assert int(preferences.better_on_left[decided].sum()) == 2_911


@pytest.mark.slow("reads up to a thousand files")
@pytest.mark.needs("data:preflib")
@pytest.mark.parametrize(("kind", "number"), [("soc", 1_016), ("soi", 822), ("toc", 88), ("toi", 14)])
def test_preflib(kind: str, number: int, tmp_path: Path) -> None:
    """All 1,940 profiles are read without refusal, with the voters and orders that their metadata count."""
    profiles = sorted(unpacked("preflib", tmp_path, f".{kind}").rglob(f"*.{kind}"))
    assert len(profiles) == number
    for path in profiles:
        reading = read_file(path, strict=True)
        text = path.read_text(encoding="utf-8")
        told = {
            key: int(number) for key, number in re.findall(r"^# NUMBER ([A-Z ]+): (\d+)", text, re.MULTILINE)
        }
        preferences = reading.preferences
        voters = len(preferences) if preferences.weight is None else preferences.weight.sum()
        assert reading.n_rows == told["UNIQUE ORDERS"]
        assert (preferences.n_items, voters) == (told["ALTERNATIVES"], told["VOTERS"])
        assert reading.doubts == ()


@pytest.mark.needs("data:preflib")
def test_preflib_categories(tmp_path: Path) -> None:
    """The six files of categories are read without refusal, with the voters that their metadata count."""
    profiles = sorted(unpacked("preflib", tmp_path, ".cat").rglob("*.cat"))
    assert len(profiles) == 6
    for path in profiles:
        reading = read_file(path, strict=True)
        assert reading.doubts == ()
        assert reading.preferences.n_ties == 0


@pytest.mark.needs("data:sushi")
def test_sushi(tmp_path: Path) -> None:
    """5,000 orders of 10 items, and 5,000 orders of 10 out of 100."""
    folder = unpacked("sushi", tmp_path)
    for name, n_items in (("sushi3a", 10), ("sushi3b", 100)):
        preferences = read_file(folder / f"{name}.5000.10.order", strict=True).preferences
        assert preferences.shape == (5_000, n_items)
        assert preferences.n_pairs == 5_000 * 45


@pytest.mark.needs("data:letor4-mq2008")
def test_letor(tmp_path: Path) -> None:
    """15,211 documents of 784 queries with 46 features, and the known number of each grade."""
    rows = queries = 0
    grades = {0: 0, 1: 0, 2: 0}
    for path in sorted(unpacked("letor4-mq2008", tmp_path).glob("S*.txt")):
        reading = read_file(path, strict=True)
        assert reading.features is not None
        assert reading.grades is not None
        assert reading.features.shape == (reading.n_rows, 46)
        rows, queries = rows + reading.n_rows, queries + len(reading.preferences)
        for grade in grades:
            grades[grade] += int((reading.grades == grade).sum())
    assert (rows, queries) == (15_211, 784)
    assert grades == {0: 12_279, 1: 2_001, 2: 931}


@pytest.mark.needs("data:ml-100k")
def test_movielens(tmp_path: Path) -> None:
    """100,000 ratings of 943 users and 1,682 movies, by number and by title."""
    path = unpacked("ml-100k", tmp_path) / "u.data"
    assert read_file(path, strict=True).preferences.shape == (943, 1_682)
    titled = read_file(path, strict=True, titles=True).preferences
    assert titled.shape == (943, 1_682)
    assert "Toy Story (1995)" in titled.items
