"""The context of one round: candidates, and the utilities of the objects made of them.

The learner sees ``features``. The user knows the utility of each candidate, w*ᵀx, and its grade: the label of
a document, the rating of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, numbers, shown, vector
from penchant.coactive import RankingMap
from penchant.coactive.features import finite
from penchant.coactive.maps import quick_order
from penchant.errors import InvalidInput


class Context(Protocol):
    """What users need of a context, of rankings, items or another structure.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import Items
    >>> offer: Context = Items(np.zeros((3, 1)), [1.0, 3.0, 2.0], [1, 3, 2])
    >>> offer.utility(0), offer.best_utility
    (1.0, 3.0)
    """

    @property
    def features(self) -> Any:
        """What the learner is given."""

    @property
    def best_utility(self) -> float:
        """The utility of the best object, eq. 3."""

    def known(self, presented: Any) -> Any:
        """Return the presented object; raise where it does not belong to this context."""

    def utility(self, presented: Any) -> float:
        """The utility of an object, eq. 8."""

    def drawn(self, random: np.random.Generator) -> Any:
        """Draw an object, all being equally likely."""


@dataclass(frozen=True, eq=False)
class _Candidates:
    """What the learner sees and the user knows of each candidate."""

    features: Floats
    utilities: Floats
    grades: Floats

    def __post_init__(self) -> None:
        """Take clean arrays, one entry a candidate."""
        features = self.features
        ready = isinstance(features, np.ndarray) and features.dtype.kind == "f"
        with np.errstate(over="ignore"):  # in the sum of squares
            if not ready or not finite(features.reshape(-1)):
                features = numbers("features", features)
        if features.ndim != 2 or not len(features):
            raise InvalidInput(
                f"features must be a matrix with at least 1 row, got shape {features.shape}: give one row a candidate"
            )
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "utilities", vector("utility", self.utilities, length=len(features)))
        object.__setattr__(self, "grades", vector("grade", self.grades, length=len(features)))


@dataclass(frozen=True, eq=False)
class Documents(_Candidates):
    """The documents of one query; an object is an order of all of them, best first.

    Parameters
    ----------
    features : ndarray of shape (n_documents, n_features)
    utilities : ndarray of shape (n_documents,)
        w*ᵀx of each document.
    grades : ndarray of shape (n_documents,)
        The relevance label of each.
    feature_map : RankingMap
        Whose discounts turn documents' utilities into those of rankings, eq. 21.

    Examples
    --------
    >>> query = Documents([[1.0], [3.0], [2.0]], [1.0, 3.0, 2.0], [0, 2, 1], RankingMap(2, log="base2"))
    >>> query.utility([0, 1, 2]), query.best_utility
    (2.8927892607143724, 4.2618595071429155)
    """

    feature_map: RankingMap

    @property
    def depth(self) -> int:
        """How many positions count."""
        return self.feature_map.depth

    def known(self, presented: ArrayLike) -> Ints:
        """Return the order as integers; raise where it is no order of the documents."""
        return quick_order("presented", presented, len(self.utilities))

    def utility(self, presented: ArrayLike) -> float:
        """The utility of an order, eq. 8 and 21."""
        return self._discounted(self.utilities, presented)

    def dcg(self, presented: ArrayLike) -> float:
        """The discounted grades of an order, to the depth of the feature map."""
        return self._discounted(self.grades, presented)

    @cached_property
    def best_utility(self) -> float:
        """The utility of the documents in the order of theirs."""
        return self.utility(np.argsort(-self.utilities, kind="stable"))

    @cached_property
    def best_dcg(self) -> float:
        """The DCG of the documents in the order of their grades."""
        return self.dcg(np.argsort(-self.grades, kind="stable"))

    def drawn(self, random: np.random.Generator) -> Ints:
        """Draw an order."""
        return random.permutation(len(self.utilities))

    def _discounted(self, values: Floats, presented: ArrayLike) -> float:
        discounts = self.feature_map.discounts
        top = self.known(presented)[: len(discounts)]
        return float(values[top] @ discounts[: len(top)])


class Items(_Candidates):
    """The items still on offer; an object is the index of one. Grades are the user's ratings.

    Parameters
    ----------
    features, utilities, grades
        As in `Documents`.

    Examples
    --------
    >>> offer = Items([[1.0], [3.0], [2.0]], [1.2, 3.4, 2.1], [1, 3, 2])
    >>> offer.utility(0), offer.best_utility
    (1.2, 3.4)
    """

    def known(self, presented: Any) -> int:
        """Return the index; raise where there is no such item."""
        last = len(self.utilities) - 1
        whole = isinstance(presented, int | np.integer) and not isinstance(presented, bool)
        if not whole or not 0 <= presented <= last:
            raise InvalidInput(
                f"presented must be an item from 0 to {last}, got {shown(presented)}: give the index of one"
            )
        return int(presented)

    def utility(self, presented: Any) -> float:
        """The utility of an item; of two that were presented together, the mean."""
        items = presented if np.ndim(presented) else [presented]
        return float(np.mean([self.utilities[self.known(item)] for item in items]))

    @cached_property
    def best_utility(self) -> float:
        """The largest utility."""
        return float(self.utilities.max())

    def drawn(self, random: np.random.Generator) -> int:
        """Draw an item."""
        return int(random.random() * len(self.utilities))


def refuse_other_than(kind: type, context: Any, user: Any) -> None:
    """Raise where a user cannot answer in this kind of context."""
    if not isinstance(context, kind):
        raise InvalidInput(
            f"{type(user).__name__} must be asked about {kind.__name__}, got {type(context).__name__}: "
            "play a user of this setting"
        )
