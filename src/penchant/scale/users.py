"""Learn a coactive model for each of many users on a cluster: a table of events in, a table of weights out.

An event is a presentation to a user: a row for each candidate, with the place at which it was shown and whether it was
clicked. The rows of a user come together in one partition, where the learner of each user takes the presentations in
their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, shown
from penchant.coactive.learner import Learner
from penchant.coactive.maps import ItemMap, RankingMap
from penchant.errors import InvalidInput
from penchant.scale.cluster import connected, dask_modules
from penchant.scale.partitions import named_errors


class EventColumns(NamedTuple):
    """The columns of a table of events."""

    user: str
    round: str
    position: str
    clicked: str
    features: tuple[str, ...]


def learn_users(
    learner: Learner,
    events: Any,
    *,
    user: str = "user",
    round: str = "round",
    position: str = "position",
    clicked: str = "clicked",
    features: Sequence[str] | None = None,
    whole_users: bool = False,
    client: Any = None,
) -> Any:
    """Learn a model for each user from what was presented and clicked, and return a table of weights.

    Each user's learner begins as ``learner`` is, and is moved by each presentation towards the order in which the
    clicked candidates come first, as `penchant.coactive.replay` does.

    Parameters
    ----------
    learner : Learner
        Any learner of `penchant.coactive` with a RankingMap or an ItemMap, and a feature for each column.
    events : dask DataFrame, or path or pattern of Parquet files
        A row for each candidate of each presentation.
    user, round, position, clicked : str
        The columns of the user, of what sorts the presentations of a user (a number or a time), of the place at which
        a candidate was shown (lowest first), and of whether it was clicked.
    features : sequence of str, optional
        The columns of the features. None: all others.
    whole_users : bool, default False
        Whether all rows of a user are in one partition already. If not, the workers exchange them first.
    client : dask.distributed.Client or str, optional
        Only to check the versions of its workers and begin at once there. None: the table is computed when it is used.

    Returns
    -------
    dask DataFrame
        A row for each user: the user, the number of rounds, and a weight for each feature. ``to_parquet`` writes it
        from the workers.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from penchant.coactive import PreferencePerceptron
    >>> events = pd.DataFrame({"user": ["u", "u", "v", "v"], "round": 1, "position": [1, 2, 1, 2],
    ...                        "clicked": [0, 1, 1, 0], "stars": [1.0, 3.0, 2.0, 5.0]})
    >>> weights = learn_users(PreferencePerceptron(RankingMap(), 1), dd.from_pandas(events, npartitions=1))
    >>> weights.compute().sort_values("user").round(2).to_dict("records")
    [{'user': 'u', 'rounds': 1, 'stars': 1.06}, {'user': 'v', 'rounds': 1, 'stars': 0.0}]
    """
    dask_modules()
    import dask.dataframe as dd

    if not isinstance(learner, Learner) or not isinstance(learner.feature_map, RankingMap | ItemMap):
        raise InvalidInput.of(
            "learner",
            "be a coactive learner of rankings or items",
            shown(learner),
            "give one with a RankingMap or an ItemMap",
        )
    table = dd.read_parquet(str(events)) if isinstance(events, str | Path) else events
    if not isinstance(table, dd.DataFrame):
        raise InvalidInput.of(
            "events",
            "be a dask DataFrame or Parquet files",
            shown(events),
            "give dd.from_pandas(table, npartitions=…)",
        )
    columns = _columns(table, (user, round, position, clicked), features, learner)
    table = table[[*columns[:4], *columns.features]]
    if not whole_users and table.npartitions > 1:
        table = table.shuffle(on=user, shuffle_method="tasks")
    found = table.map_partitions(user_weights, learner, columns, meta=_described(table, columns))
    if client is None:
        return found
    with connected(client) as cluster:
        return cluster.client.persist(found)


def _columns(
    table: Any, names: tuple[str, str, str, str], features: Sequence[str] | None, learner: Learner
) -> EventColumns:
    """Return the columns, checked."""
    present = [str(name) for name in table.columns]
    chosen = [name for name in present if name not in names] if features is None else list(features)
    for name in (*names, *chosen):
        if name not in present:
            raise InvalidInput.of(
                "events", f"have a column {name!r}", ", ".join(present[:8]), "name another one"
            )
    if len(chosen) != learner.n_features:
        raise InvalidInput.of(
            "events",
            f"have {learner.n_features:,} features, as the learner",
            f"{len(chosen):,}",
            "name them in features, or make the learner with as many",
        )
    return EventColumns(*names, features=tuple(chosen))


def _described(table: Any, columns: EventColumns) -> Any:
    """Return an empty table of weights, by which Dask knows its columns."""
    described = table._meta[[columns.user]].assign(rounds=np.zeros(0, dtype=np.int64))
    return described.assign(**{name: np.zeros(0) for name in columns.features}).reset_index(drop=True)


def user_weights(
    events: Any, learner: Learner, columns: EventColumns, partition_info: dict[str, Any] | None = None
) -> Any:
    """Return the weights of the users of a partition, whose rows are all there."""
    import pandas as pd

    name = "partition" if partition_info is None else f"partition {partition_info['number']}"
    with named_errors(name):
        rows = _Presentations.of(events, columns)
        differences = rows.differences(learner.feature_map)
        taught = list(_taught(learner, differences, rows.users))
    weights = np.array([own.averaged_weights if own.averaged else own.weights for own in taught])
    table = pd.DataFrame(
        {columns.user: rows.labels, "rounds": np.array([own.rounds for own in taught], dtype=np.int64)}
    )
    features = pd.DataFrame(weights.reshape(len(taught), learner.n_features), columns=list(columns.features))
    return pd.concat([table.astype({columns.user: events[columns.user].dtype}), features], axis=1)


def _taught(learner: Learner, differences: Floats, users: Ints) -> Iterator[Learner]:
    """Yield a learner for each user; ``users[k]`` is where the presentations of user k begin."""
    for start, stop in pairwise(users.tolist()):
        own = learner.copy()
        for difference in differences[start:stop]:
            own.learn_difference(difference)
        yield own


def _check_kinds(events: Any, columns: EventColumns) -> None:
    """Raise where text stands for what must be a number, a time or a truth value: it would be sorted as text."""
    for name, kinds, limit in (
        (columns.round, "biufmM", "hold numbers or times"),
        (columns.position, "biuf", "hold numbers"),
        (columns.clicked, "biuf", "hold true and false, or 1 and 0"),
        *((name, "biuf", "hold numbers") for name in columns.features),
    ):
        if events[name].dtype.kind not in kinds:
            raise InvalidInput.of(name, limit, str(events[name].dtype), "convert the column")


class _Presentations(NamedTuple):
    """Rows of events, sorted by user, presentation and place.

    Attributes
    ----------
    labels : array of shape (n_users,)
    users : ndarray of shape (n_users + 1,)
        Where the presentations of each user begin.
    starts : ndarray of shape (n_presentations + 1,)
        Where the rows of each presentation begin.
    X : ndarray of shape (n_rows, n_features)
    clicked : bool array of shape (n_rows,)
    """

    labels: NDArray[Any]
    users: Ints
    starts: Ints
    X: Floats
    clicked: NDArray[np.bool_]

    @classmethod
    def of(cls, events: Any, columns: EventColumns) -> _Presentations:
        """Sort and check the rows of a table."""
        import pandas as pd

        for name in (columns.user, columns.round, columns.position, columns.clicked, *columns.features):
            missing = np.flatnonzero(events[name].isna().to_numpy())
            if missing.size:
                raise InvalidInput.of(f"{name} of row {missing[0]}", "be there", "nothing", "correct the row")
        _check_kinds(events, columns)
        user, labels = pd.factorize(events[columns.user], sort=True)
        turn = pd.factorize(events[columns.round], sort=True)[0]
        order = np.lexsort((events[columns.position].to_numpy(), turn, user))
        user, turn = user[order], turn[order]
        place = events[columns.position].to_numpy()[order]
        same = np.flatnonzero((user[1:] == user[:-1]) & (turn[1:] == turn[:-1]) & (place[1:] == place[:-1]))
        if same.size:
            raise InvalidInput.of(
                f"{columns.position} of row {order[same[0] + 1]}",
                f"be that of one candidate of its {columns.round}",
                f"{shown(place[same[0]])} twice",
                "correct the row",
            )
        X = events[list(columns.features)].to_numpy(dtype=np.float64)[order]
        infinite = np.flatnonzero(~np.isfinite(X).all(axis=1))
        if infinite.size:
            raise InvalidInput.of(
                f"features of row {order[infinite[0]]}", "be finite numbers", "others", "correct the row"
            )
        new = np.append(True, (user[1:] != user[:-1]) | (turn[1:] != turn[:-1]))[: len(user)]
        starts = np.flatnonzero(new)
        owners = user[starts]
        users = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])
        return cls(
            np.asarray(labels),
            np.append(users, len(starts)),
            np.append(starts, len(user)),
            X,
            events[columns.clicked].to_numpy()[order].astype(bool),
        )

    def differences(self, feature_map: RankingMap | ItemMap | Any) -> Floats:
        """Return φ(x, feedback) − φ(x, presented) of each presentation, shape (n_presentations, n_features)."""
        first, sizes = self.starts[:-1], np.diff(self.starts)
        if not len(first):
            return np.zeros((0, self.X.shape[1]))
        begin = np.repeat(first, sizes)
        place = np.arange(len(self.X)) - begin
        before: Ints = np.cumsum(self.clicked) - self.clicked
        above: Ints = before - before[begin]  # clicked rows above, in the same presentation
        clicks = np.repeat(np.add.reduceat(self.clicked.astype(np.int64), first), sizes)
        moved = np.where(self.clicked, above, clicks + place - above)
        if isinstance(feature_map, ItemMap):
            counted = (moved == 0).astype(np.float64) - (place == 0)
        else:
            discounts = np.append(feature_map.discounts, 0.0)
            depth = len(discounts) - 1
            counted = discounts[np.minimum(moved, depth)] - discounts[np.minimum(place, depth)]
        found: Floats = np.add.reduceat(counted[:, None] * self.X, first)
        return found
