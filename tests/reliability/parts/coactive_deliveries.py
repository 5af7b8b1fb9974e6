"""Presentations and feedback count once, however often and from however many threads they are sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from tests.reliability.part import Part
from tests.study.coactive.kinds import STUDIES

ROUNDS, THREADS = 12, 4
IDS = ("i0", "i1", "i2", "i3")


def trial(number: int, folder: Path) -> Counter[str]:
    """Send presentations and then feedback several times each, in two parts, and compare with each sent once."""
    luck = np.random.default_rng(number)
    kind = sorted(STUDIES)[number % len(STUDIES)]
    path = folder / "study.db"
    items = [{"id": id, "title": "item", "x": float(k), "y": float(k % 2)} for k, id in enumerate(IDS)]
    Study.create(path, items, kind="coactive", seed=number, **STUDIES[kind]).close()
    sent = 0
    for part in range(2):
        with Study.open(path) as study:
            asked = [_presentation(study, f"p{part}-{k}", luck) for k in range(ROUNDS)]
            given = [
                _feedback(study, f"p{part}-{k}", f"f{part}-{k}-{n}", luck)
                for k in range(ROUNDS)
                for n in (0, 1)
            ]
            for calls in (asked, given):
                again = [call for call in calls for _ in range(int(luck.integers(1, 4)))]
                luck.shuffle(again)  # type: ignore[arg-type]
                sent += len(again)
                with ThreadPoolExecutor(THREADS) as threads:
                    results = list(threads.map(lambda call: call(), again))
                assert len({result.id for result in results}) == len(calls), "one was taken for another"
    return Counter({"sent": sent, "counted": _check(path, folder / "once.db")})


def _presentation(study: CoactiveStudy, id: str, luck: Any) -> Callable[[], Any]:
    context = luck.permutation(IDS)[: luck.integers(1, 5)].tolist()
    user = (None, "ann", "bob")[luck.integers(3)]
    interleave = "baseline" if luck.random() < 0.3 else None
    return lambda: study.present(context, user=user, interleave=interleave, event_id=id)


def _feedback(study: CoactiveStudy, presentation: str, id: str, luck: Any) -> Callable[[], Any]:
    place, what = luck.random(), ("clicked", "order", "better")[luck.integers(3)]

    def call() -> Any:
        shown = study._state.presentations[presentation]
        candidates = study._matrices.candidates(shown.context).ids
        chosen = candidates[int(place * len(candidates))]
        return study.feedback(presentation, event_id=id, **{what: chosen if what == "better" else [chosen]})

    return call


def _check(path: Path, once: Path) -> int:
    """Compare a study with one that is made of its events; return how many were presented and given."""
    with Study.open(path) as study:
        events = Counter(event.kind for event in study._log.events())
        assert events["presented"] == 2 * ROUNDS, "a presentation counts twice, or is lost"
        assert events["feedback"] == 4 * ROUNDS, "feedback counts twice, or is lost"
        assert study.check().ok, "the models are not the fold of the log"
        study.export(path.with_suffix(".jsonl"))
        with Study.from_events(once, path.with_suffix(".jsonl")) as other:
            assert other.weights() == study.weights(), "a study of the same events has other weights"
        assert study._state.n_rounds == 4 * ROUNDS
    return events["presented"] + events["feedback"]


PART = Part(
    name="coactive_deliveries",
    claim="Presentations and feedback that are sent again and again from several threads, also after the study was "
    "opened anew, count once, and the weights are those of the log.",
    unit="studies",
    full=500,
    trial=trial,
)
