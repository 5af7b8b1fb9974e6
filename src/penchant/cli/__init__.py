"""The last step: one function a command. Words typed at a terminal in, tables and files out."""

from __future__ import annotations

from typing import Annotated

import typer

from penchant._version import __version__
from penchant.cli import demo

app = typer.Typer(
    help="Learn what people prefer from what they choose, and ask as little as possible.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help starts in half the time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"penchant {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; what Penchant refuses is one line on the error output, and status 2."""
    from penchant.errors import PenchantError

    try:
        app()
    except PenchantError as refusal:
        typer.echo(f"penchant: {refusal}", err=True)
        raise SystemExit(2) from None
