"""BLAS works on one thread while Penchant computes, and has its threads back afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, local
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import penchant.threads
from penchant import Preferences
from penchant.ask import choose_pair, next_pair, settled
from penchant.coactive import ItemMap, PreferencePerceptron, SecondOrderPerceptron
from penchant.gp import LinkedGP, MonotoneGP, PreferenceGP
from penchant.rankers import LabelRanker, OrdinalRegression, PairwiseRanker, RankSVM
from penchant.simulate.web import least_squares
from penchant.threads import SHORT_VECTOR, one_thread
from penchant.worth import BradleyTerry, CrowdBradleyTerry, PlackettLuce, Thurstone

N = 250
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 60))
PAIRS = np.array([RNG.choice(N, 2, replace=False) for _ in range(4 * N)])
PREFERENCES = Preferences.from_pairs(PAIRS, judge=["ann", "bob"] * (2 * N))
GRADES = RNG.integers(0, 4, N)
RANKS = np.argsort(RNG.normal(size=(N, 3)), axis=1) + 1
LONG = RNG.normal(size=(2, 2 * SHORT_VECTOR))


def threads() -> set[int]:
    """The number of threads of each BLAS library."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def four() -> Iterator[None]:
    """Let BLAS use four threads, on a machine of any size."""
    with threadpool_limits(4, user_api="blas"):
        yield


def worth(model: Any) -> list[Any]:
    model.fit(PREFERENCES)
    return [model.scores_, model.covariance(), model.sample(20), *next_pair(model)]


def worth_with_features() -> list[Any]:
    model = Thurstone().fit(PREFERENCES, features=X)
    return [model.scores_, model.coef_, *model.predict(X, return_std=True)]


def crowd() -> list[Any]:
    model = CrowdBradleyTerry().fit(PREFERENCES)
    return [model.scores_, model.covariance(), model.judges().reliability_error]


def linked() -> list[Any]:
    model = LinkedGP(lengthscale=3.0).fit(X[:, :3]).update(*PAIRS[:150].T)
    one_by_one = model.mean
    model.refresh()
    found = [one_by_one, model.mean, model.covariance(), model.variance(), model.rank().scores]
    return [*found, settled(model, draws=500).value, *choose_pair(model).pair]


def preference_gp() -> list[Any]:
    model = PreferenceGP(optimizer=None).fit_pairs(X[:, :3], PAIRS)
    chance = model.win_probability(X[:20, :3], X[20:40, :3])
    return [
        model.alpha_,
        *model.predict(X[:, :3], return_cov=True),
        model.sample(X[:, :3], 3, seed=0),
        chance,
    ]


def monotone_gp() -> list[Any]:
    model = MonotoneGP(increasing=[0], lengthscale=30.0, scale=0.3, noise=1.0).fit_pairs(
        X[:, :2], PAIRS[:200]
    )
    rows = X[np.unique(PAIRS[:200])][:, :2]
    return [
        model.f_map_,
        *model.predict(rows, return_std=True),
        model.gradient(rows),
        *model.difference(rows, rows[:1]),
    ]


def kernel_svm() -> list[Any]:
    model = RankSVM(kernel="rbf").fit(X, GRADES)
    return [model.dual_coef_, model.predict(X)]


def ordinal() -> list[Any]:
    model = OrdinalRegression().fit(X, GRADES)
    return [model.coef_, model.decision(X)]


def labels() -> list[Any]:
    return [LabelRanker().fit(X, RANKS).votes(X)]


def pairwise() -> list[Any]:
    return [PairwiseRanker().fit_pairs(X, PAIRS[:300]).preference_matrix(X[:40])]


def perceptrons() -> list[Any]:
    second = SecondOrderPerceptron(ItemMap(), X.shape[1], radius=0.2)
    long = PreferencePerceptron(ItemMap(), LONG.shape[1]).update(LONG, 0, 1)
    return [second.update(X, 0, 1).update(X, 2, 3).weights, long.weights, long.present(LONG)]


