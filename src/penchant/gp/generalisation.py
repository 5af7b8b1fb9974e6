"""What is learned about comparisons not yet made. A model and answers in, errors out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, shown, whole
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp.inference.answers import Answers, answers_about
from penchant.gp.inference.columns import Columns
from penchant.schema import Array, Instance, Number, Schema, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class HeldOut(EqualNaN):
    """How well comparisons were foretold that a model had not seen.

    Attributes
    ----------
    count : int
        How many.
    log_loss : float
        The mean of −log P(what was answered); log 2 is what a coin has.
    accuracy : float
        The share of answers that had more than even chances; even ones count half.
    log_loss_se, accuracy_se : float
        Their standard errors, answers taken as independent; NaN below two answers.
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
    def of(cls, chance: Floats) -> Self:
        """Return the errors of chances (k,) that were given to what was then answered."""
        loss = -np.log(np.maximum(chance, np.finfo(float).tiny))
        right = np.where(chance == 0.5, 0.5, chance > 0.5)
        return cls(len(chance), _mean(loss), _mean(right), _standard_error(loss), _standard_error(right))


@dataclass(frozen=True)
class Generalisation:
    """Errors by cross-validation: on pairs that were compared in training too, on other pairs, and on all."""

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
    """Errors on comparisons held out, by how many the model learned from; arrays of shape (n_sizes,).

    Standard errors are over the repeats.
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
    """Learn from all folds of the comparisons but one, and foretell that one, in turn.

    Parameters
    ----------
    model : PreferenceGP or MonotoneGP
        Its settings are used; it stays as it is.
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
    rows, answers = _stated(X, pairs, weight)
    n_pairs = len(answers.pairs)
    whole("folds", folds, least=2)
    if folds > n_pairs:
        raise InvalidInput(
            f"folds must be from 2 to the {n_pairs:,} comparisons, got {shown(folds)}: correct it"
        )
    fold = np.random.default_rng(seed).permutation(np.arange(n_pairs) % folds)
    chance, seen = np.empty(n_pairs), np.empty(n_pairs, dtype=bool)
    code = np.sort(answers.pairs, axis=1) @ [len(rows), 1]
    for held in (fold == part for part in range(folds)):
        chance[held] = _foretold(model, X, answers, ~held, held)
        seen[held] = np.isin(code[held], code[~held])
    return Generalisation(HeldOut.of(chance[seen]), HeldOut.of(chance[~seen]), HeldOut.of(chance))


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
    """Foretell a fifth of the comparisons from ever more of the others.

    Parameters
    ----------
    model : PreferenceGP or MonotoneGP
        Its settings are used; it stays as it is.
    X, pairs, weight
        As in ``fit_pairs``; ties are left out.
    sizes : sequence of int
        From how many comparisons to learn, at most four fifths of all.
    repeats : int
        How often another fifth is drawn.
    seed : int
    """
    _, answers = _stated(X, pairs, weight)
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
            held = HeldOut.of(_foretold(model, X, answers, order[n_held : n_held + size], order[:n_held]))
            errors[repeat, place] = held.log_loss, held.accuracy
    loss, right = errors.mean(axis=0).T
    loss_se, right_se = np.array(
        [[_standard_error(each) for each in kind.T] for kind in errors.T.swapaxes(1, 2)]
    )
    return LearningCurve(np.array(sizes), loss, loss_se, right, right_se)


def _stated(X: Any, pairs: Any, weight: ArrayLike | None) -> tuple[Floats, Answers]:
    rows = Columns.of(X).rows(X)
    answers = answers_about(X, len(rows), pairs, weight)
    return rows, answers.decided()


def _foretold(model: Any, X: Any, answers: Answers, learned: Any, held: Any) -> Floats:
    """Return the chance that the model, taught with some answers, gives to others, shape (k,)."""
    copy = type(model)(**model.get_params())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # of some of the answers: not a word about all
        copy.fit_pairs(X, answers.pairs[learned], weight=answers.weight[learned])
    rows = Columns.of(X).rows(X)
    better, worse = answers.pairs[held].T
    return np.asarray(copy.win_probability(rows[better], rows[worse]))


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _standard_error(values: Any) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
