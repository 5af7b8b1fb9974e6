"""The table of claims: each once, with all fields, and quotations that stand in the texts."""

from __future__ import annotations

import pytest

from penchant.papers.catalogue import PAPERS, experiments
from penchant.papers.claims import WHOSE, DistinctClaim, distinct_claims
from tests.conftest import TEXTS
from tests.papers.made_up import experiment

ROWS = distinct_claims(experiments())
WRITTEN = [row for row in ROWS if row.claim.quote]
MOST_WORDS = 12


def test_a_claim_that_two_experiments_try_is_one_row() -> None:
    """With both trials, their data and their quantities."""
    rows = distinct_claims([experiment(), experiment("2.fig99", needs=())])
    assert [row.claim.id for row in rows] == ["2.small", "2.both", "2.old"]
    both = rows[1]
    assert [trial.label for trial in both.trials] == ["2.fig0/ml-1m", "2.fig99"]
    assert both.data == ("ml-1m", "drawn")
    assert both.quantities == ("size", "age")
    assert both.settings == ()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.claim.id)
def test_every_claim_has_all_fields(row: DistinctClaim) -> None:
    """Id, text, whose it is, quantities with limits, data; and section and quotation."""
    claim = row.claim
    assert claim.paper in PAPERS
    assert claim.says
    assert claim.whose in WHOSE
    assert row.quantities
    assert all(trial.rules for trial in row.trials)
    assert all(row.data)
    assert claim.section, f"{claim.id}: add its section and quotation to penchant.papers.quotations"
    assert claim.quote


@pytest.mark.needs("papers")
@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: row.claim.id)
def test_every_quotation_stands_in_its_text(row: DistinctClaim) -> None:
    """Up to white space; a few words, not the sentence."""
    (path,) = TEXTS.glob(f"{row.claim.paper}*.txt")
    text = " ".join(path.read_text(encoding="utf-8").split())
    assert row.claim.quote in text
    assert len(row.claim.quote.split()) <= MOST_WORDS
