"""The HTTP interface under ``/v1``: each function checks a body and a token and calls the study.

What reads or writes the state of a study runs in the worker of the study, with what else waits, and is on disk when
the reply is sent; reports that take long run in threads.
"""

from fastapi import FastAPI

from penchant.serve.direct import DirectRoute
from penchant.serve.messages import AnswerIn, FeedbackIn, PresentationIn
from penchant.serve.routes import (
    answering,
    editing,
    events,
    inspecting,
    learning,
    pictures,
    presenting,
    reporting,
    running,
    simulating,
    tokens,
)

PREFIX = "/v1"
DIRECT = {
    route.path: route
    for route in (
        DirectRoute(f"{PREFIX}/answers", AnswerIn, "answer", answering.answers),
        DirectRoute(f"{PREFIX}/presentations", PresentationIn, "present", presenting.present),
        DirectRoute(f"{PREFIX}/feedback", FeedbackIn, "present", presenting.give_feedback),
    )
}
"""The routes that are called most, by path."""


def add_routes(app: FastAPI) -> None:
    """Add all routes to ``app``, those that are asked for most first: they are tried in this order."""
    parts = (
        *(answering, pictures, presenting, reporting, running, events, editing, learning, inspecting, tokens),
        simulating,
    )
    for part in parts:
        app.include_router(part.router, prefix=PREFIX)


__all__ = ["DIRECT", "PREFIX", "add_routes"]
