"""What words of outcomes mean is decided for all partitions together, as for the rows in one file."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.formats import read_file, read_frame
from penchant.formats.parsing.source import NoRows
from penchant.preferences import PairCounts
from penchant.scale import fit
from penchant.scale.comparisons import _counted, count_partition
from penchant.scale.outcomes import Evidence, meaning, outcome_evidence
from penchant.scale.partitions import Partition
from penchant.worth import BradleyTerry

pytest.importorskip("dask")
NAMES = ["a", "b", "1", "left", "skip", "x", "y"]
WORDS = [*NAMES, "right", "tie", "2", " b", "A", "both_bad", "none of these"]
ROWS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(WORDS)), min_size=1, max_size=8
)
COLUMNS = st.sampled_from([("left", "right", "outcome"), ("model_a", "model_b", "winner")])


class AtOnce:
    """Stands in for a cluster: tasks run where they are given."""

    def compute(self, tasks):
        return [task.compute(scheduler="synchronous") for task in tasks]

    def total(self, found, add):
        first, *others = found
        for other in others:
            first = add(first, other)
        return first

    def wait(self, found):
        pass

    def result(self, found):
        return found

    results = result


def totals(counts):
    """Return the weights of each pair of names that was compared."""
    if counts is None:
        return {}
    pairs, weight = counts.arrays()
    names = counts.catalogue.ids
    found = {}
    for first, second, (won, lost, tied) in zip(*pairs, weight.T, strict=True):
        one, other = names[first], names[second]
        found[min(one, other), max(one, other)] = (won, lost, tied) if one < other else (lost, won, tied)
    return found


def in_parts(parts, options=None):
    partitions = [Partition(f"partition {number}", (each,)) for number, each in enumerate(parts)]
    return totals(_counted(partitions, AtOnce(), "auto", options or {})[0])


def in_one(read, whole, **options):
    try:
        return totals(PairCounts.of(read(whole, **options).preferences))
    except NoRows:
        return {}


@settings(deadline=None, max_examples=300)
@given(
    st.lists(ROWS, min_size=1, max_size=4), COLUMNS, st.sampled_from(["tables", "csv", "jsonl", "parquet"])
)
def test_partitions_count_as_one_file(tmp_path_factory, parts, columns, kind):
    """However rows that disagree are spread over partitions, they count as in one file, or are rejected as there."""
    tables = [pd.DataFrame(rows, columns=columns) for rows in parts]
    whole = pd.concat(tables, ignore_index=True)
    read = read_frame
    if kind != "tables":
        folder = tmp_path_factory.mktemp("parts")
        write = {
            "csv": lambda table, path: table.to_csv(path, index=False),
            "jsonl": lambda table, path: table.to_json(path, orient="records", lines=True),
            "parquet": lambda table, path: table.to_parquet(path),
        }[kind]
        paths = [folder / f"{number}.{kind}" for number in range(len(tables) + 1)]
        for table, path in zip([whole, *tables], paths, strict=True):
            write(table, path)
        read, whole, tables = read_file, paths[0], list(map(str, paths[1:]))
    if "skip" in {row[2] for rows in parts for row in rows} and any(
        "skip" in row[:2] for rows in parts for row in rows
    ):
        return  # an item that is called like a skipped row is looked for where it was counted
    try:
        expected = in_one(read, whole)
    except InvalidInput:
        with pytest.raises(InvalidInput):
            in_parts(tables)
        return
    assert in_parts(tables) == expected


def test_partitions_that_disagree_are_decided_together(client):
    """One partition alone takes "a" for a side, another for an item; rows of a third decide, on a real cluster."""
    dask = pytest.importorskip("dask")
    names = ["model_a", "model_b", "winner"]
    sides = pd.DataFrame([("x", "a", "a"), ("x", "y", "b"), ("x", "y", "a")], columns=names)
    items = pd.DataFrame([("x", "a", "a"), ("x", "y", "x")], columns=names)
    unclear = pd.DataFrame([("x", "a", "a")], columns=names)
    assert [count_partition("", (table,), "auto", {}).is_unclear for table in (sides, items)] == [True, True]
    both = [sides[:1], items, unclear]
    local = BradleyTerry(prior=0.5).fit(read_frame(pd.concat(both, ignore_index=True)).preferences)
    found = fit(BradleyTerry(prior=0.5), [dask.delayed(table) for table in both], client=client)
    assert found.items_ == local.items_
    assert found.scores_ == pytest.approx(local.scores_, abs=1e-7)
    assert found.scores_[found.items_.index("a")] > found.scores_[found.items_.index("x")]
    with pytest.raises(InvalidInput, match="'a' must mean one thing in all partitions"):
        fit(BradleyTerry(), [dask.delayed(table) for table in (sides, items)], client=client)


def test_a_meaning_that_is_given_is_taken(tmp_path):
    """With `outcome_is` no partition is asked."""
    table = pd.DataFrame([("x", "a", "a"), ("x", "y", "x")], columns=["model_a", "model_b", "winner"])
    path = tmp_path / "votes.csv"
    table.to_csv(path, index=False)
    for outcome_is in ("item", "side"):
        given_ = {"outcome_is": outcome_is}
        assert not count_partition("", (str(path),), "auto", given_).is_unclear
        assert in_parts([str(path)], given_) == in_one(read_file, path, **given_)


def test_partitions_without_outcomes_tell_nothing(tmp_path):
    """Tables of winners and losers, and pairs of numbers, have no words that could be unclear."""
    table = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "left"]})
    table.to_csv(tmp_path / "votes.csv", index=False)
    assert outcome_evidence("", (table,), {}) is None
    assert outcome_evidence("", (str(tmp_path / "votes.csv"),), {}) is None
    assert outcome_evidence("", ([("a", "b")],), {}) is None
    assert not count_partition("", (table,), "auto", {}).is_unclear


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([Evidence(sides=frozenset("a"), ids=frozenset("a"))], None),
        ([Evidence(differs=("left",))], "side"),
        ([Evidence(False, ("a",)), Evidence(sides=frozenset("b")), Evidence(ids=frozenset("b"))], "side"),
        ([Evidence(False, ("a",)), Evidence(sides=frozenset([" b"])), Evidence(ids=frozenset("b"))], "side"),
        ([Evidence(False, ("a",), only_item=True), Evidence(sides=frozenset("b"))], "item"),
    ],
)
def test_rules(evidence, expected):
    """A word that names an item nowhere says nothing; words that only sides, or only items, have decide."""
    assert meaning(evidence) == expected
