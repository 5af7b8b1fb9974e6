"""A simulated reader, who uses a copy of a study."""

from __future__ import annotations

from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Query, Request

from penchant.serve.access import Reader
from penchant.serve.errors import ErrorReply
from penchant.serve.messages import SimulationOut
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.serve.simulated import MOST_ROUNDS, simulate

router = APIRouter(route_class=StrictRoute)


@router.get("/simulation", responses=replies(422))
async def simulation(
    request: Request,
    reader: Reader,
    rounds: Annotated[int, Query(ge=1, le=MOST_ROUNDS, description="How many rounds.")] = 100,
    seed: Annotated[int, Query(ge=0, lt=2**32, description="Of the taste and of what is presented.")] = 0,
) -> SimulationOut:
    """Let a simulated reader with a hidden taste use a copy of the study, and return the average regret.

    The study itself stays as it is. The same seed gives the same rounds.
    """
    study, running = reader.coactive, request.app.state.simulating

    def work() -> SimulationOut:
        run = simulate(study, rounds, seed)
        return SimulationOut(
            rounds=rounds,
            seed=seed,
            regret=run.regret.tolist(),
            bound=None if run.bound is None else run.bound.tolist(),
            alpha=run.alpha,
            R=run.R,
            norm=run.norm,
            taste=run.taste,
            learned=run.learned,
        )

    _take(running)
    try:
        return await reader.in_thread(work)
    finally:
        running.release()


def _take(running: Lock) -> None:
    """Let one simulation run at a time: people who use the studies meanwhile need the processor too."""
    if not running.acquire(blocking=False):
        raise ErrorReply(
            503,
            "busy",
            "One simulated reader at a time uses the server, and one does",
            "send it again after a second",
            {"Retry-After": "1"},
        )
