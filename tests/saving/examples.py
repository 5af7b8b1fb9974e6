"""One small object, or several, of every class that can be saved, and what to ask each so that it works.

Built once in a process; a test never changes them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

import penchant
from penchant import Preferences, Ranking
from penchant.ask import choose_pair, settled
from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    Interleaving,
    ItemMap,
    LinearLoss,
    NamedLearner,
    PerturbedPerceptron,
    PreferencePerceptron,
    ProgressTracker,
    QuadraticLoss,
    RankingMap,
    Replay,
    SecondOrderPerceptron,
    SequenceMap,
    SquaredLoss,
    WeightTracker,
    play_lower_bound,
)
from penchant.gp import (
    Linear,
    LinkedGP,
    Matern12,
    Matern32,
    Matern52,
    MonotoneGP,
    PreferenceGP,
    SquaredExponential,
    WhiteNoise,
    cross_validated,
)
from penchant.gp import learning_curve as gp_curve
from penchant.metrics import calibration_table, compare, evaluate, pair_accuracy
from penchant.orders import pair_counts
from penchant.rankers import (
    LabelRanker,
    NearestLabelRanker,
    OrdinalRegression,
    PairwiseRanker,
    RankBoost,
    RankSVM,
    learning_curve,
)
from penchant.worth import (
    BradleyTerry,
    CrowdBradleyTerry,
    Elo,
    Glicko,
    Glicko2,
    PlackettLuce,
    Thurstone,
    WinRate,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(8, 3))
GRADES = np.array([0, 1, 2, 3, 0, 1, 2, 3])
QUERIES = np.repeat([0, 1], 4)
PAIRS = np.array([(1, 0), (2, 1), (3, 0), (5, 4), (6, 5), (7, 4), (3, 4), (6, 2), (0, 2)])
RANKS = np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3], [2, 1, 3], [3, 1, 2], [1, 3, 2], [2, 3, 1], [1, 2, 3]])
SEQUENCE = np.array([[1.0], [-1.0], [1.0]])

Use = Callable[[Any], list[Any]]


class Example(NamedTuple):
    """An object, and a function that uses it as its class is meant to be used and returns all numbers it gives."""

    value: Any
    use: Use


def answers() -> Preferences:
    """Comparisons of named items with every column that there is."""
    return Preferences.from_answers(
        ["a", "b", "c", "a", "b", "d", "a", "c"],
        ["b", "c", "a", "c", "d", "a", "d", "d"],
        ["left", "left", "right", "tie", "left", "right", "left", "both_bad"],
        judge=["x", "y", "x", "y", "x", "y", "x", None],
        weight=[1, 2, 1, 1, 3, 1, 1, 1],
        period=[1, 1, 1, 2, 2, 3, 3, 3],
    )


def decided() -> Preferences:
    return Preferences.from_pairs([(0, 1), (1, 2), (2, 0), (0, 2), (1, 3), (3, 2)])


def rankings() -> Preferences:
    return Preferences.from_rankings([["a", "b", "c"], ["b", ["a", "c"], "d"], ["c", "d"], ["d", "a"]])


def ask_worth(model: Any) -> list[Any]:
    ids = model.items_[:2]
    ranking = model.rank()
    return [
        model.mean,
        model.variance(),
        model.covariance([0], [1]),
        model.win_probability(*ids),
        model.outcome_probability(*ids),
        ranking.scores,
        ranking.lower,
        repr(ranking),
    ]


def ask_crowd(model: Any) -> list[Any]:
    return [*ask_worth(model), model.judges().reliability, model.judges().bias_error]


def worth_with_covariates() -> Any:
    prefs = Preferences.from_answers(
        ["a", "b", "c", "a", "b", "c"] * 3,
        ["b", "c", "a", "c", "a", "b"] * 3,
        ["left", "right", "left"] * 6,
        covariates={"length": [1, 2, 3, -1, 0, 2, 4, 1, -2] * 2},
        judge=["x", "y", "z"] * 6,
    )
    return BradleyTerry(0.5, errors="judge").fit(prefs, covariates=["length"], side=True)


def ask_effects(effects: Any) -> list[Any]:
    return [effects.estimate, effects.error, effects.p, effects.spread, effects.names, repr(effects)]


def worth_with_features() -> Any:
    return BradleyTerry().fit(decided(), features=X[:4])


def ask_features(model: Any) -> list[Any]:
    return [*ask_worth(model), *model.predict(X, return_std=True), model.coef_]


def ask_ranker(model: Any) -> list[Any]:
    return [model.predict(X[:5])]


def ask_pairwise(model: Any) -> list[Any]:
    return [model.predict(X[:5]), model.preference_matrix(X[:5])]


def ask_boost(model: Any) -> list[Any]:
    return [*ask_ranker(model), *model.staged_predict(X[:5]), model.feature_importances_]


def ask_ordinal(model: Any) -> list[Any]:
    return [model.decision(X), model.predict_proba(X), model.predict(X)]


def ask_labels(model: Any) -> list[Any]:
    return [model.predict(X), *([model.votes(X)] if hasattr(model, "votes") else [])]


def ask_gp(model: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", penchant.errors.PenchantWarning)
        return [*model.predict(X, return_std=True), model.win_probability(X[0], X[1]), *ask_slopes(model)]


def ask_slopes(model: Any) -> list[Any]:
    return [model.gradient(X), repr(model.certificate_)] if hasattr(model, "gradient") else []


def ask_linked(model: Any) -> list[Any]:
    return [
        model.mean,
        model.variance(),
        model.covariance([0, 1]),
        model.win_probability(0, 1),
        model.rank().scores,
    ]


def teach(learner: Any) -> Any:
    for row in range(3):
        shown = learner.present(X[:4])
        wanted = np.roll(shown, 1) if np.ndim(shown) else (shown + 1) % 4
        learner.update(X[:4] + row, shown, wanted)
    return learner


def ask_learner(learner: Any) -> list[Any]:
    if isinstance(learner.feature_map, SequenceMap):
        shown = learner.present(SEQUENCE)
        learner.update(SEQUENCE, shown, 1 - shown)
    else:
        teach(learner)
    return [learner.present(SEQUENCE if isinstance(learner.feature_map, SequenceMap) else X), learner.weights]


def ask_named(learner: Any) -> list[Any]:
    films = [{"funny": 1.0}, {"long": 2.0, "old": 1.0}]
    learner.update(films, presented=[1, 0], answer=[0])
    return [learner.scores(films), learner.present(films), list(learner.weights.values())]


def ask_map(kind: Any) -> list[Any]:
    if isinstance(kind, SequenceMap):
        return [kind.joint(SEQUENCE, [0, 1, 0]), kind.argmax(np.arange(6.0), SEQUENCE)]
    best = kind.argmax(np.arange(3.0), X)
    return [best, kind.joint(X, best)]


def ask_kernel(kernel: Any) -> list[Any]:
    return [kernel(X), kernel(X, X[:2]), kernel.diagonal(X), kernel.theta, repr(kernel)]


def ask_preferences(prefs: Any) -> list[Any]:
    said = prefs.comparisons()
    return [
        said.better,
        said.weight,
        prefs.tallies(),
        prefs.n_pairs,
        repr(prefs),
        prefs.items,
        prefs.components(),
    ]


def ask_loss(loss: Any) -> list[Any]:
    return [loss.value([-1.0]), loss.derivative([-1.0]), loss.slope]


def ask_result(result: Any) -> list[Any]:
    frame = [result.to_frame()] if hasattr(result, "to_frame") else []
    return [repr(result), str(result), *map(repr, frame)]


def ask_ranking(ranking: Any) -> list[Any]:
    return [ranking.scores, repr(ranking), ranking.to_json(), ranking.top(2), repr(ranking.to_frame())]


def taught_sequences() -> Any:
    learner = PreferencePerceptron(SequenceMap(2), 6)
    shown = learner.present(SEQUENCE)
    return learner.update(SEQUENCE, shown, 1 - shown)


def replayed() -> Any:
    learner = named()
    return Replay(
        learner,
        ("old",),
        np.array([1.0, np.nan]),
        np.array([0.5, np.nan]),
        np.array([1, 0]),
        np.array([1, 0]),
        10,
    )


def named() -> Any:
    learner = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    return learner.update([{"funny": 1.0}, {"long": 2.0}], presented=[1, 0], answer=[0])


def scaled() -> Any:
    learner = NamedLearner(
        ConvexPerceptron(ItemMap(), 3), ["funny", "long", "genre=noir"], scaling={"long": (0.0, 2.0)}
    )
    return learner.update([{"funny": 1.0}, {"long": 2.0, "genre": "noir"}], presented=[1, 0], answer=[0])


def tracked() -> Any:
    tracker = WeightTracker()
    for weights in ([1.0], [2.0, 1.0], [3.0, -1.0]):
        tracker.add(np.array(weights))
    return tracker


def progressed() -> Any:
    tracker = ProgressTracker()
    for first in (True, False, True):
        tracker.add(first=first, ndcg=0.5)
    return tracker


def classifiers() -> Iterator[Any]:
    yield None
    yield make_pipeline(StandardScaler(), LogisticRegression(C=2.0))
    yield make_pipeline(MinMaxScaler(), RidgeClassifier())
    yield make_pipeline(RobustScaler(), LinearSVC())
    yield SGDClassifier(random_state=0)
    yield LinearDiscriminantAnalysis()
    yield GaussianNB()
    yield SVC()
    yield SVC(kernel="linear", decision_function_shape="ovo")


@cache
def examples() -> tuple[Example, ...]:
    """Return one or more examples of every class that can be saved."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(_examples())


