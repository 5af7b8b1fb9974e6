"""Scale features by constants that are given or computed once, and never learned from the stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from penchant.checks import Floats, Ints, check_number, shown
from penchant.coactive.encoding import LARGEST, Features, NamedMatrix, entries
from penchant.coactive.features import matrix
from penchant.errors import InvalidInput
from penchant.schema import Array, Schema, Texts

if TYPE_CHECKING:
    from pandas import DataFrame

_SMALLEST = 1e-100
_BLOCK = 10_000  # candidates that are looked at together


@dataclass(frozen=True, eq=False)
class Scaling:
    """Replace each value x of a feature by (x − centre) / scale; a feature that is not named stays as it is.

    A centre other than 0 moves the scores of all candidates of a context by the same amount: it changes no ranking, and
    makes sparse features dense. A scale changes how fast a feature is learned.

    Attributes
    ----------
    names : tuple of str
        The features that are scaled; of a category its indicators ``name=value``.
    centres, scales : ndarrays of shape (n_names,)
        Scales are above 0.

    Examples
    --------
    >>> Scaling.given({"price": (10.0, 2.0), "stars": (0, 5)})
    Scaling(price: (x − 10) / 2, stars: x / 5)
    """

    __saved__: ClassVar = Schema(
        {
            "names": Texts("n"),
            "centres": Array(("n",)),
            "scales": Array(("n",), least=_SMALLEST),
        }
    )

    names: tuple[str, ...]
    centres: Floats
    scales: Floats

    @classmethod
    def given(cls, constants: Mapping[str, tuple[float, float]]) -> Self:
        """Return a scaling by constants, ``{name: (centre, scale)}``."""
        if not isinstance(constants, Mapping):
            raise InvalidInput.of(
                "scaling", "map names to (centre, scale)", shown(constants), 'give {"price": (0.0, 10.0)}'
            )
        pairs = [_pair(name, constant) for name, constant in constants.items()]
        table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        return cls(tuple(constants), table[:, 0].copy(), table[:, 1].copy())

    @classmethod
    def of(cls, features: Iterable[Features] | NamedMatrix, *, centre: bool = False) -> Self:
        """Return the scaling that gives each feature of these candidates a standard deviation of 1.

        Parameters
        ----------
        features : sequence of mappings of names to values, or NamedMatrix
            Candidates such as the learner will see; a feature that one does not name is 0 there.
        centre : bool, default False
            Whether to give each a mean of 0 as well.

        Notes
        -----
        A feature that is the same everywhere keeps a scale of 1.

        Examples
        --------
        >>> Scaling.of([{"price": 10.0}, {"price": 14.0, "new": True}])
        Scaling(price: x / 2, new: x / 0.5)
        """
        names, means, deviations = _moments(features)
        varied = deviations > np.maximum(_SMALLEST, 1e-12 * np.abs(means))
        return cls(names, means if centre else np.zeros(len(names)), np.where(varied, deviations, 1.0))

    @property
    def centred(self) -> bool:
        """Whether some centre is not 0."""
        return bool(self.centres.any())

    def constants(self, names: Iterable[str]) -> tuple[Floats, Floats]:
        """Return centres and scales for these names: 0 and 1 for one that is not scaled."""
        place = {name: index for index, name in enumerate(self.names)}
        rows = np.array([place.get(name, -1) for name in names], dtype=np.int64)
        centres, scales = np.append(self.centres, 0.0), np.append(self.scales, 1.0)
        return centres[rows], scales[rows]

    def to_frame(self) -> DataFrame:
        """Return the constants as a table, one row a feature."""
        from pandas import DataFrame

        return DataFrame({"feature": self.names, "centre": self.centres, "scale": self.scales})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaling) and self.to_rows() == other.to_rows()

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        parts = [
            f"{name}: {f'(x − {centre:g})' if centre else 'x'} / {scale:g}"
            for name, centre, scale in self.to_rows()
        ]
        return f"Scaling({', '.join(parts[:6])}{', …' if len(parts) > 6 else ''})"

    def to_rows(self) -> list[tuple[str, float, float]]:
        """Return (name, centre, scale) of each feature."""
        return list(zip(self.names, self.centres.tolist(), self.scales.tolist(), strict=True))

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


def _pair(name: Any, constant: Any) -> tuple[float, float]:
    if not isinstance(name, str) or not isinstance(constant, tuple | list) or len(constant) != 2:
        raise InvalidInput.of(
            f"scaling of {shown(name)}", "be a pair (centre, scale)", shown(constant), "give two numbers"
        )
    centre = check_number(f"centre of {shown(name)}", constant[0], least=-LARGEST, most=LARGEST)
    return centre, check_number(f"scale of {shown(name)}", constant[1], least=_SMALLEST, most=LARGEST)


def _moments(features: Iterable[Features] | NamedMatrix) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the names, means and standard deviations of features, reading only what is not 0 of sparse ones."""
    if isinstance(features, NamedMatrix):
        X, names = matrix(features.values), tuple(features.names)
        if isinstance(X, np.ndarray):
            return names, X.mean(axis=0), X.std(axis=0)
        return names, *_deviations(_Moments().plus(X.indices, X.data, X.shape))
    column: dict[str, int] = {}
    total, rows = _Moments(), iter(features)
    while block := list(islice(rows, _BLOCK)):
        found = entries(block)
        for name in found.names:
            column.setdefault(name, len(column))
        places = np.array([column[name] for name in found.names], dtype=np.int64)
        total = total.plus(places, found.values, (len(block), len(column)))
    if not total.n:
        raise InvalidInput.of(
            "features", "hold at least one candidate", "none", "give candidates to scale by"
        )
    return tuple(column), *_deviations(total)


class _Moments(NamedTuple):
    """The number of rows, and of each column the mean and the sum of squared differences from it."""

    n: int = 0
    means: Floats = np.zeros(0)
    squares: Floats = np.zeros(0)

    def plus(self, columns: Ints, values: Floats, shape: tuple[int, int]) -> _Moments:
        """Return the moments with more rows, given by their entries; columns may join, which were 0 before."""
        n, width = shape
        means = np.bincount(columns, values, minlength=width) / n
        present = np.bincount(columns, (values - means[columns]) ** 2, minlength=width)
        squares = present + (n - np.bincount(columns, minlength=width)) * means**2
        missing = (0, width - self.means.size)
        steps = means - np.pad(self.means, missing)
        total = self.n + n
        merged = np.pad(self.squares, missing) + squares + steps**2 * (self.n * n / total)
        return _Moments(total, np.pad(self.means, missing) + steps * (n / total), merged)


def _deviations(moments: _Moments) -> tuple[Floats, Floats]:
    return moments.means, np.sqrt(moments.squares / moments.n)
