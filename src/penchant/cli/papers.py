"""``penchant papers``: run the experiments of the papers, and write data, pictures, verdicts and one report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from penchant.cli.command import command, report
from penchant.cli.options import option
from penchant.cli.outputs import check_outputs
from penchant.cli.terminal import Terminal, busy
from penchant.errors import InvalidInput
from penchant.text import visible

if TYPE_CHECKING:
    from rich.table import Table

    from penchant.papers.experiment import Experiment
    from penchant.papers.result import Size
    from penchant.papers.results import Kept, Results

papers = typer.Typer(
    help="Run the experiments of the five papers again, and see what holds.",
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
)

Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID…", help="Experiments, or papers: 2.fig4/ml-1m, 2.fig4 or 2.", show_default=False
    ),
]
Data = Annotated[
    Path | None,
    option("DIR", "The folder of the real data; PENCHANT_DATA unless given."),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The folder that results go to, a folder a size.")]
Quick = Annotated[bool, typer.Option("--quick", help="Seconds instead of about a minute each.")]
Full = Annotated[
    bool, typer.Option("--full", help="The papers' own sizes: about 100 minutes on two cores for all.")
]
OUT = Path("out/papers")


def listed(
    context: typer.Context,
    out: Out = OUT,
    quick: Quick = False,
    full: Full = False,
) -> None:
    """List every experiment, figure and table of the five papers, and what was found so far."""
    if context.invoked_subcommand is not None:
        if quick or full or out != OUT:
            raise typer.BadParameter(f"options of {context.invoked_subcommand} stand behind it: move them")
        return
    from penchant.papers.catalogue import PAPERS, experiments
    from penchant.papers.results import Results

    terminal, results = Terminal(), Results(out / _size(quick, full))
    for paper, title in PAPERS.items():
        terminal.say("", f"Paper {paper}: {title}")
        table = _plain_table("id", "shows", "about", "claims", "found")
        for experiment in experiments():
            if experiment.paper == paper:
                kept = results.get(experiment)
                table.add_row(
                    experiment.id,
                    experiment.shows,
                    experiment.about,
                    str(len(experiment.claims)),
                    "" if kept is None else visible(_counted(kept)),
                )
        terminal.show(table)
    terminal.say("")
    terminal.next(["papers", "run", experiments()[0].id])


def run(
    ids: Ids = None,
    everything: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
    quick: Quick = False,
    full: Full = False,
    data: Data = None,
    out: Out = OUT,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many processes; one a core unless given.", show_default=False),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also those that were run before.")] = False,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Begin no experiment after so many minutes; the same command goes on later.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run experiments; write data, pictures and verdicts; go on where an earlier run stopped."""
    from time import monotonic

    from penchant.papers.catalogue import chosen
    from penchant.papers.results import Results
    from penchant.papers.sources import data_folder

    if everything == bool(ids):
        raise InvalidInput("ID… or --all must be given, got both or none: name experiments, or ask for all")
    size = _size(quick, full)
    wanted, folder, results, terminal = chosen(ids or []), data_folder(data), Results(out / size), Terminal()
    if folder is not None and folder.resolve().is_relative_to(results.folder.resolve()):
        raise InvalidInput(
            f"--data must be outside of the results, which are replaced, got {folder} in {results.folder}: "
            "give another --out"
        )
    new = [
        experiment
        for experiment in wanted
        if again or not results.has(experiment, size=size, seed=seed, data=folder)
    ]
    if len(new) < len(wanted):
        terminal.say(
            f"{len(wanted) - len(new)} of {len(wanted)} were run before and are kept (--again runs them)."
        )
    failed = []
    began = monotonic()
    for number, experiment in enumerate(new, start=1):
        if minutes is not None and monotonic() - began >= 60 * minutes:
            rest = len(new) - number + 1
            terminal.say(
                "", f"{rest} of {len(wanted)} are left: the same command goes on with {experiment.id}."
            )
            break
        label = f"{number}/{len(new)} {experiment.id}"
        try:
            kept = _one(experiment, results, size, seed, folder, jobs or _cores(), label)
        except Exception as trouble:  # what goes wrong in one must not cost the others hours
            failed.append(experiment.id)
            report(f"penchant: {label} failed with {type(trouble).__name__}: {trouble}")
        else:
            _report_verdicts(terminal, label, kept, results.place(experiment))
    if failed:
        raise InvalidInput(
            f"all of {len(new)} experiments must run to their end, got {len(failed)} that failed: run "
            f"penchant papers run {' '.join(failed)} again"
        )
    terminal.say("")
    terminal.next(["papers", "report", *_flags(size), *_elsewhere(out)])


