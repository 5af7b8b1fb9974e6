"""The options that commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.cli.options import READING, made, names_typed, values_typed
from penchant.errors import InvalidInput
from penchant.registry import MODELS
from tests.cli.test_outputs import GAMES
from tests.cli.typed import run, written


def test_all_that_readers_take_can_be_typed() -> None:
    """Each option of each format is an option of the commands that read; rank alone takes further columns."""
    from penchant.formats import FORMATS

    taken = {option for format in FORMATS.values() for option in format.options}
    assert taken - {"covariates", "labels"} == set(READING)
    assert {"covariates", "labels"} <= taken
    help = run("rank", "--help").out
    assert all(option in help for option in ("--covariate", "--by", "--over"))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["rank"], "worth"),
        (["fit", "ranker"], "ranker"),
        (["fit", "utility"], "utility"),
        (["fit", "linked"], "linked"),
        (["learn"], "coactive"),
    ],
)
def test_the_help_of_a_command_lists_its_models(words: list[str], name: str) -> None:
    """With a line on each, and no model of another family."""
    text = "".join(run(*words, "--help").out.split())
    for model, entry in MODELS.items():
        line = f"{model}: {entry.summary}".replace(" ", "")
        assert (line in text) == (entry.family == name), model


def test_settings_are_json_where_they_can_be_and_text_otherwise() -> None:
    """So that numbers, lists and null are what they look like."""
    model = made(MODELS["ranksvm"], ["C=10", "loss=hinge", "max_iter=7"])
    assert (model.C, model.loss, model.max_iter) == (10, "hinge", 7)
    ordinal = made(MODELS["ordinal"], ['categories=["poor","good"]'])
    assert ordinal.categories == ["poor", "good"]


@pytest.mark.parametrize("words", ["C", "nope=1", "=1"])
def test_a_setting_that_the_model_does_not_have_is_rejected(words: str) -> None:
    """With the names of those it has."""
    with pytest.raises(InvalidInput, match=r"--set must be NAME=VALUE with one of C, .*tol"):
        made(MODELS["ranksvm"], [words])


@pytest.mark.parametrize(
    ("words", "models"),
    [
        (["rank", "FILE"], "bradley-terry, thurstone, plackett-luce, elo, glicko, glicko2, win-rate, crowd"),
        (["fit", "ranker", "FILE", "--save", "m"], "ranksvm, rankboost, pairwise, ordinal"),
        (["fit", "utility", "FILE", "--items", "FILE"], "preference-gp, monotone-gp"),
    ],
)
def test_a_model_of_another_family_is_rejected(words: list[str], models: str, tmp_path: Path) -> None:
    """With the models that the command has."""
    file = written(tmp_path / "g.csv", GAMES)
    done = run(*(file if word == "FILE" else word for word in words), "--model", "linked-gp")
    assert done.status == 2
    assert f"--model must be one of {models}, got 'linked-gp'" in done.err


def test_names_are_typed_with_commas() -> None:
    """Spaces around them and empty names do not count; nothing typed is no list."""
    assert names_typed(" range, price,,") == ["range", "price"]
    assert names_typed("") == []
    assert names_typed(None) is None
    assert values_typed(["a=[1]", "b=x=y"], ("a", "b")) == {"a": [1], "b": "x=y"}
