"""DCG and NDCG against their definitions, scikit-learn, and hand counts."""

from __future__ import annotations

import io
import math
import tarfile

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import dcg, mean_average_precision, ndcg
from tests.conftest import DATA
from tests.metrics.rows import Rows, by_falling_score, graded_rows

SETTINGS = {
    "k": st.none() | st.integers(1, 40),
    "log": st.sampled_from(["base2", "natural"]),
    "gain": st.sampled_from(["linear", "exponential"]),
}


def slow_dcg(grades: list[int], scores: list[float], k: int | None, log: str, gain: str) -> float:
    return slow_dcg_of_order(by_falling_score(grades, scores), k, log, gain)


def slow_dcg_of_order(grades: list[int], k: int | None, log: str, gain: str) -> float:
    total = 0.0
    for position, grade in enumerate(grades, start=1):
        if k is None or position <= k:
            worth = grade if gain == "linear" else 2**grade - 1
            total += worth / math.log(1 + position, 2 if log == "base2" else math.e)
    return total


@given(graded_rows(), st.fixed_dictionaries(SETTINGS))
def test_dcg_is_its_definition(rows: Rows, settings: dict) -> None:
    """DCG is the sum of gain over log(1 + position); in row order, tied scores rank by rising index."""
    assert dcg(rows.grades, rows.scores, ties="order", **settings) == pytest.approx(
        slow_dcg(rows.grades, rows.scores, **settings), abs=1e-12
    )


@given(graded_rows(), st.fixed_dictionaries(SETTINGS))
def test_ndcg_is_the_mean_share_of_the_ideal(rows: Rows, settings: dict) -> None:
    """NDCG is the mean over queries of DCG over the ideal DCG, all-zero queries skipped and counted."""
    shares = []
    for grades, scores in rows.queries():
        ideal = slow_dcg(grades, [float(grade) for grade in grades], **settings)
        if ideal > 0:
            shares.append(slow_dcg(grades, scores, **settings) / ideal)
    assume(shares)
    settings["ties"] = "order"
    value, n_skipped = ndcg(rows.grades, rows.scores, qid=rows.qid, return_skipped=True, **settings)
    assert value == pytest.approx(np.mean(shares), abs=1e-12)
    assert n_skipped == len(rows.queries()) - len(shares)
    assert ndcg(rows.grades, rows.scores, qid=rows.qid, **settings) == value


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=20), st.integers(1, 25))
def test_tied_scores_agree_with_scikit_learn(rows: list[tuple[int, int]], k: int) -> None:
    """With tied scores DCG and NDCG equal scikit-learn's, which averages over ties too."""
    from sklearn.metrics import dcg_score, ndcg_score

    grades, scores = map(list, zip(*rows, strict=True))
    assume(any(grades))
    assert dcg(grades, scores, k=k) == pytest.approx(dcg_score([grades], [scores], k=k), abs=1e-12)
    assert ndcg(grades, scores, k=k) == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-12)


@given(graded_rows(), st.fixed_dictionaries(SETTINGS), st.randoms())
def test_the_order_of_the_rows_does_not_matter(rows: Rows, settings: dict, random) -> None:
    """Shuffled rows have the same NDCG: what the scores do not decide earns nothing."""
    assume(any(rows.grades))
    order = random.sample(range(len(rows.grades)), len(rows.grades))
    shuffled = ([column[row] for row in order] for column in (rows.grades, rows.scores, rows.qid))
    grades, scores, qid = shuffled
    assert ndcg(grades, scores, qid=qid, **settings) == pytest.approx(
        ndcg(rows.grades, rows.scores, qid=rows.qid, **settings)
    )


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20), st.integers(1, 25), st.randoms())
def test_untied_scores_agree_with_scikit_learn(grades: list[int], k: int, random) -> None:
    """Without tied scores DCG and NDCG equal scikit-learn's, in both logarithms."""
    from sklearn.metrics import dcg_score, ndcg_score

    assume(any(grades))
    scores = random.sample(range(100), len(grades))
    assert dcg(grades, scores, k=k) == pytest.approx(dcg_score([grades], [scores], k=k), abs=1e-12)
    assert dcg(grades, scores, k=k, log="natural") == pytest.approx(
        dcg_score([grades], [scores], k=k, log_base=math.e), abs=1e-12
    )
    assert ndcg(grades, scores, k=k) == pytest.approx(ndcg_score([grades], [scores], k=k), abs=1e-12)


@given(graded_rows(), st.fixed_dictionaries(SETTINGS))
def test_ndcg_lies_between_zero_and_one_and_the_grades_reach_it(rows: Rows, settings: dict) -> None:
    """NDCG is from 0 to 1, and 1 when the grades themselves are the scores."""
    assume(any(rows.grades))
    assert 0 <= ndcg(rows.grades, rows.scores, qid=rows.qid, **settings) <= 1 + 1e-12
    assert ndcg(rows.grades, rows.grades, qid=rows.qid, **settings) == 1.0


