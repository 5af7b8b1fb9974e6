"""Prediction errors of a model on held-out comparisons: cross-validation and learning curves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, shown, whole
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.feature_utility import TrainingData
from penchant.progress import part, step_done
from penchant.schema import Array, Instance, Number, Schema, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class HeldOut(EqualNaN):
    """Prediction errors on held-out comparisons.

    Attributes
    ----------
    count : int
        The number of comparisons.
    log_loss : float
        The mean of −log P(answer); log 2 is that of a coin.
    accuracy : float
        The share of answers that had a probability above ½; those of exactly ½ count half.
    log_loss_se, accuracy_se : float
        Standard errors, with answers taken as independent; NaN below two answers.

    Examples
    --------
    >>> HeldOut(count=40, log_loss=0.41, accuracy=0.82, log_loss_se=0.05, accuracy_se=0.06).accuracy
    0.82
    """

    __saved__: ClassVar = Schema(
        {
            "count": Whole(0),
            "log_loss": Number(0, nan=True),
            "accuracy": Number(0, 1, nan=True),
            "log_loss_se": Number(0, nan=True),
            "accuracy_se": Number(0, nan=True),
        }
    )

    count: int
    log_loss: float
    accuracy: float
    log_loss_se: float
    accuracy_se: float

    @classmethod
    def of(cls, probability: Floats) -> Self:
        """Return the errors of the predicted probabilities (k,) of the answers."""
        loss = -np.log(np.maximum(probability, np.finfo(float).tiny))
        right = np.where(probability == 0.5, 0.5, probability > 0.5)
        return cls(len(probability), _mean(loss), _mean(right), _standard_error(loss), _standard_error(right))


@dataclass(frozen=True)
class Generalisation:
    """Errors by cross-validation: on pairs that were compared in training too, on other pairs, and on all.

    Examples
    --------
    >>> held = HeldOut(count=40, log_loss=0.41, accuracy=0.82, log_loss_se=0.05, accuracy_se=0.06)
    >>> Generalisation(seen=held, unseen=held, overall=held).unseen.count
    40
    """

    __saved__: ClassVar = Schema({name: Instance(HeldOut) for name in ("seen", "unseen", "overall")})

    seen: HeldOut
    unseen: HeldOut
    overall: HeldOut

    def to_frame(self) -> DataFrame:
        """Return a table with the rows seen, unseen and overall."""
        from pandas import DataFrame

        rows = {name: vars(getattr(self, name)) for name in ("seen", "unseen", "overall")}
        return DataFrame.from_dict(rows, orient="index")

    def __repr__(self) -> str:
        lines = [f"{'':8}{'count':>8}{'log loss':>18}{'accuracy':>18}"]
        for name in ("seen", "unseen", "overall"):
            kind: HeldOut = getattr(self, name)
            loss = f"{kind.log_loss:.3f} ± {kind.log_loss_se:.3f}"
            right = f"{kind.accuracy:.3f} ± {kind.accuracy_se:.3f}"
            lines.append(f"{name:8}{kind.count:8,}{loss:>18}{right:>18}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Errors on held-out comparisons by the number of training comparisons; arrays of shape (n_sizes,).

    Standard errors are over the repeats.

    Examples
    --------
    >>> from penchant.gp import PreferenceGP
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(12, 1))
    >>> pairs = [(a, b) for a in range(12) for b in range(12) if X[a, 0] > X[b, 0] + 0.2]
    >>> curve = learning_curve(PreferenceGP(optimizer=None), X, pairs, [5, 20], repeats=2)
    >>> curve.size.tolist(), bool(curve.accuracy[-1] > 0.8)
    ([5, 20], True)
    """

    __saved__: ClassVar = Schema(
        {
            "size": Array(("n",), "int64", least=1),
            **{
                name: Array(("n",), least=0, nan=True)
                for name in ("log_loss", "log_loss_se", "accuracy", "accuracy_se")
            },
        }
    )

    size: Ints
    log_loss: Floats
    log_loss_se: Floats
    accuracy: Floats
    accuracy_se: Floats

    def to_frame(self) -> DataFrame:
        """Return a table with a row for each size."""
        from pandas import DataFrame

        return DataFrame(vars(self)).set_index("size")

    def __repr__(self) -> str:
        return self.to_frame().round(3).to_string()


