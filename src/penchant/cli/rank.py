"""``penchant rank``: fit a model of the items' worth, and print and draw the ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import kept_warnings, report
from penchant.cli.inputs import holds_study, read, unused
from penchant.cli.on_cluster import Dask, fitted_on_cluster, reject_beside_dask
from penchant.cli.options import (
    Csv,
    File,
    Format,
    Json,
    Level,
    Setting,
    Strict,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import print_json, ranking_csv, write_rows
from penchant.cli.ranking_request import Outputs, Request
from penchant.cli.terminal import Terminal, busy, drawn, rows_table, working, working_with
from penchant.cli.voting import (
    Anchor,
    By,
    Covariate,
    Errors,
    Over,
    Periods,
    Scale,
    Side,
    Ties,
    Voting,
    about_effects,
    adjusted_json,
    boards_of,
    half_wins_note,
    show_boards,
    with_half_wins,
    with_ties_stated,
    with_unadjusted,
    without_board,
)
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.progress import part
from penchant.registry import find

if TYPE_CHECKING:
    from penchant.counts import Count
    from penchant.formats import Counted, Reading
    from penchant.preferences import Preferences
    from penchant.ranking import Ranking
    from penchant.worth.worth_model import WorthModel

_SHOWN = 50
_ASSUMED = {
    "model": "that comparisons are independent of one another",
    "row": "that rows are independent, not the comparisons of one row (sandwich errors, clustered by row)",
    "source": "that pages are independent, not the comparisons of one page (sandwich errors, clustered by page)",
    "judge": "that judges are independent, not the comparisons of one judge (sandwich errors, clustered by judge)",
}

Model = Annotated[
    str | None,
    model_option("worth", "What to fit; chosen by what the rows are unless given.", show_default=False),
]
Prior = Annotated[
    str | None,
    option(
        "PRECISION|learned",
        "The precision of the prior on scores; bradley-terry and thurstone learn it unless given.",
    ),
]
Bootstrap = Annotated[
    int | None,
    option(
        "TIMES",
        "Intervals by the bootstrap: fit so often to rows drawn anew (with --errors judge, to judges).",
        min=20,
    ),
]
Memory = Annotated[
    str | None,
    option(
        "BYTES",
        "Count comparisons in so much memory (2GB) instead of reading FILE, and spill to disk; large files are counted "
        "unless another option needs the rows.",
    ),
]
Top = Annotated[int, typer.Option(min=1, metavar="K", help="How many rows the table shows.")]
Plot = Annotated[Path | None, picture_option("Draw the ranking")]
Matrix = Annotated[Path | None, picture_option("Draw who beats whom")]


def rank(
    file: File,
    columns: Mapping[str, Any],
    model: Model = None,
    level: Level = 0.95,
    prior: Prior = None,
    bootstrap: Bootstrap = None,
    setting: Setting = None,
    top: Top = _SHOWN,
    json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    matrix: Matrix = None,
    format: Format = None,
    strict: Strict = False,
    covariate: Covariate = None,
    side: Side = False,
    errors: Errors = None,
    ties: Ties = None,
    scale: Scale = None,
    anchor: Anchor = None,
    by: By = None,
    over: Over = None,
    periods: Periods = None,
    memory: Memory = None,
    dask: Dask = None,
) -> None:
    """Rank the items of FILE, with intervals."""
    request = Request(
        file,
        columns,
        Voting(tuple(covariate or ()), side, errors, ties, scale, anchor, by, over, periods),
        Outputs(top, json, csv, plot, matrix),
        format=format,
        strict=strict,
        model=model,
        prior=prior,
        bootstrap=bootstrap,
        setting=tuple(setting or ()),
        level=level,
        memory=memory,
    )
    request.check()
    if dask is not None:
        _rank_on_cluster(request, dask)
    elif request.asks_only_for_the_study and holds_study(file):
        _rank_study(request)
    elif (tallied := _counted(request)) is not None:
        _rank_counts(request, tallied)
    else:
        _rank_rows(request)


def _rank_on_cluster(request: Request, address: str) -> None:
    """Rank the items of files that the workers of a Dask cluster read."""
    voting = request.voting
    kept: dict[str, Any] = {
        "bootstrap": request.bootstrap,
        "covariate": voting.covariate,
        "side": voting.side,
    }
    kept |= {"by": voting.by, "over": voting.over, "ties": voting.halves_ties and voting.ties}
    reject_beside_dask(kept | {"memory": request.memory})
    options = dict(request.columns)
    options |= {"format": request.format} if request.format else {}
    options |= {"strict": True} if request.strict else {}
    chosen, why = _model(None, request)
    with kept_warnings() as warned:
        fitted, n_partitions = fitted_on_cluster(chosen, request.file, address, options=options)
        ranking = voting.scaled(fitted.rank(level=request.level))
    above = [f"{counted(n_partitions, 'partition')} on {address}", f"Model: {ranking.model}{why}"]
    _show(Ranked(ranking, fitted, above, warned, float(fitted.counts_.sum()) / 2), request.outputs)


def _rank_study(request: Request) -> None:
    """Rank the items of a study by its own belief, from which its questions follow too."""
    from penchant.study import CompareStudy

    file, outputs = request.file, request.outputs
    with (
        kept_warnings() as warned,
        working_with(f"reading {file.name}", CompareStudy.open, file, write=False) as study,
    ):
        ranking = request.voting.scaled(study.rank(level=request.level))
        name = study.settings["model"]["name"]
        above = [study.progress(), f"Model: {name}, the study's own (--model takes another)"]
        fitted = None if outputs.matrix is None else study.model()
        settled = None if outputs.are_for_programs else study.settled()
        verdict = () if outputs.are_for_programs else study.verdict(ranking)
        titles = {item.id: item.title for item in study.items.values()}
        n_answers = study.preferences().n_answers
    _show(Ranked(ranking, fitted, above, warned, n_answers, below=tuple(verdict), titles=titles), outputs)
    if settled is not None:
        first, *others = ranking.items
        Terminal().next(["why", str(file), first, others[0]] if settled.enough else ["compare", str(file)])


def _counted(request: Request) -> Counted | None:
    """Return the counts of a file's comparisons where it is large or ``--memory`` was given; None to read it."""
    if request.memory is None and not request.is_large:
        return None
    from penchant.cli.counting import count

    return count(
        request.file,
        request.memory,
        needs_rows=_needs_rows(request.model, request.bootstrap, request.voting),
        format=request.format,
        strict=request.strict,
        columns=request.columns,
    )