WORK: dict[str, Callable[[], list[Any]]] = {
    "BradleyTerry": lambda: worth(BradleyTerry()),
    "Thurstone with features": worth_with_features,
    "PlackettLuce": lambda: worth(PlackettLuce()),
    "CrowdBradleyTerry": crowd,
    "LinkedGP": linked,
    "PreferenceGP": preference_gp,
    "MonotoneGP": monotone_gp,
    "RankSVM": kernel_svm,
    "OrdinalRegression": ordinal,
    "LabelRanker": labels,
    "PairwiseRanker": pairwise,
    "perceptrons": perceptrons,
    "least squares": lambda: [least_squares(LONG.reshape(-1, 40), np.arange(LONG.size // 40, dtype=float))],
}


@pytest.mark.parametrize("name", WORK)
@pytest.mark.filterwarnings("ignore::penchant.errors.PenchantWarning")
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    """One thread and four give the same bytes, and the four are there afterwards."""
    found = []
    for number in (1, 4):
        with threadpool_limits(number, user_api="blas"):
            found.append([np.asarray(value).tobytes() for value in WORK[name]()])
            assert threads() == {number}
    assert found[0] == found[1]


@pytest.mark.usefixtures("four")
def test_blocks_may_be_nested_and_end_in_an_error() -> None:
    """The number of threads is 1 until the outermost block is left, however it is left."""

    def fail() -> None:
        with one_thread():
            assert threads() == {1}
            raise KeyError

    with one_thread():
        with pytest.raises(KeyError):
            fail()
        assert threads() == {1}
    assert threads() == {4}


@pytest.mark.usefixtures("four")
def test_python_threads_that_overlap_leave_the_number_as_it_was() -> None:
    """Whoever enters first and leaves last, every block sees one thread, and all four are back at the end."""

    def work(seed: int) -> set[int]:
        rng, seen = np.random.default_rng(seed), set()
        for _ in range(200):
            with one_thread():
                if rng.random() < 0.1:
                    seen |= threads()
        return seen

    with ThreadPoolExecutor(8) as pool:
        assert set.union(*pool.map(work, range(8))) == {1}
    assert threads() == {4}


@pytest.mark.usefixtures("four")
def test_short_vectors_are_left_to_blas() -> None:
    """Where only vectors are multiplied, nothing is set up to the length from which BLAS uses threads."""
    with one_thread(SHORT_VECTOR):
        assert threads() == {4}
    with one_thread(SHORT_VECTOR + 1):
        assert threads() == {1}


def test_threads_of_openmp_are_held_for_each_python_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where BLAS builds on OpenMP each Python thread has a number of its own: all are lowered, and restored."""

    class OnOpenMP(local):
        number = 4

        def get_num_threads(self) -> int:
            return self.number

        def set_num_threads(self, number: int) -> None:
            self.number = number

    library, all_inside = OnOpenMP(), Barrier(3)
    monkeypatch.setattr(penchant.threads, "_libraries", lambda: ([], [library]))

    def work(_: int) -> tuple[int, int, int]:
        with one_thread():
            all_inside.wait()
            with one_thread():
                nested = library.number
            inside = library.number
        return nested, inside, library.number

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(work, range(3))) == [(1, 1, 4)] * 3


def test_a_forked_process_finds_the_lock_free() -> None:
    """A child that was forked while another thread entered and left can enter too."""
    code = (
        "import os, threading, warnings\n"
        "from penchant.threads import one_thread\n"
        "warnings.simplefilter('ignore')\n"
        "with one_thread(): pass\n"
        "going = True\n"
        "def enter_and_leave():\n"
        "    while going:\n"
        "        with one_thread(): pass\n"
        "other = threading.Thread(target=enter_and_leave)\n"
        "other.start()\n"
        "for _ in range(30):\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        with one_thread(): os._exit(0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "going = False\n"
        "other.join()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