@given(graded_rows(), st.fixed_dictionaries(SETTINGS))
def test_ndcg_depends_only_on_the_order_of_the_scores(rows: Rows, settings: dict) -> None:
    """A rising map of the scores changes nothing."""
    assume(any(rows.grades))
    raised = [math.atan(score) * 3 + 1 for score in rows.scores]
    assert ndcg(rows.grades, rows.scores, qid=rows.qid, **settings) == ndcg(
        rows.grades, raised, qid=rows.qid, **settings
    )


def test_coactive_convention() -> None:
    """With the natural logarithm, positions are discounted by 1/ln(i + 1), as in the coactive paper."""
    expected = 3 / math.log(2) + 1 / math.log(4)
    assert dcg([0, 1, 3], [0.5, 0.4, 0.9], k=5, log="natural") == pytest.approx(expected)


def test_k_past_the_end_counts_all() -> None:
    """A k larger than the number of rows is no cut."""
    assert dcg([1, 2], [1.0, 2.0], k=100) == dcg([1, 2], [1.0, 2.0])


@pytest.mark.parametrize("k", [0, -1, 1.5, "ten", True])
def test_a_k_that_is_no_count_is_refused(k: object) -> None:
    """k is a whole number of at least 1."""
    with pytest.raises(InvalidInput, match=r"k must be a whole number of at least 1, got .*: give None"):
        dcg([1], [1.0], k=k)


def test_a_numpy_k_is_a_count() -> None:
    """Whole numbers of NumPy are counts too."""
    assert dcg([1, 2], [1.0, 2.0], k=np.int32(1)) == 2.0


def test_unknown_settings_are_refused() -> None:
    """The two logarithms and the two gains are named in the error."""
    with pytest.raises(InvalidInput, match="log must be one of base2, natural, got 'ten'"):
        dcg([1], [1.0], log="ten")
    with pytest.raises(InvalidInput, match="gain must be one of linear, exponential, got 'square'"):
        ndcg([1], [1.0], gain="square")
    with pytest.raises(InvalidInput, match="ties must be one of average, order, got 'random'"):
        ndcg([1], [1.0], ties="random")


@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_negative_grades_are_refused(gain: str) -> None:
    """A negative gain would make the ideal meaningless, so the row is named."""
    with pytest.raises(InvalidInput, match="grade of row 1 must be at least 0, got -2: shift"):
        ndcg([1, -2], [1.0, 2.0], gain=gain)


def test_gains_past_the_floats_are_refused() -> None:
    """2^2000 is no float: it is rejected before it becomes infinite."""
    with pytest.raises(InvalidInput, match=r"gain of row 1 must be at most 1e.290, got the grade 2000"):
        dcg([1, 2000], [1.0, 2.0], gain="exponential")
    with pytest.raises(InvalidInput, match="gain of row 0"):
        dcg([1e300, 2000], [1.0, 2.0])


def test_only_skipped_queries_are_refused() -> None:
    """When no query has a grade above 0 there is no NDCG at all."""
    with pytest.raises(InvalidInput, match="at least one query must have a grade above 0, got 2 without"):
        ndcg([0, 0, 0], [1.0, 2.0, 3.0], qid=[1, 1, 2])


def test_five_thousand_queries() -> None:
    """Many queries at once give what each gives alone."""
    rng = np.random.default_rng(3)
    qid = rng.integers(0, 5000, 100_000)
    grades, scores = rng.integers(0, 3, qid.size), rng.integers(0, 50, qid.size).astype(float)
    wanted = [3, 1234, 4999]
    alone = [ndcg(grades[qid == q], scores[qid == q], k=10) for q in wanted]
    chosen = np.isin(qid, wanted)
    assert ndcg(grades[chosen], scores[chosen], qid=qid[chosen], k=10) == pytest.approx(np.mean(alone))
    value, n_skipped = ndcg(grades, scores, qid=qid, k=10, return_skipped=True)
    assert 0.4 < value < 0.8
    assert n_skipped == len(np.unique(qid)) - len(np.unique(qid[grades > 0]))


@pytest.mark.needs("data:letor4-mq2008")
def test_letor_queries_without_relevant_rows_are_counted() -> None:
    """On MQ2008 the skipped queries are those without a relevant row, and grades rank themselves."""
    name = "letor4-mq2008"
    with tarfile.open(DATA / name / f"{name}.tar.xz") as archive:
        lines = io.TextIOWrapper(archive.extractfile(f"{name}/S1.txt")).read().splitlines()
    grades = np.array([int(line.split(" ", 1)[0]) for line in lines])
    qid = [line.split(" ", 2)[1] for line in lines]
    empty = set(qid) - {q for q, grade in zip(qid, grades, strict=True) if grade}
    assert len(lines) == 2933
    assert len(set(qid)) == 157
    assert ndcg(grades, grades, qid=qid, k=10, return_skipped=True) == (1.0, len(empty))
    assert mean_average_precision(grades, grades, qid=qid, return_skipped=True) == (1.0, len(empty))
