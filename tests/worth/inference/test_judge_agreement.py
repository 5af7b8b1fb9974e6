"""Agreement with people: against a loop over all couples of answers."""

from __future__ import annotations

import numpy as np
import pytest

from penchant import Preferences
from penchant.worth import CrowdBradleyTerry


def slow_agreement(rows: list[tuple[str, str, str]], judge: str, programs: set[str]) -> tuple[float, int]:
    """The mean over a judge's answers of the share of other people's answers to the pair that are the same."""
    shares = []
    for better, worse, who in rows:
        if who != judge:
            continue
        others = [
            row[0] == better
            for row in rows
            if {row[0], row[1]} == {better, worse} and row[2] != judge and row[2] not in programs
        ]
        if others:
            shares.append(np.mean(others))
    return (float(np.mean(shares)) if shares else float("nan")), len(shares)


@pytest.mark.parametrize("programs", [(), ("j3",), ("j2", "j3")])
def test_it_is_the_mean_over_couples(programs: tuple[str, ...]) -> None:
    """Each judge's share and the number of answers behind it, whoever is a program; ties are left out."""
    rng = np.random.default_rng(0)
    rows = []
    for who in range(4):
        for _ in range(25):
            first, second = rng.choice(5, 2, replace=False)
            rows.append((f"i{first}", f"i{second}", f"j{who}"))
    rows.append(("i0", "z", "alone"))
    prefs = Preferences.from_pairs([row[:2] for row in rows], judge=[row[2] for row in rows])
    prefs = prefs + Preferences.from_pairs([("i0", "i1")], tie=[True], judge=["j0"])
    found = CrowdBradleyTerry().fit(prefs).judges(programs=programs)
    for place, judge in enumerate(found.judges):
        share, count = slow_agreement(rows, judge, set(programs))
        assert found.agreement[place] == pytest.approx(share, nan_ok=True)
        assert found.shared[place] == count
    assert np.isnan(found.agreement[found.judges.index("alone")])
    assert np.isnan(found.agreement_error[found.judges.index("alone")])


def test_the_error_is_that_of_pairs_drawn_anew() -> None:
    """The standard error is close to the spread of the share over worlds with as many pairs."""
    rng = np.random.default_rng(1)
    shares, errors = [], []
    for _ in range(40):
        pairs = [(f"a{k}", f"b{k}") for k in range(60)]
        prefs = Preferences.from_pairs(
            [pair if rng.random() < 0.7 else pair[::-1] for _ in "xy" for pair in pairs],
            judge=["x"] * 60 + ["y"] * 60,
        )
        model = CrowdBradleyTerry(reliability_sd=0.0, bias_sd=0.0)
        model.update(prefs)
        found = model.judges()
        shares.append(found.agreement[0])
        errors.append(found.agreement_error[0])
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.35)
