"""The description of the interface, ``/v1/openapi.json``, with the bodies that routes read themselves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from penchant.serve.messages import FeedbackIn, ItemsIn, PresentationIn

SUMMARY = "Questions and answers, presentations and feedback of studies, and what was learned from them."
INTRODUCTION = """\
Every request carries the token of a link, `Authorization: Bearer TOKEN`, which names the study and the role of the \
sender. Every write carries an `id` that its sender made: the same id and content again changes nothing and gets \
`"duplicate": true`, the same id with other content is 409. Tokens and links alone are made without one, since only \
their hash is stored: where that reply is lost, list the tokens, revoke the one that nobody has, and make another. \
When a reply comes, what was sent is on disk. Every error \
is `{"error": {"code", "message", "hint"}}`.
"""
_READ_HERE = (PresentationIn, FeedbackIn, ItemsIn)


def describe(app: FastAPI) -> None:
    """Let ``app`` describe its interface."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app)
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign]


def _description(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=app.title, version=app.version, summary=SUMMARY, description=INTRODUCTION, routes=app.routes
    )
    schemas = made["components"]["schemas"]
    for model in _READ_HERE:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    made["paths"]["/v1/feedback"]["post"]["security"] = [{"HTTPBearer": []}, {}]
    return made
