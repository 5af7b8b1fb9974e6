"""The commands ``penchant tokens list``, ``make`` and ``revoke``: who may use a study over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli.command import command
from penchant.cli.options import Json, StudyFile
from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, opened, rows_table, working

if TYPE_CHECKING:
    from penchant.study import Study

tokens = typer.Typer(
    help="List, make and revoke the links to a study, also while it is served.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def list_tokens(file: StudyFile, json: Json = False) -> None:
    """List who may use a study: when each token was made and last used. Tokens themselves are kept nowhere."""
    from penchant.study import Study

    with opened(Study.open, file, write=False) as study:
        found = study.tokens.list()
    if json:
        print_json([vars(token) for token in found])
        return
    terminal = Terminal()
    if not found:
        terminal.say("No tokens: penchant serve makes the first ones.")
        return
    terminal.show(
        rows_table(
            [
                {
                    "id": token.id,
                    "role": token.role,
                    "name": token.name,
                    "made": _time(token.made),
                    "last used": "never" if token.used is None else _time(token.used),
                    "expires": "never" if token.expires is None else _time(token.expires),
                }
                for token in found
            ]
        )
    )
    terminal.next(["tokens", "revoke", str(file), found[-1].id])


def make_token(
    file: StudyFile,
    role: Annotated[str, typer.Argument(help="owner, judge, app or reader.")],
    name: Annotated[
        str, typer.Argument(help="Who gets it; for a judge, the name that answers are kept under.")
    ],
    days: Annotated[
        float | None, typer.Option(help="How long it works; for ever unless given.", show_default=False)
    ] = None,
    url: Annotated[str, typer.Option(help="Where the study is served.")] = "http://127.0.0.1:8000",
) -> None:
    """Make a token and print its link: the only time that it is shown."""
    from penchant.study.tokens import Links

    with _opened(file) as study:
        token = study.tokens.make(role, name, days=days)
        found, kind = study.tokens.find(token, record=False), study.kind
    if found is None:
        raise AssertionError("a token that was just made is not found")
    terminal = Terminal()
    terminal.say(Links(url.rstrip("/")).to(role, found.name, token, kind=kind))
    terminal.say("This link is shown once.")
    terminal.next(["tokens", "list", str(file)])


def revoke_token(
    file: StudyFile, token: Annotated[str, typer.Argument(metavar="ID", help="The id that the list shows.")]
) -> None:
    """Make a token stop working, at once and for good."""
    with _opened(file) as study:
        study.tokens.revoke(token)
    Terminal().say(f"{token} works no more.")


def _opened(file: StudyPlace) -> Study:
    """Open a study whose tokens are to be changed; one that is being served is left to its server."""
    from penchant.errors import Locked
    from penchant.study import Study

    try:
        with working(f"opening {file.name}"):
            return Study.open(file)
    except Locked:
        return Study.open(file, write=False)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


for _name, _function in (("list", list_tokens), ("make", make_token), ("revoke", revoke_token)):
    tokens.command(_name)(command(_function, limited=False))
