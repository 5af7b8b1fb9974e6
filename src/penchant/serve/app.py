"""The application: the interface and the pages of a study, behind their guards."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

from penchant._version import __version__
from penchant.serve import api, pages
from penchant.serve.address import Address
from penchant.serve.errors import register_errors
from penchant.serve.guards import BodyGuard, HostGuard, JsonGuard, OriginGuard, SafeReplies
from penchant.serve.live import LiveRanking
from penchant.study import CompareStudy
from penchant.study.tokens import Links


def create_app(study: CompareStudy, *, host: str = "127.0.0.1", port: int = 8000) -> FastAPI:
    """Return the application that serves ``study``; closing the study stays with the caller.

    Parameters
    ----------
    study : CompareStudy
        Open for writing.
    host, port
        Where the application will be reached: requests under another name are rejected, and links lead
        there.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with CompareStudy.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee"]) as study:
    ...     create_app(study, port=8001).state.links.url
    'http://127.0.0.1:8001'
    """
    address = Address(host, port)
    app = FastAPI(
        title="Penchant",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the usual pages load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(SafeReplies),
            Middleware(HostGuard, names=address.names),
            Middleware(OriginGuard, origins=address.origins),
            Middleware(JsonGuard),
            Middleware(BodyGuard),
        ],
    )
    app.state.study = study
    app.state.links = Links(address.url)
    app.state.live = LiveRanking(study)
    register_errors(app)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=pages.STATIC))
    return app
