"""Write the results of all experiments as one HTML page, or their verdicts as JSON."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import get_args

from penchant.errors import InvalidInput
from penchant.papers.catalogue import PAPERS
from penchant.papers.experiment import Experiment
from penchant.papers.result import Verdict
from penchant.papers.results import JudgedCheck, JudgedClaim, Kept, Results
from penchant.saving.replacing import replace_text

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
STYLE = """
:root { color-scheme: light; --ink: #1f2937; --soft: #6b7280; --line: #e5e7eb; }
body { font: 16px/1.55 Helvetica, Arial, sans-serif; color: var(--ink); max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem; background: white; }
h1 { font-size: 1.9rem; margin-bottom: .2rem; } h2 { margin-top: 3rem; } h3 { margin: 2.5rem 0 .2rem; }
p.quiet, i.quiet, summary { color: var(--soft); } a { color: #1d4ed8; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; margin: .8rem 0; }
th { text-align: left; color: var(--soft); font-weight: normal; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.rule { font-size: .8rem; color: var(--soft); }
div.pictures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; margin: .6rem 0; }
div.pictures > * { max-width: min(100%, 35rem); height: auto; overflow: visible; }
b.yes, b.part, b.no { white-space: nowrap; font-weight: 600; }
b.yes { color: #15803d; } b.part { color: #a16207; } b.no { color: #b91c1c; }
"""
CLASSES: dict[Verdict, str] = dict(zip(VERDICTS, ("yes", "part", "no"), strict=True))


def write_report(path: Path, results: Results, experiments: Sequence[Experiment]) -> int:
    """Write a report of all experiments in the folder of results; return how many there are.

    Parameters
    ----------
    path : Path
        With the ending .json every verdict and the numbers that decided it, and a row of counts for each paper;
        with any other ending one HTML page with pictures and tables, which needs no other file.
    results : Results
    experiments : sequence of Experiment
        In the order of the report; the page lists those that were not run at its end.
    """
    held = [(experiment, kept) for experiment in experiments if (kept := results.get(experiment)) is not None]
    if not held:
        raise InvalidInput(
            f"{results.folder} must hold at least one result, got none: run penchant papers run first"
        )
    if path.suffix.lower() == ".json":
        text = json.dumps(_verdicts(held, len(held) == len(experiments)), indent=1, ensure_ascii=False)
    else:
        missing = [experiment for experiment in experiments if results.get(experiment) is None]
        text = "\n".join(_page(held, missing))
    replace_text(path, text + "\n")
    return len(held)


def _verdicts(held: Sequence[tuple[Experiment, Kept]], complete: bool) -> dict[str, object]:
    """Return the verdicts of a run and the command that repeats it; ``rows`` are those of the table in the docs."""
    names = "--all" if complete else " ".join(experiment.id for experiment, _ in held)
    sizes = sorted({kept.size for _, kept in held})
    flags = "".join(f" --{size}" for size in sizes if size != "default")
    return {
        "command": f"penchant papers run {names}{flags}",
        "version": ", ".join(sorted({kept.version for _, kept in held})),
        "rows": [
            {
                "what": f"{paper}: {_title(paper)}",
                "who": f"{len(own)} experiments",
                "answer": {**counts, "theorems kept": theorems},
            }
            for paper, own, counts, theorems in _by_paper(held)
        ],
        "experiments": [
            {"id": experiment.id, "data": kept.data, "size": kept.size, "seed": kept.seed}
            | {"claims": [_decided(claim) for claim in kept.claims]}
            for experiment, kept in held
        ],
    }


def _decided(claim: JudgedClaim) -> dict[str, object]:
    """Return a claim with the numbers that keep a limit and those that break one."""
    limits = {
        name: {check.rule: check.found for check in claim.checks if check.passed is passed}
        for name, passed in (("kept", True), ("broken", False))
    }
    own = {
        name: getattr(claim.claim, name) for name in ("id", "says", "whose", "section", "quote", "setting")
    }
    return {**own, "verdict": claim.verdict, **limits}


def _title(paper: int) -> str:
    return PAPERS[paper].partition(": ")[2]


def _by_paper(
    held: Sequence[tuple[Experiment, Kept]],
) -> Iterable[tuple[int, list[Kept], dict[Verdict, int], str]]:
    """Yield each paper with results: number, results, how many of its claims have each verdict, theorems kept."""
    for paper in PAPERS:
        own = [kept for experiment, kept in held if experiment.paper == paper]
        if own:
            counts = Counter(
                (claim.claim.whose, claim.verdict)
                for kept in own
                for claim in kept.claims
                if claim.claim.counted
            )
            theorems = sum(counts["theorem", verdict] for verdict in VERDICTS)
            kept = f"{counts['theorem', 'holds']} of {theorems}" if theorems else ""
            yield paper, own, {verdict: counts["paper", verdict] for verdict in VERDICTS}, kept


def _page(held: Sequence[tuple[Experiment, Kept]], missing: Sequence[Experiment]) -> Iterable[str]:
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>The five papers, played again</title>\n<style>{STYLE}</style>"
    yield "<h1>The five papers, played again</h1>"
    versions = ", ".join(sorted({kept.version for _, kept in held}))
    yield f'<p class="quiet">{_sizes(held)}; Penchant {escape(versions)}</p>'
    yield (
        "<p>Each claim of a paper stands in the code as limits on named numbers, by which every run is judged. It "
        "<b>holds</b> if all limits are kept, <b>holds in part</b> if some are, and otherwise <b>does not hold "
        "here</b>. Numbers are followed by their standard error where there were repetitions; ≈ marks those within "
        "two standard errors of a limit, where chance may have decided. What follows from a theorem is counted apart, "
        "and what a paper only suggests, so that the question is ours, is marked and not counted.</p>"
    )
    yield from _summary(held)
    yield from _contradicted(held)
    for paper, title in PAPERS.items():
        here = [(experiment, kept) for experiment, kept in held if experiment.paper == paper]
        if here:
            yield f'<h2 id="paper-{paper}">Paper {paper}: {escape(title)}</h2>'
        for experiment, kept in here:
            yield from _section(experiment, kept)
    if missing:
        yield '<h2 id="missing">Not run</h2>'
        yield f"<p>{', '.join(escape(experiment.id) for experiment in missing)}</p>"


def _sizes(held: Sequence[tuple[Experiment, Kept]]) -> str:
    sizes = Counter(kept.size for _, kept in held)
    wall, cpu = sum(kept.wall for _, kept in held), sum(sum(kept.cpu.values()) for _, kept in held)
    counts = ", ".join(f"{count} experiments of size {size}" for size, count in sizes.items())
    return f"{counts}; {_time(wall)} from start to end, {_time(cpu)} of CPU"


def _summary(held: Sequence[tuple[Experiment, Kept]]) -> Iterable[str]:
    yield _row_start(["paper", "experiments", *VERDICTS, "theorems kept", "time"])
    for paper, own, counts, theorems in _by_paper(held):
        time = _time(sum(kept.wall for kept in own))
        yield _row(
            f'<td><a href="#paper-{paper}">{paper}</a> {escape(_title(paper))}</td>',
            *map(_number, (len(own), *counts.values(), theorems, time)),
        )
    yield "</table></div>"


def _contradicted(held: Sequence[tuple[Experiment, Kept]]) -> Iterable[str]:
    """List the claims that the data contradict, wholly or in part, before all others."""
    yield "<h2>What did not hold, or only in part</h2>"
    against = [
        (experiment, claim) for experiment, kept in held for claim in kept.claims if claim.verdict != "holds"
    ]
    if not against:
        yield "<p>Nothing: every claim holds.</p>"
        return
    yield _row_start(["experiment", "claim", "limits that were not kept", "verdict"])
    for experiment, claim in against:
        broken = "<br>".join(
            f"{escape(check.rule)}: found {_found(check)}" for check in claim.checks if not check.passed
        )
        yield _row(
            f'<td><a href="#{escape(experiment.id)}">{escape(experiment.id)}</a></td>',
            f"<td>{_says(claim)}</td>",
            f'<td class="rule">{broken}</td>',
            f"<td>{_verdict(claim)}</td>",
        )
    yield "</table></div>"


def _section(experiment: Experiment, kept: Kept) -> Iterable[str]:
    on = f" on {experiment.on}" if experiment.on else ""
    shows = experiment.shows[0].upper() + experiment.shows[1:] + on
    yield f'<h3 id="{escape(experiment.id)}">{escape(shows)}: {escape(experiment.about)}</h3>'
    yield f'<p class="quiet">{escape(experiment.id)}. {escape(kept.data)}. Seed {kept.seed}.</p>'
    if kept.claims:
        yield from _claims(kept)
    yield '<div class="pictures">'
    for number, (name, path) in enumerate(kept.pictures.items()):
        yield _picture(path, f"{kept.title}: {name}", f"{experiment.id}-{number}")
    yield "</div>"
    for name, path in kept.tables.items():
        yield from _table(name, path)
    yield from _details(experiment, kept)


def _picture(path: Path, description: str, name: str) -> str:
    """Return the markup of a picture; the ids inside an SVG get a prefix of their own."""
    if path.suffix == ".png":
        picture = b64encode(path.read_bytes()).decode()
        return f'<img alt="{escape(description)}" src="data:image/png;base64,{picture}">'
    own = re.sub(r"\W", "-", name)
    svg = re.sub(r'( id="|url\(#)', rf"\g<1>{own}-", path.read_text(encoding="utf-8"))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)


def _claims(kept: Kept) -> Iterable[str]:
    yield _row_start(["claim", "limit", "found", "verdict"])
    for claim in kept.claims:
        span = f'<td rowspan="{len(claim.checks)}">'
        for number, check in enumerate(claim.checks):
            mark = "" if check.passed else '<b class="no">✗</b> '
            limit = f'<td class="rule">{mark}{escape(check.rule)}</td>'
            cells = [limit, f'<td class="number">{_found(check)}</td>']
            if number == 0:
                cells = [f"{span}{_says(claim)}</td>", *cells, f"{span}{_verdict(claim)}</td>"]
            yield _row(*cells)
    yield "</table></div>"


def _table(name: str, path: Path) -> Iterable[str]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    yield f"<p>{escape(name)}</p>{_row_start(header)}"
    for row in rows:
        yield _row(
            *(_number(_short(cell)) if _is_number(cell) else f"<td>{escape(cell)}</td>" for cell in row)
        )
    yield "</table></div>"


def _details(experiment: Experiment, kept: Kept) -> Iterable[str]:
    took = f"{_time(kept.wall)} from start to end"
    if experiment.took:
        took += f"; {experiment.took}"
    yield f"<details><summary>All numbers, and the time: {escape(took)}</summary>"
    yield _row_start(["number", "found"])
    for name, found in kept.numbers.items():
        yield _row(f"<td>{escape(name)}</td>", _number(repr(found)))
    for name, seconds in kept.cpu.items():
        yield _row(f"<td>CPU time, {escape(name)}</td>", _number(_time(seconds)))
    yield "</table></div></details>"


def _row_start(header: Sequence[str]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in header)
    return f'<div class="wide"><table><tr>{cells}</tr>'


def _row(*cells: str) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _number(value: object) -> str:
    return f'<td class="number">{escape(str(value))}</td>'


def _is_number(cell: str) -> bool:
    try:
        float(cell.split(" ± ")[0])
    except ValueError:
        return False
    return True


def _says(claim: JudgedClaim) -> str:
    return escape(claim.claim.says) + (' <i class="quiet">(ours)</i>' if claim.claim.whose == "ours" else "")


def _found(check: JudgedCheck) -> str:
    return escape(check.found) + (" ≈" if check.close else "")


def _short(cell: str) -> str:
    """Return a number with at most four significant digits; one with its error stays as it is.

    Examples
    --------
    >>> _short("0.008860872696473057"), _short("94.4 ± 0.1"), _short("15211")
    ('0.008861', '94.4 ± 0.1', '15211')
    """
    return f"{float(cell):.4g}" if "±" not in cell and len(cell) > 8 else cell


def _verdict(claim: JudgedClaim) -> str:
    return f'<b class="{CLASSES[claim.verdict]}">{claim.verdict}</b>'


def _time(seconds: float) -> str:
    """Return a time in seconds or minutes.

    Examples
    --------
    >>> _time(0.25), _time(75), _time(8000)
    ('0.2 s', '75 s', '133 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