def _examples() -> Iterator[Example]:
    yield from _worth()
    yield from _rankers()
    yield from _coactive()
    yield from _processes()
    yield from _results()


def _worth() -> Iterator[Example]:
    yield Example(BradleyTerry().fit(answers()), ask_worth)
    yield Example(BradleyTerry(errors="judge").fit(answers()), ask_worth)
    yield Example(BradleyTerry(0.0, errors="row").fit(rankings()), ask_worth)
    yield Example(worth_with_covariates(), lambda model: [*ask_worth(model), *ask_effects(model.effects_)])
    yield Example(worth_with_covariates().kept_, lambda rows: [rows.covariates, rows.covariate_names])
    yield Example(worth_with_covariates().effects_, ask_effects)
    yield Example(worth_with_features(), ask_features)
    yield Example(BradleyTerry(), lambda model: ask_worth(model.fit(answers())))
    yield Example(Thurstone().fit(answers()), ask_worth)
    yield Example(PlackettLuce().fit(rankings()), ask_worth)
    yield Example(CrowdBradleyTerry().fit(answers()), ask_crowd)
    yield Example(Elo(start={"a": 1600, "b": (1400.0, 50.0)}).fit(answers()), ask_worth)
    yield Example(Glicko().fit(answers()), ask_worth)
    yield Example(Glicko2().fit(answers()), ask_worth)
    yield Example(WinRate().fit(decided()), ask_worth)
    yield Example(CrowdBradleyTerry().fit(answers()).judges(), ask_result)


