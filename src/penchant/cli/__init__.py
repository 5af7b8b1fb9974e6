"""The command line: one function for each command."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from penchant.cli import (
    coactive_settings,
    compare,
    consensus,
    evaluate,
    exchange,
    explain,
    files,
    fit,
    items,
    judges,
    learn,
    linked,
    papers,
    presenting,
    rank,
    rankers,
    serve,
    settings,
    study,
    tokens,
    turns,
    users,
    weights,
)
from penchant.cli.command import command, report
from penchant.cli.usage import OneLineErrors

TRACEBACK = "PENCHANT_TRACEBACK"
_BUG = 70  # EX_SOFTWARE of sysexits.h

app = typer.Typer(
    cls=OneLineErrors,
    help="Learn what people prefer from what they choose, and ask as little as possible.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help starts in half the time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(
    command(rank.rank, reads=True, covariates="--covariate", labels="--by or --over", folder="TMPDIR")
)
app.command()(command(consensus.consensus, reads=True))
app.command()(command(files.check, reads=True))
app.command()(command(files.convert, reads=True, format="--from"))
app.command()(command(linked.suggest, reads=True))
app.command()(command(study.new, settings={**settings.OPTIONS, **coactive_settings.OPTIONS}))
app.command()(
    command(serve.serve, limited=False, for_seconds="--for", allowed="--allow-origin", proxies="--proxy")
)
app.command()(command(compare.compare, limited=False))
app.command()(command(turns.ask, limited=False))
app.command()(command(turns.tell, limited=False))
app.command()(command(turns.undo, limited=False))
app.command()(command(explain.why, limited=False))
app.command()(command(explain.predictions, limited=False))
app.command()(command(explain.race, limited=False))
app.add_typer(items.items, name="items")
app.add_typer(judges.judges, name="judges")
app.command()(command(settings.settings, limited=False))
app.command()(command(settings.change, settings={**settings.OPTIONS, **coactive_settings.OPTIONS}))
app.command()(command(exchange.export, limited=False))
app.command("import")(command(exchange.import_file))
app.add_typer(tokens.tokens, name="tokens")
app.command()(command(study.backup, limited=False))
app.command()(command(study.restore, limited=False))
app.add_typer(fit.fit, name="fit")
app.command()(command(rankers.predict))
app.command()(command(evaluate.evaluate))
app.command()(command(learn.learn))
app.command()(command(presenting.present))
app.command()(command(presenting.feedback))
app.command()(command(weights.weights, limited=False))
app.command()(command(users.users, limited=False))
app.command()(command(users.forget, limited=False))
app.command()(command(users.erase, limited=False))
app.add_typer(papers.papers, name="papers")
app.command()(command(serve.demo, limited=False, for_seconds="--for"))


def _print_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from penchant.cli.version import shown

        typer.echo(shown(bool(context.params.get("as_json"))))
        raise typer.Exit


@app.callback()
def _options(
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            is_eager=True,
            help="With --version: those of Python and all dependencies too, for a report of a bug.",
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, help="Say which version this is.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; an error is one line on the error output, and status 2, or 70 if it is Penchant's own."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows ? instead of an error
            stream.reconfigure(errors="replace")
    try:
        app()
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        report(
            f"penchant: {type(error).__name__}: {error}: this is a bug in Penchant, please report it with what you "
            f"typed ({TRACEBACK}=1 shows where it happened)"
        )
        sys.exit(_BUG)
