"""What an experiment gives back: estimates, checks, claims and their verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.result import BySize, Check, Claim, Estimate, claim


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
    judged = Claim("1.so", "so it is", (Check("a", above=1), Check("b", above=0, below=2)))
    verdicts = [
        judged.verdict({"a": Estimate(a), "b": Estimate(b)}) for a, b in ((1.5, 1.0), (1.5, 2.0), (1.0, 3.0))
    ]
    assert verdicts == ["holds", "holds in part", "does not hold here"]


def test_a_check_of_what_is_not_a_number_fails() -> None:
    """NaN lies between no limits."""
    assert not Check("a").passes({"a": Estimate(float("nan"))})


def test_numbers_show_as_many_digits_as_their_error_allows() -> None:
    """Two of the error, so that numbers near a limit differ from it; four without one."""
    assert repr(Estimate(85.5312, 0.116)) == "85.53 ± 0.12"
    assert repr(Estimate(1234.5, 67.0)) == "1234 ± 67"
    assert repr(Estimate(0.123456)) == "0.1235"
    assert repr(Estimate(2.0, 0.0)) == "2 ± 0"


def test_limits_that_leave_room_for_rounding_say_so() -> None:
    """As ≤ or =, and others as <."""
    assert repr(Check("x", below=1 + 1e-7)) == "x ≤ 1"
    assert repr(Check("x", above=100 - 1e-9)) == "100 ≤ x"
    assert repr(Check("x", above=1 - 1e-9, below=1 + 1e-9)) == "x = 1"
    assert repr(Check("x", above=-1e-9, below=1e-9)) == "x = 0"
    assert repr(Check("x", above=-1e-9)) == "0 ≤ x"
    assert repr(Check("x", below=98.43 + 0.4)) == "x < 98.83"
    assert repr(Check("x", below=0.75 * 10**0.5)) == "x < 2.372"
    assert repr(Check("p", below=1e-4)) == "p < 0.0001"


def test_a_number_within_two_errors_of_a_limit_is_close() -> None:
    """On either side of either limit; a number without an error is not."""
    check = Check("x", above=1, below=2)
    assert check.is_close({"x": Estimate(1.01, 0.01)})
    assert check.is_close({"x": Estimate(2.1, 0.1)})
    assert not check.is_close({"x": Estimate(1.5, 0.1)})
    assert not check.is_close({"x": Estimate(1.0)})


def test_another_size_is_rejected() -> None:
    """With the sizes there are."""
    with pytest.raises(InvalidInput, match="size must be one of quick, default, full, got 'huge'"):
        BySize(quick=1, default=2, full=3)["huge"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ("k = 10 / k = 1 > 1", Check("k = 10 / k = 1", above=1)),
        ("f(x, x') less 1, largest < 1e-09", Check("f(x, x') less 1, largest", below=1e-9)),
        ("-0.51 < 5 % growth < -0.49", Check("5 % growth", above=-0.51, below=-0.49)),
        (f"sum > {1 - 1e-9}", Check("sum", above=1 - 1e-9)),
    ],
)
def test_a_rule_is_read_as_limits_on_a_number(rule: str, check: Check) -> None:
    """To the last bit of a limit; what stands between the limits is the name."""
    assert Check.of(rule) == check
    assert claim("1.so", "so it is", rule, whose="ours") == Claim("1.so", "so it is", (check,), "ours")


@pytest.mark.parametrize("rule", ["regret", "regret < much", "1 < regret > 2", "< 2", ""])
def test_a_rule_without_limits_is_an_error(rule: str) -> None:
    """With the forms that a rule can have."""
    with pytest.raises(
        InvalidInput, match="rule must be NAME > LIMIT, NAME < LIMIT or LIMIT < NAME < LIMIT, got"
    ):
        Check.of(rule)
