"""A simulated reader over HTTP: a report that changes nothing, one at a time."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from penchant.serve.routes import simulating
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


def test_a_reader_sees_regret_beside_its_bound(watcher: Visitor, search: CoactiveStudy) -> None:
    """The curves have one entry a round, the same for the same seed, and the study has no new event."""
    before = search.revision()
    found = watcher.get("/v1/simulation?rounds=25&seed=4").json()
    assert (found["rounds"], found["seed"], found["alpha"]) == (25, 4, 0.5)
    assert len(found["regret"]) == len(found["bound"]) == 25
    assert all(regret <= bound for regret, bound in zip(found["regret"], found["bound"], strict=True))
    assert watcher.get("/v1/simulation?rounds=25&seed=4").json() == found
    assert search.revision() == before


@pytest.mark.parametrize("query", ["rounds=0", "rounds=301", "rounds=x", "seed=-1", "seed=4294967296"])
def test_what_is_out_of_its_limits_is_named(watcher: Visitor, query: str) -> None:
    """The message names the part of the query."""
    message = rejected(watcher.get(f"/v1/simulation?{query}"), 422, "invalid")
    assert message.startswith(query.partition("=")[0])


def test_one_runs_at_a_time(both: FastAPI, watcher: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one runs, another is told to come again; when one ends, or fails, the next one may."""
    with both.state.simulating:
        reply = watcher.get("/v1/simulation?rounds=5")
        rejected(reply, 503, "busy")
        assert reply.headers["Retry-After"] == "1"
    assert watcher.get("/v1/simulation?rounds=5").status_code == 200

    def failing(*_: object) -> None:
        raise RuntimeError("inside")

    with monkeypatch.context() as patch:
        patch.setattr(simulating, "simulate", failing)
        rejected(watcher.get("/v1/simulation?rounds=5"), 500, "unexpected")
    assert watcher.get("/v1/simulation?rounds=5").status_code == 200
