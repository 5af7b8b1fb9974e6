"""Every experiment under one name: each figure runs in seconds on stand-ins for its data and is judged as announced."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

import penchant.papers
from penchant.errors import InvalidInput
from penchant.papers.catalogue import MODULES, PAPERS, chosen, experiments, named
from penchant.papers.coactive.sets import WEB
from penchant.papers.results import Results
from penchant.papers.sources import BY_NAME
from tests.cli.typed import run

EVERY = experiments()


def of_each_kind() -> list[str]:
    """Return all experiments but those that differ from another in the size of a made-up web search alone.

    Without data, the sets of web search of one figure are drawn and played by the same functions and judged by the
    same rules: each figure takes another one of them.
    """
    alike: dict[tuple[object, ...], list[str]] = {}
    for experiment in EVERY:
        figure, on = experiment.id.partition("/")[0], experiment.on
        alike.setdefault((figure, experiment.claims, on in WEB or on), []).append(experiment.id)
    return [names[number % len(names)] for number, names in enumerate(alike.values())]


MARK = re.compile(r'<path [^>]*d="M(?!0,0h0)[^>]*(?:fill|stroke)="(?!none|transparent|#ddd)')
"""A shape in a colour, which neither the frame nor the axes of a chart are."""


def shows_marks(path: Path) -> bool:
    """Whether a picture holds a mark with a shape; one of pixels must have several colours."""
    if path.suffix == ".svg":
        return MARK.search(path.read_text(encoding="utf-8")) is not None
    chunks, at = b"", 8  # behind the signature: length, kind, content and checksum of each chunk
    content = path.read_bytes()
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        chunks += content[at + 8 : at + 8 + length] if content[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    return len(set(zlib.decompress(chunks))) > 8


@pytest.mark.parametrize("name", of_each_kind())
def test_an_experiment_runs_without_data(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is typed: pictures and verdicts come out, by the rules that were listed before, marked as made up."""
    monkeypatch.delenv("PENCHANT_DATA", raising=False)
    done = run("papers", "run", name, "--quick", "--jobs", 1, "--out", tmp_path)
    assert done.status == 0, done.err
    (experiment,) = chosen([name])
    kept = Results(tmp_path / "quick").get(experiment)
    assert kept is not None
    assert kept.claims
    assert all(claim.set_before for claim in kept.claims)
    assert kept.pictures
    for path in kept.pictures.values():
        assert shows_marks(path), f"{path} shows no mark"
    assert kept.made_up == bool(experiment.needs)
    assert ("stand-in" in kept.data) >= bool(experiment.needs), kept.data


def test_every_figure_and_every_set_is_run() -> None:
    """What is left out shares its figure with an experiment that runs, and its set with others."""
    run = [named(name) for name in of_each_kind()]
    assert {each.on for each in run} == {each.on for each in EVERY}
    assert {(each.play, each.shows) for each in run} == {(each.play, each.shows) for each in EVERY}
    left_out = {each.id for each in EVERY} - {each.id for each in run}
    assert {name.partition("/")[2] for name in left_out} <= set(WEB)


def test_every_figure_and_table_of_the_texts_is_there() -> None:
    """Figures 2 and 3 of paper 1, 1 to 18 of paper 2, 1 to 4 of paper 5, and what papers 3 and 4 show."""
    numbers = {
        paper: {
            int(number)
            for experiment in EVERY
            if experiment.paper == paper
            for number in re.findall(r"\d+", experiment.shows)
            if experiment.shows.startswith("Figure")
        }
        for paper in PAPERS
    }
    assert numbers[1] == {2, 3}
    assert numbers[2] == set(range(1, 19))
    assert numbers[5] == {1, 2, 3, 4}
    assert {experiment.id for experiment in EVERY if experiment.paper in (3, 4)} == {
        "3.kendall",
        "3.cohen",
        "3.objects",
        "3.kernels",
        "3.labels",
        "3.ratings",
        "3.boosting",
        "4.pictures",
        "4.table",
        "4.evidence",
        "4.sensitivity",
        "4.confidence",
        "4.scale",
        "4.generalisation",
        "4.control",
    }


def test_a_claim_is_the_same_wherever_it_is_tried() -> None:
    """Claims of one id share sentence, section, quotation and source, and belong to the paper of the experiment."""
    rows: dict[str, tuple[object, ...]] = {}
    for experiment in EVERY:
        for claim in experiment.claims:
            row = (claim.says, claim.section, claim.quote, claim.whose, claim.counted)
            assert rows.setdefault(claim.id, row) == row
            assert claim.paper == experiment.paper
        keys = [(claim.id, claim.setting) for claim in experiment.claims]
        assert len(keys) == len(set(keys)), experiment.id


def test_every_module_with_an_experiment_is_listed() -> None:
    """A new module with a decorated function appears among the modules of its text."""
    listed = {f"penchant.papers.{text}.{module}" for text, names in MODULES.items() for module in names}
    root = Path(penchant.papers.__file__).parent
    found = {
        f"penchant.papers.{path.parent.name}.{path.stem}"
        for path in root.glob("*/*.py")
        if "@experiment(" in path.read_text(encoding="utf-8")
    }
    assert found == listed


def test_an_id_names_one_experiment() -> None:
    """A figure without its set is an error that gives an id."""
    assert named("2.fig4/ml-1m").id == "2.fig4/ml-1m"
    with pytest.raises(
        InvalidInput, match=r"must be an id that penchant papers lists, got '2.fig4': .*1\.fig2/"
    ):
        named("2.fig4")


def test_names_are_different_and_data_are_known() -> None:
    """Each experiment has a name of its own, and its sets are listed by `penchant papers data`."""
    assert len({experiment.id for experiment in EVERY}) == len(EVERY)
    assert {name for experiment in EVERY for name in experiment.needs} == set(BY_NAME)


def test_words_choose_a_paper_a_figure_or_one_set() -> None:
    """In the order of the papers, each once; none means all."""
    assert [
        experiment.id for experiment in chosen(["2.fig4/ml-1m", "1.fig2/mslr-sample", "2.fig4/ml-1m"])
    ] == [
        "1.fig2/mslr-sample",
        "2.fig4/ml-1m",
    ]
    assert {experiment.id.partition("/")[0] for experiment in chosen(["2.fig4"])} == {"2.fig4"}
    assert {experiment.paper for experiment in chosen(["4"])} == {4}
    assert {experiment.id.partition("/")[0] for experiment in chosen(["2.fig10"])} == {
        "2.fig10-strict",
        "2.fig10-noisy",
    }
    assert chosen([]) == EVERY


@pytest.mark.parametrize("word", ["6", "2.fig", "2.fig4/", "fig4", ""])
def test_an_unknown_name_is_rejected(word: str) -> None:
    """With names that there are."""
    with pytest.raises(InvalidInput, match=r"must be one that penchant papers lists, got .*1\.fig2"):
        chosen([word])
