"""Where the claims of papers 1 and 2 stand: a few words of the texts."""

from __future__ import annotations

import pytest

from penchant.papers.catalogue import experiments
from penchant.papers.quotations import CHANGED, QUOTATIONS
from tests.conftest import TEXTS


def test_the_claims_of_the_catalogue_carry_their_quotations() -> None:
    """Those that say themselves where they stand keep that."""
    claims = {claim.id: claim for experiment in experiments() for claim in experiment.claims}
    assert (claims["2.tight"].section, claims["2.tight"].quote) == QUOTATIONS["2.tight"]
    assert claims["2.zero"].changed == CHANGED["2.zero"]
    assert set(CHANGED) <= set(QUOTATIONS)
    assert claims["3.cycles"].quote == "These predictions can be contradictory"


@pytest.mark.needs("papers")
@pytest.mark.parametrize("id", QUOTATIONS)
def test_every_quotation_stands_in_its_text(id: str) -> None:
    """Up to white space."""
    (path,) = TEXTS.glob(f"{id[0]}*.txt")
    assert QUOTATIONS[id][1] in " ".join(path.read_text(encoding="utf-8").split())
