"""The application: the interface and the pages of studies, behind their guards."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from fastapi import FastAPI
from starlette.middleware import Middleware

from penchant._version import __version__
from penchant.serve import pages
from penchant.serve.access import check_presenter
from penchant.serve.address import Address
from penchant.serve.direct import Direct
from penchant.serve.errors import register_errors
from penchant.serve.files import WholeFiles
from penchant.serve.guards import guard_layers
from penchant.serve.limits import Limits, Streams
from penchant.serve.metrics import Measured, Metrics
from penchant.serve.openapi import describe
from penchant.serve.routes import DIRECT, add_routes
from penchant.serve.served import Studies
from penchant.study import Study
from penchant.study.tokens import Links


def create_app(
    studies: Study | Sequence[Study],
    *,
    address: Address | None = None,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
) -> FastAPI:
    """Return the application that serves ``studies``; closing them stays with the caller.

    Parameters
    ----------
    studies : Study or sequence of Study
        Of either kind, open for writing.
    address : Address, optional
        Where the application will be reached: requests under another name are rejected, and links lead
        there. On ``host`` and ``port`` unless given.
    limits : Limits, optional
        The limits of requests.
    host, port
        An address on this computer.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with Study.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee"]) as study:
    ...     create_app(study, port=8001).state.links.url
    'http://127.0.0.1:8001'
    """
    address, limits = address or Address(host, port), limits or Limits()
    app = FastAPI(
        title="Penchant",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the usual pages load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(Measured),
            *guard_layers(address, limits, check_presenter),
            Middleware(Direct, routes=DIRECT),
        ],
    )
    app.state.studies = Studies(studies, most_waiting=limits.queue)
    app.state.address = address
    app.state.links = Links(address.url)
    app.state.metrics = Metrics(len(app.state.studies.all))
    app.state.streams = Streams(limits)
    app.state.simulating = Lock()
    register_errors(app)
    add_routes(app)
    app.include_router(pages.router)
    app.add_exception_handler(404, pages.not_found)
    app.mount("/static", WholeFiles(directory=pages.STATIC))
    describe(app)
    return app
