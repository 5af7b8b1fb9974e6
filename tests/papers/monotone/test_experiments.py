"""Paper 4's pictures and tables, quick."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.monotone.simulation import PAPER, case_study
from tests.papers.running import result_of


def test_the_pictures_show_what_the_paper_shows() -> None:
    """f_MAP turns down somewhere, y nowhere, by proof and on 10,201 points; the same bits for the same seed."""
    result = result_of("4.pictures", size="quick")
    assert set(result.verdicts.values()) == {"holds"}
    assert set(result.charts) == {"true utility", "estimates"}
    assert len(result.frame) == 101**2
    assert result.frame.equals(result_of("4.pictures", size="full").frame)
    assert result.numbers["f_MAP, slope that is proven everywhere"].value <= (
        result.numbers["f_MAP, lowest slope"].value
    )


def test_the_table_is_that_of_the_case_study_with_any_number_of_processes() -> None:
    """Twenty repetitions, cell by cell, with standard errors; the paper's stand beside ours."""
    one, two = (result_of("4.table", size="quick", jobs=jobs) for jobs in (1, 2))
    assert one.numbers == two.numbers
    percent = case_study(20).percent
    for row, name in enumerate(PAPER):
        for column, kind in enumerate(("dominated", "not dominated", "overall")):
            assert one.numbers[f"{name}, {kind}"].value == pytest.approx(percent[row, column])
    table = one.tables["percent of pairs put right"]
    assert table.loc[("y", "the paper"), "overall"] == "94.37"
    assert table.shape == (6, 3)
    assert {one.verdicts[claim] for claim in ("4.dominated", "4.likelihoods")} == {"holds"}


def test_evidence_is_compared_draw_by_draw() -> None:
    """The gain is reported with the error of the differences; both ways stand in the table."""
    result = result_of("4.evidence", size="quick")
    gained = result.numbers["y, overall, by evidence less by the paper's"]
    of_y = result.frame[result.frame["name"] == "y"].pivot_table(
        index="repetition", columns="way", values="overall"
    )
    apart = of_y["by evidence"] - of_y["paper's settings"]
    assert gained.value == pytest.approx(apart.mean())
    assert gained.error == pytest.approx(apart.std() / np.sqrt(20))
    assert result.tables["percent of pairs put right"].shape == (9, 3)


def test_every_setting_is_swept() -> None:
    """Five values of each, four utilities; more comparisons are better than fewer, less noise than more."""
    result = result_of("4.sensitivity", size="quick")
    assert set(result.charts) == {"rating noise", "lengthscale", "number of comparisons"}
    assert len(result.frame) == 3 * 5 * 4 * 4
    for name in ("f_MAP", "y"):
        assert (
            result.numbers[f"number of comparisons 300, {name}"].value
            > result.numbers[f"number of comparisons 45, {name}"].value
        )
        assert (
            result.numbers[f"rating noise 0.025, {name}"].value
            > result.numbers[f"rating noise 0.4, {name}"].value
        )
    assert result.verdicts["4.dominated-anywhere"] == "holds"
