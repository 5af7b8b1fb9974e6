"""Real files, from the file to the ranking in one command."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.cli.typed import run
from tests.conftest import DATA


def unpacked(name: str, file: str, folder: Path) -> Path:
    with tarfile.open(DATA / name / f"{name}.tar.xz") as archive:
        archive.extract(f"{name}/{file}", folder, filter="data")
    return folder / name / file


@pytest.mark.slow("unpacks and ranks up to 194,996 matches")
@pytest.mark.needs("data:pairwise-tennis")
@pytest.mark.needs("data:pairwise-football")
@pytest.mark.needs("data:pairwise-llmfao")
@pytest.mark.needs("data:preflib")
@pytest.mark.needs("data:sushi")
@pytest.mark.parametrize(
    ("name", "file", "n_items", "first", "model"),
    [
        ("pairwise-tennis", "atp_matches_1968_2024.csv", 7572, "Novak Djokovic", "BradleyTerry()"),
        ("pairwise-football", "results.csv", 337, "Brazil", "BradleyTerry()"),
        ("pairwise-llmfao", "crowd-comparisons.csv", 59, "GPT 4", "BradleyTerry()"),
        ("preflib", "00002-debian/00002-00000001.soi", 4, "Bdale Garbee", "PlackettLuce()"),
        ("sushi", "sushi3a.5000.10.order", 10, "7", "PlackettLuce()"),
    ],
)
def test_it_is_ranked_as_it_comes(
    name: str, file: str, n_items: int, first: str, model: str, tmp_path: Path
) -> None:
    """No option is needed: the format, the columns and the model are found, and all items are ranked."""
    done = run("rank", unpacked(name, file, tmp_path), "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (len(found["items"]), found["items"][0]["item"], found["model"]) == (n_items, first, model)


@pytest.mark.needs("data:pairwise-llmfao")
def test_votes_of_people_lean_to_the_left(tmp_path: Path) -> None:
    """The effect of the side is one parameter with an error by judge; the adjusted ranking keeps its first."""
    file = unpacked("pairwise-llmfao", "crowd-comparisons.csv", tmp_path)
    found = json.loads(run("rank", file, "--side", "--errors", "judge", "--scale", "elo", "--json").out)
    (side,) = found["effects"]
    assert side["estimate"] == pytest.approx(0.158, abs=0.01)
    assert side["error"] == pytest.approx(0.058, abs=0.01)
    assert found["items"][0]["item"] == "GPT 4"


@pytest.mark.slow("fits 49,520 matches")
@pytest.mark.needs("data:pairwise-football")
def test_playing_at_home_helps_less_on_neutral_ground(tmp_path: Path) -> None:
    """A column of true and false is a covariate beside the side."""
    file = unpacked("pairwise-football", "results.csv", tmp_path)
    effects = json.loads(run("rank", file, "--side", "--covariate", "neutral", "--json").out)["effects"]
    estimates = {effect["effect"]: effect["estimate"] for effect in effects}
    assert estimates["side"] == pytest.approx(0.80, abs=0.03)
    assert estimates["neutral"] == pytest.approx(-0.58, abs=0.05)
