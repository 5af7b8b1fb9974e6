"""Copies of the models of a coactive study, to and from the bytes of checkpoints and snapshots."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats
from penchant.coactive import WeightTracker

DAMAGES = (ValueError, KeyError, TypeError, BadZipFile, EOFError, NotImplementedError)
"""What `Copy.unpacked` may raise for bytes that are none of `pack`."""
_FOLLOWED = ("mean", "variance", "marks")


@dataclass(frozen=True, eq=False)
class Copy:
    """The models after so many rounds since the checkpoint.

    Attributes
    ----------
    count : int
    names : tuple of str
        The columns of the shared model.
    shared : ndarray
        `NamedLearner.state_row` of the shared model.
    rival : ndarray or None
        That of a second learner.
    users : dict of ndarrays
        By key, those of the users' own models.
    unlearned : int
        Rounds that changed nothing.
    joined : int
        Entries of `State.joining` whose features have joined.
    steadiness : WeightTracker
        Of the shared weights.
    """

    count: int
    names: tuple[str, ...]
    shared: Floats
    rival: Floats | None
    users: dict[str, Floats]
    unlearned: int
    joined: int
    steadiness: WeightTracker

    def without(self, user: str | None) -> Copy:
        """Return a copy without a user's own model."""
        return replace(self, users={key: row for key, row in self.users.items() if key != user})

    def used(self, rival: Sequence[str] | None) -> list[str]:
        """Return the names of the columns that are not 0 in every model; ``rival`` are those of the second learner."""
        names = np.array(self.names, dtype=object)
        width = self._width(self.shared, len(names))
        found = np.zeros(len(names), dtype=bool)
        for row in (self.shared, *self.users.values()):
            nonzero = _nonzero(row, width)[: len(names)]
            found[: nonzero.size] |= nonzero
        followed = self.steadiness.__save_state__()
        for name in _FOLLOWED:
            found[: followed["mean"].size] |= np.atleast_2d(followed[name]).any(axis=0)
        used = set(names[found].tolist())
        if self.rival is not None and rival is not None:
            weighted = _nonzero(self.rival, self._width(self.rival, len(rival)))[: len(rival)]
            used |= {name for name, nonzero in zip(rival, weighted.tolist(), strict=True) if nonzero}
        return [name for name in self.names if name in used]

    def cut(self, kept: Collection[str], rival: Sequence[str] | None) -> Copy:
        """Return a copy with the columns of these names alone, in their order."""
        wanted = set(kept)
        mask = np.array([name in wanted for name in self.names], dtype=bool)
        width = self._width(self.shared, len(self.names))
        followed = self.steadiness.__save_state__()
        narrow = {name: followed[name][..., mask[: followed["mean"].size]] for name in _FOLLOWED}
        second = self.rival
        if second is not None and rival is not None:
            stay = np.array([name in wanted for name in rival], dtype=bool)
            second = _cut(second, stay, self._width(second, len(rival)))
        return replace(
            self,
            names=tuple(name for name in self.names if name in wanted),
            shared=_cut(self.shared, mask, width),
            rival=second,
            users={key: _cut(row, mask, width) for key, row in self.users.items()},
            steadiness=WeightTracker.__load_state__({"rounds": followed["rounds"], **narrow}),
        )

    @staticmethod
    def _width(row: Floats, n_names: int) -> int:
        """Return how many numbers a row has for each feature; there is a column where there is no name yet."""
        return (row.size - 2) // max(1, n_names)

    def pack(self) -> bytes:
        """Return the models as bytes."""
        plain: dict[str, Any] = {
            "names": self.names,
            "users": list(self.users),
            "lengths": [len(row) for row in self.users.values()],
            "unlearned": self.unlearned,
            "joined": self.joined,
        }
        arrays: dict[str, Any] = {
            "shared": self.shared,
            "rival": np.empty(0) if self.rival is None else self.rival,
            "rows": np.concatenate(list(self.users.values())) if self.users else np.empty(0),
        }
        followed = self.steadiness.__save_state__()
        plain["followed"] = followed.pop("rounds")
        arrays |= {f"followed_{name}": value for name, value in followed.items()}
        arrays["json"] = np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8)
        file = BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        return file.getvalue()

    @classmethod
    def unpacked(cls, content: bytes, count: int) -> Copy:
        """Return what `pack` wrote, after so many rounds."""
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        plain = json.loads(arrays["json"].tobytes())
        ends = np.cumsum([0, *plain["lengths"]])
        rows = [arrays["rows"][start:end].copy() for start, end in pairwise(ends.tolist())]
        users = dict(zip(plain["users"], rows, strict=True))
        rival = arrays["rival"] if arrays["rival"].size else None
        followed = {name: arrays[f"followed_{name}"] for name in _FOLLOWED}
        steadiness = WeightTracker.__load_state__({"rounds": plain["followed"], **followed})
        names, unlearned, joined = tuple(plain["names"]), plain["unlearned"], plain["joined"]
        return cls(count, names, arrays["shared"], rival, users, unlearned, joined, steadiness)


def _table(row: Floats, width: int) -> Floats:
    """Return the numbers of each feature, shape (n_features, width)."""
    return row[2:].reshape(-1, width)


def _nonzero(row: Floats, width: int) -> NDArray[np.bool_]:
    """Return for each feature whether one of its numbers is not 0."""
    return np.asarray(_table(row, width).any(axis=1))


def _cut(row: Floats, mask: NDArray[np.bool_], width: int) -> Floats:
    """Return a state row with the features of the mask; rows from before features joined are shorter."""
    table = _table(row, width)
    return np.concatenate((row[:2], table[: mask.size][mask[: len(table)]].ravel()))
