"""The retrained SVM, beside the problem that each training solves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from penchant.coactive import ItemMap, RankingMap
from penchant.errors import InvalidInput
from penchant.simulate.retrained_svm import COSTS, RetrainedSVM, separating


def objective(weights: np.ndarray, examples: np.ndarray, cost: float) -> float:
    return float(0.5 * weights @ weights + cost * np.maximum(0, 1 - examples @ weights).sum())


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_few_examples_and_many_are_solved_alike(n: int, cost: float) -> None:
    """With fewer examples than features and with more, what is lost is at most a thousandth over the dual's value."""
    random = np.random.default_rng(n)
    examples = random.normal(0.2, 1, (n, 9))
    weights = separating(examples, cost)
    found = minimize(
        lambda a: 0.5 * np.sum((examples.T @ a) ** 2) - a.sum(),
        np.full(n, cost / 2),
        jac=lambda a: examples @ (examples.T @ a) - 1,
        bounds=[(0, cost)] * n,
        method="L-BFGS-B",
        options={"maxiter": 50_000, "maxfun": 500_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    assert objective(weights, examples, cost) <= -found.fun * 1.0011 + 1e-9


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_a_training_minimises_the_papers_objective(cost: float) -> None:
    """½‖w‖² + C Σ hinge, to one per cent of the least that a general solver finds with margins as variables."""
    random = np.random.default_rng(0)
    examples = random.normal(0.5, 1, (20, 3))
    slacks = {"type": "ineq", "fun": lambda z: z[3:] - 1 + examples @ z[:3]}
    found = minimize(
        lambda z: 0.5 * z[:3] @ z[:3] + cost * z[3:].sum(),
        np.concatenate([np.zeros(3), np.ones(20)]),
        jac=lambda z: np.concatenate([z[:3], np.full(20, cost)]),
        constraints=slacks,
        bounds=[(None, None)] * 3 + [(0, None)] * 20,
        method="SLSQP",
        options={"maxiter": 500},
    )
    least = min(found.fun, objective(found.x[:3], examples, cost))
    assert objective(separating(examples, cost), examples, cost) <= least * 1.011 + 1e-9


def test_training_waits_for_ten_per_cent_more() -> None:
    """After 1, 2, … examples, then from 10 on whenever the count grew by a tenth; no change, no example."""
    svm = RetrainedSVM(ItemMap(), 3)
    random = np.random.default_rng(0)
    trained = []
    for t in range(1, 31):
        X = random.normal(size=(4, 3))
        before = svm.weights
        svm.update(X, 0, 0).update(X, 0, 1)
        if not np.array_equal(before, svm.weights):
            trained.append(t)
    assert trained == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 24, 27, 30]


def test_the_cost_is_chosen_by_five_folds() -> None:
    """Clean differences of one direction are put right by every C, and the least is taken."""
    examples = np.abs(np.random.default_rng(0).normal(size=(60, 1))) + 0.1
    assert RetrainedSVM(ItemMap(), 1)._chosen(examples) == min(COSTS)


def test_the_first_object_is_drawn_and_then_scored() -> None:
    """A permutation or an item before the first training, by the seed; the order by the weights after it."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    svm = RetrainedSVM(RankingMap(), 2, seed=1)
    first = svm.present(X)
    assert sorted(first.tolist()) == list(range(12))
    assert not np.array_equal(first, RetrainedSVM(RankingMap(), 2, seed=2).present(X))
    assert RetrainedSVM(ItemMap(), 2).present(X) in range(12)
    assert not np.array_equal(first, svm.seeded(3).present(X))
    copy = svm.copy()
    svm.update(X, first, np.argsort(-X[:, 0]))
    np.testing.assert_array_equal(svm.present(X), np.argsort(-(X @ svm.weights), kind="stable"))
    assert not copy.weights.any()


def test_wrong_settings_are_rejected() -> None:
    """No growth, and no features."""
    with pytest.raises(InvalidInput, match="growth must be"):
        RetrainedSVM(ItemMap(), 2, growth=0)
    with pytest.raises(InvalidInput, match="losses must be"):
        RetrainedSVM(ItemMap(), 2, losses="all")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="n_features must be"):
        RetrainedSVM(ItemMap(), 0)


@pytest.mark.parametrize("cost", COSTS)
def test_features_that_say_nearly_the_same_are_solved_too(cost: float) -> None:
    """Of two features that differ by a thousandth, as good as libsvm on differences of both signs, to a thousandth."""
    from sklearn.svm import SVC

    random = np.random.default_rng(3)
    shared = random.normal(0.3, 1, (150, 1))
    examples = np.hstack([shared + 1e-3 * random.normal(size=(150, 1)), shared, random.normal(size=(150, 1))])
    both = np.concatenate([examples, -examples])
    reference = SVC(C=cost / 2, kernel="linear", tol=1e-6).fit(both, np.repeat([1, -1], 150)).coef_[0]
    least = objective(reference, examples, cost)
    assert objective(separating(examples, cost), examples, cost) <= least * 1.0011


def test_the_mean_of_losses_is_a_smaller_cost() -> None:
    """With ``losses="mean"`` C is divided by the number of examples: 100 for 20 of them is 5 each."""
    random = np.random.default_rng(1)
    differences = random.normal(0.2, 1, (20, 3))
    svm = RetrainedSVM(ItemMap(), 3, losses="mean")
    for difference in differences:
        svm.learn(difference)
    assert svm.missing > 0
    trained = differences[: svm._trained_on]
    np.testing.assert_allclose(svm.weights, separating(trained, 100.0 / len(trained)))