def _rank_counts(request: Request, tallied: Counted) -> None:
    """Rank the items of a file whose comparisons were counted."""
    voting, outputs = request.voting, request.outputs
    chosen, why = _model(None, request)
    counts, notes = tallied.counts, unused(tallied)
    if voting.halves_ties:
        ties = counts.outcomes[2]
        notes = [*notes, half_wins_note(int(ties) if ties.is_integer() else ties)]
        counts = counts.ties_as_half_wins()
    with kept_warnings() as warned, working(f"fitting {type(chosen).__name__}"):
        with part(0, 2):
            fitted = chosen.fit(counts)
        with part(1, 2):
            ranking = voting.scaled(fitted.rank(level=request.level))
    above = [repr(counts), *notes, f"Model: {ranking.model}{why}"]
    _show(Ranked(ranking, fitted, above, warned, counts.n_comparisons, half_ties=voting.halves_ties), outputs)
    if outputs.are_for_programs:
        return
    # A file that is large would not fit where it is checked, which reads it.
    if not request.is_large and (outputs.plot is not None or tallied.refusals or warned):
        Terminal().next(["check", *request.same_file])
        return
    following = ["--plot", "ranking.png"] if outputs.plot is None else ["--csv", "ranking.csv"]
    memory = [] if request.memory is None else ["--memory", request.memory]
    Terminal().next([*request.again, *memory, *following])


