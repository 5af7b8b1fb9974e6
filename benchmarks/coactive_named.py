"""Coactive learning with named features: candidates kept as a matrix, and given anew with each round."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "What does a round with named features cost, for each learner and for candidates in each form?"

SIZES = {"25 × 136": (25, 136, 200), "3,900 × 50": (3900, 50, 20)}
LEARNERS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "perturbed": {},
    "exponentiated": {"bound": 10.0},
    "convex": {},
    "second-order": {},
}
FORMS = ("kept matrix", "kept sparse matrix", "mappings", "sparse mappings")
FILLED = 0.2  # of the sparse forms


def cases(quick: bool) -> list[Case]:
    """Return rounds of every learner on a kept matrix, and of the perceptron on every other form."""
    found = []
    for size, (n, d, most) in SIZES.items():
        rounds = 5 if quick else most
        rows = [(learner, FORMS[0]) for learner in LEARNERS] + [("perceptron", form) for form in FORMS[1:]]
        for learner, form in rows:
            usual = (learner, form) == ("perceptron", FORMS[0])
            found.append(
                Case(
                    who=OURS if usual else f"{OURS}, {learner}, {form}",
                    what=f"{rounds} rounds, {size}",
                    prepare=partial(prepared, learner, form, n, d, rounds),
                    answer=judged,
                )
            )
    return found


def prepared(learner: str, form: str, n: int, d: int, rounds: int) -> Callable[[], object]:
    """Return rounds of present and update, in each of which the last candidate was clicked."""
    import numpy as np

    from penchant.coactive import make_learner

    rng = np.random.default_rng(0)
    names = [f"feature {i}" for i in range(d)]
    X = rng.normal(size=(n, d))
    if "sparse" in form:
        X *= rng.random((n, d)) < FILLED
    mappings = [{name: v for name, v in zip(names, row, strict=True) if v} for row in X.tolist()]

    fresh = make_learner(learner, names=names, **LEARNERS[learner])
    kept = fresh.matrix(mappings)
    candidates = mappings if "mappings" in form else kept if "sparse" in form else kept.toarray()

    def play() -> Any:
        named = fresh.copy()
        for _ in range(rounds):
            shown = named.present(candidates)
            named.update(candidates, shown, shown[-1:], by_clicks=True)
        return named

    return play


def judged(named: Any) -> Answer:
    """Return the number of rounds that were learned from."""
    return {"rounds": named.rounds}
