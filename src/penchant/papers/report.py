"""Write the results of all experiments as one HTML page, or their verdicts and numbers as JSON."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from penchant.errors import InvalidInput
from penchant.papers.catalogue import MADE_UP, PAPERS, STANDS_FOR
from penchant.papers.claims import WHOSE, DistinctClaim, Trial, distinct_claims
from penchant.papers.experiment import Experiment
from penchant.papers.result import Claim, Verdict, overall
from penchant.papers.results import JudgedCheck, JudgedClaim, Kept, Results
from penchant.saving.replacing import replace_text

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TEMPLATES = Path(__file__).parent / "templates"
MOVIES = ("ml-1m", "ml-100k")
SIDE_BY_SIDE = (1, 2)
"""Texts whose figures have the sets, or the kinds of feedback, side by side; in the others a set is a row."""
PANELS = {"5.fig1": 3}
"""How many panels a row of a figure has, where the text says so and they are one experiment."""
MOST_LIMITS = 4
"""Of those that a claim did not keep, so many are shown at once in the lists at the top."""

Held = Sequence[tuple[Experiment, Kept]]


@dataclass(frozen=True)
class JudgedTrial:
    """A trial of a claim after its run.

    Attributes
    ----------
    trial : Trial
    kept : Kept
    judged : JudgedClaim
    """

    trial: Trial
    kept: Kept
    judged: JudgedClaim

    @property
    def verdict(self) -> Verdict:
        """The verdict of this trial alone."""
        return self.judged.verdict

    @property
    def made_up(self) -> bool:
        """Whether the data were made up."""
        return is_made_up(self.trial.experiment, self.kept)

    @property
    def where(self) -> str:
        """The set and the setting, where there are several."""
        parts = [self.trial.experiment.id.partition(".")[2], self.trial.claim.setting]
        return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class JudgedRow:
    """A distinct claim with its judged trials.

    Attributes
    ----------
    claim : Claim
    trials : tuple of JudgedTrial
    """

    claim: Claim
    trials: tuple[JudgedTrial, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict of all trials together: "holds in part" where they differ."""
        return overall(trial.verdict for trial in self.trials)

    @property
    def by_setting(self) -> dict[str, Verdict]:
        """The verdict with each setting of ours; empty where there is only one."""
        settings = dict.fromkeys(trial.trial.claim.setting for trial in self.trials)
        if len(settings) < 2:
            return {}
        return {
            setting or "the usual one": overall(
                trial.verdict for trial in self.trials if trial.trial.claim.setting == setting
            )
            for setting in settings
        }

    @property
    def rests_on_settings(self) -> bool:
        """Whether it depends on a setting of ours whether the claim holds."""
        return len(set(self.by_setting.values())) > 1

    @property
    def made_up(self) -> bool:
        """Whether all data that it was tried on are made up in place of a set of the text."""
        return all(trial.made_up for trial in self.trials)