def _rank_rows(request: Request) -> None:
    """Rank the items of a file that is read."""
    voting = request.voting
    reading = read(
        request.file,
        format=request.format,
        strict=request.strict,
        columns={**request.columns, **voting.reads},
    )
    chosen, why = _model(reading, request)
    preferences, labels, notes = reading.preferences, reading.labels, unused(reading)
    if voting.boards:
        notes = [*notes, *without_board(labels, voting)]
    halves = voting.halves_ties and not _rates_games(chosen)  # which counts draws so by itself
    if voting.halves_ties:
        # Two halves of a tie are one row; weights, which repeat rows, leave the model's own way.
        marked = halves and voting.errors == "row" and preferences.weight is None
        halved, labels_of_halves, note = with_half_wins(preferences, labels, mark_rows=marked)
        notes = [*notes, note]
        if halves:
            preferences, labels = halved, labels_of_halves
        if marked:
            chosen = type(chosen)(**{**chosen.get_params(deep=False), "errors": "source"})
            notes = [*notes, "The halves of a tie are one row: below, a page is a row of the file"]
    if voting.boards:
        _rank_boards(request, chosen, preferences, labels, notes, why)
        return
    with kept_warnings() as warned, working(f"fitting {type(chosen).__name__}"):
        ranked = _fitted(request, chosen, preferences)
    if request.bootstrap is not None:
        whole = reading.preferences  # in which a tie is one, as the bootstrap draws it
        found = _bootstrapped(
            chosen, whole, request.bootstrap, voting.errors, request.level, half_ties=halves
        )
        ranked = replace(ranked, ranking=found, is_bootstrapped=True)
    ranking = voting.scaled(ranked.ranking)
    above = [repr(preferences), *notes, f"Model: {ranking.model}{why}"]
    _show(replace(ranked, ranking=ranking, above=above, warned=warned), request.outputs)
    if not request.outputs.are_for_programs:
        doubtful = request.outputs.plot is not None or reading.refusals or warned
        following = ["check", *request.same_file] if doubtful else [*request.again, "--plot", "ranking.png"]
        Terminal().next(following)


def _rank_boards(
    request: Request, chosen: Any, preferences: Preferences, labels: Any, notes: list[str], why: str
) -> None:
    """Rank the items of each category or period."""
    voting, outputs = request.voting, request.outputs
    with kept_warnings() as warned, working(f"fitting {type(chosen).__name__} to each board"):
        boards = voting.scaled(boards_of(preferences, labels, chosen, request.level, voting))
    above = [repr(preferences), *notes, f"Model: {boards.overall.model}{why}"]
    show_boards(
        boards,
        above,
        warned,
        top=outputs.top,
        json=outputs.json,
        csv=outputs.csv,
        plot=outputs.plot,
        half_ties=voting.halves_ties,
    )
    if not outputs.are_for_programs:
        with_picture = [*request.again, "--plot", "boards.png"]
        Terminal().next(with_picture if outputs.plot is None else ["check", *request.same_file])


def _fitted(request: Request, chosen: Any, preferences: Preferences) -> Ranked:
    """Fit a model, with covariates and without where they were asked for; the bootstrap ranks later."""
    voting, level = request.voting, request.level
    first = 2 if voting.adjusts else 0  # parts of the work that come before
    before = None
    if voting.adjusts:
        with part(0, 4):
            unadjusted = chosen.fit(preferences)
        with part(1, 4):
            before = voting.scaled(unadjusted.rank(level=level))
    with part(first, first + 2):
        fitted = chosen.fit(preferences, **voting.fit_options(preferences))
    with part(first + 1, first + 2):
        ranking = None if request.bootstrap is not None else fitted.rank(level=level)
    return Ranked(
        ranking,
        fitted,
        [],
        [],
        preferences.n_answers,
        effects=fitted.effects_ if voting.adjusts else None,
        before=before,
        half_ties=voting.halves_ties,
    )


