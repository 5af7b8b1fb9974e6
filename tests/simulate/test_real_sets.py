"""The papers' settings on real sets: what must come out, with seeds and stated bands."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from penchant.coactive import ItemMap, Learner, PreferencePerceptron, RankingMap
from penchant.simulate import (
    BetterItem,
    Movies,
    NoisyRanking,
    StrictItem,
    StrictRanking,
    User,
    WebSearch,
    play,
)
from tests.conftest import DATA


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(DATA / name / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / name


@pytest.fixture(scope="module")
def mq2008(tmp_path_factory: pytest.TempPathFactory) -> WebSearch:
    folder = unpacked("letor4-mq2008", tmp_path_factory.mktemp("letor"))
    return WebSearch.read(sorted(folder.glob("S*.txt")))


@pytest.fixture(scope="module")
def ml_100k(tmp_path_factory: pytest.TempPathFactory) -> Movies:
    return Movies.read(
        unpacked("ml-100k", tmp_path_factory.mktemp("ml")) / "u.data", dimension=10, ridge=10.0
    )


def regrets(learner: Learner, user: User, setting: WebSearch | Movies, *at: int) -> list[float]:
    """The mean average regret over twenty orders, or 200 users, after so many rounds."""
    record = play(learner, user, setting, runs=20 if isinstance(setting, WebSearch) else 200)
    return record.frame(at=at).groupby("t")["regret"].mean().tolist()


@pytest.mark.needs("data:letor4-mq2008")
def test_web_search_on_mq2008(mq2008: WebSearch) -> None:
    """Strict regret goes towards 0, for α = 0.1 by far less than ten times slower; labels leave a plateau."""
    assert (mq2008.n_queries, mq2008.n_features, len(mq2008.grades)) == (784, 46, 15_211)
    learner = PreferencePerceptron(RankingMap(), 46)
    weak, strong, noisy, deep = (
        regrets(learner, user, mq2008, 1, 100, 784)
        for user in (StrictRanking(0.1), StrictRanking(1.0), NoisyRanking(10), NoisyRanking(25))
    )
    assert strong[2] < weak[2] < 2 * strong[2]
    assert weak[2] < 0.1 * weak[0]
    assert noisy[2] > 0.3 * noisy[0] > 4 * strong[2]
    assert deep[2] > noisy[2]


@pytest.mark.needs("data:ml-100k")
def test_movies_on_ml_100k(ml_100k: Movies) -> None:
    """943 users in halves; strict regret falls below a fifth of the first round's, ratings leave more."""
    assert ml_100k.n_users == 472
    assert ml_100k.n_items < 1682
    learner = PreferencePerceptron(ItemMap(), 11)
    weak, strong, noisy = (
        regrets(learner, user, ml_100k, 1, 10, 500)
        for user in (StrictItem(0.1), StrictItem(1.0), BetterItem())
    )
    assert strong[2] < weak[2] < 10 * strong[2]
    assert strong[2] < 0.2 * strong[0]
    assert noisy[2] > 2 * strong[2]