def _rankers() -> Iterator[Example]:
    yield Example(RankSVM().fit(X, GRADES, qid=QUERIES), ask_pairwise)
    yield Example(RankSVM(kernel="rbf").fit(X, GRADES), ask_pairwise)
    yield Example(RankSVM(kernel="poly", on="differences").fit_pairs(X, PAIRS), ask_pairwise)
    yield Example(RankSVM(kernel="rbf").fit(sparse.csr_array(X), GRADES), ask_pairwise)
    yield Example(RankBoost(3).fit(X, GRADES), ask_boost)
    yield Example(RankBoost(5, n_iter_no_change=2, validation=0.5).fit(X, GRADES, qid=QUERIES), ask_boost)
    for classifier in classifiers():
        yield Example(PairwiseRanker(classifier).fit_pairs(X, PAIRS), ask_pairwise)
    yield Example(PairwiseRanker(features="difference", order="exact").fit(X, GRADES), ask_pairwise)
    yield Example(LabelRanker().fit(X, RANKS), ask_labels)
    yield Example(LabelRanker(SVC()).fit(X, RANKS), ask_labels)
    yield Example(NearestLabelRanker(3).fit(X, RANKS), ask_labels)
    yield Example(OrdinalRegression().fit(X, GRADES), ask_ordinal)
    texts = np.array(["low", "mid", "high", "top"])
    yield Example(OrdinalRegression(categories=texts.tolist()).fit(X, texts[GRADES]), ask_ordinal)
    many = np.tile(X, (5, 1))
    curve = learning_curve(RankSVM(), many, np.tile(GRADES, 5), qid=np.repeat(np.arange(10), 4), sizes=[2, 4])
    yield Example(curve, ask_result)


