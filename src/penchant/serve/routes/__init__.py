"""The HTTP interface under ``/v1``: each function checks a body and a token and calls the study.

What reads or writes the state of a study runs in the worker of the study, with what else waits, and is on disk when
the reply is sent; reports that take long run in threads.
"""

from fastapi import FastAPI

from penchant.serve.routes import (
    answering,
    editing,
    events,
    inspecting,
    learning,
    presenting,
    reporting,
    running,
    tokens,
)

PREFIX = "/v1"


def add_routes(app: FastAPI) -> None:
    """Add all routes to ``app``, those that are asked for most first: they are tried in this order."""
    for part in (answering, presenting, reporting, running, events, editing, learning, inspecting, tokens):
        app.include_router(part.router, prefix=PREFIX)


__all__ = ["PREFIX", "add_routes"]
