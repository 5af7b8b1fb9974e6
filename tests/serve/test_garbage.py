"""Full collections stay short while requests come, and garbage is found once they do not."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from penchant.serve import garbage
from penchant.serve.garbage import Garbage


class Cycle:
    """An object that only the collector can remove."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def kept() -> Iterator[Garbage]:
    """The collections of a server that runs, in a process that has left nothing out of them before."""
    gc.unfreeze()
    made = Garbage()
    with made.kept_short():
        yield made
    assert gc.get_freeze_count() == 0
    assert made._collected not in gc.callbacks


def test_what_survived_a_full_collection_is_not_walked_again(kept: Garbage) -> None:
    """However many objects a study has, the next full collection looks at new ones alone."""
    lasting = [[number] for number in range(5_000)]
    gc.collect()
    assert len(gc.get_objects()) < len(lasting)
    assert gc.get_freeze_count() > len(lasting)


def test_new_garbage_is_collected_while_requests_come(kept: Garbage) -> None:
    """Cycles that die young are removed by every full collection."""
    gone = weakref.ref(Cycle())
    gc.collect()
    assert gone() is None


def test_old_garbage_is_collected_when_no_request_comes(kept: Garbage) -> None:
    """A cycle that survived one full collection waits until a second passes without a request."""
    cycle = Cycle()
    gone = weakref.ref(cycle)
    gc.collect()
    del cycle
    gc.collect()
    assert gone() is not None
    assert [kept.collect_if_due(number, 0.5 * number) for number in range(4)] == [False] * 4
    assert [kept.collect_if_due(3, now, busy=True) for now in (3, 4, 5)] == [False] * 3
    assert not kept.collect_if_due(3, 5.5)
    assert gone() is not None
    assert kept.collect_if_due(3, 6)
    assert gone() is None
    assert not kept.collect_if_due(3, 9.0), "nothing happened since"


def test_a_server_that_never_rests_is_cleaned_all_the_same(
    kept: Garbage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory stays bounded under a load without a pause."""
    monkeypatch.setattr(garbage, "MOST_SHORT", 3)
    made = []
    for number in range(8):
        gc.collect()
        made.append(kept.collect_if_due(number, 0.1 * number))
    assert made == [False, False, True, False, False, True, False, False]
