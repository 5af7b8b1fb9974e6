"""One function a command. Words typed at a terminal in, tables and files out."""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from penchant._version import __version__
from penchant.cli import (
    backup,
    check,
    compare,
    convert,
    demo,
    learn,
    papers,
    rank,
    rankers,
    serve,
    study,
    suggest,
    tokens,
)
from penchant.cli.limits import limited
from penchant.cli.options import reads
from penchant.cli.refusals import BUG, TRACEBACK, complain, in_words, report_bug

app = typer.Typer(
    help="Learn what people prefer from what they choose, and ask as little as possible.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help starts in half the time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(in_words(limited(reads(rank.rank))))
app.command()(in_words(limited(reads(check.check))))
app.command()(in_words(limited(reads(convert.convert)), format="--from or --to"))
app.command()(in_words(limited(reads(suggest.suggest))))
app.command()(in_words(limited(study.new)))
app.command()(in_words(serve.serve))
app.command()(in_words(compare.compare))
app.command()(in_words(study.ask))
app.command()(in_words(study.tell))
app.command()(in_words(study.undo))
app.add_typer(tokens.tokens, name="tokens")
app.command()(in_words(backup.backup))
app.command()(in_words(backup.restore))
app.command()(in_words(limited(rankers.fit)))
app.command()(in_words(limited(rankers.predict)))
app.command()(in_words(limited(rankers.evaluate)))
app.command()(in_words(limited(learn.learn)))
app.command()(in_words(limited(learn.present)))
app.add_typer(papers.papers, name="papers")
app.command()(in_words(demo.demo))


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
    """Run the command line; an error is one line on the error output, and status 2, or 70 if it is Penchant's own."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows ? instead of an error
            stream.reconfigure(errors="replace")
    warnings.showwarning = _show_warning
    try:
        app()
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        report_bug(error)
        sys.exit(BUG)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    complain(f"Warning: {message}")
