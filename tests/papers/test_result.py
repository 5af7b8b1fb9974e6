"""What an experiment gives back: estimates, checks, claims and their verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.result import Check, Claim, Estimate


def test_an_estimate_is_a_mean_with_its_standard_error() -> None:
    """Over runs; one run alone has no error, and says none."""
    values = np.array([1.0, 2.0, 4.0])
    found = Estimate.of(values)
    assert found.value == pytest.approx(7 / 3)
    assert found.error == pytest.approx(values.std(ddof=1) / np.sqrt(3))
    assert repr(Estimate.of(np.array([2.0]))) == "2"


def test_the_error_of_a_ratio_counts_only_what_does_not_go_together() -> None:
    """Proportional runs have none; independent ones that of the usual expansion, seen in 4,000 repetitions."""
    random = np.random.default_rng(0)
    others = random.random(50)
    assert Estimate.ratio(3 * others, others).error == pytest.approx(0, abs=1e-12)
    pairs = random.normal((2.0, 4.0), 0.2, (4000, 30, 2))
    seen = (pairs[..., 0].mean(axis=1) / pairs[..., 1].mean(axis=1)).std()
    assert Estimate.ratio(pairs[0, :, 0], pairs[0, :, 1]).error == pytest.approx(seen, rel=0.3)


def test_a_claim_is_judged_by_its_checks() -> None:
    """All pass: it holds; some: in part; none: it does not; limits are not part of what they enclose."""
    claim = Claim("so it is", (Check("a", above=1), Check("b", above=0, below=2)))
    verdicts = [
        claim.verdict({"a": Estimate(a), "b": Estimate(b)}) for a, b in ((1.5, 1.0), (1.5, 2.0), (1.0, 3.0))
    ]
    assert verdicts == ["holds", "holds in part", "does not hold here"]


def test_a_check_of_what_is_not_a_number_fails() -> None:
    """NaN lies between no limits."""
    assert not Check("a").passes({"a": Estimate(float("nan"))})
