"""What a user waits for before anything is computed: imports, the command's help, and Numba's compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.case import OURS, Answer, Cannot, Case
from benchmarks.peers import ENVIRONMENTS

QUESTION = "How long does it take to start, and to compile every kernel for the first time?"

HELP = "from penchant.cli import main; main()"
EVERYTHING = "first call of every kernel"


def cases(quick: bool) -> list[Case]:
    """Return the starts, then the first call of each compiled function with a full and an empty cache."""
    return [
        Case(what="import penchant", prepare=lambda: started("import penchant")),
        Case(who="import numpy", what="import penchant", prepare=lambda: started("import numpy")),
        Case(who="Python alone", what="import penchant", prepare=lambda: started("pass")),
        Case(what="penchant --help", prepare=lambda: started(HELP, "--help")),
        *(case for name, call in FIRST_CALLS.items() for case in first_call(f"first {name}", call)),
        *first_call(EVERYTHING, call_everything),
    ]


def started(program: str, *arguments: str) -> Callable[[], object]:
    """Return a call that runs a program in a new Python."""
    command = [sys.executable, "-c", program, *arguments]

    def run() -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Cannot(done.stderr.strip().splitlines()[-1])

    return run


def first_call(what: str, call: Callable[[], object]) -> list[Case]:
    """Return two rows: the machine code is on disk already, and it is not."""
    return [
        Case(what=what, prepare=lambda: with_cache(call), fresh=True),
        Case(
            who=f"{OURS}, nothing cached",
            what=what,
            prepare=lambda: without_cache(call),
            answer=coverage if what == EVERYTHING else None,
            fresh=True,
        ),
    ]


def with_cache(call: Callable[[], object]) -> Callable[[], object]:
    """Return the call with a cache that earlier runs have filled."""
    os.environ["NUMBA_CACHE_DIR"] = str(ENVIRONMENTS / "numba")
    return call


def without_cache(call: Callable[[], object]) -> Callable[[], object]:
    """Return the call with an empty cache of its own."""
    cache = tempfile.TemporaryDirectory()
    os.environ["NUMBA_CACHE_DIR"] = cache.name

    def compile_and_call() -> object:
        with cache:
            return call()

    return compile_and_call


def call_everything() -> None:
    """Make every first call, one after the other."""
    for call in FIRST_CALLS.values():
        call()


def coverage(_: object) -> Answer:
    """Tell how many of the package's kernels were compiled, and name those that no call reached."""
    import penchant

    home = Path(penchant.__file__).parent
    names = [
        ".".join(file.relative_to(home.parent).with_suffix("").parts) for file in home.rglob("*_kernels.py")
    ]
    compiled = {
        f"{name.removeprefix('penchant.')}.{kernel.__name__}": bool(kernel.signatures)
        for name in sorted(names)
        for module in [vars(import_module(name))]
        for kernel in [*module.values(), *module.get("loops", tuple)()]
        if hasattr(kernel, "signatures")
    }
    missed = ", ".join(name for name, done in compiled.items() if not done)
    told = {"kernels": f"{sum(compiled.values())} of {len(compiled)}"}
    return told | ({"not called": missed} if missed else {})


def bradley_terry() -> Any:
    """Fit as many different pairs as its kernels are used for."""
    import numpy as np

    from penchant import Preferences
    from penchant.worth import BradleyTerry

    pairs = np.random.default_rng(0).integers(4000, size=(1_300_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return BradleyTerry(prior=0).fit(Preferences.from_pairs(pairs, items=range(4000)))


def kendall_distance() -> Any:
    """Call it with as many items as its kernel is used for."""
    import numpy as np

    from penchant.orders import kendall_distance

    ranks = np.arange(1, 20_001)
    return kendall_distance(ranks, ranks[::-1])


def rank_svm() -> Any:
    """Fit as many graded rows as its kernels are used for: 10,000 imply 400,000 pairs."""
    from penchant.rankers import RankSVM

    return RankSVM().fit(*graded_rows(10_000, 10), qid=[row // 100 for row in range(10_000)])


def rank_boost() -> Any:
    """Fit as many graded rows as its kernels are used for, with weights so large that logarithms are kept."""
    from penchant.rankers import RankBoost

    X, grades = graded_rows(60_000, 10)
    return RankBoost(10).fit(X, grades, sample_weight=[1e131] * len(grades))


def histogram() -> Any:
    """Add up the histogram of a round of boosting, as a worker of a cluster does for its rows."""
    import numpy as np

    from penchant.rankers.solvers.stumps import BinnedFeatures, feature_sums

    X, _ = graded_rows(60_000, 10)
    features = BinnedFeatures.at(X, np.arange(len(X)), (np.zeros(1),) * X.shape[1])
    return feature_sums(features, np.ones(len(X)))


def played_rankings() -> Any:
    """Play one run over made-up queries."""
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.simulate import StrictRanking, WebSearch, play

    setting = WebSearch.synthetic(n_queries=100, n_documents=10, n_features=10)
    return play(PreferencePerceptron(RankingMap(), 10), StrictRanking(), setting, runs=1)


def played_second_order() -> Any:
    """Play one run of a learner for which the kernels of all rules are compiled."""
    from penchant.coactive import RankingMap, SecondOrderPerceptron
    from penchant.simulate import StrictRanking, WebSearch, play

    setting = WebSearch.synthetic(n_queries=100, n_documents=10, n_features=10)
    return play(SecondOrderPerceptron(RankingMap(), 10), StrictRanking(), setting, runs=1)


def played_items() -> Any:
    """Make a setting of ratings, and play one run over its items."""
    import numpy as np

    from penchant.coactive import ItemMap, PreferencePerceptron
    from penchant.simulate import Movies, Ratings, StrictItem, play

    user, item = np.divmod(np.arange(800), 20)
    setting = Movies.from_ratings(Ratings.of(user, item, (user + item) % 5 + 1), dimension=3, ridge=1.0)
    return play(PreferencePerceptron(ItemMap(), 4), StrictItem(), setting, runs=1)


def graded_rows(n_rows: int, n_features: int) -> tuple[Any, Any]:
    """Return features and one of five grades a row."""
    import numpy as np

    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, n_features)), rng.integers(5, size=n_rows)


# One call for each public function that reaches a kernel; the last row's answer names kernels left out.
FIRST_CALLS: dict[str, Callable[[], object]] = {
    "kendall_distance": kendall_distance,
    "BradleyTerry.fit": bradley_terry,
    "RankSVM.fit": rank_svm,
    "RankBoost.fit": rank_boost,
    "RankBoost on a cluster": histogram,
    "play on queries": played_rankings,
    "play on queries, second order": played_second_order,
    "play on items": played_items,
}