@dataclass(frozen=True)
class Figure:
    """The experiments of one figure, table or example of a text.

    Attributes
    ----------
    shows : str
    held : sequence of (Experiment, Kept)
    rows : tuple of JudgedRow
        The claims that they try.
    """

    shows: str
    held: Held
    rows: tuple[JudgedRow, ...]

    @property
    def anchor(self) -> str:
        """The name of its place in the page."""
        return re.sub(r"\W+", "-", f"{self.held[0][0].paper} {self.shows}").lower()

    @property
    def about(self) -> str:
        """What is compared."""
        return "; ".join(dict.fromkeys(experiment.about for experiment, _ in self.held))

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many of its claims have each verdict."""
        counts = Counter(row.verdict for row in self.rows)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    @property
    def columns(self) -> dict[str, list[tuple[Experiment, Kept]]]:
        """Its experiments by column, as the text lays out its panels."""
        variants = {_variant(experiment) for experiment, _ in self.held}
        columns: dict[str, list[tuple[Experiment, Kept]]] = {}
        for experiment, kept in self.held:
            task = "movie recommendation" if experiment.on in MOVIES else "web search"
            columns.setdefault(_variant(experiment) if len(variants) > 1 else task, []).append(
                (experiment, kept)
            )
        return columns

    @property
    def side_by_side(self) -> bool:
        """Whether its experiments stand side by side: both tasks, or both kinds of feedback."""
        own = self.held[0][0].paper in SIDE_BY_SIDE and all(experiment.on for experiment, _ in self.held)
        return own and len(self.columns) > 1


def write_report(path: Path, results: Results, experiments: Sequence[Experiment]) -> int:
    """Write a report of all experiments in the folder of results; return how many there are.

    Parameters
    ----------
    path : Path
        With the ending .json every distinct claim with its verdicts and the numbers that decided them, and a row of
        counts for each paper; with any other ending one HTML page with pictures and tables, which needs no other file.
    results : Results
    experiments : sequence of Experiment
        In the order of the report; those that were not run are listed at its end.
    """
    kept_by_id = {experiment.id: results.get(experiment) for experiment in experiments}
    held = [
        (experiment, kept) for experiment in experiments if (kept := kept_by_id[experiment.id]) is not None
    ]
    if not held:
        raise InvalidInput(
            f"{results.folder} must hold at least one result, got none: run penchant papers run first"
        )
    missing = [experiment.id for experiment in experiments if kept_by_id[experiment.id] is None]
    as_json = path.suffix.lower() == ".json"
    replace_text(path, (_json(held, missing) if as_json else _page(held, missing)) + "\n")
    return len(held)


def is_made_up(experiment: Experiment, kept: Kept) -> bool:
    """Whether a result is of made-up data in place of a set of the text."""
    return kept.made_up or experiment.on in MADE_UP


def judged_rows(held: Held) -> tuple[JudgedRow, ...]:
    """Return each distinct claim of some results with its judged trials."""
    kept_by_id = {experiment.id: kept for experiment, kept in held}
    return tuple(
        _judged_row(row, kept_by_id) for row in distinct_claims(experiment for experiment, _ in held)
    )


def _judged_row(row: DistinctClaim, kept_by_id: dict[str, Kept]) -> JudgedRow:
    trials = []
    for trial in row.trials:
        kept = kept_by_id[trial.experiment.id]
        (judged,) = (each for each in kept.claims if each.claim.key == trial.claim.key)
        trials.append(JudgedTrial(trial, kept, judged))
    return JudgedRow(row.claim, tuple(trials))


def counts_by_paper(rows: Sequence[JudgedRow]) -> dict[int, dict[str, Any]]:
    """Return for each paper how many of its distinct claims have each verdict, and theorems and questions of ours."""
    table: dict[int, dict[str, Any]] = {}
    for paper in dict.fromkeys(row.claim.paper for row in rows):
        counts = Counter(
            (row.claim.whose, row.verdict) for row in rows if row.claim.paper == paper and row.claim.counted
        )
        theorems, ours = (
            sum(counts[whose, verdict] for verdict in VERDICTS) for whose in ("theorem", "ours")
        )
        table[paper] = {verdict: counts["paper", verdict] for verdict in VERDICTS} | {
            "theorems kept": f"{counts['theorem', 'holds']} of {theorems}" if theorems else "",
            "ours, holds": f"{counts['ours', 'holds']} of {ours}" if ours else "",
        }
    return table


def _json(held: Held, missing: Sequence[str]) -> str:
    """Return the verdicts of a run and the command that repeats it; ``rows`` are those of the table in the docs."""
    rows = judged_rows(held)
    sizes = sorted({kept.size for _, kept in held} - {"default"})
    names = "--all" if not missing else " ".join(experiment.id for experiment, _ in held)
    own = Counter(experiment.paper for experiment, _ in held)
    found = {
        "command": f"penchant papers run {names}" + "".join(f" --{size}" for size in sizes),
        "version": ", ".join(sorted({kept.version for _, kept in held})),
        "rows": [
            {"what": f"{paper}: {_title(paper)}", "who": f"{own[paper]} experiments", "answer": counts}
            for paper, counts in counts_by_paper(rows).items()
        ],
        "claims": [_claim_record(row) for row in rows],
        "experiments": {
            experiment.id: {
                "data": kept.data,
                "size": kept.size,
                "seed": kept.seed,
                "cpu": round(sum(kept.cpu.values()), 1),
            }
            for experiment, kept in held
        },
        "not run": list(missing),
    }
    return json.dumps(found, indent=1, ensure_ascii=False)


def _claim_record(row: JudgedRow) -> dict[str, Any]:
    fields = {
        name: getattr(row.claim, name) for name in ("id", "says", "whose", "section", "quote", "changed")
    }
    tried = {
        trial.trial.label: {
            "verdict": trial.verdict,
            "found": {check.rule: check.found for check in trial.judged.checks},
        }
        for trial in row.trials
    }
    return {
        **{name: value for name, value in fields.items() if value},
        "verdict": row.verdict,
        "tried": tried,
    }


def _page(held: Held, missing: Sequence[str]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    rows = judged_rows(held)
    about_papers = [row for row in rows if row.claim.counted and row.claim.whose != "ours"]
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "duration": duration,
        "short": _short,
        "found": _found,
        "is_number": _is_number,
        "limit": _limit,
    }
    template = environment.get_template("report.html")
    return template.render(
        papers={paper: _figures(paper, held) for paper in PAPERS if any(e.paper == paper for e, _ in held)},
        titles={paper: (title.partition(": ")[0], _title(paper)) for paper, title in PAPERS.items()},
        counts=counts_by_paper(rows),
        verdicts=VERDICTS,
        whose=WHOSE,
        sizes=Counter(kept.size for _, kept in held),
        made_up=[experiment.id for experiment, kept in held if is_made_up(experiment, kept)],
        is_made_up=is_made_up,
        stands_for=STANDS_FOR,
        panels=PANELS,
        most_limits=MOST_LIMITS,
        wall=sum(kept.wall for _, kept in held),
        cpu=sum(sum(kept.cpu.values()) for _, kept in held),
        versions=", ".join(sorted({kept.version for _, kept in held})),
        by_verdict={verdict: [row for row in about_papers if row.verdict == verdict] for verdict in VERDICTS},
        ours=[row for row in rows if row.claim.whose == "ours"],
        on_settings=[row for row in rows if row.rests_on_settings],
        survives=[row for row in rows if row.by_setting and not row.rests_on_settings],
        on_stand_ins=[row for row in about_papers if row.made_up],
        changed=[row for row in rows if row.claim.changed],
        uncounted=[row for row in rows if not row.claim.counted],
        picture=_picture,
        table=_table,
        place=_places(held),
        missing=missing,
    )


def _figures(paper: int, held: Held) -> list[Figure]:
    """Return the figures of a paper, in the order of the text."""
    own = [(experiment, kept) for experiment, kept in held if experiment.paper == paper]
    order = list(dict.fromkeys(experiment.shows for experiment, _ in own))
    own.sort(key=lambda pair: order.index(pair[0].shows))
    return [
        Figure(shows, group, judged_rows(group))
        for shows, group in (
            (shows, list(pairs)) for shows, pairs in groupby(own, lambda pair: pair[0].shows)
        )
    ]


def _places(held: Held) -> dict[str, str]:
    """Return the anchor of the figure of each experiment."""
    return {
        experiment.id: figure.anchor
        for paper in PAPERS
        for figure in _figures(paper, held)
        for experiment, _ in figure.held
    }


def _variant(experiment: Experiment) -> str:
    """Return the kind of feedback of one of several experiments of a figure.

    Examples
    --------
    >>> from penchant.papers.catalogue import named
    >>> _variant(named("2.fig9-strict/synthetic-web")), _variant(named("2.known-loss"))
    ('strict', '')
    """
    found = re.match(r"\d\.fig\d+-(\w+)", experiment.id)
    return found[1] if found else ""


def _title(paper: int) -> str:
    return PAPERS[paper].partition(": ")[2]


def _picture(path: Path, description: str, name: str) -> Any:
    """Return the markup of a picture; the ids inside an SVG get a prefix of their own."""
    from markupsafe import Markup, escape

    if path.suffix == ".png":
        content = b64encode(path.read_bytes()).decode()
        return Markup('<img alt="{}" src="data:image/png;base64,{}">').format(description, content)
    own = re.sub(r"\W", "-", name)
    svg = re.sub(r'( id="|url\(#)', rf"\g<1>{own}-", path.read_text(encoding="utf-8"))
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1))  # noqa: S704


def _table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _is_number(cell: str) -> bool:
    try:
        float(cell.split(" ± ")[0])
    except ValueError:
        return False
    return True


def _limit(check: JudgedCheck, where: str) -> str:
    """Return the rule of a check without the setting that it begins with, where that is named already."""
    setting = where.partition(", ")[2]
    return check.rule.replace(f"{setting}: ", "", 1) if setting else check.rule


def _found(check: JudgedCheck) -> str:
    return check.found + (" ≈" if check.close else "")


def _short(cell: str) -> str:
    """Return a number with at most four significant digits; one with its error stays as it is.

    Examples
    --------
    >>> _short("0.008860872696473057"), _short("94.4 ± 0.1"), _short("15211")
    ('0.008861', '94.4 ± 0.1', '15211')
    """
    return f"{float(cell):.4g}" if _is_number(cell) and "±" not in cell and len(cell) > 8 else cell


def duration(seconds: float) -> str:
    """Return a time in seconds or minutes.

    Examples
    --------
    >>> duration(0.25), duration(75), duration(8000)
    ('0.2 s', '75 s', '133 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