def _one(
    experiment: Experiment, results: Results, size: Size, seed: int, data: Path | None, jobs: int, label: str
) -> Kept:
    from time import perf_counter

    from penchant.papers.run import Run

    began = perf_counter()
    with busy(label, steps=True) as show:
        result = experiment.run(Run(size, seed, data, lambda done, total: show(label, done, total), jobs))
    return results.put(experiment, result, data=data, wall=perf_counter() - began)


def _report_verdicts(terminal: Terminal, label: str, kept: Kept, place: Path) -> None:
    terminal.say("", f"{label}: {kept.title}", f"  {kept.data}; {kept.wall:.0f} s")
    for claim in kept.claims:
        setting = f" ({claim.claim.setting})" if claim.claim.setting else ""
        terminal.say(f"  {claim.verdict}: {claim.claim.says}{setting}")
        for check in claim.checks:
            if not check.passed:
                close = ", within two standard errors" if check.close else ""
                terminal.say(f"    asked {check.rule}, found {check.found}{close}")
    terminal.say(f"  written to {place}")


def write_report(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="The page, or with the ending .json the verdicts; beside the results unless given.",
            show_default=False,
        ),
    ] = None,
    quick: Quick = False,
    full: Full = False,
    out: Out = OUT,
) -> None:
    """Write one page with every picture and table beside the papers' claims."""
    from penchant.papers import report as page
    from penchant.papers.catalogue import experiments
    from penchant.papers.results import Results

    folder = out / _size(quick, full)
    target = folder / "report.html" if file is None else file
    if target.is_dir():
        raise InvalidInput(f"{target} must be the name of a file, got a folder: add report.html")
    if file is not None:
        check_outputs(folder.glob("*/*"), [target])
    count = page.write_report(target, Results(folder), experiments())
    Terminal().say(f"Written: {target}, with {count} of {len(experiments())} experiments")


def claims(ids: Ids = None) -> None:
    """List each distinct claim once: what the text says and where, what tries it, and by which limits."""
    from penchant.papers.catalogue import chosen
    from penchant.papers.claims import WHOSE, distinct_claims

    terminal, rows = Terminal(), distinct_claims(chosen(ids or []))
    for row in rows:
        claim = row.claim
        place = [WHOSE[claim.whose], *filter(None, [claim.section, claim.quote and f'"{claim.quote}"'])]
        terminal.say("", f"{claim.id}: {claim.says}", f"  {'; '.join(place)}")
        if claim.changed:
            terminal.say(f"  limits set or changed after a look at results: {claim.changed}")
        if not claim.counted:
            terminal.say("  shown, not counted: these data cannot test it")
        for trial in row.trials:
            terminal.say(f"  tried by {trial.label}, data: {trial.data}")
            terminal.say(*(f"    {rule}" for rule in trial.rules))
    terminal.say("", f"{len(rows)} distinct claims")


def sources(data: Data = None) -> None:
    """List which data are present, where the owners publish the others, and their terms."""
    from penchant.papers.sources import SOURCES, VARIABLE, data_folder

    terminal, folder = Terminal(), data_folder(data)
    if folder is None:
        terminal.say(f"No folder of data: give --data DIR or set {VARIABLE}.")
    for source in SOURCES:
        state = "there" if source.is_in(folder) else "missing: a made-up stand-in is played"
        terminal.say("", f"{source.name}: {state}", f"  {source.what}")
        terminal.say(f"  put {', '.join(source.files)} into {folder or 'DIR'}/{source.name}/")
        terminal.say(f"  from {source.where}", f"  terms: {source.terms}")


def _plain_table(*names: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def _counted(kept: Kept) -> str:
    """Return how many claims hold, in part and not."""
    from collections import Counter

    counts = Counter(claim.verdict for claim in kept.claims)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def _size(quick: bool, full: bool) -> Literal["quick", "default", "full"]:
    if quick and full:
        raise typer.BadParameter("--quick and --full exclude each other: give one")
    return "quick" if quick else "full" if full else "default"


def _flags(size: Size) -> list[str]:
    return [] if size == "default" else [f"--{size}"]


def _elsewhere(out: Path) -> list[str]:
    return [] if out == OUT else ["--out", str(out)]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


papers.callback()(command(listed, limited=False))
for _name, _function in (("run", run), ("report", write_report), ("claims", claims), ("data", sources)):
    papers.command(_name)(command(_function, limited=False))
