"""The data sets of papers 1 and 2: real ones from a folder, otherwise stand-ins that are named as such."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.coactive.sets import SETS, made_up_ratings, scene
from penchant.papers.result import Size
from penchant.papers.run import Run
from penchant.simulate import Movies, WebSearch


@pytest.mark.parametrize("name", SETS)
def test_without_data_a_stand_in_is_made_up_and_says_so(name: str) -> None:
    """Its shape is that of the set; the same seed gives the same, another seed another."""
    one, again, other = (scene(name, Run(size="quick", seed=seed)) for seed in (0, 0, 1))
    assert "made-up" in one.description
    assert isinstance(one.setting, Movies if name == "ml-1m" else WebSearch)
    np.testing.assert_array_equal(one.setting.features, again.setting.features)
    assert not np.array_equal(one.setting.features[:10], other.setting.features[:10])


def test_R_and_S_bound_the_joint_features() -> None:  # noqa: N802
    """No drawn ranking has a longer φ, or a larger entry; the ranking by length comes near R."""
    on = scene("synthetic-web", Run(size="quick"))
    random = np.random.default_rng(0)
    longest = 0.0
    for query in range(60):
        documents = on.setting.documents(query)
        lengths = np.linalg.norm(documents.features, axis=1)
        for order in (random.permutation(len(lengths)), np.argsort(-lengths)):
            joint = on.feature_map.joint(documents.features, order)
            assert np.linalg.norm(joint) <= on.R
            assert np.abs(joint).max() <= on.S
            longest = max(longest, float(np.linalg.norm(joint)))
    assert longest > 0.8 * on.R


def test_of_movies_each_run_has_a_norm_of_its_own() -> None:
    """‖w*‖ of the users who play; of web search one for all runs."""
    movies, web = scene("ml-1m", Run(size="quick")), scene("synthetic-web", Run(size="quick"))
    np.testing.assert_allclose(movies.norms, np.linalg.norm(movies.setting.weights, axis=1)[: movies.runs])
    assert len(web.norms) == web.runs
    np.testing.assert_allclose(web.norms, np.linalg.norm(web.setting.weights), rtol=1e-12)
    assert pytest.approx(np.linalg.norm(movies.setting.features, axis=1).max()) == movies.R


def test_made_up_ratings_are_as_movielens() -> None:
    """Whole numbers from 1 to 5, at least twenty a user, popular movies rated most."""
    given = made_up_ratings(100, 300, 60, seed=0)
    assert set(given.rating.tolist()) == {1.0, 2.0, 3.0, 4.0, 5.0}
    assert np.bincount(given.user).min() >= 20
    assert 45 < len(given) / 100 < 75
    assert (given.item < given.n_items // 10).mean() > 0.2


def test_capping_leaves_other_sizes_alone() -> None:
    """Runs and rounds of the named size are cut, never raised."""
    on = scene("synthetic-web", Run(size="quick"))
    cut = on.capped(quick=(2, 10_000))
    assert (cut.runs, cut.rounds) == (2, on.rounds)
    assert on.capped(full=(1, 1)) is on
    short = on.capped(quick=(2, 50))
    assert short.description.endswith("40 features; 50 of them once")
    assert short.length == "2 runs of 50 rounds, cut since they take long"
    assert on.length == "5 runs of 600 rounds"


def test_a_folder_of_archives_and_one_unpacked_are_read_alike(tmp_path: Path) -> None:
    """NAME/NAME.tar.xz or the files in NAME/; few queries are cycled, and it says so."""
    packed, unpacked = tmp_path / "packed", tmp_path / "unpacked"
    name = "mslr-sample"
    (unpacked / name).mkdir(parents=True)
    lines = [f"{row % 3} qid:{row // 9} 1:{row % 7} 2:{row % 4}\n" for row in range(270)]
    (unpacked / name / "train.txt").write_text("".join(lines))
    (packed / name).mkdir(parents=True)
    with tarfile.open(packed / name / f"{name}.tar.xz", "w:xz") as archive:
        archive.add(unpacked / name, name)
    one, other = (scene(name, Run(size="quick", data=folder)) for folder in (packed, unpacked))
    assert one.description == "mslr-sample: 30 queries of 9 documents, 2 features; each 9 times over"
    np.testing.assert_array_equal(one.setting.features, other.setting.features)


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        (
            "yahoo",
            "quick",
            "name must be one of letor4-mq2008, .*, ml-1m, ml-1m-d5, ml-1m-d20, ml-1m-d50, got 'yahoo'",
        ),
        ("ml-1m", "huge", "size must be one of quick, default, full, got 'huge'"),
    ],
)
def test_unknown_names_and_sizes_are_rejected(name: str, size: Size, message: str) -> None:
    """With those that exist."""
    with pytest.raises(InvalidInput, match=message):
        scene(name, Run(size=size))


def test_an_empty_folder_of_data_is_rejected(tmp_path: Path) -> None:
    """Rather than played on something else."""
    with pytest.raises(InvalidInput, match="must be a folder that holds ml-1m/"):
        scene("ml-1m", Run(size="quick", data=tmp_path))


def test_unknown_feedback_is_rejected() -> None:
    """Strict or noisy."""
    with pytest.raises(InvalidInput, match="feedback must be 'strict' or 'noisy', got 'loud'"):
        scene("synthetic-web", Run(size="quick")).user("loud")
