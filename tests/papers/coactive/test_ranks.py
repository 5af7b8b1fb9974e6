"""Movies with features of several ranks."""

from __future__ import annotations

import pytest

from penchant.papers.coactive import ranks as module
from penchant.papers.run import Run


def test_verdicts_that_differ_by_rank_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one figure: a verdict at each of three ranks, and numbers under the names that the claims refer to."""
    monkeypatch.setattr(module, "PARTS", [part for part in module.PARTS if part.shows == "Figure 4"])
    result = module.ranks(Run(size="quick"))
    table = result.tables["verdicts by rank"]
    differs = table[["d = 5", "d = 20", "d = 50"]].nunique(axis=1) > 1
    assert (differs == table["depends on the rank"]).all()
    own = [claim for claim in module.CLAIMS if claim.setting.startswith("Figure 4")]
    assert {check.quantity for claim in own for check in claim.checks} <= set(result.numbers)


def test_every_claim_on_movies_is_tried_at_each_rank() -> None:
    """More than ten figures; ids and settings together are never the same."""
    assert len(module.PARTS) > 10
    keys = {(claim.id, claim.setting) for claim in module.CLAIMS}
    assert len(keys) == len(module.CLAIMS)
    assert ("2.svm-strict-movies", "Figure 7, strict, C/n, d = 50") in keys