def _needs_rows(model: str | None, bootstrap: int | None, voting: Voting) -> str | None:
    """Return the option among those typed that counts of pairs are not enough for."""
    from penchant.cli.counting import MODELS

    needing = {
        f"--model {model}": model not in MODELS,
        "--bootstrap": bootstrap is not None,
        "--covariate or --side": voting.adjusts,
        "--by or --over": voting.boards,
        f"--errors {voting.errors}": voting.errors not in (None, "auto", "model"),
    }
    return next((name for name, needs in needing.items() if needs), None)


@dataclass(frozen=True)
class Ranked:
    """A ranking, and everything that the command says about it.

    ``above`` are the lines before the table, of which the first names the data and the last the model; ``below`` those
    after it. ``before`` is the ranking without the covariates whose ``effects`` it is adjusted for.
    """

    ranking: Any
    fitted: WorthModel | None
    above: list[str]
    warned: list[str]
    n_answers: Count
    below: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    effects: Any = None
    before: Ranking | None = None
    half_ties: bool = False
    is_bootstrapped: bool = False

    def rows(self, top: int) -> list[dict[str, str]]:
        """Return the rows of the table."""
        rows = self.ranking.rows(top)
        if self.titles:
            rows = _titled(rows, self.titles)
        return rows if self.before is None else with_unadjusted(rows, self.before)

    def to_json(self) -> str | dict[str, Any]:
        """Return all of it for programs."""
        state = self.ranking.to_json()
        if self.effects is not None:
            state = adjusted_json(self.ranking, self.effects, self.before)
        return with_ties_stated(state) if self.half_ties else state

    def chart(self) -> Any:
        """Return its picture."""
        from penchant.plots import adjusted_chart, ranking_chart

        if self.effects is None:
            return ranking_chart(self.ranking, n_answers=self.n_answers)
        return adjusted_chart(self.ranking, self.effects, self.before)


def _show(ranked: Ranked, outputs: Outputs) -> None:
    """Print a ranking with lines above and below it, and write the files that were asked for."""
    ranking, fitted = ranked.ranking, ranked.fitted
    files = (outputs.csv, outputs.plot, outputs.matrix)
    if outputs.are_for_programs:
        if outputs.json:
            print_json(ranked.to_json())
        _write(ranking, fitted, *files, ranked.chart)
        for line in (*ranked.above[1:-1], *ranked.warned):
            report(line)
        return
    terminal = Terminal()
    terminal.say(*ranked.above)
    terminal.show(rows_table(ranked.rows(outputs.top)))
    terminal.say(*_below(ranking, None if ranked.is_bootstrapped else fitted, outputs.top))
    if ranked.effects is not None:
        terminal.show(rows_table(ranked.effects.rows(ranking.level)))
        terminal.say(*about_effects(ranked.effects))
    terminal.say(*ranked.below)
    for line in ranked.warned:
        report(line)
    terminal.say(*_write(ranking, fitted, *files, ranked.chart))


def _rates_games(model: WorthModel) -> bool:
    from penchant.worth.rated import RatedWorth

    return isinstance(model, RatedWorth)


