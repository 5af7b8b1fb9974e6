"""Where results are kept: what is written is read again, and only a whole run of the same kind counts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from penchant.errors import InvalidInput
from penchant.papers.result import Check, Claim, Estimate
from penchant.papers.results import FOUND, Results
from penchant.papers.validity import files_hash
from tests.papers.made_up import experiment, played


def test_what_is_put_is_got_again(tmp_path: Path) -> None:
    """Verdicts, rules, numbers and files; the data beside them."""
    results, one = Results(tmp_path / "new"), experiment()
    put = results.put(one, played(), data=None, wall=2.34)
    assert results.get(one) == put
    assert [claim.verdict for claim in put.claims] == ["holds", "holds in part", "does not hold here"]
    assert [(check.rule, check.found, check.passed) for check in put.claims[1].checks] == [
        ("size < 2", "1.00 ± 0.1", True),
        ("50 < age", "10", False),
    ]
    assert put.wall == 2.3
    assert put.numbers == {"size": Estimate(1.0, 0.1), "age": Estimate(10.0)}
    assert put.pictures["T·REG"].read_text(encoding="utf-8").startswith("<svg")
    assert pd.read_csv(results.place(one) / "data.csv")["regret"].tolist() == [0.5, 0.25]
    assert pd.read_csv(put.tables["accuracy"])["who"].tolist() == ["y", "<i>"]


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Data, pictures, tables and verdicts; only times may differ."""
    kept = [Results(tmp_path / name).put(experiment(), played(), data=None, wall=1) for name in "ab"]
    files = [sorted(path for path in (tmp_path / name).rglob("*.*") if path.is_file()) for name in "ab"]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    assert kept[0].numbers == kept[1].numbers


@pytest.mark.parametrize(
    "other",
    [
        {"size": "quick"},
        {"seed": 1},
        {"data": True},
    ],
)
def test_a_run_of_another_kind_does_not_count(tmp_path: Path, other: dict[str, object]) -> None:
    """Another size, another seed, real data where a stand-in was played."""
    results, one = Results(tmp_path), experiment()
    same: dict[str, object] = {"size": "default", "seed": 0, "data": None}
    assert not results.has(one, **same)  # type: ignore[arg-type]
    results.put(one, played(), data=None, wall=1)
    assert results.has(one, **same)  # type: ignore[arg-type]
    (tmp_path / "data" / "ml-1m").mkdir(parents=True)
    (tmp_path / "data" / "ml-1m" / "ratings.csv").write_text("user_id,movie_id,rating\n", encoding="utf-8")
    there = {key: tmp_path / "data" if value is True else value for key, value in other.items()}
    assert not results.has(one, **same | there)  # type: ignore[arg-type]


def test_a_run_of_other_code_or_data_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures belong to the code and the files that they came from; the same ones count."""
    folder = tmp_path / "data" / "ml-1m"
    folder.mkdir(parents=True)
    (folder / "ratings.csv").write_text("user_id,movie_id,rating\n", encoding="utf-8")
    results, one, data = Results(tmp_path), experiment(), tmp_path / "data"
    assert not results.put(one, played(), data=data, wall=1).made_up
    assert results.has(one, size="default", seed=0, data=data)
    (folder / "ratings.csv").write_text("user_id,movie_id,rating\n1,1,5\n", encoding="utf-8")
    files_hash.cache_clear()
    assert not results.has(one, size="default", seed=0, data=data)
    results.put(one, played(), data=data, wall=1)
    monkeypatch.setattr("penchant.papers.results.code_hash", lambda module: "changed")
    assert not results.has(one, size="default", seed=0, data=data)


def test_a_run_that_was_interrupted_does_not_count(tmp_path: Path) -> None:
    """What was found is written last; a new run puts the old one away first."""
    results, one = Results(tmp_path), experiment()
    results.put(one, played(), data=None, wall=1)
    (results.place(one) / FOUND).unlink()
    assert results.get(one) is None
    (results.place(one) / "left-over.svg").write_text("", encoding="utf-8")
    results.put(one, played(seed=1), data=None, wall=1)
    assert not (results.place(one) / "left-over.svg").exists()


def test_verdicts_follow_the_claims_of_today(tmp_path: Path) -> None:
    """A limit that changed is applied to the numbers of the run, and marked as set after it."""
    results, one = Results(tmp_path), experiment()
    results.put(one, played(), data=None, wall=1)
    object.__setattr__(
        one, "claims", (*one.claims[1:], Claim("2.small", "it is small", (Check("size", below=1),)))
    )
    kept = results.get(one)
    assert kept is not None
    assert [(claim.verdict, claim.set_before) for claim in kept.claims] == [
        ("holds in part", True),
        ("does not hold here", True),
        ("does not hold here", False),
    ]


def test_a_record_of_an_earlier_version_counts_as_not_run(tmp_path: Path) -> None:
    """It kept no numbers by which the claims of today can be judged."""
    results, one = Results(tmp_path), experiment()
    results.place(one).mkdir(parents=True)
    (results.place(one) / FOUND).write_text(
        '{"id": "2.fig0/ml-1m", "claims": [], "numbers": {"size": "1.00 ± 0.1"}}', encoding="utf-8"
    )
    assert results.get(one) is None


@pytest.mark.parametrize("text", ["", "[]", '{"id": "2.fig0"}', '{"rules": 3}'])
def test_a_file_that_is_no_result_is_rejected(tmp_path: Path, text: str) -> None:
    """With the file's name and what to do."""
    results, one = Results(tmp_path), experiment()
    results.put(one, played(), data=None, wall=1)
    (results.place(one) / FOUND).write_text(text, encoding="utf-8")
    with pytest.raises(
        InvalidInput, match=f"{FOUND} must be as penchant papers run wrote it.*run the experiment"
    ):
        results.get(one)
