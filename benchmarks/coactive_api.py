"""Coactive learning through the public API: rank the candidates, take a correction, learn; one round after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How many rounds of ranking 25 documents and learning from a correction, beside online learners of others?"

DOCUMENTS, FEATURES, DEPTH = 25, 700, 5
CONTEXTS = 40  # as many as a cache holds, again and again: a page's features have just been computed
RIVER = ("river>=0.21", "numpy", "pandas")
VOWPAL = ("vowpalwabbit>=9.10", "numpy")
UNCHECKED = "does not check for NaN or that the feedback is an order"


def cases(quick: bool) -> list[Case]:
    """Return the same rounds for Penchant and for others, which learn from the same differences of features."""
    n = 40 if quick else 400
    what = f"{n} rounds, {DOCUMENTS} × {FEATURES}"

    def case(who: str, prepare: Callable[[int], Callable[[], object]], **more: Any) -> Case:
        return Case(who=who, what=what, prepare=lambda: prepare(n), answer=judged(n), **more)

    return [
        case("Penchant", penchant),
        case("scikit-learn SGDClassifier", sgd, cannot=UNCHECKED.replace("check for NaN or ", "check ")),
        case("river Perceptron", river, requires=RIVER, cannot=UNCHECKED),
        case(
            "Vowpal Wabbit",
            vowpal,
            requires=VOWPAL,
            cannot=f"{UNCHECKED}; float32; not the perceptron's step",
        ),
    ]


def rounds(n: int) -> tuple[Any, list[Any], list[Any]]:
    """Return a taste, the contexts and for each the order that the taste wants."""
    import numpy as np

    rng = np.random.default_rng(0)
    taste = rng.normal(size=FEATURES)
    contexts = [rng.normal(size=(DOCUMENTS, FEATURES)) for _ in range(CONTEXTS)]
    orders = [np.argsort(-(X @ taste), kind="stable") for X in contexts]
    again = -(-n // CONTEXTS)
    return taste, (contexts * again)[:n], (orders * again)[:n]


def differences(contexts: list[Any], orders: list[Any], scores: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield φ(x, ȳ) − φ(x, y) of eq. 21 round by round, having ranked by ``scores``, in plain NumPy."""
    import numpy as np

    discounts = 1 / np.log(np.arange(2, DEPTH + 2))
    for X, order in zip(contexts, orders, strict=True):
        presented = np.argsort(-scores(X), kind="stable")
        yield discounts @ X[order[:DEPTH]] - discounts @ X[presented[:DEPTH]]


def penchant(n: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.coactive import PreferencePerceptron, RankingMap

    _, contexts, orders = rounds(n)

    def play() -> Any:
        learner = PreferencePerceptron(RankingMap(DEPTH), FEATURES)
        for X, order in zip(contexts, orders, strict=True):
            learner.update(X, learner.present(X), order)
        return learner.weights

    return play


def sgd(n: int) -> Callable[[], object]:
    """Prepare scikit-learn's row, whose perceptron loss with these settings is the same algorithm."""
    import numpy as np
    from sklearn.linear_model import SGDClassifier

    _, contexts, orders = rounds(n)

    def play() -> Any:
        model = SGDClassifier(
            loss="perceptron", penalty=None, fit_intercept=False, learning_rate="constant", eta0=1.0
        )
        model.partial_fit(np.zeros((1, FEATURES)), [1], classes=[0, 1])
        for difference in differences(contexts, orders, model.decision_function):
            model.partial_fit(difference[None], [1])
        return model.coef_[0]

    return play


def river(n: int) -> Callable[[], object]:
    """Prepare river's row: scores of a frame at once, then one difference as a dict."""
    import numpy as np
    import pandas as pd
    from river import linear_model, optim  # type: ignore[import-not-found]

    _, contexts, orders = rounds(n)
    names = list(range(FEATURES))

    def play() -> Any:
        model = linear_model.LogisticRegression(
            optimizer=optim.SGD(1.0), loss=optim.losses.Hinge(threshold=0.0), l2=0.0, intercept_lr=0.0
        )
        model.learn_one(dict.fromkeys(names, 0.0), True)

        def scores(X: Any) -> Any:
            return model.predict_proba_many(pd.DataFrame(X, columns=names))[True].to_numpy()

        for difference in differences(contexts, orders, scores):
            model.learn_one(dict(zip(names, difference.tolist(), strict=True)), True)
        return np.array([model.weights[name] for name in names])

    return play


def vowpal(n: int) -> Callable[[], object]:
    """Prepare Vowpal Wabbit's row: each document and each difference is an example of index and value."""
    import numpy as np
    from vowpalwabbit import Workspace  # type: ignore[import-not-found]

    _, contexts, orders = rounds(n)
    places = list(range(1, FEATURES + 1))

    def play() -> Any:
        model = Workspace("--loss_function hinge --noconstant -b 12 --quiet")

        def example(x: Any) -> Any:
            return model.example({"f": list(zip(places, x.tolist(), strict=True))})

        def score(x: Any) -> float:
            made = example(x)
            found = model.predict(made)
            model.finish_example(made)
            return float(found)

        for difference in differences(contexts, orders, lambda X: np.array([score(x) for x in X])):
            made = example(difference)
            made.set_label_string("1")
            model.learn(made)
            model.finish_example(made)
        weights = np.array([score(row) for row in np.eye(FEATURES)])
        model.finish()
        return weights

    return play


def judged(n: int) -> Callable[[Any], Answer]:
    """Judge weights by their angle to the taste."""

    def answer(weights: Any) -> Answer:
        import numpy as np

        taste = rounds(1)[0]
        cosine = weights @ taste / np.linalg.norm(weights) / np.linalg.norm(taste)
        return {"rounds": n, "cosine": round(float(cosine), 3)}

    return answer