def _titled(rows: list[dict[str, str]], titles: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a ranking with the titles of the items where these differ from their ids."""
    if all(titles[row["item"]] == row["item"] for row in rows):
        return rows
    return [{"rank": row["rank"], "item": row["item"], "title": titles[row["item"]], **row} for row in rows]


def _bootstrapped(
    model: WorthModel,
    preferences: Preferences,
    times: int,
    errors: str | None,
    level: float,
    *,
    half_ties: bool,
) -> Ranking:
    from penchant.worth import bootstrap

    if errors not in (None, "row", "judge"):
        raise InvalidInput.of("errors", "be row or judge with --bootstrap", repr(errors), "give one of these")
    doing = f"fitting {type(model).__name__} again"
    with busy(doing, steps=True) as show:
        return bootstrap(
            model,
            preferences,
            times=times,
            by=errors or "row",
            level=level,
            half_ties=half_ties,
            progress=lambda done, total: show(doing, done, total),
        )


def _model(reading: Reading | None, request: Request) -> tuple[Any, str]:
    """Return the model to fit, and the reason for it unless it was asked for, as the end of a sentence.

    Without ``reading`` comparisons were counted, here or on a cluster.
    """
    name, voting = request.model, request.voting
    why = ""
    if name is None:
        several = (
            reading is not None
            and not reading.preferences.statements.only_comparisons
            and _ranks_several(reading.preferences)
        )
        name, about = (
            ("plackett-luce", "are about more than two") if several else ("bradley-terry", "compare two")
        )
        why = f", since rows {about} items (--model takes another)"
    entry = find(name, "worth")
    model: WorthModel = made(entry, [*request.setting])
    if voting.adjusts and not hasattr(type(model), "effects_"):
        option_name = "--side" if voting.side else "--covariate"
        raise InvalidInput.of(
            option_name, "be given for bradley-terry or thurstone", name, "give one of these as --model"
        )
    if voting.errors is not None and (reading is None or request.bootstrap is None):
        if "errors" not in model.get_params():
            remedy = "take bradley-terry or thurstone, or give --bootstrap 200"
            raise InvalidInput.of("errors", f"not be given for {name} alone", repr(voting.errors), remedy)
        model.set_params(errors=voting.errors)
    for option_name, value in (("prior", request.prior), ("ties", voting.model_ties)):
        if value is None:
            continue
        if option_name not in entry.options:
            raise InvalidInput.of(
                option_name, f"not be given for {name}", value, "this model has none, leave it out"
            )
        model.set_params(**{option_name: _precision(value) if option_name == "prior" else value})
    return model, why


def _ranks_several(preferences: Preferences) -> bool:
    """Return whether any row is about more than two items, the bar not counted."""
    import numpy as np

    statements = preferences.statements
    rows = statements.rows
    if preferences.bar is not None:
        rows = rows[statements.members != preferences.bar]
    return bool(np.bincount(rows, minlength=1).max() > 2)


def _precision(typed: str) -> float | str:
    try:
        return float(typed)
    except ValueError:
        return typed  # "learned", or what the model rejects


def _below(ranking: Ranking, fitted: WorthModel | None, top: int) -> list[str]:
    """Return the lines below the table: rows not shown, the bar, and what the intervals assume."""
    lines = []
    n_items = len(ranking.items)
    if n_items > top:
        lines.append(f"… and {n_items - top:,} more: --top {n_items} shows them, --csv keeps them")
    lines += [f"Certain at {100 * ranking.level:g} %: {line}" for line in ranking.certain()]
    lines += ranking.notes()
    errors = getattr(fitted, "errors_", None)
    return lines if errors is None else [*lines, f"Intervals assume {_ASSUMED.get(errors, errors)}"]


def _write(
    ranking: Ranking,
    fitted: WorthModel | None,
    csv: Path | None,
    plot: Path | None,
    matrix: Path | None,
    draw: Callable[[], Any],
) -> list[str]:
    """Write the files that were asked for, and return a line about each."""
    lines = []
    if csv is not None:
        write_rows(csv, ranking_csv(ranking))
        lines.append(f"Table: {csv}")
    if plot is not None or matrix is not None:
        from penchant.plots import win_matrix_chart

        if plot is not None:
            lines.append(f"Picture: {drawn(draw, plot)}")
        if matrix is not None and fitted is not None:
            lines.append(f"Picture: {drawn(lambda: win_matrix_chart(fitted), matrix)}")
    return lines