def _coactive() -> Iterator[Example]:
    yield Example(teach(PreferencePerceptron(RankingMap(3), 3, batch=2)), ask_learner)
    yield Example(teach(PreferencePerceptron(ItemMap(), 3, averaged=True, forget=0.1)), ask_learner)
    yield Example(taught_sequences(), ask_learner)
    yield Example(teach(PerturbedPerceptron(RankingMap(), 3, seed=1)), ask_learner)
    yield Example(teach(ExponentiatedPerceptron(RankingMap(), 3, bound=2.0)), ask_learner)
    yield Example(teach(ConvexPerceptron(ItemMap(), 3, radius=2.0)), ask_learner)
    yield Example(teach(SecondOrderPerceptron(RankingMap(), 3, radius=0.5)), ask_learner)
    yield Example(teach(ConvexPerceptron(RankingMap(), 3, forget=0.1)), ask_learner)
    yield Example(named(), ask_named)
    yield Example(scaled(), lambda learner: [learner.weights, learner.scores([{"long": 1, "genre": "noir"}])])
    yield Example(scaled().scaling, ask_result)
    yield Example(tracked(), lambda tracker: [tracker.report(["a", "b"], np.ones(2)), tracker.rounds])
    yield Example(tracked().report(["a", "b"], np.array([1.0, 2.0])), ask_result)
    yield Example(progressed(), lambda tracker: [tracker.progress(), tracker.rounds])
    yield Example(progressed().progress(), ask_result)
    yield Example(Interleaving.of(3, 1, 2), ask_result)
    yield Example(named().why([{"funny": 1.0}, {"long": 2.0}], 0, 1), ask_result)
    for kind in (RankingMap(4, log="base2"), ItemMap(), SequenceMap(2)):
        yield Example(kind, ask_map)
    for loss in (LinearLoss(), QuadraticLoss(2.0), SquaredLoss(2.0)):
        yield Example(loss, ask_loss)
    yield Example(play_lower_bound(PreferencePerceptron(ItemMap(), 4), 4), ask_result)
    yield Example(replayed(), ask_result)


