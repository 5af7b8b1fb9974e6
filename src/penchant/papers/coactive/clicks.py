"""Paper 2, Figure 1: how much the preferences in clicks improve a ranking.

The log of the user study is not public. The study is repeated with simulated people: sixteen with ten questions each,
chains of 2.2 queries on average, and clicks that depend on position and relevance, about 1.8 a chain. How often clicks
improve a ranking depends on two things that the study does not report: how much likelier relevant results are clicked
(here as the square of the relevance) and how good the rankings were.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import RankingMap
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import cumulative_chart
from penchant.simulate import ClickChain, Documents, PositionBiasedClicks

SUBJECTS, QUESTIONS = 16, 10
RESULTS = 20  # met in a chain; ten are shown
SHOWN = 10
CONDITIONS = ("normal", "swapped", "reversed")
RATES = tuple(0.66 * (relevance / 5) ** 2 for relevance in range(6))  # of a click; 1.8 clicks a chain
ORDER_NOISE = 8.0  # standard deviation of the error in a result's position
REPEATS: BySize[int] = BySize(quick=1, default=20, full=200)
"""The number of repetitions of the study."""

CLAIMS = (
    claim(
        "2.clicks-shift",
        "in all conditions differences are shifted far to the right of 0",
        *(f"{condition}, median gain > 0" for condition in CONDITIONS),
        counted=False,
    ),
    claim(
        "2.clicks-shares",
        "over all conditions the difference is above 0 in about 60 %, below 0 in about 10 % and 0 in about 30 %",
        "0.5 < all, above 0 < 0.7",
        "all, below 0 < 0.2",
        "0.2 < all, at 0 < 0.4",
        counted=False,
    ),
    claim(
        "2.clicks-significant",
        "the imbalance is significant",
        "all, median p of the studies' sign tests < 1e-4",
        counted=False,
    ),
    claim(
        "2.clicks-unchanged",
        "of the chains without a difference most have ȳ = y",
        "all, ȳ = y among those at 0 > 0.75",
        counted=False,
    ),
    claim(
        "2.clicks-any-quality",
        "preferences are accurate whatever the quality of the ranking",
        *(f"{condition}, above 0 / below 0 > 2" for condition in CONDITIONS),
        counted=False,
    ),
    claim(
        "2.clicks-worse-ranking",
        "a worse ranking is easier to improve upon",
        "mean gain, reversed / normal > 1",
        counted=False,
    ),
)


@experiment("2.fig1", "Figure 1", "what clicks say about a ranking", claims=CLAIMS)
def click_preferences(run: Run) -> Measured:
    """Move the clicked results of a chain to the top and measure the gain in DCG."""
    import pandas as pd

    found = run.each(_study, [(study, run.seed) for study in range(REPEATS[run.size])])
    rows = [row for study, _ in found for row in study]
    frame = pd.DataFrame(rows, columns=["study", "name", "gain", "unchanged"])
    parts = {str(name): part for name, part in frame.groupby("name", sort=False)} | {"all": frame}
    numbers: dict[str, Estimate | float] = {}
    for name, part in parts.items():
        numbers |= _shares(name, part["gain"].to_numpy(), part["unchanged"].to_numpy())
    tests = [_sign_test(part["gain"].to_numpy()) for _, part in frame.groupby("study")]
    numbers["all, median p of the studies' sign tests"] = float(np.median(tests))
    numbers["all, share of studies with p below 0.0001"] = Estimate.of(
        (np.array(tests) < 1e-4).astype(np.float64)
    )
    reversed_, normal = (parts[name]["gain"].to_numpy().mean() for name in ("reversed", "normal"))
    numbers["mean gain, reversed / normal"] = reversed_ / normal
    chart = cumulative_chart(
        {name: part["gain"].to_numpy() for name, part in parts.items()},
        x="DCG@10 of the feedback less that of the ranking",
        title="What clicks gain",
        subtitle="share of chains that gain at most so much; simulated people",
    )
    studies = f"{REPEATS[run.size]} studies of {SUBJECTS} simulated people with {QUESTIONS} questions each"
    data = f"a made-up stand-in for the user study: {studies}"
    return Measured(data, numbers, {"gain": chart}, frame, {"chains": sum(took for _, took in found)})


def _study(study: int, seed: int) -> tuple[list[tuple[int, str, float, bool]], float]:
    """Return the study, the condition, the gain and whether nothing changed, for each chain, and the CPU seconds."""
    began = process_time()
    random = np.random.default_rng((seed, study))
    clicks = PositionBiasedClicks(rates=RATES, depth=SHOWN)
    people = ClickChain(clicks=clicks, queries=2.2).seeded(int(random.integers(2**32)))
    rows = []
    for subject in range(SUBJECTS):
        condition = CONDITIONS[subject % len(CONDITIONS)]
        for _ in range(QUESTIONS):
            relevance, ranking = _question(random)
            presented = shown_as(ranking, condition)
            question = Documents(np.zeros((RESULTS, 1)), relevance, relevance, RankingMap(SHOWN, log="base2"))
            feedback = people.answer(question, presented)
            gain = question.utility(feedback) - question.utility(presented)
            rows.append((study, condition, gain, np.array_equal(feedback, presented)))
    return rows, process_time() - began


def _question(random: np.random.Generator) -> tuple[Floats, Ints]:
    """Return the relevance of the results, from 0 to 5, and a noisy order by relevance."""
    rank = random.permutation(RESULTS)
    relevance = np.floor(5.5 - 5 * rank / (RESULTS - 1))  # 0 to 5, some alike
    return relevance, np.argsort(rank + random.normal(0, ORDER_NOISE, RESULTS))


def shown_as(ranking: Ints, condition: str) -> Ints:
    """Return what the study showed: the ranking, its first two swapped, or its first ten reversed.

    Examples
    --------
    >>> shown_as(np.arange(12), "swapped")[:3], shown_as(np.arange(12), "reversed")[:3]
    (array([1, 0, 2]), array([9, 8, 7]))
    """
    shown = ranking.copy()
    if condition == "swapped":
        shown[:2] = shown[1::-1]
    elif condition == "reversed":
        shown[:SHOWN] = shown[SHOWN - 1 :: -1]
    return shown


def _shares(name: str, gain: Floats, unchanged: Floats) -> Mapping[str, Estimate]:
    above, below = gain > 1e-12, gain < -1e-12
    level = ~(above | below)
    return {
        f"{name}, above 0": Estimate.of(above.astype(np.float64)),
        f"{name}, below 0": Estimate.of(below.astype(np.float64)),
        f"{name}, median gain": Estimate(float(np.median(gain))),
        f"{name}, at 0": Estimate.of(level.astype(np.float64)),
        f"{name}, mean gain": Estimate.of(gain),
        f"{name}, ȳ = y among those at 0": Estimate.of(unchanged[level].astype(np.float64)),
        f"{name}, above 0 / below 0": Estimate(float(above.sum() / max(1, below.sum()))),
    }


def _sign_test(gain: Floats) -> float:
    from scipy.stats import binomtest

    above, below = int((gain > 1e-12).sum()), int((gain < -1e-12).sum())
    return float(binomtest(above, above + below).pvalue)