def cross_validated(
    model: Any, X: Any, pairs: Any, *, weight: ArrayLike | None = None, folds: int = 5, seed: int = 0
) -> Generalisation:
    """Fit to all folds of the comparisons but one, and predict that one, for each fold.

    Parameters
    ----------
    model : PreferenceGP or MonotoneGP
        Only its settings are used.
    X, pairs, weight
        As in ``fit_pairs``; ties are left out.
    folds : int
    seed : int
        Of the draw of the folds.

    Examples
    --------
    >>> from penchant.gp import MonotoneGP
    >>> X = np.linspace(0, 1, 6)[:, None]
    >>> pairs = [(i, j) for i in range(6) for j in range(i)] * 2 + [(0, 1), (2, 4)]
    >>> cross_validated(MonotoneGP(increasing=0, lengthscale=0.5, scale=0.2, noise=0.1), X, pairs)
               count          log loss          accuracy
    seen          30     0.278 ± 0.141     0.933 ± 0.046
    unseen         2     0.020 ± 0.000     1.000 ± 0.000
    overall       32     0.261 ± 0.132     0.938 ± 0.043
    """
    data = TrainingData.of(X, pairs, weight)
    answers = data.answers.decided()
    n_pairs = len(answers.pairs)
    whole("folds", folds, least=2)
    if folds > n_pairs:
        raise InvalidInput(
            f"folds must be from 2 to the {n_pairs:,} comparisons, got {shown(folds)}: correct it"
        )
    fold = np.random.default_rng(seed).permutation(np.arange(n_pairs) % folds)
    probability, seen = np.empty(n_pairs), np.empty(n_pairs, dtype=bool)
    code = np.sort(answers.pairs, axis=1) @ [len(data.rows), 1]
    for place in range(folds):
        held = fold == place
        with part(place, folds):
            probability[held] = _predicted(model, data, answers[~held], answers[held])
        step_done(place + 1, folds)
        seen[held] = np.isin(code[held], code[~held])
    return Generalisation(
        HeldOut.of(probability[seen]), HeldOut.of(probability[~seen]), HeldOut.of(probability)
    )


def learning_curve(
    model: Any,
    X: Any,
    pairs: Any,
    sizes: Sequence[int],
    *,
    weight: ArrayLike | None = None,
    repeats: int = 5,
    seed: int = 0,
) -> LearningCurve:
    """Predict a fifth of the comparisons from more and more of the others.

    Parameters
    ----------
    model, X, pairs, weight, seed
        As in `cross_validated`.
    sizes : sequence of int
        Numbers of training comparisons, at most four fifths of all.
    repeats : int
        The number of random divisions.

    Examples
    --------
    >>> from penchant.gp import PreferenceGP
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(12, 1))
    >>> pairs = [(a, b) for a in range(12) for b in range(12) if X[a, 0] > X[b, 0] + 0.2]
    >>> learning_curve(PreferenceGP(optimizer=None), X, pairs, [5, 20], repeats=2).accuracy.shape
    (2,)
    """
    data = TrainingData.of(X, pairs, weight)
    answers = data.answers.decided()
    n_pairs = len(answers.pairs)
    n_held = max(1, n_pairs // 5)
    if not len(sizes) or not 1 <= min(sizes) <= max(sizes) <= n_pairs - n_held or repeats < 1:
        raise InvalidInput(
            f"sizes must be from 1 to {n_pairs - n_held:,}, which is what a fifth held out leaves, and repeats "
            f"at least 1, got {shown(list(sizes))} and {repeats}: correct them"
        )
    rng = np.random.default_rng(seed)
    errors = np.empty((repeats, len(sizes), 2))
    for repeat in range(repeats):
        order = rng.permutation(n_pairs)
        for place, size in enumerate(sizes):
            training, test = answers[order[n_held : n_held + size]], answers[order[:n_held]]
            done, total = repeat * len(sizes) + place, repeats * len(sizes)
            with part(done, total):
                held = HeldOut.of(_predicted(model, data, training, test))
            step_done(done + 1, total)
            errors[repeat, place] = held.log_loss, held.accuracy
    loss, right = errors.mean(axis=0).T
    loss_se, right_se = np.array(
        [[_standard_error(each) for each in kind.T] for kind in errors.T.swapaxes(1, 2)]
    )
    return LearningCurve(np.array(sizes), loss, loss_se, right, right_se)


def _predicted(model: Any, data: TrainingData, training: Answers, test: Answers) -> Floats:
    """Return the probability of ``test`` answers under the model fitted to ``training`` answers, shape (k,)."""
    copy = type(model)(**model.get_params())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # about a part of the answers only
        copy._fit(replace(data, answers=training))
    better, worse = test.pairs.T
    return np.asarray(copy.win_probability(data.rows[better], data.rows[worse]))


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _standard_error(values: Any) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