def _processes() -> Iterator[Example]:
    fitted = PreferenceGP(optimizer=None).fit_pairs(X, PAIRS)
    yield Example(fitted, ask_gp)
    averaged = PreferenceGP(SquaredExponential()).fit_pairs(X, PAIRS)
    yield Example(averaged, ask_gp)
    yield Example(averaged.components_[-1], lambda found: [found.shift(X, averaged.features_)])
    by_laplace = PreferenceGP(
        Matern32() + WhiteNoise(), inference="laplace", likelihood="logit", mean=[1.0, 0.0, 0.0]
    )
    yield Example(by_laplace.fit_pairs(X, PAIRS), ask_gp)
    monotone = MonotoneGP(increasing=[0], decreasing=[1], lengthscale=1.0, scale=0.5, noise=0.5).fit_pairs(
        X, PAIRS
    )
    yield Example(monotone, ask_gp)
    yield Example(monotone.certificate_, ask_result)
    yield Example(monotone.smooth_, lambda part: [part.value(X), part.variance(X), part.gradient(X)])
    links = np.zeros((8, 8))
    links[[0, 1, 2, 3], [1, 0, 3, 2]] = 1.0
    yield Example(LinkedGP(nugget=0.1).fit(X, links).update(*PAIRS.T), ask_linked)
    yield Example(
        LinkedGP(inducing=3, threshold=0.1).fit(X, qid=QUERIES).update(*PAIRS[:3].T).refresh(), ask_linked
    )
    yield Example(LinkedGP().fit(covariance=np.eye(4)).update(0, 1), ask_linked)
    yield Example(LinkedGP().fit(n_items=3), ask_linked)
    kernels = (
        SquaredExponential((1.0, 2.0, 3.0)),
        Matern12(),
        Matern32(2.0, 0.5),
        Matern52(),
        Linear(),
        WhiteNoise(0.1),
    )
    for kernel in (*kernels, Linear() + WhiteNoise(), Matern12() * Linear(2.0)):
        yield Example(kernel, ask_kernel)
    fixed = PreferenceGP(SquaredExponential(), optimizer=None)
    generalised = cross_validated(fixed, X, PAIRS, folds=3)
    yield Example(generalised, ask_result)
    yield Example(generalised.seen, ask_result)
    yield Example(gp_curve(fixed, X, PAIRS, [3, 5], repeats=2), ask_result)


def _results() -> Iterator[Example]:
    for prefs in (answers(), decided(), rankings(), Preferences.from_clicks([["a", "b", "c"]], [["c"]])):
        yield Example(prefs, ask_preferences)
    yield Example(answers().catalogue, lambda items: [items.ids, items.count])
    yield Example(answers().comparisons(), lambda said: [said.better, said.weight])
    yield Example(Ranking.from_scores(["a", "b"], [1.0, 2.0]), ask_ranking)
    yield Example(WinRate().fit(decided()).rank(), ask_ranking)
    barred = Ranking.from_scores(
        ["a", "b"], [1.0, 2.0], variance=[1.0, 1.0], bar=1.5, bar_interval=(0.1, 2.9)
    )
    yield Example(barred, ask_ranking)
    yield Example(barred.threshold, lambda found: [found.score, found.lower, found.upper, found.above])
    yield Example(calibration_table([1, 0, 1], [0.9, 0.2, 0.6], n_bins=2), ask_result)
    found = evaluate(GRADES, np.arange(8), qid=QUERIES)
    yield Example(found, ask_result)
    yield Example(found.figures[0], ask_result)
    compared = compare(GRADES, np.arange(8), -np.arange(8), qid=QUERIES)
    yield Example(compared, ask_result)
    yield Example(compared.differences[0], ask_result)
    yield Example(pair_accuracy(GRADES, np.arange(8)), lambda found: [found.accuracy, found.concordance])
    yield Example(pair_counts([1, 2, 3], [2, 1, 3]), ask_result)
    belief = BradleyTerry().fit(decided())
    yield Example(settled(belief), ask_result)
    yield Example(choose_pair(LinkedGP().fit(n_items=3)), ask_result)


def saveable() -> set[type]:
    """Return every public class that states what its file may hold and can be made."""
    found: set[type] = set()
    for package in iter_modules(penchant.__path__):
        module = import_module(f"penchant.{package.name}")
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            if (
                isinstance(kind, type)
                and hasattr(kind, "__saved__")
                and not getattr(kind, "__abstractmethods__", ())
            ):
                found.add(kind)
    return found
