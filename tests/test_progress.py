"""Progress that work reports to whoever waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.consensus import consensus
from penchant.formats import PresentationLog
from penchant.gp import PreferenceGP
from penchant.gp.generalisation import cross_validated
from penchant.gp.generalisation import learning_curve as gp_curve
from penchant.overview import Overview
from penchant.progress import Parts, converging, part, reported_to, step_done
from penchant.rankers import LabelRanker, RankBoost, RankSVM, learning_curve
from penchant.worth import BradleyTerry, CrowdBradleyTerry, PlackettLuce, Thurstone
from penchant.worth.inference.posterior import sampled_posterior

X = np.random.default_rng(0).normal(size=(80, 3))
Y, QID = (X[:, 0] > 0).astype(float), np.repeat(np.arange(10), 8)


def test_nobody_is_told_outside_the_block() -> None:
    """Steps are reported inside, to the innermost block, and no more after an error."""
    outer: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []
    step_done(1, 2)
    with reported_to(lambda *step: outer.append(step)):
        step_done(1, 4)
        with suppress(ZeroDivisionError), reported_to(lambda *step: inner.append(step)):
            step_done(2, 4)
            _ = 1 / 0
        step_done(3, 4)
    step_done(4, 4)
    assert (outer, inner) == ([(1, 4), (3, 4)], [(2, 4)])


def test_rounds_and_points_of_a_curve_are_steps() -> None:
    """RankBoost reports its rounds, and a learning curve its points, the fits inside it nothing."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        model = RankBoost(n_estimators=5).fit(X, Y, qid=QID)
    assert steps == [(k, 5) for k in range(1, len(model.stumps_) + 1)]
    for ranker in (RankSVM(), RankBoost(n_estimators=5)):
        steps.clear()
        with reported_to(lambda *step: steps.append(step)):
            learning_curve(ranker, X, Y, qid=QID, sizes=[3, 5])
        assert steps == [(1, 2), (2, 2)]


def test_parts_of_parts_are_shares_of_the_whole() -> None:
    """The second half of the first of two parts begins at a quarter of all."""
    shares: list[float] = []
    with reported_to(lambda done, total: shares.append(done / total)), part(0, 2):
        step_done(0, 3)
        with part(1, 2):
            step_done(0, 7)
            step_done(7, 7)
        step_done(3, 3)
    assert shares == [0.0, 0.25, 0.5, 0.5]
    with part(0, 2):
        step_done(1, 2)


def test_an_iteration_is_as_far_as_the_logarithm_of_its_error() -> None:
    """From its first error to its goal, never below 0 or above 100 %; no goal, no report."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        for error in (1.0, 2.0, 1e-2, 1e-4, 1e-9, 0.0):
            converging(error, 1.0, 1e-4)
        converging(1.0, 1.0, 0.0)
        converging(1.0, 0.0, 1e-4)
    assert steps == [(share, 100) for share in (0, 0, 50, 100, 100, 100)]


def _answers(n_items: int, n_rows: int) -> Preferences:
    rng = np.random.default_rng(0)
    left = rng.integers(n_items, size=n_rows)
    right = (left + 1 + rng.integers(n_items - 1, size=n_rows)) % n_items
    choice = np.where(rng.random(n_rows) < 0.7, "left", "right").tolist()
    judge = [f"judge {number}" for number in rng.integers(5, size=n_rows)]
    return Preferences.from_answers(left, right, choice, items=range(n_items), judge=judge)


def _rankings() -> Preferences:
    rng = np.random.default_rng(0)
    return Preferences.from_rankings([rng.permutation(20).tolist() for _ in range(9)], items=range(20))


@pytest.mark.parametrize(
    "work",
    [
        lambda: RankSVM().fit(X, Y, qid=QID),
        lambda: RankSVM(kernel="rbf").fit(X, Y, qid=QID),
        lambda: LabelRanker().fit(X, np.argsort(X, axis=1) + 1),
        lambda: CrowdBradleyTerry().fit(_answers(6, 200)),
        lambda: sampled_posterior(lambda X: X, np.ones(9), lambda rng: rng.standard_normal(9), 9).sample(
            99, 0
        ),
        lambda: PreferenceGP().fit_pairs(X[:12], [(k, k + 1) for k in range(11)]),
        lambda: cross_validated(
            PreferenceGP(optimizer=None), X[:12], [(k, k + 1) for k in range(11)], folds=2
        ),
        lambda: gp_curve(
            PreferenceGP(optimizer=None), X[:12], [(k, k + 1) for k in range(11)], [4], repeats=2
        ),
        lambda: BradleyTerry().fit(_answers(6, 200)),
        lambda: BradleyTerry(prior=0.1).fit(_answers(6, 200)),
        lambda: Thurstone().fit(
            _answers(6, 200) + Preferences.from_pairs([(0, 1)], tie=[True], items=range(6))
        ),
        lambda: BradleyTerry().fit(_answers(6, 200), side=True).effects_,
        lambda: BradleyTerry(prior=0.1).fit(_answers(6, 200), side=True),
        lambda: PlackettLuce().fit(_rankings()),
        lambda: PlackettLuce(ties="davidson-luce").fit(_rankings()),
        lambda: Overview.of(_answers(6, 200)),
    ],
    ids=[
        *(
            "RankSVM",
            "kernel",
            "LabelRanker",
            "Crowd",
            "sampled",
            "PreferenceGP",
            "folds",
            "curve",
        ),
        *("learned", "prior", "ties", "learned side", "side", "PlackettLuce", "davidson-luce", "overview"),
    ],
)
def test_long_work_reports_how_far_it_is(work: Callable[[], Any]) -> None:
    """Each report is a whole number of steps from 0 to the whole."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        work()
    assert steps
    assert all(isinstance(done, int) and 0 <= done <= total for done, total in steps)
    assert steps[-1][0] > 0


def test_more_parts_than_expected_stay_at_the_last() -> None:
    """The end of a part is reported, but not that of the last one: more may follow."""
    shares: list[float] = []
    with reported_to(lambda done, total: shares.append(done / total)):
        search = Parts(2)
        for _ in range(3):
            with search.next():
                step_done(1, 2)
    assert shares == [0.25, 0.5, 0.75, 0.75]


def test_a_log_reports_the_bytes_read(tmp_path: Path) -> None:
    """Of all bytes of the file."""
    log = tmp_path / "log.jsonl"
    candidates = '[{"id": "a", "features": {"x": 1}}, {"id": "b", "features": {"x": 2}}]'
    log.write_text(f'{{"candidates": {candidates}, "presented": ["a"], "clicked": ["a"]}}\n' * 50)
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        assert len(list(PresentationLog(log))) == 50
    assert steps[-1] == (log.stat().st_size, log.stat().st_size)


def test_a_search_reports_the_share_of_its_time() -> None:
    """The time that a search for a consensus may take is the whole; a short one may end at 0."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        consensus(_rankings())
    assert steps
    assert all(0 <= done <= total == 1000 for done, total in steps)
