"""Play learners against simulated users, run after run."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from penchant.checks import Ints, whole
from penchant.errors import InvalidInput
from penchant.simulate.contexts import Documents
from penchant.simulate.progress import Progress
from penchant.simulate.record import Record
from penchant.simulate.user import User

_TASKS = 32
"""The most tasks of an executor, each of which is sent the data."""


class Player(Protocol):
    """Anything that presents and learns, as every coactive learner does.

    One that draws random numbers has ``seeded(seed)`` as well, which returns a copy that draws others.
    """

    @property
    def weights(self) -> Any:
        """The weights, shape (n_features,)."""

    def present(self, context: Any) -> Any:
        """Return an object."""

    def update(self, context: Any, presented: Any, feedback: Any) -> Any:
        """Learn from a better one."""

    def copy(self) -> Any:
        """Return another in the same state."""


class Session(Protocol):
    """The rounds of one run."""

    def context(self, t: int) -> Any:
        """Return the context of round ``t``, from 0."""

    def tops(self, presented: Any, feedback: Any) -> tuple[Ints, Ints]:
        """Return what is recorded of the two objects, and end the round."""


class Setting(Protocol):
    """The data that runs are played on: `WebSearch`, `Movies` or another.

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron, RankingMap
    >>> from penchant.simulate import StrictRanking, WebSearch, play
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=5, n_features=3, seed=0)
    >>> setting: Setting = web
    >>> record = play(PreferencePerceptron(RankingMap(), n_features=3), StrictRanking(0.5), setting, runs=1)
    >>> record.presented_utility.shape
    (1, 20)
    """

    @property
    def n_features(self) -> int:
        """How many weights a learner has here."""

    @property
    def places(self) -> int:
        """How many indices are recorded of an object."""

    def n_runs(self, runs: int | None) -> int:
        """Return how many runs are played when ``runs`` are asked for."""

    def n_rounds(self, rounds: int | None) -> int:
        """Return how many rounds are played when ``rounds`` are asked for."""

    def session(self, run: int, rounds: int, seed: int) -> Session:
        """Return the rounds of one run."""


def play(
    learner: Player,
    user: User,
    setting: Setting,
    *,
    runs: int | None = None,
    first: int = 0,
    rounds: int | None = None,
    seed: int = 0,
    compiled: bool = True,
    progress: Progress | None = None,
    executor: Any = None,
) -> Record:
    """Play a learner against a user, run after run, each from the learner's present state.

    Parameters
    ----------
    learner : Learner
        Is copied for each run and stays as it is. One that draws random numbers gets others in each run, which
        its own seed and the run decide.
    user : User
        Gets random numbers of their own in each run.
    setting : Setting
        `WebSearch`: a run is one random order of the queries. `Movies`: a run is one user of the second half.
    runs : int, optional
        None: twenty orders of the queries, or all users.
    first : int, default 0
        The number of the first run; the runs before it are left out, for instance because another process
        plays them. The record begins with this run.
    rounds : int, optional
        Of each run. None: each query once, or until the items are used up.
    seed : int, default 0
        Run r is the same whatever the number of runs and the first of them.
    compiled : bool, default True
        Play compiled where there is a way: the four learners as they come from the constructor and dueling
        bandits, against strict and noisy users. Otherwise, and always with False, every round goes through
        ``present``, ``answer`` and ``update``. Both ways present the same objects unless two scores are equal
        but for rounding.
    progress : callable, optional
        Called with the number of runs that are done and of all; `progress_bar` gives one that draws a bar.

    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Plays the runs, some at a time, in its threads, processes or workers. The record is the same.

    Returns
    -------
    Record

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron, RankingMap
    >>> from penchant.simulate import StrictRanking, WebSearch
    >>> web = WebSearch.synthetic(n_queries=200, n_documents=10, n_features=5, seed=0)
    >>> learner = PreferencePerceptron(RankingMap(), n_features=5)
    >>> record = play(learner, StrictRanking(0.5), web, runs=3)
    >>> record.frame(at=[1, 200]).groupby("t")["regret"].mean().round(3).to_dict()
    {1: 2.276, 200: 0.051}
    """
    from penchant.simulate.compiled_runs import compiled_run
    from penchant.simulate.compiled_tables import Seeds

    whole("first", first, 0)
    end = setting.n_runs(None if runs is None else first + whole("runs", runs, 1))
    if first >= end:
        raise InvalidInput(f"first must be below the {end} runs, got {first}: begin earlier")
    runs = end - first
    rounds = setting.n_rounds(None if rounds is None else whole("rounds", rounds, 1))
    whole("seed", seed, 0)
    if len(learner.weights) != setting.n_features:
        raise InvalidInput(
            f"learner must have {setting.n_features} weights, as many as the setting has features, got "
            f"{len(learner.weights)}: make it with n_features={setting.n_features}"
        )
    if executor is not None:
        shared = {"rounds": rounds, "seed": seed, "compiled": compiled}
        return _played_by(executor, (learner, user, setting), range(first, end), shared, progress)
    places = setting.places * getattr(learner, "shown_together", 1)
    record = Record.empty(runs, rounds, places, setting.n_features)
    fast = compiled_run(learner, user, setting) if compiled else None
    for row, run in enumerate(range(first, end)):
        seeds = np.random.SeedSequence([seed, run]).generate_state(3, np.uint64).tolist()
        order_seed, user_seed, learner_seed = seeds
        if fast is None or not fast(record, row, run, Seeds(order_seed, user_seed, learner_seed)):
            session = setting.session(run, rounds, order_seed)
            own = learner.seeded(learner_seed) if hasattr(learner, "seeded") else learner.copy()
            _play_round_by_round(own, user.seeded(user_seed), session, record, row)
        if progress is not None:
            progress(row + 1, runs)
    return record


def _played_by(
    executor: Any,
    players: tuple[Player, User, Setting],
    runs: range,
    shared: dict[str, Any],
    progress: Progress | None,
) -> Record:
    """Play the runs in at most `_TASKS` tasks of an executor, and merge their records in the order of the runs."""
    if hasattr(executor, "get_executor"):  # a client of Dask
        executor = executor.get_executor(pure=False)
    size = -(-len(runs) // _TASKS)
    blocks = [runs[start : start + size] for start in range(0, len(runs), size)]
    futures = [
        executor.submit(play, *players, first=block.start, runs=len(block), **shared) for block in blocks
    ]
    records = []
    for block, future in zip(blocks, futures, strict=True):
        records.append(future.result())
        if progress is not None:
            progress(block.stop - runs.start, len(runs))
    return Record.merged(records)


def _play_round_by_round(learner: Player, user: User, session: Session, record: Record, row: int) -> None:
    for t in range(record.n_rounds):
        context = session.context(t)
        presented = learner.present(context.features)
        feedback = user.answer(context, presented)
        learner.update(context.features, presented, feedback)
        record.presented_utility[row, t] = context.utility(presented)
        record.feedback_utility[row, t] = context.utility(feedback)
        record.best_utility[row, t] = context.best_utility
        if isinstance(context, Documents):
            record.presented_dcg[row, t] = context.dcg(presented)
            record.best_dcg[row, t] = context.best_dcg
        for into, top in zip(
            (record.presented, record.feedback), session.tops(presented, feedback), strict=True
        ):
            into[row, t, : len(top)] = top
    record.weights[row] = learner.weights
