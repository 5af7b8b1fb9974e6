"""``penchant serve`` and ``penchant demo``: studies' pages in the browser, and an example to try."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli.command import check_study
from penchant.cli.options import option
from penchant.cli.places import ADDRESS, StudyPlace, study_place
from penchant.cli.rank import rank
from penchant.cli.terminal import Terminal
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.serve import Limits

Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")]
Seconds = Annotated[
    float | None,
    option("SECONDS", "Stop by itself after so long.", "--for", min=0),
]


def serve(
    files: Annotated[
        list[StudyPlace],
        typer.Argument(
            metavar="FILE.db",
            parser=study_place,
            help=f"The studies, each a file or {ADDRESS}.",
            show_default=False,
        ),
    ],
    host: Annotated[str, typer.Option(help="The address to listen on; 127.0.0.1 is this computer alone.")] = (
        "127.0.0.1"
    ),
    port: Port = 8000,
    url: Annotated[
        str | None, option("https://HOST", "The address under which others reach it; links lead there.")
    ] = None,
    certificate: Annotated[Path | None, option("PEM", "Speak HTTPS with this certificate.")] = None,
    key: Annotated[Path | None, option("PEM", "The certificate's private key.")] = None,
    proxies: Annotated[
        list[str] | None,
        option(
            "ADDRESS", "A reverse proxy, whose forwarded headers are believed; may be given again.", "--proxy"
        ),
    ] = None,
    allow_http: Annotated[
        bool, typer.Option("--allow-http", help="Let plain HTTP leave this computer, readable on the way.")
    ] = False,
    allow_origins: Annotated[
        list[str] | None,
        option("https://SITE", "A site whose pages may send feedback; may be given again.", "--allow-origin"),
    ] = None,
    log: Annotated[str | None, option("json", "Write a line a request on the error output.")] = None,
    limits: Annotated[
        list[str] | None,
        option("NAME=NUMBER", "A limit, for instance address_rate=5000; may be given again.", "--limit"),
    ] = None,
    links: Annotated[bool, typer.Option("--links/--no-links", help="Make and show new links.")] = True,
    seconds: Seconds = None,
) -> None:
    """Show studies to judges in the browser, and the ranking to you."""
    try:
        from penchant.serve import serve as serve_studies
    except ModuleNotFoundError as missing:
        raise InvalidInput(
            f"serving needs {missing.name}, which is not installed: pip install 'penchant[serve]'"
        ) from None
    for file in files:
        check_study(file)
    if log not in (None, "json"):
        raise InvalidInput.of("log", "be json", repr(log), "leave it out to write nothing")
    serve_studies(
        files,
        host=host,
        port=port,
        url=url,
        certificate=certificate,
        key=key,
        allow_http=allow_http,
        allow_origins=allow_origins or (),
        proxies=proxies or (),
        log_json=log == "json",
        limits=_limits_typed(limits or []),
        links=links,
        for_seconds=seconds,
    )


def _limits_typed(words: list[str]) -> Limits:
    """Return the limits of the server: the defaults, and what was typed."""
    from penchant.serve import Limits

    names = [entry.name for entry in fields(Limits)]
    found = {}
    for word in words:
        name, _, number = word.partition("=")
        try:
            found[name] = int(number) if number.isdecimal() else float(number)
        except ValueError:
            name = ""
        if name not in names:
            limit = f"be NAME=NUMBER with one of {', '.join(names)}"
            raise InvalidInput.of("--limit", limit, repr(word), "give for instance address_rate=5000")
    return Limits(**found)  # type: ignore[arg-type]


def demo(
    out: Annotated[Path, typer.Option(help="The folder that the files go to.")] = Path("out/demo"),
    port: Port = 8000,
    seconds: Seconds = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve two studies to try.")] = True,
) -> None:
    """Rank pleasant things, ask about them, and learn your taste.

    The 240 answers are bundled; they come from four simulated judges, of whom one is less careful. Two studies are
    served, which are yours: they start empty and are kept for the next time. One asks about the same things, the
    other orders documents and learns from what you choose and move. Items for other studies are put beside them:
    invented cars, and invented papers that cite one another.
    """
    from importlib.resources import files

    from penchant.examples import EXAMPLES
    from penchant.saving.replacing import replaced

    out.mkdir(parents=True, exist_ok=True)
    answers = out / "pleasures.csv"
    for name in EXAMPLES:
        with replaced(out / name) as file:
            file.write(files("penchant.examples").joinpath(name).read_bytes())
    rank(answers, {}, plot=out / "ranking.png")
    if not page:
        return
    studies = _demo_studies(out)
    Terminal().say("", f"And now you: two studies, kept in {' and '.join(map(str, studies))}")
    serve(studies, port=port if _is_free(port) else 0, seconds=seconds)


def _demo_studies(out: Path) -> list[StudyPlace]:
    """Return the files of the two studies, made where they are not there yet: one that asks, and one that presents."""
    from penchant.examples import pleasures
    from penchant.examples.documents import FEATURES, document_items
    from penchant.study import CompareStudy
    from penchant.study.coactive import CoactiveStudy

    asking, presenting = out / "pleasures.db", out / "search.db"
    if not asking.exists():
        CompareStudy.create(asking, pleasures().items[:-1], title="A dozen pleasant things").close()
    if not presenting.exists():
        CoactiveStudy.create(
            presenting, document_items(), features=FEATURES, per_user=True, title="Sixty things to read"
        ).close()
    return [asking, presenting]


def _is_free(port: int) -> bool:
    """Return whether the usual port is free: links that were made before are then good again."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
